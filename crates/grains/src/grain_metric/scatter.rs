//! Scatter: how far apart siblings ran.

use sheaf_model::Unit;
use sheaf_model::table::GrainKind;

use super::{AbsenceReason, Evaluation, GrainMetric, Need, PAPER, RATIO, TOOL, Values};

const SCATTER: GrainMetric = GrainMetric {
    unit: Unit::Count,
    ..RATIO
};

pub(super) const METRICS: [GrainMetric; 3] = [
    GrainMetric {
        id: "sibling_scatter",
        definition: "Median difference of the core numbers of two tasks, over all pairs of those that one join collects.",
        citation: TOOL,
        needs: &[Need::Parents, Need::Locations, Need::Cores],
        given_as: &["sibling_scatter"],
        compute: |evaluation| {
            let cores = numbers(&evaluation.run().summary.locations.core);
            Ok(scatter(evaluation, &cores, median_difference))
        },
        ..SCATTER
    },
    GrainMetric {
        id: "sibling_scatter_socket",
        definition: "Median over all pairs of tasks that one join collects of 0 for two on one socket and 1 for two on different ones.",
        citation: PAPER,
        needs: &[Need::Parents, Need::Locations, Need::Cores],
        compute: |evaluation| {
            let cores = evaluation.cores_per_socket().ok_or_else(|| {
                AbsenceReason::because("it is not known how many cores share a socket")
            })?;
            let mut sockets = numbers(&evaluation.run().summary.locations.core);
            for socket in sockets.iter_mut().flatten() {
                *socket = socket.div_euclid(i64::from(cores));
            }
            let apart = NodeDistances::default();
            Ok(scatter(evaluation, &sockets, |sockets| {
                apart.median(sockets)
            }))
        },
        ..SCATTER
    },
    GrainMetric {
        id: "sibling_scatter_numa",
        definition: "Median distance of the NUMA nodes of two tasks by the given table, else 0 within a node and 1 between nodes, over all pairs of those that one join collects.",
        citation: PAPER,
        needs: &[Need::Parents, Need::Locations, Need::NumaNodes],
        compute: |evaluation| {
            let nodes = numbers(&evaluation.run().summary.locations.numa_node);
            let apart = NodeDistances::default();
            let distances = evaluation.distances().unwrap_or(&apart);
            Ok(scatter(evaluation, &nodes, |nodes| distances.median(nodes)))
        },
        ..SCATTER
    },
];

/// How far NUMA nodes are apart, as `numactl --hardware` prints it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NodeDistances {
    /// Row by row; empty for 0 within a node and 1 between nodes.
    distances: Vec<u32>,
    nodes: usize,
}

impl NodeDistances {
    /// Distances by row and column.
    ///
    /// # Errors
    /// The rows are not as long as there are rows.
    pub fn new(rows: &[Vec<u32>]) -> Result<Self, AbsenceReason> {
        if rows.iter().any(|row| row.len() != rows.len()) {
            return Err(AbsenceReason::because(
                "the table of distances is not square",
            ));
        }
        Ok(Self {
            distances: rows.concat(),
            nodes: rows.len(),
        })
    }

    /// Distance of two nodes; absent outside of the table.
    pub fn between(&self, a: i64, b: i64) -> Option<u32> {
        if self.nodes == 0 {
            return Some(u32::from(a != b));
        }
        let [a, b] = [a, b].map(|node| usize::try_from(node).ok());
        let (a, b) = (a?, b?);
        if a >= self.nodes || b >= self.nodes {
            return None;
        }
        self.distances.get(a * self.nodes + b).copied()
    }

    /// Median distance over all pairs. Cost n log n, and the square of the size of the table.
    fn median(&self, nodes: &mut [i64]) -> Option<f64> {
        nodes.sort_unstable();
        let classes: Vec<(i64, u64)> = nodes
            .chunk_by(|a, b| a == b)
            .filter_map(|same| Some((*same.first()?, same.len() as u64)))
            .collect();
        let pairs_of = |count: u64| count * count.saturating_sub(1) / 2;
        let mut pairs: Vec<(u32, u64)> = Vec::new();
        if self.nodes == 0 {
            let within = classes.iter().map(|(_, count)| pairs_of(*count)).sum();
            pairs.extend([(0, within), (1, pairs_of(nodes.len() as u64) - within)]);
            return median_of(&pairs);
        }
        for (at, &(a, count)) in classes.iter().enumerate() {
            pairs.push((self.between(a, a)?, pairs_of(count)));
            for &(b, others) in classes.iter().skip(at + 1) {
                pairs.push((self.between(a, b)?, count * others));
            }
        }
        pairs.sort_unstable();
        median_of(&pairs)
    }
}

