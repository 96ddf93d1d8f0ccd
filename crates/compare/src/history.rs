//! How groups change over the versions of a program: when, by how much, and whether the newest is worse.
//!
//! Runs of one version are one point of a series, which holds runs of one environment only: another
//! compiler, node or number of threads begins another series. Every group of a series is searched for
//! change points (E-divisive); q-values are over all groups of all series. What has just changed shows
//! there only when more versions have come, so the last version is also compared with those since the
//! last change. A group that does not occur in a version has no value there, not zero.
//!
//! Each version is matched with the one before it as a diff of the two does, with all runs of either: a
//! definition that was renamed is one group, and what else happened to the structure stands at its version.

mod environment;
mod order;
mod search;
mod series;
mod structure;
#[cfg(test)]
mod tests;
mod unmeasured;
mod verdict;

use std::collections::BTreeSet;
use std::sync::Arc;

use search::Searched;
use sheaf_model::{Lens, ParamValue, ParameterRules, Progress, RunSummary};
use sheaf_statistics::benjamini_hochberg;

use crate::diff::{IterationCounts, Mapping, number_as_newest};
use sheaf_analysis::Error;
use sheaf_analysis::Reentry;
use sheaf_analysis::check_alpha;
use sheaf_analysis::finish_groups;
use sheaf_analysis::{ALL_METRICS, partial};
use sheaf_analysis::{cohorts, parameter_of};
use sheaf_answers::{History, HistoryFact, HistorySeries, Note};

pub use environment::ENVIRONMENT;
pub use order::HistoryOrder;

/// How changes are searched for.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryOptions {
    /// Greatest q of a change, and p of the changes within a group.
    pub alpha: f64,
    /// Relative change below which nothing counts as faster or slower.
    pub threshold: f64,
    /// Groups below this share of the whole run are not tested.
    pub least_share: f64,
    /// Changes below this share of the greater of the totals before and after do not count.
    pub least_impact: f64,
    /// Rearrangements for each test at least; more where many groups are tested.
    pub permutations: usize,
    /// Seed of the rearrangements.
    pub seed: u64,
    /// Parameters whose change begins a new series; those of [`ENVIRONMENT`] when absent.
    pub environment: Option<Vec<String>>,
    /// Metrics that are followed besides the lens's; `all` stands for all that the runs have.
    pub more_metrics: Vec<String>,
    /// Rules of the store about its parameters: a change of one that is part of a configuration begins a new series
    /// too, and that of an incidental one does not. They do not count if `environment` is given.
    pub rules: ParameterRules,
    /// Iterations by row of the contexts, for runs that state them: loops are matched over versions by them.
    pub iterations: IterationCounts,
}

impl Default for HistoryOptions {
    fn default() -> Self {
        Self {
            alpha: 0.05,
            threshold: 0.05,
            least_share: 0.001,
            least_impact: 0.01,
            permutations: 999,
            seed: 0,
            environment: None,
            more_metrics: Vec::new(),
            rules: ParameterRules::default(),
            iterations: IterationCounts::new(),
        }
    }
}

/// Id of the row that stands for the whole run.
pub const WHOLE_RUN: &str = "total";

/// Follows groups over the values of the one parameter in `lens.by`, in the given order. Each version of an
/// environment is matched with the one before it, all runs of either together; what was renamed is followed as
/// one group, as far as nothing speaks against it. What the user says of definitions in `mapping` comes
/// first.
///
/// # Errors
/// As for [`stats`](sheaf_analysis::stats), when the order of versions is unknown, no run has a parameter of the
/// environment, or alpha is out of range.
pub fn history(
    lens: &Lens,
    runs: &[Arc<RunSummary>],
    order: &HistoryOrder,
    options: &HistoryOptions,
    mapping: &Mapping,
    progress: &Progress,
) -> Result<History, Error> {
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
    let place_of = |run: &RunSummary| {
        parameter_of(&run.meta, by).and_then(|value| order::place(&versions, &value))
    };
    let (placed, numbered) = numbered(runs, versions.len(), &options.iterations, place_of);
    notes.extend(without_place(runs.len() - placed.len(), by));
    let (environment, following) = environment::parameters(&placed, by, order, options)?;
    notes.extend(following);
    let names: Vec<ParamValue> = versions.iter().map(|version| version.0.clone()).collect();
    let metrics = metrics(lens, options, &placed);
    let of_metric = |metric: &String| Lens {
        metric: metric.clone(),
        ..lens.clone()
    };
    let first = metrics.first().map_or_else(|| lens.clone(), of_metric);
    let unified = structure::by_context(&first, &placed, progress)?;
    let in_tree = unified.tree.runs();
    let line = structure::VersionSequence {
        versions: &names,
        at: in_tree.iter().map(|run| place_of(run)).collect(),
        environments: cohorts(in_tree, &environment)?,
    };
    let followed = structure::Lineage::new(&line, &unified, mapping, progress)?;
    let renamed = followed.renaming.apply(in_tree);
    let mut gathered = numbered;
    let (mut made, mut known) = (Vec::new(), Vec::new());
    for metric in &metrics {
        let lens = of_metric(metric);
        let state = partial(&lens, &renamed, progress)?;
        let grouped = finish_groups(&lens, state, Reentry::Merged, progress)?;
        gathered.extend(grouped.notes.iter().cloned());
        let environments = 0..line.environments.len();
        made.extend(environments.map(|environment| {
            series::SeriesOfGroups::new(&lens, &grouped, &line, &followed, environment, options)
        }));
        known.push(grouped.metric);
    }
    gathered.extend(followed.renaming.notes().iter().cloned());
    gathered.extend(made.iter().filter_map(|series| series.note.clone()));
    Note::dedup(&mut gathered);
    notes.splice(0..0, gathered);
    let mut found = search::search(made, options, progress)?;
    let tested = correct(&mut found, options);
    let first = known.first();
    let mut answer = History {
        schema: "history/1".to_owned(),
        lens: lens.to_string(),
        metric: first.map_or_else(String::new, |metric| metric.name.clone()),
        unit: first.map_or_else(String::new, |metric| metric.unit.clone()),
        by: by.clone(),
        alpha: options.alpha,
        tested,
        renames: followed.renaming.answer(&names),
        versions: names,
        series: found.into_iter().map(Searched::finish).collect(),
        diffs: Vec::new(),
        notes,
    };
    verdict::note_widths(&mut answer, &placed);
    note_limits(&mut answer, options);
    Ok(answer)
}

