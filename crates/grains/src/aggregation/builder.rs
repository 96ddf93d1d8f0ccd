//! Writes a tree in pre-order.

use std::ops::Range;

use super::tree::{AggregationTree, GroupKind};
use crate::grain_graph::NONE;
use crate::grain_graph::to_u32;

/// Takes nodes in pre-order, groups by their begin and end.
#[derive(Default)]
pub(super) struct Builder {
    tree: AggregationTree,
    /// Groups that have begun; [`NONE`] for one that is part of the linear group around it.
    open: Vec<u32>,
    /// Whether linear groups within linear groups are dissolved.
    is_flat: bool,
}

impl Builder {
    /// Keeps linear groups within linear groups.
    pub(super) fn nested() -> Self {
        Self::default()
    }

    /// Dissolves linear groups within linear groups.
    pub(super) fn flat() -> Self {
        Self {
            is_flat: true,
            ..Self::default()
        }
    }

    pub(super) fn grain(&mut self, row: u32, is_restructured: bool) {
        self.push(GroupKind::Grain, row, is_restructured);
    }

    pub(super) fn open(&mut self, kind: GroupKind, item: u32, is_restructured: bool) {
        if self.is_flat && kind == GroupKind::Linear && self.is_in_linear() {
            self.open.push(NONE);
            return;
        }
        self.open.push(to_u32(self.tree.len()));
        self.push(kind, item, is_restructured);
    }

    /// Whether the innermost group that is not dissolved is linear: a dissolved one only ever is within
    /// one.
    fn is_in_linear(&self) -> bool {
        match self.open.last() {
            Some(&NONE) => true,
            Some(&node) => self.tree.kind(node) == Some(GroupKind::Linear),
            None => false,
        }
    }

    pub(super) fn close(&mut self) {
        if let Some(node) = self.open.pop().filter(|&node| node != NONE) {
            let size = to_u32(self.tree.len()) - node;
            self.tree.sizes[node as usize] = size;
        }
    }

    /// Takes whole sub-trees as they are, from the first node of the first to behind the last.
    pub(super) fn copy(&mut self, from: &AggregationTree, nodes: Range<u32>) {
        let nodes = nodes.start as usize..nodes.end as usize;
        let tree = &mut self.tree;
        tree.kinds.extend_from_slice(&from.kinds[nodes.clone()]);
        tree.items.extend_from_slice(&from.items[nodes.clone()]);
        tree.sizes.extend_from_slice(&from.sizes[nodes.clone()]);
        tree.is_restructured
            .extend_from_slice(&from.is_restructured[nodes]);
    }

    /// Makes room for nodes.
    pub(super) fn reserve(&mut self, nodes: usize) {
        let tree = &mut self.tree;
        tree.kinds.reserve(nodes);
        tree.items.reserve(nodes);
        tree.sizes.reserve(nodes);
        tree.is_restructured.reserve(nodes);
    }

    fn push(&mut self, kind: GroupKind, item: u32, is_restructured: bool) {
        let tree = &mut self.tree;
        tree.kinds.push(kind);
        tree.items.push(item);
        tree.sizes.push(1);
        tree.is_restructured.push(is_restructured);
    }

    pub(super) fn finish(self) -> AggregationTree {
        debug_assert!(self.open.is_empty(), "every group that begins ends");
        self.tree
    }
}
