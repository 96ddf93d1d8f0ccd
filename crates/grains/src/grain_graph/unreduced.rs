//! The unreduced form: fragments, chunks, book-keeping, forks and joins in the order of the program.

use sheaf_model::RunTables;
use sheaf_model::table::{FragmentEnd, GrainKind};

use super::NONE;
use super::graph::{EdgeKind, Edges, GrainGraph, NodeKind, Nodes};
use super::logical::LogicalFragments;
use super::structure::Structure;
use super::timeline::{Step, StepBuffers, Timelines};
use crate::grain_graph::to_u32;

/// Nodes of a grain are neighbours, in the order of its timeline; the run's own come first, those of
/// barriers last.
pub(super) fn build(run: &RunTables, structure: &Structure) -> GrainGraph {
    let logical = LogicalFragments::of(run, structure);
    let timelines = Timelines::new(run, structure, logical.as_ref());
    let grains = structure.num_grains();
    let mut placed = Placed {
        run,
        structure,
        nodes: Nodes::default(),
        first: Vec::with_capacity(grains + 2),
        joins: vec![NONE; structure.sets().len()],
        detours: Vec::new(),
        is_inline: vec![false; grains],
        barriers: 0,
        num_barriers: to_u32(timelines.barriers().owners().len()),
    };
    let fragments = logical
        .as_ref()
        .map_or(run.fragments.len(), LogicalFragments::len);
    placed
        .nodes
        .reserve(fragments + grains + structure.sets().len());
    let (mut buffers, mut steps) = (StepBuffers::default(), Vec::new());
    for owner in std::iter::once(grains).chain(0..grains) {
        placed.first.push(placed.nodes.len());
        timelines.steps(owner, &mut buffers, &mut steps);
        placed.place(owner, &steps, &timelines, logical.as_ref());
    }
    placed.barriers = placed.nodes.len();
    placed.first.push(placed.barriers);
    for &owner in timelines.barriers().owners() {
        placed.nodes.push(NodeKind::Join, owner, NONE, 0);
        placed.nodes.push(NodeKind::Fork, owner, NONE, 0);
    }
    drop(timelines);
    drop(logical);
    let nodes = std::mem::take(&mut placed.nodes);
    let mut graph = nodes.connect(&placed);
    graph.name_forks_by_set(structure);
    graph
}

/// Something between a node of a grain and its next that are not of the grain.
#[derive(Clone, Copy)]
enum Detour {
    /// A grain that runs inside.
    Inline(u32),
    Barrier(u32),
}

/// What edges follow from.
struct Placed<'a> {
    run: &'a RunTables,
    structure: &'a Structure,
    nodes: Nodes,
    /// First node of the run itself, then of each grain, and behind them the first of barriers.
    first: Vec<u32>,
    /// Join of each set.
    joins: Vec<u32>,
    /// By the node before.
    detours: Vec<(u32, Detour)>,
    /// By grain: whether it runs inside its parent, with no join.
    is_inline: Vec<bool>,
    barriers: u32,
    num_barriers: u32,
}

impl Placed<'_> {
    /// Makes the nodes of a grain.
    fn place(
        &mut self,
        owner: usize,
        steps: &[Step],
        timelines: &Timelines<'_>,
        logical: Option<&LogicalFragments>,
    ) {
        let grain = if owner < self.run.grains.len() {
            to_u32(owner)
        } else {
            NONE
        };
        let run_kind = self.run_kind(grain, timelines);
        // Whether the last step was a node of the grain.
        let mut has_node = false;
        for &step in steps {
            match step {
                Step::Run(row) => {
                    let weight = match logical {
                        Some(logical) => logical.duration(row),
                        None => self.run.fragments.duration.value(row as usize),
                    };
                    self.nodes.push(run_kind, grain, row, weight);
                }
                // Their children distinguish forks until there are edges.
                Step::Fork(child) => self.nodes.push(NodeKind::Fork, grain, child, 0),
                Step::Undeferred(child) => {
                    self.nodes.push(NodeKind::Fork, grain, child, 0);
                    if let Some(set) = self.structure.set_of(child) {
                        self.join(grain, set);
                    }
                }
                Step::Region(set) => {
                    self.nodes.push(NodeKind::Fork, grain, NONE, 0);
                    self.join(grain, set);
                }
                Step::Join(set) => self.join(grain, set),
                Step::Inline(_) | Step::Barrier(_) => {
                    self.detour(grain, step, has_node, logical.is_some());
                    has_node = false;
                    continue;
                }
            }
            has_node = true;
        }
        // A grain that never ran still stands between its fork and its join.
        if !has_node && grain != NONE {
            self.nodes.push(run_kind, grain, NONE, 0);
        }
    }

    fn run_kind(&self, grain: u32, timelines: &Timelines<'_>) -> NodeKind {
        let kind = self.run.grains.kind.values().get(grain as usize);
        if grain != NONE && timelines.is_book_keeping(grain) {
            NodeKind::BookKeeping
        } else if kind == Some(GrainKind::Chunk as i32) {
            NodeKind::Chunk
        } else {
            NodeKind::Fragment
        }
    }

    fn join(&mut self, grain: u32, set: u32) {
        if let Some(join) = self.joins.get_mut(set as usize) {
            *join = self.nodes.len();
        }
        self.nodes.push(NodeKind::Join, grain, set, 0);
    }

    /// Notes what comes behind the last node; chunks alternate with book-keeping.
    fn detour(&mut self, grain: u32, step: Step, has_node: bool, is_logical: bool) {
        let (kind, detour) = match step {
            Step::Barrier(barrier) => (NodeKind::Fragment, Detour::Barrier(barrier)),
            Step::Inline(child) => {
                if let Some(is_inline) = self.is_inline.get_mut(child as usize) {
                    *is_inline = true;
                }
                (NodeKind::BookKeeping, Detour::Inline(child))
            }
            _ => return,
        };
        if !has_node {
            self.nodes.push(kind, grain, NONE, 0);
        } else if kind == NodeKind::BookKeeping && !is_logical {
            let ended_by = self.run.fragments.ended_by.values();
            self.nodes.turn_last(NodeKind::Fragment, kind, |row| {
                ended_by.get(row as usize) == Some(FragmentEnd::Enter as i32)
            });
        }
        let before = self.nodes.len() - 1;
        self.detours.push((before, detour));
    }

    /// First node of a grain.
    fn first(&self, grain: u32) -> u32 {
        let at = (grain as usize).saturating_add(1);
        self.first.get(at).copied().unwrap_or(NONE)
    }

    /// Last node of a grain.
    fn last(&self, grain: u32) -> u32 {
        self.first(grain.saturating_add(1)).saturating_sub(1)
    }
}

