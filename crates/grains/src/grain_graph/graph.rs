//! The graph of nodes and edges, in both forms.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use arrow::array::BooleanBufferBuilder;
use arrow::buffer::BooleanBuffer;
use sheaf_model::RunTables;

use super::NONE;
use super::fault::GraphFault;
use super::structure::Structure;
use crate::grain_graph::to_u32;

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NodeKind {
    /// Where the run begins.
    Start,
    /// Where the run ends.
    End,
    /// A whole grain (reduced form).
    Grain,
    /// A stretch of a task between forks, joins and switches (unreduced form).
    Fragment,
    /// Creation of grains: of a whole sibling set (reduced), of one grain (unreduced).
    Fork,
    /// The wait that collects a sibling set, or the meeting of a team at a barrier.
    Join,
    /// A chunk of a work-sharing loop, or a stretch of one that creates tasks (unreduced form).
    Chunk,
    /// What a member of a team does to get its next chunk of a loop (unreduced form).
    BookKeeping,
}

impl NodeKind {
    /// Whether a grain runs at such a node, so that it has a weight.
    pub const fn is_stretch(self) -> bool {
        matches!(
            self,
            Self::Grain | Self::Fragment | Self::Chunk | Self::BookKeeping
        )
    }
}

/// Why one node comes before another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EdgeKind {
    /// From a fork to what it creates.
    Creation,
    /// From the end of a grain to the join that collects it.
    Synchronisation,
    /// From one stretch of a grain to its next.
    Continuation,
    /// From a task to one that depends on it.
    Dependence,
}

/// An edge that leaves a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// The node it leads to.
    pub target: u32,
    /// Why.
    pub kind: EdgeKind,
}

/// A grain graph: nodes in flat arrays, edges by the node that they leave.
///
/// Most edges are continuations from a node to the one with the next number. Such an edge takes a bit.
#[derive(Debug)]
pub struct GrainGraph {
    kinds: Vec<NodeKind>,
    /// Grain of grain and fragment nodes, owner of forks and joins.
    grains: Vec<u32>,
    /// Fragment row of fragments, set of forks and joins.
    items: Vec<u32>,
    weights: Weights,
    /// Whether a node's first edge is a continuation to the next node, a bit per node.
    goes_on: BooleanBuffer,
    /// First of the other edges of each node, and behind them their number.
    first_edge: Vec<u32>,
    /// The other edges.
    edges: Vec<Edge>,
    /// Order of passes over the graph, once it was asked for.
    pub(super) forward: OnceLock<Result<Vec<u32>, GraphFault>>,
}

impl GrainGraph {
    /// The reduced graph: a node per grain, a fork and a join per sibling set, start and end. All
    /// work of a grain stands before its first fork. Weights are the grains' work; 0 where it is
    /// absent. The book-keeping of a loop, where it is grains of its own, is one node per thread.
    ///
    /// A set with another owner than its members' parent is drawn where its owner joins it, so the
    /// graph is always properly nested. Linear in time.
    pub fn reduced(run: &RunTables, structure: &Structure) -> Self {
        super::reduced::build(run, structure)
    }

    /// The unreduced graph: a node per fragment, a fork per creation, a join per wait that collects
    /// something. Weights are the fragments' durations. Only for runs with fragments, or with
    /// [`LogicalFragments`](super::LogicalFragments); of others every grain has one node of weight 0.
    ///
    /// Chunks of work-sharing loops stand in the chain of their member, each behind the member's book-keeping
    /// for it. Members of a team meet at a join and a fork behind it for each barrier. An undeferred task is
    /// joined at once. Linear in time but for sorting what each grain does.
    pub fn unreduced(run: &RunTables, structure: &Structure) -> Self {
        super::unreduced::build(run, structure)
    }

    /// Gives forks the numbers of their sets in place of what they create.
    pub(super) fn name_forks_by_set(&mut self, structure: &Structure) {
        for node in 0..self.kinds.len() {
            if self.kinds.get(node) != Some(&NodeKind::Fork) {
                continue;
            }
            // A fork of a whole region has its join behind it.
            let behind = self.items.get(node + 1).copied();
            let is_joined = self.kinds.get(node + 1) == Some(&NodeKind::Join);
            if let Some(item) = self.items.get_mut(node) {
                *item = match *item {
                    NONE => behind.filter(|_| is_joined).unwrap_or(NONE),
                    child => structure.set_of(child).unwrap_or(NONE),
                };
            }
        }
    }

