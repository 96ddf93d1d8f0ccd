//! Two modes: a split of the sorted values into two clusters.

use super::Sample;

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
        let (low, high) = values.split_at(best?.1);
        let [low, high] = [low, high].map(|part| Sample::new(part.iter().copied()));
        Some(ModeSplit { low, high })
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
        if self.len() < FEWEST {
            return None;
        }
        let split = self.two_means()?;
        let gap = split.high.min()? - split.low.max()?;
        let deviation = |part: &Sample| part.median_absolute_deviation();
        let range = |part: &Sample| Some(part.max()? - part.min()?);
        let mut widest = GAP * deviation(&split.low)?.max(deviation(&split.high)?);
        if self.len() < ENOUGH {
            widest = widest.max(range(&split.low)?).max(range(&split.high)?);
        }
        let smaller = split.low.len().min(split.high.len());
        let is_split = gap > widest
            && gap > least_deviation * self.median()?.abs()
            && smaller >= LEAST
            && smaller as f64 >= LEAST_SHARE * self.len() as f64;
        is_split.then_some(split)
    }
}
