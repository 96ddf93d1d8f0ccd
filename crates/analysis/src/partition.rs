//! Which group each context counts for, and which of them carry a group's inclusive value.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

use crate::tree::{EnsembleTree, NONE, Visit};

/// A division of the ensemble's contexts into groups, ready for summing.
///
/// A group's exclusive value is the sum over its contexts, its inclusive value the sum over its
/// outermost contexts, those without an ancestor in the same group: nothing counts twice. A
/// flow's value is the inclusive sum over the contexts where it crosses from one group to
/// another without an ancestor having crossed there.
#[derive(Debug, Default)]
pub struct Partition {
    pub(crate) groups: usize,
    pub(crate) flows: usize,
    /// Group of each node; `NONE` for nodes that count for none.
    pub(crate) group_of: Vec<u32>,
    pub(crate) is_outermost: Vec<bool>,
    /// Flow that each node's inclusive value belongs to; `NONE` for none.
    pub(crate) flow_of: Vec<u32>,
    /// Nodes outside of every region, ascending. Shares exclude them.
    pub(crate) outside: Vec<u32>,
}

/// Relations of groups, which the walk that partitions the tree finds too.
#[derive(Debug)]
pub(crate) struct Relations {
    /// Ends of each flow: caller's and callee's group, in ascending order.
    pub(crate) edges: Vec<(u32, u32)>,
    /// Whether a definition of the group calls itself without leaving the group.
    pub(crate) is_recursive: Vec<bool>,
}

impl Partition {
    /// Partition of `groups` groups without flows.
    pub fn new(tree: &EnsembleTree, group_of: Vec<u32>, groups: usize) -> Self {
        let mut active = vec![0_u32; groups];
        let mut is_outermost = vec![false; tree.len()];
        tree.walk(|visit| match visit {
            Visit::Enter(node) if group_of[node] != NONE => {
                let active = &mut active[group_of[node] as usize];
                is_outermost[node] = *active == 0;
                *active += 1;
            }
            Visit::Leave(node) if group_of[node] != NONE => {
                active[group_of[node] as usize] -= 1;
            }
            Visit::Enter(_) | Visit::Leave(_) => {}
        });
        Self {
            groups,
            flows: 0,
            flow_of: vec![NONE; tree.len()],
            group_of,
            is_outermost,
            outside: tree.outside(),
        }
    }

    /// Whether a node is outside of every region.
    pub(crate) fn is_outside(&self, node: u32) -> bool {
        !self.outside.is_empty() && self.outside.binary_search(&node).is_ok()
    }

    /// Partition with a flow for each pair of groups of which one calls the other.
    pub(crate) fn with_flows(
        tree: &EnsembleTree,
        group_of: Vec<u32>,
        groups: usize,
    ) -> (Self, Relations) {
        let mut partition = Self::new(tree, group_of, groups);
        let crossing = |node: usize| {
            let source = partition.group_of[tree.parent(node)?];
            let target = partition.group_of[node];
            (source != target && source != NONE && target != NONE).then_some((source, target))
        };
        let mut edges: Vec<(u32, u32)> = (0..tree.len()).filter_map(crossing).collect();
        edges.sort_unstable();
        edges.dedup();
        let index: HashMap<(u32, u32), u32, BuildHasherDefault<DefaultHasher>> =
            edges.iter().copied().zip(0..).collect();
        let mut flow_of = vec![NONE; tree.len()];
        let mut active = vec![0_u32; edges.len()];
        let edge_at = |node: usize| index.get(&crossing(node)?).map(|&edge| edge as usize);
        tree.walk(|visit| match visit {
            Visit::Enter(node) => {
                if let Some(edge) = edge_at(node) {
                    if active[edge] == 0 {
                        flow_of[node] = u32::try_from(edge).unwrap_or(NONE);
                    }
                    active[edge] += 1;
                }
            }
            Visit::Leave(node) => {
                if let Some(edge) = edge_at(node) {
                    active[edge] -= 1;
                }
            }
        });
        partition.flows = edges.len();
        partition.flow_of = flow_of;
        let is_recursive = recursive_groups(tree, &partition);
        (
            partition,
            Relations {
                edges,
                is_recursive,
            },
        )
    }
}

fn recursive_groups(tree: &EnsembleTree, partition: &Partition) -> Vec<bool> {
    let mut is_recursive = vec![false; partition.groups];
    // A stretch is a connected part of the tree within one group, named by its topmost node.
    let mut stretch: Vec<usize> = vec![0; tree.len()];
    let mut open: Vec<Vec<usize>> = vec![Vec::new(); tree.definitions().len()];
    tree.walk(|visit| match visit {
        Visit::Enter(node) => {
            let group = partition.group_of[node];
            let caller = tree.parent(node);
            stretch[node] = match caller {
                Some(caller) if partition.group_of[caller] == group => stretch[caller],
                _ => node,
            };
            let open = &mut open[tree.definition_index(node)];
            if group != NONE && open.last() == Some(&stretch[node]) {
                is_recursive[group as usize] = true;
            }
            open.push(stretch[node]);
        }
        Visit::Leave(node) => {
            open[tree.definition_index(node)].pop();
        }
    });
    is_recursive
}
