//! How often values in another order have a split as good.

use super::split;
use crate::random::Random;

/// Up to so many values every order is taken: 40 320 of them.
const EXACT_VALUES: usize = 8;
/// Orders as good as the observed after which p is known well enough, being clearly great.
const ENOUGH: usize = 50;
/// Relative slack within which two statistics are equal: another order sums in another order.
const SLACK: f64 = 1e-9;

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
        |values: &[f64]| split::best(values, places).is_some_and(|split| split.statistic >= least);
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

/// Takes every order (Heap's algorithm, without recursion).
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
