//! Histogram of one group over runs, call sites or ranks.

use serde::{Deserialize, Serialize};
use sheaf_model::Scope;
use utoipa::ToSchema;

use crate::{BoxPlot, Modes, Note};

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DistributionMode {
    /// One value per run.
    Runs,
    /// One value per call site: its mean over runs.
    CallSites,
    /// One value per rank and run.
    Ranks,
    /// One value per worker and run.
    Workers,
}

/// Answer of `distribution`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Distribution {
    /// `distribution/1`
    pub schema: String,
    /// The lens that was answered, in text.
    pub lens: String,
    /// Group id.
    pub group: String,
    /// Its name.
    pub name: String,
    /// Metric.
    pub metric: String,
    /// Scope of the values.
    pub scope: Scope,
    /// Unit of every value.
    pub unit: String,
    /// What is counted.
    pub mode: DistributionMode,
    /// Bins in ascending order; one when all values are equal.
    pub bins: Vec<Bin>,
    /// Values in all.
    pub count: u64,
    /// Runs in which the group does not occur.
    pub absent: u64,
    /// Quantiles of type 7 at 5, 25, 50, 75 and 95 %.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantiles: Option<[f64; 5]>,
    /// Box plot; its outliers are run names, call-site names, ranks or workers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub box_plot: Option<BoxPlot>,
    /// Two clusters of values, where there are two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modes: Option<Modes>,
    /// Hartigan's dip: how far the values are from having one mode; absent below four values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dip: Option<f64>,
    /// Chance of a dip at least as large for values with one mode. A hint: values of one run are
    /// not independent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dip_p: Option<f64>,
    /// The values themselves when there are at most 50, ascending.
    pub values: Vec<f64>,
    /// Things a reader must know.
    pub notes: Vec<Note>,
}

/// One bin; the last includes its upper end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Bin {
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
    /// Values in it.
    pub count: u64,
    /// Values in it that belong to the target or to side B of a diff.
    pub target_count: u64,
    /// Values in it that belong to side A of a diff.
    pub baseline_count: u64,
    /// Who is in it: run names, call-site names, or compacted ranges of ranks (`0-15, 18`); the
    /// first 20.
    pub members: Vec<String>,
    /// Ids of the runs in it, in mode `runs`.
    pub runs: Vec<String>,
}
