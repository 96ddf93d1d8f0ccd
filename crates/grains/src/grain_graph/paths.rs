//! Longest paths: span, critical path, earliest starts.

use arrow::buffer::BooleanBuffer;

use super::fault::GraphFault;
use super::graph::GrainGraph;
use super::group::GrainGroup;
use super::{NONE, NodeKind};

/// The longest paths of a graph, by the weight of its nodes.
#[derive(Debug)]
pub struct Paths {
    earliest: Vec<i64>,
    work: i64,
    span: i64,
    /// The critical path.
    path: Vec<u32>,
}

impl Paths {
    /// Longest paths in one pass over nodes and edges.
    ///
    /// # Errors
    /// [`GraphFault::Cycle`].
    pub fn of(graph: &GrainGraph) -> Result<Self, GraphFault> {
        Self::weighted(graph, None)
    }

    /// Longest paths that count only what a group ran: its work, its span, its critical path. Of a grain
    /// with everything below it, or of a sibling set, that is the longest path inside; of a definition
    /// it is the longest chain of its grains, with anything between them.
    ///
    /// # Errors
    /// [`GraphFault::Cycle`].
    pub fn local(graph: &GrainGraph, group: &GrainGroup) -> Result<Self, GraphFault> {
        Self::weighted(graph, Some(group))
    }

    fn weighted(graph: &GrainGraph, group: Option<&GrainGroup>) -> Result<Self, GraphFault> {
        let nodes = graph.num_nodes();
        let counts = |node: u32| match group {
            Some(group) => graph.grain(node).is_some_and(|grain| group.contains(grain)),
            None => true,
        };
        let mut ways = Ways {
            earliest: vec![0; nodes],
            before: vec![NONE; nodes],
        };
        let (mut work, mut span, mut last) = (0_i64, 0, NONE);
        graph.visit_forward(|node| {
            let weight = if counts(node) { graph.weight(node) } else { 0 };
            work = work.saturating_add(weight);
            let finish = ways.earliest(node).saturating_add(weight);
            for edge in graph.edges(node) {
                ways.reach(edge.target, node, finish);
            }
            let is_last = graph.edges(node).is_empty();
            if is_last && (last == NONE || (finish, last) > (span, node)) {
                (span, last) = (finish, node);
            }
        })?;
        let mut path = ways.path(last);
        path.retain(|&node| counts(node));
        Ok(Self {
            earliest: ways.earliest,
            work,
            span,
            path,
        })
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

    /// The nodes of one longest path, in order; of a group those of the group. Of equally long ones it is
    /// always the same: the one that takes the node with the smallest number at every step back from the end.
    pub fn critical_path(&self) -> Vec<u32> {
        self.path.clone()
    }

    /// The grains on the critical path, each once, in its order.
    pub fn critical_grains(&self, graph: &GrainGraph) -> Vec<u32> {
        let mut grains: Vec<u32> = self
            .path
            .iter()
            .copied()
            .filter(|&node| graph.kind(node).is_some_and(NodeKind::is_stretch))
            .filter_map(|node| graph.grain(node))
            .collect();
        let mut is_seen = std::collections::BTreeSet::new();
        grains.retain(|grain| is_seen.insert(*grain));
        grains
    }

    /// Whether each grain is on the critical path, a bit per row.
    pub fn critical_bits(&self, graph: &GrainGraph, num_grains: usize) -> BooleanBuffer {
        let mut is_critical = vec![false; num_grains];
        for &node in &self.path {
            if graph.kind(node).is_some_and(NodeKind::is_stretch)
                && let Some(grain) = graph.grain(node)
                && let Some(slot) = is_critical.get_mut(grain as usize)
            {
                *slot = true;
            }
        }
        BooleanBuffer::from(is_critical)
    }
}

/// Ways to nodes while they are sought.
struct Ways {
    earliest: Vec<i64>,
    before: Vec<u32>,
}

impl Ways {
    fn earliest(&self, node: u32) -> i64 {
        self.earliest.get(node as usize).copied().unwrap_or(0)
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

    /// The nodes of the longest way to a node.
    fn path(&self, mut node: u32) -> Vec<u32> {
        let mut path = Vec::new();
        while node != NONE {
            path.push(node);
            node = self.before.get(node as usize).copied().unwrap_or(NONE);
        }
        path.reverse();
        path
    }
}
