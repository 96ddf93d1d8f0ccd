//! The question "which runs are there?", for many runs in little memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use sheaf_analysis::Reentry;
use sheaf_model::table::Metrics;
use sheaf_model::{Lens, Level, Progress, RunId, RunSummary};

use super::{CohortEntry, MetricEntry, RunEntry, RunRow, RunsAnswer, definition, parameters};
use crate::questions::{with_main_metric, with_main_metric_of};
use crate::{Error, View, complete, select};

/// Runs whose totals are computed together: groups times runs are in memory.
const TOTALS_AT_ONCE: usize = 256;
/// Runs that are read together where there are more than that: neighbours in a segment share row groups.
const READ_AT_ONCE: usize = 4 * TOTALS_AT_ONCE;
/// Runs whose figures are kept at most.
const KEPT_RUNS: usize = 100_000;

/// Metrics and totals of runs of large ensembles, kept between questions. Their summaries are not: ten thousand
/// of them would push everything else out of the cache.
#[derive(Default)]
pub(crate) struct RunFigures {
    metrics: Mutex<BTreeMap<RunId, Arc<Metrics>>>,
    totals: Mutex<TotalsOfRuns>,
}

/// The total of each run.
type Totals = Vec<Option<f64>>;

/// Totals of one lens.
#[derive(Default)]
struct TotalsOfRuns {
    lens: String,
    by_runs: BTreeMap<Vec<RunId>, Totals>,
}

impl RunFigures {
    fn known_metrics(&self, runs: &[RunId]) -> Option<Vec<Arc<Metrics>>> {
        let known = self.metrics.lock().unwrap_or_else(PoisonError::into_inner);
        runs.iter().map(|run| known.get(run).cloned()).collect()
    }

    /// Keeps metrics of runs. Lists that are equal are in memory once where their runs are neighbours.
    fn keep_metrics(&self, runs: &[RunId], metrics: Vec<Metrics>) -> Vec<Arc<Metrics>> {
        let mut shared: Vec<Arc<Metrics>> = Vec::with_capacity(metrics.len());
        for one in metrics {
            let same = shared.last().filter(|last| ***last == one).cloned();
            shared.push(same.unwrap_or_else(|| Arc::new(one)));
        }
        let mut known = self.metrics.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() + runs.len() > KEPT_RUNS {
            known.clear();
        }
        known.extend(runs.iter().copied().zip(shared.iter().cloned()));
        shared
    }

    fn known_totals(&self, lens: &str, runs: &[RunId]) -> Option<Totals> {
        let kept = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        let totals = kept.by_runs.get(runs).filter(|_| kept.lens == lens);
        totals.cloned()
    }

    fn keep_totals(&self, lens: &str, runs: Vec<RunId>, totals: Totals) {
        let mut kept = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.lens != lens || kept.by_runs.len() * TOTALS_AT_ONCE > KEPT_RUNS {
            lens.clone_into(&mut kept.lens);
            kept.by_runs.clear();
        }
        kept.by_runs.insert(runs, totals);
    }
}

impl View<'_> {
    /// The run table of the runs that the lens selects. An empty store gives an empty table. Of more than 256 runs
    /// the summaries of some thousand are in memory at a time.
    ///
    /// # Errors
    /// When the lens selects none of the runs there are, names unknown parameters, or the store
    /// cannot be read.
    pub fn runs(&self, lens: &Lens) -> Result<RunsAnswer, Error> {
        let entries = self.entries();
        if entries.is_empty() {
            let nothing = RunsAnswer {
                rows: Vec::new(),
                parameters: Vec::new(),
                metrics: Vec::new(),
                cohorts: Vec::new(),
            };
            return Ok(nothing);
        }
        let selected = select::by_expression(&entries, lens.runs.as_ref())?;
        // Those of the questions that cohorts are for.
        let cohorts = cohorts(&complete::describing(lens, &entries)?.runs, lens)?;
        let (metrics, totals) = if selected.len() > TOTALS_AT_ONCE {
            self.figures_of_many(lens, &selected)?
        } else {
            let summaries = self.summaries_for(lens, &selected)?;
            let totals = totals(lens, &summaries, &self.progress)?;
            let metrics = summaries.iter().map(|run| Arc::new(run.metrics.clone()));
            (metrics.collect(), totals)
        };
        let rows = selected.iter().zip(&metrics).zip(totals);
        Ok(RunsAnswer {
            rows: rows
                .map(|((entry, metrics), total)| RunRow {
                    entry: (*entry).clone(),
                    metrics: metric_names(metrics),
                    total,
                })
                .collect(),
            parameters: parameters(&selected),
            metrics: metric_entries(&metrics),
            cohorts,
        })
    }

    /// Metrics and totals of the runs, in their order. Totals are computed in the order of ids, which is that of
    /// the rows of a segment and does not depend on names.
    fn figures_of_many(
        &self,
        lens: &Lens,
        runs: &[&RunEntry],
    ) -> Result<(Vec<Arc<Metrics>>, Totals), Error> {
        let mut order: Vec<usize> = (0..runs.len()).collect();
        order.sort_unstable_by_key(|&at| runs[at].meta.id);
        // Values of runs come in the order of the selection, whatever order they are given in.
        for together in order.chunks_mut(TOTALS_AT_ONCE) {
            together.sort_unstable();
        }
        let sorted: Vec<&RunEntry> = order.iter().map(|&at| runs[at]).collect();
        let slices = || sorted.par_chunks(READ_AT_ONCE);
        let metrics = slices().map(|slice| self.metrics_of(slice));
        let metrics = metrics.collect::<Result<Vec<_>, Error>>()?.concat();
        let lens = with_main_metric_of(lens, metrics.iter().map(AsRef::as_ref));
        let totals = slices().map(|slice| self.totals_of(&lens, slice));
        let totals = totals.collect::<Result<Vec<_>, Error>>()?.concat();
        let mut figures: Vec<_> = order
            .into_iter()
            .zip(metrics.into_iter().zip(totals))
            .collect();
        figures.sort_unstable_by_key(|(at, _)| *at);
        Ok(figures.into_iter().map(|(_, figures)| figures).unzip())
    }

    fn metrics_of(&self, runs: &[&RunEntry]) -> Result<Vec<Arc<Metrics>>, Error> {
        self.progress.check()?;
        let figures = &self.ensemble.run_figures;
        let ids: Vec<RunId> = runs.iter().map(|run| run.meta.id).collect();
        if let Some(known) = figures.known_metrics(&ids) {
            return Ok(known);
        }
        Ok(figures.keep_metrics(&ids, self.snapshot.metrics(&ids)?))
    }

    fn totals_of(&self, lens: &Lens, runs: &[&RunEntry]) -> Result<Totals, Error> {
        let figures = &self.ensemble.run_figures;
        let ids: Vec<RunId> = runs.iter().map(|run| run.meta.id).collect();
        let lens = of_whole_runs(lens);
        let text = lens.to_string();
        if let Some(known) = figures.known_totals(&text, &ids) {
            return Ok(known);
        }
        let summaries = self.passing_summaries(&lens, &ids)?;
        let mut totals = Vec::with_capacity(runs.len());
        for slice in summaries.chunks(TOTALS_AT_ONCE) {
            totals.extend(totals_at_once(&lens, slice, &self.progress)?);
        }
        figures.keep_totals(&text, ids, totals.clone());
        Ok(totals)
    }

    /// Summaries that the cache does not keep.
    fn passing_summaries(&self, lens: &Lens, ids: &[RunId]) -> Result<Vec<Arc<RunSummary>>, Error> {
        self.progress.check()?;
        let shared = |runs: Vec<RunSummary>| runs.into_iter().map(Arc::new).collect();
        let summaries: Vec<_> = shared(self.snapshot.summaries_by_totals(ids)?);
        if sheaf_analysis::needs_values(lens, &summaries) {
            self.progress.check()?;
            return Ok(shared(self.snapshot.summaries(ids)?));
        }
        Ok(summaries)
    }
}

