//! One run in full.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::Array;
use sheaf_model::{Lens, RunMeta, RunSummary, names};
use sheaf_store::TableSize;

use crate::cache::Tables;
use crate::depth::GraphFigures;
use crate::questions::with_main_metric;
use crate::runs::table::{metric_names, totals};
use crate::runs::{RunEntry, RunRow};
use crate::{Error, View, select};

/// Answer to "what is this run?".
#[derive(Debug, Clone)]
pub struct InfoAnswer {
    /// The run.
    pub row: RunRow,
    /// Unit of the row's total; absent if there is none.
    pub total_unit: Option<String>,
    /// Definitions.
    pub definitions: usize,
    /// Fragments.
    pub fragments: u64,
    /// Stored tables.
    pub tables: Vec<TableSize>,
    /// Exact total work in the run's time unit; absent for runs without work.
    pub work: Option<i64>,
    /// Edges, span and parallelism of the grain graph.
    pub graph: Option<GraphFigures>,
    /// Time that workers were idle although something was ready.
    pub delay: Option<i64>,
    /// Time that workers were idle and nothing was ready.
    pub no_work: Option<i64>,
    /// Figures that are absent though the run has grains, with the reason.
    pub absent: BTreeMap<&'static str, String>,
}

impl View<'_> {
    /// One run as a row of the run table. Reads its summary only.
    ///
    /// # Errors
    /// As for [`View::info`].
    pub fn run(&self, selector: &str) -> Result<RunRow, Error> {
        let entries = self.entries();
        let all: Vec<&RunEntry> = entries.iter().collect();
        let run = select::one(&all, selector)?;
        Ok(row_of(run, &self.summaries(&[run], Tables::Values)?))
    }

    /// One run in full. Of a run with grains all tables are read; of a call profile its summary.
    ///
    /// # Errors
    /// When the selector names no run or several, or the store cannot be read.
    pub fn info(&self, selector: &str) -> Result<InfoAnswer, Error> {
        let entries = self.entries();
        let all: Vec<&RunEntry> = entries.iter().collect();
        let run = select::one(&all, selector)?;
        let summaries = self.summaries(&[run], Tables::Values)?;
        let sizes = self.snapshot.table_sizes(run.meta.id)?;
        let fragments = sizes.iter().find(|size| size.name == "fragments");
        let summary = summaries.first();
        let mut answer = InfoAnswer {
            fragments: fragments.map_or(0, |size| size.rows),
            row: row_of(run, &summaries),
            total_unit: summary.and_then(total_unit),
            definitions: summary.map_or(0, |it| it.definitions.len()),
            work: summary.and_then(|it| total_work(it)),
            tables: sizes,
            graph: None,
            delay: None,
            no_work: None,
            absent: BTreeMap::new(),
        };
        if run.grains.is_some() {
            self.add_depth(run, &mut answer)?;
        }
        Ok(answer)
    }

    fn add_depth(&self, run: &RunEntry, answer: &mut InfoAnswer) -> Result<(), Error> {
        let depth = self.depth(run)?;
        let absent = &mut answer.absent;
        if answer.work.is_none() {
            absent.insert("work", no_work(&run.meta));
        }
        let work = &depth.tables().grains.work;
        if work.null_count() > 0 && work.null_count() < work.len() {
            let (missing, all) = (work.null_count(), work.len());
            let reason = format!("{missing} of {all} grains have none, and count as nothing");
            absent.insert("work of some grains", reason);
        }
        match depth.figures(&self.progress)? {
            Ok(figures) => {
                if figures.span.is_none() {
                    absent.insert("span", no_work(&run.meta));
                }
                answer.graph = Some(figures.clone());
            }
            Err(reason) => drop(absent.insert("span", reason.to_owned())),
        }
        match depth.timeline(&self.progress)? {
            Ok(timeline) => {
                answer.delay = timeline.balance.delay.clone().ok();
                answer.no_work = timeline.balance.no_work.clone().ok();
                if let Err(reason) = &timeline.balance.delay {
                    absent.insert("delay", reason.to_string());
                }
            }
            Err(reason) => drop(absent.insert("delay", reason.to_owned())),
        }
        Ok(())
    }
}

/// The row of a run with its summary.
fn row_of(run: &RunEntry, summaries: &[Arc<RunSummary>]) -> RunRow {
    let metrics = summaries.first().map(|it| metric_names(&it.metrics));
    let total = totals(&Lens::default(), summaries);
    let times = run.batches.times([run.meta.id].into_iter());
    RunRow {
        entry: run.clone(),
        metrics: metrics.unwrap_or_default(),
        total: total.into_iter().next().flatten(),
        imported: times.into_values().next(),
    }
}

fn no_work(meta: &RunMeta) -> String {
    let reason = meta.lacks.get("work").cloned();
    reason.unwrap_or_else(|| "the source holds no work of grains".to_owned())
}

/// Unit of the main metric of a run, whose total is shown.
fn total_unit(summary: &Arc<RunSummary>) -> Option<String> {
    let lens = Lens::default();
    let lens = with_main_metric(&lens, std::slice::from_ref(summary));
    let mut metrics = summary.metrics.rows();
    metrics
        .find(|metric| metric.name == lens.metric)
        .map(|metric| metric.unit)
}

fn total_work(summary: &RunSummary) -> Option<i64> {
    let metric = summary
        .metrics
        .rows()
        .position(|metric| names::is_work(&metric.name))?;
    let metric = i32::try_from(metric).ok()?;
    let sums = summary
        .totals
        .rows()
        .filter(|row| row.metric == metric)
        .filter_map(|row| row.sum);
    Some(sums.fold(0, i64::saturating_add))
}
