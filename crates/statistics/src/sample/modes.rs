//! Two modes: a split of the sorted values into two clusters.

use super::order::median_deviation;
use super::{Sample, quantile};

/// Fewest values of which a split is told.
const FEWEST: usize = 8;
/// Values from which on random ones with one mode are hardly ever split.
const ENOUGH: usize = 15;
/// Gaps between clusters that count, in greatest median absolute deviations within one.
const GAP: f64 = 4.0;
/// Least share of the values in the smaller cluster, and their least number: one or two are
/// outliers.
const LEAST_SHARE: f64 = 0.1;
const LEAST: usize = 3;

/// Two clusters of values with a gap between them.
#[derive(Debug, Clone, PartialEq)]
pub struct ModeSplit {
    /// The lower cluster.
    pub low: Sample,
    /// The upper cluster.
    pub high: Sample,
}

impl ModeSplit {
    /// Share of the values in the upper cluster.
    pub fn share_high(&self) -> f64 {
        self.high.len() as f64 / (self.low.len() + self.high.len()) as f64
    }
}

impl Sample {
    /// The two clusters with the least sum of squares within them (two means, exactly, in one
    /// pass over the sorted values). Absent when there are not two different values.
    pub fn two_means(&self) -> Option<ModeSplit> {
        Some(self.split_at(self.two_means_at()?))
    }

    /// Number of values in the lower of two means.
    fn two_means_at(&self) -> Option<usize> {
        let (first, values) = (self.min()?, self.values());
        // Shifted, so that sums lose nothing to a great common part.
        let total: f64 = values.iter().map(|value| value - first).sum();
        let (mut below, mut best) = (0.0, None);
        for (at, pair) in values.windows(2).enumerate() {
            below += pair[0] - first;
            let (count, rest) = ((at + 1) as f64, (values.len() - at - 1) as f64);
            // What the means explain; equal values stay together.
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

    /// The split of [`two_means`](Self::two_means) when it looks like two modes: at least eight
    /// values, a tenth of them and three in the smaller cluster, and a gap between the clusters
    /// above four times the greater median absolute deviation within one and above
    /// `least_deviation` of the median's size. Of fewer than 15 values, which often fall into two
    /// heaps by chance, the gap must also exceed the range within either cluster; so less than 5 %
    /// of normal samples are split. A hint, not a test.
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
        // Most samples have no gap that is wide enough anywhere, which is told soonest.
        if !(LEAST..=count - LEAST).any(is_gap) {
            return None;
        }
        let at = self.two_means_at().filter(|&at| is_gap(at))?;
        Some(self.split_at(at))
    }

    /// From the value before `at` to the one there.
    fn gap_at(&self, at: usize) -> f64 {
        self.values()[at] - self.values()[at - 1]
    }

    /// Whether the clusters below and from `at` are large enough, and the gap between them wide enough for
    /// what lies within them.
    fn parts_modes_at(&self, at: usize) -> bool {
        let (low, high) = self.values().split_at(at);
        let smaller = low.len().min(high.len());
        if smaller < LEAST || (smaller as f64) < LEAST_SHARE * self.len() as f64 {
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
        let split = sample.two_means().filter(|_| sample.len() >= FEWEST)?;
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
            && smaller >= LEAST
            && smaller as f64 >= LEAST_SHARE * sample.len() as f64;
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
