//! How much is on screen while one looks at a grain.

use super::tree::{AggregationTree, GroupKind};

impl AggregationTree {
    /// Nodes of the graph that are visible when just the groups around a node are open (θ; VPA 2017,
    /// section 5), for every node: the closed node itself, what stands beside it, and the forks and joins
    /// of the groups around it. Linear.
    pub fn visible_nodes(&self) -> Vec<u32> {
        let mut visible = vec![1_u32; self.len()];
        for node in self.nodes() {
            let mut below = visible[node as usize] - 1;
            below = below.saturating_add(self.kinds[node as usize].num_own_nodes());
            for _ in self.children(node) {
                below = below.saturating_add(1);
            }
            for child in self.children(node) {
                visible[child as usize] = below;
            }
        }
        visible
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
        let visible = self.visible_nodes();
        let grains = self.nodes().filter(|&node| {
            self.kind(node) == Some(GroupKind::Grain) && self.grain(node).is_some_and(&counts)
        });
        grains.map(|node| visible[node as usize]).max()
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
