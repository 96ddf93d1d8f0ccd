//! How groups change over the versions of a program: when, by how much, and whether the newest is worse.
//!
//! Runs of one version are one point of a series, which holds runs of one environment only: another
//! compiler, node or number of threads begins another series. Every group of a series is searched for
//! change points (E-divisive); q-values are over all groups of all series. What has just changed shows
//! there only when more versions have come, so the last version is also compared with those since the
//! last change. A group that does not occur in a version has no value there, not zero.

mod order;
mod series;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sheaf_model::{Lens, ParamValue, Progress, RunId, RunSummary};
use sheaf_statistics::{Estimate, benjamini_hochberg};

use crate::cohort::{cohorts, parameter_of};
use crate::diff::Verdict;
use crate::error::Error;
use crate::group_values::finish_groups;
use crate::groups::Reentry;
use crate::kernel::partial;
use crate::limits::check_alpha;
use crate::metric::{Metric, of_runs};

pub use order::HistoryOrder;

/// Parameters whose change begins a new series; so does any that begins with `OMP_` or `KMP_`.
pub const ENVIRONMENT: &[&str] = &[
    "arguments",
    "compiler",
    "compiler_flags",
    "compiler_runtime",
    "cores",
    "cpu",
    "governor",
    "host",
    "hostname",
    "kernel",
    "node",
    "numa_nodes",
    "program",
    "ranks",
    "runtime",
    "runtime_hash",
    "runtime_version",
    "threads",
    "workers",
];

/// How changes are searched for.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryOptions {
    /// Greatest q of a change, and p of the changes within a group.
    pub alpha: f64,
    /// Relative change below which nothing counts as faster or slower.
    pub threshold: f64,
    /// Groups below this share of the whole run are not tested.
    pub least_share: f64,
    /// Rearrangements for each test at least; more where many groups are tested.
    pub permutations: usize,
    /// Seed of the rearrangements.
    pub seed: u64,
    /// Parameters whose change begins a new series; those of [`ENVIRONMENT`] when absent.
    pub environment: Option<Vec<String>>,
}

impl Default for HistoryOptions {
    fn default() -> Self {
        Self {
            alpha: 0.05,
            threshold: 0.05,
            least_share: 0.001,
            permutations: 999,
            seed: 0,
            environment: None,
        }
    }
}

/// Answer of [`history`].
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryAnswer {
    /// The metric.
    pub metric: Metric,
    /// Parameter that tells versions apart.
    pub by: String,
    /// Every version, oldest first.
    pub versions: Vec<ParamValue>,
    /// Series, in order of their environments.
    pub series: Vec<HistorySeries>,
    /// Groups that were tested for changes, over all series.
    pub tested: usize,
    /// Things a reader must know.
    pub notes: Vec<String>,
}

/// Versions that ran in one environment.
#[derive(Debug, Clone, PartialEq)]
pub struct HistorySeries {
    /// Name for people.
    pub name: String,
    /// What the environment is, where series differ in it.
    pub environment: BTreeMap<String, ParamValue>,
    /// Versions with their runs, oldest first.
    pub points: Vec<HistoryPoint>,
    /// Groups: changed ones first, then by share.
    pub rows: Vec<HistoryRow>,
    /// Groups that appeared or vanished, oldest first.
    pub events: Vec<HistoryEvent>,
    /// Smallest p that a group of this series can have.
    pub smallest_p: f64,
}

/// A version in a series.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryPoint {
    /// The version.
    pub version: ParamValue,
    /// Its runs.
    pub runs: Vec<RunId>,
}

/// Id of the row that stands for the whole run.
pub const WHOLE_RUN: &str = "total";

