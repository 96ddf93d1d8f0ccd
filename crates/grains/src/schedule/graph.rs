//! The graph that is scheduled.

use sheaf_model::RunTables;

use super::cut_off::cut_off;
use super::draft::{Draft, Link, mark};
use super::loops::{Cut, Freed, free_chunks};
use crate::grain_graph::{Edge, EdgeKind, GrainGraph, GraphFault, NONE, Structure, to_u32};

/// Changes of the structure of a recorded graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Workers of the schedule: static loops have a chunk for each.
    pub workers: u32,
    /// Tasks below this depth become part of their ancestor; tasks that are not created by tasks have depth 1.
    pub cut_off: Option<u32>,
    /// Iterations of every chunk of loops, which members then take one after the other.
    pub chunk_size: Option<u32>,
}

/// A grain graph in the form that is scheduled. Nodes are fragments, each with the forks behind it and the joins before
/// it, as far as these can be merged; edges are sorted by the node that they leave.
#[derive(Debug)]
pub struct ScheduleGraph {
    pub(super) weights: Vec<i64>,
    pub(super) grains: Vec<u32>,
    pub(super) marks: Vec<u8>,
    pub(super) first_edge: Vec<u32>,
    pub(super) edges: Vec<Edge>,
    /// Edges that lead to each node.
    pub(super) degrees: Vec<u32>,
    /// Worker of each bound chunk, sorted by node.
    pub(super) bound: Vec<(u32, u32)>,
    /// Number of each node by which its costs are drawn; empty if it is that of the node.
    pub(super) keys: Vec<u32>,
    freed: Freed,
    /// Tasks that became part of an ancestor.
    merged: usize,
}

impl ScheduleGraph {
    /// The graph of a run in a shape. Linear in nodes and edges, but for sorting chunks of loops.
    ///
    /// # Errors
    /// [`GraphFault::Cycle`] if the tables have a cycle of dependences.
    pub fn of(
        run: &RunTables,
        structure: &Structure,
        graph: &GrainGraph,
        shape: &Shape,
    ) -> Result<Self, GraphFault> {
        let mut draft = Draft::of(run, structure, graph);
        let merged = shape
            .cut_off
            .map_or(0, |depth| cut_off(&mut draft, run, structure, depth));
        let cut = match shape.chunk_size {
            Some(size) => Cut::Size(size),
            None => Cut::Recorded {
                workers: shape.workers.max(1),
            },
        };
        let freed = free_chunks(&mut draft, run, structure, cut);
        let graph = Self {
            merged,
            ..Self::contracted(draft, freed)
        };
        graph.check_order()?;
        Ok(graph)
    }

    /// Whether the graph differs with the number of workers.
    pub fn has_static_loops(&self) -> bool {
        self.freed.fixed > 0
    }

    /// Loops with chunks.
    pub fn num_loops(&self) -> usize {
        self.freed.fixed + self.freed.taken
    }

    /// Loops in which members take chunks one after the other.
    pub fn num_dynamic_loops(&self) -> usize {
        self.freed.taken
    }

    /// Loops with a chunk per member at most.
    pub fn num_static_loops(&self) -> usize {
        self.freed.fixed
    }

    /// Loops whose chunks should have been cut anew and could not be.
    pub fn num_uncut_loops(&self) -> usize {
        self.freed.uncut
    }

    /// Tasks that became part of an ancestor.
    pub fn num_merged_tasks(&self) -> usize {
        self.merged
    }

    /// Number of nodes.
    pub fn num_nodes(&self) -> usize {
        self.weights.len()
    }

    /// Grain of a node; absent for what belongs to none.
    pub fn grain(&self, node: u32) -> Option<u32> {
        let grain = self.grains.get(node as usize).copied();
        grain.filter(|&grain| grain != NONE)
    }

    /// Work of each node as recorded.
    pub fn weights(&self) -> &[i64] {
        &self.weights
    }

    /// Work of each node if that of each grain is multiplied by `kept` millionths.
    pub fn scaled(&self, kept: impl Fn(u32) -> u32) -> Vec<i64> {
        let weights = self.weights.iter().zip(&self.grains);
        let scaled = weights.map(|(&weight, &grain)| {
            let millionths = if grain == NONE { MILLION } else { kept(grain) };
            scaled(weight, millionths)
        });
        scaled.collect()
    }

