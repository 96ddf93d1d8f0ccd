//! The shape of a history.

use std::collections::BTreeMap;
use std::sync::Arc;

use sheaf_model::{DefinitionId, ParamValue, RunId};
use sheaf_statistics::Estimate;

use crate::diff::{ChangeKind, MatchedBy, StructuralChange, Verdict};
use crate::renaming::Renaming;
use sheaf_analysis::Metric;

/// Answer of [`history`](super::history).
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryAnswer {
    /// The metrics, as they were asked for.
    pub metrics: Vec<Metric>,
    /// Parameter that tells versions apart.
    pub by: String,
    /// Every version, oldest first.
    pub versions: Vec<ParamValue>,
    /// Series, metric by metric in order of their environments.
    pub series: Vec<HistorySeries>,
    /// Definitions that have several names over the versions, followed as one.
    pub renaming: Renaming,
    /// Groups that were tested for changes, over all series.
    pub tested: usize,
    /// Things a reader must know.
    pub notes: Vec<String>,
}

/// Versions that ran in one environment, by one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct HistorySeries {
    /// The metric.
    pub metric: Metric,
    /// Name for people.
    pub name: String,
    /// What the environment is, where series differ in it.
    pub environment: BTreeMap<String, ParamValue>,
    /// Versions with their runs, oldest first.
    pub points: Vec<HistoryPoint>,
    /// Groups: changed ones first, then by share.
    pub rows: Vec<HistoryRow>,
    /// What happened to groups and to the structure, oldest first.
    pub events: Vec<HistoryEvent>,
    /// Smallest p that a group of this series can have.
    pub smallest_p: f64,
}

/// A version in a series.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryPoint {
    /// The version.
    pub version: ParamValue,
    /// Its runs.
    pub runs: Vec<RunId>,
    /// Why it is not tested against the version before: times with different numbers of workers.
    pub untested: Option<String>,
}

/// A group over the versions of a series, or the whole run.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryRow {
    /// Group id.
    pub group: String,
    /// Names from the outermost group; all names of what has several, oldest first, with arrows between.
    pub path: Vec<String>,
    /// Names of the definition that the path ends in, oldest first; none where it has but one.
    pub names: Vec<HistoryName>,
    /// Share of the whole run, over all versions; absent for metrics that do not add up.
    pub share: Option<f64>,
    /// Values at each point of the series; absent where the group does not occur or was not measured, and of the
    /// whole run where groups that matter were not measured.
    pub values: Vec<Option<HistoryValue>>,
    /// p of the best split of the series; absent when it was not tested. Where different numbers of workers part
    /// the series, the least p of its parts times their number.
    pub p: Option<f64>,
    /// q of that over all groups of all series.
    pub q: Option<f64>,
    /// Changes, oldest first; none unless q is small enough.
    pub changes: Vec<HistoryChange>,
    /// The last version against those since the last change.
    pub last: Option<HistoryLast>,
}

/// Values of the runs of one version.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HistoryValue {
    /// Runs with a value.
    pub runs: usize,
    /// Median over the runs.
    pub median: f64,
    /// Least run.
    pub min: f64,
    /// Greatest run.
    pub max: f64,
}

/// A change of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryChange {
    /// Place of the first version after it among the points of the series.
    pub point: usize,
    /// p by rearrangement between the neighbouring changes.
    pub p: f64,
    /// Medians between the change before and this one, and from this one to the next.
    pub medians: [f64; 2],
    /// `faster` or `slower`; `inconclusive` within the threshold, below the least share of the total, and where
    /// neither way is worse.
    pub verdict: Verdict,
    /// Why it is neither faster nor slower.
    pub reason: Option<String>,
}

/// The last version against those since the last change.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryLast {
    /// Place of the first version that it is compared with.
    pub since: usize,
    /// Runs of those versions, and of the last.
    pub runs: [usize; 2],
    /// Typical ratio to them and its interval; absent when a value is not positive.
    pub ratio: Option<Estimate>,
    /// Two-sided p of the exact rank-sum test; absent where it is refused.
    pub p: Option<f64>,
    /// q of that over all groups of all series that were tested.
    pub q: Option<f64>,
    /// Size of the change as a share of the greater of the mean totals of either; absent for metrics that do not
    /// add up.
    pub share: Option<f64>,
    /// What can be said.
    pub verdict: Verdict,
    /// Why nothing can be said that could be: of the numbers of workers, or of the share of the total.
    pub reason: Option<String>,
}

/// A name of a definition that has several.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryName {
    /// The definition.
    pub definition: DefinitionId,
    /// Its name.
    pub name: Arc<str>,
    /// Place of the first version that has it among the points of the series; absent where none has.
    pub point: Option<usize>,
    /// How it was found to be what the name before it is; absent of the first.
    pub matched_by: Option<MatchedBy>,
    /// How sure that is, 0..1.
    pub score: Option<f64>,
}

/// Something that happened from a version to the next.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryEvent {
    /// Place of the version among the points of the series.
    pub point: usize,
    /// What happened. Groups appear and vanish; all else happened to the definitions of the two versions.
    pub kind: ChangeKind,
    /// Id of the group, where it is one of the answer's.
    pub group: Option<String>,
    /// Names from the outermost group or context.
    pub path: Vec<String>,
    /// What happened to the structure; absent where a group appeared or vanished.
    pub change: Option<StructuralChange>,
}
