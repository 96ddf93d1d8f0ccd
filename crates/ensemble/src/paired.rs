//! Pairs of measurements under two conditions, taken in turn: how they differ, or that it cannot be decided.

use sheaf_statistics::Sample;

/// How the second of each pair differs from the first, relative to it: 0.1 is a tenth more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedChange {
    /// Pairs.
    pub pairs: usize,
    /// Median over the pairs.
    pub median: f64,
    /// Interval between order statistics that holds the median with a probability of at least 95 %, whatever the
    /// distribution; absent below [`FEWEST_PAIRS`].
    pub interval: Option<(f64, f64)>,
}

/// Minimum number of pairs that have an interval.
pub const FEWEST_PAIRS: usize = 6;
const ALPHA: f64 = 0.05;

impl PairedChange {
    /// Computes the change over pairs of positive numbers. Other pairs are ignored; `None` if no pair is positive.
    pub fn of(pairs: &[(f64, f64)]) -> Option<Self> {
        let positive = pairs.iter().filter(|(a, b)| *a > 0.0 && *b > 0.0);
        let changes = Sample::new(positive.map(|(a, b)| b / a - 1.0));
        let interval = changes.median_interval(ALPHA);
        Some(Self {
            pairs: changes.len(),
            median: changes.median()?,
            interval: interval.map(|interval| (interval.low, interval.high)),
        })
    }

    /// `slower` or `faster` if the interval lies on one side of zero, else `inconclusive`.
    pub fn verdict(&self) -> &'static str {
        match self.interval {
            Some((low, _)) if low > 0.0 => "slower",
            Some((_, high)) if high < 0.0 => "faster",
            _ => "inconclusive",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(changes: &[f64]) -> PairedChange {
        let pairs: Vec<_> = changes.iter().map(|c| (10.0, 10.0 + c)).collect();
        PairedChange::of(&pairs).unwrap()
    }

    #[test]
    fn few_or_mixed_pairs_decide_nothing() {
        let few = change(&[1.0, 2.0, 3.0, 2.0, 2.0]);
        assert!((few.median - 0.2).abs() < 1e-12, "{}", few.median);
        assert_eq!((few.interval, few.verdict()), (None, "inconclusive"));
        let mixed = change(&[1.0, 2.0, 3.0, -1.0, 2.0, 3.0]);
        assert_eq!(mixed.verdict(), "inconclusive");
        assert_eq!(PairedChange::of(&[(0.0, 1.0)]), None);
    }

    #[test]
    fn pairs_that_agree_decide() {
        let slower = [1.0, 2.0, 3.0, 1.0, 2.0, 3.0];
        assert_eq!(slower.len(), FEWEST_PAIRS);
        assert_eq!(change(&slower).verdict(), "slower");
        assert_eq!(change(&slower.map(|c| -c)).verdict(), "faster");
    }
}
