//! Order statistics that bound the median.

use super::Sample;
use crate::Interval;

/// Ranks of the order statistics that bound the median, for samples of one size. Finding them takes longer
/// than using them, so they can be reused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MedianRanks {
    count: usize,
    /// Rank from either end, at least 1.
    rank: usize,
    coverage: f64,
}

impl MedianRanks {
    /// The ranks of the narrowest interval of `count` values with an error of at most `alpha`. Absent if there is
    /// none. Linear in `count`.
    ///
    /// ```
    /// use sheaf_statistics::{MedianRanks, Sample};
    /// assert_eq!(MedianRanks::new(5, 0.05), None);
    /// let ranks = MedianRanks::new(6, 0.05).unwrap();
    /// let interval = ranks.interval(&Sample::new([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])).unwrap();
    /// assert_eq!((interval.low, interval.high, interval.coverage), (1.0, 6.0, 0.96875));
    /// ```
    pub fn new(count: usize, alpha: f64) -> Option<Self> {
        let (mut rank, mut tail) = (0, 0.0);
        let mut term = 0.5_f64.powi(i32::try_from(count).ok()?);
        let mut cumulated = term;
        // The largest rank k with P(Bin(n, ½) ≤ k − 1) ≤ alpha / 2.
        while rank < count / 2 && cumulated <= alpha / 2.0 {
            rank += 1;
            tail = cumulated;
            term *= (count - rank + 1) as f64 / rank as f64;
            cumulated += term;
        }
        (rank > 0).then_some(Self {
            count,
            rank,
            coverage: 1.0 - 2.0 * tail,
        })
    }

    /// The interval of a sample; absent if it has another number of values.
    pub fn interval(&self, sample: &Sample) -> Option<Interval> {
        let is_of_size = sample.len() == self.count;
        is_of_size.then(|| Interval {
            low: sample.sorted[self.rank - 1],
            high: sample.sorted[self.count - self.rank],
            coverage: self.coverage,
        })
    }

    /// Number of values.
    pub fn count(&self) -> usize {
        self.count
    }
}
