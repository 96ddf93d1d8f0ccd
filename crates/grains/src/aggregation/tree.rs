//! Groups and grains in pre-order.

use crate::grain_graph::{NONE, to_u32};

/// What a node of the aggregation tree is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum GroupKind {
    /// A grain: always without children. Implicit tasks, which carry the rest of the program's work,
    /// count as grains here.
    Grain = 0,
    /// What a fork creates and its join collects; the fork and the join are part of it.
    ForkJoin = 1,
    /// What runs in a row, in its order.
    Linear = 2,
    /// What runs side by side without a fork and join of its own.
    Sibling = 3,
    /// As [`ForkJoin`](Self::ForkJoin), of grains that depend on each other in a way that no nesting
    /// of groups shows.
    Unstructured = 4,
}

impl GroupKind {
    /// Nodes of the grain graph that an open group shows besides its children: its fork and join.
    pub const fn num_own_nodes(self) -> u32 {
        match self {
            Self::ForkJoin | Self::Unstructured => 2,
            Self::Grain | Self::Linear | Self::Sibling => 0,
        }
    }

    /// How the text form calls a group: `FJ`, `L`, `S`, `U`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Grain => "G",
            Self::ForkJoin => "FJ",
            Self::Linear => "L",
            Self::Sibling => "S",
            Self::Unstructured => "U",
        }
    }
}

/// How many nodes of a tree are of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Grains.
    pub grains: u32,
    /// Fork-join groups.
    pub fork_joins: u32,
    /// Linear groups.
    pub linears: u32,
    /// Sibling groups.
    pub siblings: u32,
    /// Groups that are not series-parallel.
    pub unstructured: u32,
    /// Grains that are joined by another grain than their parent, and stand where they are joined.
    pub restructured_grains: u32,
    /// Grains that are children of a group that is not series-parallel.
    pub unstructured_grains: u32,
}

/// The groups of one run, one within the other, with its grains as leaves.
///
/// Nodes are numbers in pre-order, the root is 0: a parent stands before its children, children stand in
/// program order, and the nodes below a node follow it without a gap. Ten bytes a node.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct AggregationTree {
    pub(super) kinds: Vec<GroupKind>,
    /// Row of the grain, number of the sibling set; [`NONE`] of groups that stand for neither.
    pub(super) items: Vec<u32>,
    /// Nodes of the sub-tree, itself included.
    pub(super) sizes: Vec<u32>,
    pub(super) is_restructured: Vec<bool>,
}

impl AggregationTree {
    /// Number of nodes; 0 for a run without grains.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// What a node is.
    pub fn kind(&self, node: u32) -> Option<GroupKind> {
        self.kinds.get(node as usize).copied()
    }

    /// Row of the grain that a node is, or that a linear group is with all that the grain forks.
    pub fn grain(&self, node: u32) -> Option<u32> {
        match self.kind(node)? {
            GroupKind::Grain | GroupKind::Linear => self.item(node),
            _ => None,
        }
    }

    /// Number of the sibling set that a fork-join or unstructured group is.
    pub fn set(&self, node: u32) -> Option<u32> {
        match self.kind(node)? {
            GroupKind::ForkJoin | GroupKind::Unstructured => self.item(node),
            _ => None,
        }
    }

    fn item(&self, node: u32) -> Option<u32> {
        let item = self.items.get(node as usize).copied();
        item.filter(|&item| item != NONE)
    }

    /// Nodes of the sub-tree, the node itself included; 0 where there is no such node.
    pub fn size(&self, node: u32) -> u32 {
        self.sizes.get(node as usize).copied().unwrap_or(0)
    }

    /// Whether the grain, or the group that is a grain with all that it forks, is joined by another grain
    /// than its parent, and so stands elsewhere than where it is created.
    pub fn is_restructured(&self, node: u32) -> bool {
        self.is_restructured.get(node as usize) == Some(&true)
    }

    /// Children of a node, in program order.
    pub fn children(&self, node: u32) -> Children<'_> {
        let end = node.saturating_add(self.size(node));
        Children {
            sizes: &self.sizes,
            next: node.saturating_add(1),
            end,
        }
    }

    /// Parent of every node; `u32::MAX` for the root. Linear.
    pub fn parents(&self) -> Vec<u32> {
        let mut parents = vec![NONE; self.len()];
        for node in self.nodes() {
            for child in self.children(node) {
                parents[child as usize] = node;
            }
        }
        parents
    }

    /// Edges from the root to every node. Linear.
    pub fn depths(&self) -> Vec<u32> {
        let mut depths = vec![0; self.len()];
        for node in self.nodes() {
            let below = depths[node as usize] + 1;
            for child in self.children(node) {
                depths[child as usize] = below;
            }
        }
        depths
    }

    /// Edges from the root to the deepest node. Linear.
    pub fn depth(&self) -> u32 {
        let (mut open, mut depth) = (Vec::new(), 0);
        for node in self.nodes() {
            while open.pop_if(|end| *end <= node).is_some() {}
            depth = depth.max(open.len());
            if self.size(node) > 1 {
                open.push(node + self.size(node));
            }
        }
        to_u32(depth)
    }

    /// How many nodes are of each kind. Linear.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for node in self.nodes() {
            match self.kinds[node as usize] {
                GroupKind::Grain => {
                    counts.grains += 1;
                    counts.restructured_grains += u32::from(self.is_restructured(node));
                }
                GroupKind::ForkJoin => counts.fork_joins += 1,
                GroupKind::Linear => counts.linears += 1,
                GroupKind::Sibling => counts.siblings += 1,
                GroupKind::Unstructured => {
                    counts.unstructured += 1;
                    counts.unstructured_grains += to_u32(self.children(node).count());
                }
            }
        }
        counts
    }

    /// Every node, in pre-order: parents before children.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = u32> + use<> {
        0..to_u32(self.len())
    }
}

/// Children of a node, in program order.
#[derive(Clone, Debug)]
pub struct Children<'a> {
    sizes: &'a [u32],
    next: u32,
    end: u32,
}

impl Iterator for Children<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.next >= self.end {
            return None;
        }
        let child = self.next;
        self.next += self.sizes.get(child as usize)?;
        Some(child)
    }
}
