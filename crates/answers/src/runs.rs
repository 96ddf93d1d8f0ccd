//! Runs of a store: the run table and one run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sheaf_model::{Direction, MetricKind, ParamValue, ParameterRole, TimeUnit};
use utoipa::ToSchema;

use crate::GraphForm;
use crate::choice::choice;

/// Answer of `runs`: the runs that the lens's `where` selects, in order of name, then id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Runs {
    /// `runs/1`
    pub schema: String,
    /// The runs.
    pub runs: Vec<Run>,
    /// Every parameter of any of the runs, those that vary first.
    pub parameters: Vec<Parameter>,
    /// Every metric of any of the runs.
    pub metrics: Vec<Metric>,
    /// The cohorts that the lens's `by` forms, in order of their values.
    pub cohorts: Vec<Cohort>,
    /// Name of the metric of the totals: the lens's, or the main one of the runs; absent in an empty store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Run {
    /// Run id: 32 hexadecimal digits.
    pub run: String,
    /// Short name.
    pub name: String,
    /// Program without folders.
    pub program: String,
    /// Format it was read from.
    pub format: String,
    /// Parameters by name.
    pub params: BTreeMap<String, ParamValue>,
    /// Tasks and chunks; absent for call profiles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grains: Option<u64>,
    /// Contexts.
    pub contexts: u64,
    /// Elapsed time in ns; absent without times or without a known clock rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_ns: Option<i64>,
    /// Elapsed time of the uninstrumented reference in ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_elapsed_ns: Option<i64>,
    /// Workers over all ranks; absent if the source does not distinguish locations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<i64>,
    /// Ranks.
    pub ranks: i64,
    /// Whether the source was complete.
    pub is_complete: bool,
    /// Names of its metrics.
    pub metrics: Vec<String>,
    /// Inclusive value of the lens's metric at the root, as one value per run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// What its reader had to skip or repair.
    pub warnings: Vec<String>,
    /// The files it was read from; absent for runs of stores of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<RunSource>,
}

/// The files that a run was read from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunSource {
    /// The file as the user named it, or its path below the folder that the user named; of several files that of their
    /// folder or of the first in order. `recorded` for runs that `record` added.
    pub file: String,
    /// Number of files: several if processes or ranks wrote a file each, or a folder is one database.
    pub files: u64,
    /// Size of these files in bytes, compressed if they are.
    pub bytes: u64,
    /// Format that they were read as.
    pub format: String,
    /// Version of Grainsheaf that read them.
    pub reader: String,
    /// Time of the import in RFC 3339, UTC; absent if the store has no note of the import any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<String>,
}

/// One run in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunInfo {
    /// `info/1`
    pub schema: String,
    /// The run.
    #[serde(flatten)]
    pub run: Run,
    /// Definitions.
    pub definitions: u64,
    /// Fragments of grains.
    pub fragments: u64,
    /// Edges of the grain graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edges: Option<Edges>,
    /// Form of the grain graph that edges, span and parallelism are of: `unreduced` if there are
    /// fragments, else `reduced`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<GraphForm>,
    /// Stored tables.
    pub tables: Vec<TableSize>,
    /// Total work, in `unit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<i64>,
    /// Length of the critical path, in `unit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<i64>,
    /// Weight of the graph's nodes, where it is not `work`: with the runtime system's time within grains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph_work: Option<i64>,
    /// Weight of the graph's nodes divided by span.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallelism: Option<f64>,
    /// Time that ready grains waited for a worker, in `unit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<i64>,
    /// Time that workers had nothing to run, in `unit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_work: Option<i64>,
    /// Messages between its ranks; absent without MPI, or if they were not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<RunMessages>,
    /// `ns` if the clock rate is known, else `ticks`.
    pub unit: TimeUnit,
    /// Unit of every figure of this answer, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub units: BTreeMap<String, String>,
    /// The remark of a user on the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// What the source cannot give, with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lacks: BTreeMap<String, String>,
    /// Figures that are absent of a run with grains, with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub absent: BTreeMap<String, String>,
}

