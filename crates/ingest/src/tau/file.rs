//! One profile: functions, call paths and events of a thread, for one metric.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Error, Format};

/// Which thread a file is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) rank: i32,
    pub(super) context: i32,
    pub(super) thread: i32,
}

impl Place {
    /// Reads it off the file's name, the only place that states it.
    ///
    /// # Errors
    /// [`Error::Malformed`] if the name does not state it and the file is not the only one.
    pub(super) fn of(file_name: &str, is_single: bool) -> Result<Self, Error> {
        let mut numbers = file_name
            .strip_prefix("profile.")
            .into_iter()
            .flat_map(|rest| {
                rest.split('.')
                    .map(|number| number.parse().ok().filter(|number| *number >= 0))
            });
        let mut next = || numbers.next().flatten();
        match (next(), next(), next()) {
            (Some(rank), Some(context), Some(thread)) => Ok(Self {
                rank,
                context,
                thread,
            }),
            _ if is_single => Ok(Self {
                rank: 0,
                context: 0,
                thread: 0,
            }),
            _ => {
                let reason = format!(
                    "`{file_name}` does not contain rank and thread; name it profile.RANK.CONTEXT.THREAD"
                );
                Err(Error::malformed(Format::Tau, "its name", reason))
            }
        }
    }
}

/// A number as it is printed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Integer(i64),
    Float(f64),
}

impl Number {
    fn parse(text: &str) -> Option<Self> {
        let integer = text.parse().ok().map(Self::Integer);
        integer.or_else(|| text.parse().ok().map(Self::Float))
    }

    fn as_f64(self) -> f64 {
        match self {
            Self::Integer(integer) => integer as f64,
            Self::Float(float) => float,
        }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => Self::Integer(a.saturating_add(b)),
            (a, b) => Self::Float(a.as_f64() + b.as_f64()),
        }
    }

    /// The difference; what is left of printed digits alone is nothing.
    pub(super) fn minus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => Self::Integer(a.saturating_sub(b)),
            (a, b) => {
                let difference = a.as_f64() - b.as_f64();
                let is_dust = difference.abs() <= 1e-9 * a.as_f64().abs();
                Self::Float(if is_dust { 0.0 } else { difference })
            }
        }
    }

    pub(super) fn sign(self) -> i32 {
        match self.as_f64() {
            value if value > 0.0 => 1,
            value if value < 0.0 => -1,
            _ => 0,
        }
    }
}

/// Calls, calls of others, exclusive and inclusive value.
pub(super) type Numbers = [Number; 4];

/// A function, or a call path.
#[derive(Debug)]
pub(super) struct Row<'a> {
    pub(super) name: &'a str,
    pub(super) numbers: Numbers,
    /// Groups, joined by `|`.
    pub(super) groups: &'a str,
}

/// Numbers that the program reported: how many, largest, smallest, mean, sum of squares.
#[derive(Debug)]
pub(super) struct Event<'a> {
    pub(super) name: &'a str,
    pub(super) numbers: [Number; 5],
}

/// The content of a file.
#[derive(Debug)]
pub(super) struct Profile<'a> {
    pub(super) place: Place,
    pub(super) metric: &'a str,
    pub(super) attributes: BTreeMap<String, String>,
    pub(super) rows: Vec<Row<'a>>,
    pub(super) events: Vec<Event<'a>>,
    /// Lines that are none of these.
    pub(super) num_skipped: u64,
    /// The first of them.
    pub(super) first_skipped: u64,
    pub(super) num_aggregates: u64,
    /// Whether all functions that the first line promises are there.
    pub(super) is_complete: bool,
}

/// Looks at the first line.
pub(super) fn is_profile(start: &[u8]) -> bool {
    let line = start.split(|byte| *byte == b'\n').next();
    line.and_then(|line| std::str::from_utf8(line).ok())
        .is_some_and(|line| header(line).is_some())
}

/// `23 templated_functions_MULTI_TIME`: number of functions and metric.
fn header(line: &str) -> Option<(u64, &str)> {
    let (count, rest) = line.trim_end().split_once(' ')?;
    let rest = rest.strip_prefix("templated_functions")?;
    let metric = match rest.strip_prefix("_MULTI_") {
        Some(metric) if !metric.is_empty() => metric,
        None if rest.is_empty() => "TIME",
        _ => return None,
    };
    Some((count.parse().ok()?, metric))
}

