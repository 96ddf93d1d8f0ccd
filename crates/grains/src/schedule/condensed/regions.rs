//! Tasks that are on their own: only their creation leads into them, and only the end of waits follows them.

use super::super::graph::ScheduleGraph;
use crate::grain_graph::{EdgeKind, NONE, Structure, to_u32};

/// Grains in an order in which the grains below each are neighbours, and the work of each.
pub(super) struct Regions {
    /// Number of each grain in the order; from 1, because 0 stands for nodes without a grain.
    number: Vec<u32>,
    /// Grains below each, itself included.
    size: Vec<u32>,
    /// The node with which each grain begins; `NONE` if it is not created as tasks are.
    entry: Vec<u32>,
    /// Smallest and largest number of the other end of edges that no task on its own may have, of each grain and those
    /// below it.
    reach: Vec<(u32, u32)>,
    /// Work and costs of each grain and those below it.
    work: Vec<i64>,
}

impl Regions {
    /// Finds the grains below each grain of a graph. `per_task` is the cost of each task. Linear in grains, nodes and edges.
    pub(super) fn new(graph: &ScheduleGraph, structure: &Structure, per_task: i64) -> Self {
        let grains = structure.num_grains();
        let mut regions = Self::numbered(structure);
        regions.entry = vec![NONE; grains];
        regions.reach = vec![(u32::MAX, 0); grains];
        regions.work = vec![0; grains];
        for node in 0..to_u32(graph.num_nodes()) {
            let from = graph.grains.get(node as usize).copied().unwrap_or(NONE);
            if let Some(work) = regions.work.get_mut(from as usize) {
                *work = work.saturating_add(graph.weight_with_cost(node, per_task));
            }
            for edge in graph.edges(node) {
                let to = graph.grains.get(edge.target as usize).copied();
                regions.add_edge(structure, (from, to.unwrap_or(NONE)), *edge);
            }
        }
        for grain in (0..grains).rev() {
            let Some(parent) = structure.parent(to_u32(grain)) else {
                continue;
            };
            let (work, reach) = (regions.work[grain], regions.reach[grain]);
            if let Some(sum) = regions.work.get_mut(parent as usize) {
                *sum = sum.saturating_add(work);
            }
            if let Some((low, high)) = regions.reach.get_mut(parent as usize) {
                (*low, *high) = ((*low).min(reach.0), (*high).max(reach.1));
            }
        }
        regions
    }

    /// Numbers grains so that those below a grain follow it. Parents come before their children in tables.
    fn numbered(structure: &Structure) -> Self {
        let grains = structure.num_grains();
        let mut size = vec![1_u32; grains];
        for grain in (0..grains).rev() {
            if let Some(parent) = structure.parent(to_u32(grain)) {
                let below = size[grain];
                if let Some(size) = size.get_mut(parent as usize) {
                    *size += below;
                }
            }
        }
        let mut number = vec![0_u32; grains];
        // By grain, the number of its next child.
        let mut next = vec![0_u32; grains];
        let mut next_root = 1;
        for grain in 0..grains {
            let parent = structure.parent(to_u32(grain));
            let slot = parent
                .and_then(|parent| next.get_mut(parent as usize))
                .unwrap_or(&mut next_root);
            number[grain] = *slot;
            *slot += size[grain];
            next[grain] = number[grain] + 1;
        }
        Self {
            number,
            size,
            entry: Vec::new(),
            reach: Vec::new(),
            work: Vec::new(),
        }
    }

    /// Notes what an edge between two grains means for tasks on their own.
    fn add_edge(
        &mut self,
        structure: &Structure,
        (from, to): (u32, u32),
        edge: crate::grain_graph::Edge,
    ) {
        if from == to {
            return;
        }
        match edge.kind {
            EdgeKind::Creation if from != NONE && structure.parent(to) == Some(from) => {
                if let Some(entry) = self.entry.get_mut(to as usize)
                    && *entry == NONE
                {
                    *entry = edge.target;
                    return;
                }
            }
            EdgeKind::Synchronisation if self.contains(to, from) => return,
            _ => {}
        }
        let number = |grain: u32| self.number.get(grain as usize).copied().unwrap_or(0);
        let ends = [(from, number(to)), (to, number(from))];
        for (grain, other) in ends {
            if let Some((low, high)) = self.reach.get_mut(grain as usize) {
                (*low, *high) = ((*low).min(other), (*high).max(other));
            }
        }
    }

    /// Whether a grain is below another, or is it.
    fn contains(&self, grain: u32, below: u32) -> bool {
        let (Some(&first), Some(&size), Some(&number)) = (
            self.number.get(grain as usize),
            self.size.get(grain as usize),
            self.number.get(below as usize),
        ) else {
            return false;
        };
        (first..first + size).contains(&number)
    }

    /// The task that each grain runs inside, if tasks with at most so much work are run as one; `NONE` of others.
    pub(super) fn owners(&self, structure: &Structure, most: i64) -> Vec<u32> {
        let mut owners = vec![NONE; self.number.len()];
        for grain in 0..owners.len() {
            let parent = structure.parent(to_u32(grain));
            let around = parent.and_then(|parent| owners.get(parent as usize).copied());
            owners[grain] = match around {
                Some(owner) if owner != NONE => owner,
                _ if self.work[grain] <= most && self.is_alone(grain) => to_u32(grain),
                _ => NONE,
            };
        }
        owners
    }

    fn is_alone(&self, grain: usize) -> bool {
        let (low, high) = self.reach[grain];
        let first = self.number[grain];
        let is_inside = low >= first && high < first + self.size[grain];
        self.entry[grain] != NONE && (low == u32::MAX || is_inside)
    }

    /// The node with which a grain begins.
    pub(super) fn entry(&self, grain: u32) -> u32 {
        self.entry.get(grain as usize).copied().unwrap_or(NONE)
    }
}
