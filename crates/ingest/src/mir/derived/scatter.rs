//! How far apart siblings ran.

use super::siblings::Siblings;
use crate::mir::column::Floats;
use crate::mir::table::Table;

/// Median distance of the processor numbers of two siblings, over all pairs; absent for tasks
/// without siblings and where a processor is.
///
/// The median is searched for in sorted numbers: n log n in the siblings, never quadratic.
pub fn sibling_scatter(table: &Table) -> Floats {
    let mut cpus = Vec::new();
    Siblings::of(table).column(table, |set| {
        cpus.clear();
        cpus.extend(set.iter().filter_map(|&row| table.cpu_id.get(row as usize)));
        if cpus.len() < set.len() {
            return None;
        }
        median_distance(&mut cpus)
    })
}

/// Median of the distances of all pairs; the mean of the middle two where their number is even.
fn median_distance(numbers: &mut [i64]) -> Option<f64> {
    numbers.sort_unstable();
    let len = numbers.len() as u64;
    let pairs = len * len.saturating_sub(1) / 2;
    let lower = distance_of_rank(numbers, pairs.checked_sub(1)? / 2)?;
    if pairs % 2 == 1 {
        return Some(lower as f64);
    }
    let upper = distance_of_rank(numbers, pairs / 2)?;
    Some(f64::midpoint(lower as f64, upper as f64))
}

/// The distance with `rank` others before it in ascending order: the least one that more than
/// `rank` pairs keep within.
fn distance_of_rank(sorted: &[i64], rank: u64) -> Option<u64> {
    let (mut low, mut high) = (0, sorted.last()?.abs_diff(*sorted.first()?));
    while low < high {
        let middle = low + (high - low) / 2;
        if pairs_within(sorted, middle) > rank {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(low)
}

/// Number of pairs that are at most `distance` apart.
fn pairs_within(sorted: &[i64], distance: u64) -> u64 {
    let mut first = 0;
    let mut pairs = 0;
    for (at, &number) in sorted.iter().enumerate() {
        let is_far = |begin: &i64| number.abs_diff(*begin) > distance;
        while sorted.get(first).is_some_and(is_far) {
            first += 1;
        }
        pairs += (at - first) as u64;
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_those_of_all_pairs() {
        let mut state = 1_u64;
        for len in 0..40 {
            let mut next = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                i64::try_from(state >> 60).unwrap() - 4
            };
            let mut numbers: Vec<i64> = (0..len).map(|_| next()).collect();
            let mut distances: Vec<u64> = Vec::new();
            for (at, a) in numbers.iter().enumerate() {
                distances.extend(numbers[..at].iter().map(|b| a.abs_diff(*b)));
            }
            distances.sort_unstable();
            let middle = |at: usize| distances[at] as f64;
            let expected = match distances.len() {
                0 => None,
                n if n % 2 == 1 => Some(middle(n / 2)),
                n => Some(f64::midpoint(middle(n / 2 - 1), middle(n / 2))),
            };
            assert_eq!(median_distance(&mut numbers), expected, "{numbers:?}");
        }
    }

    #[test]
    fn a_million_siblings_on_as_many_processors_take_no_quadratic_time() {
        let mut numbers: Vec<i64> = (0..1_000_000).collect();
        // Half of the n(n-1)/2 pairs are at most n(1 - 1/sqrt 2) apart, which is 292,893.2.
        assert_eq!(median_distance(&mut numbers), Some(292_894.0));
    }
}