/// Messages and collective calls of the MPI ranks of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunMessages {
    /// Elapsed time on a network without latency and with unlimited bandwidth, in the run's `unit`; the reason why it is
    /// absent is in `lacks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ideal_elapsed: Option<i64>,
    /// That time over the elapsed time: the transfer efficiency of the POP model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfer_efficiency: Option<f64>,
    /// Calls of MPI.
    pub calls: u64,
    /// Calls of which it is not known what they wait for: on the ideal network they take as long as they took.
    pub kept_calls: u64,
    /// Messages from one rank to another, those without a counterpart included.
    pub messages: u64,
    /// Messages of which only one side was recorded.
    pub unmatched: u64,
    /// Messages that were sent, by sender, then receiver. Collective calls are not in them.
    pub pairs: Vec<MessagePair>,
}

/// Messages from one rank to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MessagePair {
    /// Rank of the sender in `MPI_COMM_WORLD`.
    pub from: u32,
    /// Rank of the receiver there.
    pub to: u32,
    /// Messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Edge counts of a grain graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Edges {
    /// Fork to child.
    pub creation: u64,
    /// Child to join.
    pub synchronisation: u64,
    /// Fragment to next fragment.
    pub continuation: u64,
    /// Task to a task that depends on it.
    pub dependence: u64,
}

/// One stored table of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TableSize {
    /// Table.
    pub name: String,
    /// Rows of the run.
    pub rows: u64,
    /// Bytes on disk of the run's rows; the run's share of a file that several runs share.
    pub bytes: u64,
}

choice! {
    /// Type of the values of a parameter.
    ParameterType {
        /// Numbers.
        Number = "number",
        /// Texts.
        Text = "text",
        /// Truth values.
        Boolean = "boolean",
        /// Points in time.
        Time = "time",
        /// Runs have values of several types.
        Mixed = "mixed",
    }
}

/// A parameter over the runs of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Parameter {
    /// Name.
    pub name: String,
    /// Type of its values.
    #[serde(rename = "type")]
    pub kind: ParameterType,
    /// Distinct values in order, at most 50.
    pub values: Vec<ParamValue>,
    /// Number of distinct values.
    pub distinct: u64,
    /// Runs that have it.
    pub runs: u64,
    /// Whether it takes more than one value, or is absent in some runs.
    pub varies: bool,
    /// `incidental` if it identifies a launch, by its name or by the store's rules; `configuration` if these rules make it
    /// part of one. Absent for all others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<ParameterRole>,
}

/// A metric over the runs of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Metric {
    /// Name.
    pub name: String,
    /// `ns`, `us`, `s`, `ticks`, `cycles`, `bytes`, `count`, `ratio` or `unknown`.
    pub unit: String,
    /// How values combine.
    pub kind: MetricKind,
    /// Which values are better.
    pub direction: Direction,
    /// The name that the source used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The label that the source shows people, such as `Avg time/rank`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Runs that have it.
    pub runs: u64,
    /// What it measures, in one sentence.
    pub definition: String,
}

/// A cohort.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Cohort {
    /// The shared parameter values; a parameter that its runs do not have is missing.
    pub values: BTreeMap<String, ParamValue>,
    /// Name for people: `threads=8`.
    pub name: String,
    /// Ids of its runs.
    pub runs: Vec<String>,
}

#[cfg(test)]
mod tests {
    use sheaf_model::ParamValue;

    #[test]
    fn whole_numbers_have_no_decimal_point() {
        for (number, text) in [
            (430_978_356_760.0, "430978356760"),
            (-8.0, "-8"),
            (0.5, "0.5"),
            (1e300, "1e+300"),
        ] {
            let value = ParamValue::Number(number);
            assert_eq!(serde_json::to_string(&value).unwrap(), text);
            assert_eq!(serde_json::from_str::<ParamValue>(text).unwrap(), value);
        }
    }
}