/// Median of distances with their numbers, ascending.
fn median_of(pairs: &[(u32, u64)]) -> Option<f64> {
    let total: u64 = pairs.iter().map(|(_, count)| count).sum();
    let of_rank = |rank: u64| {
        let mut before = 0;
        pairs.iter().find_map(|&(distance, count)| {
            before += count;
            (before > rank).then_some(f64::from(distance))
        })
    };
    let (lower, upper) = (total.checked_sub(1)? / 2, total / 2);
    Some(f64::midpoint(of_rank(lower)?, of_rank(upper)?))
}

fn numbers(column: &arrow::array::Int32Array) -> Vec<Option<i64>> {
    column.iter().map(|value| value.map(i64::from)).collect()
}

/// One value per set of tasks, from the numbers of their locations. Absent for single tasks, for
/// sets of members and chunks, which are everywhere by design, and where a number is.
fn scatter(
    evaluation: &Evaluation<'_>,
    of_location: &[Option<i64>],
    mut median: impl FnMut(&mut [i64]) -> Option<f64>,
) -> Values {
    let mut places = Vec::new();
    evaluation.per_set(|_, members| {
        places.clear();
        for &row in members {
            if evaluation.kind(row as usize) != GrainKind::Task {
                return None;
            }
            let location = usize::try_from(evaluation.location(row as usize)?).ok()?;
            places.push(of_location.get(location).copied().flatten()?);
        }
        median(&mut places)
    })
}

/// Median difference over all pairs; the mean of the middle two where their number is even. The
/// median is searched for in sorted numbers: n log n, never quadratic.
fn median_difference(numbers: &mut [i64]) -> Option<f64> {
    numbers.sort_unstable();
    let count = numbers.len() as u64;
    let pairs = count * count.saturating_sub(1) / 2;
    let (lower, upper) = (pairs.checked_sub(1)? / 2, pairs / 2);
    let least = difference_of_rank(numbers, lower)?;
    if lower == upper {
        return Some(least as f64);
    }
    Some((u128::from(least) + u128::from(difference_of_rank(numbers, upper)?)) as f64 / 2.0)
}

/// The least difference that more than `rank` pairs keep within.
fn difference_of_rank(sorted: &[i64], rank: u64) -> Option<u64> {
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

/// Number of pairs that differ by at most `difference`.
fn pairs_within(sorted: &[i64], difference: u64) -> u64 {
    let (mut first, mut pairs) = (0, 0);
    for (at, &number) in sorted.iter().enumerate() {
        let is_far = |begin: &i64| number.abs_diff(*begin) > difference;
        while sorted.get(first).is_some_and(is_far) {
            first += 1;
        }
        pairs += (at - first) as u64;
    }
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The middle of all pairs, one by one.
    fn of_pairs(numbers: &[i64], distance: impl Fn(i64, i64) -> u64) -> Option<f64> {
        let pairs = numbers.iter().enumerate();
        let mut all: Vec<u64> = pairs
            .flat_map(|(at, &a)| numbers[..at].iter().map(move |&b| (a, b)))
            .map(|(a, b)| distance(a, b))
            .collect();
        all.sort_unstable();
        let middle = all.len() / 2;
        match all.len() {
            0 => None,
            n if n % 2 == 1 => Some(all[middle] as f64),
            _ => Some(f64::midpoint(all[middle - 1] as f64, all[middle] as f64)),
        }
    }

    proptest! {
        #[test]
        fn medians_are_those_of_all_pairs(mut numbers in prop::collection::vec(-6..6_i64, 0..40)) {
            let expected = of_pairs(&numbers, i64::abs_diff);
            prop_assert_eq!(median_difference(&mut numbers), expected);
            let rows = (0..4).map(|a: u32| (0..4).map(|b| 10 + 3 * a.abs_diff(b)).collect());
            let table = NodeDistances::new(&rows.collect::<Vec<Vec<u32>>>()).unwrap();
            let mut nodes: Vec<i64> = numbers.iter().map(|node| node.rem_euclid(4)).collect();
            let expected = of_pairs(&nodes, |a, b| 10 + 3 * a.abs_diff(b));
            prop_assert_eq!(table.median(&mut nodes), expected);
            let expected = of_pairs(&nodes, |a, b| u64::from(a != b));
            prop_assert_eq!(NodeDistances::default().median(&mut nodes), expected);
        }
    }

    #[test]
    fn a_million_siblings_take_no_quadratic_time() {
        let mut numbers: Vec<i64> = (0..1_000_000).collect();
        // Half of the n(n-1)/2 pairs differ by at most n(1 - 1/sqrt 2), which is 292,893.2.
        assert_eq!(median_difference(&mut numbers), Some(292_894.0));
        assert_eq!(NodeDistances::default().median(&mut numbers), Some(1.0));
    }

    #[test]
    fn tables_that_are_not_square_are_refused() {
        let refused = NodeDistances::new(&[vec![10, 20], vec![20]]).unwrap_err();
        assert_eq!(refused.to_string(), "the table of distances is not square");
        assert_eq!(NodeDistances::new(&[vec![10]]).unwrap().between(0, 1), None);
    }
}
