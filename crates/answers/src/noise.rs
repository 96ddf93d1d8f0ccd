//! How noisy repeats are, and what that means for gates.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sheaf_model::Level;
use utoipa::{IntoParams, ToSchema};

use crate::{Format, Note, ParamValue};

/// Answer of `noise`. The same JSON in a file gives `gate --thresholds` its limits: of each group the
/// greatest `threshold` of any configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Noise {
    /// `noise/1`
    pub schema: String,
    /// The lens that was answered, in text.
    pub lens: String,
    /// Level of the groups.
    pub level: Level,
    /// Metric.
    pub metric: String,
    /// Unit of every value.
    pub unit: String,
    /// Parameters that make a configuration.
    pub by: Vec<String>,
    /// Share of false alarms.
    pub alpha: f64,
    /// Share of changes that must be found for a change to count as visible.
    pub power: f64,
    /// Seed of divisions and simulations.
    pub seed: u64,
    /// Configurations, in order of their values.
    pub cohorts: Vec<NoiseCohort>,
    /// Gates between halves of all configurations that have enough repeats.
    pub check: SplitCheck,
    /// Repeats of one configuration from which on its halves can fail a gate at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats_needed: Option<u64>,
    /// Things a reader must know.
    pub notes: Vec<Note>,
}

/// Repeats of one configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct NoiseCohort {
    /// Name for people.
    pub name: String,
    /// Values of its parameters.
    pub values: BTreeMap<String, ParamValue>,
    /// Ids of its runs that have the metric.
    pub runs: Vec<String>,
    /// Groups, greatest share of the run first.
    pub groups: Vec<NoiseGroup>,
    /// Gates between its halves; absent below two runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<SplitCheck>,
    /// Median over its runs of the share of time for which threads were ready and had no processor: other threads
    /// or programs ran. Absent where no source says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preempted_share: Option<f64>,
}

/// Noise of one group over repeats. All changes are relative: 0.1 is a tenth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct NoiseGroup {
    /// Names from the outermost group.
    pub path: Vec<String>,
    /// Group id.
    pub group: String,
    /// Runs in which it occurs and was measured.
    pub runs: u64,
    /// Median over these runs.
    pub median: f64,
    /// Share of the whole run; absent for metrics that do not add up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Robust relative standard deviation; absent below three runs or where a value is not positive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<f64>,
    /// A comparison whose sides have as many runs as there are repeats detects changes from this size on, if no other
    /// group changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visible: Option<f64>,
    /// The same for other numbers of runs per side; those that can show nothing are missing.
    pub visible_with: BTreeMap<String, f64>,
    /// Change between halves that only the share alpha of the splits exceeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<f64>,
    /// Suggested limit for a gate: the greater of `visible` and `seen`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
}

/// How often gates between halves of repeats failed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct SplitCheck {
    /// Ways in which runs were divided.
    pub splits: u64,
    /// Whether these are all ways there are, rather than some drawn at random.
    pub is_all: bool,
    /// Whether so few runs can fail a gate at all.
    pub can_fail: bool,
    /// Gates: either half as the candidate.
    pub gates: u64,
    /// Gates that failed.
    pub failed: u64,
    /// Share of gates that failed; absent without gates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Whether that share is at most alpha; absent where nothing could fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds: Option<bool>,
}

/// Noise: a lens and the gate that is tested.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct NoiseQuery {
    /// Text form of the lens; its `by` clause names what makes a configuration.
    pub lens: Option<String>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// Form of the table of groups.
    pub format: Option<Format>,
    /// Share of false alarms, above 0 and below 1; 0.05 when missing.
    pub alpha: Option<f64>,
    /// Divisions of a configuration's runs, 1 to 10,000; 500 when missing.
    pub splits: Option<usize>,
}
