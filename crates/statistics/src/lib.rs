#![doc = include_str!("../README.md")]

mod change_points;
mod clusters;
mod detectable;
mod dip;
mod distances;
mod effect;
mod exact;
mod halves;
mod multiple;
mod normal;
mod pairs;
mod power;
mod projection;
mod random;
mod rank_sum;
mod ranks;
mod resampling;
mod sample;
pub mod scaling;
#[cfg(test)]
mod tests;
mod welch;
mod whole;

pub use change_points::{
    ChangePoint, ChangePointOptions, ChangePoints, LastPoint, Series, Split, change_points,
    last_point,
};
pub use clusters::{
    Dendrogram, KMeans, LEAST_SILHOUETTE, adjusted_rand_index, choose_k_means, k_means, silhouette,
};
pub use detectable::detectable_shift;
pub use dip::{Dip, dip, dip_p};
pub use distances::Distances;
pub use effect::{
    StandardizedDifference, cliffs_delta, hodges_lehmann_ratio, hodges_lehmann_shift,
    ratio_of_geometric_means, ratio_of_medians, standardized_difference, vargha_delaney,
    wasserstein,
};
pub use exact::exact_sum;
pub use halves::{Halves, halves};
pub use multiple::{
    benjamini_hochberg, benjamini_yekutieli, bonferroni, holm, runs_needed_among,
    separated_groups_needed,
};
pub use power::{Noise, power};
pub use projection::{Explained, Projection, classical_scaling, explained};
pub use random::Random;
pub use rank_sum::{
    Method, RankSum, RankSumForm, RankSumNull, rank_sum, rank_sum_p, rank_sum_variance,
    runs_needed, smallest_p,
};
pub use ranks::{BrunnerMunzel, brunner_munzel, fligner_killeen};
pub use resampling::{Bootstrap, MAX_RELABELINGS, Permutation, bootstrap, permutation};
pub use sample::{BoxPlot, MAD_TO_SIGMA, MedianRanks, ModeSplit, Sample, Tested, mean, median};
pub use welch::{Welch, welch};
pub use whole::{KolmogorovSmirnov, cramer_von_mises, energy_distance, kolmogorov_smirnov};

/// An interval with the share of samples in which it covers the true value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Coverage without ties; ties make it greater.
    pub coverage: f64,
}

/// An estimate and its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Point estimate.
    pub value: f64,
    /// Absent when so few values have no interval of the wanted coverage.
    pub interval: Option<Interval>,
}
