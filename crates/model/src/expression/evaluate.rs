//! Evaluation of expressions, with three-valued logic.

use std::cmp::Ordering;

use super::{Attributes, Comparison, Expression};
use crate::{ParamValue, instant};

impl Expression {
    /// Whether the expression is true for `thing`.
    pub fn selects(&self, thing: &dyn Attributes) -> bool {
        self.evaluate(thing) == Some(true)
    }

    /// The attributes that are compared with something, in order of appearance; one that is only
    /// asked whether it `exists` may well be absent.
    ///
    /// ```
    /// let expression = "exists gpu or threads = 8 and host like 'n*'";
    /// let expression: sheaf_model::Expression = expression.parse().unwrap();
    /// assert_eq!(expression.compared(), ["threads", "host"]);
    /// ```
    pub fn compared(&self) -> Vec<&str> {
        match self {
            Self::And(parts) | Self::Or(parts) => parts.iter().flat_map(Self::compared).collect(),
            Self::Not(inner) => inner.compared(),
            Self::Compare { attribute, .. }
            | Self::In { attribute, .. }
            | Self::Like { attribute, .. } => vec![attribute],
            Self::Exists(_) => Vec::new(),
        }
    }

    /// Whether the attribute occurs in the expression at all.
    ///
    /// ```
    /// let expression: sheaf_model::Expression = "threads = 8 and exists gpu".parse().unwrap();
    /// assert!(expression.mentions("gpu") && !expression.mentions("host"));
    /// ```
    pub fn mentions(&self, name: &str) -> bool {
        match self {
            Self::And(parts) | Self::Or(parts) => parts.iter().any(|part| part.mentions(name)),
            Self::Not(inner) => inner.mentions(name),
            Self::Compare { attribute, .. }
            | Self::In { attribute, .. }
            | Self::Like { attribute, .. }
            | Self::Exists(attribute) => attribute == name,
        }
    }

    /// Where an attribute stands in the expression as it is printed, in characters from 1.
    pub fn position_of(&self, attribute: &str) -> Option<usize> {
        let text = self.to_string();
        let name = super::Name(attribute).to_string();
        let is_part = |c: char| c.is_alphanumeric() || "_.-:@/+".contains(c);
        let mut is_quoted = false;
        let mut before = None;
        for (position, (at, c)) in (1..).zip(text.char_indices()) {
            if !is_quoted && !before.is_some_and(is_part) {
                let rest = text.get(at..).unwrap_or_default();
                let next = rest.strip_prefix(&name).map(|rest| rest.chars().next());
                if next.is_some_and(|next| !next.is_some_and(is_part)) {
                    return Some(position);
                }
            }
            is_quoted ^= c == '\'' && before != Some('\\');
            before = Some(c);
        }
        None
    }

    /// Truth of the expression; `None` is unknown.
    fn evaluate(&self, thing: &dyn Attributes) -> Option<bool> {
        match self {
            Self::And(parts) => fold(parts, thing, false),
            Self::Or(parts) => fold(parts, thing, true),
            Self::Not(inner) => inner.evaluate(thing).map(|truth| !truth),
            Self::Compare {
                attribute,
                comparison,
                value,
            } => {
                let found = thing.attribute(attribute)?;
                let order = order(&found, value);
                Some(match comparison {
                    Comparison::Equal => is_same(&found, value),
                    Comparison::NotEqual => !is_same(&found, value),
                    Comparison::Less => order == Some(Ordering::Less),
                    Comparison::LessOrEqual => order.is_some_and(Ordering::is_le),
                    Comparison::Greater => order == Some(Ordering::Greater),
                    Comparison::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
                })
            }
            Self::In { attribute, values } => {
                let found = thing.attribute(attribute)?;
                Some(values.iter().any(|value| is_same(&found, value)))
            }
            Self::Like { attribute, pattern } => Some(matches_pattern(
                &thing.attribute(attribute)?.shown(),
                pattern,
            )),
            Self::Exists(attribute) => Some(thing.attribute(attribute).is_some()),
        }
    }
}

/// `decisive` is the value that decides the whole: false for and, true for or.
fn fold(parts: &[Expression], thing: &dyn Attributes, decisive: bool) -> Option<bool> {
    let mut result = Some(!decisive);
    for part in parts {
        match part.evaluate(thing) {
            Some(truth) if truth == decisive => return Some(decisive),
            Some(_) => {}
            None => result = None,
        }
    }
    result
}

/// Whether an attribute is equal to a literal. The number 1.1 is not `1.10`, which is kept as a text: versions count so.
fn is_same(found: &ParamValue, literal: &ParamValue) -> bool {
    let is_other_version = match (found, literal) {
        (ParamValue::Number(_), ParamValue::Text(text)) => {
            let fraction = text.split_once('.').map(|(_, fraction)| fraction);
            fraction.is_some_and(|digits| {
                digits.trim_end_matches('0').len() < digits.len() && digits != "0"
            })
        }
        _ => false,
    };
    !is_other_version && compare(found, literal) == Some(Ordering::Equal)
}

/// Order of an attribute and a literal. A text that states a number, such as `1e5`, has the place of that number among
/// numbers, though it is equal to its own form only.
fn order(found: &ParamValue, literal: &ParamValue) -> Option<Ordering> {
    if let (ParamValue::Text(text), ParamValue::Number(number)) = (found, literal)
        && let Ok(stated) = text.parse::<f64>()
    {
        return stated.partial_cmp(number);
    }
    compare(found, literal)
}