    /// Work of each node if that of each grain is multiplied by the millionths of its class, all of it if the class has
    /// none.
    pub fn scaled_by(&self, classes: &[u32], kept: &[u32]) -> Vec<i64> {
        self.iter_scaled(classes, kept).collect()
    }

    pub(super) fn iter_scaled<'a>(
        &'a self,
        classes: &'a [u32],
        kept: &'a [u32],
    ) -> impl Iterator<Item = i64> + 'a {
        let weights = self.weights.iter().zip(&self.grains);
        weights.map(|(&weight, &grain)| {
            let class = classes.get(grain as usize).copied().unwrap_or(NONE);
            let millionths = kept.get(class as usize).copied().unwrap_or(MILLION);
            scaled(weight, millionths)
        })
    }

    #[inline]
    pub(super) fn edges(&self, node: u32) -> &[Edge] {
        let bound = |at: usize| self.first_edge.get(at).copied().unwrap_or(0) as usize;
        let node = node as usize;
        let bounds = bound(node)..bound(node + 1);
        self.edges.get(bounds).unwrap_or_default()
    }

    #[inline]
    pub(super) fn has(&self, node: u32, mark: u8) -> bool {
        self.marks.get(node as usize).copied().unwrap_or(0) & mark != 0
    }

    /// The worker that must run a bound chunk.
    pub(super) fn worker_of(&self, node: u32) -> u32 {
        let found = self.bound.binary_search_by_key(&node, |(node, _)| *node);
        found
            .ok()
            .and_then(|at| self.bound.get(at))
            .map_or(0, |bound| bound.1)
    }

    /// Work of a node, with the cost of a task if it begins one.
    #[inline]
    pub(super) fn weight_with_cost(&self, node: u32, per_task: i64) -> i64 {
        let weight = self.weights.get(node as usize).copied().unwrap_or(0);
        let cost = if self.has(node, mark::TASK) {
            per_task
        } else {
            0
        };
        weight.saturating_add(cost)
    }

    /// The number by which the costs of a node are drawn.
    #[inline]
    pub(super) fn key(&self, node: u32) -> u32 {
        self.keys.get(node as usize).copied().unwrap_or(node)
    }

    /// A graph without nodes.
    pub(super) fn empty() -> Self {
        Self {
            weights: Vec::new(),
            grains: Vec::new(),
            marks: Vec::new(),
            first_edge: Vec::new(),
            edges: Vec::new(),
            degrees: Vec::new(),
            bound: Vec::new(),
            keys: Vec::new(),
            freed: Freed::default(),
            merged: 0,
        }
    }

    /// The graph without the nodes that can be merged.
    fn contracted(draft: Draft, freed: Freed) -> Self {
        let Draft {
            weights,
            grains,
            mut marks,
            links,
            bound,
        } = draft;
        let nodes = weights.len();
        let into = merged_into(&links, &mut marks);
        let mut number = vec![NONE; nodes];
        let mut graph = Self {
            weights: Vec::with_capacity(nodes),
            grains: Vec::with_capacity(nodes),
            marks: Vec::with_capacity(nodes),
            freed,
            ..Self::empty()
        };
        for node in 0..nodes {
            if into[node] as usize == node {
                number[node] = to_u32(graph.weights.len());
                graph.weights.push(weights[node]);
                graph.grains.push(grains[node]);
                graph.marks.push(marks[node]);
            }
        }
        let place = |node: u32| {
            let into = into.get(node as usize).copied().unwrap_or(NONE);
            number.get(into as usize).copied().unwrap_or(NONE)
        };
        graph.bound = bound
            .iter()
            .map(|&(node, worker)| (place(node), worker))
            .collect();
        graph.bound.sort_unstable();
        let links = links.iter().filter_map(|link| {
            let (source, target) = (place(link.source), place(link.target));
            (source != target).then_some(Link {
                source,
                target,
                kind: link.kind,
            })
        });
        graph.connect(links);
        graph
    }

    /// Sets the edges.
    pub(super) fn connect(&mut self, links: impl Iterator<Item = Link> + Clone) {
        let nodes = self.weights.len();
        let mut first = vec![0_u32; nodes + 2];
        self.degrees = vec![0; nodes];
        for link in links.clone() {
            if let Some(count) = first.get_mut(link.source as usize + 2) {
                *count += 1;
            }
            count(&mut self.degrees, link.target);
        }
        let mut sum = 0;
        for count in &mut first {
            sum += *count;
            *count = sum;
        }
        let none = Edge {
            target: NONE,
            kind: EdgeKind::Continuation,
        };
        self.edges = vec![none; sum as usize];
        for link in links {
            if let Some(next) = first.get_mut(link.source as usize + 1) {
                if let Some(slot) = self.edges.get_mut(*next as usize) {
                    *slot = Edge {
                        target: link.target,
                        kind: link.kind,
                    };
                }
                *next += 1;
            }
        }
        first.truncate(nodes + 1);
        self.first_edge = first;
    }

    /// Keeps the first of several edges from one node to another.
    pub(super) fn drop_parallel_edges(&mut self) {
        let nodes = self.weights.len();
        let mut reached_from = vec![NONE; nodes];
        let mut kept = Vec::with_capacity(self.edges.len());
        let mut first = Vec::with_capacity(nodes + 1);
        first.push(0);
        for source in 0..to_u32(nodes) {
            for edge in self.edges(source) {
                let from = reached_from.get_mut(edge.target as usize);
                if from.is_some_and(|from| std::mem::replace(from, source) != source) {
                    kept.push(*edge);
                }
            }
            first.push(to_u32(kept.len()));
        }
        self.degrees.fill(0);
        for edge in &kept {
            count(&mut self.degrees, edge.target);
        }
        self.edges = kept;
        self.first_edge = first;
    }
}

