//! Predictions from grain graphs that are scheduled again.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::choice::choice;
use crate::{Format, Note};

choice! {
    /// Who goes first in a schedule, and who takes what is left.
    SchedulePolicy {
        /// A created task runs at once; what its creator does next can be stolen.
        WorkFirst = "work_first",
        /// The creator continues; created tasks can be stolen.
        HelpFirst = "help_first",
        /// The creator continues; created tasks are in one queue for all workers.
        CentralQueue = "central_queue",
    }
}

choice! {
    /// A cost of scheduling.
    ScheduleCost {
        /// Creation of a task: its creator continues later.
        Creation = "creation",
        /// Begin of a task on the worker that created it.
        Start = "start",
        /// Begin of a task on another worker.
        Steal = "steal",
        /// From the end of the last task to the continuation of the wait for it.
        Synchronisation = "synchronisation",
        /// Begin of a member of a team.
        Region = "region",
    }
}

choice! {
    /// Source of the policy of a schedule.
    PolicySource {
        /// The question names it.
        Asked = "asked",
        /// Steals of the recorded run show it.
        Steals = "steals",
        /// The order of tasks and their creators on one worker shows it.
        Order = "order",
        /// Nothing in the run shows it.
        Assumed = "assumed",
    }
}

/// Answer of `what-if`: times of recorded grain graphs that were scheduled again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WhatIf {
    /// `what-if/1`
    pub schema: String,
    /// Unit of every time.
    pub unit: String,
    /// Changes that the question makes, in words.
    pub changes: Vec<String>,
    /// The runs that were scheduled again.
    pub runs: Vec<ScheduledRun>,
    /// Predictions, run by run, by number of workers.
    pub rows: Vec<Prediction>,
    /// Recorded times of runs that differ from a predicted run in the number of workers and the repeat alone, run by run,
    /// by number of workers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recorded: Vec<RecordedTimes>,
    /// Error of such predictions in this ensemble; absent if it has no runs of another number of workers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<PredictionTrust>,
    /// Runs that show how work and costs change with the number of workers; absent if both are as recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<PredictionReference>,
    /// First seed; each repeat has the next.
    pub seed: u64,
    /// Schedules of each prediction.
    pub repeats: u64,
    /// Things a reader must know.
    pub notes: Vec<Note>,
}

/// A run with what its schedules have in common.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ScheduledRun {
    /// Id.
    pub run: String,
    /// Name.
    pub name: String,
    /// Workers that it was recorded with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers: Option<u64>,
    /// Elapsed time as recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed: Option<i64>,
    /// Scheduling policy.
    pub policy: SchedulePolicy,
    /// Source of the policy.
    pub policy_from: PolicySource,
    /// Costs of scheduling.
    pub costs: Vec<MeasuredCost>,
}

/// A cost of scheduling as the run shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MeasuredCost {
    /// Kind of cost.
    pub cost: ScheduleCost,
    /// Values that were measured.
    pub count: u64,
    /// Their median; absent if nothing was measured: schedules leave this cost out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median: Option<i64>,
    /// Their mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Whether the schedules have it.
    pub is_used: bool,
}

/// A predicted time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Prediction {
    /// Id of the run.
    pub run: String,
    /// Name of the run.
    pub name: String,
    /// Workers; absent if unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers: Option<u64>,
    /// Predicted elapsed time: mean of the schedules.
    pub predicted: f64,
    /// Shortest schedule.
    pub min: i64,
    /// Longest schedule.
    pub max: i64,
    /// max(span, work / workers): no schedule is shorter.
    pub lower: i64,
    /// work / workers + span: no greedy schedule without costs is longer; absent if workers are unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<i64>,
    /// Predicted elapsed time on as many workers without the changes.
    pub unchanged: f64,
    /// `unchanged` − `predicted`.
    pub gain: f64,
    /// Work after the changes.
    pub work: i64,
    /// Span after the changes.
    pub span: i64,
    /// Work with as many workers, before the changes, by the work as recorded; absent if it was not carried over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inflation: Option<f64>,
    /// Work by span; absent if the span is 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallelism: Option<f64>,
    /// Elapsed time as recorded, if the run had as many workers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<i64>,
}

/// Elapsed times of recorded runs with one number of workers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RecordedTimes {
    /// Id of the predicted run that they are like.
    pub run: String,
    /// Workers.
    pub workers: u64,
    /// Runs.
    pub runs: u64,
    /// Median of their elapsed times.
    pub median: f64,
    /// Shortest elapsed time.
    pub min: i64,
    /// Longest elapsed time.
    pub max: i64,
    /// Whether a run had more workers than processors.
    pub is_oversubscribed: bool,
}

/// Runs that show how work and costs of scheduling change with the number of workers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PredictionReference {
    /// The question's name or expression for them.
    pub reference: String,
    /// Number of them that are of a predicted program.
    pub runs: u64,
}