    /// Number of nodes.
    pub fn num_nodes(&self) -> usize {
        self.kinds.len()
    }

    /// Number of edges.
    pub fn num_edges(&self) -> usize {
        self.edges.len() + self.goes_on.count_set_bits()
    }

    /// What a node is.
    pub fn kind(&self, node: u32) -> Option<NodeKind> {
        self.kinds.get(node as usize).copied()
    }

    /// Grain of a grain or fragment node; of a fork or join, the grain that forks and joins.
    pub fn grain(&self, node: u32) -> Option<u32> {
        self.grains
            .get(node as usize)
            .copied()
            .filter(|&row| row != NONE)
    }

    /// Of a stretch, the row of its fragment, or its number among the
    /// [`LogicalFragments`](super::LogicalFragments); of a fork or join, the number of the sibling set. Barriers
    /// and grains that never ran have none.
    pub fn item(&self, node: u32) -> Option<u32> {
        self.items
            .get(node as usize)
            .copied()
            .filter(|&row| row != NONE)
    }

    /// Weight of a node in the run's time unit.
    pub fn weight(&self, node: u32) -> i64 {
        self.weights.get(node)
    }

    /// Edges that leave a node.
    #[inline]
    pub fn edges(&self, node: u32) -> impl Iterator<Item = Edge> + Clone + '_ {
        let bound = |at: usize| self.first_edge.get(at).copied().unwrap_or(0) as usize;
        let at = node as usize;
        let others = self.edges.get(bound(at)..bound(at + 1));
        let goes_on = at < self.goes_on.len() && self.goes_on.value(at);
        let next = goes_on.then(|| continuation(node));
        let others = others.unwrap_or_default().iter().copied();
        next.into_iter().chain(others)
    }

    /// How many edges lead to each node.
    pub(super) fn incoming(&self) -> Vec<u32> {
        let mut incoming = vec![0; self.num_nodes()];
        let next = self.goes_on.set_indices().map(|node| node + 1);
        let others = self.edges.iter().map(|edge| edge.target as usize);
        for target in next.chain(others) {
            if let Some(count) = incoming.get_mut(target) {
                *count += 1;
            }
        }
        incoming
    }

    /// How many edges are of each kind: creation, synchronisation, continuation, dependence.
    pub fn count_edges(&self) -> [u64; 4] {
        let mut counts = [0, 0, self.goes_on.count_set_bits() as u64, 0];
        for edge in &self.edges {
            let place = match edge.kind {
                EdgeKind::Creation => 0,
                EdgeKind::Synchronisation => 1,
                EdgeKind::Continuation => 2,
                EdgeKind::Dependence => 3,
            };
            if let Some(count) = counts.get_mut(place) {
                *count += 1;
            }
        }
        counts
    }
}

/// Nodes in flat arrays, before there are edges.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    kinds: Vec<NodeKind>,
    grains: Vec<u32>,
    items: Vec<u32>,
    weights: Weights,
}

/// Weights of nodes. Nearly all fit into 32 bits.
#[derive(Debug, Default)]
struct Weights {
    /// [`LONG`] if the weight is in `long`.
    short: Vec<u32>,
    long: BTreeMap<u32, i64>,
}

/// Stands for a weight that is negative or does not fit.
const LONG: u32 = u32::MAX;

impl Weights {
    fn push(&mut self, weight: i64) {
        self.short.push(0);
        self.set(to_u32(self.short.len() - 1), weight);
    }

    fn set(&mut self, node: u32, weight: i64) {
        let short = u32::try_from(weight).unwrap_or(LONG);
        if short == LONG {
            self.long.insert(node, weight);
        }
        if let Some(slot) = self.short.get_mut(node as usize) {
            *slot = short;
        }
    }

