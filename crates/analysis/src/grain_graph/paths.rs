//! Longest paths: span, critical path, earliest starts.

use super::graph::{GrainGraph, GraphFault};
use super::{NONE, NodeKind};

/// The longest paths of a graph, by the weight of its nodes.
#[derive(Debug)]
pub struct Paths {
    earliest: Vec<i64>,
    before: Vec<u32>,
    last: u32,
    work: i64,
    span: i64,
}

impl Paths {
    /// Longest paths in one pass over nodes and edges.
    ///
    /// # Errors
    /// [`GraphFault::Cycle`].
    pub fn of(graph: &GrainGraph) -> Result<Self, GraphFault> {
        let order = graph.topological_order()?;
        let nodes = graph.num_nodes();
        let mut paths = Self {
            earliest: vec![0; nodes],
            before: vec![NONE; nodes],
            last: NONE,
            work: 0,
            span: 0,
        };
        for &node in &order {
            let weight = graph.weight(node);
            paths.work = paths.work.saturating_add(weight);
            let finish = paths.earliest_start(node).saturating_add(weight);
            for edge in graph.edges(node) {
                paths.reach(edge.target, node, finish);
            }
            let is_last = graph.edges(node).is_empty();
            if is_last && (paths.last == NONE || (finish, paths.last) > (paths.span, node)) {
                (paths.span, paths.last) = (finish, node);
            }
        }
        Ok(paths)
    }

    /// Notes a way to a node; of equally long ones the node with the smaller number counts.
    fn reach(&mut self, target: u32, from: u32, finish: i64) {
        let at = target as usize;
        let (Some(earliest), Some(before)) = (self.earliest.get_mut(at), self.before.get_mut(at))
        else {
            return;
        };
        if *before == NONE || finish > *earliest || (finish == *earliest && from < *before) {
            (*earliest, *before) = (finish, from);
        }
    }

    /// Sum of all weights (T₁).
    pub fn work(&self) -> i64 {
        self.work
    }

    /// Weight of the longest path (T∞).
    pub fn span(&self) -> i64 {
        self.span
    }

    /// Work by span; absent where the span is 0.
    pub fn parallelism(&self) -> Option<f64> {
        (self.span > 0).then(|| self.work as f64 / self.span as f64)
    }

    /// When a node starts at the earliest on unlimited workers (`root_dist` of the prototype).
    pub fn earliest_start(&self, node: u32) -> i64 {
        self.earliest.get(node as usize).copied().unwrap_or(0)
    }

    /// The nodes of one longest path, in order. Of equally long ones it is always the same: the one that
    /// takes the node with the smallest number at every step back from the end.
    pub fn critical_path(&self) -> Vec<u32> {
        let mut path = Vec::new();
        let mut node = self.last;
        while node != NONE {
            path.push(node);
            node = self.before.get(node as usize).copied().unwrap_or(NONE);
        }
        path.reverse();
        path
    }

    /// The grains on the critical path, each once, in its order.
    pub fn critical_grains(&self, graph: &GrainGraph) -> Vec<u32> {
        let mut grains: Vec<u32> = self
            .critical_path()
            .into_iter()
            .filter(|&node| matches!(graph.kind(node), Some(NodeKind::Grain | NodeKind::Fragment)))
            .filter_map(|node| graph.grain(node))
            .collect();
        let mut is_seen = std::collections::BTreeSet::new();
        grains.retain(|grain| is_seen.insert(*grain));
        grains
    }
}
