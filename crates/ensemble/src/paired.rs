//! Pairs of measurements under two conditions, taken in turn: how they differ, and whether that can be said at all.

/// How the second of each pair differs from the first, relative to it: 0.1 is a tenth more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedChange {
    /// Pairs.
    pub pairs: usize,
    /// Median over the pairs.
    pub median: f64,
    /// Interval that holds the median with a probability of 95 % or more, whatever the distribution; absent below
    /// [`FEWEST_PAIRS`].
    pub interval: Option<(f64, f64)>,
}

/// Pairs from which on there is an interval: with fewer, the probability that all lie on one side is too large.
pub const FEWEST_PAIRS: usize = 6;
const ALPHA: f64 = 0.05;

impl PairedChange {
    /// Of pairs of positive numbers; others are left out. Nothing where none is left.
    ///
    /// The interval is that of the sign test: between order statistics, so that it holds for any distribution
    /// (Conover, Practical Nonparametric Statistics, section 3.2).
    pub fn of(pairs: &[(f64, f64)]) -> Option<Self> {
        let positive = pairs.iter().filter(|(a, b)| *a > 0.0 && *b > 0.0);
        let mut changes: Vec<f64> = positive.map(|(a, b)| b / a - 1.0).collect();
        changes.sort_by(f64::total_cmp);
        let count = changes.len();
        let upper = *changes.get(count / 2)?;
        let lower = *changes.get((count - 1) / 2)?;
        let interval = outside(count).and_then(|left_out| {
            let low = changes.get(left_out)?;
            let high = changes.get(count.checked_sub(left_out + 1)?)?;
            Some((*low, *high))
        });
        Some(Self {
            pairs: count,
            median: f64::midpoint(lower, upper),
            interval,
        })
    }

    /// `slower` or `faster` where the interval lies on one side of zero, else `inconclusive`.
    pub fn verdict(&self) -> &'static str {
        match self.interval {
            Some((low, _)) if low > 0.0 => "slower",
            Some((_, high)) if high < 0.0 => "faster",
            _ => "inconclusive",
        }
    }
}

/// Values on each side that the interval leaves out: as many as leave 95 %; absent where even all values do not hold
/// as much.
fn outside(count: usize) -> Option<usize> {
    let mut term = 0.5_f64.powi(i32::try_from(count).ok()?);
    let mut sum = term;
    let mut left_out = None;
    for below in 0..count {
        if 2.0 * sum > ALPHA {
            break;
        }
        left_out = Some(below);
        term *= (count - below) as f64 / (below + 1) as f64;
        sum += term;
    }
    left_out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_sign_test() {
        // Tables of the binomial distribution: so many values are left out on each side.
        let expected = [
            (5, None),
            (6, Some(0)),
            (8, Some(0)),
            (9, Some(1)),
            (20, Some(5)),
        ];
        for (count, left_out) in expected {
            assert_eq!(outside(count), left_out, "{count}");
        }
    }

    #[test]
    fn few_or_mixed_pairs_decide_nothing() {
        let pairs = |changes: &[f64]| changes.iter().map(|c| (10.0, 10.0 + c)).collect::<Vec<_>>();
        let of = |changes: &[f64]| PairedChange::of(&pairs(changes)).unwrap();
        let few = of(&[1.0, 2.0, 3.0]);
        assert!((few.median - 0.2).abs() < 1e-12, "{}", few.median);
        assert_eq!((few.interval, few.verdict()), (None, "inconclusive"));
        assert_eq!(of(&[1.0, 2.0, 3.0, 1.0, 2.0, 3.0]).verdict(), "slower");
        assert_eq!(
            of(&[-1.0, -2.0, -3.0, -1.0, -2.0, -3.0]).verdict(),
            "faster"
        );
        assert_eq!(
            of(&[1.0, 2.0, 3.0, -1.0, 2.0, 3.0]).verdict(),
            "inconclusive"
        );
        assert_eq!(PairedChange::of(&[(0.0, 1.0)]), None);
    }
}
