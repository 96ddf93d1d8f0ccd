//! Metadata of a run: what ran, where, with which parameters.

#[cfg(feature = "answers")]
mod json;

use std::collections::BTreeMap;
use std::fmt;

use crate::instant;
use crate::metric::text_enum;
use crate::{RunId, RunSource};

/// Unit of the time columns of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TimeUnit {
    /// Nanoseconds.
    Nanoseconds,
    /// Ticks of a clock whose rate the source does not state.
    Ticks,
}

use std::str::FromStr;
text_enum!(TimeUnit, "time unit", Nanoseconds => "ns", Ticks => "ticks");

/// A typed parameter of a run.
#[derive(Clone, PartialEq, Debug)]
pub enum ParamValue {
    /// A number; NaN is never stored.
    Number(f64),
    /// A text.
    Text(String),
    /// A truth value.
    Boolean(bool),
    /// A point in time, nanoseconds since 1970-01-01 UTC.
    Time(i64),
}

impl ParamValue {
    /// Types a text: finite numbers, `true`/`false`, else text. Numbers that would not print back
    /// the same (`007`, `1e3`, `1.20`) stay text, so that versions and job names keep their form.
    ///
    /// ```
    /// use sheaf_model::ParamValue;
    /// assert_eq!(ParamValue::infer("8"), ParamValue::Number(8.0));
    /// assert_eq!(ParamValue::infer("1.20"), ParamValue::Text("1.20".into()));
    /// assert_eq!(ParamValue::infer("true"), ParamValue::Boolean(true));
    /// ```
    pub fn infer(text: &str) -> Self {
        match text {
            "true" => return Self::Boolean(true),
            "false" => return Self::Boolean(false),
            _ => {}
        }
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() && number.to_string() == text => Self::Number(number),
            _ => Self::Text(text.to_owned()),
        }
    }

    /// Types a number of a source by its text: a whole number that has no exact floating-point form stays text, so that
    /// two ids of jobs remain two. `None` if it is not a finite number.
    ///
    /// ```
    /// use sheaf_model::ParamValue;
    /// assert_eq!(ParamValue::of_number("8.50"), Some(ParamValue::Number(8.5)));
    /// assert_eq!(ParamValue::of_number("12345678901234567891"), Some(ParamValue::Text("12345678901234567891".into())));
    /// assert_eq!(ParamValue::of_number("1e999"), None);
    /// ```
    pub fn of_number(text: &str) -> Option<Self> {
        let number: f64 = text
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite())?;
        let is_whole = text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-');
        Some(if is_whole && number.to_string() != text {
            Self::Text(text.to_owned())
        } else {
            Self::Number(number)
        })
    }

    /// As people read it: as it is printed, but for points in time, which are dates (RFC 3339).
    pub fn shown(&self) -> String {
        match self {
            Self::Time(nanos) => instant::rfc3339(*nanos),
            other => other.to_string(),
        }
    }

    /// Name of the type: `number`, `text`, `boolean` or `time`.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Number(_) => "number",
            Self::Text(_) => "text",
            Self::Boolean(_) => "boolean",
            Self::Time(_) => "time",
        }
    }

    /// A total order: by type, then by value. Used wherever cohorts or runs are listed.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Boolean(a), Self::Boolean(b)) => a.cmp(b),
            (Self::Time(a), Self::Time(b)) => a.cmp(b),
            _ => self.type_name().cmp(other.type_name()),
        }
    }
}

impl fmt::Display for ParamValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
            Self::Boolean(value) => write!(f, "{value}"),
            Self::Time(nanos) => write!(f, "{nanos}"),
        }
    }
}

