//! Facts about predictions.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::choice::choice;
use crate::{FirstNames, Reason, ScheduleCost, SchedulePolicy};

choice! {
    /// Waits that schedules leave out.
    WaitKind {
        /// For locks.
        Locks = "locks",
        /// In MPI.
        Mpi = "mpi",
    }
}

choice! {
    /// Reason why less work gains no elapsed time.
    NoGain {
        /// The work is too little.
        LittleWork = "little_work",
        /// The work is too little; schedules differ by chance.
        Chance = "chance",
        /// None of the work is on the critical path.
        OffCriticalPath = "off_critical_path",
        /// Other work takes as long as what became shorter.
        OtherWork = "other_work",
    }
}

/// Code of a fact about predictions, with its values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "code", content = "values", rename_all = "snake_case")]
pub enum WhatIfFact {
    /// Each prediction is one schedule, because the run has many fragments.
    OneSchedule,
    /// Small tasks of a run with many fragments are scheduled as one node each, with all tasks below them.
    Condensed {
        /// Name of the run.
        run: String,
        /// Number of workers of the prediction.
        workers: u64,
        /// Fragments that a schedule would have.
        fragments: u64,
        /// Nodes that are scheduled instead.
        nodes: u64,
        /// Difference of the elapsed time without a change from that of all fragments, as a part of it.
        difference: f64,
    },
    /// Chunks of loops have another size.
    ChunksInOrder {
        /// Iterations of a chunk.
        iterations: u64,
    },
    /// Incomplete runs are left out: their grain graphs end early.
    IncompleteRunsNotScheduled {
        /// Number of these runs.
        reason: Reason,
        /// Their names.
        runs: FirstNames,
    },
    /// A run has no tasks that a cut-off concerns.
    NoTasksBelow {
        /// Name of the run.
        run: String,
        /// The depth.
        depth: u32,
    },
    /// Chunks of loops stay as recorded.
    LoopsNotCut {
        /// Name of the run.
        run: String,
        /// Number of these loops.
        loops: u64,
        /// Number of loops with chunks.
        of: u64,
    },
    /// Less work of a run gains no elapsed time.
    FasterGainsNothing {
        /// Name of the run.
        run: String,
        /// Numbers of workers of the predictions.
        workers: Vec<u64>,
        /// The reason.
        reason: NoGain,
    },
    /// A run does not show some costs.
    CostsUnknown {
        /// Name of the run.
        run: String,
        /// The costs.
        costs: Vec<ScheduleCost>,
    },
    /// A run does not show its scheduling policy.
    PolicyAssumed {
        /// Name of the run.
        run: String,
        /// The assumed policy.
        policy: SchedulePolicy,
    },
    /// A run does not state the schedules of its loops.
    LoopSchedulesUnknown {
        /// Name of the run.
        run: String,
        /// Number of loops that count as static.
        fixed: u64,
        /// Number of loops that count as dynamic.
        dynamic: u64,
    },
    /// A run had more workers than processors.
    WorkersWaited {
        /// Name of the run.
        run: String,
        /// Number of workers.
        workers: u64,
        /// Number of processors.
        processors: f64,
    },
    /// Schedules leave out waits.
    WaitsLeftOut {
        /// Name of the run.
        run: String,
        /// Kind of wait.
        waits: WaitKind,
    },
    /// The reference has no pair of runs for a number of workers.
    ReferenceLacksWorkers {
        /// Name of the run.
        run: String,
        /// Workers of the run.
        recorded: u64,
        /// Workers of the prediction.
        workers: u64,
    },
    /// The reference lacks a part of the work.
    ReferenceLacksWork {
        /// Name of the run.
        run: String,
        /// Share of its work.
        share: f64,
        /// Workers of the prediction.
        workers: u64,
    },
    /// Work on unlimited workers is as recorded.
    UnlimitedAsRecorded,
    /// Predictions do not count for the error.
    PredictionsNotCounted {
        /// Number of these predictions.
        predictions: u64,
        /// Number of predictions.
        of: u64,
    },
    /// Predictions were not checked, because that would take long.
    PredictionsNotChecked {
        /// Number of runs like these.
        runs: u64,
        /// Number of their grains.
        grains: i64,
    },
    /// Predictions could not be checked.
    NothingToCheck {
        /// Name of the run.
        run: String,
        /// Whether predictions with a reference were to be checked.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        has_reference: bool,
    },
}
