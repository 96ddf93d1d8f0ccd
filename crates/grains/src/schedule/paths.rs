//! Work, span and critical path of a graph that is scheduled.

use super::graph::ScheduleGraph;
use crate::grain_graph::{GraphFault, NONE, to_u32};

/// Work and span of a graph under some weights.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Sum of all weights.
    pub work: i64,
    /// Weight of the longest path: the elapsed time on unlimited workers without costs.
    pub span: i64,
    /// Nodes of a longest path, in order.
    pub path: Vec<u32>,
}

impl Extent {
    /// Lowest elapsed time that a number of workers permits: max(span, work / workers), rounded up.
    pub fn lower(&self, workers: u32) -> i64 {
        let shared = self.shared(workers);
        self.span.max(shared.0 + i64::from(shared.1 > 0))
    }

    /// Highest elapsed time of a greedy schedule without costs: work / workers + span, rounded up.
    pub fn upper(&self, workers: u32) -> i64 {
        let shared = self.shared(workers);
        self.span.saturating_add(shared.0 + i64::from(shared.1 > 0))
    }

    fn shared(&self, workers: u32) -> (i64, i64) {
        let workers = i64::from(workers.max(1));
        (self.work / workers, self.work % workers)
    }
}

impl ScheduleGraph {
    /// Work and span under some weights, one per node. One pass over nodes and edges.
    pub fn extent(&self, weights: &[i64]) -> Extent {
        let nodes = self.num_nodes();
        let mut earliest = vec![0_i64; nodes];
        let mut before = vec![NONE; nodes];
        let (mut span, mut last) = (0, NONE);
        self.visit_forward(|node| {
            let at = node as usize;
            let weight = weights.get(at).copied().unwrap_or(0);
            let finish = earliest
                .get(at)
                .copied()
                .unwrap_or(0)
                .saturating_add(weight);
            for edge in self.edges(node) {
                let target = edge.target as usize;
                if let (Some(start), Some(from)) =
                    (earliest.get_mut(target), before.get_mut(target))
                    && (*from == NONE || finish > *start)
                {
                    (*start, *from) = (finish, node);
                }
            }
            if last == NONE || finish > span {
                (span, last) = (finish, node);
            }
        });
        let mut path = Vec::new();
        while last != NONE {
            path.push(last);
            last = before.get(last as usize).copied().unwrap_or(NONE);
        }
        path.reverse();
        let work = weights
            .iter()
            .fold(0_i64, |sum, &weight| sum.saturating_add(weight));
        Extent { work, span, path }
    }

    /// Whether every node can be reached.
    ///
    /// # Errors
    /// [`GraphFault::Cycle`].
    pub(super) fn check_order(&self) -> Result<(), GraphFault> {
        let mut is_visited = vec![false; self.num_nodes()];
        self.visit_forward(|node| {
            if let Some(slot) = is_visited.get_mut(node as usize) {
                *slot = true;
            }
        });
        match is_visited.iter().position(|it| !it) {
            None => Ok(()),
            Some(node) => Err(GraphFault::Cycle { node: to_u32(node) }),
        }
    }

    /// Visits nodes after those that lead to them, by number where that is possible.
    fn visit_forward(&self, mut visit: impl FnMut(u32)) {
        let mut degrees = self.degrees.clone();
        let mut free = Vec::new();
        for root in 0..to_u32(degrees.len()) {
            if degrees.get(root as usize) != Some(&0) {
                continue;
            }
            free.push(root);
            while let Some(node) = free.pop() {
                if let Some(degree) = degrees.get_mut(node as usize) {
                    *degree = NONE;
                }
                visit(node);
                for edge in self.edges(node) {
                    if let Some(degree) = degrees.get_mut(edge.target as usize) {
                        *degree -= 1;
                        if *degree == 0 && edge.target < root {
                            free.push(edge.target);
                        }
                    }
                }
            }
        }
    }
}
