//! The question "which runs are there?", for many runs in little memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{Array as _, ArrowPrimitiveType, AsArray as _, RecordBatch};
use arrow::datatypes::{Int32Type, Int64Type};
use rayon::prelude::*;
use sheaf_analysis::WholeRuns;
use sheaf_answers::{Cohort, Metric, Runs};
use sheaf_model::table::Metrics;
use sheaf_model::{Direction, Lens, MetricKind, RunId, RunSummary};

use super::{RunEntry, definition, parameters};
use crate::bounded_cache::BoundedCache;
use crate::questions::{with_main_metric, with_main_metric_of};
use crate::{Error, View, complete, select};

/// Runs whose summaries are kept for the next question: more would push everything else out of the cache.
const MAX_SUMMARIES: usize = 256;
/// Runs that are read together where there are more than that: neighbours in a segment share row groups.
const READ_AT_ONCE: usize = 32;
const SCHEMA: &str = "runs/1";
/// Bytes of each of the caches of [`RunFigures`]: enough for the metrics of 500,000 runs.
const MAX_FIGURES: usize = 64 << 20;

/// Metrics and totals of runs of large ensembles, kept between questions. Their summaries are not.
pub(crate) struct RunFigures {
    /// Runs of one program have the same metrics, so a run only has the hash of its list.
    metrics_of_run: BoundedCache<RunId, MetricsHash>,
    metrics: BoundedCache<MetricsHash, Arc<Metrics>>,
    totals: BoundedCache<(String, Vec<RunId>), Totals>,
}

type MetricsHash = [u8; 32];

/// The total of each run.
type Totals = Vec<Option<f64>>;

impl Default for RunFigures {
    fn default() -> Self {
        Self {
            metrics_of_run: BoundedCache::new(MAX_FIGURES),
            metrics: BoundedCache::new(MAX_FIGURES),
            totals: BoundedCache::new(MAX_FIGURES),
        }
    }
}

impl RunFigures {
    fn known_metrics(&self, runs: &[RunId]) -> Option<Vec<Arc<Metrics>>> {
        let known = |run| self.metrics.get(&self.metrics_of_run.get(run)?);
        runs.iter().map(known).collect()
    }

    /// Keeps metrics of a run; returns the list in memory that equals them.
    fn keep_metrics(&self, run: RunId, metrics: Metrics) -> Arc<Metrics> {
        let (hash, text_bytes) = hash_metrics(&metrics);
        let bytes_of_run = size_of::<RunId>() + size_of::<MetricsHash>() + 80;
        self.metrics_of_run.put(run, hash, bytes_of_run);
        self.metrics.get(&hash).unwrap_or_else(|| {
            let metrics = Arc::new(metrics);
            let bytes = 1024 + text_bytes + 32 * metrics.len();
            self.metrics.put(hash, Arc::clone(&metrics), bytes);
            metrics
        })
    }

    fn keep_totals(&self, question: (String, Vec<RunId>), totals: Totals) {
        let bytes_of_run = size_of::<RunId>() + size_of::<Option<f64>>();
        let bytes = question.0.len() + totals.len() * bytes_of_run + 256;
        self.totals.put(question, totals, bytes);
    }
}

/// Hash of all columns, and the bytes of their texts.
fn hash_metrics(metrics: &Metrics) -> (MetricsHash, usize) {
    let mut hasher = blake3::Hasher::new();
    let mut bytes = 0;
    for row in 0..metrics.len() {
        let texts = [
            &metrics.name,
            &metrics.unit,
            &metrics.kind,
            &metrics.direction,
        ];
        let texts = texts.map(|column| Some(column.value(row)));
        let optional = [&metrics.source, &metrics.alias];
        let optional = optional.map(|column| column.is_valid(row).then(|| column.value(row)));
        for text in texts.into_iter().chain(optional) {
            let length = text.map_or(u64::MAX, |text| text.len() as u64);
            hasher.update(&length.to_le_bytes());
            hasher.update(text.unwrap_or_default().as_bytes());
            bytes += text.map_or(0, str::len);
        }
        hasher.update(&[u8::from(metrics.is_integer.value(row))]);
    }
    (*hasher.finalize().as_bytes(), bytes)
}