/// How far predictions are from recorded runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PredictionTrust {
    /// Predictions that were compared with recorded runs.
    pub pairs: u64,
    /// Median of the absolute relative errors.
    pub median: f64,
    /// Largest absolute relative error.
    pub largest: f64,
    /// Median of the absolute relative differences between recorded times and the median of their repeats. Predictions
    /// from single runs vary as much. Absent if no three of the runs are repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<f64>,
}

/// Answer of `what-if --first`: what a change of each definition gains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WhatFirst {
    /// `what-if-first/1`
    pub schema: String,
    /// Unit of every time.
    pub unit: String,
    /// The run.
    pub run: ScheduledRun,
    /// Definitions by number of workers, the largest gain first.
    pub rows: Vec<Priority>,
    /// Definitions that were left out because they have the least work.
    pub left_out: u64,
    /// Error of such predictions in this ensemble; absent if it has no runs of another number of workers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<PredictionTrust>,
    /// Runs that show how work and costs change with the number of workers; absent if both are as recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<PredictionReference>,
    /// First seed; each repeat has the next.
    pub seed: u64,
    /// Schedules of each prediction.
    pub repeats: u64,
    /// Things a reader must know.
    pub notes: Vec<Note>,
}

/// The gain in elapsed time from less work of a definition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Priority {
    /// Workers.
    pub workers: u64,
    /// Name of the definition.
    pub definition: String,
    /// Source file and line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// Its work.
    pub work: i64,
    /// Its work on the critical path.
    pub critical: i64,
    /// Gain in elapsed time if its work falls by 10 %.
    pub gain_10: f64,
    /// Gain if its work falls by 25 %.
    pub gain_25: f64,
    /// Gain if its work falls by 50 %.
    pub gain_50: f64,
    /// Gain if its work is divided among all workers perfectly.
    pub gain_parallel: f64,
    /// `gain_50` by the predicted time without changes.
    pub share_50: Option<f64>,
    /// The predicted time without changes.
    pub unchanged: f64,
    /// Whether schedules of some seeds are no shorter if its work falls by 50 %, and `reason` does not say why.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_uncertain: bool,
    /// Why it gains nothing, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Answer of `what-if --check`: recorded runs predicted from runs with other numbers of workers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WhatIfCheck {
    /// `what-if-check/1`
    pub schema: String,
    /// Unit of every time.
    pub unit: String,
    /// Predictions, by run and number of workers.
    pub rows: Vec<CheckedPrediction>,
    /// The errors together; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<PredictionTrust>,
    /// Runs that show how work and costs change with the number of workers; absent if both are as recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<PredictionReference>,
    /// First seed; each repeat has the next.
    pub seed: u64,
    /// Schedules of each prediction.
    pub repeats: u64,
    /// Things a reader must know.
    pub notes: Vec<Note>,
}

/// A prediction next to what was recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CheckedPrediction {
    /// Id of the run that the prediction is made from.
    pub run: String,
    /// Its name.
    pub name: String,
    /// Its workers.
    pub from: u64,
    /// Workers of the prediction.
    pub workers: u64,
    /// Predicted elapsed time.
    pub predicted: f64,
    /// Median of the recorded elapsed times.
    pub recorded: f64,
    /// Recorded runs with as many workers.
    pub runs: u64,
    /// `predicted` / `recorded` − 1.
    pub error: f64,
    /// Whether it counts: runs with more workers than processors do not.
    pub counts: bool,
}

/// A question about changes of runs.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct WhatIfQuery {
    /// Runs: ids, names or expressions, separated by `;`.
    pub runs: String,
    /// Numbers of workers, separated by commas; those of the run when missing.
    pub workers: Option<String>,
    /// Whether to predict unlimited workers too.
    pub infinite: Option<bool>,
    /// Definitions, paths or expressions that become faster: `NAME=20%`, separated by `;`.
    pub faster: Option<String>,
    /// Whether scheduling costs nothing.
    pub no_delay: Option<bool>,
    /// Whether creation of tasks costs nothing.
    pub without_creation_cost: Option<bool>,
    /// Depth below which tasks become part of their ancestor.
    pub cut_off: Option<u32>,
    /// Iterations of every chunk of loops.
    pub chunk_size: Option<u32>,
    /// Runs that show how work and costs change with the number of workers: a name or an expression; both stay as
    /// recorded when missing.
    pub reference: Option<String>,
    /// Scheduling policy: `work_first`, `help_first` or `central_queue`; that of the run when missing.
    pub policy: Option<String>,
    /// Schedules of each prediction; 5 when missing.
    pub repeats: Option<u32>,
    /// First seed; 1 when missing.
    pub seed: Option<u64>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// Form of the table.
    pub format: Option<Format>,
}

impl std::str::FromStr for SchedulePolicy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|policy| policy.as_str() == text);
        found.ok_or_else(|| {
            format!("no policy `{text}`; use work_first, help_first or central_queue")
        })
    }
}
