//! The store at one moment, as one question sees it.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use sheaf_model::table::{Metrics, Values};
use sheaf_model::{Lens, Level, ParameterRules, PartRules, Progress, RunId, RunSummary};
use sheaf_store::Snapshot;

use crate::cache::Tables;
use crate::corrections::Corrections;
use crate::metric_units::MetricUnits;
use crate::questions::with_main_metric;
use crate::runs::RunEntry;
use crate::{Ensemble, Error};

/// How often a question starts again when compaction removed what it read.
const ATTEMPTS: usize = 100;
/// Values by location that a thread has in memory at once, next to those that are kept.
const SLICE_ROWS: u64 = 1 << 14;

/// One question's view of a store: every read sees the runs of one moment, whatever others add or remove
/// meanwhile, and every read stops when the question's [`Progress`] does.
///
/// Cheap to make. [`Ensemble::ask`] makes one and, when compaction removes a segment below it, a new one.
pub struct View<'a> {
    pub(crate) ensemble: &'a Ensemble,
    pub(crate) snapshot: Snapshot,
    pub(crate) progress: Progress,
    pub(crate) corrections: Corrections,
    units: MetricUnits,
    /// Rules of the store about its parameters.
    pub(crate) rules: ParameterRules,
    /// Rules of the store about parts of programs.
    pub(crate) parts: PartRules,
}

impl Ensemble {
    /// Answers a question from one snapshot of the store, and again from the next one when compaction removed
    /// a segment while it was read.
    ///
    /// # Errors
    /// Those of `question`; [`Error::Deadline`] in place of [`Error::Cancelled`] when the time of `progress` is
    /// over.
    pub fn ask<T>(
        &self,
        progress: &Progress,
        mut question: impl FnMut(&View<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut attempts = 1;
        loop {
            let answer = self.view(progress).and_then(|view| question(&view));
            match answer {
                Err(error) if error.is_changed() && attempts < ATTEMPTS => attempts += 1,
                answer => return answer.map_err(|error| error.named(progress)),
            }
        }
    }

    /// The store at this moment. A read fails with [`sheaf_store::Error::Changed`] once compaction removed its
    /// segment; [`Ensemble::ask`] handles that.
    ///
    /// # Errors
    /// When the store cannot be listed, what corrects its parameters cannot be understood, or `progress` was
    /// cancelled.
    pub fn view(&self, progress: &Progress) -> Result<View<'_>, Error> {
        progress.check()?;
        Ok(View {
            ensemble: self,
            snapshot: self.store.snapshot()?,
            progress: progress.clone(),
            corrections: self.corrections()?,
            units: self.metric_units()?,
            rules: self.parameter_rules()?,
            parts: self.part_rules()?,
        })
    }
}

/// Names on paths that a question holds in memory: half a gigabyte.
const MAX_PATH_NAMES: u64 = 16_000_000;

/// Fails when the paths of the calling contexts, which rows of an answer about them hold, take too much memory: the
/// square of the call depth.
pub(crate) fn check_paths(lens: &Lens, runs: &[Arc<RunSummary>]) -> Result<(), Error> {
    if lens.level != Level::Context {
        return Ok(());
    }
    let names = |run: &Arc<RunSummary>| {
        let depths = run.contexts.depth.values().iter();
        let names = depths.map(|&depth| u64::try_from(depth).unwrap_or(0) + 1);
        names.fold(0, u64::saturating_add)
    };
    match runs.iter().map(names).max() {
        Some(names) if names > MAX_PATH_NAMES => Err(Error::DeepContexts {
            names,
            most: MAX_PATH_NAMES,
        }),
        _ => Ok(()),
    }
}

