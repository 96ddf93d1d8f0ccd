//! Facts about predictions in English.

use std::fmt;

use crate::text::{count, counted, percent};
use crate::{NoGain, WaitKind, WhatIfFact};

/// `1 worker`, `2 workers`.
fn of_workers(number: u64) -> String {
    counted(number, "worker", "workers")
}

/// `1 processor`, `0.5 processors`, `2 processors`.
fn of_processors(number: f64) -> String {
    let is_one = (number - 1.0).abs() < f64::EPSILON;
    format!("{number} processor{}", if is_one { "" } else { "s" })
}

impl fmt::Display for WhatIfFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneSchedule => {
                f.write_str("the run has many fragments: each prediction is one schedule")
            }
            Self::PredictionsNotCounted { predictions, of } => write!(
                f,
                "{predictions} of {of} predictions do not count: a run had more workers than processors"
            ),
            Self::PredictionsNotChecked { runs, grains } => write!(
                f,
                "predictions were not checked: {} runs with {} grains are alike",
                count(*runs),
                count(grains.unsigned_abs())
            ),
            Self::NothingToCheck {
                run,
                has_reference: true,
            } => write!(
                f,
                "predictions with the reference could not be checked: it has no two numbers of workers that two runs like \
                 `{run}` have too"
            ),
            Self::NothingToCheck { run, .. } => write!(
                f,
                "predictions could not be checked: no two runs like `{run}` differ in the number of workers alone, with \
                 no more workers than processors"
            ),
            Self::IncompleteRunsNotScheduled { reason, runs } => {
                write!(f, "{reason} and left out: {runs}")
            }
            Self::UnlimitedAsRecorded => f.write_str("work on unlimited workers is as recorded"),
            Self::WaitsLeftOut { run, waits } => {
                let waits = match waits {
                    WaitKind::Locks => "for locks",
                    WaitKind::Mpi => "in MPI",
                };
                write!(
                    f,
                    "schedules of run `{run}` leave out waits {waits}: predictions can be too low"
                )
            }
            _ => self.of_run(f),
        }
    }
}

impl NoGain {
    /// The reason in English; `it` is what has less work.
    pub const fn text(self) -> &'static str {
        match self {
            Self::LittleWork => "it has too little work to change the elapsed time by 0.1 %",
            Self::Chance => "it has too little work; schedules differ by chance",
            Self::OffCriticalPath => {
                "none of its work is on the critical path, and workers wait for other work"
            }
            Self::OtherWork => "with less of its work, workers wait for other work",
        }
    }
}

impl WhatIfFact {
    fn of_run(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CostsUnknown { run, costs } => {
                let costs: Vec<&str> = costs.iter().map(|cost| cost.as_str()).collect();
                let costs = costs.join(", ");
                write!(
                    f,
                    "run `{run}` shows no cost of {costs}: schedules leave it out"
                )
            }
            Self::PolicyAssumed { run, policy } => write!(
                f,
                "run `{run}` does not show its scheduling policy: {policy} is assumed"
            ),
            Self::LoopSchedulesUnknown {
                run,
                fixed,
                dynamic,
            } => write!(
                f,
                "run `{run}` does not state schedules of loops: {fixed} with at most one chunk per thread count as \
                 static, {dynamic} as dynamic"
            ),
            Self::WorkersWaited {
                run,
                workers,
                processors,
            } => write!(
                f,
                "run `{run}` had {} on {}: its work includes waiting for a processor",
                of_workers(*workers),
                of_processors(*processors)
            ),
            Self::ReferenceLacksWorkers {
                run,
                recorded,
                workers,
            } => write!(
                f,
                "no runs of the reference differ as {recorded} and {workers} workers alone: work and costs of run \
                 `{run}` on {} are as recorded",
                of_workers(*workers)
            ),
            Self::ReferenceLacksWork {
                run,
                share,
                workers,
            } => write!(
                f,
                "the reference does not show how {} of the work of run `{run}` grows on {}: it stays as recorded",
                percent(*share),
                of_workers(*workers)
            ),
            Self::Condensed {
                run,
                workers,
                fragments,
                nodes,
                difference,
            } => write!(
                f,
                "run `{run}` has many fragments: on {}, small tasks are scheduled as one, so {} nodes stand for {} \
                 fragments, and the elapsed time differs by {}",
                of_workers(*workers),
                count(*nodes),
                count(*fragments),
                percent(difference.abs())
            ),
            _ => self.of_changes(f),
        }
    }

    /// Facts about changes that were asked for.
    fn of_changes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FasterGainsNothing {
                run,
                workers,
                reason,
            } => {
                let numbers: Vec<String> = workers.iter().map(u64::to_string).collect();
                let noun = if *workers == [1] { "worker" } else { "workers" };
                write!(
                    f,
                    "the faster part of run `{run}` gains nothing on {} {noun}: {}",
                    numbers.join(", "),
                    reason.text()
                )
            }
            Self::ChunksInOrder { iterations } => write!(
                f,
                "chunks of {iterations} iterations are taken one after the other; each iteration of a recorded chunk \
                 has the same work"
            ),
            Self::NoTasksBelow { run, depth } => write!(
                f,
                "run `{run}` has no tasks below depth {depth}: the cut-off changes nothing"
            ),
            Self::LoopsNotCut { run, of: 0, .. } => write!(
                f,
                "run `{run}` has no loops with chunks: their size changes nothing"
            ),
            Self::LoopsNotCut { run, loops, of } => write!(
                f,
                "chunks of {} of {} loops of run `{run}` stay as recorded: their iterations are unknown, or they create \
                 tasks",
                count(*loops),
                count(*of)
            ),
            _ => Ok(()),
        }
    }
}
