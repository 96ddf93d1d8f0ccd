//! Facts about the metric of an answer.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::LocationKind;

/// Code of a fact about the metric of an answer, with its values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "code", content = "values", rename_all = "snake_case")]
pub enum MetricFact {
    /// The metric is shown in ticks.
    ShownInTicks {
        /// The metric of the lens.
        asked: String,
        /// The metric that is shown.
        metric: String,
    },
    /// Runs have the metric in ticks.
    MeasuredInTicks {
        /// The metric of the lens.
        metric: String,
        /// Number of these runs.
        runs: u64,
    },
    /// Runs have the metric in another unit.
    MeasuredInOtherUnits {
        /// The metric.
        metric: String,
        /// The unit of the answer.
        unit: String,
        /// Number of these runs.
        runs: u64,
    },
    /// Runs do not have the metric.
    MetricNotMeasured {
        /// The metric.
        metric: String,
        /// Number of these runs.
        runs: u64,
    },
    /// Values are estimates.
    Estimated {
        /// The metric.
        metric: String,
        /// Number of runs with estimates.
        runs: u64,
        /// Reason of the first of these runs, as its reader gave it.
        reason: String,
    },
    /// Values are infinite or not numbers.
    UnusableValues {
        /// The metric.
        metric: String,
        /// Number of these values.
        values: u64,
    },
    /// Runs have no values by location.
    NoValuesByLocation {
        /// Kind of location.
        by: LocationKind,
        /// Number of these runs.
        runs: u64,
    },
    /// Values are those of grains, which are not tested.
    GrainsDrawn {
        /// Number of grains.
        grains: u64,
        /// Number of runs.
        runs: u64,
    },
}
