//! Summaries of lengths of time.

/// Of some lengths of time; a quantile p is the one at place ⌊p·n⌋ in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// How many.
    pub count: u64,
    /// Their sum.
    pub sum: i64,
    /// The shortest.
    pub min: i64,
    /// The tenth part is shorter.
    pub p10: i64,
    /// The median.
    pub p50: i64,
    /// The tenth part is longer.
    pub p90: i64,
    /// The hundredth part is longer.
    pub p99: i64,
    /// The longest.
    pub max: i64,
    /// How many by order of magnitude: place k is for lengths from 2^(k−1) to 2^k − 1, the first for
    /// 0 and less.
    pub histogram: Vec<u64>,
}

impl Summary {
    /// Of lengths in any order; `None` where there are none. Linear in their number.
    pub(super) fn of(mut lengths: Vec<i64>) -> Option<Self> {
        let count = lengths.len();
        let (min, max) = (*lengths.iter().min()?, *lengths.iter().max()?);
        let mut histogram = vec![0_u64; magnitude(max) + 1];
        for &length in &lengths {
            histogram[magnitude(length)] += 1;
        }
        let sum = lengths
            .iter()
            .fold(0_i64, |sum, &length| sum.saturating_add(length));
        // From the right, so that each looks at what is left of the one before only.
        let mut rest = lengths.as_mut_slice();
        let mut quantile = max;
        let quantiles = [99, 90, 50, 10].map(|percent| {
            let place = count * percent / 100;
            // Else it is at the place of the one before.
            if place < rest.len() {
                let (left, found, _) = std::mem::take(&mut rest).select_nth_unstable(place);
                (quantile, rest) = (*found, left);
            }
            quantile
        });
        let [p99, p90, p50, p10] = quantiles;
        Some(Self {
            count: count as u64,
            sum,
            min,
            p10,
            p50,
            p90,
            p99,
            max,
            histogram,
        })
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count as f64
    }
}

/// Bits of a length.
fn magnitude(length: i64) -> usize {
    let bits = u64::BITS - length.max(0).cast_unsigned().leading_zeros();
    usize::try_from(bits).unwrap_or(0)
}
