//! Numbers as the tools write them: integers, R's `1e+05`, `NA`.

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    /// `NA`, or nothing.
    Absent,
    /// An integer, however it was written.
    Integer(i64),
    /// A finite number that is not an integer, or too large for one to be exact.
    Float(f64),
    /// Infinite, not a number, or other text.
    Invalid,
}

/// Integers from which on floats are not exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Most digits that fit whatever they are.
const SAFE_DIGITS: usize = 18;

/// Reads a number; `TRUE` and `FALSE` are 1 and 0.
pub(crate) fn number(text: &[u8]) -> Number {
    let text = text.trim_ascii();
    if text.is_empty() || text == b"NA" {
        return Number::Absent;
    }
    let (is_negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        _ => (false, text),
    };
    if digits.len() <= SAFE_DIGITS && !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
        let value = digits
            .iter()
            .fold(0_i64, |value, digit| value * 10 + i64::from(digit - b'0'));
        return Number::Integer(if is_negative { -value } else { value });
    }
    match text {
        b"TRUE" | b"true" => return Number::Integer(1),
        b"FALSE" | b"false" => return Number::Integer(0),
        _ => {}
    }
    let Ok(text) = std::str::from_utf8(text) else {
        return Number::Invalid;
    };
    if let Ok(value) = text.parse::<i64>() {
        return if value == i64::MIN {
            Number::Invalid
        } else {
            Number::Integer(value)
        };
    }
    match text.parse::<f64>() {
        Ok(value) if !value.is_finite() => Number::Invalid,
        Ok(value) => of_float(value),
        Err(_) => Number::Invalid,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the value is an integer below 2^53"
)]
fn of_float(value: f64) -> Number {
    if value.fract() == 0.0 && value.abs() < EXACT {
        Number::Integer(value as i64)
    } else {
        Number::Float(value)
    }
}

/// Reads a code address: `0x…` in hexadecimal, else decimal; 0 and `NA` are none.
pub(crate) fn address(text: &[u8]) -> Result<Option<u64>, ()> {
    let text = text.trim_ascii();
    let hex = text.strip_prefix(b"0x").or(text.strip_prefix(b"0X"));
    if let Some(digits) = hex {
        let digits = std::str::from_utf8(digits).map_err(|_| ())?;
        let value = u64::from_str_radix(digits, 16).map_err(|_| ())?;
        return Ok(Some(value).filter(|&value| value != 0));
    }
    match number(text) {
        Number::Absent => Ok(None),
        Number::Integer(value) => match u64::try_from(value) {
            Ok(value) => Ok(Some(value).filter(|&value| value != 0)),
            Err(_) => Err(()),
        },
        Number::Float(_) | Number::Invalid => Err(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_form_are_read_or_rejected() {
        let cases = [
            ("0", Number::Integer(0)),
            (" -12 ", Number::Integer(-12)),
            ("1e+05", Number::Integer(100_000)),
            ("9223372036854775807", Number::Integer(i64::MAX)),
            ("-9223372036854775808", Number::Invalid),
            (
                "9223372036854775808",
                Number::Float(9_223_372_036_854_775_808.0),
            ),
            ("0.5", Number::Float(0.5)),
            ("TRUE", Number::Integer(1)),
            ("NA", Number::Absent),
            ("", Number::Absent),
            ("NaN", Number::Invalid),
            ("Inf", Number::Invalid),
            ("1e400", Number::Invalid),
            ("-", Number::Invalid),
            ("0x10", Number::Invalid),
        ];
        for (text, expected) in cases {
            assert_eq!(number(text.as_bytes()), expected, "{text}");
        }
        assert_eq!(number(b"\xff\xfe"), Number::Invalid);
    }

    #[test]
    fn addresses_are_equal_in_both_forms() {
        assert_eq!(address(b"0x1000"), Ok(Some(4096)));
        assert_eq!(address(b"4096"), Ok(Some(4096)));
        assert_eq!(address(b"NA"), Ok(None));
        assert_eq!(address(b"0x0"), Ok(None));
        assert_eq!(address(b"0xfg"), Err(()));
        assert_eq!(address(b"-1"), Err(()));
    }
}
