//! Facts about comparisons of two sides.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use sheaf_model::LocationAggregate;

use crate::{WhichSide, WidthChange};

/// A group that was not measured in all runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PartlyMeasured {
    /// Path of the group, joined by slashes.
    pub group: String,
    /// Runs of the baseline without a measurement.
    pub baseline: u64,
    /// Runs of the candidate without a measurement.
    pub candidate: u64,
}

/// A construct of the baseline and one of the candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ConstructPair {
    /// The construct of the baseline.
    pub a: String,
    /// The construct of the candidate.
    pub b: String,
}

/// Code of a fact about a comparison of two sides, with its values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "code", content = "values", rename_all = "snake_case")]
pub enum DiffFact {
    /// Runs of a side without the metric are left out.
    RunsWithoutMetric {
        /// The side.
        side: WhichSide,
        /// Number of these runs.
        runs: u64,
        /// Number of runs of the side.
        of: u64,
        /// The metric.
        metric: String,
    },
    /// Nothing is tested because both sides have some runs.
    SharedRuns {
        /// Number of these runs.
        runs: u64,
    },
    /// Times are not tested because the sides ran with different numbers of workers, threads or ranks.
    OtherNumbers {
        /// The numbers.
        numbers: WidthChange,
    },
    /// Work occurs on one side only.
    UnmatchedWork {
        /// Share of that work.
        share: f64,
    },
    /// Significance needs several completely separated groups, or cannot be reached.
    SeparationNeeded {
        /// Runs of the baseline.
        runs_a: u64,
        /// Runs of the candidate.
        runs_b: u64,
        /// Number of tested groups.
        tested: u64,
        /// Number of groups; absent if no number is enough.
        #[serde(skip_serializing_if = "Option::is_none")]
        needed: Option<u64>,
    },
    /// Loops of a region were recorded on one side only.
    RegionNotCompared {
        /// The region.
        region: String,
        /// The side with loops.
        side: WhichSide,
    },
    /// The elapsed time changed although the total of the metric did not change so.
    ElapsedDiffers {
        /// The metric.
        metric: String,
        /// Typical ratio B/A (Hodges-Lehmann) of elapsed times.
        ratio: f64,
        /// Two-sided p of the exact, tie-aware rank-sum test.
        p: f64,
    },
    /// There are no totals.
    TotalsMissing {
        /// The metric.
        metric: String,
        /// Whether sums are beyond the range of floats. Otherwise no group has the metric on both sides.
        beyond_range: bool,
    },
    /// Groups were not measured in all runs.
    MeasuredInPart {
        /// The metric.
        metric: String,
        /// The largest of these groups.
        groups: Vec<PartlyMeasured>,
        /// Number of further groups.
        more: u64,
        /// Number of groups that a side never measured, which totals exclude.
        left_out: u64,
    },
    /// Totals are sums over groups, not values of runs.
    NotConserving {
        /// How values of locations become one value.
        over: LocationAggregate,
    },
    /// Constructs of a function may have changed places.
    PlacesUnclear {
        /// The function.
        function: String,
        /// Constructs of the candidate with the iterations, grains or work of another of the baseline.
        constructs: Vec<ConstructPair>,
    },
    /// Constructs of a function have other numbers.
    OtherOrdinals {
        /// The function.
        function: String,
        /// Constructs that are the same.
        constructs: Vec<ConstructPair>,
    },
    /// Runs of the candidate are left out of the baseline of a gate.
    CandidateLeftOut {
        /// Number of these runs.
        runs: u64,
        /// Number of runs of the baseline with them.
        of: u64,
    },
    /// Configurations have too few repeats.
    TooFewRepeats {
        /// Number of these configurations.
        silent: u64,
        /// Number of configurations.
        configurations: u64,
        /// Largest number of repeats.
        max: u64,
        /// Number of repeats from which halves can fail a gate.
        needed: u64,
    },
    /// Every run is a configuration of its own.
    NoRepeats {
        /// Parameters that distinguish configurations.
        by: Vec<String>,
    },
    /// Grains are compared, not tested.
    GrainsNotTested,
    /// Grains of renamed definitions may be on one side only.
    RenamedGrains,
    /// Grains match nothing.
    UnmatchableGrains {
        /// Grains of A.
        a: u64,
        /// Grains of B.
        b: u64,
    },
}
