//! Texts of the values of tables that are exported.

use std::borrow::Cow;
use std::fmt::Write as _;

use sheaf_answers::{MetricValue, ParamValue, Values};

/// Appends the text of a value to `out`; returns whether the row has one. Numbers read back exactly. Texts from traces
/// and parameters go through `escape`.
pub(super) fn push_cell(
    values: &Values<'_>,
    row: usize,
    escape: impl Fn(&str) -> Cow<'_, str>,
    out: &mut String,
) -> bool {
    let mut is_there = false;
    match values {
        Values::Text(write) => write(row, &mut |text| {
            if let Some(text) = text {
                out.push_str(&escape(text));
                is_there = true;
            }
        }),
        Values::Number(values) => is_there = push(values(row), out),
        Values::Integer(values) => is_there = push(values(row), out),
        Values::Count(values) => is_there = push(values(row), out),
        Values::Truth(values) => is_there = push(values(row), out),
        Values::Metric(values) => {
            is_there = match values(row) {
                Some(MetricValue::Integer(value)) => push(Some(value), out),
                Some(MetricValue::Float(value)) => push(Some(value), out),
                None => false,
            };
        }
        Values::Parameter(values) => {
            is_there = match values(row) {
                Some(value @ (ParamValue::Boolean(_) | ParamValue::Number(_))) => {
                    push(Some(value), out)
                }
                Some(value) => push(Some(escape(&value.shown())), out),
                None => false,
            };
        }
    }
    is_there
}

fn push(value: Option<impl std::fmt::Display>, out: &mut String) -> bool {
    let Some(value) = value else { return false };
    // Writing to memory cannot fail.
    let _ = write!(out, "{value}");
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_exactly() {
        let integers = [3_596_203_564, i64::MIN];
        let floats = [0.1 + 0.2, 0.0];
        let values: [Values<'_>; 2] = [
            Values::Integer(Box::new(|row| integers.get(row).copied())),
            Values::Number(Box::new(|row| floats.get(row).copied())),
        ];
        let mut texts = Vec::new();
        for values in &values {
            for row in 0..3 {
                let mut text = String::new();
                let is_there = push_cell(values, row, |text| text.into(), &mut text);
                texts.push(is_there.then_some(text));
            }
        }
        let expected = [
            Some("3596203564"),
            Some("-9223372036854775808"),
            None,
            Some("0.30000000000000004"),
            Some("0"),
            None,
        ];
        assert_eq!(texts, expected.map(|text| text.map(str::to_owned)));
    }
}
