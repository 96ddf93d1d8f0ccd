//! The graph of nodes and edges, in both forms.

use arrow::array::Array;
use sheaf_model::RunTables;

use super::NONE;
use super::structure::{Structure, to_u32};

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NodeKind {
    /// Where the run begins.
    Start,
    /// Where the run ends.
    End,
    /// A whole grain (reduced form).
    Grain,
    /// A stretch of a grain between forks, joins and switches (unreduced form).
    Fragment,
    /// Creation of grains: of a whole sibling set (reduced), of one grain (unreduced).
    Fork,
    /// The wait that collects a sibling set.
    Join,
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

/// What is wrong with a graph, with the node at fault.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GraphFault {
    /// A node has edges that its kind does not allow.
    #[error("node `{node}` ({kind:?}) has `{incoming}` incoming and `{outgoing}` outgoing edges")]
    Degree {
        /// The node.
        node: u32,
        /// What it is.
        kind: NodeKind,
        /// Edges that lead to it.
        incoming: u32,
        /// Edges that leave it.
        outgoing: u32,
    },
    /// A node comes before itself.
    #[error("node `{node}` comes before itself")]
    Cycle {
        /// A node on the cycle.
        node: u32,
    },
}

/// A grain graph: nodes in flat arrays, edges by the node that they leave.
#[derive(Debug, Default)]
pub struct GrainGraph {
    kinds: Vec<NodeKind>,
    /// Grain of grain and fragment nodes, owner of forks and joins.
    grains: Vec<u32>,
    /// Fragment row of fragments, set of forks and joins.
    items: Vec<u32>,
    weights: Vec<i64>,
    first_edge: Vec<u32>,
    edges: Vec<Edge>,
}

impl GrainGraph {
    /// The reduced graph: a node per grain, a fork and a join per sibling set, start and end. All
    /// work of a grain stands before its first fork. Weights are the grains' work; 0 where it is
    /// absent.
    ///
    /// A set with another owner than its members' parent is drawn where its owner joins it, so the
    /// graph is always properly nested.
    pub fn reduced(run: &RunTables, structure: &Structure) -> Self {
        let mut builder = Builder::default();
        let num_grains = to_u32(structure.num_grains());
        let start = builder.node(NodeKind::Start, NONE, NONE, 0);
        for grain in 0..num_grains {
            let at = grain as usize;
            let work = &run.grains.work;
            let weight = if work.is_valid(at) { work.value(at) } else { 0 };
            builder.node(NodeKind::Grain, grain, NONE, weight);
        }
        for (number, set) in (0..).zip(structure.sets()) {
            let owner = set.owner.unwrap_or(NONE);
            builder.node(NodeKind::Fork, owner, number, 0);
            builder.node(NodeKind::Join, owner, number, 0);
        }
        let end = builder.node(NodeKind::End, NONE, NONE, 0);
        let ends = Reduced { num_grains, end };
        ends.chain(&mut builder, structure, None, start, end);
        for grain in 0..num_grains {
            let join = structure.set_of(grain).map_or(end, |set| ends.join(set));
            ends.chain(&mut builder, structure, Some(grain), 1 + grain, join);
        }
        for (number, set) in (0..).zip(structure.sets()) {
            for &member in structure.members(set) {
                builder.edge(ends.fork(number), 1 + member, EdgeKind::Creation);
            }
        }
        builder.finish()
    }

    /// The unreduced graph: a node per fragment, a fork per creation, a join per wait that collects
    /// something. Weights are the fragments' durations. Only for runs with fragments.
    pub fn unreduced(run: &RunTables, structure: &Structure) -> Self {
        super::unreduced::build(run, structure)
    }

    /// Number of nodes.
    pub fn num_nodes(&self) -> usize {
        self.kinds.len()
    }

