//! Facts about a scaling study.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A point of a series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SeriesPoint {
    /// Name of the series.
    pub series: String,
    /// Value of the parameter.
    pub value: f64,
}

/// A part of a number of things.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CountOf {
    /// Number of the part.
    pub count: u64,
    /// Number of all.
    pub of: u64,
}

/// Code of a fact about a scaling study, with its values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "code", content = "values", rename_all = "snake_case")]
pub enum ScaleFact {
    /// Runs without the parameter are left out.
    WithoutParameter {
        /// The parameter.
        parameter: String,
        /// Number of these runs.
        runs: u64,
    },
    /// Runs without a positive time are left out.
    WithoutTime {
        /// Number of these runs.
        runs: u64,
    },
    /// Times are elapsed times, groups have another metric.
    ElapsedTimes {
        /// Metric of groups.
        metric: String,
    },
    /// The metric is not a time.
    NotATime {
        /// The metric.
        metric: String,
        /// The parameter.
        parameter: String,
    },
    /// The parameter does not count workers.
    NoWorkersCounted {
        /// The parameter.
        parameter: String,
        /// Whether it has two values, which do not determine a law.
        two_values: bool,
    },
    /// Points have more workers than processors.
    MoreWorkersThanProcessors {
        /// The parameter.
        parameter: String,
        /// Its values at these points.
        values: Vec<f64>,
    },
    /// Work per worker is not constant.
    WorkNotConstant {
        /// Name of the series.
        series: String,
    },
    /// The runs do not show their inputs, and scaling counts as weak because their work grows.
    InputsNotShown {
        /// The parameter.
        parameter: String,
        /// The metric of the work.
        metric: String,
        /// Name of the series.
        series: String,
    },
    /// Work grows in runs that may lack loops: it may be that of a larger input.
    LoopsNotShown {
        /// The parameter.
        parameter: String,
        /// Name of the series.
        series: String,
    },
    /// A point is faster than its bound.
    FasterThanBound {
        /// The parameter.
        parameter: String,
        /// The point.
        point: SeriesPoint,
    },
    /// The times of a run are contradictory.
    TimesContradict {
        /// The parameter.
        parameter: String,
        /// The point for which the run stands.
        point: SeriesPoint,
        /// The contradiction, as the time line found it.
        fault: String,
    },
    /// Figures of a point are those of a median, or of the run nearest to it.
    MedianOfRuns {
        /// Whether there are efficiencies, bounds and losses.
        with_losses: bool,
    },
    /// A series has no run with one worker.
    NoRunWithOne {
        /// The parameter.
        parameter: String,
        /// The point to which ratios relate.
        reference: SeriesPoint,
    },
    /// Several series have no run with one worker.
    SeriesWithoutOne {
        /// The parameter.
        parameter: String,
        /// Number of these series.
        series: u64,
    },
    /// Utilisation relates to one point.
    UtilisationOfPoint {
        /// The parameter.
        parameter: String,
        /// The point.
        reference: SeriesPoint,
    },
    /// Utilisation relates to the best time of each series.
    UtilisationOfSeries {
        /// Parameters that may distinguish inputs.
        inputs: Vec<String>,
    },
    /// Utilisation relates to one point for each input.
    UtilisationOfInputs {
        /// The parameter.
        parameter: String,
        /// Parameters that distinguish inputs.
        inputs: Vec<String>,
        /// The points.
        references: Vec<SeriesPoint>,
    },
    /// Time in MPI counts as work in some runs.
    MpiCountsAsWork {
        /// These runs.
        runs: CountOf,
    },
    /// Serialisation and transfer of some runs are unknown.
    TransferUnknown {
        /// These runs.
        runs: CountOf,
        /// Reason of the first of them, as its reader gave it.
        reason: String,
    },
    /// Transfer efficiency of some runs is an upper bound.
    TransferUpperBound {
        /// These runs.
        runs: CountOf,
        /// Name of the first of them.
        run: String,
        /// Its messages that could not be matched.
        #[serde(skip_serializing_if = "Option::is_none")]
        messages: Option<CountOf>,
        /// Its calls of MPI with an unknown wait.
        #[serde(skip_serializing_if = "Option::is_none")]
        calls: Option<CountOf>,
    },
}
