//! Numbers for people: three significant digits, SI units, narrow no-break spaces between thousands.
//!
//! `frontend/views/src/logic/format.ts` follows the same rule; `tests/number-formats.json` has the cases that tests of
//! both read.

/// Between groups of three digits.
const THIN_SPACE: char = '\u{202f}';
/// The minus sign of typography, as wide as a plus.
const MINUS: char = '\u{2212}';
/// What stands for an absent value.
pub const ABSENT: &str = "–";

/// How the values of one column are scaled, and the unit that its header names.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    /// Values are divided by this.
    pub divisor: f64,
    /// Unit after the division; empty for plain numbers.
    pub unit: String,
    /// Whether the values are whole numbers that are shown in full.
    is_count: bool,
}

impl Scale {
    /// Chooses the scale at which the largest of `values` has one to three digits before the point. Times and bytes
    /// are scaled; counts, ratios, ticks and cycles are not.
    pub fn of(unit: &str, values: impl Iterator<Item = f64>) -> Self {
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
            // A value that rounds up to 1000 of a unit belongs to the next one.
            .find(|(divisor, _)| greatest >= *divisor * NEXT_UNIT)
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
                is_count: *name == "B",
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
    pub fn header(&self, name: &str) -> String {
        if self.unit.is_empty() {
            name.to_owned()
        } else {
            format!("{name} ({})", self.unit)
        }
    }

    /// The value in this scale, without the unit.
    pub fn show(&self, value: f64) -> String {
        let scaled = value / self.divisor;
        if self.is_count && scaled.fract() == 0.0 {
            rounded(scaled, 0)
        } else {
            number(scaled)
        }
    }

    /// The value in this scale, or the sign of absence.
    pub fn show_option(&self, value: Option<f64>) -> String {
        value.map_or_else(|| ABSENT.to_owned(), |value| self.show(value))
    }

    /// The value in this scale with a sign even when positive.
    pub fn show_signed(&self, value: f64) -> String {
        signed(value, self.show(value))
    }
}

/// Steps of counts, which units that are not SI units take too.
const MANY: [(f64, &str); 3] = [(1e12, "T"), (1e9, "G"), (1e6, "M")];

/// One value with its unit: `1.23 ms`. Counts from a million on are scaled: `1.23 M`.
pub fn quantity(unit: &str, value: f64) -> String {
    let scale = Scale::of(unit, std::iter::once(value));
    let unit = match scale.unit.as_str() {
        "unknown" => "",
        unit => unit,
    };
    let many = MANY
        .iter()
        .find(|step| scale.is_count && value.is_finite() && value.abs() >= step.0 * NEXT_UNIT);
    let number = match many {
        Some((divisor, prefix)) => format!("{} {prefix}", number(value / divisor)),
        None => scale.show(value),
    };
    if unit.is_empty() {
        number
    } else {
        format!("{number} {unit}")
    }
}

/// One difference with its sign and unit: `+1.23 ms`.
pub fn difference(unit: &str, value: f64) -> String {
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
pub fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// A whole number and what it counts: `1 run`, `2 runs`.
pub fn counted(value: u64, one: &str, many: &str) -> String {
    let word = if value == 1 { one } else { many };
    format!("{} {word}", count(value))
}

/// A share 0..1 in per cent, at three significant digits without trailing zeros: `12.3 %`, `5 %`.
pub fn percent(share: f64) -> String {
    let text = number(share * 100.0);
    let text = if text.contains('.') && !text.contains(['e', '<']) {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{text} %")
}

/// A relative change in per cent with its sign: `+12.3 %`.
pub fn change(share: f64) -> String {
    signed(share, percent(share))
}

/// A number with three significant digits and at most four decimals; whole digits are never
/// rounded away, and what is not zero is not shown as zero.
pub fn number(value: f64) -> String {
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

/// Share of the next unit from which three digits round up to it.
const NEXT_UNIT: f64 = 0.9995;

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

    /// What one list of the cases holds: values, with a unit if they have one, and their texts.
    fn check(list: &str, print: impl Fn(f64, &str) -> String) {
        let cases: serde_json::Value =
            serde_json::from_str(include_str!("../../../../tests/number-formats.json")).unwrap();
        let cases = cases[list].as_array().unwrap();
        assert!(!cases.is_empty());
        for case in cases {
            let case = case.as_array().unwrap();
            let value = case[0].as_f64().unwrap();
            let unit = if case.len() == 3 {
                case[1].as_str().unwrap()
            } else {
                ""
            };
            // The cases have plain spaces, to be readable.
            let text = print(value, unit).replace(THIN_SPACE, " ");
            assert_eq!(text, case[case.len() - 1].as_str().unwrap(), "{case:?}");
        }
    }

    #[test]
    fn values_print_as_on_the_page() {
        check("quantities", |value, unit| quantity(unit, value));
        check("differences", |value, unit| difference(unit, value));
        check("numbers", |value, _| number(value));
        check("shares", |value, _| percent(value));
        check("changes", |value, _| change(value));
        check("counts", |value, _| {
            count(format!("{value}").parse().unwrap())
        });
    }

    #[test]
    fn thousands_stand_apart_without_a_line_break() {
        assert_eq!(number(1_234.5), "1\u{202f}234");
        assert_eq!(count(1_234), "1\u{202f}234");
        assert_eq!(number(f64::NAN), "NaN");
        assert_eq!(number(f64::NEG_INFINITY), "\u{2212}∞");
    }

    #[test]
    fn columns_take_the_unit_of_their_largest_value() {
        let scale = Scale::of("ns", [1.5e6, 3.0e3, -2.25e9].into_iter());
        assert_eq!(scale.header("mean"), "mean (s)");
        assert_eq!(scale.show(1.5e6), "0.0015");
        assert_eq!(scale.show(-2.25e9), "\u{2212}2.25");
        let header =
            |unit: &str, values: &[f64]| Scale::of(unit, values.iter().copied()).header("work");
        assert_eq!(header("ns", &[]), "work (ns)");
        assert_eq!(header("count", &[5.0]), "work");
        assert_eq!(header("ticks", &[5.0]), "work (ticks)");
    }
}
