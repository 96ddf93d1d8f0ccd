//! The path that ended last: from the last leaf back, each time to the predecessor that ended
//! last. What lies between its leaves is time that the program lost.

use super::{Predecessors, is_real};
use crate::dag_recorder::dag::{Dag, EdgeKind, NodeIdx, NodeKind};

/// The path and what was lost on it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LastFinish {
    /// Leaves on the path.
    pub leaves: u64,
    /// Sum of their lengths.
    pub work: i64,
    /// Sum of the gaps between them.
    pub delay: i64,
    /// The same by the kind of edge that crosses the gap.
    pub delay_by_edge: [i64; 5],
    /// Begin of its first leaf.
    pub first_start: i64,
    /// Part of the gaps while fewer leaves ran than there are workers, by the kind of edge that
    /// made the leaf after the gap ready.
    pub scheduler_delay: [i64; 5],
    /// Idle workers times time inside of the gaps for which there was nothing ready.
    pub scheduler_no_work: f64,
    /// Idle workers times time inside of the gaps for which there was something ready.
    pub scheduler_ready: f64,
}

/// A gap on the path, and the kind of edge that made the leaf after it ready.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gap {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) in_edge: EdgeKind,
}

/// The path without what depends on other leaves, and its gaps in order of time.
pub(super) struct Path {
    pub(super) found: LastFinish,
    pub(super) gaps: Vec<Gap>,
}

impl LastFinish {
    pub(super) fn of(dag: &Dag, predecessors: &Predecessors) -> Path {
        let mut found = Self::default();
        let mut gaps = Vec::new();
        let mut next = last_leaf(dag);
        while let Some(leaf) = next {
            let node = &dag.nodes[leaf];
            found.leaves += 1;
            found.work = found.work.saturating_add(node.len());
            found.first_start = node.start;
            next = predecessors.get(leaf);
            let Some(before) = next else { break };
            let (start, end) = (dag.nodes[before].end, node.start);
            found.delay = found.delay.saturating_add(end - start);
            found.delay_by_edge[edge_kind(dag, before, leaf) as usize] += end - start;
            let in_edge = node.in_edge;
            gaps.push(Gap {
                start,
                end,
                in_edge,
            });
        }
        gaps.reverse();
        Path { found, gaps }
    }
}

/// The leaf that ends last; the first of several.
fn last_leaf(dag: &Dag) -> Option<NodeIdx> {
    let mut last: Option<(NodeIdx, i64)> = None;
    for (at, node) in dag.leaves() {
        if last.is_none_or(|(_, end)| node.end > end) {
            last = Some((at, node.end));
        }
    }
    last.map(|(at, _)| at)
}

/// The kind of the edge between two leaves.
fn edge_kind(dag: &Dag, source: NodeIdx, target: NodeIdx) -> EdgeKind {
    match dag.nodes[source].kind {
        NodeKind::Create if is_creation(dag, source, target) => EdgeKind::Create,
        NodeKind::Create => EdgeKind::CreateCont,
        NodeKind::Wait | NodeKind::Section => EdgeKind::WaitCont,
        NodeKind::Other => EdgeKind::OtherCont,
        NodeKind::End | NodeKind::Task => EdgeKind::End,
    }
}

/// Whether a leaf is the first of the task that another creates; else it is the next after it.
fn is_creation(dag: &Dag, source: NodeIdx, target: NodeIdx) -> bool {
    let Some(mut node) = dag.created(source) else {
        return false;
    };
    while let Some(first) = dag.children(node).next() {
        node = first;
    }
    debug_assert!(
        is_real(dag.nodes[source].kind),
        "collapsed nodes create nothing"
    );
    node == target
}
