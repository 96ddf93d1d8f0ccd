//! The rank-sum test (Mann & Whitney 1947), exact also with ties.

use super::Sample;

/// Maximum number of steps for an exact distribution, 2 m² (m + n)² with m the smaller side; the normal
/// approximation is used above it: from 27 against 27 runs, 9 against 149, 3 against 469.
const EXACT_STEPS: usize = 4_000_000;

/// How a p-value was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Counted over all assignments of the observed ranks to the sides.
    Exact,
    /// Normal approximation with corrections for ties and continuity.
    Normal,
}

/// Outcome of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankSum {
    /// Pairs in which the value of A is larger, ties counting half.
    pub u_a: f64,
    /// Pairs in which the value of B is larger, ties counting half.
    pub u_b: f64,
    /// Two-sided p; never 0.
    pub p: f64,
    /// How p was found.
    pub method: Method,
}

/// Distribution of U for two sample sizes under the null hypothesis and without ties. Build it once per pair
/// of sizes.
#[derive(Debug, Clone)]
pub struct RankSumNull {
    m: usize,
    n: usize,
    /// P(U ≤ u) for every u; absent above the limit of the exact distribution.
    cumulative: Option<Vec<f64>>,
}

impl RankSumNull {
    /// The distribution for `m` against `n` values.
    pub fn new(m: usize, n: usize) -> Self {
        let cumulative = is_exact(m, n).then(|| {
            let ranks: Vec<usize> = (1..=m + n).collect();
            let smaller = m.min(n);
            let counts = subset_sums(&ranks, smaller);
            let total: f64 = counts.iter().sum();
            let least = smaller * (smaller + 1) / 2;
            let mut sum = 0.0;
            let cumulate = |count: &f64| {
                sum += count;
                sum / total
            };
            counts[least..].iter().map(cumulate).collect()
        });
        Self { m, n, cumulative }
    }

    /// Whether the distribution is of these sizes, in either order.
    pub fn fits(&self, m: usize, n: usize) -> bool {
        (self.m, self.n) == (m, n) || (self.n, self.m) == (m, n)
    }

    /// P(U ≤ `u`).
    pub fn cumulative(&self, u: usize) -> f64 {
        if let Some(table) = &self.cumulative {
            return table.get(u).copied().unwrap_or(1.0);
        }
        let deviation = (u as f64 + 0.5 - self.mean()) / self.deviation();
        normal_cumulative(deviation)
    }

    /// The smallest rank k ≥ 1 of a difference that bounds an interval with error `alpha`, and the coverage of
    /// this interval. The coverage is lower than required if there are too few values.
    pub(super) fn interval_rank(&self, alpha: f64) -> (usize, f64) {
        // The distribution is monotonic.
        let (mut rank, mut end) = (0, self.m * self.n / 2);
        while rank < end {
            let middle = rank + (end - rank) / 2;
            if self.cumulative(middle) < alpha / 2.0 {
                rank = middle + 1;
            } else {
                end = middle;
            }
        }
        let rank = rank.max(1);
        (rank, 1.0 - 2.0 * self.cumulative(rank - 1))
    }

    fn mean(&self) -> f64 {
        (self.m * self.n) as f64 / 2.0
    }

    fn deviation(&self) -> f64 {
        (self.mean() * (self.m + self.n + 1) as f64 / 6.0).sqrt()
    }
}

/// Tests whether the values of one side tend to be larger; absent if a side is empty.
///
/// Exact up to 26 against 26 values; with ties, conditional on the observed mid-ranks. If all values are
/// equal, p is 1. `null` must have the two sizes; otherwise it is ignored.
///
/// ```
/// use sheaf_statistics::{RankSumNull, Sample, rank_sum};
/// let a = Sample::new([1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 4.0, 5.0]);
/// let b = Sample::new([2.0, 3.0, 3.0, 4.0, 4.0, 5.0, 5.0, 6.0, 6.0]);
/// let test = rank_sum(&a, &b, &RankSumNull::new(8, 9)).unwrap();
/// assert_eq!(test.u_b, 55.0);
/// assert!((test.p - 1638.0 / 24310.0).abs() < 1e-12);
/// ```
pub fn rank_sum(a: &Sample, b: &Sample, null: &RankSumNull) -> Option<RankSum> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let (size_a, size_b) = (a.len(), b.len());
    let pooled = Pooled::new(a, b);
    let doubled_u_a = pooled.doubled_sum_a - size_a * (size_a + 1);
    let doubled_u_b = 2 * size_a * size_b - doubled_u_a;
    let (p, method) = if !is_exact(size_a, size_b) {
        (pooled.normal_p(size_a, size_b, 0.5), Method::Normal)
    } else if pooled.ties.is_empty() && null.fits(size_a, size_b) {
        let tail = null.cumulative(doubled_u_a.min(doubled_u_b) / 2);
        ((2.0 * tail).min(1.0), Method::Exact)
    } else {
        (pooled.exact_p(size_a, size_b), Method::Exact)
    };
    Some(RankSum {
        u_a: doubled_u_a as f64 / 2.0,
        u_b: doubled_u_b as f64 / 2.0,
        p,
        method,
    })
}

