//! How groups change over the versions of a program.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sheaf_model::Lens;
use utoipa::{IntoParams, ToSchema};

use crate::{
    ChangeKind, DiffRow, Format, MatchedBy, Note, ParamValue, Reason, StructuralChange, Verdict,
};

/// Answer of `history`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct History {
    /// `history/1`
    pub schema: String,
    /// The lens that was answered, in text.
    pub lens: String,
    /// First metric, which is that of every series unless more were asked for; values are exclusive.
    pub metric: String,
    /// Unit of its values.
    pub unit: String,
    /// Parameter that distinguishes versions.
    pub by: String,
    /// Every version, oldest first.
    pub versions: Vec<ParamValue>,
    /// Greatest q of a change.
    pub alpha: f64,
    /// Groups that were tested for changes, over all series.
    pub tested: u64,
    /// Definitions that have several names over the versions and are followed as one.
    pub renames: Vec<Renamed>,
    /// Versions that ran in one environment each, in order of the environments, metric by metric.
    pub series: Vec<HistorySeries>,
    /// What changed at changes and events, against the version before.
    pub diffs: Vec<HistoryDiff>,
    /// Things a reader must know.
    pub notes: Vec<Note>,
}

/// Versions that ran in one environment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HistorySeries {
    /// Metric; values are exclusive.
    pub metric: String,
    /// Unit of its values.
    pub unit: String,
    /// Name for people.
    pub name: String,
    /// What the environment is, where series differ in it.
    pub environment: BTreeMap<String, ParamValue>,
    /// Versions, oldest first.
    pub points: Vec<HistoryPoint>,
    /// Groups: changed ones first, then by share.
    pub groups: Vec<HistoryGroup>,
    /// What happened to groups and to the structure, oldest first.
    pub events: Vec<HistoryEvent>,
    /// Smallest p that a group of this series can have.
    pub smallest_p: f64,
}

/// A version in a series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HistoryPoint {
    /// The version.
    pub version: ParamValue,
    /// Ids of its runs.
    pub runs: Vec<String>,
    /// Why nothing is tested against the version before: times with different numbers of workers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untested: Option<Reason>,
    /// What changed since the version before; absent of the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<HistoryLink>,
}

/// A difference that can be asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HistoryLink {
    /// The question as a lens with a `diff` clause.
    pub lens: String,
    /// Path and query that answer it over HTTP.
    pub href: String,
}

impl HistoryLink {
    /// How the difference of a lens with a `diff` clause is asked for.
    pub fn new(lens: &Lens) -> Self {
        let lens = lens.to_string();
        let mut href = "/api/v1/diff?lens=".to_owned();
        for byte in lens.bytes() {
            // A value of a query (RFC 3986).
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                href.push(char::from(byte));
            } else {
                // Writing to a string does not fail.
                let _ = write!(href, "%{byte:02X}");
            }
        }
        Self { lens, href }
    }
}

/// A definition that has several names over the runs, and is followed as one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Renamed {
    /// Id of the newest definition, under which it is followed.
    pub group: String,
    /// Its names, oldest first.
    pub names: Vec<RenamedName>,
}

/// A name of a definition that has several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RenamedName {
    /// The name.
    pub name: String,
    /// Id of the definition that has it.
    pub group: String,
    /// The first version that has it, in a history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<ParamValue>,
    /// How it was found to be what the name before it is; absent of the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched_by: Option<MatchedBy>,
    /// How sure that is, 0..1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// A group over the versions of a series; the whole run is one with the id `total`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HistoryGroup {
    /// Names from the outermost group; all names of what has several, oldest first, with arrows between.
    pub path: Vec<String>,
    /// Group id.
    pub group: String,
    /// Names of the definition that the path ends in, where it has several, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<RenamedName>,
    /// Share of the whole run, over all versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Values at each point of the series; null where the group does not occur or was not measured.
    pub values: Vec<Option<HistoryValue>>,
    /// p of the best split of the series; absent when it was not tested. Where different numbers of workers part
    /// the series, the least p of its parts times their number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// q of that over all groups of all series that were tested, however small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<f64>,
    /// Changes, oldest first.
    pub changes: Vec<HistoryChange>,
    /// The last version against those since the last change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<HistoryLast>,
}

/// Values of the runs of one version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
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
    /// `slower` or `faster`; `inconclusive` below a change of 5 %, below 1 % of the larger total, and where neither
    /// way is worse.
    pub verdict: Verdict,
    /// Why it is neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// What changed there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<HistoryLink>,
}

/// The last version against those since the last change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
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
    /// Two-sided p of the exact rank-sum test; absent where it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// q of that over all groups of all series that were tested, however small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it is not called slower or faster: times with different numbers of workers, or too little of the total.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

/// Something that happened from a version to the next. Groups appear and vanish; all else happened to
/// definitions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HistoryEvent {
    /// Place of the version among the points of the series, from 0.
    pub point: u64,
    /// That version.
    pub version: ParamValue,
    /// What happened.
    pub kind: ChangeKind,
    /// Names from the outermost group or context.
    pub path: Vec<String>,
    /// Group id, where the group is one of the answer's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// `appeared` or `vanished`, of groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// What happened to the structure; absent where a group appeared or vanished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<StructuralChange>,
    /// What changed there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<HistoryLink>,
}

/// What changed between a version and the one before it in a series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HistoryDiff {
    /// Place of the series, from 0.
    pub series: u64,
    /// Place of the version among the points of the series, from 0.
    pub point: u64,
    /// The version before.
    pub before: ParamValue,
    /// The version.
    pub version: ParamValue,
    /// What answers it whole.
    #[serde(flatten)]
    pub link: HistoryLink,
    /// The verdict on the structure, with numbers.
    pub structure: String,
    /// The greatest changes.
    pub rows: Vec<DiffRow>,
    /// Groups in all.
    pub groups: u64,
}

/// A history: which runs, the parameter that distinguishes versions, and the order of its values.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct HistoryQuery {
    /// Text form of the lens; its `by` is the parameter when none is given.
    pub lens: Option<String>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// Parameter that distinguishes versions.
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
    /// Metrics besides the lens's, with commas between; `all` for every one.
    pub metrics: Option<String>,
    /// Greatest q of a change, above 0 and below 1; 0.05 when missing.
    pub alpha: Option<f64>,
}
