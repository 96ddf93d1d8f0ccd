//! Barriers of teams: nobody goes on before the last member arrives and the tasks are done.

use sheaf_answers::ReadyBy;
use sheaf_model::RunTables;
use sheaf_model::table::WaitKind;

use super::intervals::Intervals;
use super::links::Link;
use crate::grain_graph::to_u32;
use crate::grain_graph::{NONE, SetKind, Structure};

/// Barriers of all teams. Each member meets the same barriers in the same order, so that its k-th
/// is the team's k-th.
pub(super) struct Teams<'a> {
    intervals: &'a Intervals,
    /// Barrier of each wait.
    barrier_of: Vec<u32>,
    barriers: Vec<Barrier>,
}

/// When a barrier opens, and the fragment that ended last before.
#[derive(Clone, Copy)]
struct Barrier {
    time: i64,
    source: u32,
    num_members: u32,
}

impl<'a> Teams<'a> {
    pub(super) fn of(run: &RunTables, structure: &Structure, intervals: &'a Intervals) -> Self {
        let mut teams = Self {
            intervals,
            barrier_of: vec![NONE; run.waits.len()],
            barriers: Vec::new(),
        };
        if run.waits.is_empty() {
            return teams;
        }
        for set in structure.sets() {
            if set.kind == SetKind::Members {
                teams.meet(run, structure.members(set));
            }
        }
        for set in structure.sets() {
            let barrier = set.wait().and_then(|wait| teams.barrier(wait));
            if let (SetKind::Tasks, Some(barrier)) = (set.kind, barrier) {
                for &task in structure.members(set) {
                    let last = intervals.last(task);
                    teams.arrive(barrier, last, i64::MIN);
                }
            }
        }
        teams
    }

    fn meet(&mut self, run: &RunTables, members: &[u32]) {
        let first = self.barriers.len();
        for &member in members {
            let mut barrier = first;
            for wait in self.intervals.waits(member) {
                let (at, kind) = (wait as usize, run.waits.kind.value(wait as usize));
                let is_barrier =
                    kind != WaitKind::Taskwait as i32 && kind != WaitKind::Taskgroup as i32;
                if !is_barrier {
                    continue;
                }
                if barrier == self.barriers.len() {
                    self.barriers.push(Barrier {
                        time: i64::MIN,
                        source: NONE,
                        num_members: 0,
                    });
                }
                self.barrier_of[at] = to_u32(barrier);
                self.barriers[barrier].num_members += 1;
                let start = run.waits.start.value(at);
                let source = self.intervals.ended_at(member, start);
                self.arrive(barrier, source, start);
                barrier += 1;
            }
        }
    }

    fn barrier(&self, wait: u32) -> Option<usize> {
        let barrier = self.barrier_of.get(wait as usize).copied();
        barrier.filter(|&it| it != NONE).map(|it| it as usize)
    }

    /// Notes what must be over before a barrier opens; of several at one time the first counts.
    fn arrive(&mut self, barrier: usize, source: Option<u32>, time: i64) {
        let Some(source) = source else { return };
        let time = time.max(self.intervals.end(source));
        if let Some(barrier) = self.barriers.get_mut(barrier)
            && (barrier.source == NONE || time > barrier.time)
        {
            (barrier.time, barrier.source) = (time, source);
        }
    }

    /// From what ended last before a barrier to all that goes on after it.
    pub(super) fn visit(&self, visit: &mut impl FnMut(Link)) {
        for wait in 0..to_u32(self.barrier_of.len()) {
            let barrier = self.barrier(wait).and_then(|at| self.barriers.get(at));
            let Some(barrier) = barrier.filter(|it| it.num_members > 1 && it.source != NONE) else {
                continue;
            };
            let Some(target) = self.intervals.after_wait(wait) else {
                continue;
            };
            // Its own way to the wait is another edge.
            if barrier.source + 1 == target {
                continue;
            }
            visit(Link {
                source: barrier.source,
                target,
                kind: ReadyBy::Synchronisation,
                time: barrier.time,
            });
        }
    }
}
