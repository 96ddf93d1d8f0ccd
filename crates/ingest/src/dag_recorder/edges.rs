//! The edges between leaves, which follow from the hierarchy.

use super::dag::{Dag, EdgeKind, NodeIdx, NodeKind};

/// First and last leaf of every node; of a leaf itself.
pub(super) struct Ends {
    first: Vec<u32>,
    last: Vec<u32>,
}

impl Ends {
    /// Children follow their parents, so that one pass from behind does.
    pub(super) fn of(dag: &Dag) -> Self {
        let count = u32::try_from(dag.nodes.len()).unwrap_or(u32::MAX);
        let mut first: Vec<u32> = (0..count).collect();
        let mut last = first.clone();
        for at in (0..dag.nodes.len()).rev() {
            let children = dag.children(at);
            if children.is_empty() {
                continue;
            }
            first[at] = first[children.start];
            last[at] = last[children.end - 1];
        }
        Self { first, last }
    }

    pub(super) fn first(&self, node: NodeIdx) -> NodeIdx {
        self.first[node] as usize
    }

    pub(super) fn last(&self, node: NodeIdx) -> NodeIdx {
        self.last[node] as usize
    }
}

/// An edge between two leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    pub(super) source: NodeIdx,
    pub(super) target: NodeIdx,
    pub(super) kind: EdgeKind,
    /// The section or task whose children it joins.
    pub(super) within: NodeIdx,
}

impl Dag {
    /// Visits every edge; those into one leaf follow each other.
    pub(super) fn visit_edges(&self, ends: &Ends, mut visit: impl FnMut(Edge)) {
        for within in 0..self.nodes.len() {
            if !self.nodes[within].is_used {
                continue;
            }
            let children = self.children(within);
            let mut join = |source, target, kind| {
                visit(Edge {
                    source,
                    target,
                    kind,
                    within,
                });
            };
            for child in children.clone() {
                if let Some(task) = self.created(child) {
                    join(child, ends.first(task), EdgeKind::Create);
                }
                if child + 1 == children.end {
                    continue;
                }
                let next = ends.first(child + 1);
                match self.nodes[child].kind {
                    NodeKind::Create => join(child, next, EdgeKind::CreateCont),
                    NodeKind::Other => join(child, next, EdgeKind::OtherCont),
                    NodeKind::Section | NodeKind::Wait => {
                        for task in self.children(child).filter_map(|leaf| self.created(leaf)) {
                            join(ends.last(task), next, EdgeKind::End);
                        }
                        join(ends.last(child), next, EdgeKind::WaitCont);
                    }
                    // Nothing follows the end of a task.
                    NodeKind::End | NodeKind::Task => {}
                }
            }
        }
    }
}
