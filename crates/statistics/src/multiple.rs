//! Corrections for many tests.

use super::runs_needed;

/// q-values that control the false discovery rate (Benjamini & Hochberg 1995), parallel to `p`.
///
/// `p` must have every hypothesis that was considered. NaN means not tested, and stays NaN.
///
/// ```
/// use sheaf_statistics::benjamini_hochberg;
/// let q = benjamini_hochberg(&[0.04, 0.001, 0.03, 0.2]);
/// assert_eq!(q[1], 0.004);
/// assert_eq!(q[0], q[2]);
/// ```
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).filter(|&index| !p[index].is_nan()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let tested = order.len() as f64;
    let mut q = vec![f64::NAN; p.len()];
    let mut smallest = 1.0_f64;
    for (rank, &index) in order.iter().enumerate().rev() {
        smallest = smallest.min(tested * p[index] / (rank + 1) as f64);
        q[index] = smallest;
    }
    q
}

/// How many of `tested` groups must have the smallest possible p before any of them can have q ≤ `alpha`:
/// the consequence of few runs, whose p is discrete.
pub fn separated_groups_needed(tested: usize, smallest_p: f64, alpha: f64) -> Option<usize> {
    let needed = (tested as f64 * smallest_p / alpha).ceil().max(1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and the number of tested groups"
    )]
    (needed <= tested as f64).then_some(needed as usize)
}

/// Number of runs per side from which on a single, completely separated group among `tested` can have
/// q ≤ `alpha`. Absent if none is tested.
pub fn runs_needed_among(tested: usize, alpha: f64) -> Option<usize> {
    runs_needed(alpha / tested as f64).filter(|_| tested > 0)
}