impl View<'_> {
    /// Every run, in canonical order: by name, then id.
    pub(crate) fn entries(&self) -> Vec<RunEntry> {
        self.ensemble.entries_of(&self.snapshot, &self.corrections)
    }

    /// Summaries of runs for a question about `lens`, in the order asked for: without values by location where
    /// totals are enough.
    pub(crate) fn summaries_for(
        &self,
        lens: &Lens,
        runs: &[&RunEntry],
    ) -> Result<Vec<Arc<RunSummary>>, Error> {
        let summaries = self.summaries(runs, Tables::Totals)?;
        let lens = with_main_metric(lens, &summaries);
        if sheaf_analysis::needs_values(&lens, &summaries) {
            return self.summaries(runs, Tables::Values);
        }
        Ok(summaries)
    }

    /// Summaries of runs with the given tables, in the order asked for; from the cache where it has them.
    pub(crate) fn summaries(
        &self,
        runs: &[&RunEntry],
        tables: Tables,
    ) -> Result<Vec<Arc<RunSummary>>, Error> {
        let cache = &self.ensemble.cache;
        // Held from here on: what is read next may push it out of the cache.
        let mut found: BTreeMap<RunId, Arc<RunSummary>> = runs
            .iter()
            .filter_map(|run| Some((run.meta.id, cache.get(run.meta.id, tables)?)))
            .collect();
        let missing: Vec<RunId> = runs
            .iter()
            .map(|run| run.meta.id)
            .filter(|id| !found.contains_key(id))
            .collect();
        if !missing.is_empty() {
            let order = self.snapshot.stored_order(&missing)?;
            let missing: Vec<RunId> = order.iter().map(|&at| missing[at]).collect();
            let summaries = slices(&self.snapshot, &missing)
                .into_par_iter()
                .map(|runs| {
                    self.progress.check()?;
                    let summaries = read_summaries(&self.snapshot, runs, tables)?;
                    let kept = summaries.into_iter().map(|one| cache.put(one, tables));
                    Ok(kept.collect())
                })
                .collect::<Result<Vec<Vec<Arc<RunSummary>>>, Error>>()?;
            let summaries = summaries.into_iter().flatten();
            found.extend(summaries.map(|summary| (summary.meta.id, summary)));
        }
        runs.iter()
            .map(|run| {
                let id = run.meta.id;
                let summary = found.get(&id).cloned();
                let summary = summary.ok_or(sheaf_store::Error::UnknownRun { run: id })?;
                let metrics = self.units.apply(&summary.metrics);
                // Names and parameters are not part of the content that the id stands for.
                if summary.meta == run.meta && metrics.is_none() {
                    return Ok(summary);
                }
                Ok(Arc::new(RunSummary {
                    meta: Arc::clone(&run.meta),
                    metrics: metrics.unwrap_or_else(|| summary.metrics.clone()),
                    ..(*summary).clone()
                }))
            })
            .collect()
    }

    /// Metrics with the units that the store states.
    pub(crate) fn with_units(&self, metrics: Vec<Arc<Metrics>>) -> Vec<Arc<Metrics>> {
        let metrics = metrics.into_iter();
        let noted = |one: Arc<Metrics>| self.units.apply(&one).map_or(one, Arc::new);
        metrics.map(noted).collect()
    }
}

/// Runs in at least as many slices as there are threads; each slice reads a file once.
fn slices<'a>(snapshot: &Snapshot, runs: &'a [RunId]) -> Vec<&'a [RunId]> {
    let most = runs.len().div_ceil(rayon::current_num_threads()).max(1);
    let rows = |id: &RunId| snapshot.run(*id).map_or(0, |run| run.rows(Values::NAME));
    let mut slices = Vec::new();
    let mut rest = runs;
    while !rest.is_empty() {
        let mut sum = 0;
        let fits = |run: &&RunId| {
            sum += rows(run);
            sum <= SLICE_ROWS
        };
        let number = rest.iter().take(most).take_while(fits).count().max(1);
        let (slice, later) = rest.split_at(number);
        slices.push(slice);
        rest = later;
    }
    slices
}

fn read_summaries(
    snapshot: &Snapshot,
    runs: &[RunId],
    tables: Tables,
) -> Result<Vec<RunSummary>, sheaf_store::Error> {
    match tables {
        Tables::Totals => snapshot.summaries_by_totals(runs),
        Tables::Values => snapshot.summaries(runs),
    }
}
