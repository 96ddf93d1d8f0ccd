//! Errors of the façade, by kind.

mod hint;
mod kind;

use std::error::Error as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sheaf_model::Progress;

pub use hint::Hint;
pub use kind::ErrorKind;

/// Failures of the façade.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] sheaf_store::Error),
    /// A question cannot be answered.
    #[error(transparent)]
    Analysis(#[from] sheaf_analysis::Error),
    /// No run is called so.
    #[error("no run `{selector}`{nearest}")]
    UnknownRun {
        /// What was asked for.
        selector: String,
        /// `; did you mean …`, or nothing.
        nearest: String,
    },
    /// Several runs are called so where one is wanted.
    #[error("`{selector}` names {count} runs, and one is needed: {runs}; use a run id")]
    AmbiguousRun {
        /// What was asked for.
        selector: String,
        /// How many.
        count: usize,
        /// Names of the first with the beginnings of their ids.
        runs: String,
    },
    /// A question about grains is put to a run without any.
    #[error("run `{run}` has no grains: it is a call profile")]
    NoGrains {
        /// The run.
        run: String,
    },
    /// Grains have no metric or measure of this name.
    #[error("no metric `{name}`{nearest}")]
    UnknownGrainMetric {
        /// What was asked for.
        name: String,
        /// `; did you mean …`, or nothing.
        nearest: String,
    },
    /// The grain graph of a run cannot be scheduled again.
    #[error("cannot schedule run `{run}` again: {reason}")]
    NotSchedulable {
        /// Name of the run.
        run: String,
        /// Why not, and what to do.
        reason: String,
    },
    /// Grains cannot be compared with what was named.
    #[error("`{reference}` cannot be the reference: {reason}")]
    Reference {
        /// What was named.
        reference: String,
        /// Why not.
        reason: String,
    },
    /// Grains of runs cannot be compared.
    #[error("cannot compare the grains of `{run}`: {reason}")]
    NotComparable {
        /// Name of the run.
        run: String,
        /// Why not, and what to do.
        reason: String,
    },
    /// The run has no values of a metric.
    #[error("metric `{metric}` is absent: {reason}")]
    NotMeasured {
        /// The metric.
        metric: String,
        /// Why.
        reason: String,
    },
    /// An expression compares what grains have not.
    #[error("no grain has `{name}` at character {position} of `{expression}`{nearest}")]
    UnknownGrainAttribute {
        /// What no grain has.
        name: String,
        /// Where it stands in the expression, in characters from 1.
        position: usize,
        /// The expression.
        expression: String,
        /// `; did you mean …`, or nothing.
        nearest: String,
    },
    /// The run does not say when its grains ran.
    #[error("{reason}")]
    NoTimes {
        /// Why.
        reason: String,
    },
    /// No problem is called so, and it is no condition.
    #[error("no problem `{name}`{nearest}; give a condition such as `work_deviation > 2`")]
    UnknownProblem {
        /// What was asked for.
        name: String,
        /// `; did you mean …`, or nothing.
        nearest: String,
    },
    /// A threshold is malformed.
    #[error("the threshold cannot be read")]
    Threshold {
        /// Where and why.
        source: sheaf_model::ParseError,
    },
    /// The tree has no such group.
    #[error(
        "no group `{group}` in a tree of {count} nodes; numbers are those of one tree, problem and separation"
    )]
    UnknownGroup {
        /// What was asked for.
        group: u32,
        /// Nodes of the tree.
        count: usize,
    },
    /// The run has no such grain.
    #[error("no grain `{grain}` among {count}; `grains --json` has their numbers")]
    UnknownGrain {
        /// What was asked for.
        grain: u32,
        /// Grains of the run.
        count: usize,
    },
    /// No definition of a run, or of any, is called so, or several are.
    #[error("no definition `{name}`{nearest}")]
    UnknownDefinition {
        /// What was asked for.
        name: String,
        /// `; did you mean …`, or nothing.
        nearest: String,
    },
    /// A correction is to be taken back that no run has.
    #[error(
        "no run of these has a corrected parameter `{name}`; a value of the source cannot be taken back"
    )]
    NotCorrected {
        /// Name of the parameter.
        name: String,
    },
    /// A correction has the name of a field that the reader or the store determines.
    #[error("`{name}` is not a parameter: it is determined by the source; choose another name")]
    Determined {
        /// The name.
        name: String,
    },
    /// An expression is malformed.
    #[error("`{selector}` is neither a run nor an expression")]
    Expression {
        /// What was asked for.
        selector: String,
        /// Where and why.
        source: sheaf_model::ParseError,
    },
    /// No run is selected.
    #[error("{what} selects none of {count} runs")]
    EmptySelection {
        /// The expression, or a text in its place.
        what: String,
        /// Runs in the store.
        count: usize,
    },
    /// Every run that is selected ended early.
    #[error(
        "all {count} runs of {what} are incomplete: {names}; `and exists incomplete` in the expression includes them"
    )]
    Incomplete {
        /// The expression, or a text in its place.
        what: String,
        /// How many they are.
        count: usize,
        /// Their names, the first of them.
        names: String,
    },
    /// An expression compares what no run has.
    #[error("no run has `{name}` at character {position} of `{expression}`{nearest}")]
    UnknownAttribute {
        /// What no run has.
        name: String,
        /// Where it stands in the expression, in characters from 1.
        position: usize,
        /// The expression.
        expression: String,
        /// `; did you mean …`, or nothing.
        nearest: String,
    },
    /// The store has no runs at all.
    #[error("the store has no runs")]
    EmptyStore,
    /// A setting that the reader of an input cannot apply.
    #[error("setting `{setting}` is not applied: {reason}")]
    Setting {
        /// The setting with its value.
        setting: String,
        /// Why.
        reason: String,
    },
    /// No format is called so.
    #[error("no format `{format}`; known are {known}")]
    UnknownFormat {
        /// What was asked for.
        format: String,
        /// Names of the formats that are read.
        known: String,
    },
    /// A question that needs two sides has none.
    #[error(
        "the lens names no two sides; add a clause such as `diff \"threads = 4\" to \"threads = 8\"`"
    )]
    NoSides,
    /// Both sides of a gate are the same runs.
    #[error(
        "every run of the baseline `{baseline}` is one of the candidate `{candidate}`: there is nothing to compare"
    )]
    SameRuns {
        /// The baseline, as it was named.
        baseline: String,
        /// The candidate, as it was named.
        candidate: String,
    },
    /// A number of a question is beyond what makes sense.
    #[error("{name} `{value}` is not between {least} and {most}")]
    OutOfRange {
        /// What it is.
        name: &'static str,
        /// What was asked for.
        value: f64,
        /// Least that makes sense.
        least: f64,
        /// Most that makes sense.
        most: f64,
    },
    /// A file of an input cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A description of files cannot be understood.
    #[error("{reason} at line {line}, column {column}: {}", path.display())]
    Sidecar {
        /// What is wrong.
        reason: String,
        /// Where, from 1.
        line: usize,
        /// Where in the line, in characters from 1.
        column: usize,
        /// The description.
        path: PathBuf,
    },
    /// The mapping has no entry of two definitions.
    #[error("the mapping has no entry of `{a}` and `{b}`")]
    NotMapped {
        /// One.
        a: String,
        /// The other.
        b: String,
    },
    /// A statement about definitions cannot hold.
    #[error("{reason}")]
    Contradiction {
        /// Why, and what to do.
        reason: String,
    },
    /// `@new` is asked for, and no import is noted.
    #[error(
        "`@new` means the runs of the last import, and this store holds no note of one; name the runs"
    )]
    NothingNew,
    /// `@new` is asked for, and every input of the last import was refused.
    #[error("`@new` means the runs of the last import, which added none: every input was refused")]
    NothingAdded,
    /// `@new` is asked for by a caller with an id of its own, under which nothing was imported.
    #[error(
        "`@new` means what was added with {caller}, and nothing was; unset the variable to mean the newest import"
    )]
    NothingImported {
        /// The variable and its value.
        caller: String,
    },
    /// No import has this id.
    #[error("no import `{batch}`: {reason}")]
    UnknownBatch {
        /// What was asked for.
        batch: String,
        /// Why not, or what to do.
        reason: String,
    },
    /// None of the runs of an import is in the store.
    #[error("the runs of import `{batch}` are not in the store any more")]
    BatchRemoved {
        /// What was asked for.
        batch: String,
    },
    /// A note is not what was written.
    #[error("the note is damaged, {reason}: {}", path.display())]
    DamagedNote {
        /// What is wrong, and what to do.
        reason: String,
        /// Its file.
        path: PathBuf,
    },
    /// A note of the store cannot be read or written.
    #[error("cannot {action}: {}", path.display())]
    Note {
        /// What was tried.
        action: &'static str,
        /// Its file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// An export cannot be written.
    #[error("cannot write the export")]
    Export {
        /// The system's reason.
        source: std::io::Error,
    },
    /// A format cannot hold what a run has.
    #[error("cannot export `{run}` as {format}: {reason}")]
    NotExportable {
        /// Name of the run.
        run: String,
        /// The format.
        format: &'static str,
        /// Why, and what to do.
        reason: String,
    },
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] sheaf_model::Cancelled),
    /// The tables of a run in the store contradict each other.
    #[error("the tables of run `{run}` are damaged")]
    DamagedTables {
        /// The run's id.
        run: String,
        /// The first fault.
        source: sheaf_model::Error,
    },
    /// The answer has more bytes than may be sent.
    #[error(
        "the answer has about {bytes} bytes, more than {most}; ask for fewer rows with `limit` and `offset`, or \
         about fewer groups"
    )]
    AnswerTooLarge {
        /// Bytes that it has.
        bytes: u64,
        /// Bytes that it may have.
        most: usize,
    },
    /// Comparing every two of so many runs takes too much memory.
    #[error(
        "comparing {runs} runs with each other needs about {} MB, more than the limit of {} MB; choose fewer runs \
         with `where`", bytes >> 20, most >> 20
    )]
    TooManyPairs {
        /// Runs that were selected.
        runs: usize,
        /// Bytes that are needed.
        bytes: u64,
        /// Bytes that may be taken.
        most: u64,
    },
    /// The paths of calling contexts take too much memory.
    #[error(
        "the paths of the calling contexts have {names} names together, more than {most} that this question \
         holds in memory; use `level definition`; statistics at level context have no such limit"
    )]
    DeepContexts {
        /// Names that they have.
        names: u64,
        /// Names that they may have.
        most: u64,
    },
    /// The question took longer than its deadline.
    #[error(
        "the question was stopped at its deadline of {} s; ask about fewer runs or groups, or allow more \
         time", limit.as_secs_f64()
    )]
    Deadline {
        /// Time that it was allowed to take.
        limit: Duration,
    },
}