    /// Number of edges.
    pub fn num_edges(&self) -> usize {
        self.edges.len()
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

    /// Row of the fragment of a fragment node; number of the sibling set of a fork or join.
    pub fn item(&self, node: u32) -> Option<u32> {
        self.items
            .get(node as usize)
            .copied()
            .filter(|&row| row != NONE)
    }

    /// Weight of a node in the run's time unit.
    pub fn weight(&self, node: u32) -> i64 {
        self.weights.get(node as usize).copied().unwrap_or(0)
    }

    /// Edges that leave a node.
    pub fn edges(&self, node: u32) -> &[Edge] {
        let bound = |at: usize| self.first_edge.get(at).copied().unwrap_or(0) as usize;
        let node = node as usize;
        self.edges
            .get(bound(node)..bound(node + 1))
            .unwrap_or_default()
    }

    /// How many edges are of each kind: creation, synchronisation, continuation, dependence.
    pub fn count_edges(&self) -> [u64; 4] {
        let mut counts = [0; 4];
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

    /// Nodes so that every edge leads forward; of several that are free, the one with the smallest number
    /// comes first in its round, so the order is always the same.
    ///
    /// # Errors
    /// [`GraphFault::Cycle`] when there is none.
    pub fn topological_order(&self) -> Result<Vec<u32>, GraphFault> {
        let mut incoming = self.incoming();
        let mut order: Vec<u32> = (0..to_u32(self.num_nodes()))
            .filter(|&node| incoming.get(node as usize) == Some(&0))
            .collect();
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            for edge in self.edges(node) {
                if let Some(count) = incoming.get_mut(edge.target as usize) {
                    *count -= 1;
                    if *count == 0 {
                        order.push(edge.target);
                    }
                }
            }
        }
        match incoming.iter().position(|&count| count > 0) {
            Some(node) => Err(GraphFault::Cycle { node: to_u32(node) }),
            None => Ok(order),
        }
    }

    fn incoming(&self) -> Vec<u32> {
        let mut incoming = vec![0_u32; self.num_nodes()];
        for edge in &self.edges {
            if let Some(count) = incoming.get_mut(edge.target as usize) {
                *count += 1;
            }
        }
        incoming
    }

    /// Checks what must hold of nodes and edges (VPA 2017, section 3.1): one start and one end, grains
    /// and fragments in a chain, forks with one way in, joins with one way out, no cycle.
    ///
    /// # Errors
    /// The first node at fault.
    pub fn validate(&self) -> Result<(), GraphFault> {
        let incoming = self.incoming();
        for node in 0..to_u32(self.num_nodes()) {
            let at = node as usize;
            let outgoing = self.edges(node);
            let depends = outgoing
                .iter()
                .filter(|edge| edge.kind == EdgeKind::Dependence);
            let out = to_u32(outgoing.len() - depends.count());
            let (Some(&kind), Some(&into)) = (self.kinds.get(at), incoming.get(at)) else {
                continue;
            };
            let is_sound = match kind {
                NodeKind::Start => into == 0 && out == 1,
                NodeKind::End => out == 0,
                // A dependence is a further way in.
                NodeKind::Grain => into >= 1 && out == 1,
                NodeKind::Fragment => out == 1,
                NodeKind::Fork => into <= 1 && out >= 1,
                NodeKind::Join => into >= 1 && out <= 1,
            };
            if !is_sound {
                return Err(GraphFault::Degree {
                    node,
                    kind,
                    incoming: into,
                    outgoing: to_u32(outgoing.len()),
                });
            }
        }
        self.topological_order().map(drop)
    }
}

/// Numbers of nodes in the reduced form.
struct Reduced {
    num_grains: u32,
    end: u32,
}

impl Reduced {
    fn fork(&self, set: u32) -> u32 {
        1 + self.num_grains + 2 * set
    }

    fn join(&self, set: u32) -> u32 {
        debug_assert!(self.fork(set) + 1 < self.end, "sets come before the end");
        self.fork(set) + 1
    }

    /// The way from a grain through its sets to what collects it.
    fn chain(
        &self,
        builder: &mut Builder,
        structure: &Structure,
        owner: Option<u32>,
        from: u32,
        to: u32,
    ) {
        let mut last = from;
        for set in structure.sets_of(owner) {
            builder.edge(last, self.fork(set), EdgeKind::Continuation);
            last = self.join(set);
        }
        let is_leaf = last == from && owner.is_some();
        let kind = if is_leaf && to != self.end {
            EdgeKind::Synchronisation
        } else {
            EdgeKind::Continuation
        };
        builder.edge(last, to, kind);
    }
}

/// Gathers nodes and edges in any order.
#[derive(Default)]
pub(super) struct Builder {
    graph: GrainGraph,
    sources: Vec<u32>,
}

impl Builder {
    pub(super) fn node(&mut self, kind: NodeKind, grain: u32, item: u32, weight: i64) -> u32 {
        let graph = &mut self.graph;
        graph.kinds.push(kind);
        graph.grains.push(grain);
        graph.items.push(item);
        graph.weights.push(weight);
        to_u32(graph.kinds.len() - 1)
    }

    pub(super) fn edge(&mut self, source: u32, target: u32, kind: EdgeKind) {
        self.sources.push(source);
        self.graph.edges.push(Edge { target, kind });
    }

    /// Sorts the edges by the node that they leave, in the order in which they were added.
    pub(super) fn finish(self) -> GrainGraph {
        let Self { mut graph, sources } = self;
        let mut first = vec![0_u32; graph.kinds.len() + 1];
        for &source in &sources {
            if let Some(count) = first.get_mut(source as usize + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for count in &mut first {
            sum += *count;
            *count = sum;
        }
        let mut next = first.clone();
        let mut sorted = graph.edges.clone();
        for (&source, &edge) in sources.iter().zip(&graph.edges) {
            if let Some(place) = next.get_mut(source as usize) {
                if let Some(slot) = sorted.get_mut(*place as usize) {
                    *slot = edge;
                }
                *place += 1;
            }
        }
        graph.edges = sorted;
        graph.first_edge = first;
        graph
    }
}
