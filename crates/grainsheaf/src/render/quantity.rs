//! Numbers for people: three significant digits, SI units, thin spaces between thousands.

/// Between groups of three digits.
const THIN_SPACE: char = '\u{2009}';
/// The minus sign of typography, as wide as a plus.
const MINUS: char = '\u{2212}';
/// What stands for an absent value.
pub(crate) const ABSENT: &str = "–";

/// How the values of one column are scaled, and the unit that its header names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scale {
    /// Values are divided by this.
    pub(crate) divisor: f64,
    /// Unit after the division; empty for plain numbers.
    pub(crate) unit: String,
    /// Whether the values are whole numbers that are shown in full.
    is_count: bool,
}

impl Scale {
    /// Chooses the scale at which the greatest of `values` has one to three digits before the
    /// point. Times and bytes are scaled; counts, ratios, ticks and cycles are not.
    pub(crate) fn of(unit: &str, values: impl Iterator<Item = f64>) -> Self {
        let greatest = values
            .filter(|value| value.is_finite())
            .fold(0.0, |a: f64, b| a.max(b.abs()));
        let steps: &[(f64, &str)] = match unit {
            "ns" => &[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")],
            "us" => &[(1e6, "s"), (1e3, "ms"), (1.0, "µs"), (1e-3, "ns")],
            "s" => &[(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")],
            "bytes" => &[
                (1e12, "TB"),
                (1e9, "GB"),
                (1e6, "MB"),
                (1e3, "kB"),
                (1.0, "B"),
            ],
            _ => &[],
        };
        let fitting = steps
            .iter()
            .find(|(divisor, _)| greatest >= *divisor)
            .or(steps.last());
        let zero = if greatest > 0.0 {
            fitting
        } else {
            steps
                .iter()
                .find(|step| (step.0 - 1.0).abs() < f64::EPSILON)
        };
        match zero {
            Some((divisor, name)) => Self {
                divisor: *divisor,
                unit: (*name).to_owned(),
                is_count: false,
            },
            None => Self {
                divisor: 1.0,
                unit: match unit {
                    "count" | "ratio" => String::new(),
                    other => other.to_owned(),
                },
                is_count: unit != "ratio",
            },
        }
    }

    /// A header with the unit: `mean (ms)`.
    pub(crate) fn header(&self, name: &str) -> String {
        if self.unit.is_empty() {
            name.to_owned()
        } else {
            format!("{name} ({})", self.unit)
        }
    }

    /// The value in this scale, without the unit.
    pub(crate) fn show(&self, value: f64) -> String {
        let scaled = value / self.divisor;
        if self.is_count && scaled.fract() == 0.0 {
            rounded(scaled, 0)
        } else {
            significant(scaled)
        }
    }

    /// The value in this scale, or the sign of absence.
    pub(crate) fn show_option(&self, value: Option<f64>) -> String {
        value.map_or_else(|| ABSENT.to_owned(), |value| self.show(value))
    }

    /// The value in this scale with a sign even when positive.
    pub(crate) fn show_signed(&self, value: f64) -> String {
        signed(value, self.show(value))
    }
}

/// One value with its unit: `1.23 ms`.
pub(crate) fn quantity(unit: &str, value: f64) -> String {
    let scale = Scale::of(unit, std::iter::once(value));
    let number = scale.show(value);
    if scale.unit.is_empty() {
        number
    } else {
        format!("{number} {}", scale.unit)
    }
}

/// One difference with its sign and unit: `+1.23 ms`.
pub(crate) fn difference(unit: &str, value: f64) -> String {
    signed(value, quantity(unit, value))
}

fn signed(value: f64, text: String) -> String {
    if value > 0.0 {
        format!("+{text}")
    } else {
        text
    }
}

/// A whole number in full.
pub(crate) fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// A share 0..1 in per cent: `12.3 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{} %", significant(share * 100.0))
}

/// A number with three significant digits and at most four decimals; whole digits are never
/// rounded away, and what is not zero is not shown as zero.
pub(crate) fn significant(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 {
            "∞".to_owned()
        } else {
            format!("{MINUS}∞")
        };
    }
    let magnitude = value.abs();
    if magnitude > 0.0 && magnitude < 0.000_05 {
        return if value < 0.0 {
            format!("{MINUS}<0.0001")
        } else {
            "<0.0001".to_owned()
        };
    }
    // Decided on the rounded value, so that 9.999 is `10.0` and not `10.00`.
    let decimals = (0..=4)
        .rev()
        .find(|decimals| {
            let text = format!("{magnitude:.decimals$}", decimals = *decimals);
            let digits = text
                .trim_start_matches(['0', '.'])
                .chars()
                .filter(char::is_ascii_digit);
            digits.count() <= 3
        })
        .unwrap_or(0);
    rounded(value, if value == 0.0 { 0 } else { decimals })
}

/// From here on a float has no digit for one.
const EXACT: f64 = 1e16;

fn rounded(value: f64, decimals: usize) -> String {
    let text = if value.abs() < EXACT {
        format!("{:.decimals$}", value.abs())
    } else {
        format!("{:.2e}", value.abs())
    };
    let shown = match text.split_once('.') {
        Some((whole, fraction)) => format!("{}.{fraction}", grouped(whole)),
        None => grouped(&text),
    };
    let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if value < 0.0 && !is_zero {
        format!("{MINUS}{shown}")
    } else {
        shown
    }
}

fn grouped(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() * 2);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(THIN_SPACE);
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_significant_digits() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1.00"),
            (9.999, "10.0"),
            (12.34, "12.3"),
            (123.4, "123"),
            (1_234.5, "1\u{2009}234"),
            (1_234_567.0, "1\u{2009}234\u{2009}567"),
            (0.123_45, "0.123"),
            (0.001_234, "0.0012"),
            (0.000_01, "<0.0001"),
            (-12.34, "\u{2212}12.3"),
            (
                9e15,
                "9\u{2009}000\u{2009}000\u{2009}000\u{2009}000\u{2009}000",
            ),
            (1e16, "1.00e16"),
            (-1.797e308, "\u{2212}1.80e308"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "\u{2212}∞"),
        ];
        for (value, expected) in cases {
            assert_eq!(significant(value), expected, "{value}");
        }
    }

    #[test]
    fn columns_take_the_unit_of_their_greatest_value() {
        let scale = Scale::of("ns", [1.5e6, 3.0e3, -2.25e9].into_iter());
        assert_eq!(scale.header("mean"), "mean (s)");
        assert_eq!(scale.show(1.5e6), "0.0015");
        assert_eq!(scale.show(-2.25e9), "\u{2212}2.25");
        assert_eq!(
            Scale::of("ns", std::iter::empty()).header("mean"),
            "mean (ns)"
        );
        assert_eq!(
            Scale::of("count", [5.0].into_iter()).header("grains"),
            "grains"
        );
        assert_eq!(
            Scale::of("ticks", [5.0].into_iter()).header("work"),
            "work (ticks)"
        );
    }

    #[test]
    fn quantities_carry_their_unit() {
        assert_eq!(quantity("ns", 1_234_567.0), "1.23 ms");
        assert_eq!(quantity("us", 1_234.5), "1.23 ms");
        assert_eq!(quantity("s", 0.000_012), "12.0 µs");
        assert_eq!(quantity("bytes", 5_400_000.0), "5.40 MB");
        assert_eq!(quantity("count", 12_345.0), "12\u{2009}345");
        assert_eq!(difference("ns", 1.5e3), "+1.50 µs");
        assert_eq!(difference("ns", -1.5e3), "\u{2212}1.50 µs");
        assert_eq!(percent(0.179), "17.9 %");
    }
}