/// Metadata of a run.
///
/// `id` and `name` identify it for people and scripts; `params` are the recorded and given
/// parameters by which runs form cohorts.
#[derive(Clone, PartialEq, Debug)]
pub struct RunMeta {
    /// Content hash of the run's tables.
    pub id: RunId,
    /// Short name, unique where the importer can make it so.
    pub name: String,
    /// Program that ran, without folders.
    pub program: String,
    /// Format the run was read from: `trace`, `caliper`, …
    pub format: String,
    /// Unit of every time column.
    pub time_unit: TimeUnit,
    /// Whether the source was complete; a killed program's trace is not.
    pub is_complete: bool,
    /// Elapsed time of the run in `time_unit`; absent when the source has no times.
    pub elapsed: Option<i64>,
    /// Elapsed nanoseconds of the same run without instrumentation.
    pub reference_elapsed_ns: Option<i64>,
    /// Workers (threads over all ranks) that took part.
    pub workers: Option<i64>,
    /// Ranks (processes) of the run; 1 when it has no ranks.
    pub ranks: i64,
    /// Tasks and chunks; implicit tasks do not count. 0 for call profiles.
    pub grains: i64,
    /// Parameters, recorded and given, by name.
    pub params: BTreeMap<String, ParamValue>,
    /// What the reader had to skip or repair, one text each.
    pub warnings: Vec<String>,
    /// What the source cannot give, with the reason: `start` → `task-stats tables hold no start
    /// times`. The keys are `program`, `start`, `created`, `parent`, `work`, `creation`, `waiting`,
    /// `fragments`, `waits`, `edges` and `clock_rate` of grain programs, `transfer` and `messages between ranks` of
    /// those with MPI, and `paths`, `contexts`, `totals`
    /// and `threads` of call profiles; `exact NAME` of a metric whose values are estimates
    /// ([`RunMeta::mark_estimated`]); `stated NAME` of a metric that an earlier version of a reader computed.
    pub lacks: BTreeMap<String, String>,
    /// Messages between its ranks; absent without MPI, or if they were not recorded.
    pub messages: Option<Messages>,
    /// The files it was read from; absent for runs of stores of earlier versions.
    pub source: Option<RunSource>,
}

/// Messages and collective calls of the MPI ranks of a run.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Messages {
    /// Elapsed time if the network had no latency and unlimited bandwidth, in the run's time unit; never above its elapsed
    /// time. Absent with the reason in [`RunMeta::lacks`].
    pub ideal_elapsed: Option<i64>,
    /// Calls.
    pub calls: u64,
    /// Calls of which it is not known what they wait for: on the ideal network they take as long as they took.
    pub kept_calls: u64,
    /// Messages from one rank to another, those without a counterpart included.
    pub messages: u64,
    /// Messages of which only one side was recorded.
    pub unmatched: u64,
    /// Messages that were sent, by sender, then receiver. Collective calls are not in them.
    pub pairs: Vec<MessagePair>,
}

/// Messages from one rank to another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MessagePair {
    /// Rank of the sender in `MPI_COMM_WORLD`.
    pub from: u32,
    /// Rank of the receiver there.
    pub to: u32,
    /// Messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Key of the reason why a metric that the reader computes is absent.
fn stated(metric: &str) -> String {
    format!("stated {metric}")
}

/// Key of what the source lacks of a metric that it estimates.
fn exact(metric: &str) -> String {
    format!("exact {metric}")
}

impl RunMeta {
    /// Metadata with everything absent that can be; readers fill in what they find.
    pub fn new(program: impl Into<String>, format: impl Into<String>) -> Self {
        let program = program.into();
        Self {
            id: RunId([0; 16]),
            name: program.clone(),
            program,
            format: format.into(),
            time_unit: TimeUnit::Nanoseconds,
            is_complete: true,
            elapsed: None,
            reference_elapsed_ns: None,
            workers: None,
            ranks: 1,
            grains: 0,
            params: BTreeMap::new(),
            warnings: Vec::new(),
            lacks: BTreeMap::new(),
            messages: None,
            source: None,
        }
    }

    /// Says that values of a metric are estimates, and why: its counter wrapped, or shared the hardware with others
    /// (multiplexing), so that values are scaled from parts of the time.
    pub fn mark_estimated(&mut self, metric: &str, reason: impl Into<String>) {
        self.lacks.insert(exact(metric), reason.into());
    }

    /// Absent data with the reason, as shown to users. Metrics that were computed in place of absent ones are left out.
    pub fn shown_lacks(&self) -> BTreeMap<String, String> {
        let lacks = self.lacks.iter();
        let shown = lacks.filter(|(what, _)| !what.starts_with(&stated("")));
        shown
            .map(|(what, why)| (what.clone(), why.clone()))
            .collect()
    }

    /// Whether the source itself states the values of a metric, if the run has any.
    pub fn is_stated(&self, metric: &str) -> bool {
        !self.lacks.contains_key(&stated(metric))
    }

    /// Why values of a metric are estimates; `None` if they are exact, as far as the source states it.
    pub fn estimated(&self, metric: &str) -> Option<&str> {
        self.lacks.get(&exact(metric)).map(String::as_str)
    }

    /// The program, if the source names it; empty where a file's name stands for it, which says nothing
    /// about what ran and is not part of any identity.
    pub fn known_program(&self) -> &str {
        if self.lacks.contains_key("program") {
            ""
        } else {
            &self.program
        }
    }
}
