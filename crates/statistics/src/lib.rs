#![doc = include_str!("../README.md")]

mod change_points;
mod detectable;
mod effect;
mod multiple;
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
pub use detectable::detectable_shift;
pub use effect::{cliffs_delta, hodges_lehmann_ratio, hodges_lehmann_shift, wasserstein};
pub use multiple::{benjamini_hochberg, separated_groups_needed};
pub use rank_sum::{Method, RankSum, RankSumNull, rank_sum, runs_needed, smallest_p};
pub use sample::{MAD_TO_SIGMA, Sample};

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