/// Compares an attribute with a literal; a text attribute is compared with the literal's text, so
/// that `version = 2` finds the version `2` however it was typed.
fn compare(found: &ParamValue, literal: &ParamValue) -> Option<Ordering> {
    match (found, literal) {
        (ParamValue::Number(a), ParamValue::Number(b)) => a.partial_cmp(b),
        (ParamValue::Boolean(a), ParamValue::Boolean(b)) => Some(a.cmp(b)),
        (ParamValue::Time(a), ParamValue::Time(b)) => Some(a.cmp(b)),
        (ParamValue::Text(a), literal) => Some(a.as_str().cmp(&literal.to_string())),
        // Quoted or not, a date is a text to the parser, and `20260131` a number.
        (ParamValue::Time(a), literal) => Some(a.cmp(&instant::parse(&literal.to_string())?)),
        // `4.0`, `1e1` and `+4` are numbers too, though not in the form that numbers are kept in.
        (ParamValue::Number(a), ParamValue::Text(b)) => a.partial_cmp(&b.parse().ok()?),
        (found, ParamValue::Text(b)) if found.to_string() == *b => Some(Ordering::Equal),
        _ => None,
    }
}

/// Whether `text` matches `pattern`, where `*` stands for any text and `?` for one character.
/// Linear in text times pattern at worst; no recursion.
fn matches_pattern(text: &str, pattern: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let pattern: Vec<char> = pattern.chars().collect();
    let (mut t, mut p) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                retry = Some((p + 1, t));
                p += 1;
            }
            Some(&c) if c == '?' || c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match retry {
                Some((after_star, from)) => {
                    retry = Some((after_star, from + 1));
                    p = after_star;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thing with texts for attributes, and `started` in January 2024.
    struct Run(&'static [(&'static str, &'static str)]);

    impl Attributes for Run {
        fn attribute(&self, name: &str) -> Option<ParamValue> {
            if name == "started" {
                return Some(ParamValue::Time(1_706_702_400_000_000_000));
            }
            self.0
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| ParamValue::infer(value))
        }
    }

    #[track_caller]
    fn check(expression: &str, expected: bool) {
        let run = Run(&[
            ("threads", "8"),
            ("release", "1.1"),
            ("compiler", "clang-19"),
            ("version", "1.20"),
            ("size", "1e5"),
            ("patch", "1.2.3"),
        ]);
        let parsed: Expression = expression.parse().unwrap();
        assert_eq!(parsed.selects(&run), expected, "{expression}");
        let printed: Expression = parsed.to_string().parse().unwrap();
        assert_eq!(printed, parsed, "{expression} does not print as itself");
    }

    #[test]
    fn comparisons() {
        check("threads == 8", true);
        check("threads=8", true);
        check("threads != 8", false);
        check("threads < 10", true);
        check("threads >= 8 and threads <= 8", true);
        check("threads == '8'", true);
        check("threads == 8.0", true);
        check("threads != 8.0", false);
        check("threads < 1e1", true);
        check("threads > eight", false);
        check("release = 1.1 and release in (1.1)", true);
        check(
            "release = 1.10 or release = '1.10' or release in (1.10)",
            false,
        );
        check("release != 1.10 and release <= 1.10", true);
        check("version = 1.20", true);
        check("version = 1.2", false);
        check("size > 5000 and size <= 100000 and not size < 5000", true);
        check("size = 1e5 and size != 100000", true);
        check("version > 1.1 and version < 1.3", true);
        check("patch < 2 and patch > 1", true);
        check("compiler like 'clang*'", true);
        check("compiler like '?lang-1*9'", true);
        check("compiler like 'gcc*'", false);
        check("compiler in (gcc-12, clang-19)", true);
    }

    #[test]
    fn times_compare_with_dates() {
        check("started > 2024-01-31", true);
        check("started == '2024-01-31 12:00'", true);
        check("started == 2024-01-31T13:00+01:00", true);
        check("started < 20240201", true);
        check("started < 2024-01-31", false);
        check("started like '2024-01-31T*'", true);
        check("started > yesterday", false);
    }

    #[test]
    fn attributes_have_places() {
        let expression: Expression = "host = 'gpu' and (my_gpu > 1 or not gpu < 2)"
            .parse()
            .unwrap();
        assert_eq!(
            expression.to_string(),
            "host == 'gpu' and (my_gpu > 1 or not (gpu < 2))"
        );
        assert_eq!(expression.position_of("host"), Some(1));
        assert_eq!(expression.position_of("my_gpu"), Some(20));
        assert_eq!(expression.position_of("gpu"), Some(39));
        assert_eq!(expression.position_of("not there"), None);
        let quoted: Expression = "`a b` == x".parse().unwrap();
        assert_eq!(quoted.position_of("a b"), Some(1));
    }

    #[test]
    fn absent_is_unknown() {
        check("gpu == 1", false);
        check("not gpu == 1", false);
        check("gpu != 1", false);
        check("gpu == 1 or threads == 8", true);
        check("not exists gpu", true);
        check("not (gpu == 1 and threads == 9)", true);
    }
}
