//! Neighbours that run as one: what a task does while it creates many small tasks, these tasks, and chunks of a loop.

use super::super::draft::mark;
use super::super::graph::ScheduleGraph;
use super::Bounds;
use crate::grain_graph::{EdgeKind, NONE, to_u32};

/// Merges neighbours with at most so much work together. `into` is the node that each runs inside: itself, or the first
/// of a task that runs as one.
pub(super) struct Runs<'a> {
    graph: &'a ScheduleGraph,
    bounds: Bounds,
    /// Work and costs of nodes that others run inside.
    sums: Vec<i64>,
    /// Node that comes after each node that others run inside, if it is the only one.
    after: Vec<u32>,
}

/// The node after several that differ.
const SEVERAL: u32 = NONE - 1;

/// Neighbours that run as one so far.
struct Run {
    creator: u32,
    created: u32,
    work: [i64; 2],
}

impl<'a> Runs<'a> {
    pub(super) fn new(graph: &'a ScheduleGraph, into: &[u32], bounds: Bounds) -> Self {
        let nodes = graph.num_nodes();
        let mut runs = Self {
            graph,
            bounds,
            sums: vec![0; nodes],
            after: vec![NONE; nodes],
        };
        for node in 0..nodes {
            let inside = into[node] as usize;
            let weight = graph.weight_with_cost(to_u32(node), bounds.per_task);
            runs.sums[inside] = runs.sums[inside].saturating_add(weight);
            for edge in graph.edges(to_u32(node)) {
                let target = into[edge.target as usize];
                if target as usize == inside {
                    continue;
                }
                let is_known = edge.kind == EdgeKind::Synchronisation
                    && [NONE, target].contains(&runs.after[inside]);
                runs.after[inside] = if is_known { target } else { SEVERAL };
            }
        }
        runs
    }

    /// Merges chunks of each loop, which begin at one node and end at one node.
    pub(super) fn merge_chunks(&self, into: &mut [u32]) {
        for begin in 0..to_u32(self.graph.num_nodes()) {
            let mut run: Option<Run> = None;
            for edge in self.graph.edges(begin) {
                let chunk = edge.target;
                let is_chunk = self.graph.marks[chunk as usize] == mark::CHUNK
                    && self.graph.degrees[chunk as usize] == 1
                    && self.after[chunk as usize] < SEVERAL;
                if !is_chunk {
                    run = None;
                    continue;
                }
                let work = self.sums[chunk as usize];
                run = Some(match run.take() {
                    Some(run) if self.fits(&run, chunk, [0, work], self.bounds.most) => {
                        into[chunk as usize] = run.created;
                        Run {
                            work: [0, run.work[1].saturating_add(work)],
                            ..run
                        }
                    }
                    _ => Run {
                        creator: begin,
                        created: chunk,
                        work: [0, work],
                    },
                });
            }
        }
    }

    /// Merges fragments that create one small task each, and these tasks.
    pub(super) fn merge_created(&self, into: &mut [u32]) {
        let nodes = self.graph.num_nodes();
        let mut is_seen = vec![false; nodes];
        for first in 0..to_u32(nodes) {
            let mut run: Option<Run> = None;
            let mut next = Some(first);
            while let Some(creator) = next.take() {
                if std::mem::replace(&mut is_seen[creator as usize], true) {
                    break;
                }
                let Some((created, following)) = self.step(creator, into) else {
                    break;
                };
                let work = [creator, created].map(|node| self.sums[node as usize]);
                run = Some(match run.take() {
                    Some(run) if self.fits(&run, created, work, self.bounds.most_created) => {
                        into[creator as usize] = run.creator;
                        into[created as usize] = run.created;
                        Run {
                            work: [0, 1].map(|at| run.work[at].saturating_add(work[at])),
                            ..run
                        }
                    }
                    _ => Run {
                        creator,
                        created,
                        work,
                    },
                });
                next = Some(following).filter(|&following| self.continues(following, into));
            }
        }
    }

    /// Returns the task that a fragment creates and the fragment that follows, if there is one of each and only the creation
    /// leads into the task.
    fn step(&self, creator: u32, into: &[u32]) -> Option<(u32, u32)> {
        let is_own = into[creator as usize] == creator;
        let (created, following) = match self.graph.edges(creator) {
            [a, b] if is_own => match (a.kind, b.kind) {
                (EdgeKind::Creation, EdgeKind::Continuation) => (a.target, b.target),
                (EdgeKind::Continuation, EdgeKind::Creation) => (b.target, a.target),
                _ => return None,
            },
            _ => return None,
        };
        let is_task = self.graph.marks[created as usize] == mark::TASK
            && self.graph.degrees[created as usize] == 1
            && into[created as usize] == created
            && self.after[created as usize] < SEVERAL;
        is_task.then_some((created, following))
    }

    /// Whether only the fragment before leads to a node, and the node has no mark.
    fn continues(&self, node: u32, into: &[u32]) -> bool {
        let at = node as usize;
        into[at] == node && self.graph.degrees[at] == 1 && self.graph.marks[at] == 0
    }

    fn fits(&self, run: &Run, created: u32, work: [i64; 2], most: i64) -> bool {
        self.after[run.created as usize] == self.after[created as usize]
            && (0..2).all(|at| run.work[at].saturating_add(work[at]) <= most)
    }
}