impl Error {
    /// A fault at a byte of a note that people may write, with line, column and cure.
    pub(crate) fn in_note(text: &str, at: usize, reason: &str, path: &Path) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        let column = before[line_start..].chars().count() + 1;
        Self::DamagedNote {
            reason: format!(
                "{reason} at line {line}, column {column}; mend the line, or remove the file"
            ),
            path: path.to_owned(),
        }
    }

    /// Whether compaction removed what was being read, so that the question has to be put again.
    pub const fn is_changed(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_changed())
    }

    /// The error as the user of `progress` meets it: past a deadline, a stop names that.
    #[must_use]
    pub fn named(self, progress: &Progress) -> Self {
        match progress.exceeded() {
            Some(limit) if self.kind() == ErrorKind::Cancelled => Self::Deadline { limit },
            _ => self,
        }
    }

    /// Whether the file system does not allow the store to be changed.
    pub fn is_denied(&self) -> bool {
        matches!(self, Self::Store(sheaf_store::Error::Permission { .. }))
    }

    /// What is wrong with a note, without its place.
    pub(crate) fn reason_alone(&self) -> String {
        match self {
            Self::DamagedNote { reason, .. } => reason.clone(),
            Self::Note { action, source, .. } => format!("cannot {action}: {source}"),
            error => error.chain(),
        }
    }

    /// The message with those of its sources, joined by `: `.
    pub fn chain(&self) -> String {
        let mut text = self.to_string();
        let mut source = self.source();
        while let Some(error) = source {
            text.push_str(": ");
            text.push_str(&error.to_string());
            source = error.source();
        }
        text
    }
}
