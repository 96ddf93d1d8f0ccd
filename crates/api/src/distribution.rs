//! Histogram of one group over runs, call sites or ranks.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

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
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
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
    /// `exclusive` or `inclusive`.
    pub scope: String,
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
    /// The values themselves when there are at most 50, ascending.
    pub values: Vec<f64>,
    /// Things a reader must know.
    pub notes: Vec<String>,
}

/// One bin; the last includes its upper end.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
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
