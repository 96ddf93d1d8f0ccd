//! Where workers' time went: one pass over all events in order of time.

use sheaf_model::RunTables;

use super::AbsenceReason;
use super::intervals::Intervals;
use super::last_finish::{Gap, LastFinish, Path};
use super::late::LateReady;
use super::ready::{Doubts, Ready, ReadyTimes};
use super::steps::{Cut, Events, Steps, Stretch};
use crate::grain_graph::num_workers;

/// Where the time of a run's workers went, in the run's unit of time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Balance {
    /// Workers P.
    pub workers: i64,
    /// Time from the run's start to its end, or the last event.
    pub elapsed: i64,
    /// Time that workers spent computing; what helpers of the runtime ran is not part of it.
    pub work: i64,
    /// Running fragments times time: the work, and the inner delay.
    pub running: i64,
    /// Workers that were idle, or inside of a folded subgraph did not compute, although something was ready.
    pub delay: Result<i64, AbsenceReason>,
    /// Part of `delay` inside of folded subgraphs: their length less their work. Negative where
    /// several workers ran them.
    pub inner_delay: i64,
    /// Idle workers times time for which nothing was ready.
    pub no_work: Result<i64, AbsenceReason>,
    /// Idle workers times time, whatever was ready.
    pub idle: i64,
    /// Time with more running fragments than workers: intervals of a worker overlap, or there are
    /// more workers than the source says.
    pub oversubscribed: i64,
    /// Area above the workers in that time.
    pub excess: i64,
    /// Fragments that started before the last of their predecessors ended: clocks differ.
    pub started_early: u64,
    /// Fragments of which nothing says when they were ready; they count as ready when they start.
    pub unknown_ready: u64,
}

impl Balance {
    /// What `work + delay + no work` has more than `workers × elapsed`; 0 unless more ran at a time
    /// than there are workers.
    pub fn imbalance(&self) -> i128 {
        let parts = [self.running, self.idle].map(i128::from);
        parts.iter().sum::<i128>() - i128::from(self.workers) * i128::from(self.elapsed)
    }

    /// What is wrong with the times, in sentences for people; empty where the identity holds.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if self.imbalance() != 0 {
            faults.push(format!(
                "work, delay and no work are {} more than workers times elapsed: for a time of {} more than {} fragments ran at once",
                self.imbalance(),
                self.oversubscribed,
                self.workers
            ));
        }
        if self.started_early > 0 {
            faults.push(format!(
                "{} fragments started before what they follow had ended: the workers' clocks differ",
                self.started_early
            ));
        }
        faults
    }
}

pub(super) fn sweep(
    run: &RunTables,
    intervals: &Intervals,
    ready: &Result<Ready, AbsenceReason>,
    steps: &Steps,
    path: Result<Path, AbsenceReason>,
) -> (Balance, Result<LastFinish, AbsenceReason>) {
    let gaps = path.as_ref().map(|path| path.gaps.as_slice());
    let bounds = (steps.start(), steps.end());
    let mut state = State::new(run, bounds, gaps.unwrap_or_default());
    for (time, running, ready) in steps.changes() {
        state.change(time, running, ready);
    }
    let (balance, scheduler) = state.finish(intervals, ready);
    let last_finish = path.map(|path| path.finish(scheduler));
    (balance, last_finish)
}

/// The balance alone, from events that are not kept.
pub(super) fn sweep_events(
    run: &RunTables,
    intervals: &Intervals,
    ready: &Result<LateReady<'_>, AbsenceReason>,
    cut: Cut,
) -> Result<Balance, AbsenceReason> {
    let events = Events::of(intervals, ready.as_ref().ok())?;
    let mut state = State::new(run, (events.base, events.last), &[]);
    let workers = state.workers;
    let swept = events.sweep(cut, |stretch| {
        let mut state = State::within(workers, stretch);
        for (time, running, ready) in stretch.changes() {
            state.change(time, running, ready);
        }
        state.pass(stretch.end);
        state.areas
    });
    state.pass(events.base);
    for areas in swept {
        for (sum, area) in state.areas.iter_mut().zip(areas) {
            *sum += area;
        }
    }
    state.time = events.last;
    Ok(state.finish(intervals, ready).0)
}