/// Which lines come.
#[derive(PartialEq)]
enum Part {
    Functions,
    Aggregates,
    Events,
}

impl<'a> Profile<'a> {
    /// # Errors
    /// [`Error::Malformed`] when the first line is not TAU's.
    pub(super) fn parse(text: &'a str, place: Place) -> Result<Self, Error> {
        let mut lines = (1_u64..).zip(text.lines());
        let first = lines.next().and_then(|(_, line)| header(line));
        let (count, metric) = first.ok_or_else(|| {
            let reason = "the line does not state `N templated_functions_MULTI_METRIC`";
            Error::malformed(Format::Tau, "line 1", reason)
        })?;
        let mut profile = Self {
            place,
            metric,
            attributes: BTreeMap::new(),
            rows: Vec::new(),
            events: Vec::new(),
            num_skipped: 0,
            first_skipped: 0,
            num_aggregates: 0,
            is_complete: true,
        };
        let mut part = Part::Functions;
        for (number, line) in lines {
            if line.starts_with('#') {
                if let Some((_, attributes)) = line.split_once("<metadata>") {
                    profile.attributes = self::attributes(attributes);
                }
            } else if line.ends_with(" aggregates") && !line.starts_with('"') {
                part = Part::Aggregates;
            } else if line.ends_with(" userevents") && !line.starts_with('"') {
                part = Part::Events;
            } else if !line.trim().is_empty() && !profile.line(line, &part) {
                profile.num_skipped += 1;
                if profile.num_skipped == 1 {
                    profile.first_skipped = number;
                }
            }
        }
        let is_cut = part == Part::Functions || !text.ends_with('\n');
        profile.is_complete = profile.rows.len() as u64 >= count && !is_cut;
        Ok(profile)
    }

    /// Takes a line, if it is one of its part.
    fn line(&mut self, line: &'a str, part: &Part) -> bool {
        match part {
            Part::Functions => row(line).map(|row| self.rows.push(row)).is_some(),
            Part::Events => event(line).map(|event| self.events.push(event)).is_some(),
            Part::Aggregates => {
                self.num_aggregates += 1;
                true
            }
        }
    }
}

/// `"name" calls subrs excl incl profilecalls GROUP="..."`.
fn row(line: &str) -> Option<Row<'_>> {
    let (rest, groups) = line.rsplit_once(" GROUP=\"")?;
    let (name, numbers) = quoted(rest)?;
    let mut numbers = numbers.split_ascii_whitespace().map(Number::parse);
    let mut next = || numbers.next().flatten();
    Some(Row {
        name,
        numbers: [next()?, next()?, next()?, next()?],
        groups: groups.trim_end().trim_end_matches('"'),
    })
}

/// `"name" count max min mean sumsqr`.
fn event(line: &str) -> Option<Event<'_>> {
    let (name, numbers) = quoted(line)?;
    let mut numbers = numbers.split_ascii_whitespace().map(Number::parse);
    let mut next = || numbers.next().flatten();
    Some(Event {
        name,
        numbers: [next()?, next()?, next()?, next()?, next()?],
    })
}

/// Splits a name, which may hold quotes, from the numbers after it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let (name, numbers) = text.strip_prefix('"')?.rsplit_once('"')?;
    Some((name.trim(), numbers))
}

/// Reads `<attribute><name>…</name><value>…</value></attribute>…`.
fn attributes(text: &str) -> BTreeMap<String, String> {
    let parts = text.split("<attribute>").skip(1);
    let between = |part: &str, open: &str, close: &str| {
        let (_, rest) = part.split_once(open)?;
        Some(plain(rest.split_once(close)?.0))
    };
    parts
        .filter_map(|part| {
            let name = between(part, "<name>", "</name>")?;
            Some((name, between(part, "<value>", "</value>")?))
        })
        .collect()
}

/// The text that XML stands for; TAU writes the five common entities.
fn plain(text: &str) -> String {
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ];
    entities
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Positions of files of which others of the same place and metric stand before.
pub(super) fn doubles(profiles: &[(usize, Profile<'_>)]) -> Vec<usize> {
    let mut known = BTreeSet::new();
    let files = profiles.iter();
    files
        .filter(|(_, profile)| !known.insert((profile.place, profile.metric)))
        .map(|(at, _)| *at)
        .collect()
}
