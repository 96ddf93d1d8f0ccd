//! The lens: one question about an ensemble, as a plain value with one text form.
//!
//! The text form is a pipeline of clauses, one chip each in the frontend:
//!
//! ```text
//! where threads >= 4 | by threads | level definition | metric work_ns | over ranks=mean | below 1%
//! ```

mod parse;
mod print;

use crate::expression::{Expression, ParseError};
use crate::metric::{names, text_enum};
use std::fmt;
use std::str::FromStr;

/// Level of detail: what one group of an answer stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// A library, file or group of definitions.
    Module,
    /// A construct in the source, regardless of its callers.
    Definition,
    /// A path of definitions from the root.
    Context,
}

/// Whether a value includes the contexts below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Spent in the group's own fragments or samples.
    Exclusive,
    /// Exclusive plus everything below.
    Inclusive,
}

/// How values of several ranks or workers become one value per run.
///
/// A rank or worker without the group counts as zero for additive metrics, so that sums and means
/// conserve totals; `max` and `median` do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LocationAggregate {
    /// Mean over ranks, after summing over the rank's workers.
    RanksMean,
    /// Largest rank.
    RanksMax,
    /// Sum over ranks.
    RanksSum,
    /// Median rank.
    RanksMedian,
    /// Mean over workers.
    WorkersMean,
    /// Largest worker.
    WorkersMax,
    /// Median worker.
    WorkersMedian,
}

text_enum!(Level, "level", Module => "module", Definition => "definition", Context => "context");
text_enum!(Scope, "scope", Exclusive => "exclusive", Inclusive => "inclusive");
text_enum!(LocationAggregate, "aggregate over locations",
    RanksMean => "ranks=mean", RanksMax => "ranks=max", RanksSum => "ranks=sum",
    RanksMedian => "ranks=median", WorkersMean => "workers=mean", WorkersMax => "workers=max",
    WorkersMedian => "workers=median");

/// One run or a set of runs, as a user names it: a run id or a unique beginning of one, a run's
/// name, or an expression.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RunSelector(pub String);

/// What the ensemble is compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum Compare {
    /// Nothing: the ensemble alone.
    None,
    /// One run against the ensemble.
    Target(RunSelector),
    /// Candidate `b` against baseline `a`.
    Diff {
        /// Baseline.
        a: RunSelector,
        /// Candidate.
        b: RunSelector,
    },
}

/// A change to the super graph. Groups are named by group id or by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// Makes the entry functions of a module groups of their own.
    SplitEntries(String),
    /// Makes all definitions of a module groups of their own.
    SplitCallees(String),
    /// Makes one context a group of its own.
    Reveal(String),
    /// Shows only the groups that lie on a path through this one.
    Focus(String),
    /// Leaves a group out; its exclusive values go to its callers.
    Hide(String),
}

/// A question about an ensemble.
///
/// ```
/// use sheaf_model::{Lens, Level};
/// let lens: Lens = "where threads >= 4 | level module | below 2%".parse().unwrap();
/// assert_eq!((lens.level, lens.hide_below), (Level::Module, 0.02));
/// assert_eq!(lens.to_string().parse::<Lens>().unwrap(), lens);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Lens {
    /// Which runs; all when absent.
    pub runs: Option<Expression>,
    /// Parameters whose values form cohorts, outermost first.
    pub by: Vec<String>,
    /// Level of detail.
    pub level: Level,
    /// Metric, by its name or the name that the source used.
    pub metric: String,
    /// Which of the metric's two values the answer is about.
    pub scope: Scope,
    /// How locations become one value per run.
    pub over: LocationAggregate,
    /// Groups below this share of the root's inclusive value in every run go to the others-node.
    pub hide_below: f64,
    /// Changes to the super graph, applied in order.
    pub operations: Vec<Operation>,
    /// Bins of histograms, 1 to 200.
    pub bins: u32,
    /// Comparison.
    pub compare: Compare,
}

impl Default for Lens {
    fn default() -> Self {
        Self {
            runs: None,
            by: Vec::new(),
            level: Level::Definition,
            metric: names::WORK.to_owned(),
            scope: Scope::Inclusive,
            over: LocationAggregate::RanksMean,
            hide_below: 0.01,
            operations: Vec::new(),
            bins: 20,
            compare: Compare::None,
        }
    }
}

/// One clause of a lens's text form, as the frontend shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// First word: `where`, `by`, `level`, …
    pub keyword: &'static str,
    /// The whole clause.
    pub text: String,
}
