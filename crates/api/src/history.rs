//! How groups change over the versions of a program.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{DiffRow, Format, ParamValue, Verdict};

/// Answer of `history`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct History {
    /// `history/1`
    pub schema: String,
    /// The lens that was answered, in text.
    pub lens: String,
    /// Metric; values are exclusive.
    pub metric: String,
    /// Unit of every value.
    pub unit: String,
    /// Parameter that tells versions apart.
    pub by: String,
    /// Every version, oldest first.
    pub versions: Vec<ParamValue>,
    /// Greatest q of a change.
    pub alpha: f64,
    /// Groups that were tested for changes, over all series.
    pub tested: u64,
    /// Versions that ran in one environment each, in order of the environments.
    pub series: Vec<HistorySeries>,
    /// What changed at changes and events, against the version before.
    pub diffs: Vec<HistoryDiff>,
    /// Things a reader must know.
    pub notes: Vec<String>,
}

/// Versions that ran in one environment.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct HistorySeries {
    /// Name for people.
    pub name: String,
    /// What the environment is, where series differ in it.
    pub environment: BTreeMap<String, ParamValue>,
    /// Versions, oldest first.
    pub points: Vec<HistoryPoint>,
    /// Groups: changed ones first, then by share.
    pub groups: Vec<HistoryGroup>,
    /// Groups that appeared or vanished, oldest first.
    pub events: Vec<HistoryEvent>,
    /// Smallest p that a group of this series can have.
    pub smallest_p: f64,
}

/// A version in a series.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct HistoryPoint {
    /// The version.
    pub version: ParamValue,
    /// Ids of its runs.
    pub runs: Vec<String>,
}

/// A group over the versions of a series; the whole run is one with the id `total`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct HistoryGroup {
    /// Names from the outermost group.
    pub path: Vec<String>,
    /// Group id.
    pub group: String,
    /// Share of the whole run, over all versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Values at each point of the series; null where the group does not occur.
    pub values: Vec<Option<HistoryValue>>,
    /// p of the best split of the whole series; absent when it was not tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// q of that over all groups of all series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<f64>,
    /// Changes, oldest first.
    pub changes: Vec<HistoryChange>,
    /// The last version against those since the last change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<HistoryLast>,
}

/// Values of the runs of one version.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct HistoryValue {
    /// Runs with a value.
    pub runs: u64,
    /// Median over the runs.
    pub median: f64,
    /// Least run.
    pub min: f64,
    /// Greatest run.
    pub max: f64,
}

/// A change of a group.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct HistoryChange {
    /// Place of the first version after it among the points of the series, from 0.
    pub point: u64,
    /// That version.
    pub version: ParamValue,
    /// p by rearrangement between the neighbouring changes.
    pub p: f64,
    /// Median from the change before to this one.
    pub before: f64,
    /// Median from this one to the next.
    pub after: f64,
    /// `slower` or `faster`; `inconclusive` below a change of 5 %, and where neither way is worse.
    pub verdict: Verdict,
}

/// The last version against those since the last change.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct HistoryLast {
    /// Place of the first version that it is compared with, from 0.
    pub since: u64,
    /// Runs of those versions.
    pub runs_before: u64,
    /// Runs of the last version.
    pub runs: u64,
    /// Typical ratio to them (Hodges-Lehmann).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Distribution-free interval of the ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci: Option<[f64; 2]>,
    /// Two-sided p of the exact rank-sum test.
    pub p: f64,
    /// q of that over all groups of all series.
    pub q: f64,
    /// What can be said.
    pub verdict: Verdict,
}

/// A group that came or went.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct HistoryEvent {
    /// Place of the version among the points of the series, from 0.
    pub point: u64,
    /// That version.
    pub version: ParamValue,
    /// Names from the outermost group.
    pub path: Vec<String>,
    /// Group id.
    pub group: String,
    /// `appeared` or `vanished`.
    pub verdict: Verdict,
}

/// What changed between a version and the one before it in a series.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct HistoryDiff {
    /// Place of the series, from 0.
    pub series: u64,
    /// Place of the version among the points of the series, from 0.
    pub point: u64,
    /// The version before.
    pub before: ParamValue,
    /// The version.
    pub version: ParamValue,
    /// The question as a lens with a `diff` clause.
    pub lens: String,
    /// What can be said of the structure, with numbers.
    pub structure: String,
    /// The greatest changes.
    pub rows: Vec<DiffRow>,
    /// Groups in all.
    pub groups: u64,
}

/// A history: which runs, the parameter that tells versions apart, and the order of its values.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct HistoryQuery {
    /// Text form of the lens; its `by` is the parameter when none is given.
    pub lens: Option<String>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// Parameter that tells versions apart.
    pub by: Option<String>,
    /// Form of the table: a row per group and version.
    pub format: Option<Format>,
    /// Parameter by which versions are ordered; as versions when missing.
    pub order: Option<String>,
    /// Versions, oldest first, with commas between; instead of `order`.
    pub versions: Option<String>,
    /// Parameters whose change begins a new series, with commas between; compiler, node, threads and the
    /// like when missing.
    pub environment: Option<String>,
    /// Greatest q of a change, above 0 and below 1; 0.05 when missing.
    pub alpha: Option<f64>,
}