struct State<'a> {
    workers: i64,
    /// Times of the first event, or 0 if that is earlier, and of the end of the run.
    bounds: (i64, i64),
    /// What runs and is ready since this time.
    time: i64,
    running: i64,
    ready: i64,
    /// Of running, delay, no work; time of oversubscription; area above the workers.
    areas: [i128; 5],
    /// Gaps of the path that ended last, from the first that is not over.
    gaps: &'a [Gap],
    /// Inside of gaps: time with idle workers by kind of edge; no work, delay.
    scheduler: [i128; 8],
}

impl<'a> State<'a> {
    /// Before the first of events between two times.
    fn new(run: &RunTables, (first, last): (i64, i64), gaps: &'a [Gap]) -> Self {
        let elapsed = run.summary.meta.elapsed;
        let end = elapsed.map_or(last, |it| it.max(last));
        Self {
            gaps,
            ..Self::between(num_workers(run), (first.min(0), end))
        }
    }

    /// Before the first event of a stretch of time.
    fn within(workers: i64, stretch: &Stretch<'_>) -> Self {
        Self {
            running: stretch.running,
            ready: stretch.ready,
            ..Self::between(workers, (stretch.start, stretch.end))
        }
    }

    /// At the first of two times, when nothing runs.
    fn between(workers: i64, bounds: (i64, i64)) -> Self {
        Self {
            workers,
            bounds,
            time: bounds.0,
            running: 0,
            ready: 0,
            areas: [0; 5],
            gaps: &[],
            scheduler: [0; 8],
        }
    }

    /// An event: so many more run and are ready from a time on.
    #[inline]
    fn change(&mut self, time: i64, running: i64, ready: i64) {
        self.pass(time);
        self.running += running;
        self.ready += ready;
    }

    /// The balance after the last event, and what is known of the gaps.
    fn finish(
        mut self,
        intervals: &Intervals,
        ready: &Result<impl ReadyTimes, AbsenceReason>,
    ) -> (Balance, [i128; 8]) {
        let (start, elapsed) = self.bounds;
        self.pass(elapsed);
        let [running, delay, no_work, oversubscribed, excess] = self.areas.map(clamp);
        let inner_delay = running.saturating_sub(intervals.work);
        let doubts = ready
            .as_ref()
            .map_or_else(|_| Doubts::default(), ReadyTimes::doubts);
        let of_ready = |value: i64| ready.as_ref().map(|_| value).map_err(Clone::clone);
        let balance = Balance {
            workers: self.workers,
            elapsed: elapsed.saturating_sub(start),
            work: intervals.work,
            running,
            delay: of_ready(delay.saturating_add(inner_delay)),
            inner_delay,
            no_work: of_ready(no_work),
            idle: delay.saturating_add(no_work),
            oversubscribed,
            excess,
            started_early: doubts.num_early,
            unknown_ready: doubts.num_unknown,
        };
        (balance, self.scheduler)
    }

    #[inline]
    fn pass(&mut self, time: i64) {
        let length = i128::from(time) - i128::from(self.time);
        if length <= 0 {
            return;
        }
        let idle = (self.workers - self.running).max(0);
        let delay = self.ready.clamp(0, idle);
        let above = (self.running - self.workers).max(0);
        self.areas[0] += i128::from(self.running) * length;
        self.areas[1] += i128::from(delay) * length;
        self.areas[2] += i128::from(idle - delay) * length;
        if above > 0 {
            self.areas[3] += length;
            self.areas[4] += i128::from(above) * length;
        }
        while let Some((gap, behind)) = self.gaps.split_first()
            && gap.end <= self.time
        {
            self.gaps = behind;
        }
        if let Some(gap) = self.gaps.first()
            && gap.start <= self.time
        {
            if idle > 0 {
                self.scheduler[gap.by as usize] += length;
            }
            self.scheduler[6] += i128::from(idle - delay) * length;
            self.scheduler[7] += i128::from(delay) * length;
        }
        self.time = time;
    }
}

pub(super) fn clamp(sum: i128) -> i64 {
    i64::try_from(sum).unwrap_or(if sum < 0 { i64::MIN } else { i64::MAX })
}
