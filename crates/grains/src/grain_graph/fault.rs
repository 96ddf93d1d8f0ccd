//! What must hold of a graph, and who is at fault where it does not.

use sheaf_model::RunTables;

use super::NONE;
use super::graph::{Edge, EdgeKind, GrainGraph, NodeKind};
use super::names::grain_name;
use crate::grain_graph::to_u32;

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

impl GraphFault {
    /// The node at fault.
    pub fn node(&self) -> u32 {
        match self {
            Self::Degree { node, .. } | Self::Cycle { node } => *node,
        }
    }

    /// What is wrong in words for people, the node by its grain's definition and path.
    ///
    /// `` the join of `fib (task)` R-1-2 has 0 incoming and 1 outgoing edges ``
    pub fn describe(&self, run: &RunTables, graph: &GrainGraph) -> String {
        let node = self.node();
        let what = match graph.kind(node) {
            Some(NodeKind::Start) => "the start",
            Some(NodeKind::End) => "the end",
            Some(NodeKind::Grain) => "the grain",
            Some(NodeKind::Fragment) => "a fragment",
            Some(NodeKind::Fork) => "a fork",
            Some(NodeKind::Join) => "a join",
            Some(NodeKind::Chunk) => "a chunk",
            Some(NodeKind::BookKeeping) => "book-keeping",
            None => "a node",
        };
        let of = match graph.grain(node) {
            Some(grain) => grain_name(run, grain),
            None => "the run".to_owned(),
        };
        let fault = match self {
            Self::Degree {
                incoming, outgoing, ..
            } => format!("has {incoming} incoming and {outgoing} outgoing edges"),
            Self::Cycle { .. } => "comes before itself".to_owned(),
        };
        format!("{what} of {of} {fault}")
    }
}

impl GrainGraph {
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
        if order.len() == self.num_nodes() {
            return Ok(order);
        }
        let node = self.on_cycle(&incoming);
        Err(GraphFault::Cycle { node })
    }

    /// Every node after those that lead to it, by number where that is possible. Most edges lead to larger numbers
    /// nearby, so that visiting them in this order jumps less in the memory than in that of
    /// [`GrainGraph::topological_order`]. Found once and kept: passes over a graph take longer to find it than to use it.
    ///
    /// # Errors
    /// [`GraphFault::Cycle`] when there is no such order.
    pub(super) fn forward(&self) -> Result<&[u32], GraphFault> {
        let order = self.forward.get_or_init(|| self.find_forward());
        order.as_deref().map_err(Clone::clone)
    }

    fn find_forward(&self) -> Result<Vec<u32>, GraphFault> {
        let mut incoming = self.incoming();
        let mut order = Vec::with_capacity(self.num_nodes());
        let mut free = Vec::new();
        for root in 0..to_u32(self.num_nodes()) {
            // Nodes that other nodes still lead to come after the last of those.
            if incoming.get(root as usize) != Some(&0) {
                continue;
            }
            free.push(root);
            while let Some(node) = free.pop() {
                if let Some(count) = incoming.get_mut(node as usize) {
                    *count = NONE;
                }
                order.push(node);
                for edge in self.edges(node) {
                    if let Some(count) = incoming.get_mut(edge.target as usize) {
                        *count -= 1;
                        // The loop over all nodes comes to those with larger numbers.
                        if *count == 0 && edge.target < root {
                            free.push(edge.target);
                        }
                    }
                }
            }
        }
        if order.len() == self.num_nodes() {
            return Ok(order);
        }
        for count in incoming.iter_mut().filter(|count| **count == NONE) {
            *count = 0;
        }
        let node = self.on_cycle(&incoming);
        Err(GraphFault::Cycle { node })
    }

    /// The node with the smallest number on a cycle, from the nodes that are left with incoming edges.
    fn on_cycle(&self, incoming: &[u32]) -> u32 {
        let is_left = |node: u32| incoming.get(node as usize).is_some_and(|&count| count > 0);
        let nodes = 0..to_u32(self.num_nodes());
        // Each of them has one of them before it, so going back ends on a cycle.
        let mut before = vec![NONE; incoming.len()];
        for node in nodes.clone().filter(|&node| is_left(node)) {
            for edge in self.edges(node) {
                if let Some(slot) = before.get_mut(edge.target as usize) {
                    *slot = node;
                }
            }
        }
        let back = |node: u32| before.get(node as usize).copied().unwrap_or(node);
        let mut node = nodes.clone().find(|&node| is_left(node)).unwrap_or(NONE);
        for _ in nodes {
            node = back(node);
        }
        let (start, mut least) = (node, node);
        loop {
            node = back(node);
            least = least.min(node);
            if node == start {
                return least;
            }
        }
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
            let depends = |edge: &Edge| edge.kind == EdgeKind::Dependence;
            let out = to_u32(outgoing.clone().filter(|edge| !depends(edge)).count());
            let (Some(kind), Some(&into)) = (self.kind(node), incoming.get(at)) else {
                continue;
            };
            let is_sound = match kind {
                NodeKind::Start => into == 0 && out == 1,
                NodeKind::End => out == 0,
                // A dependence is a further way in. Behind a chunk its member goes on.
                NodeKind::Grain | NodeKind::Chunk | NodeKind::BookKeeping => into >= 1 && out == 1,
                NodeKind::Fragment => out == 1,
                NodeKind::Fork => into <= 1 && out >= 1,
                NodeKind::Join => into >= 1 && out <= 1,
            };
            if !is_sound {
                return Err(GraphFault::Degree {
                    node,
                    kind,
                    incoming: into,
                    outgoing: to_u32(outgoing.count()),
                });
            }
        }
        self.forward().map(|_| ())
    }
}