impl View<'_> {
    /// The run table of the runs that the lens selects. An empty store gives an empty table. Of more than 256 runs
    /// each thread has the summaries of 32 in memory at a time.
    ///
    /// # Errors
    /// When the lens selects none of the runs there are, names unknown parameters, or the store
    /// cannot be read.
    pub fn runs(&self, lens: &Lens) -> Result<Runs, Error> {
        let entries = self.entries();
        if entries.is_empty() {
            let nothing = Runs {
                schema: SCHEMA.to_owned(),
                runs: Vec::new(),
                parameters: Vec::new(),
                metrics: Vec::new(),
                cohorts: Vec::new(),
                metric: None,
            };
            return Ok(nothing);
        }
        let selected = select::by_expression(&entries, lens.runs.as_ref())?;
        // Those of the questions that cohorts are for.
        let cohorts = cohorts(&complete::describing(lens, &entries)?.runs, lens)?;
        let (metrics, totals) = if selected.len() > MAX_SUMMARIES {
            self.figures_of_many(lens, &selected)?
        } else {
            let summaries = self.summaries_for(lens, &selected)?;
            let totals = totals(lens, &summaries);
            let metrics = summaries.iter().map(|run| Arc::new(run.metrics.clone()));
            (metrics.collect(), totals)
        };
        let ids = selected.iter().map(|run| run.meta.id);
        let times = selected.first().map(|run| run.batches.times(ids));
        let times = times.unwrap_or_default();
        let metric = with_main_metric_of(lens, metrics.iter().map(AsRef::as_ref));
        let metric = Some(metric.metric.clone());
        let rows = selected.iter().zip(&metrics).zip(totals);
        Ok(Runs {
            schema: SCHEMA.to_owned(),
            runs: rows
                .map(|((entry, metrics), total)| {
                    let imported = times.get(&entry.meta.id).copied();
                    entry.row(metric_names(metrics), total, imported)
                })
                .collect(),
            parameters: parameters(&selected, &self.rules),
            metrics: metric_entries(&metrics),
            cohorts,
            metric,
        })
    }

    /// Metrics and totals of the runs, in their order. They are read in the order in which they are stored.
    fn figures_of_many(
        &self,
        lens: &Lens,
        runs: &[&RunEntry],
    ) -> Result<(Vec<Arc<Metrics>>, Totals), Error> {
        let mut order: Vec<usize> = (0..runs.len()).collect();
        order.sort_unstable_by_key(|&at| runs[at].meta.id);
        let ids: Vec<RunId> = order.iter().map(|&at| runs[at].meta.id).collect();
        let stored = self.snapshot.stored_order(&ids)?;
        let of_places = |places: &[usize]| places.iter().map(|&at| ids[at]).collect::<Vec<_>>();
        let slices = stored.par_chunks(READ_AT_ONCE);
        let metrics = slices.map(|places| self.metrics_of(&of_places(places)));
        let metrics = metrics.collect::<Result<Vec<_>, Error>>()?.concat();
        let metrics = self.with_units(in_order(&stored, metrics));
        let totals = self.totals_of(lens, &ids, &stored, &metrics)?;
        let figures = metrics.into_iter().zip(totals).collect();
        Ok(in_order(&order, figures).into_iter().unzip())
    }

    fn metrics_of(&self, ids: &[RunId]) -> Result<Vec<Arc<Metrics>>, Error> {
        self.progress.check()?;
        let figures = &self.ensemble.run_figures;
        if let Some(known) = figures.known_metrics(ids) {
            return Ok(known);
        }
        let read = self.snapshot.metrics(ids)?.into_iter().zip(ids);
        Ok(read
            .map(|(metrics, run)| figures.keep_metrics(*run, metrics))
            .collect())
    }

    fn totals_of(
        &self,
        lens: &Lens,
        ids: &[RunId],
        stored: &[usize],
        metrics: &[Arc<Metrics>],
    ) -> Result<Totals, Error> {
        let metrics = || metrics.iter().map(AsRef::as_ref);
        let lens = with_main_metric_of(lens, metrics());
        let figures = &self.ensemble.run_figures;
        let question = (format!("{} over {}", lens.metric, lens.over), ids.to_vec());
        if let Some(known) = figures.totals.get(&question) {
            return Ok(known);
        }
        let whole = WholeRuns::new(&lens.metric, lens.over, metrics());
        let mut totals = self.sums_of(&whole, ids)?;
        let left: Vec<usize> = stored
            .iter()
            .copied()
            .filter(|&at| totals[at].is_none() && whole.is_measured(at))
            .collect();
        let slices = left.par_chunks(READ_AT_ONCE);
        let read = slices.map(|places| self.totals_of_slice(&whole, places, ids));
        let read = read.collect::<Result<Vec<_>, Error>>()?.concat();
        for (at, total) in left.into_iter().zip(read) {
            totals[at] = total;
        }
        figures.keep_totals(question, totals.clone());
        Ok(totals)
    }

    /// Totals that are sums of integers, added up as they are decoded; absent for all other runs.
    fn sums_of(&self, whole: &WholeRuns, ids: &[RunId]) -> Result<Totals, Error> {
        let rows: Vec<Option<i32>> = (0..ids.len()).map(|at| whole.row_to_add_up(at)).collect();
        let mut totals = vec![None; ids.len()];
        if rows.iter().all(Option::is_none) {
            return Ok(totals);
        }
        self.progress.check()?;
        let mut ranks = vec![Vec::new(); ids.len()];
        let read = |_: usize, batch: &RecordBatch| integers::<Int32Type>(batch, "rank").to_vec();
        for (at, found) in self.snapshot.scan(ids, "locations", &["rank"], read)? {
            ranks[at].extend(found);
        }
        self.progress.check()?;
        let add = |at: usize, batch: &RecordBatch| sum_of_metric(batch, rows[at]?);
        let sums = self.snapshot.scan(ids, "totals", &["metric", "sum"], add)?;
        let mut added: Vec<Option<i128>> = vec![None; ids.len()];
        for (at, sum) in sums {
            added[at] = match (added[at], sum) {
                (Some(a), Some(b)) => Some(a + b),
                (a, b) => a.or(b),
            };
        }
        for (at, sum) in added.into_iter().enumerate() {
            totals[at] = sum.map(|sum| whole.of_sum(sum, &ranks[at]));
        }
        Ok(totals)
    }

    /// Totals of the runs at some places.
    fn totals_of_slice(
        &self,
        whole: &WholeRuns,
        places: &[usize],
        ids: &[RunId],
    ) -> Result<Totals, Error> {
        self.progress.check()?;
        let ids: Vec<RunId> = places.iter().map(|&at| ids[at]).collect();
        let mut runs = self.snapshot.summaries_without_names(&ids)?;
        let needs_values = |(run, &at): (&RunSummary, &usize)| whole.needs_values(at, run);
        if runs.iter().zip(places).any(needs_values) {
            self.progress.check()?;
            runs = self.snapshot.summaries(&ids)?;
        }
        let totals = runs.par_iter().zip(places);
        Ok(totals.map(|(run, &at)| whole.total(at, run)).collect())
    }
}

