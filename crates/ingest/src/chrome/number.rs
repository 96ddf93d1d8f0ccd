//! Numbers of trace events: decimal microseconds as exact nanoseconds, and ids.

/// Latest and earliest time that is believed, so that differences of any two fit.
const LATEST: u64 = i64::MAX as u64 / 4;

/// Decimal digits that 64 bits hold for sure.
const DIGITS: u32 = 19;

/// Nanoseconds of decimal microseconds, rounded to the nearest; `None` for what is not a number or
/// beyond a century or two.
pub(super) fn nanos(text: &[u8]) -> Option<i64> {
    let (is_negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let decimal = Decimal::parse(text)?;
    let nanos = decimal.scaled(3)?;
    let nanos = i64::try_from(nanos).ok().filter(|_| nanos <= LATEST)?;
    Some(if is_negative { -nanos } else { nanos })
}

/// A number as `mantissa · 10^exponent`.
struct Decimal {
    mantissa: u64,
    exponent: i32,
}

impl Decimal {
    fn parse(text: &[u8]) -> Option<Self> {
        let mut decimal = Self {
            mantissa: 0,
            exponent: 0,
        };
        let (mut digits, mut has_digit, mut is_fraction) = (0, false, false);
        let mut rest = text;
        while let [byte, after @ ..] = rest {
            match byte {
                b'0'..=b'9' => {
                    has_digit = true;
                    if digits < DIGITS {
                        decimal.mantissa = decimal.mantissa * 10 + u64::from(byte - b'0');
                        digits += u32::from(decimal.mantissa > 0);
                        decimal.exponent -= i32::from(is_fraction);
                    } else {
                        let is_half = digits == DIGITS && *byte >= b'5';
                        decimal.mantissa += u64::from(is_half);
                        digits = DIGITS + 1;
                        decimal.exponent = decimal.exponent.saturating_add(i32::from(!is_fraction));
                    }
                }
                b'.' if !is_fraction => is_fraction = true,
                b'e' | b'E' => {
                    let exponent = std::str::from_utf8(after).ok()?;
                    let exponent: i32 = exponent.parse().ok()?;
                    decimal.exponent = decimal.exponent.saturating_add(exponent);
                    break;
                }
                _ => return None,
            }
            rest = after;
        }
        has_digit.then_some(decimal)
    }

    /// The number times a power of ten, rounded half up.
    fn scaled(&self, power: i32) -> Option<u64> {
        let exponent = self.exponent.saturating_add(power);
        if self.mantissa == 0 {
            return Some(0);
        }
        if exponent >= 0 {
            let factor = 10_u64.checked_pow(exponent.unsigned_abs())?;
            return self.mantissa.checked_mul(factor);
        }
        let Some(divisor) = 10_u64.checked_pow(exponent.unsigned_abs()) else {
            return Some(0);
        };
        let rest = self.mantissa % divisor;
        Some(self.mantissa / divisor + u64::from(rest >= divisor.div_ceil(2)))
    }
}

/// The integer that a text prints back as.
pub(super) fn integer(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let is_canonical = match digits {
        [b'0'] => digits.len() == text.len(),
        [] | [b'0', ..] => false,
        _ => digits.len() <= 19 && digits.iter().all(u8::is_ascii_digit),
    };
    if !is_canonical {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microseconds_become_exact_nanoseconds() {
        let check = |text: &str, expected: Option<i64>| {
            assert_eq!(nanos(text.as_bytes()), expected, "{text}");
        };
        check("0", Some(0));
        check("12", Some(12_000));
        check("0.001", Some(1));
        check("1234567.891", Some(1_234_567_891));
        check("8.041000000000001", Some(8_041));
        check("0.0004999", Some(0));
        check("0.0005", Some(1));
        check("-3.5", Some(-3_500));
        check("1.5e3", Some(1_500_000));
        check("15E-1", Some(1_500));
        check("1700000000000000.123", Some(1_700_000_000_000_000_123));
        check("1700000000000000.1239", Some(1_700_000_000_000_000_124));
        check("0.00000000000000000000000000000000000000000001", Some(0));
        check("1e300", None);
        check("-1e300", None);
        check("0e999999999", Some(0));
        check("1e99999999999", None);
        check("9223372036854775807", None);
        check("NaN", None);
        check("", None);
        check(".", None);
        check("1.2.3", None);
    }

    #[test]
    fn integers_are_those_that_print_back() {
        let found = [
            "7",
            "-7",
            "0",
            "-0",
            "007",
            "+7",
            "1.0",
            "0x1f",
            "",
            "99999999999999999999",
        ]
        .map(|text| integer(text.as_bytes()));
        let mut expected = [None; 10];
        expected[..3].copy_from_slice(&[Some(7), Some(-7), Some(0)]);
        assert_eq!(found, expected);
    }
}
