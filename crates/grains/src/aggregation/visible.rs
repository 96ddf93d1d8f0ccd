//! How much is on screen while one looks at a grain.

use super::tree::{AggregationTree, GroupKind};
use crate::grain_graph::to_u32;

impl AggregationTree {
    /// Nodes of the graph that are visible when just the groups around a node are open (θ; VPA 2017,
    /// section 5), for every node: the closed node itself, what stands beside it, and the forks and joins
    /// of the groups around it. Linear.
    pub fn visible_nodes(&self) -> Vec<u32> {
        let mut all = Vec::with_capacity(self.len());
        self.each_visible(|_, visible| all.push(visible));
        all
    }

    /// Calls `visit` with each node, in pre-order, and its number of visible nodes.
    fn each_visible(&self, mut visit: impl FnMut(u32, u32)) {
        // End of each open group, and what is visible at its children.
        let mut open: Vec<(u32, u32)> = Vec::new();
        for node in self.nodes() {
            while open.pop_if(|(end, _)| *end <= node).is_some() {}
            let visible = open.last().map_or(1, |(_, visible)| *visible);
            visit(node, visible);
            let kind = self.kinds[node as usize];
            if kind != GroupKind::Grain {
                let own = visible - 1 + kind.num_own_nodes();
                let children = to_u32(self.children(node).count());
                open.push((node + self.size(node), own.saturating_add(children)));
            }
        }
    }

    /// The greatest number of visible nodes over all grains; 0 without grains.
    pub fn max_open_nodes(&self) -> u32 {
        self.max_visible(|_| true).unwrap_or(0)
    }

    /// The greatest number of visible nodes over the grains that have the problem; absent when none has.
    pub fn max_theta(&self, is_problematic: &[bool]) -> Option<u32> {
        self.max_visible(|row| is_problematic.get(row as usize) == Some(&true))
    }

    fn max_visible(&self, counts: impl Fn(u32) -> bool) -> Option<u32> {
        let mut max = None;
        self.each_visible(|node, visible| {
            let is_grain = self.kind(node) == Some(GroupKind::Grain);
            if is_grain && self.grain(node).is_some_and(&counts) {
                max = max.max(Some(visible));
            }
        });
        max
    }

    /// Nodes of the reduced grain graph that the tree stands for: grains, forks, joins, start and end.
    pub fn num_graph_nodes(&self) -> u32 {
        let mut nodes = 2_u32;
        for kind in &self.kinds {
            let own = kind.num_own_nodes() + u32::from(*kind == GroupKind::Grain);
            nodes = nodes.saturating_add(own);
        }
        nodes
    }

    /// Share of the graph's nodes that never have to be looked at to see any grain that has the problem:
    /// 1 − max θ / nodes. Absent when no grain has it.
    pub fn savings(&self, is_problematic: &[bool]) -> Option<f64> {
        let theta = f64::from(self.max_theta(is_problematic)?);
        Some(1.0 - theta / f64::from(self.num_graph_nodes()))
    }
}
