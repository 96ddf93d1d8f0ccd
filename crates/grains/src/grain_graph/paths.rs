//! Longest paths: span, critical path, earliest starts.

use arrow::buffer::BooleanBuffer;

use super::fault::GraphFault;
use super::graph::GrainGraph;
use super::group::GrainGroup;
use super::{NONE, NodeKind};

/// Work and span of a graph, in half the memory of its [`Paths`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathLengths {
    /// Sum of all weights (T₁).
    pub work: i64,
    /// Weight of the longest path (T∞).
    pub span: i64,
}

impl PathLengths {
    /// Those of a whole graph.
    ///
    /// # Errors
    /// [`GraphFault::Cycle`].
    pub fn of(graph: &GrainGraph) -> Result<Self, GraphFault> {
        LengthFinder::new(graph).find(None)
    }

    /// Work by span; absent where the span is 0.
    pub fn parallelism(&self) -> Option<f64> {
        (self.span > 0).then(|| self.work as f64 / self.span as f64)
    }
}

/// Finds work and span of a graph, and of groups of its grains, always in the same memory.
#[derive(Debug)]
pub struct LengthFinder<'a> {
    graph: &'a GrainGraph,
    ways: Ways,
}

impl<'a> LengthFinder<'a> {
    /// A finder for a graph.
    pub fn new(graph: &'a GrainGraph) -> Self {
        Self {
            graph,
            ways: Ways::without_path(0),
        }
    }

    /// Work and span of the whole graph, or of what a group ran, as of [`Paths::local`].
    ///
    /// # Errors
    /// [`GraphFault::Cycle`].
    pub fn find(&mut self, group: Option<&GrainGroup>) -> Result<PathLengths, GraphFault> {
        let earliest = &mut self.ways.earliest;
        earliest.clear();
        earliest.resize(self.graph.num_nodes(), UNREACHED);
        let found = self.ways.find(self.graph, group)?;
        Ok(found.0)
    }
}

/// The longest paths of a graph, by the weight of its nodes.
#[derive(Debug)]
pub struct Paths {
    ways: Ways,
    lengths: PathLengths,
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
        let mut ways = Ways {
            before: vec![NONE; graph.num_nodes()],
            ..Ways::without_path(graph.num_nodes())
        };
        let (lengths, last) = ways.find(graph, group)?;
        let mut path = ways.path(last);
        path.retain(|&node| counts(graph, group, node));
        ways.before = Vec::new();
        Ok(Self {
            ways,
            lengths,
            path,
        })
    }

    /// Work and span.
    pub fn lengths(&self) -> PathLengths {
        self.lengths
    }

    /// Sum of all weights (T₁).
    pub fn work(&self) -> i64 {
        self.lengths.work
    }

    /// Weight of the longest path (T∞).
    pub fn span(&self) -> i64 {
        self.lengths.span
    }

    /// Work by span; absent where the span is 0.
    pub fn parallelism(&self) -> Option<f64> {
        self.lengths.parallelism()
    }

    /// When a node starts at the earliest on unlimited workers (`root_dist` of the prototype).
    pub fn earliest_start(&self, node: u32) -> i64 {
        self.ways.earliest(node)
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

/// Whether the weight of a node counts for a group.
fn counts(graph: &GrainGraph, group: Option<&GrainGroup>, node: u32) -> bool {
    group.is_none_or(|group| graph.grain(node).is_some_and(|grain| group.contains(grain)))
}

/// Longest ways to nodes.
#[derive(Debug)]
struct Ways {
    /// Weight of the way; [`UNREACHED`] of nodes that no other leads to.
    earliest: Vec<i64>,
    /// Node before the last one of the way; empty if paths are not needed.
    before: Vec<u32>,
}

/// Length of the way to a node that no other leads to.
const UNREACHED: i64 = i64::MIN;

impl Ways {
    /// For lengths alone.
    fn without_path(nodes: usize) -> Self {
        Self {
            earliest: vec![UNREACHED; nodes],
            before: Vec::new(),
        }
    }

    /// Finds the ways to all nodes; returns work, span, and the last node of the longest way.
    fn find(
        &mut self,
        graph: &GrainGraph,
        group: Option<&GrainGroup>,
    ) -> Result<(PathLengths, u32), GraphFault> {
        let (mut work, mut span, mut last) = (0_i64, 0, NONE);
        for &node in graph.forward()? {
            let counts = counts(graph, group, node);
            let weight = if counts { graph.weight(node) } else { 0 };
            work = work.saturating_add(weight);
            let finish = self.earliest(node).saturating_add(weight);
            let mut is_last = true;
            for edge in graph.edges(node) {
                is_last = false;
                self.reach(edge.target, node, finish);
            }
            if is_last && (last == NONE || (finish, last) > (span, node)) {
                (span, last) = (finish, node);
            }
        }
        Ok((PathLengths { work, span }, last))
    }

    #[inline]
    fn earliest(&self, node: u32) -> i64 {
        let earliest = self.earliest.get(node as usize).copied();
        earliest.filter(|&time| time != UNREACHED).unwrap_or(0)
    }

    /// Notes a way to a node; of equally long ones the node with the smaller number counts.
    #[inline]
    fn reach(&mut self, target: u32, from: u32, finish: i64) {
        let at = target as usize;
        let Some(earliest) = self.earliest.get_mut(at) else {
            return;
        };
        if let Some(before) = self.before.get_mut(at)
            && (finish > *earliest || (finish == *earliest && from < *before))
        {
            *before = from;
        }
        *earliest = finish.max(*earliest);
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
