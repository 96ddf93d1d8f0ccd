//! The best split of a range of values, by running sums of distances, and its permutation test.

use crate::random::Random;

/// Maximum number of values for which every order is used: 40 320 orders.
const EXACT_VALUES: usize = 8;
/// Number of orders with a split at least as good after which the test stops: p is clearly large then.
const ENOUGH: usize = 50;
/// Relative tolerance for equal statistics: another order of values has other rounding.
const SLACK: f64 = 1e-9;

/// A split of a series in two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    /// First point after it.
    pub point: usize,
    /// Q = m k / (m + k) times the energy distance of the m values before and the k after it.
    pub statistic: f64,
}

/// The first of the `places` with the largest distance Q between the values before and after it. All
/// places must have at least two values on each side.
///
/// E = 2/(mk) Σ|x−y| − 2/(m(m−1)) Σ|x−x′| − 2/(k(k−1)) Σ|y−y′|, with sums over pairs.
pub(super) fn best(values: &[f64], places: &[usize]) -> Option<Split> {
    let before = sums_of_beginnings(values.iter());
    let behind = sums_of_beginnings(values.iter().rev());
    let all = before.last()?;
    let mut best: Option<Split> = None;
    for &place in places {
        let (within_before, within_behind) = (before[place], behind[values.len() - place]);
        let (m, k) = (place as f64, (values.len() - place) as f64);
        let between = all - within_before - within_behind;
        let energy = 2.0 / (m * k) * between
            - 2.0 / (m * (m - 1.0)) * within_before
            - 2.0 / (k * (k - 1.0)) * within_behind;
        let statistic = m * k / (m + k) * energy;
        if best.is_none_or(|best| statistic > best.statistic) {
            best = Some(Split {
                point: place,
                statistic,
            });
        }
    }
    best
}

/// For every length, the sum of the distances of all pairs among that many first values.
fn sums_of_beginnings<'a>(values: impl Iterator<Item = &'a f64>) -> Vec<f64> {
    let mut seen: Vec<f64> = Vec::new();
    let mut sums = vec![0.0];
    let mut sum = 0.0;
    for &value in values {
        sum += sum_of_distances(value, &seen);
        sums.push(sum);
        seen.push(value);
    }
    sums
}

/// Sum of |value − other|, in eight independent partial sums, which the processor can overlap.
fn sum_of_distances(value: f64, others: &[f64]) -> f64 {
    let (eights, rest) = others.as_chunks::<8>();
    let mut parts = [0.0; 8];
    for eight in eights {
        for (part, other) in parts.iter_mut().zip(eight) {
            *part += (value - other).abs();
        }
    }
    for (part, other) in parts.iter_mut().zip(rest) {
        *part += (value - other).abs();
    }
    parts.iter().sum()
}

/// Share of orders of `values` whose best split at one of `places` is at least `observed`.
pub(super) fn p(
    values: &[f64],
    places: &[usize],
    observed: f64,
    permutations: usize,
    seed: u64,
) -> f64 {
    let greatest = values
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    let least = observed - SLACK * observed.abs() - f64::EPSILON * greatest;
    let is_as_good =
        |values: &[f64]| best(values, places).is_some_and(|split| split.statistic >= least);
    if values.len() <= EXACT_VALUES {
        return exact(values, is_as_good);
    }
    let mut values = values.to_vec();
    let mut random = Random::new(seed);
    let mut as_good = 0;
    for drawn in 1..=permutations {
        random.shuffle(&mut values);
        as_good += usize::from(is_as_good(&values));
        if as_good == ENOUGH {
            return as_good as f64 / drawn as f64;
        }
    }
    (1 + as_good) as f64 / (1 + permutations) as f64
}

/// Visits every order (Heap's algorithm, without recursion).
fn exact(values: &[f64], is_as_good: impl Fn(&[f64]) -> bool) -> f64 {
    let mut values = values.to_vec();
    let mut counters = vec![0; values.len()];
    let (mut orders, mut as_good) = (1_usize, usize::from(is_as_good(&values)));
    let mut at = 1;
    while at < values.len() {
        if counters[at] < at {
            let other = if at % 2 == 0 { 0 } else { counters[at] };
            values.swap(other, at);
            orders += 1;
            as_good += usize::from(is_as_good(&values));
            counters[at] += 1;
            at = 1;
        } else {
            counters[at] = 0;
            at += 1;
        }
    }
    as_good as f64 / orders as f64
}