/// Smallest two-sided p that `m` against `n` values can reach: 2 / C(m + n, m), at most 1.
pub fn smallest_p(m: usize, n: usize) -> f64 {
    let larger = m.max(n);
    let choices = (1..=m.min(n)).fold(1.0, |choices, index| {
        choices * (larger + index) as f64 / index as f64
    });
    (2.0 / choices).min(1.0)
}

/// Number of runs per side from which on the test can reach `alpha`: 4 for 0.05. Absent if no number of runs
/// does.
pub fn runs_needed(alpha: f64) -> Option<usize> {
    // 2 / C(2n, n) is 0 in floating point well before the last n.
    (alpha > 0.0)
        .then(|| (1..1000).find(|&runs| smallest_p(runs, runs) <= alpha))
        .flatten()
}

/// Whether the exact distribution takes at most [`EXACT_STEPS`].
fn is_exact(m: usize, n: usize) -> bool {
    let steps = m.min(n).saturating_mul(m.saturating_add(n));
    steps.saturating_mul(steps).saturating_mul(2) <= EXACT_STEPS
}

/// Ranks of both sides together, doubled so that mid-ranks are integers.
pub(crate) struct Pooled {
    doubled_ranks: Vec<usize>,
    doubled_sum_a: usize,
    /// Sizes of the groups of equal values that have more than one.
    ties: Vec<usize>,
}

impl Pooled {
    pub(crate) fn new(a: &Sample, b: &Sample) -> Self {
        let mut values: Vec<(f64, usize)> = a.values().iter().map(|&value| (value, 1)).collect();
        values.extend(b.values().iter().map(|&value| (value, 0)));
        values.sort_by(|left, right| left.0.total_cmp(&right.0));
        let mut pooled = Self {
            doubled_ranks: Vec::with_capacity(values.len()),
            doubled_sum_a: 0,
            ties: Vec::new(),
        };
        let mut before = 0;
        for equal in values.chunk_by(|left, right| left.0.total_cmp(&right.0).is_eq()) {
            let rank = 2 * before + equal.len() + 1;
            let from_a: usize = equal.iter().map(|value| value.1).sum();
            pooled.doubled_sum_a += from_a * rank;
            pooled
                .doubled_ranks
                .extend(std::iter::repeat_n(rank, equal.len()));
            if equal.len() > 1 {
                pooled.ties.push(equal.len());
            }
            before += equal.len();
        }
        pooled
    }

    /// Share of all assignments whose rank sum is at least as far from its mean as the observed.
    fn exact_p(&self, m: usize, n: usize) -> f64 {
        let smaller = m.min(n);
        let counts = subset_sums(&self.doubled_ranks, smaller);
        let observed = self.doubled_sum_a.abs_diff(m * (m + n + 1));
        let mean = smaller * (m + n + 1);
        let extreme = counts.iter().enumerate();
        let extreme: f64 = extreme
            .filter(|&(sum, _)| sum.abs_diff(mean) >= observed)
            .map(|(_, count)| count)
            .sum();
        extreme / counts.iter().sum::<f64>()
    }

    /// Variance of U, corrected for ties.
    pub(crate) fn variance(&self, m: usize, n: usize) -> f64 {
        let (pairs, all) = ((m * n) as f64, (m + n) as f64);
        let cubes = |size: &usize| (*size as f64).powi(3) - *size as f64;
        let ties: f64 = self.ties.iter().map(cubes).sum();
        pairs / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)))
    }

    /// Two-sided p of the normal approximation; `continuity` moves the rank sum towards its mean.
    pub(crate) fn normal_p(&self, m: usize, n: usize, continuity: f64) -> f64 {
        let variance = self.variance(m, n);
        if variance <= 0.0 {
            return 1.0;
        }
        let distance = self.doubled_sum_a.abs_diff(m * (m + n + 1)) as f64 / 2.0;
        let deviations = (distance - continuity).max(0.0) / variance.sqrt();
        (2.0 * normal_tail(deviations)).clamp(f64::MIN_POSITIVE, 1.0)
    }
}

/// Number of subsets of `size` of the ascending `ranks` with each sum, by dynamic programming.
///
/// Counts are exact up to 2⁵³ and correctly rounded sums of positive numbers beyond.
fn subset_sums(ranks: &[usize], size: usize) -> Vec<f64> {
    let greatest: usize = ranks.iter().rev().take(size).sum();
    let mut counts = vec![vec![0.0; greatest + 1]; size + 1];
    counts[0][0] = 1.0;
    // Largest sum so far for each size.
    let mut reach = vec![0; size + 1];
    for (seen, &rank) in ranks.iter().enumerate() {
        for taken in (1..=size.min(seen + 1)).rev() {
            let (fewer, more) = counts.split_at_mut(taken);
            let last = reach[taken - 1].min(greatest.saturating_sub(rank));
            for (sum, &count) in fewer[taken - 1][..=last].iter().enumerate() {
                more[0][sum + rank] += count;
            }
            reach[taken] = reach[taken].max(last + rank);
        }
    }
    counts.pop().unwrap_or_default()
}

/// Probability of a normal value up to `z`; `statrs` has eleven digits, this has all.
fn normal_cumulative(z: f64) -> f64 {
    normal_tail(-z)
}

/// Probability of a normal value above `z`, accurate far out in the tail.
fn normal_tail(z: f64) -> f64 {
    0.5 * libm::erfc(z * std::f64::consts::FRAC_1_SQRT_2)
}