/// Values at their positions: the first value belongs to the first of `positions`, and so on.
fn in_order<T>(positions: &[usize], values: Vec<T>) -> Vec<T> {
    let mut placed: Vec<_> = positions.iter().zip(values).collect();
    placed.sort_unstable_by_key(|(position, _)| **position);
    placed.into_iter().map(|(_, value)| value).collect()
}

/// The sum of one metric in rows of totals; absent where none of them has it.
fn sum_of_metric(totals: &RecordBatch, row: i32) -> Option<i128> {
    let sums = totals
        .column_by_name("sum")?
        .as_primitive_opt::<Int64Type>()?;
    let of_metric = integers::<Int32Type>(totals, "metric").iter().zip(sums);
    let of_metric = of_metric.filter(|(metric, _)| **metric == row);
    let mut found = of_metric.filter_map(|(_, sum)| sum.map(i128::from));
    let first = found.next()?;
    Some(found.fold(first, |sum, next| sum + next))
}

/// A column of integers that are all there.
fn integers<'a, T: ArrowPrimitiveType>(batch: &'a RecordBatch, name: &str) -> &'a [T::Native] {
    let column = batch.column_by_name(name);
    column
        .and_then(|column| column.as_primitive_opt::<T>())
        .map_or(&[], |column| column.values())
}

fn cohorts(runs: &[&RunEntry], lens: &Lens) -> Result<Vec<Cohort>, Error> {
    if lens.by.is_empty() {
        return Ok(Vec::new());
    }
    let metas: Vec<_> = runs.iter().map(|run| &*run.meta).collect();
    let cohorts = sheaf_analysis::cohorts_of(&metas, &lens.by)?;
    let entry = |cohort: sheaf_analysis::Cohort| Cohort {
        runs: cohort
            .runs
            .iter()
            .map(|&run| metas[run].id.to_string())
            .collect(),
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
fn metric_entries(runs: &[Arc<Metrics>]) -> Vec<Metric> {
    let mut found = BTreeMap::<String, Metric>::new();
    for alike in runs.chunk_by(|a, b| Arc::ptr_eq(a, b) || a == b) {
        for metric in alike.iter().take(1).flat_map(|metrics| metrics.rows()) {
            let entry = found.entry(metric.name.clone()).or_insert_with(|| Metric {
                definition: definition(&metric.name).to_owned(),
                name: metric.name,
                unit: metric.unit,
                kind: metric.kind.parse().unwrap_or(MetricKind::Intensive),
                direction: metric.direction.parse().unwrap_or(Direction::Neutral),
                source: metric.source,
                label: metric.alias.filter(|label| !label.is_empty()),
                runs: 0,
            });
            entry.runs += alike.len() as u64;
        }
    }
    found.into_values().collect()
}

/// One total per run; absent everywhere when no run has the lens's metric, since a run table
/// must show runs that have nothing else in common.
pub(crate) fn totals(lens: &Lens, summaries: &[Arc<RunSummary>]) -> Totals {
    let lens = with_main_metric(lens, summaries);
    let metrics = summaries.iter().map(|run| &run.metrics);
    let whole = WholeRuns::new(&lens.metric, lens.over, metrics);
    let runs = summaries.iter().enumerate();
    runs.map(|(at, run)| whole.total(at, run)).collect()
}
