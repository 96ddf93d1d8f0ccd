//! The time of one run: who ran what when, how much ran and could have run at any time, and where
//! workers' time went.
//!
//! A *fragment* is a stretch of a grain. It is *ready* when the last of its predecessors ends and
//! waits until it starts; the edge from that predecessor says why. With r fragments running, q
//! ready and P workers, `min(q, P − r)` workers are idle although something is ready (*delay*), the other
//! idle ones have *no work*: work + delay + no work = workers × elapsed, unless r > P at some time.
//! Definitions: Huynh, Thain, Pericàs, Taura: “`DAGViz`: a DAG visualization tool for analyzing
//! task-parallel program traces”, VPA 2015, and the statistics of DAG Recorder.

mod balance;
mod delays;
mod gaps;
mod intervals;
mod last_finish;
mod late;
mod links;
mod pyramid;
mod ready;
mod steals;
mod steps;
mod summary;
mod teams;
#[cfg(test)]
pub(crate) mod tests;
mod workers;

use std::fmt;

use sheaf_model::{Cancelled, Progress, RunTables};

use self::intervals::Intervals;
use self::ready::Ready;
use self::steps::Cut;
use crate::grain_graph::Structure;
use crate::stopping::{Check, unstoppable};

pub use crate::absent::AbsenceReason;
pub use balance::Balance;
pub use delays::Delays;
pub use gaps::{Gaps, Spine};
pub use last_finish::LastFinish;
pub use sheaf_answers::{Policy, ReadyBy};
pub use steals::{EdgeCounts, Steals};
pub use steps::{LAYERS, Part, Resampled, Steps};
pub use summary::Summary;
pub use workers::{BusyPart, Interval, Workers};

/// The time of one run. Made in time n log n of the fragments, in about 50 bytes for each; row
/// numbers are those of the run's tables, times are in the run's unit, from the run's start.
pub struct Timeline {
    intervals: Intervals,
    ready: Result<Ready, AbsenceReason>,
    steals: Result<Steals, AbsenceReason>,
    steps: Steps,
    balance: Balance,
    last_finish: Result<LastFinish, AbsenceReason>,
}

impl fmt::Debug for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Timeline");
        text.field("balance", &self.balance).finish_non_exhaustive()
    }
}

impl Timeline {
    /// The time of a run.
    ///
    /// # Errors
    /// [`AbsenceReason`] where the source does not say when grains ran.
    pub fn of(run: &RunTables, structure: &Structure) -> Result<Self, AbsenceReason> {
        unstoppable(|check| Self::checked(run, structure, check))
    }

    /// The same, which stops between its passes when `progress` does.
    ///
    /// # Errors
    /// When it was stopped; inside, as for [`Timeline::of`].
    pub fn stoppable(
        run: &RunTables,
        structure: &Structure,
        progress: &Progress,
    ) -> Result<Result<Self, AbsenceReason>, Cancelled> {
        Self::checked(run, structure, &|| progress.check())
    }

    fn checked<E>(
        run: &RunTables,
        structure: &Structure,
        check: Check<'_, E>,
    ) -> Result<Result<Self, AbsenceReason>, E> {
        let intervals = match Intervals::of(run) {
            Ok(intervals) => intervals,
            Err(absent) => return Ok(Err(absent)),
        };
        check()?;
        let (ready, steals) = match links::visit_into(run, structure, &intervals) {
            Ok((ready, steals)) => (Ok(ready), Ok(steals)),
            Err(absent) => (Err(absent.clone()), Err(absent)),
        };
        check()?;
        let steps = match Steps::of(&intervals, ready.as_ref().ok()) {
            Ok(steps) => steps,
            Err(absent) => return Ok(Err(absent)),
        };
        check()?;
        let path = ready
            .as_ref()
            .map(|ready| last_finish::Path::of(run, &intervals, ready))
            .map_err(Clone::clone);
        check()?;
        let (balance, last_finish) = balance::sweep(run, &intervals, &ready, &steps, path);
        Ok(Ok(Self {
            intervals,
            ready,
            steals,
            steps,
            balance,
            last_finish,
        }))
    }

    /// The balance of the workers' time alone, in a quarter of the memory of a time line.
    ///
    /// # Errors
    /// When it was stopped; inside, as for [`Timeline::of`].
    pub fn balance_of(
        run: &RunTables,
        structure: &Structure,
        progress: &Progress,
    ) -> Result<Result<Balance, AbsenceReason>, Cancelled> {
        Self::cut_balance(run, structure, progress, Cut::OF_RUNS)
    }

    fn cut_balance(
        run: &RunTables,
        structure: &Structure,
        progress: &Progress,
        cut: Cut,
    ) -> Result<Result<Balance, AbsenceReason>, Cancelled> {
        let intervals = match Intervals::of(run) {
            Ok(intervals) => intervals,
            Err(absent) => return Ok(Err(absent)),
        };
        progress.check()?;
        let ready = links::ready_times(run, structure, &intervals);
        progress.check()?;
        Ok(balance::sweep_events(run, &intervals, &ready, cut))
    }

    /// Bytes that it takes, closely enough for a bound.
    pub fn bytes(&self) -> usize {
        let fragments = self.intervals.len();
        let ready = self.ready.as_ref().map_or(0, |_| fragments * 13);
        fragments + ready + self.steps.bytes()
    }

    /// Running and ready fragments over time.
    pub fn steps(&self) -> &Steps {
        &self.steps
    }

    /// Running and ready fragments over time, of a time line of which nothing else is needed any more.
    pub fn into_steps(self) -> Steps {
        self.steps
    }

    /// Where workers' time went.
    pub fn balance(&self) -> &Balance {
        &self.balance
    }

    /// When a fragment became ready, and the kind of edge that made it so.
    ///
    /// # Errors
    /// [`AbsenceReason`] where the source does not say what comes before what.
    pub fn ready(&self, fragment: u32) -> Result<Option<(i64, ReadyBy)>, AbsenceReason> {
        let ready = self.ready.as_ref().map_err(Clone::clone)?;
        Ok(ready.get(fragment))
    }

    /// How long fragments waited for a worker; `run` is the one that this was made of.
    ///
    /// # Errors
    /// [`AbsenceReason`] where the source does not say what comes before what.
    pub fn delays(&self, run: &RunTables) -> Result<Delays, AbsenceReason> {
        let ready = self.ready.as_ref().map_err(Clone::clone)?;
        Ok(Delays::of(run, ready))
    }

    /// Edges between workers, and the scheduling policy that shows in them.
    ///
    /// # Errors
    /// [`AbsenceReason`] where the source does not say what comes before what.
    pub fn steals(&self) -> Result<&Steals, AbsenceReason> {
        self.steals.as_ref().map_err(Clone::clone)
    }

    /// Gaps between fragments that follow each other, and those of the spine; `run` is the one that
    /// this was made of.
    ///
    /// # Errors
    /// [`AbsenceReason`] where the source does not say what comes before what.
    pub fn gaps(&self, run: &RunTables) -> Result<Gaps, AbsenceReason> {
        let ready = self.ready.as_ref().map_err(Clone::clone)?;
        Ok(Gaps::of(run, &self.intervals, ready))
    }

    /// The path back from the last fragment, each time to the predecessor that ended last.
    ///
    /// # Errors
    /// [`AbsenceReason`] where the source does not say what comes before what.
    pub fn last_finish(&self) -> Result<&LastFinish, AbsenceReason> {
        self.last_finish.as_ref().map_err(Clone::clone)
    }
}
