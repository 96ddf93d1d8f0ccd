//! Sizes of differences between two samples.

use super::pairs::Pairs;
use super::{Estimate, Interval, RankSumNull, Sample};

/// Typical difference B − A: the median of the differences of all pairs, with the exact interval
/// between order statistics (Hodges & Lehmann 1963). Absent if a side is empty.
///
/// The interval has error `alpha`, or less with ties. It is absent if the samples are too small for that
/// coverage. Takes O(m n) for up to a few thousand pairs, and several passes of O(m + n) for more.
pub fn hodges_lehmann_shift(
    a: &Sample,
    b: &Sample,
    null: &RankSumNull,
    alpha: f64,
) -> Option<Estimate> {
    let pairs = Pairs::new(a.values(), b.values(), |a, b| b - a);
    estimate(pairs, a, b, null, alpha, |low, high| {
        low + (high - low) / 2.0
    })
}

/// Typical ratio B / A: the exponential of the shift of logarithms, with its interval. Absent if a side is
/// empty or a value is not positive; compare differences then.
///
/// It is computed from ratios instead of logarithms, which have the same order, so that equal values give
/// exactly 1.
///
/// ```
/// use sheaf_statistics::{RankSumNull, Sample, hodges_lehmann_ratio};
/// let a = Sample::new([10.0, 10.0, 11.0, 10.0]);
/// let b = Sample::new([20.0, 20.0, 22.0, 20.0]);
/// let ratio = hodges_lehmann_ratio(&a, &b, &RankSumNull::new(4, 4), 0.05).unwrap();
/// assert_eq!(ratio.value, 2.0);
/// ```
pub fn hodges_lehmann_ratio(
    a: &Sample,
    b: &Sample,
    null: &RankSumNull,
    alpha: f64,
) -> Option<Estimate> {
    if a.min()? <= 0.0 || b.min()? <= 0.0 {
        return None;
    }
    let pairs = Pairs::new(a.values(), b.values(), |a, b| b / a);
    estimate(pairs, a, b, null, alpha, |low, high| {
        low.sqrt() * high.sqrt()
    })
}

/// Cliff's delta: the share of pairs with b > a minus the share with b < a, −1..1; absent if a side is empty.
/// An absolute value below 0.147 is negligible, below 0.33 small, below 0.474 medium (Cliff 1993).
pub fn cliffs_delta(a: &Sample, b: &Sample) -> Option<f64> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let (mut greater, mut less) = (0, 0);
    for value in b.values() {
        let below = a.values().partition_point(|other| other < value);
        let not_above = a.values().partition_point(|other| other <= value);
        greater += below;
        less += a.len() - not_above;
    }
    Some((greater as f64 - less as f64) / (a.len() * b.len()) as f64)
}

fn estimate(
    mut pairs: Pairs<'_, impl Fn(f64, f64) -> f64>,
    a: &Sample,
    b: &Sample,
    null: &RankSumNull,
    alpha: f64,
    middle: impl Fn(f64, f64) -> f64,
) -> Option<Estimate> {
    let last = pairs.len().checked_sub(1)?;
    let (low, high) = (pairs.nth(last / 2)?, pairs.nth(last - last / 2)?);
    let value = if low.total_cmp(&high).is_eq() {
        low
    } else {
        middle(low, high)
    };
    let (rank, coverage) = if null.fits(a.len(), b.len()) {
        null.interval_rank(alpha)
    } else {
        RankSumNull::new(a.len(), b.len()).interval_rank(alpha)
    };
    let mut interval = None;
    if coverage >= 1.0 - alpha && rank <= last + 1 {
        interval = Some(Interval {
            low: pairs.nth(rank - 1)?,
            high: pairs.nth(last + 1 - rank)?,
            coverage,
        });
    }
    Some(Estimate { value, interval })
}
