//! Distributions of groups over the runs of each cohort.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sheaf_model::Scope;
use utoipa::ToSchema;

use crate::{NamePath, Note, ParamValue};

/// Answer of `stats`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Stats {
    /// `stats/1`
    pub schema: String,
    /// The lens that was answered, in text.
    pub lens: String,
    /// One row per group, cohort, metric and scope.
    pub rows: Vec<StatsRow>,
    /// Things a reader must know.
    pub notes: Vec<Note>,
}

/// Bytes of a row without its path, closely enough for a bound.
const ROW_BYTES: u64 = 700;

impl Stats {
    /// The same with a part of the rows; all from `offset` on without a limit.
    #[must_use]
    pub fn page(mut self, offset: usize, limit: Option<usize>) -> Self {
        self.rows.drain(..offset.min(self.rows.len()));
        self.rows.truncate(limit.unwrap_or(usize::MAX));
        self
    }

    /// Bytes of all rows on the wire, closely enough for a bound: paths of calls at depth n have n names each, which a row
    /// in memory shares with the others.
    pub fn num_bytes(&self) -> u64 {
        let rows = self.rows.iter();
        rows.map(|row| row.path.num_bytes().saturating_add(ROW_BYTES))
            .fold(0, u64::saturating_add)
    }
}

/// The distribution of one group's values over the runs of one cohort. The unit of statistics is
/// the run: one value per run. Quartiles are of type 7; `std` divides by n − 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StatsRow {
    /// Names from the outermost group; one element except at context level.
    #[schema(value_type = Vec<String>)]
    pub path: NamePath,
    /// Group id, stable over runs and stores.
    pub group: String,
    /// Parameter values of the cohort.
    pub cohort: BTreeMap<String, ParamValue>,
    /// Metric.
    pub metric: String,
    /// The name that the source used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_metric: Option<String>,
    /// Label, else name, that the source shows; missing if that is `metric`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Whether values of any run are estimates, because a counter wrapped or took turns with others; `notes` say why.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
    /// Scope of the values.
    pub scope: Scope,
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
    /// Quantile at 5 %, type 7.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p05: Option<f64>,
    /// Quantile at 95 %, type 7.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p95: Option<f64>,
    /// Median absolute deviation from the median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mad: Option<f64>,
    /// Interval of the median with an error of at most 5 %, between runs; it needs at least six.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_ci: Option<[f64; 2]>,
    /// Box plot; its outliers are run ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub box_plot: Option<BoxPlot>,
    /// Two clusters of runs, where there are two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modes: Option<Modes>,
    /// Histogram over the runs, in the same bins for all cohorts of the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub histogram: Option<SharedBins>,
    /// Mean worker divided by greatest worker, mean over runs: 1 is balanced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_balance: Option<f64>,
    /// Mean share of the values inside of regions; absent for groups outside of every region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Whether it was measured outside of every region, as Caliper's records without a path are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outside: bool,
}

/// Fences, and what lies beyond them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BoxPlot {
    /// Tukey's fences, 1.5 interquartile ranges outside of the quartiles; absent below four values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fences: Option<[f64; 2]>,
    /// Least and greatest value that is no outlier.
    pub whiskers: [f64; 2],
    /// Values beyond the fences that also deviate by more than 1 % from the median.
    pub outlier_count: u64,
    /// Those, the farthest from the median first; at most 50.
    pub outliers: Vec<Outlier>,
}

/// A value far from the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Outlier {
    /// What it belongs to: a run id, or a name.
    pub owner: String,
    /// The value.
    pub value: f64,
}

/// Two clusters of values with a wide gap between them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Modes {
    /// The lower cluster.
    pub low: Mode,
    /// The upper cluster.
    pub high: Mode,
}

/// One cluster of values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Mode {
    /// Values in it.
    pub count: u64,
    /// Least value.
    pub min: f64,
    /// Median.
    pub median: f64,
    /// Greatest value.
    pub max: f64,
}

/// Numbers of values in bins of equal width that several distributions share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SharedBins {
    /// Lower end of the first bin.
    pub lo: f64,
    /// Upper end of the last, which includes it.
    pub hi: f64,
    /// Values per bin; one bin when all values are equal.
    pub counts: Vec<u64>,
}
