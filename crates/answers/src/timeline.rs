//! The time line of one run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sheaf_model::TimeUnit;
use utoipa::{IntoParams, ToSchema};

use crate::Format;
use crate::choice::choice;

choice! {
    /// The kind of edge that makes a fragment ready. The names that DAG Recorder has for the first five, in its order:
    /// `end`, `create`, `create_cont`, `wait_cont`, `other_cont`.
    ReadyBy {
        /// From the end of a grain, or a team's last arrival at a barrier, to what goes on after the wait.
        Synchronisation = "synchronisation",
        /// From a creation to the grain.
        Creation = "creation",
        /// From a creation to what its grain does next.
        CreationContinuation = "creation_continuation",
        /// From the begin of a wait to what its grain does next.
        WaitContinuation = "wait_continuation",
        /// From another stretch to what its grain, or the member of a team that runs a loop, does next.
        OtherContinuation = "other_continuation",
        /// From a task to one that depends on it.
        Dependence = "dependence",
    }
}

choice! {
    /// Behaviour of a runtime at the creation of a task.
    Policy {
        /// The worker runs the new task at once; others steal what its creator does next.
        WorkFirst = "work_first",
        /// The worker goes on; others steal the new task.
        HelpFirst = "help_first",
        /// Nothing was stolen at a creation.
        None = "none",
    }
}

choice! {
    /// The event that ended a fragment.
    FragmentEnd {
        /// The grain ended.
        GrainEnd = "end",
        /// It created a child.
        Creation = "creation",
        /// It began to wait.
        Wait = "wait",
        /// Its worker went on with another task.
        Switch = "switch",
        /// A chunk or a region began.
        Enter = "enter",
        /// The recording ended.
        TraceEnd = "trace_end",
        /// It began to wait for a lock.
        Lock = "lock",
        /// It called MPI.
        Message = "message",
    }
}

/// Answer of `fragments`: the stretches of one grain, in order of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Fragments {
    /// `fragments/1`
    pub schema: String,
    /// Run id.
    pub run: String,
    /// Unit of times.
    pub unit: TimeUnit,
    /// Row of the grain.
    pub grain: u32,
    /// Fragments on all pages.
    pub total: u64,
    /// Fragments left out before the first row.
    pub offset: u64,
    /// The fragments.
    pub rows: Vec<GrainFragment>,
}

/// A stretch in which one worker ran the grain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GrainFragment {
    /// Number of the worker, as in `timeline`.
    pub worker: u32,
    /// Rank of its process.
    pub rank: i32,
    /// Thread within the rank.
    pub thread: i32,
    /// Begin, from the run's start.
    pub start: i64,
    /// Length.
    pub duration: i64,
    /// The event that ended it.
    pub ended_by: FragmentEnd,
}

/// Which fragments of a grain.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct FragmentsQuery {
    /// Row of the grain.
    pub grain: u32,
    /// Rows left out before the first; 0 when missing.
    pub offset: Option<usize>,
    /// Rows at most, 1 to 100,000; 1,000 when missing.
    pub limit: Option<usize>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// Form of a table.
    pub format: Option<Format>,
}

/// Answer of `timeline`: who ran what in a stretch of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Timeline {
    /// `timeline/1`
    pub schema: String,
    /// Run id.
    pub run: String,
    /// Unit of times.
    pub unit: TimeUnit,
    /// Begin of the stretch, from the run's start.
    pub start: i64,
    /// End of the stretch.
    pub end: i64,
    /// Elapsed time of the run.
    pub elapsed: i64,
    /// The workers, by rank, then thread.
    pub workers: Vec<TimelineWorker>,
    /// Intervals, or equal parts of workers with more intervals than pixels; by worker, then time.
    pub rows: Vec<TimelineRow>,
}

/// A worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TimelineWorker {
    /// Rank of its process.
    pub rank: i32,
    /// Thread within the rank.
    pub thread: i32,
    /// Time that it was busy in the whole run.
    pub busy: i64,
    /// Processor on which it was first seen; missing if the source names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core: Option<i32>,
    /// NUMA node of that processor; missing if the source names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<i32>,
}

/// What a worker ran for a while; a part in which it ran nothing is missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TimelineRow {
    /// Number of the worker in `workers`.
    pub worker: u32,
    /// Begin.
    pub start: f64,
    /// End.
    pub end: f64,
    /// Intervals that the row stands for.
    pub intervals: u32,
    /// Share of the time that the worker was busy.
    pub busy: f64,
    /// Row of the grain of the interval, or of the longest one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grain: Option<u32>,
    /// Definition of that grain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
}

/// Answer of `parallelism`: how many fragments ran and waited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Parallelism {
    /// `parallelism/1`
    pub schema: String,
    /// Run id.
    pub run: String,
    /// Unit of times.
    pub unit: TimeUnit,
    /// Begin of the stretch, from the run's start.
    pub start: i64,
    /// End of the stretch.
    pub end: i64,
    /// Workers.
    pub workers: i64,
    /// `running`, and where it is known `ready_synchronisation`, `ready_creation`, …: fragments that wait for a
    /// worker, by the kind of edge that made them ready.
    pub layers: Vec<String>,
    /// Equal parts of the stretch, in order.
    pub rows: Vec<ParallelismRow>,
}

/// A part of a stretch of time, with `LAYER_min`, `LAYER_mean` and `LAYER_max` of each layer as further keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ParallelismRow {
    /// Begin.
    pub start: f64,
    /// End.
    pub end: f64,
    /// Numbers of fragments.
    #[serde(flatten)]
    pub fragments: BTreeMap<String, f64>,
}

/// Answer of `scheduling`: where the workers' time went, and who took work from whom.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Scheduling {
    /// `scheduling/1`
    pub schema: String,
    /// Run id.
    pub run: String,
    /// Unit of times.
    pub unit: TimeUnit,
    /// Workers.
    pub workers: i64,
    /// Elapsed time.
    pub elapsed: i64,
    /// Time spent computing.
    pub work: i64,
    /// Time that workers were idle although something was ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<i64>,
    /// Time that workers were idle and nothing was ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_work: Option<i64>,
    /// Time that workers were idle.
    pub idle: i64,
    /// What is wrong with the times.
    pub faults: Vec<String>,
    /// Edges that made fragments ready, by kind.
    pub edges: Vec<SchedulingEdge>,
    /// Behaviour of the runtime at a creation, inferred from its steals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// Why delays and steals are absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent: Option<String>,
}

/// Edges of one kind, and the time from becoming ready by them to the start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SchedulingEdge {
    /// Kind of the edges.
    pub kind: ReadyBy,
    /// Edges.
    pub edges: u64,
    /// Those from one worker to another.
    pub moved: u64,
    /// Sum of the times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<i64>,
    /// Median of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_median: Option<i64>,
    /// 99th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_p99: Option<i64>,
    /// The longest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_max: Option<i64>,
}

/// Which stretch of time, and how finely.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct TimelineQuery {
    /// Begin, from the run's start; the run's when missing.
    pub start: Option<i64>,
    /// End; the run's when missing.
    pub end: Option<i64>,
    /// Parts that the stretch is cut into where it holds more events, 1 to 10,000; 1,000 when missing.
    pub pixels: Option<u32>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// Form of a table.
    pub format: Option<Format>,
}
