//! Grains of one run, their metrics and problems.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sheaf_model::{Direction, TimeUnit};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::choice::choice;
use crate::{Format, GrainRows};

/// A value of a metric: an exact integer, or a float.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MetricValue {
    /// An exact integer.
    Integer(i64),
    /// A float.
    Float(f64),
}

// A derived schema would have one choice per variant, of which exactly one may match: an integer matches both.
impl PartialSchema for MetricValue {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Number)
            .description(Some(
                "A value of a metric. Exact integers are written without a decimal point.",
            ))
            .into()
    }
}

impl ToSchema for MetricValue {}

impl MetricValue {
    /// The value as a float.
    pub const fn as_f64(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Float(value) => value,
        }
    }
}

choice! {
    /// Kind of a grain.
    GrainKind {
        /// An explicit task.
        Task = "task",
        /// A chunk of a work-sharing loop.
        Chunk = "chunk",
        /// A section of a `sections` construct.
        Section = "section",
        /// A task of a taskloop.
        TaskloopChunk = "taskloop_chunk",
        /// A member of a team.
        Implicit = "implicit",
        /// The program's initial task.
        Initial = "initial",
        /// The source has a kind that is not known.
        Unknown = "unknown",
    }
}

choice! {
    /// Basis of an upper bound of the elapsed time to win.
    GainBasis {
        /// The time that creators spent creating the grains.
        Creation = "creation",
        /// Time for which workers idle while the grains run, by the number of workers.
        Idle = "idle",
        /// Cost of an unbalanced loop: the largest less the mean work of the members of the team.
        Imbalance = "imbalance",
        /// Work of the grains beyond that in the reference.
        Inflation = "inflation",
        /// Time in which the grains waited for locks.
        LockWaiting = "lock_waiting",
    }
}

/// A metric of grains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GrainMetric {
    /// Name: lower snake case, with the unit as suffix.
    pub name: String,
    /// Unit.
    pub unit: String,
    /// Which values are better.
    pub direction: Direction,
    /// What it is, in one sentence.
    pub definition: String,
    /// Where the definition comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citation: Option<String>,
    /// Whether the source gave the values; else they are computed.
    pub is_given: bool,
}

/// Answer of `grains`: one page of the grains that were asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Grains {
    /// `grains/1`
    pub schema: String,
    /// Run id.
    pub run: String,
    /// Unit of times.
    pub unit: TimeUnit,
    /// Grains that were asked for, on all pages.
    pub total: u64,
    /// Grains left out before the first row.
    pub offset: u64,
    /// What work deviation is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<GrainReference>,
    /// Metrics of the rows.
    pub metrics: Vec<GrainMetric>,
    /// Metrics that the run has no values of, with the reason.
    pub absent: BTreeMap<String, String>,
    /// The grains.
    #[schema(value_type = Vec<GrainRow>)]
    pub rows: GrainRows,
}

/// The runs whose grains those of a run were compared with, by path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GrainReference {
    /// The runs.
    pub runs: Vec<ReferenceRun>,
    /// Grains of the run that none of them has.
    pub unmatched_grains: u64,
    /// Their work, in `unit`.
    pub unmatched_work: i64,
}

/// A run that grains were compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReferenceRun {
    /// Run id.
    pub run: String,
    /// Its grains that the other run has not.
    pub missing_grains: u64,
    /// Their work, in `unit`.
    pub missing_work: i64,
}

/// A grain, with its metrics as further keys; a metric without a value is missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GrainRow {
    /// Where it is in the structure of the run: definitions from the outermost, each with the steps that
    /// lead on from it: `fib (task)[0.1]` is the second child of the first child.
    pub path: Vec<String>,
    /// Name of its definition.
    pub definition: String,
    /// Row in the run's table of grains.
    pub grain: u32,
    /// Key of the path: 16 hexadecimal digits. The same in every run, unless the grain depends on the schedule.
    pub path_key: String,
    /// Kind of grain.
    pub kind: GrainKind,
    /// Row of the parent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<i32>,
    /// Rank of the worker that finished it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<i32>,
    /// Thread of that worker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<i32>,
    /// Time of creation from the run's start, in `unit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<i64>,
    /// Time of the first begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<i64>,
    /// Time of the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<i64>,
    /// First iteration of a chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_iteration: Option<i64>,
    /// Iterations of a chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<i64>,
    /// Values by metric.
    #[serde(flatten)]
    pub metrics: BTreeMap<String, MetricValue>,
}

