#![doc = include_str!("../README.md")]

mod change_points;
mod clusters;
mod dip;
mod distances;
mod effect;
mod exact;
mod halves;
mod multiple;
mod pairs;
mod power;
mod projection;
mod random;
mod rank_sum;
mod sample;
pub mod scaling;
#[cfg(test)]
mod tests;

pub use change_points::{
    ChangePoint, ChangePointOptions, ChangePoints, LastPoint, Series, Split, change_points,
    last_point,
};
pub use clusters::{
    Dendrogram, KMeans, MIN_SILHOUETTE, adjusted_rand_index, choose_k_means, k_means, silhouette,
};
pub use dip::{Dip, dip, dip_p};
pub use distances::Distances;
pub use effect::{cliffs_delta, hodges_lehmann_ratio, hodges_lehmann_shift};
pub use exact::exact_sum;
pub use halves::{Halves, halves};
pub use multiple::{benjamini_hochberg, runs_needed_among, separated_groups_needed};
pub use power::{Noise, detectable_shift, power};
pub use projection::{Explained, Projection, classical_scaling, explained};
pub use random::Random;
pub use rank_sum::{Method, RankSum, RankSumNull, rank_sum, runs_needed, smallest_p};
pub use sample::{BoxPlot, MAD_TO_SIGMA, MedianRanks, ModeSplit, Sample, mean, median};

/// A confidence interval and its coverage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Coverage without ties; ties make it larger.
    pub coverage: f64,
}

/// An estimate and its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Point estimate.
    pub value: f64,
    /// Absent if there are too few values for the required coverage.
    pub interval: Option<Interval>,
}
