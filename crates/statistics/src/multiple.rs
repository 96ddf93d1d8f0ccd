//! Many tests at once.

use super::runs_needed;

/// q-values that control the false discovery rate (Benjamini & Hochberg 1995), parallel to `p`.
///
/// Every hypothesis that was looked at must be among `p`; NaN counts as not tested and stays NaN.
///
/// ```
/// use sheaf_statistics::benjamini_hochberg;
/// let q = benjamini_hochberg(&[0.04, 0.001, 0.03, 0.2]);
/// assert_eq!(q[1], 0.004);
/// assert_eq!(q[0], q[2]);
/// ```
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    uncapped(p).into_iter().map(cap).collect()
}

/// q-values that control the false discovery rate under any dependence (Benjamini & Yekutieli
/// 2001): those of Benjamini and Hochberg times 1 + ½ + … + 1/m, at most 1. NaN stays NaN.
pub fn benjamini_yekutieli(p: &[f64]) -> Vec<f64> {
    let tested = p.iter().filter(|p| !p.is_nan()).count();
    let dependence: f64 = (1..=tested).map(|rank| 1.0 / rank as f64).sum();
    let mut q = uncapped(p);
    for q in &mut q {
        *q = cap(*q * dependence);
    }
    q
}

/// p-values that control the chance of any false alarm, stepping down (Holm 1979). NaN counts as
/// not tested and stays NaN.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let order = ascending(p);
    let mut adjusted = vec![f64::NAN; p.len()];
    let mut greatest = 0.0_f64;
    for (rank, &index) in order.iter().enumerate() {
        greatest = greatest.max((order.len() - rank) as f64 * p[index]);
        adjusted[index] = cap(greatest);
    }
    adjusted
}

/// p-values times the number of tests, at most 1. NaN counts as not tested and stays NaN.
pub fn bonferroni(p: &[f64]) -> Vec<f64> {
    let tested = p.iter().filter(|p| !p.is_nan()).count() as f64;
    p.iter().map(|p| cap(p * tested)).collect()
}

/// At most 1; NaN stays.
fn cap(p: f64) -> f64 {
    if p > 1.0 { 1.0 } else { p }
}

/// Places of the p-values that are numbers, in ascending order of these.
fn ascending(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).filter(|&index| !p[index].is_nan()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    order
}

fn uncapped(p: &[f64]) -> Vec<f64> {
    let order = ascending(p);
    let tested = order.len() as f64;
    let mut q = vec![f64::NAN; p.len()];
    let mut least = f64::INFINITY;
    for (rank, &index) in order.iter().enumerate().rev() {
        least = least.min(tested * p[index] / (rank + 1) as f64);
        q[index] = least;
    }
    q
}

/// How many of `tested` groups must reach the smallest p before any can have q ≤ `alpha`: what
/// the discreteness of few runs costs.
pub fn separated_groups_needed(tested: usize, smallest_p: f64, alpha: f64) -> Option<usize> {
    let needed = (tested as f64 * smallest_p / alpha).ceil().max(1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and the number of tested groups"
    )]
    (needed <= tested as f64).then_some(needed as usize)
}

/// Runs that each side needs before one group alone can have q ≤ `alpha` among `tested`: the
/// completely separated group of the greatest sample of tests. Absent when none is tested.
pub fn runs_needed_among(tested: usize, alpha: f64) -> Option<usize> {
    runs_needed(alpha / tested as f64).filter(|_| tested > 0)
}