/// The note on runs that no version has.
fn without_place(runs: usize, by: &str) -> Option<Note> {
    let fact = HistoryFact::RunsWithoutPlace {
        by: by.to_owned(),
        runs: runs as u64,
    };
    (runs > 0).then(|| fact.into())
}

/// The runs that have a place, by version, with the constructs of every version numbered as in the newest; and notes.
fn numbered(
    runs: &[Arc<RunSummary>],
    versions: usize,
    counts: &IterationCounts,
    place_of: impl Fn(&RunSummary) -> Option<usize>,
) -> (Vec<Arc<RunSummary>>, Vec<Note>) {
    let mut by_version: Vec<Vec<Arc<RunSummary>>> = vec![Vec::new(); versions];
    for run in runs {
        if let Some(version) = place_of(run).and_then(|place| by_version.get_mut(place)) {
            version.push(Arc::clone(run));
        }
    }
    let notes = number_as_newest(&mut by_version, counts);
    (by_version.concat(), notes)
}

/// Names of the metrics that are followed: the lens's, and those that the options add.
fn metrics(lens: &Lens, options: &HistoryOptions, runs: &[Arc<RunSummary>]) -> Vec<String> {
    let mut names = vec![lens.metric.clone()];
    names.extend(options.more_metrics.iter().cloned());
    if names.iter().any(|name| name == ALL_METRICS) {
        let all = runs
            .iter()
            .flat_map(|run| run.metrics.name.iter().flatten());
        let all: BTreeSet<&str> = all.collect();
        return all.into_iter().map(str::to_owned).collect();
    }
    // Each once, where it comes first.
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// q-values over all groups of all series that were tested, and what follows from them. Returns the number of these
/// groups.
fn correct(series: &mut [Searched], options: &HistoryOptions) -> u64 {
    let groups = || series.iter().flat_map(|series| &series.answer.groups);
    let p: Vec<f64> = groups().map(|group| group.p.unwrap_or(f64::NAN)).collect();
    let last: Vec<f64> = groups()
        .map(|group| {
            group
                .last
                .as_ref()
                .and_then(|last| last.p)
                .unwrap_or(f64::NAN)
        })
        .collect();
    let mut q = benjamini_hochberg(&p).into_iter();
    let mut last_q = benjamini_hochberg(&last).into_iter();
    for Searched {
        answer,
        direction,
        shares,
    } in series
    {
        for (group, share) in answer.groups.iter_mut().zip(shares.iter()) {
            let (q, last_q) = (q.next(), last_q.next());
            group.q = group.p.and(q);
            if group.q.is_none_or(|q| q > options.alpha) {
                group.changes.clear();
            }
            if let Some(last) = &mut group.last {
                last.q = last.p.and(last_q);
                // Unless it was refused.
                if let Some(q) = last.q {
                    (last.verdict, last.reason) =
                        verdict::judge_last(last, q, *share, *direction, options);
                }
            }
        }
    }
    p.iter().filter(|p| !p.is_nan()).count() as u64
}

fn note_limits(answer: &mut History, options: &HistoryOptions) {
    // Where nothing is tested, no number of versions would do.
    let is_tested = |series: &HistorySeries| {
        let mut after_first = series.points.iter().skip(1);
        series.points.len() < 2 || after_first.any(|point| point.untested.is_none())
    };
    let is_short = |series: &&HistorySeries| series.smallest_p > options.alpha && is_tested(series);
    let short = answer.series.iter().filter(is_short).count();
    if short > 0 {
        let needed = sheaf_statistics::runs_needed(options.alpha);
        let fact = HistoryFact::SeriesTooShort {
            short: short as u64,
            series: answer.series.len() as u64,
            needed: needed.map(|runs| runs as u64),
        };
        answer.notes.push(fact.into());
    }
}
