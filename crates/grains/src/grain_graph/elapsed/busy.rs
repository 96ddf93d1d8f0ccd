//! When all workers of a run were busy, or waited for locks and messages.

use std::ops::Range;

use rayon::prelude::*;
use sheaf_model::table::FragmentEnd;
use sheaf_model::{Progress, RunTables};

use crate::ordering;
use crate::windows::Windows;

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
    /// When every worker ran a fragment, or waited behind one that ended as `pauses` state. Windows of time are swept side
    /// by side.
    fn of(run: &RunTables, pauses: &[FragmentEnd]) -> Self {
        let (mut busy, progress) = (Self::default(), Progress::silent());
        let Ok(windows) = Windows::of(run, pauses, &progress) else {
            return busy;
        };
        let workers = num_workers(run);
        let parts = windows.all.par_iter();
        let parts = parts.map(|window| busy_within(&windows, window, workers, &progress));
        let mut all = Vec::new();
        for part in parts.collect::<Vec<_>>().into_iter().flatten() {
            add_part(&mut all, part);
        }
        for part in all {
            busy.push(windows.time(part.start), windows.time(part.end));
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

/// Adds a part behind others, to the last of them if they touch.
fn add_part(parts: &mut Vec<Range<u64>>, part: Range<u64>) {
    match parts.last_mut() {
        Some(last) if last.end == part.start => last.end = part.end,
        _ => parts.push(part),
    }
}

/// The parts of a window in which as many workers were busy, in order.
fn busy_within(
    windows: &Windows<'_>,
    window: &Range<u64>,
    workers: i64,
    progress: &Progress,
) -> Vec<Range<u64>> {
    let (mut begins, mut ends) = (Vec::new(), Vec::new());
    let found = windows.each_within(window, progress, |stretch| {
        // A helper of the runtime keeps no worker busy.
        if !stretch.is_on_helper {
            begins.push(stretch.start - window.start);
            ends.push(stretch.end - window.start);
        }
    });
    debug_assert!(found.is_ok());
    ordering::sort(&mut begins);
    ordering::sort(&mut ends);
    let mut begins = begins.into_iter().peekable();
    let (mut running, mut since, mut parts) = (0, None, Vec::new());
    for end in ends {
        while let Some(begin) = begins.next_if(|&begin| begin < end) {
            running += 1;
            if running == workers {
                since = Some(begin);
            }
        }
        if running == workers
            && let Some(since) = since.take()
        {
            add_part(&mut parts, window.start + since..window.start + end);
        }
        running -= 1;
    }
    parts
}

/// Workers of a run: as many as its source reports, else one per location that is one.
pub(crate) fn num_workers(run: &RunTables) -> i64 {
    let locations = i64::try_from(run.summary.locations.num_workers()).unwrap_or(i64::MAX);
    let reported = run.summary.meta.workers.filter(|&workers| workers > 0);
    reported.unwrap_or(locations).max(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sheaf_model::table::{FragmentRow, LocationRow};

    use super::*;
    use crate::grain_metric::testing::{Written, written};
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

    /// Grain, time after the fragment before, duration, whether a helper ran it, and whether it ended with a pause.
    type Fragment = (usize, i64, i64, bool, bool);

    fn run_of(fragments: &[Fragment]) -> Written {
        let mut run = written("workers 2\ncore 0\ntask -\ntask 0\ntask 0\ntask 0");
        run.locations.push(LocationRow {
            rank: 0,
            thread: -1,
            core: None,
            numa_node: None,
        });
        let mut fragments = fragments.to_vec();
        fragments.sort_by_key(|fragment| fragment.0);
        let (mut now, mut last) = (-40, 0);
        for (grain, gap, duration, is_on_helper, is_pause) in fragments {
            now = if grain == last { now + gap } else { gap - 40 };
            last = grain;
            let ended_by = if is_pause {
                FragmentEnd::Lock as i32
            } else {
                0
            };
            run.fragments.push(FragmentRow {
                grain: i32::try_from(grain).unwrap(),
                location: i32::from(is_on_helper),
                start: now,
                duration,
                ended_by,
            });
            now += duration;
        }
        run
    }

    /// Instants at which both workers were busy.
    fn one_by_one(run: &Written, has_pauses: bool) -> Vec<i64> {
        let rows = &run.fragments;
        let of_workers = (0..rows.len()).filter(|&at| rows[at].location == 0);
        let times = of_workers.map(|at| {
            let (row, next) = (&rows[at], rows.get(at + 1));
            let is_pause = has_pauses && row.ended_by == FragmentEnd::Lock as i32;
            let next = next.filter(|next| is_pause && next.grain == row.grain);
            let end = row.start + row.duration;
            row.start..next.map_or(end, |next| end.max(next.start))
        });
        let times: Vec<Range<i64>> = times.collect();
        let is_busy = |time: &i64| times.iter().filter(|all| all.contains(time)).count() >= 2;
        (-50..900).filter(is_busy).collect()
    }

    proptest! {
        /// Many fragments, of several windows of time, instant by instant.
        #[test]
        fn busy_times_are_those_of_each_instant(
            fragments in prop::collection::vec(
                (0..4_usize, prop_oneof![Just(0), 0..20_i64], 0..20_i64, any::<bool>(), any::<bool>()),
                1..60,
            ),
            has_pauses: bool,
            (start, end) in (-50..900_i64, -50..900_i64),
        ) {
            let written = run_of(&fragments);
            let tables = written.tables();
            let pauses: &[FragmentEnd] = if has_pauses { &[FragmentEnd::Lock] } else { &[] };
            let busy = BusyTimes::of(&tables, pauses);
            let expected = one_by_one(&written, has_pauses);
            let within = expected.iter().filter(|time| (start..end).contains(*time)).count();
            prop_assert_eq!(busy.within(start, end), i64::try_from(within).unwrap());
            let touch = busy.ends.iter().zip(busy.starts.iter().skip(1)).any(|(end, start)| end >= start);
            prop_assert!(!touch);
        }
    }
}
