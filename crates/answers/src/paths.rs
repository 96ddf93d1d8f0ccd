//! Paths and loops of one run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sheaf_model::TimeUnit;
use utoipa::{IntoParams, ToSchema};

use crate::Format;
use crate::choice::choice;

choice! {
    /// Form of a grain graph.
    GraphForm {
        /// A node per fragment, also if only the lengths of fragments are known.
        Unreduced = "unreduced",
        /// A node per grain.
        Reduced = "reduced",
    }
}

#[expect(
    clippy::derivable_impls,
    reason = "the macro that declares the enum derives no default"
)]
impl Default for GraphForm {
    fn default() -> Self {
        Self::Reduced
    }
}

impl std::str::FromStr for GraphForm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|form| form.as_str() == text);
        found.ok_or_else(|| format!("no form `{text}`; use reduced or unreduced"))
    }
}

choice! {
    /// Source of the makespan of a loop.
    Makespan {
        /// From the start of the first chunk to the end of the last.
        Elapsed = "elapsed",
        /// The same if the source has no starts: a chunk starts its work before its end.
        EndsAndWork = "ends_and_work",
        /// The work of the worker that has most of it: the source has no times.
        BusiestWorker = "busiest_worker",
        /// The longest chunk: the source has neither times nor workers.
        LongestChunk = "longest_chunk",
    }
}

choice! {
    /// How a minimum number of bins is known.
    Proof {
        /// First-fit decreasing needs no more than the lower bound L2 of Martello and Toth.
        Bounds = "bounds",
        /// Branch and bound has tried everything else.
        Search = "search",
        /// It is not: the search was given up, and the minimum is between the bounds.
        Open = "open",
    }
}

/// Answer of `paths`: what bounds the time of a run or of a group of its grains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Paths {
    /// `paths/1`
    pub schema: String,
    /// Run id.
    pub run: String,
    /// Unit of times.
    pub unit: TimeUnit,
    /// What the paths are local to; missing for the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Form of the grain graph.
    pub form: GraphForm,
    /// Grains in the scope, implicit and initial tasks included.
    pub grains: u64,
    /// Their work.
    pub work: i64,
    /// Work of the longest path.
    pub span: i64,
    /// Work by span, or by the time of `lock_bound` where that is longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallelism: Option<f64>,
    /// Of a whole run: the section or lock that was held longest. The run cannot be faster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock_bound: Option<LockBound>,
    /// The critical path, neighbouring grains of one definition as one step; 1,000 at most.
    pub steps: Vec<PathStep>,
    /// Steps left out.
    pub more_steps: u64,
    /// Groups and grains on the critical path of a group, the upper levels first. A path of a whole run has none. The answer
    /// has 10,000 at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<u32>,
    /// The path of last finishers: from the end back, always to what finished last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_finishers: Option<LastFinishers>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent: Option<String>,
    /// Definitions, those with most work on that path first.
    pub rows: Vec<PathRow>,
}

/// A lock, or a critical or ordered section, which one grain of a rank has at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LockBound {
    /// The definition of the section, or of the call that takes the lock.
    pub definition: String,
    /// Time for which grains of one rank had it.
    pub held: i64,
}

/// Neighbouring grains of one definition on the critical path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PathStep {
    /// The definition.
    pub definition: String,
    /// Row of the first grain.
    pub grain: u32,
    /// Grains.
    pub grains: u64,
    /// Their work on the path.
    pub work: i64,
}

/// The parts of the elapsed time: `before + work + busy + delay + outside + after` is `elapsed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LastFinishers {
    /// From the begin of the run, or of the group's first stretch, to the end.
    pub elapsed: i64,
    /// Time before the first stretch of the path.
    pub before: i64,
    /// Time in which the path ran.
    pub work: i64,
    /// Time in which it ran nothing while every worker of the run was busy with something else.
    pub busy: i64,
    /// Time in which it ran nothing although a worker was free.
    pub delay: i64,
    /// That time by the kind of edge: `creation`, `synchronisation`, `continuation`, `dependence`,
    /// `scheduling`; `lock` for waiting for locks, `mpi` for MPI calls.
    pub delays: BTreeMap<String, i64>,
    /// Of a group: time on the path with what is not of the group.
    pub outside: i64,
    /// Time after the last stretch.
    pub after: i64,
}

/// A definition's part in the paths.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PathRow {
    /// The definition.
    pub definition: String,
    /// Its grains in the scope.
    pub grains: u64,
    /// Their work.
    pub work: i64,
    /// Those on the critical path.
    pub critical_grains: u64,
    /// Work on it.
    pub critical_work: i64,
    /// Work on the path of last finishers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_finisher_work: Option<i64>,
    /// Work of the longest chain of its grains; only for the 32 definitions with most work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<i64>,
    /// Work by that span.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallelism: Option<f64>,
}

/// Answer of `loops`: how many workers the work-sharing loops of a run need.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Loops {
    /// `loops/1`
    pub schema: String,
    /// Run id.
    pub run: String,
    /// Unit of times.
    pub unit: TimeUnit,
    /// Executions of loops, in the order of the program.
    pub rows: Vec<LoopRow>,
}

/// One execution of a loop by a team.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LoopRow {
    /// Definition of its chunks.
    pub definition: String,
    /// Row of its first chunk.
    pub first_chunk: u32,
    /// Path of the grain whose team ran it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<Vec<String>>,
    /// Chunks.
    pub chunks: u32,
    /// Workers that ran one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<u32>,
    /// Sum of the chunks' work.
    pub work: i64,
    /// Time that it took.
    pub makespan: i64,
    /// Source of that time.
    pub makespan_from: Makespan,
    /// Least workers that keep the makespan; missing where it is not proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_workers: Option<u32>,
    /// They are no fewer.
    pub least_workers_lower: u32,
    /// So many do.
    pub least_workers_upper: u32,
    /// How the minimum is known.
    pub proof: Proof,
}

/// Which grains paths are local to: one of these, or none for the whole run.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct PathsQuery {
    /// The grains of a definition, by its name or function.
    pub definition: Option<String>,
    /// A grain, by its row, with everything below it.
    pub grain: Option<u32>,
    /// A group of the aggregation tree, by its number.
    pub group: Option<u32>,
    /// Form of the grain graph: `unreduced` or `reduced`; unreduced where there is one when missing.
    pub graph: Option<String>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// Form of the table of definitions.
    pub format: Option<Format>,
}

/// The form of a table that has no other parameters.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct TableQuery {
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// Form of the table.
    pub format: Option<Format>,
}
