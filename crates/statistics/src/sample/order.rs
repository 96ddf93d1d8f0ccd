//! Sorting of floats, and medians of sorted values.

/// Finite numbers without −0 in ascending order.
///
/// They are sorted as integers of the same order, which are compared in one instruction.
pub(super) fn ascending(values: Vec<f64>) -> Vec<f64> {
    let mut keys: Vec<i64> = values.into_iter().map(key).collect();
    keys.sort_unstable();
    keys.into_iter().map(value).collect()
}

/// The bits of a float as an integer of the same order: the bits of negative numbers are inverted.
#[expect(clippy::cast_possible_wrap, reason = "bits, not amounts")]
fn key(value: f64) -> i64 {
    turned(value.to_bits() as i64)
}

#[expect(clippy::cast_sign_loss, reason = "bits, not amounts")]
fn value(key: i64) -> f64 {
    f64::from_bits(turned(key) as u64)
}

fn turned(bits: i64) -> i64 {
    bits ^ ((bits >> 63) & i64::MAX)
}

/// Median of finite numbers, as a quantile of type 7.
pub(super) fn median(values: Vec<f64>) -> Option<f64> {
    // −0 and 0 tie.
    let mut keys: Vec<i64> = values.into_iter().map(|value| key(value + 0.0)).collect();
    let last = keys.len().checked_sub(1)?;
    let (_, &mut low, above) = keys.select_nth_unstable(last / 2);
    let low = value(low);
    let high = above.iter().min().copied().filter(|_| last % 2 == 1);
    let high = high.map_or(low, value);
    Some(low + (high - low) * (last as f64 / 2.0).fract())
}

/// Median of the distances of ascending values from `centre`, in logarithmic time.
pub(super) fn median_deviation(ascending: &[f64], centre: f64) -> Option<f64> {
    let last = ascending.len().checked_sub(1)?;
    let below = ascending.partition_point(|&value| value < centre);
    let (below, above) = ascending.split_at(below);
    let low = nth_deviation(below, above, centre, last / 2)?;
    let high = if last % 2 == 0 {
        low
    } else {
        nth_deviation(below, above, centre, last / 2 + 1)?
    };
    // As a quantile between two order statistics.
    Some(low + (high - low) * (last as f64 / 2.0).fract())
}

/// The distance from `centre` with this rank, over the values below it and the others.
///
/// Distances ascend from the centre outwards on each side, so it suffices to find how many of the `rank`
/// smallest are below it.
fn nth_deviation(below: &[f64], above: &[f64], centre: f64, rank: usize) -> Option<f64> {
    let left = |at: usize| Some((below[below.len().checked_sub(at + 1)?] - centre).abs());
    let right = |at: usize| above.get(at).map(|value| (value - centre).abs());
    // The smallest number from below for which no smaller distance remains on that side.
    let (mut least, mut most) = (rank.saturating_sub(above.len()), rank.min(below.len()));
    while least < most {
        let taken = least.midpoint(most);
        match (left(taken), right((rank - taken).checked_sub(1)?)) {
            (Some(next), Some(farthest)) if next < farthest => least = taken + 1,
            _ => most = taken,
        }
    }
    let next = [left(least), right(rank - least)];
    next.into_iter().flatten().reduce(f64::min)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn slowly(values: &[f64], centre: f64) -> Vec<f64> {
        let mut deviations: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
        deviations.sort_by(f64::total_cmp);
        deviations
    }

    proptest! {
        #[test]
        fn numbers_ascend(values in prop::collection::vec(-1e300..1e300_f64, 0..80)) {
            let mut expected = values.clone();
            expected.sort_by(f64::total_cmp);
            prop_assert_eq!(median(values.clone()), crate::Sample::new(values.clone()).median());
            prop_assert_eq!(ascending(values), expected);
        }

        #[test]
        fn distances_are_those_of_all_in_order(
            mut values in prop::collection::vec((-20..20_i32).prop_map(f64::from), 1..40),
            centre in -25.0..25.0_f64,
        ) {
            values.sort_by(f64::total_cmp);
            let slowly = slowly(&values, centre);
            let parted = values.partition_point(|&value| value < centre);
            let (below, above) = values.split_at(parted);
            for (rank, &expected) in slowly.iter().enumerate() {
                prop_assert_eq!(nth_deviation(below, above, centre, rank), Some(expected));
            }
            let middle = slowly.len() / 2;
            let median = if slowly.len() % 2 == 1 {
                slowly[middle]
            } else {
                slowly[middle - 1] + (slowly[middle] - slowly[middle - 1]) * 0.5
            };
            prop_assert_eq!(median_deviation(&values, centre), Some(median));
        }
    }

    #[test]
    fn of_nothing_there_is_no_deviation() {
        assert_eq!(median_deviation(&[], 1.0), None);
        assert_eq!(
            ascending(vec![2.0, -1.0, 0.0, -3.0]),
            [-3.0, -1.0, 0.0, 2.0]
        );
    }
}
