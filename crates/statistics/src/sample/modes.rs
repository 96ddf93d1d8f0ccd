//! Two modes: a split of the sorted values into two clusters.

use super::order::median_deviation;
use super::{Sample, quantile};

/// Minimum number of values for a split.
const FEWEST: usize = 8;
/// Number of values from which on unimodal samples are hardly ever split by chance.
const ENOUGH: usize = 15;
/// Minimum gap between clusters, in units of the larger median absolute deviation of a cluster.
const GAP: f64 = 4.0;
/// Minimum share and number of values in the smaller cluster: one or two values are outliers.
const MIN_SHARE: f64 = 0.1;
const MIN_VALUES: usize = 3;

/// Two clusters of values with a gap between them.
#[derive(Debug, Clone, PartialEq)]
pub struct ModeSplit {
    /// The lower cluster.
    pub low: Sample,
    /// The upper cluster.
    pub high: Sample,
}

impl Sample {
    /// Number of values in the lower of the two clusters with the smallest sum of squares within
    /// them (two means, exactly, in one pass over the sorted values). Absent if all values are equal.
    pub(crate) fn two_means_at(&self) -> Option<usize> {
        let (first, values) = (self.min()?, self.values());
        // Shifted, so that a large common part does not cost precision.
        let total: f64 = values.iter().map(|value| value - first).sum();
        let (mut below, mut best) = (0.0, None);
        for (at, pair) in values.windows(2).enumerate() {
            below += pair[0] - first;
            let (count, rest) = ((at + 1) as f64, (values.len() - at - 1) as f64);
            // The sum of squares that the two means explain. Equal values stay together.
            let explained = below * below / count + (total - below).powi(2) / rest;
            let is_better = best.is_none_or(|(most, _)| explained > most);
            if pair[0] < pair[1] && is_better {
                best = Some((explained, at + 1));
            }
        }
        best.map(|(_, at)| at)
    }

    fn split_at(&self, at: usize) -> ModeSplit {
        let (low, high) = self.values().split_at(at);
        let [low, high] = [low, high].map(|part| Sample::new(part.iter().copied()));
        ModeSplit { low, high }
    }

    /// Splits the values into two modes: the two clusters of exact two-means, if they are separate
    /// enough. A hint, not a test.
    ///
    /// Needs at least eight values, with at least three and a tenth of them in the smaller cluster.
    /// The gap between the clusters must exceed four times the larger median absolute deviation of
    /// a cluster, and the share `least_deviation` of the median. Fewer than 15 values often form
    /// two heaps by chance, so there the gap must also exceed the range of each cluster. With these
    /// rules, fewer than 5 % of normal samples are split.
    ///
    /// ```
    /// use sheaf_statistics::Sample;
    /// let runs = [100.0, 101.0, 99.0, 100.5, 150.0, 151.0, 149.0, 100.2, 102.0, 98.0];
    /// let split = Sample::new(runs).modes(0.01).unwrap();
    /// assert_eq!((split.low.max(), split.high.min()), (Some(102.0), Some(149.0)));
    /// ```
    pub fn modes(&self, least_deviation: f64) -> Option<ModeSplit> {
        let count = self.len();
        if count < FEWEST {
            return None;
        }
        let least_gap = least_deviation * self.median()?.abs();
        let is_gap = |at: usize| self.gap_at(at) > least_gap && self.parts_modes_at(at);
        // Most samples have no wide gap at all; this is the fastest check.
        if !(MIN_VALUES..=count - MIN_VALUES).any(is_gap) {
            return None;
        }
        let at = self.two_means_at().filter(|&at| is_gap(at))?;
        Some(self.split_at(at))
    }

    /// From the value before `at` to the one there.
    fn gap_at(&self, at: usize) -> f64 {
        self.values()[at] - self.values()[at - 1]
    }

    /// Whether the clusters below and from `at` are large enough, and the gap between them is wide enough
    /// compared with their spread.
    fn parts_modes_at(&self, at: usize) -> bool {
        let (low, high) = self.values().split_at(at);
        let smaller = low.len().min(high.len());
        if smaller < MIN_VALUES || (smaller as f64) < MIN_SHARE * self.len() as f64 {
            return false;
        }
        let mut widest = [low, high].into_iter().map(|part| {
            let deviation = GAP * deviation(part);
            if self.len() < ENOUGH {
                deviation.max(part[part.len() - 1] - part[0])
            } else {
                deviation
            }
        });
        let gap = self.gap_at(at);
        widest.all(|widest| gap > widest)
    }
}

/// Median absolute deviation of ascending values.
fn deviation(ascending: &[f64]) -> f64 {
    let median = quantile(ascending, 0.5);
    let deviation = median.and_then(|median| median_deviation(ascending, median));
    deviation.unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, step by step.
    fn slowly(sample: &Sample, least_deviation: f64) -> Option<ModeSplit> {
        let split = sample.split_at(sample.two_means_at()?);
        if sample.len() < FEWEST {
            return None;
        }
        let gap = split.high.min()? - split.low.max()?;
        let parts = [&split.low, &split.high];
        let widest = parts.map(|part| {
            let range = part.max().unwrap() - part.min().unwrap();
            let deviation = GAP * part.median_absolute_deviation().unwrap();
            deviation.max(if sample.len() < ENOUGH { range } else { 0.0 })
        });
        let smaller = split.low.len().min(split.high.len());
        let is_split = gap > widest[0].max(widest[1])
            && gap > least_deviation * sample.median()?.abs()
            && smaller >= MIN_VALUES
            && smaller as f64 >= MIN_SHARE * sample.len() as f64;
        is_split.then_some(split)
    }

    proptest! {
        #[test]
        fn looking_for_gaps_first_finds_the_same(
            low in prop::collection::vec(0..200_i32, 1..40),
            high in prop::collection::vec(0..200_i32, 1..40),
            apart in 0..2_000_i32,
        ) {
            let high = high.iter().map(|value| value + apart);
            let values = low.iter().copied().chain(high);
            let sample = Sample::new(values.map(f64::from));
            prop_assert_eq!(sample.modes(0.01), slowly(&sample, 0.01));
        }
    }
}
