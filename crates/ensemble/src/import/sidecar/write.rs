//! The text of a description with the parameters of an import.

use std::fmt::Write as _;

use sheaf_model::{ParamValue, instant};

use super::Sidecar;
use crate::AddOptions;

impl Sidecar {
    /// Text of a description by which files beside it are added as if with `options`; formats
    /// and patterns over names, which are about other files than these, are left out.
    ///
    /// ```
    /// use sheaf_ensemble::{AddOptions, Sidecar};
    /// let name = Some("nightly".to_owned());
    /// let text = Sidecar::to_toml(&AddOptions { name, ..AddOptions::default() });
    /// assert_eq!(text, "[[files]]\nmatch = \"*\"\nname = \"nightly\"\n");
    /// ```
    pub fn to_toml(options: &AddOptions) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        if options.ended_early {
            let _ = writeln!(text, "complete = false");
        }
        if let Some(nanos) = options.reference_elapsed_ns {
            let _ = writeln!(text, "reference-elapsed-ns = {nanos}");
        }
        if !options.params.is_empty() {
            let blank = if text.is_empty() { "" } else { "\n" };
            let _ = writeln!(text, "{blank}[params]");
        }
        for (name, value) in &options.params {
            if let Some(value) = literal(value) {
                let _ = writeln!(text, "{} = {value}", key(name));
            }
        }
        if let Some(name) = &options.name {
            let blank = if text.is_empty() { "" } else { "\n" };
            let _ = writeln!(
                text,
                "{blank}[[files]]\nmatch = \"*\"\nname = {}",
                quoted(name)
            );
        }
        text
    }
}

fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !name.is_empty() && name.chars().all(is_bare) {
        name.to_owned()
    } else {
        quoted(name)
    }
}

/// The value as TOML has it; nothing for numbers that are none.
fn literal(value: &ParamValue) -> Option<String> {
    match value {
        // A float's form always has a point or an exponent, and reads back exactly.
        ParamValue::Number(number) if number.is_finite() => {
            let is_whole = number.fract() == 0.0 && number.abs() < 1e15;
            let is_integer = is_whole && !(*number == 0.0 && number.is_sign_negative());
            Some(if is_integer {
                format!("{number:.0}")
            } else {
                format!("{number:?}")
            })
        }
        ParamValue::Number(_) => None,
        ParamValue::Text(text) => Some(quoted(text)),
        ParamValue::Boolean(value) => Some(value.to_string()),
        ParamValue::Time(nanos) => Some(instant::rfc3339(*nanos)),
    }
}

/// The text as TOML has it.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
