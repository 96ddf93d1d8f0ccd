//! Means in fixed point: multiples of one power of two, so that sums of them are exact.

/// Bits below the greatest value that sums over runs keep.
const FINE_BITS: i32 = 80;
/// Bits of the sum of all means; one less than a float keeps, for what rounding adds.
const SUM_BITS: u32 = 52;

/// Sums of one row over the runs of each side, in fine units.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums([i128; 2]);

/// Means of one row, as floats that add up without rounding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Means {
    pub(super) sides: [f64; 2],
    /// The second less the first, exactly.
    pub(super) delta: f64,
}

/// The units for a set of rows.
pub(super) struct Scale {
    to_fine: f64,
    /// Size of a fine unit.
    fine: f64,
}

impl Scale {
    /// Units for values up to `greatest` in size.
    pub(super) fn new(greatest: f64) -> Self {
        // Twice the greatest power of two below it; far from where powers of two end.
        let exponent = if greatest > 0.0 {
            greatest.log2().ceil()
        } else {
            0.0
        };
        #[expect(clippy::cast_possible_truncation, reason = "clamped to small integers")]
        let exponent = exponent.clamp(-900.0, 1023.0) as i32;
        Self {
            to_fine: 2.0_f64.powi(FINE_BITS - exponent),
            fine: 2.0_f64.powi(exponent - FINE_BITS),
        }
    }

    /// Sums of the values of both sides. Exact for values within 27 binary digits of the
    /// greatest; smaller ones are rounded at 2⁻⁸⁰ of it.
    pub(super) fn sums(&self, sides: [&[f64]; 2]) -> Sums {
        #[expect(clippy::cast_possible_truncation, reason = "at most 2^81")]
        let fixed = |value: &f64| (value * self.to_fine).round() as i128;
        Sums(sides.map(|values| values.iter().map(fixed).sum()))
    }

    /// Means of all rows, given the number of runs on each side. A side without runs has mean 0.
    pub(super) fn means(&self, rows: &[Sums], runs: [usize; 2]) -> Vec<Means> {
        let runs = runs.map(|runs| i128::try_from(runs).unwrap_or(i128::MAX).max(1));
        let sizes = rows
            .iter()
            .flat_map(|row| [0, 1].map(|side| row.0[side].abs() / runs[side] + 1));
        let bits = i128::BITS - sizes.sum::<i128>().leading_zeros();
        let shift = bits.saturating_sub(SUM_BITS);
        // A power of two times an integer below 2⁵³: exact.
        let unit = self.fine * 2.0_f64.powi(i32::try_from(shift).unwrap_or(0));
        let float = |units: i128| units as f64 * unit;
        let mean = |row: &Sums| {
            let [a, b] = [0, 1].map(|side| divide(row.0[side], runs[side] << shift));
            Means {
                sides: [float(a), float(b)],
                delta: float(b - a),
            }
        };
        rows.iter().map(mean).collect()
    }
}

/// Quotient rounded to the nearest integer, halves away from zero, so that it changes its sign
/// with `dividend`. `divisor` must be positive.
fn divide(dividend: i128, divisor: i128) -> i128 {
    let rounded = (dividend.abs() + divisor / 2) / divisor;
    rounded * dividend.signum()
}