impl Edges for Placed<'_> {
    fn each(&self, nodes: &Nodes, edge: &mut impl FnMut(u32, u32, EdgeKind)) {
        let mut detours = self.detours.iter().peekable();
        for (slot, bounds) in self.first.windows(2).enumerate() {
            let &[first, end] = bounds else { continue };
            // Outside any grain nothing runs between the fork and the join.
            let is_outside = slot == 0;
            for node in first..end {
                let is_last = node + 1 == end;
                let kind = nodes.kind(node);
                let next_kind = nodes.kind(node + 1).filter(|_| !is_last);
                let is_awaited = kind == Some(NodeKind::Fork) && next_kind == Some(NodeKind::Join);
                let is_awaited = is_awaited && (is_outside || self.awaits(nodes, node));
                match detours.next_if(|(before, _)| *before == node) {
                    Some(&(_, Detour::Inline(chunk))) => {
                        edge(node, self.first(chunk), EdgeKind::Continuation);
                        edge(self.last(chunk), node + 1, EdgeKind::Continuation);
                    }
                    Some(&(_, Detour::Barrier(barrier))) => {
                        let join = self.barriers + 2 * barrier;
                        edge(node, join, EdgeKind::Synchronisation);
                        edge(join + 1, node + 1, EdgeKind::Continuation);
                    }
                    None if is_last || is_awaited => {}
                    None => edge(node, node + 1, EdgeKind::Continuation),
                }
                if kind == Some(NodeKind::Fork) {
                    self.creations(nodes, node, edge);
                }
            }
            self.synchronisation(slot, edge);
        }
        for barrier in 0..self.num_barriers {
            let join = self.barriers + 2 * barrier;
            edge(join, join + 1, EdgeKind::Continuation);
        }
        let dependences = &self.run.dependences;
        let ends = dependences.predecessor.values().iter();
        for (&from, &to) in ends.zip(dependences.successor.values()) {
            if let (Ok(from), Ok(to)) = (u32::try_from(from), u32::try_from(to)) {
                edge(self.last(from), self.first(to), EdgeKind::Dependence);
            }
        }
    }
}

impl Placed<'_> {
    /// Whether a fork's grain does nothing until the join behind the fork: a region or an undeferred task.
    fn awaits(&self, nodes: &Nodes, fork: u32) -> bool {
        match nodes.item(fork) {
            NONE => true,
            child => {
                self.structure.set_of(child) == Some(nodes.item(fork + 1))
                    && self.structure.is_undeferred(child)
            }
        }
    }

    /// From a fork to the child that it creates, or to the members of the region whose join comes next.
    fn creations(&self, nodes: &Nodes, fork: u32, edge: &mut impl FnMut(u32, u32, EdgeKind)) {
        let child = nodes.item(fork);
        if child != NONE {
            edge(fork, self.first(child), EdgeKind::Creation);
            return;
        }
        let set = self.structure.sets().get(nodes.item(fork + 1) as usize);
        for &member in set
            .map(|set| self.structure.members(set))
            .unwrap_or_default()
        {
            edge(fork, self.first(member), EdgeKind::Creation);
        }
    }

    /// From the end of a grain to the join that collects it; what runs inside its parent has none.
    fn synchronisation(&self, slot: usize, edge: &mut impl FnMut(u32, u32, EdgeKind)) {
        let Some(grain) = slot.checked_sub(1).map(to_u32) else {
            return;
        };
        if self.is_inline.get(grain as usize) == Some(&true) {
            return;
        }
        let set = self.structure.set_of(grain);
        let join = set.and_then(|set| self.joins.get(set as usize).copied());
        if let Some(join) = join.filter(|&join| join != NONE) {
            edge(self.last(grain), join, EdgeKind::Synchronisation);
        }
    }
}
