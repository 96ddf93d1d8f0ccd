//! Histograms with equal bins.

use sheaf_answers::Histogram;

/// Counts `values` into at most `bins` bins of equal width. Infinite and NaN values count as
/// absent; one bin when all values are equal or lie too close to be distinguished.
///
/// ```
/// use sheaf_analysis::histogram;
/// let histogram = histogram([Some(0.0), None, Some(1.0), Some(4.0)], 4);
/// assert_eq!(histogram.counts, [1, 1, 0, 1]);
/// assert_eq!(histogram.bin_of, [Some(0), None, Some(1), Some(3)]);
/// ```
pub fn histogram(values: impl IntoIterator<Item = Option<f64>>, bins: u32) -> Histogram {
    let values: Vec<Option<f64>> = values
        .into_iter()
        .map(|value| value.filter(|value| value.is_finite()))
        .collect();
    let present = || values.iter().flatten().copied();
    let (Some(min), Some(max)) = (present().reduce(f64::min), present().reduce(f64::max)) else {
        return Histogram {
            bin_of: vec![None; values.len()],
            ..Histogram::default()
        };
    };
    let bins = if min < max { bins.max(1) } else { 1 };
    let mut counts = vec![0; bins as usize];
    let bin_of = values
        .iter()
        .map(|value| {
            let bin = bin(min, max, bins, (*value)?);
            counts[bin as usize] += 1;
            Some(bin)
        })
        .collect();
    Histogram {
        min,
        max,
        counts,
        bin_of,
    }
}

/// Lower and upper end of a bin.
pub(crate) fn bin_bounds(histogram: &Histogram, bin: usize) -> (f64, f64) {
    let bins = histogram.counts.len();
    let edge = |at: usize| {
        let place = at as f64 / bins as f64;
        let offset = (histogram.max - histogram.min) * at as f64 / bins as f64;
        match offset.is_finite() {
            _ if at >= bins => histogram.max,
            true => histogram.min + offset,
            false => histogram.min * (1.0 - place) + histogram.max * place,
        }
    };
    (edge(bin), edge(bin + 1))
}

/// Counts of finite ascending values in equal bins from `min` to `max`, between which all of them are; the
/// same as [`histogram`] gives for values with these ends. Takes time logarithmic in the values.
pub(crate) fn counts_of_sorted(ascending: &[f64], min: f64, max: f64, bins: u32) -> Vec<u64> {
    let bins = if min < max { bins.max(1) } else { 1 };
    let mut rest = ascending;
    let count = |at: u32| {
        let (now, later) =
            rest.split_at(rest.partition_point(|&value| bin(min, max, bins, value) <= at));
        rest = later;
        now.len() as u64
    };
    (0..bins).map(count).collect()
}

/// Bin of a value in `min..=max`; halves first, so that no range overflows.
fn bin(min: f64, max: f64, bins: u32, value: f64) -> u32 {
    let width = max / 2.0 - min / 2.0;
    if width <= 0.0 {
        return 0;
    }
    let place = (value / 2.0 - min / 2.0) / width * f64::from(bins);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "conversions of floats saturate, and the place is between 0 and the bins"
    )]
    let bin = place as u32;
    bin.min(bins - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_one_bin() {
        let found = histogram([Some(3.0), Some(3.0)], 20);
        assert_eq!((found.counts, found.min, found.max), (vec![2], 3.0, 3.0));
    }

    #[test]
    fn no_values_are_no_bins() {
        let found = histogram([None, Some(f64::NAN)], 20);
        assert!(found.counts.is_empty());
        assert_eq!(found.bin_of, [None, None]);
    }

    #[test]
    fn extreme_ranges_keep_their_ends() {
        let found = histogram([Some(f64::MIN), Some(0.0), Some(f64::MAX)], 2);
        assert_eq!(found.bin_of, [Some(0), Some(1), Some(1)]);
        let tiny = histogram([Some(0.0), Some(5e-324)], 2);
        assert_eq!(tiny.counts.iter().sum::<u64>(), 2);
    }

    #[test]
    fn sorted_values_are_counted_alike() {
        let mut values: Vec<f64> = (0..500_i32)
            .map(|at| f64::from(at * at % 997) / 7.0 - 20.0)
            .collect();
        values.sort_by(f64::total_cmp);
        for (bins, count) in [(1, 500), (20, 500), (333, 17), (20, 1)] {
            let values = &values[..count];
            let expected = histogram(values.iter().map(|&value| Some(value)), bins);
            let (min, max) = (values[0], values[count - 1]);
            assert_eq!(counts_of_sorted(values, min, max, bins), expected.counts);
        }
    }

    #[test]
    fn the_last_bin_includes_its_end() {
        let found = histogram([Some(0.0), Some(10.0)], 3);
        assert_eq!(found.counts, [1, 0, 1]);
        assert_eq!(bin_bounds(&found, 2), (20.0 / 3.0, 10.0));
    }
}
