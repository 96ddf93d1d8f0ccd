//! Distributions of groups over the runs of each cohort.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ParamValue;

/// Answer of `stats`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Stats {
    /// `stats/1`
    pub schema: String,
    /// The lens that was answered, in text.
    pub lens: String,
    /// One row per group, cohort, metric and scope.
    pub rows: Vec<StatsRow>,
    /// Things a reader must know.
    pub notes: Vec<String>,
}

/// The distribution of one group's values over the runs of one cohort. The unit of statistics is
/// the run: one value per run. Quartiles are of type 7; `std` divides by n − 1.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct StatsRow {
    /// Names from the outermost group; one element except at context level.
    pub path: Vec<String>,
    /// Group id, stable over runs and stores.
    pub group: String,
    /// Parameter values of the cohort.
    pub cohort: BTreeMap<String, ParamValue>,
    /// Metric.
    pub metric: String,
    /// The name that the source used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_metric: Option<String>,
    /// `exclusive` or `inclusive`.
    pub scope: String,
    /// Unit.
    pub unit: String,
    /// Runs in which the group has a value.
    pub runs: u64,
    /// Runs of the cohort in which the group does not occur.
    pub absent: u64,
    /// Runs of the cohort in which the group occurs but the metric was not measured.
    pub not_measured: u64,
    /// Observations (grains, samples) behind the values, over all runs.
    pub count: u64,
    /// Mean over runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Median over runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median: Option<f64>,
    /// Standard deviation over runs; absent below two runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub std: Option<f64>,
    /// Least run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Greatest run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// First quartile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q1: Option<f64>,
    /// Third quartile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q3: Option<f64>,
    /// Mean worker divided by greatest worker, mean over runs: 1 is balanced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_balance: Option<f64>,
    /// Mean share of the run's total.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
}
