//! The small typed expression language that chooses runs: `threads >= 4 and compiler like 'clang*'`.
//!
//! Comparison (`==`, `=`, `!=`, `<`, `<=`, `>`, `>=`), `in (…)`, `like` with `*` and `?`,
//! `exists`, `and`, `or`, `not`, parentheses; `incomplete` and `is_complete` may stand alone. A comparison with an absent attribute is unknown;
//! `not` of unknown is unknown; only what is true is chosen.

mod evaluate;
mod parse;

use std::fmt;

use crate::ParamValue;

/// Attributes of an item that an expression is evaluated for.
pub trait Attributes {
    /// The attribute called `name`; `None` if the item lacks it.
    fn attribute(&self, name: &str) -> Option<ParamValue>;
}

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `==` or `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }
}

/// A parsed expression. Its [`Display`](fmt::Display) form parses back to the same expression.
///
/// ```
/// use sheaf_model::{Attributes, Expression, ParamValue};
/// struct Run;
/// impl Attributes for Run {
///     fn attribute(&self, name: &str) -> Option<ParamValue> {
///         (name == "threads").then_some(ParamValue::Number(8.0))
///     }
/// }
/// let expression: Expression = "threads in (4, 8) and not exists gpu".parse().unwrap();
/// assert!(expression.selects(&Run));
/// let error = "threads == ".parse::<Expression>().unwrap_err();
/// assert_eq!(error.to_string(), "expected a value at character 12 of `threads == `");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    /// Both hold.
    And(Vec<Expression>),
    /// One holds.
    Or(Vec<Expression>),
    /// Does not hold.
    Not(Box<Expression>),
    /// An attribute compares with a literal.
    Compare {
        /// The attribute.
        attribute: String,
        /// How.
        comparison: Comparison,
        /// With what.
        value: ParamValue,
    },
    /// An attribute is one of some literals.
    In {
        /// The attribute.
        attribute: String,
        /// The literals.
        values: Vec<ParamValue>,
    },
    /// An attribute's text matches a pattern with `*` and `?`.
    Like {
        /// The attribute.
        attribute: String,
        /// The pattern.
        pattern: String,
    },
    /// The item has the attribute.
    Exists(String),
}

/// Where and why a text is not an expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at character {position} of `{text}`")]
pub struct ParseError {
    /// What was expected or is wrong.
    pub reason: String,
    /// Where, counted in characters from 1.
    pub position: usize,
    /// The whole text.
    pub text: String,
}

impl ParseError {
    /// The message, then the text with a mark below the place, for people at a terminal.
    ///
    /// ```
    /// let error = "threads ==".parse::<sheaf_model::Expression>().unwrap_err();
    /// let expected = "expected a value at character 11\n  threads ==\n            ^";
    /// assert_eq!(error.pointed(), expected);
    /// ```
    pub fn pointed(&self) -> String {
        let Self {
            reason,
            position,
            text,
        } = self;
        // A line of its own would move the mark away from the place.
        let line: String = text
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let blanks = " ".repeat(position.saturating_sub(1));
        format!("{reason} at character {position}\n  {line}\n  {blanks}^")
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::And(parts) => write_joined(f, parts, " and "),
            Self::Or(parts) => write_joined(f, parts, " or "),
            Self::Not(inner) => write!(f, "not ({inner})"),
            Self::Compare {
                attribute,
                comparison,
                value,
            } => {
                write!(f, "{} {} ", Name(attribute), comparison.as_str())?;
                write_literal(f, value)
            }
            Self::In { attribute, values } => {
                write!(f, "{} in (", Name(attribute))?;
                for (index, value) in values.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { ", " })?;
                    write_literal(f, value)?;
                }
                f.write_str(")")
            }
            Self::Like { attribute, pattern } => {
                write!(f, "{} like ", Name(attribute))?;
                write_quoted(f, pattern)
            }
            Self::Exists(attribute) => write!(f, "exists {}", Name(attribute)),
        }
    }
}

fn write_joined(f: &mut fmt::Formatter<'_>, parts: &[Expression], word: &str) -> fmt::Result {
    for (index, part) in parts.iter().enumerate() {
        f.write_str(if index == 0 { "" } else { word })?;
        if matches!(part, Expression::And(_) | Expression::Or(_)) {
            write!(f, "({part})")?;
        } else {
            write!(f, "{part}")?;
        }
    }
    Ok(())
}

struct Name<'a>(&'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if parse::is_plain_name(self.0) {
            f.write_str(self.0)
        } else {
            write!(f, "`{}`", self.0.replace('\\', "\\\\").replace('`', "\\`"))
        }
    }
}

fn write_literal(f: &mut fmt::Formatter<'_>, value: &ParamValue) -> fmt::Result {
    match value {
        ParamValue::Text(text) => write_quoted(f, text),
        ParamValue::Time(_) => write_quoted(f, &value.shown()),
        other => write!(f, "{other}"),
    }
}

fn write_quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    write!(f, "'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
