//! Facts about the similarity of runs.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::choice::choice;

choice! {
    /// By which distances runs are drawn.
    DrawnBy {
        /// By their behaviour.
        Behaviour = "behaviour",
        /// By their parameters.
        Parameters = "parameters",
    }
}

/// Code of a fact about the similarity of runs, with its values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "code", content = "values", rename_all = "snake_case")]
pub enum SimilarFact {
    /// No parameter varies.
    NoParameterVaries,
    /// A parameter stands for others.
    StandsFor {
        /// The parameter.
        parameter: String,
        /// The others.
        same: Vec<String>,
    },
    /// There are fewer clusters than asked for.
    FewerClusters {
        /// The picture.
        by: DrawnBy,
        /// Number of clusters.
        found: u64,
        /// Number of clusters that was asked for.
        asked: u64,
    },
    /// There are too few runs for a picture.
    OnALine,
    /// All runs are in one place.
    OnePlace {
        /// The picture.
        by: DrawnBy,
    },
    /// Two dimensions do not show the distances well.
    HighStress {
        /// The picture.
        by: DrawnBy,
        /// Stress of the picture.
        stress: f64,
        /// Stress that is acceptable.
        limit: f64,
    },
    /// The runs are not in clusters.
    NoClusters {
        /// Silhouette that a division would need.
        min_silhouette: f64,
    },
    /// No two runs have the same structure.
    AllStructuresDiffer,
    /// Runs differ in structure from most.
    SomeStructuresDiffer {
        /// Number of these runs.
        differ: u64,
        /// Number of runs.
        of: u64,
        /// Number of runs with the same structure.
        alike: u64,
        /// Name of one of these.
        run: String,
    },
    /// Values of small groups are left out.
    SmallValuesLeftOut {
        /// Number of values.
        values: u64,
        /// Share of a run below which a group is small.
        below: f64,
    },
    /// Pairs of runs could not be compared.
    PairsNotCompared {
        /// Number of pairs.
        pairs: u64,
    },
    /// Members of teams and chunks of loops count as one each.
    MembersCountAsOne {
        /// Whether the numbers of workers are equal, so that loops are the reason.
        same_workers: bool,
    },
    /// Loops of a region were not recorded in all runs.
    LoopsNotCompared {
        /// The region.
        region: String,
        /// Number of runs that did not record all of its loops.
        runs: u64,
    },
    /// Contexts are compared, because some runs have no grains.
    ContextsCompared {
        /// Number of runs with grains.
        with_grains: u64,
        /// Number of runs.
        of: u64,
    },
}