/// A weight of which some millionths stay.
#[inline]
fn scaled(weight: i64, millionths: u32) -> i64 {
    if millionths == MILLION {
        return weight;
    }
    // Divisions of 128 bits take ten times as long.
    if let Some(product) = weight.checked_mul(i64::from(millionths)) {
        return product / i64::from(MILLION);
    }
    let product = i128::from(weight) * i128::from(millionths) / i128::from(MILLION);
    i64::try_from(product).unwrap_or(i64::MAX)
}

/// The node that each is merged into: forks into the node before and joins into the node behind, where that is the only
/// one. What is known of a join is known of the node that it is merged into.
fn merged_into(links: &[Link], marks: &mut [u8]) -> Vec<u32> {
    let nodes = marks.len();
    let (mut incoming, mut outgoing) = (vec![0_u32; nodes], vec![0_u32; nodes]);
    let mut only_before = vec![NONE; nodes];
    let mut only_behind = vec![NONE; nodes];
    for link in links {
        count(&mut incoming, link.target);
        count(&mut outgoing, link.source);
        if link.kind == EdgeKind::Continuation {
            set(&mut only_before, link.target, link.source);
            set(&mut only_behind, link.source, link.target);
        }
    }
    let is_passage = |marks: &[u8], node: u32| {
        marks
            .get(node as usize)
            .is_some_and(|it| it & mark::PASSAGE != 0)
    };
    let one = |counts: &[u32], node: u32| counts.get(node as usize) == Some(&1);
    // The node that each is merged into.
    let mut into: Vec<u32> = (0..to_u32(nodes)).collect();
    for node in 0..to_u32(nodes) {
        if !is_passage(marks, node) {
            continue;
        }
        let before = only_before.get(node as usize).copied().unwrap_or(NONE);
        let behind = only_behind.get(node as usize).copied().unwrap_or(NONE);
        let is_join = marks
            .get(node as usize)
            .is_some_and(|it| it & mark::WAIT != 0);
        if !is_join
            && before != NONE
            && one(&incoming, node)
            && one(&outgoing, before)
            && !is_passage(marks, before)
        {
            set(&mut into, node, before);
        } else if is_join
            && behind != NONE
            && one(&outgoing, node)
            && one(&incoming, behind)
            && !is_passage(marks, behind)
        {
            set(&mut into, node, behind);
            let kept = marks.get(node as usize).copied().unwrap_or(0) & (mark::WAIT | mark::TIED);
            if let Some(marks) = marks.get_mut(behind as usize) {
                *marks |= kept;
            }
        }
    }
    into
}

/// All of the work.
pub(super) const MILLION: u32 = 1_000_000;

fn count(counts: &mut [u32], node: u32) {
    if let Some(count) = counts.get_mut(node as usize) {
        *count += 1;
    }
}

fn set(slots: &mut [u32], node: u32, value: u32) {
    if let Some(slot) = slots.get_mut(node as usize) {
        *slot = value;
    }
}