/// Answer of `problems`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Problems {
    /// `problems/1`
    pub schema: String,
    /// Run id.
    pub run: String,
    /// Unit of times.
    pub unit: TimeUnit,
    /// What work deviation is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<GrainReference>,
    /// Time from the first begin of a grain to the last end, in the run's unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed: Option<i64>,
    /// That with most elapsed time to win first, then those of which that is not known by their share of the work;
    /// those that no grain is beyond last.
    pub problems: Vec<Problem>,
    /// Thresholds that could not be checked.
    pub not_checked: Vec<NotChecked>,
}

/// The grains beyond one threshold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// Metric.
    pub metric: String,
    /// Unit of the metric and of the limit.
    pub unit: String,
    /// The condition: `work_deviation > 2`.
    pub condition: String,
    /// The limit in this run.
    pub limit: f64,
    /// Tasks and chunks that have a value.
    pub checked: u64,
    /// Tasks and chunks beyond the limit.
    pub grains: u64,
    /// Those of them on the critical path.
    pub critical_grains: u64,
    /// Their work by the work of all tasks and chunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share_of_work: Option<f64>,
    /// Elapsed time that could be won at most without the problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<Gain>,
    /// Chunks beyond the limit of loops whose imbalance costs less than 5 % of their time: not part of the other
    /// figures.
    #[serde(default)]
    pub balanced_chunks: u64,
    /// Rows beyond the limit that are no tasks or chunks: members of teams, and what keeps the books of
    /// loops; not part of the other figures.
    pub book_keeping: u64,
    /// The worst of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst: Option<WorstGrain>,
    /// A sentence on the cause, where it is known: the lock that the grains wait for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// By definition, that with most to win first.
    pub definitions: Vec<ProblemDefinition>,
}

/// An upper bound of what removing a problem wins.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Gain {
    /// Elapsed time, in the run's unit.
    pub time: f64,
    /// Basis of the bound.
    pub basis: GainBasis,
}

/// The worst grain of a problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WorstGrain {
    /// Row in the run's table of grains.
    pub grain: u32,
    /// Where it is in the structure of the run.
    pub path: Vec<String>,
    /// Its value.
    pub value: f64,
}

/// The problem grains of one definition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProblemDefinition {
    /// Name.
    pub definition: String,
    /// Source file and line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// Its grains that have the problem.
    pub grains: u64,
    /// Those by all grains that have it.
    pub share: f64,
    /// Their work, in the run's unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<i64>,
    /// Elapsed time that could be won at most if none of them had the problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<Gain>,
    /// How far the worst is beyond the limit, as a ratio of 1 or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<f64>,
}

/// A threshold that could not be checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct NotChecked {
    /// Metric.
    pub metric: String,
    /// The condition.
    pub condition: String,
    /// Why not.
    pub reason: String,
}

/// Which grains of a run.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct GrainsQuery {
    /// Only grains for which this holds: an expression over metrics, `definition`, `kind`, `path`, ….
    #[serde(rename = "where")]
    pub filter: Option<String>,
    /// Metric or attribute to sort by, worst first; best first with `-` before it.
    pub sort: Option<String>,
    /// Rows left out before the first; 0 when missing.
    pub offset: Option<usize>,
    /// Rows at most, 1 to 100,000; 1,000 when missing.
    pub limit: Option<usize>,
    /// Metrics to return, separated by commas; all when missing.
    pub metrics: Option<String>,
    /// Whether the forms of instantaneous parallelism are left out unless `metrics` names them: for millions of grains
    /// they take most of the time.
    pub brief: Option<bool>,
    /// Whether the rows include implicit and initial tasks.
    pub all: Option<bool>,
    /// Runs that work deviation is from: a run, or an expression that selects some.
    pub reference: Option<String>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// Form of a table.
    pub format: Option<Format>,
}

/// Which thresholds.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ProblemsQuery {
    /// Conditions such as `work_deviation > 1.2`, separated by `;`; those of `preset` when missing.
    pub thresholds: Option<String>,
    /// `paper` or `prototype`; `paper` when missing.
    pub preset: Option<Preset>,
    /// Runs that work deviation is from: a run, or an expression that selects some.
    pub reference: Option<String>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// Form of the table.
    pub format: Option<Format>,
}

/// Thresholds that come with us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// Those of the paper on grain graphs.
    #[default]
    Paper,
    /// Those of its prototype.
    Prototype,
}