/// A group over the versions of a series, or the whole run.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryRow {
    /// Group id.
    pub group: String,
    /// Names from the outermost group.
    pub path: Vec<String>,
    /// Share of the whole run, over all versions; absent for metrics that do not add up.
    pub share: Option<f64>,
    /// Values at each point of the series; absent where the group does not occur.
    pub values: Vec<Option<HistoryValue>>,
    /// p of the best split of the whole series; absent when it was not tested.
    pub p: Option<f64>,
    /// q of that over all groups of all series.
    pub q: Option<f64>,
    /// Changes, oldest first; none unless q is small enough.
    pub changes: Vec<HistoryChange>,
    /// The last version against those since the last change.
    pub last: Option<HistoryLast>,
}

/// Values of the runs of one version.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HistoryValue {
    /// Runs with a value.
    pub runs: usize,
    /// Median over the runs.
    pub median: f64,
    /// Least run.
    pub min: f64,
    /// Greatest run.
    pub max: f64,
}

/// A change of a group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HistoryChange {
    /// Place of the first version after it among the points of the series.
    pub point: usize,
    /// p by rearrangement between the neighbouring changes.
    pub p: f64,
    /// Medians between the change before and this one, and from this one to the next.
    pub medians: [f64; 2],
    /// `faster` or `slower`; `inconclusive` within the threshold, and where neither way is worse.
    pub verdict: Verdict,
}

/// The last version against those since the last change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HistoryLast {
    /// Place of the first version that it is compared with.
    pub since: usize,
    /// Runs of those versions, and of the last.
    pub runs: [usize; 2],
    /// Typical ratio to them and its interval; absent when a value is not positive.
    pub ratio: Option<Estimate>,
    /// Two-sided p of the exact rank-sum test.
    pub p: f64,
    /// q of that over all groups of all series.
    pub q: f64,
    /// What can be said.
    pub verdict: Verdict,
}

/// A group that came or went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEvent {
    /// Place of the version among the points of the series.
    pub point: usize,
    /// Group id.
    pub group: String,
    /// Names from the outermost group.
    pub path: Vec<String>,
    /// Whether it appeared; else it vanished.
    pub is_appearance: bool,
}

/// Follows groups over the values of the one parameter in `lens.by`, in the given order.
///
/// # Errors
/// As for [`stats`](crate::stats), when the order of versions cannot be told, no run has a parameter of the
/// environment, or alpha is out of range.
pub fn history(
    lens: &Lens,
    runs: &[Arc<RunSummary>],
    order: &HistoryOrder,
    options: &HistoryOptions,
    progress: &Progress,
) -> Result<HistoryAnswer, Error> {
    let [by] = lens.by.as_slice() else {
        return Err(Error::OneParameter {
            given: lens.by.clone(),
        });
    };
    check_alpha(options.alpha)?;
    // Names the parameters that no run has.
    cohorts(runs, &lens.by)?;
    cohorts(runs, options.environment.as_deref().unwrap_or_default())?;
    let mut notes = Vec::new();
    let versions = order::versions(runs, by, order, &mut notes)?;
    let ordered: Vec<ParamValue> = versions.iter().map(|version| version.0.clone()).collect();
    let has_place = |run: &&Arc<RunSummary>| {
        parameter_of(&run.meta, by).is_some_and(|value| order::place(&versions, &value).is_some())
    };
    let placed: Vec<Arc<RunSummary>> = runs.iter().filter(has_place).cloned().collect();
    if placed.len() < runs.len() {
        let without = of_runs(runs.len() - placed.len());
        notes.push(format!(
            "left out for having no place in the order of `{by}`: {without}"
        ));
    }
    let grouped = finish_groups(
        lens,
        partial(lens, &placed, progress)?,
        Reentry::Merged,
        progress,
    )?;
    notes.splice(0..0, grouped.notes.clone());
    let environment = environment(&placed, by, order, options);
    let members = cohorts(grouped.tree.runs(), &environment)?;
    let place = |run: usize| {
        let value = parameter_of(&grouped.tree.runs()[run].meta, by)?;
        order::place(&versions, &value)
    };
    let made = members
        .iter()
        .map(|cohort| series::SeriesOfGroups::new(lens, &grouped, cohort, &ordered, place));
    let made: Vec<_> = made.collect();
    let mut answer = HistoryAnswer {
        metric: grouped.metric.clone(),
        by: by.clone(),
        versions: ordered,
        series: series::search(&made, &grouped.metric, options, progress)?,
        tested: 0,
        notes,
    };
    correct(&mut answer, options);
    note_limits(&mut answer, options);
    Ok(answer)
}

