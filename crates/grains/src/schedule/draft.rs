//! The recorded graph while it is changed: nodes and a list of edges.

use sheaf_model::RunTables;
use sheaf_model::table::{GrainKind, flags};

use crate::grain_graph::{Edge, EdgeKind, GrainGraph, NONE, NodeKind, Structure, to_u32};

/// An edge with both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) source: u32,
    pub(super) target: u32,
    pub(super) kind: EdgeKind,
}

/// Properties of nodes.
pub(super) mod mark {
    /// Nothing runs here: a fork, a join, the begin or end of a loop.
    pub(in super::super) const PASSAGE: u8 = 1;
    /// The first node of an explicit task.
    pub(in super::super) const TASK: u8 = 2;
    /// The first node of a member of a team.
    pub(in super::super) const MEMBER: u8 = 4;
    /// The first node of a chunk that any member may take.
    pub(in super::super) const CHUNK: u8 = 8;
    /// The continuation of a tied task after a wait.
    pub(in super::super) const TIED: u8 = 16;
    /// The continuation of a wait.
    pub(in super::super) const WAIT: u8 = 32;
    /// A chunk that one worker must run.
    pub(in super::super) const BOUND: u8 = 64;
}

/// Nodes in flat arrays, edges in any order.
pub(super) struct Draft {
    pub(super) weights: Vec<i64>,
    pub(super) grains: Vec<u32>,
    pub(super) marks: Vec<u8>,
    pub(super) links: Vec<Link>,
    /// Worker of each bound chunk, by node.
    pub(super) bound: Vec<(u32, u32)>,
}

impl Draft {
    pub(super) fn of(run: &RunTables, structure: &Structure, graph: &GrainGraph) -> Self {
        let nodes = graph.num_nodes();
        let mut draft = Self {
            weights: Vec::with_capacity(nodes),
            grains: Vec::with_capacity(nodes),
            marks: vec![0; nodes],
            links: Vec::with_capacity(graph.num_edges()),
            bound: Vec::new(),
        };
        for node in 0..to_u32(nodes) {
            draft.weights.push(graph.weight(node).max(0));
            draft.grains.push(graph.grain(node).unwrap_or(NONE));
            if !graph.kind(node).is_some_and(NodeKind::is_stretch) {
                draft.mark(node, mark::PASSAGE);
            }
            for edge in graph.edges(node) {
                let Edge { target, kind } = edge;
                draft.links.push(Link {
                    source: node,
                    target,
                    kind,
                });
                if kind == EdgeKind::Creation {
                    let first = graph.grain(target);
                    draft.mark(target, start_mark(run, structure, first));
                }
            }
        }
        draft.mark_waits(run, graph);
        draft
    }

    /// Marks joins at which the task that waits is tied: it continues on the worker that it waited on.
    fn mark_waits(&mut self, run: &RunTables, graph: &GrainGraph) {
        for node in 0..to_u32(graph.num_nodes()) {
            if graph.kind(node) != Some(NodeKind::Join) {
                continue;
            }
            self.mark(node, mark::WAIT);
            let Some(grain) = graph.grain(node) else {
                continue;
            };
            let row = grain as usize;
            let kind = run.grains.kind.get(row);
            let is_task = [GrainKind::Task, GrainKind::TaskloopChunk]
                .iter()
                .any(|&task| kind == Some(task as i32));
            let flags = run.grains.flags.get(row).unwrap_or(0);
            if is_task && flags & flags::UNTIED == 0 {
                self.mark(node, mark::TIED);
            }
        }
    }

    pub(super) fn mark(&mut self, node: u32, mark: u8) {
        if let Some(marks) = self.marks.get_mut(node as usize) {
            *marks |= mark;
        }
    }

    pub(super) fn unmark(&mut self, node: u32, mark: u8) {
        if let Some(marks) = self.marks.get_mut(node as usize) {
            *marks &= !mark;
        }
    }

    pub(super) fn has(&self, node: u32, mark: u8) -> bool {
        let marks = self.marks.get(node as usize).copied().unwrap_or(0);
        marks & mark != 0
    }

    pub(super) fn grain(&self, node: u32) -> u32 {
        self.grains.get(node as usize).copied().unwrap_or(NONE)
    }

    pub(super) fn push(&mut self, grain: u32, weight: i64, marks: u8) -> u32 {
        let node = to_u32(self.weights.len());
        self.weights.push(weight);
        self.grains.push(grain);
        self.marks.push(marks);
        node
    }

    /// First and last node of each grain; `NONE` of grains without nodes.
    pub(super) fn extents(&self, grains: usize) -> Vec<(u32, u32)> {
        let mut extents = vec![(NONE, NONE); grains];
        for (node, &grain) in (0..).zip(&self.grains) {
            // Barriers belong to the grain that began the region, and come after all grains.
            let Some((first, last)) = extents.get_mut(grain as usize) else {
                continue;
            };
            let is_next = *first == NONE || *last + 1 == node;
            if is_next {
                if *first == NONE {
                    *first = node;
                }
                *last = node;
            }
        }
        extents
    }
}

/// How the first node of a created grain is marked.
fn start_mark(run: &RunTables, structure: &Structure, grain: Option<u32>) -> u8 {
    let Some(grain) = grain else { return 0 };
    let kind = run.grains.kind.get(grain as usize);
    match kind.and_then(GrainKind::from_code) {
        Some(GrainKind::Implicit) => mark::MEMBER,
        Some(GrainKind::Task | GrainKind::TaskloopChunk)
            if structure.parent(grain).is_some() && !structure.is_undeferred(grain) =>
        {
            mark::TASK
        }
        _ => 0,
    }
}
