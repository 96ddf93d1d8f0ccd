//! Values as multiples of one power of two, so that sums of them are exact, also as floats.

/// Bits of a float's fraction, less one for rounding.
const BITS: f64 = 52.0;

/// The unit of a set of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fixed {
    scale: f64,
}

impl Fixed {
    /// For whole numbers the unit is 1, as long as floats hold them; else the smallest with which sums up
    /// to `greatest` are exact.
    pub(super) fn new(greatest: f64, are_whole: bool) -> Self {
        let bits = greatest.max(1e-300).log2().ceil();
        let fits = are_whole && bits <= BITS;
        let exponent = if fits { 0.0 } else { BITS - bits };
        #[expect(clippy::cast_possible_truncation, reason = "clamped")]
        let exponent = exponent.clamp(-1000.0, 1000.0) as i32;
        Self {
            scale: 2.0_f64.powi(exponent),
        }
    }

    /// The nearest multiple.
    pub(super) fn of(self, value: f64) -> i128 {
        #[expect(clippy::cast_possible_truncation, reason = "saturates")]
        let units = (value * self.scale).round() as i128;
        units
    }

    /// Back to a float, exactly.
    pub(super) fn float(self, units: i128) -> f64 {
        units as f64 / self.scale
    }
}
