//! Decimal numbers as profilers print them, added and subtracted exactly.

use std::ops::{Add, Sub};

/// Digits after the point that are kept.
const DIGITS: i32 = 24;

/// 10 to the power of [`DIGITS`].
const ONE: i128 = 10_i128.pow(DIGITS.unsigned_abs());

/// An exact decimal number: a count of 10⁻²⁴, below 10¹⁴ in size.
///
/// Sums of printed times stay what they are on paper: 0.1 + 0.2 is 0.3.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Decimal(i128);

impl Decimal {
    /// Reads `12`, `-0.25`, `1.5e-07`; `None` for anything else, and for what is too large.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (is_negative, rest) = match text.as_bytes() {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] | rest => (false, rest),
        };
        let (mut units, mut decimals, mut digits) = (0_i128, 0_i32, 0_u32);
        let (mut is_fraction, mut is_cut) = (false, false);
        let mut exponent = 0;
        for (at, &byte) in rest.iter().enumerate() {
            match byte {
                b'0'..=b'9' => {
                    digits += 1;
                    if is_fraction && decimals >= DIGITS + 12 {
                        is_cut = true;
                        continue;
                    }
                    units = units.checked_mul(10)?.checked_add((byte - b'0').into())?;
                    decimals += i32::from(is_fraction);
                }
                b'.' if !is_fraction => is_fraction = true,
                b'e' | b'E' => {
                    exponent = std::str::from_utf8(rest.get(at + 1..)?)
                        .ok()?
                        .parse()
                        .ok()?;
                    break;
                }
                _ => return None,
            }
        }
        // Digits that far after the point do not count, unless the exponent moves them.
        if digits == 0 || (is_cut && exponent > 0) {
            return None;
        }
        let units = scaled(units, DIGITS.checked_sub(decimals)?.checked_add(exponent)?)?;
        Some(Self(if is_negative { -units } else { units }))
    }

    /// The value times a power of ten.
    pub(crate) fn shifted(self, exponent: i32) -> Option<Self> {
        scaled(self.0, exponent).map(Self)
    }

    /// The float nearest to it.
    pub(crate) fn to_f64(self) -> f64 {
        let units = self.0.unsigned_abs();
        let one = ONE.unsigned_abs();
        let text = format!("{}.{:024}", units / one, units % one);
        let size: f64 = text.parse().unwrap_or(f64::NAN);
        if self.0 < 0 { -size } else { size }
    }

    /// The value in units of 10⁻ⁿ where it is a whole number of them.
    pub(crate) fn in_units_of(self, negative_exponent: u32) -> Option<i64> {
        let unit = ONE / 10_i128.checked_pow(negative_exponent)?.min(ONE);
        let is_whole = self.0 % unit == 0;
        is_whole.then_some(self.0 / unit)?.try_into().ok()
    }

    /// The whole units of 10⁻ⁿ in the value; more digits are cut.
    pub(crate) fn floor_units_of(self, negative_exponent: u32) -> Option<i64> {
        let unit = ONE / 10_i128.checked_pow(negative_exponent)?.min(ONE);
        self.0.div_euclid(unit).try_into().ok()
    }

    pub(crate) fn is_negative(self) -> bool {
        self.0 < 0
    }
}

/// `units` times 10 to the power of `exponent`, rounded towards zero.
fn scaled(units: i128, exponent: i32) -> Option<i128> {
    let factor = 10_i128.checked_pow(exponent.unsigned_abs());
    if exponent >= 0 {
        return if units == 0 {
            Some(0)
        } else {
            units.checked_mul(factor?)
        };
    }
    Some(factor.map_or(0, |factor| units / factor))
}

impl Add for Decimal {
    type Output = Self;

    /// The exact sum; the largest number where it is larger than that.
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Decimal {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn sums_are_those_on_paper() {
        let texts = [
            "0.1", "0.2", "-0.25", "1.5e-07", "12", "3.", ".5", "0e99999",
        ];
        let sum = texts
            .iter()
            .fold(Decimal::default(), |sum, text| sum + decimal(text));
        assert_eq!(sum, decimal("15.55000015"));
        assert!((decimal("0.1") + decimal("0.2")).to_f64().to_bits() == 0.3_f64.to_bits());
        assert!((decimal("0.06") - decimal("0.07")).to_f64().to_bits() == (-0.01_f64).to_bits());
        assert!((decimal("0.06") - decimal("0.07")).is_negative());
    }

    #[test]
    fn whole_units_are_integers() {
        assert_eq!(decimal("35.638487535").in_units_of(9), Some(35_638_487_535));
        assert_eq!(decimal("1.5").in_units_of(0), None);
        assert_eq!(decimal("-2").in_units_of(0), Some(-2));
        assert_eq!(decimal("1e-6").shifted(-3).unwrap(), decimal("1e-9"));
        assert_eq!(decimal("1e9").shifted(30), None);
        assert_eq!(decimal("0.1234567899").floor_units_of(9), Some(123_456_789));
        assert_eq!(decimal("99999999999999").in_units_of(9), None);
    }

    #[test]
    fn what_is_no_decimal_is_none() {
        let long = "9".repeat(1000);
        let deep = format!("0.{}1", "0".repeat(100_000));
        let moved = format!("{deep}e100000");
        let texts = [
            "", "-", ".", "e5", "1e", "nan", "inf", "1.2.3", "0x1", "1e40", &long, &moved,
        ];
        for text in texts {
            assert!(Decimal::parse(text).is_none(), "{text:.20}");
        }
        assert_eq!(decimal(&deep), Decimal::default());
        assert_eq!(decimal("1e-9999").to_f64().to_bits(), 0);
        assert_eq!(
            decimal(&format!("0.{}", "3".repeat(60))).to_f64().to_bits(),
            (1.0_f64 / 3.0).to_bits()
        );
    }
}