fn cohorts(runs: &[&RunEntry], lens: &Lens) -> Result<Vec<CohortEntry>, Error> {
    if lens.by.is_empty() {
        return Ok(Vec::new());
    }
    let metas: Vec<_> = runs.iter().map(|run| &run.meta).collect();
    let cohorts = sheaf_analysis::cohorts_of(&metas, &lens.by)?;
    let entry = |cohort: sheaf_analysis::Cohort| CohortEntry {
        runs: cohort.runs.iter().map(|&run| metas[run].id).collect(),
        name: cohort.name,
        values: cohort.values,
    };
    Ok(cohorts.into_iter().map(entry).collect())
}

/// Names of metrics.
pub(crate) fn metric_names(metrics: &Metrics) -> Vec<String> {
    metrics.name.iter().flatten().map(str::to_owned).collect()
}

/// The metrics of any of the runs. Runs with equal lists next to each other are looked at once.
fn metric_entries(runs: &[Arc<Metrics>]) -> Vec<MetricEntry> {
    let mut found = BTreeMap::<String, MetricEntry>::new();
    for alike in runs.chunk_by(|a, b| Arc::ptr_eq(a, b) || a == b) {
        for metric in alike.iter().take(1).flat_map(|metrics| metrics.rows()) {
            let entry = found
                .entry(metric.name.clone())
                .or_insert_with(|| MetricEntry {
                    definition: definition(&metric.name),
                    name: metric.name,
                    unit: metric.unit,
                    kind: metric.kind,
                    direction: metric.direction,
                    source: metric.source,
                    runs: 0,
                });
            entry.runs += alike.len();
        }
    }
    found.into_values().collect()
}

fn of_whole_runs(lens: &Lens) -> Lens {
    Lens {
        level: Level::Module,
        operations: Vec::new(),
        by: Vec::new(),
        ..lens.clone()
    }
}

/// One total per run; absent everywhere when no run has the lens's metric, since a run table
/// must show runs that have nothing else in common.
pub(crate) fn totals(
    lens: &Lens,
    summaries: &[Arc<RunSummary>],
    progress: &Progress,
) -> Result<Totals, Error> {
    let lens = of_whole_runs(&with_main_metric(lens, summaries));
    let mut totals = Vec::with_capacity(summaries.len());
    for slice in summaries.chunks(TOTALS_AT_ONCE) {
        totals.extend(totals_at_once(&lens, slice, progress)?);
    }
    Ok(totals)
}

fn totals_at_once(
    lens: &Lens,
    summaries: &[Arc<RunSummary>],
    progress: &Progress,
) -> Result<Totals, Error> {
    let grouped = sheaf_analysis::partial(lens, summaries, progress)
        .and_then(|state| sheaf_analysis::finish_groups(lens, state, Reentry::Merged, progress));
    progress.check()?;
    Ok(match grouped {
        Ok(grouped) => grouped
            .values
            .totals()
            .iter()
            .map(|total| total.value())
            .collect(),
        Err(_) => vec![None; summaries.len()],
    })
}
