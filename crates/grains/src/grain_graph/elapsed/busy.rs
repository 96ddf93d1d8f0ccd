//! When all workers of a run were busy, or waited for locks and messages.

mod changes;

use sheaf_model::RunTables;
use sheaf_model::table::FragmentEnd;

use changes::changes;

/// When no worker was free. A worker whose task waits for a lock, or in MPI, is not free for another.
pub(super) struct Occupied {
    /// Every worker ran a fragment.
    running: BusyTimes,
    /// The same, or waited for a lock; absent where none did.
    locked: Option<BusyTimes>,
    /// The same, or waited in MPI; absent where none did.
    calling: Option<BusyTimes>,
}

/// Parts of a stretch of time in which no worker was free.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OccupiedParts {
    /// Every worker ran a fragment.
    pub(super) running: i64,
    /// Some waited for locks, the others ran.
    pub(super) locked: i64,
    /// Some waited in MPI.
    pub(super) calling: i64,
}

impl Occupied {
    /// Sorts the beginnings and ends of all fragments, for each kind of wait anew.
    pub(super) fn of(run: &RunTables) -> Self {
        let ends = &run.fragments.ended_by;
        let with = |kinds: &[FragmentEnd]| {
            let last = *kinds.last()? as i32;
            let (smallest, largest) = ends.bounds()?;
            let has = (smallest..=largest).contains(&last) && ends.values().contains(last);
            has.then(|| BusyTimes::of(run, kinds))
        };
        Self {
            running: BusyTimes::of(run, &[]),
            locked: with(&[FragmentEnd::Lock]),
            calling: with(&[FragmentEnd::Lock, FragmentEnd::Message]),
        }
    }

    /// Parts of the time from `start` to `end`.
    pub(super) fn within(&self, start: i64, end: i64) -> OccupiedParts {
        let part = |busy: &Option<BusyTimes>| busy.as_ref().map(|busy| busy.within(start, end));
        let running = self.running.within(start, end);
        let locked = part(&self.locked).unwrap_or(running);
        let calling = part(&self.calling).unwrap_or(locked);
        OccupiedParts {
            running,
            locked: (locked - running).max(0),
            calling: (calling - locked).max(0),
        }
    }
}

/// Intervals of time in which every worker was busy, in order of time.
#[derive(Default)]
struct BusyTimes {
    starts: Vec<i64>,
    ends: Vec<i64>,
    /// Sum of the intervals before each, but for the first.
    before: Vec<i64>,
}

impl BusyTimes {
    /// When every worker ran a fragment, or waited behind one that ended as `pauses` state.
    fn of(run: &RunTables, pauses: &[FragmentEnd]) -> Self {
        let mut busy = Self::default();
        let mut since = None;
        for change in changes(run, pauses, num_workers(run)) {
            match since.take() {
                None => since = Some(change),
                Some(start) => busy.push(start, change),
            }
        }
        busy
    }

    fn push(&mut self, start: i64, end: i64) {
        let sum = self.before.last().copied().unwrap_or(0);
        self.starts.push(start);
        self.ends.push(end);
        self.before.push(sum.saturating_add(end - start));
    }

    /// Time from `start` to `end` in which all workers were busy.
    fn within(&self, start: i64, end: i64) -> i64 {
        self.until(end).saturating_sub(self.until(start)).max(0)
    }

    /// Busy time before `time`.
    fn until(&self, time: i64) -> i64 {
        let over = self.ends.partition_point(|&end| end <= time);
        let sum = over.checked_sub(1).and_then(|at| self.before.get(at));
        let begun = self.starts.get(over).map_or(0, |&start| time - start);
        sum.copied().unwrap_or(0).saturating_add(begun.max(0))
    }
}

/// Workers of a run: as many as its source reports, else one per location that is one.
pub(crate) fn num_workers(run: &RunTables) -> i64 {
    let locations = i64::try_from(run.summary.locations.num_workers()).unwrap_or(i64::MAX);
    let reported = run.summary.meta.workers.filter(|&workers| workers > 0);
    reported.unwrap_or(locations).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::tests::text::{run, run_with_helper};

    #[test]
    fn helpers_keep_no_worker_busy() {
        let text = "
            initial - run=w0:0+10,wait run=w0:30+20 wait=10+20
            task 0 created=5 run=w1:10+20
        ";
        let busy = |run: &RunTables| BusyTimes::of(run, &[]).within(0, 50);
        assert_eq!(busy(&run_with_helper(text)), 30);
        assert_eq!(busy(&run(text)), 0, "two workers never run at once");
    }
}
