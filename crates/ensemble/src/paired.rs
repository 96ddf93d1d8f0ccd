//! Pairs of measurements under two conditions, taken in turn: how they differ, or that it cannot be decided.

use sheaf_answers::{RelativeCost, Verdict};
use sheaf_statistics::Sample;

/// Minimum number of pairs that have an interval.
pub const FEWEST_PAIRS: usize = 6;
const ALPHA: f64 = 0.05;

/// How the second of each pair differs from the first, relative to it. The interval is one between order statistics,
/// valid for every distribution. Pairs that are not positive are ignored; `None` if no pair is positive.
pub fn compare_pairs(pairs: &[(f64, f64)]) -> Option<RelativeCost> {
    let positive = pairs.iter().filter(|(a, b)| *a > 0.0 && *b > 0.0);
    let changes = Sample::new(positive.map(|(a, b)| b / a - 1.0));
    let interval = changes.median_interval(ALPHA);
    Some(RelativeCost {
        pairs: changes.len() as u64,
        median: changes.median()?,
        verdict: match &interval {
            Some(interval) if interval.low > 0.0 => Verdict::Slower,
            Some(interval) if interval.high < 0.0 => Verdict::Faster,
            _ => Verdict::Inconclusive,
        },
        low: interval.as_ref().map(|interval| interval.low),
        high: interval.map(|interval| interval.high),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(changes: &[f64]) -> RelativeCost {
        let pairs: Vec<_> = changes.iter().map(|c| (10.0, 10.0 + c)).collect();
        compare_pairs(&pairs).unwrap()
    }

    #[test]
    fn few_or_mixed_pairs_decide_nothing() {
        let few = change(&[1.0, 2.0, 3.0, 2.0, 2.0]);
        assert!((few.median - 0.2).abs() < 1e-12, "{}", few.median);
        assert_eq!((few.low, few.verdict), (None, Verdict::Inconclusive));
        let mixed = change(&[1.0, 2.0, 3.0, -1.0, 2.0, 3.0]);
        assert_eq!(mixed.verdict, Verdict::Inconclusive);
        assert_eq!(compare_pairs(&[(0.0, 1.0)]), None);
    }

    #[test]
    fn pairs_that_agree_decide() {
        let slower = [1.0, 2.0, 3.0, 1.0, 2.0, 3.0];
        assert_eq!(slower.len(), FEWEST_PAIRS);
        assert_eq!(change(&slower).verdict, Verdict::Slower);
        assert_eq!(change(&slower.map(|c| -c)).verdict, Verdict::Faster);
    }
}
