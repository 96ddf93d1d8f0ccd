//! Location and spread of one sample.

mod box_plot;
mod median_ranks;
mod modes;
mod order;

use super::Interval;

pub use box_plot::BoxPlot;
pub use median_ranks::MedianRanks;
pub use modes::ModeSplit;

/// Factor from the median absolute deviation to the standard deviation of normal data: 1 / Φ⁻¹(¾).
pub const MAD_TO_SIGMA: f64 = 1.482_602_218_505_602;

/// Scale at which 2⁶⁴ values of any size can be added.
const DOWN: f64 = 1.0 / 18_446_744_073_709_551_616.0;

/// Maximum number of values for which memory is reserved in advance.
const EXPECTED: usize = 1 << 12;

/// Finite values in ascending order.
///
/// ```
/// use sheaf_statistics::Sample;
/// let sample = Sample::new([3.0, 1.0, f64::NAN, 2.0, 10.0, 4.0]);
/// assert_eq!(sample.median(), Some(3.0));
/// assert_eq!(sample.quantile(0.75), Some(4.0));
/// assert_eq!(sample.rejected(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sample {
    sorted: Vec<f64>,
    rejected: usize,
}

impl Sample {
    /// Sorts the finite `values`; other values are counted.
    pub fn new(values: impl IntoIterator<Item = f64>) -> Self {
        let values = values.into_iter();
        let expected = values.size_hint().1.map_or(0, |most| most.min(EXPECTED));
        let mut sorted = Vec::with_capacity(expected);
        let mut rejected = 0;
        for value in values {
            if value.is_finite() {
                // −0 and 0 tie.
                sorted.push(value + 0.0);
            } else {
                rejected += 1;
            }
        }
        if !sorted.is_sorted() {
            sorted = order::ascending(sorted);
        }
        Self { sorted, rejected }
    }

    /// The values, ascending.
    pub fn values(&self) -> &[f64] {
        &self.sorted
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// Number of values that were ignored because they are not finite.
    pub fn rejected(&self) -> usize {
        self.rejected
    }

    /// Compensated sum; 0 for an empty sample.
    pub fn sum(&self) -> f64 {
        compensated_sum(self.sorted.iter().copied())
    }

    /// Arithmetic mean.
    pub fn mean(&self) -> Option<f64> {
        let (min, max) = (self.min()?, self.max()?);
        let mut mean = self.sum() / self.len() as f64;
        if !mean.is_finite() {
            let scaled = self.sorted.iter().map(|value| value * DOWN);
            mean = compensated_sum(scaled) / self.len() as f64 / DOWN;
        }
        // Rounding must not carry the mean of equal values out of their range.
        Some(mean.clamp(min, max))
    }

    /// Smallest value.
    pub fn min(&self) -> Option<f64> {
        self.sorted.first().copied()
    }

    /// Largest value.
    pub fn max(&self) -> Option<f64> {
        self.sorted.last().copied()
    }

    /// Standard deviation with n − 1, two passes; absent below two values.
    pub fn standard_deviation(&self) -> Option<f64> {
        if self.len() < 2 {
            return None;
        }
        self.deviation_from(self.mean()?)
    }

    /// Standard deviation, from a mean that was computed before.
    pub fn deviation_from(&self, mean: f64) -> Option<f64> {
        if self.len() < 2 {
            return None;
        }
        let squares = compensated_sum(self.sorted.iter().map(|value| (value - mean).powi(2)));
        let deviation = (squares / (self.len() - 1) as f64).sqrt();
        if deviation.is_finite() {
            return Some(deviation);
        }
        // Squares of very large numbers overflow.
        let greatest = self.max()?.abs().max(self.min()?.abs());
        let scaled = self.sorted.iter().map(|value| value / greatest);
        let squares = compensated_sum(scaled.map(|value| (value - mean / greatest).powi(2)));
        Some(greatest * (squares / (self.len() - 1) as f64).sqrt())
    }

    /// Quantile of type 7: linear between order statistics at (n − 1) `share`, `share` in 0..=1.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        quantile(&self.sorted, share)
    }

