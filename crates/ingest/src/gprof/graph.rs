//! Lines of gprof's call graph.

use super::name::Name;
use crate::decimal::Decimal;

/// Blanks that stand where a call count is missing; with one there are never as many.
const BLANK_COLUMN: usize = 12;

/// Time of a function itself, and that of its children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Times {
    pub(super) own: Decimal,
    pub(super) children: Decimal,
}

/// The line that a block is about.
#[derive(Debug, Clone)]
pub(super) struct Primary<'a> {
    pub(super) name: Name<'a>,
    /// Number of the cycle where the block is about a cycle as a whole.
    pub(super) cycle: Option<u32>,
    pub(super) times: Times,
    /// Calls, recursive ones not counted; absent for functions without call counts.
    pub(super) calls: Option<i64>,
    pub(super) self_calls: Option<i64>,
}

/// A caller or callee of the function that a block is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arc<'a> {
    pub(super) name: Name<'a>,
    /// Absent within recursion.
    pub(super) times: Option<Times>,
    pub(super) count: i64,
}

/// A function with its callers and callees, or a cycle with its members.
#[derive(Debug, Clone)]
pub(super) struct Block<'a> {
    pub(super) above: Vec<Arc<'a>>,
    pub(super) primary: Primary<'a>,
    pub(super) below: Vec<Arc<'a>>,
}

/// One line within a block.
pub(super) enum Line<'a> {
    Primary(Primary<'a>),
    Arc(Arc<'a>),
    /// `<spontaneous>`: callers are not known.
    Root,
}

impl<'a> Line<'a> {
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        if line.starts_with('[') {
            return primary(line).map(Self::Primary);
        }
        if line.trim() == "<spontaneous>" {
            return Some(Self::Root);
        }
        arc(line).map(Self::Arc)
    }
}

/// `[i] %time self children [called] name [i]`.
fn primary(line: &str) -> Option<Primary<'_>> {
    let (_, rest) = word(line)?;
    let (_, rest) = word(rest)?;
    let (times, rest) = times(rest)?;
    let blanks = rest.len() - rest.trim_start().len();
    let (calls, rest) = if blanks < BLANK_COLUMN {
        let (called, rest) = word(rest)?;
        let (calls, more) = called.split_once('+').unwrap_or((called, ""));
        let self_calls = if more.is_empty() {
            None
        } else {
            Some(more.parse().ok()?)
        };
        (Some((calls.parse().ok()?, self_calls)), rest)
    } else {
        (None, rest)
    };
    let name = Name::parse(rest);
    let cycle = name
        .text
        .strip_prefix("<cycle ")
        .and_then(|text| text.strip_suffix(" as a whole>"))
        .and_then(|number| number.parse().ok());
    Some(Primary {
        name: non_empty(name)?,
        cycle,
        times,
        calls: calls.map(|(calls, _)| calls),
        self_calls: calls.and_then(|(_, self_calls)| self_calls),
    })
}

/// `self children n/m name [j]`, or `n name [j]` within recursion.
fn arc(line: &str) -> Option<Arc<'_>> {
    let (first, _) = word(line)?;
    let (times, rest) = if first.contains('.') {
        let (times, rest) = times(line)?;
        (Some(times), rest)
    } else {
        (None, line)
    };
    let (called, rest) = word(rest)?;
    let count = called.split(['/', '+']).next()?;
    Some(Arc {
        name: non_empty(Name::parse(rest))?,
        times,
        count: count.parse().ok()?,
    })
}

fn non_empty(name: Name<'_>) -> Option<Name<'_>> {
    Some(name).filter(|name| !name.text.is_empty())
}

fn times(text: &str) -> Option<(Times, &str)> {
    let (own, rest) = word(text)?;
    let (children, rest) = word(rest)?;
    let times = Times {
        own: Decimal::parse(own)?,
        children: Decimal::parse(children)?,
    };
    Some((times, rest))
}

/// The first word, and what follows it.
pub(super) fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}
