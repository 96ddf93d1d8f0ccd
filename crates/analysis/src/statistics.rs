//! Statistics of few, independent values: one value per run and group.
//!
//! Grains of one run share the machine's state, so they are no independent observations: a run is
//! first reduced to one value per group, and tests compare runs. Absent values never come here;
//! what is not finite is left out by [`Sample`] and counted.
//!
//! Tests are exact and need no assumption on the shape of the noise; intervals are made of data
//! points. Quantiles are of type 7 (Hyndman & Fan 1996), as in numpy. Everything is a function of
//! the sorted values, so the order of runs does not matter, bit for bit.

mod effect;
mod multiple;
mod rank_sum;
mod sample;
#[cfg(test)]
mod tests;

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
