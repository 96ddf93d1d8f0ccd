//! Numbers in text, fast where they are short.

/// Powers of ten that a float holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The float nearest to a decimal number. A quotient of two integers that a float holds exactly
/// is rounded once and so is the nearest (Clinger, How to read floating point numbers accurately,
/// 1990); all else is left to the standard library.
pub(super) fn float(text: &[u8]) -> Option<f64> {
    let (is_negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let mut mantissa = 0_u64;
    let mut fraction = None;
    if digits.is_empty() || digits.len() > 17 {
        return slow_float(text);
    }
    for (at, &byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => mantissa = mantissa * 10 + u64::from(byte - b'0'),
            b'.' if fraction.is_none() => fraction = Some(digits.len() - at - 1),
            _ => return slow_float(text),
        }
    }
    let is_exact = mantissa < 1 << 53 && digits != b".";
    let scale = POWERS.get(fraction.unwrap_or(0)).filter(|_| is_exact);
    match scale {
        Some(scale) => {
            let value = mantissa as f64 / scale;
            Some(if is_negative { -value } else { value })
        }
        None => slow_float(text),
    }
}

fn slow_float(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// An integer of 63 bits and sign.
pub(super) fn integer(text: &[u8]) -> Option<i64> {
    let (is_negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] | rest => (false, rest),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value = 0_i64;
    for &byte in digits {
        let digit = i64::from(byte.wrapping_sub(b'0'));
        if digit > 9 {
            return None;
        }
        // Downwards, because there is one more negative number.
        value = value.checked_mul(10)?.checked_sub(digit)?;
    }
    if is_negative {
        Some(value)
    } else {
        value.checked_neg()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_the_nearest() {
        let texts = [
            "0",
            "-0",
            "1.5",
            "101576449111.000000",
            "0.404417",
            "-0.101386",
            ".5",
            "5.",
            "9007199254740993",
            "9007199254740993.0",
            "1e300",
            "-1.25e-7",
            "0.1",
            "123456.7890123",
            "12345678901234567890.123",
            "1689118709.135139",
            "4787.237288",
        ];
        for text in texts {
            let expected: f64 = text.parse().unwrap();
            let found = float(text.as_bytes()).unwrap();
            assert_eq!(found.to_bits(), expected.to_bits(), "{text}");
        }
        for text in [
            "", ".", "-", "-.", "1.2.3", "0x10", "--1", "1-2", "\u{fffd}", "1 ",
        ] {
            assert_eq!(float(text.as_bytes()), None, "{text}");
        }
        assert!(float(b"nan").unwrap().is_nan());
    }

    #[test]
    fn integers_are_exact_or_absent() {
        for number in [0, 7, -7, i64::MAX, i64::MIN] {
            assert_eq!(integer(number.to_string().as_bytes()), Some(number));
        }
        for text in ["", "-", "9223372036854775808", "1.0", "1a", "\u{663}"] {
            assert_eq!(integer(text.as_bytes()), None, "{text}");
        }
    }
}