    #[inline]
    fn get(&self, node: u32) -> i64 {
        match self.short.get(node as usize) {
            Some(&LONG) => self.long.get(&node).copied().unwrap_or(0),
            Some(&short) => short.into(),
            None => 0,
        }
    }
}

/// The edge from a node to the one with the next number.
fn continuation(node: u32) -> Edge {
    Edge {
        target: node.saturating_add(1),
        kind: EdgeKind::Continuation,
    }
}

/// A source of the edges between nodes, each time in the same order.
pub(super) trait Edges {
    /// Calls `edge` with source, target and kind of every edge.
    fn each(&self, nodes: &Nodes, edge: &mut impl FnMut(u32, u32, EdgeKind));
}

impl Nodes {
    pub(super) fn reserve(&mut self, additional: usize) {
        self.kinds.reserve(additional);
        self.grains.reserve(additional);
        self.items.reserve(additional);
        self.weights.short.reserve(additional);
    }

    pub(super) fn push(&mut self, kind: NodeKind, grain: u32, item: u32, weight: i64) {
        self.kinds.push(kind);
        self.grains.push(grain);
        self.items.push(item);
        self.weights.push(weight);
    }

    pub(super) fn len(&self) -> u32 {
        to_u32(self.kinds.len())
    }

    pub(super) fn kind(&self, node: u32) -> Option<NodeKind> {
        self.kinds.get(node as usize).copied()
    }

    pub(super) fn item(&self, node: u32) -> u32 {
        self.items.get(node as usize).copied().unwrap_or(NONE)
    }

    pub(super) fn add_weight(&mut self, node: u32, weight: i64) {
        let sum = self.weights.get(node).saturating_add(weight);
        self.weights.set(node, sum);
    }

    /// Makes the last node another kind, if it is of a kind and its item is as asked.
    pub(super) fn turn_last(&mut self, from: NodeKind, to: NodeKind, is: impl Fn(u32) -> bool) {
        if let (Some(kind), Some(&item)) = (self.kinds.last_mut(), self.items.last())
            && *kind == from
            && is(item)
        {
            *kind = to;
        }
    }

    /// The graph with the edges sorted by the node that they leave, else in the order in which they
    /// are enumerated. They are enumerated twice, so that only the result is held.
    pub(super) fn connect(self, edges: &impl Edges) -> GrainGraph {
        let mut goes_on = BooleanBufferBuilder::new(self.kinds.len());
        goes_on.append_n(self.kinds.len(), false);
        let mut first = vec![0_u32; self.kinds.len() + 2];
        edges.each(&self, &mut |source, target, kind| {
            let Some(count) = first.get_mut(source as usize + 2) else {
                return;
            };
            let at = source as usize;
            // An edge that is not the first of its node keeps its place among the others.
            if *count == 0
                && !goes_on.get_bit(at)
                && (Edge { target, kind }) == continuation(source)
            {
                goes_on.set_bit(at, true);
            } else {
                *count += 1;
            }
        });
        let goes_on = goes_on.finish();
        let mut sum = 0_u32;
        for count in &mut first {
            sum += *count;
            *count = sum;
        }
        let none = Edge {
            target: NONE,
            kind: EdgeKind::Continuation,
        };
        let mut sorted = vec![none; sum as usize];
        let mut is_connected = BooleanBufferBuilder::new(self.kinds.len());
        is_connected.append_n(self.kinds.len(), false);
        edges.each(&self, &mut |source, target, kind| {
            let at = source as usize;
            if at < goes_on.len() && goes_on.value(at) && !is_connected.get_bit(at) {
                is_connected.set_bit(at, true);
                return;
            }
            // The place behind a node's first edge moves on until it is the next node's first.
            if let Some(next) = first.get_mut(at + 1) {
                if let Some(slot) = sorted.get_mut(*next as usize) {
                    *slot = Edge { target, kind };
                }
                *next += 1;
            }
        });
        first.truncate(self.kinds.len() + 1);
        GrainGraph {
            kinds: self.kinds,
            grains: self.grains,
            items: self.items,
            weights: self.weights,
            goes_on,
            first_edge: first,
            edges: sorted,
            forward: OnceLock::new(),
        }
    }
}
