//! Other forms of the rank-sum p, for comparison with other tools.

use super::{Pooled, RankSumNull};
use crate::Sample;

/// How to get from ranks to p. The right one is that of [`rank_sum`](crate::rank_sum).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankSumForm {
    /// Counted over all assignments of the observed mid-ranks: right with ties and without. Use it
    /// for few values only: it takes steps of the order of (m (m + n))².
    Exact,
    /// The exact distribution without ties, whether there are ties or not, as scipy's `exact`.
    IgnoringTies,
    /// Normal approximation with corrections for ties and continuity.
    Normal,
    /// Normal approximation corrected for ties only.
    NormalUncorrected,
}

/// Two-sided p of the rank-sum test in one of its forms; absent when a side is empty.
pub fn rank_sum_p(a: &Sample, b: &Sample, form: RankSumForm) -> Option<f64> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let (size_a, size_b) = (a.len(), b.len());
    let pooled = Pooled::new(a, b);
    Some(match form {
        RankSumForm::Exact => pooled.exact_p(size_a, size_b),
        RankSumForm::Normal => pooled.normal_p(size_a, size_b, 0.5),
        RankSumForm::NormalUncorrected => pooled.normal_p(size_a, size_b, 0.0),
        RankSumForm::IgnoringTies => {
            let doubled = pooled.doubled_sum_a - size_a * (size_a + 1);
            let less = doubled.min(2 * size_a * size_b - doubled);
            let tail = RankSumNull::new(size_a, size_b).cumulative(less / 2);
            (2.0 * tail).min(1.0)
        }
    })
}

/// Variance of U corrected for ties, when there is no difference; absent when a side is empty.
pub fn rank_sum_variance(a: &Sample, b: &Sample) -> Option<f64> {
    (!a.is_empty() && !b.is_empty()).then(|| Pooled::new(a, b).variance(a.len(), b.len()))
}