    /// Median.
    pub fn median(&self) -> Option<f64> {
        self.quantile(0.5)
    }

    /// Third minus first quartile.
    pub fn interquartile_range(&self) -> Option<f64> {
        Some(self.quantile(0.75)? - self.quantile(0.25)?)
    }

    /// Median absolute deviation from the median; times [`MAD_TO_SIGMA`] it estimates the standard
    /// deviation of normal data. 0 when more than half of the values are equal.
    pub fn median_absolute_deviation(&self) -> Option<f64> {
        order::median_deviation(&self.sorted, self.median()?)
    }

    /// Mean divided by the largest value; 1 if all are 0, absent if the largest is negative.
    pub fn load_balance(&self) -> Option<f64> {
        let max = self.max().filter(|&max| max >= 0.0)?;
        Some(if max == 0.0 { 1.0 } else { self.mean()? / max })
    }

    /// Tukey's fences, 1.5 interquartile ranges outside of the quartiles; absent with fewer than four values.
    pub fn outlier_fences(&self) -> Option<(f64, f64)> {
        if self.len() < 4 {
            return None;
        }
        let reach = 1.5 * self.interquartile_range()?;
        Some((self.quantile(0.25)? - reach, self.quantile(0.75)? + reach))
    }

    /// Interval of the median between order statistics, without assumptions on the distribution.
    /// Absent if there are too few values: fewer than six for `alpha` 0.05.
    pub fn median_interval(&self, alpha: f64) -> Option<Interval> {
        MedianRanks::new(self.len(), alpha)?.interval(self)
    }
}

/// Quantile of type 7 of ascending values.
fn quantile(ascending: &[f64], share: f64) -> Option<f64> {
    let last = ascending.len().checked_sub(1)?;
    if share.is_nan() {
        return None;
    }
    let place = share.clamp(0.0, 1.0) * last as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "place is between 0 and the last index"
    )]
    let below = place.floor() as usize;
    let low = ascending[below.min(last)];
    let high = ascending[(below + 1).min(last)];
    Some(low + (high - low) * (place - below as f64))
}

/// Arithmetic mean of the finite `values`, added in the given order, which must be a defined one. Absent if
/// there are none. Use [`Sample::mean`] for values in any order.
///
/// ```
/// use sheaf_statistics::mean;
/// assert_eq!(mean([3.0, f64::NAN, 1.0]), Some(2.0));
/// assert_eq!(mean([]), None);
/// ```
pub fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut count, mut min, mut max) = (0_usize, f64::INFINITY, f64::NEG_INFINITY);
    let mut scaled = 0.0;
    let finite = values.into_iter().filter(|value| value.is_finite());
    let sum = compensated_sum(finite.inspect(|&value| {
        count += 1;
        (min, max) = (min.min(value), max.max(value));
        scaled += value * DOWN;
    }));
    if count == 0 {
        return None;
    }
    let mean = sum / count as f64;
    let mean = if mean.is_finite() {
        mean
    } else {
        scaled / count as f64 / DOWN
    };
    Some(mean.clamp(min, max))
}

/// Median of the finite `values`, equal to [`Sample::median`], in linear time.
///
/// ```
/// use sheaf_statistics::median;
/// assert_eq!(median(&[3.0, 1.0, 2.0, 10.0]), Some(2.5));
/// ```
pub fn median(values: &[f64]) -> Option<f64> {
    let mut finite = Vec::with_capacity(values.len());
    finite.extend(values.iter().copied().filter(|value| value.is_finite()));
    order::median(finite)
}

/// Neumaier's compensated sum.
pub(crate) fn compensated_sum(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0);
    for value in values {
        let next = sum + value;
        lost += if sum.abs() >= value.abs() {
            (sum - next) + value
        } else {
            (value - next) + sum
        };
        sum = next;
    }
    sum + lost
}