/// Parameters that tell environments apart.
fn environment(
    runs: &[Arc<RunSummary>],
    by: &str,
    order: &HistoryOrder,
    options: &HistoryOptions,
) -> Vec<String> {
    let mut names: BTreeSet<String> = match &options.environment {
        Some(names) => names.iter().cloned().collect(),
        None => ENVIRONMENT.iter().map(ToString::to_string).collect(),
    };
    if options.environment.is_none() {
        let all = runs.iter().flat_map(|run| run.meta.params.keys());
        let is_setting = |name: &&String| name.starts_with("OMP_") || name.starts_with("KMP_");
        names.extend(all.filter(is_setting).cloned());
        // The same as the number of threads, where that is known.
        if runs
            .iter()
            .any(|run| run.meta.params.contains_key("threads"))
        {
            names.remove("OMP_NUM_THREADS");
            names.remove("workers");
        }
        // A file's name that stands for the program is none.
        if runs.iter().any(|run| run.meta.known_program().is_empty()) {
            names.remove("program");
        }
    }
    names.remove(by);
    if let HistoryOrder::Parameter(name) = order {
        names.remove(name);
    }
    let differs = |name: &String| {
        let mut values = runs.iter().map(|run| parameter_of(&run.meta, name));
        let first = values.next().flatten();
        values.any(|value| value != first)
    };
    names.into_iter().filter(|name| differs(name)).collect()
}

/// q-values over all groups of all series, and what follows from them.
fn correct(answer: &mut HistoryAnswer, options: &HistoryOptions) {
    let direction = answer.metric.direction;
    let rows = || answer.series.iter().flat_map(|series| &series.rows);
    let p: Vec<f64> = rows().map(|row| row.p.unwrap_or(f64::NAN)).collect();
    let last = rows().map(|row| row.last.map_or(f64::NAN, |last| last.p));
    let (q, last_q) = (
        benjamini_hochberg(&p),
        benjamini_hochberg(&last.collect::<Vec<_>>()),
    );
    answer.tested = p.iter().filter(|p| !p.is_nan()).count();
    let rows = answer.series.iter_mut().flat_map(|series| &mut series.rows);
    for ((row, q), last_q) in rows.zip(q).zip(last_q) {
        row.q = row.p.map(|_| q);
        if row.q.is_none_or(|q| q > options.alpha) {
            row.changes.clear();
        }
        if let Some(last) = &mut row.last {
            last.q = last_q;
            last.verdict = series::judge_last(last, direction, options);
        }
    }
    for series in &mut answer.series {
        series.rows.sort_by(|x, y| {
            let shares = y.share.unwrap_or(0.0).total_cmp(&x.share.unwrap_or(0.0));
            let changed = x.changes.is_empty().cmp(&y.changes.is_empty());
            changed
                .then(shares)
                .then_with(|| (&x.path, &x.group).cmp(&(&y.path, &y.group)))
        });
    }
}

fn note_limits(answer: &mut HistoryAnswer, options: &HistoryOptions) {
    let is_short = |series: &&HistorySeries| series.smallest_p > options.alpha;
    let short = answer.series.iter().filter(is_short).count();
    if short > 0 {
        let needed = sheaf_statistics::runs_needed(options.alpha)
            .map_or_else(String::new, |runs| {
                format!("; {runs} runs on either side of a change can")
            });
        answer.notes.push(format!(
            "{short} of {} series are too short to show a change{needed}",
            answer.series.len()
        ));
    }
}
