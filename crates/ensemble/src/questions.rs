//! Every question that a lens can ask.

use std::borrow::Cow;
use std::sync::Arc;

use sheaf_analysis::diff::{DiffAnswer, DiffOptions, DiffSelection, finish_diff};
use sheaf_analysis::grain_stats::GrainStats;
use sheaf_analysis::{
    DistributionAnswer, DistributionMode, DistributionQuestion, HierarchyAnswer, LayoutOptions,
    Reentry, SankeyAnswer, StatsAnswer,
};
use sheaf_model::table::Grains;
use sheaf_model::{Compare, Lens, Level, Progress, RunId, RunSelector, RunSummary};

use crate::cache::Tables;
use crate::runs::{self, CohortEntry, MetricEntry, RunEntry, RunRow, RunsAnswer};
use crate::view::check_paths;
use crate::{Error, View, select};

impl View<'_> {
    /// The run table of the runs that the lens selects. An empty store gives an empty table.
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
        let summaries = self.summaries_for(lens, &selected)?;
        let cohorts = if lens.by.is_empty() {
            Vec::new()
        } else {
            sheaf_analysis::cohorts(&summaries, &lens.by)?
        };
        let cohorts = cohorts
            .into_iter()
            .map(|cohort| CohortEntry {
                runs: cohort
                    .runs
                    .iter()
                    .map(|&run| summaries[run].meta.id)
                    .collect(),
                name: cohort.name,
                values: cohort.values,
            })
            .collect();
        let totals = totals(lens, &summaries, &self.progress)?;
        let rows = selected.iter().zip(&summaries).zip(totals);
        Ok(RunsAnswer {
            rows: rows
                .map(|((entry, summary), total)| RunRow {
                    entry: (*entry).clone(),
                    metrics: metric_names(summary),
                    total,
                })
                .collect(),
            parameters: runs::parameters(&selected),
            metrics: metrics(&summaries),
            cohorts,
        })
    }

    /// Distributions of groups over the runs of each cohort; `metric all` asks for every metric.
    ///
    /// # Errors
    /// When the lens selects nothing or names what is not there, or the store cannot be read.
    pub fn stats(&self, lens: &Lens) -> Result<StatsAnswer, Error> {
        // How evenly workers share the load is told by values alone.
        let runs = self.selected_with_values(lens)?;
        let lens = &with_main_metric(lens, &runs);
        Ok(sheaf_analysis::stats(lens, &runs, &self.progress)?)
    }

    /// Distributions of groups over the grains of the runs of each cohort: exact, for drawing, never for
    /// tests. Reads two columns of the runs' tables of grains.
    ///
    /// # Errors
    /// As for [`View::stats`], and when no run has grains or the metric is none of theirs.
    pub fn grain_stats(&self, lens: &Lens) -> Result<StatsAnswer, Error> {
        let entries = self.entries();
        let selected = select::by_expression(&entries, lens.runs.as_ref())?;
        if let Some(run) = selected.first()
            && selected.iter().all(|run| run.grains.is_none())
        {
            return Err(Error::NoGrains {
                run: run.meta.name.clone(),
            });
        }
        let runs = self.summaries(&selected, Tables::Totals)?;
        let question = GrainStats::new(&with_main_metric(lens, &runs), &runs, &self.progress)?;
        let (ids, columns) = (question.runs(), question.columns());
        let parts = self
            .snapshot
            .scan(&ids, Grains::NAME, &columns, |run, batch| {
                question.part(run, batch)
            })?;
        Ok(question.finish(&parts, &self.progress)?)
    }

    /// The ensemble-Sankey, laid out.
    ///
    /// # Errors
    /// As for [`View::stats`].
    pub fn sankey(&self, lens: &Lens, layout: &LayoutOptions) -> Result<SankeyAnswer, Error> {
        let runs = self.selected(lens)?;
        let lens = &with_main_metric(lens, &runs);
        Ok(sheaf_analysis::sankey(lens, &runs, layout, &self.progress)?)
    }

    /// The tree of contexts inside a group.
    ///
    /// # Errors
    /// As for [`View::stats`], and when there is no such group.
    pub fn hierarchy(&self, lens: &Lens, group: &str) -> Result<HierarchyAnswer, Error> {
        let runs = self.selected(lens)?;
        let lens = &with_main_metric(lens, &runs);
        Ok(sheaf_analysis::hierarchy(
            lens,
            group,
            &runs,
            &self.progress,
        )?)
    }

    /// Histogram of a group's values.
    ///
    /// # Errors
    /// As for [`View::hierarchy`].
    pub fn distribution(
        &self,
        lens: &Lens,
        group: &str,
        mode: DistributionMode,
    ) -> Result<DistributionAnswer, Error> {
        let entries = self.entries();
        let selected = select::by_expression(&entries, lens.runs.as_ref())?;
        let mut question = DistributionQuestion::new(group, mode);
        let ids = |runs: Vec<&RunEntry>| runs.iter().map(|run| run.meta.id).collect();
        match &lens.compare {
            Compare::None => {}
            Compare::Target(run) => question.target = ids(select::side(&selected, run)?),
            Compare::Diff { a, b } => {
                question.baseline = ids(select::side(&selected, a)?);
                question.target = ids(select::side(&selected, b)?);
            }
        }
        let tables = match mode {
            DistributionMode::Ranks | DistributionMode::Workers => Tables::Values,
            DistributionMode::Runs | DistributionMode::CallSites => Tables::Totals,
        };
        let runs = match tables {
            Tables::Totals => self.summaries_for(lens, &selected)?,
            Tables::Values => self.summaries(&selected, tables)?,
        };
        let lens = &with_main_metric(lens, &runs);
        Ok(sheaf_analysis::distribution(
            lens,
            &question,
            &runs,
            &self.progress,
        )?)
    }

    /// Difference of the two sides of the lens's `diff` clause, out of the runs that it selects.
    ///
    /// # Errors
    /// As for [`View::stats`], when the lens has no two sides or one of them is empty, and when the store's
    /// mapping cannot be understood.
    pub fn diff(&self, lens: &Lens) -> Result<DiffAnswer, Error> {
        let Compare::Diff { a, b } = &lens.compare else {
            return Err(Error::NoSides);
        };
        let entries = self.entries();
        let selected = select::by_expression(&entries, lens.runs.as_ref())?;
        let sides = [select::side(&selected, a)?, select::side(&selected, b)?];
        self.diff_of(lens, [a, b], &sides, &DiffOptions::default())
    }

    /// Difference of two sides, baseline first.
    pub(crate) fn diff_of(
        &self,
        lens: &Lens,
        names: [&RunSelector; 2],
        sides: &[Vec<&RunEntry>; 2],
        options: &DiffOptions,
    ) -> Result<DiffAnswer, Error> {
        let mut compared: Vec<&RunEntry> = sides.concat();
        compared.sort_by_key(|run| run.meta.id);
        compared.dedup_by_key(|run| run.meta.id);
        let ids: Vec<RunId> = compared.iter().map(|run| run.meta.id).collect();
        self.snapshot.check_files(&ids)?;
        let runs = self.summaries_for(lens, &compared)?;
        check_paths(lens, &runs)?;
        let lens = &with_main_metric(lens, &runs);
        let state = sheaf_analysis::partial(lens, &runs, &self.progress)?;
        let orders = self.creation_orders(sides)?;
        let selection = |side: usize| {
            let runs = sides[side].iter().map(|run| run.meta.id).collect();
            DiffSelection {
                orders: orders[side].clone(),
                ..DiffSelection::new(names[side].0.as_str(), runs)
            }
        };
        let selections = [selection(0), selection(1)];
        let mapping = self.ensemble.diff_mapping()?;
        let of_side = |side: usize| self.summaries(&sides[side], Tables::Totals);
        let [a, b] = [of_side(0)?, of_side(1)?];
        let notes = self.mapping_notes_of([&a, &b])?;
        let mut answer = finish_diff(lens, state, &selections, options, mapping, &self.progress)?;
        answer.notes.extend(notes);
        Ok(answer)
    }

    /// Summaries of the runs that the lens selects, with what its question needs. What it compares must exist in the
    /// store, also where the answer does not depend on it.
    pub(crate) fn selected(&self, lens: &Lens) -> Result<Vec<Arc<RunSummary>>, Error> {
        let entries = self.entries();
        self.summaries_for(lens, &compared(lens, &entries)?)
    }

    /// The same with values by location, whatever the question.
    pub(crate) fn selected_with_values(&self, lens: &Lens) -> Result<Vec<Arc<RunSummary>>, Error> {
        let entries = self.entries();
        self.summaries(&compared(lens, &entries)?, Tables::Values)
    }
}

/// The runs that a lens selects, when what it compares exists.
fn compared<'a>(lens: &Lens, entries: &'a [RunEntry]) -> Result<Vec<&'a RunEntry>, Error> {
    let all: Vec<&RunEntry> = entries.iter().collect();
    match &lens.compare {
        Compare::None => {}
        Compare::Target(run) => drop(select::side(&all, run)?),
        Compare::Diff { a, b } => {
            select::side(&all, a)?;
            select::side(&all, b)?;
        }
    }
    select::by_expression(entries, lens.runs.as_ref())
}

/// The lens with the metric that is meant where it names none: of call profiles, which have no work, the
/// time that most of them have.
pub(crate) fn with_main_metric<'a>(lens: &'a Lens, runs: &[Arc<RunSummary>]) -> Cow<'a, Lens> {
    // Looking at the metrics of every run is for those who name none.
    if lens.metric != Lens::default().metric {
        return Cow::Borrowed(lens);
    }
    match sheaf_analysis::main_metric(runs.iter().map(AsRef::as_ref)) {
        Some(metric) if metric != lens.metric => Cow::Owned(Lens {
            metric,
            ..lens.clone()
        }),
        _ => Cow::Borrowed(lens),
    }
}

pub(crate) fn metric_names(summary: &RunSummary) -> Vec<String> {
    summary.metrics.rows().map(|metric| metric.name).collect()
}

fn metrics(summaries: &[Arc<RunSummary>]) -> Vec<MetricEntry> {
    let mut found = std::collections::BTreeMap::<String, MetricEntry>::new();
    for metric in summaries.iter().flat_map(|summary| summary.metrics.rows()) {
        let entry = found
            .entry(metric.name.clone())
            .or_insert_with(|| MetricEntry {
                definition: runs::definition(&metric.name),
                name: metric.name,
                unit: metric.unit,
                kind: metric.kind,
                direction: metric.direction,
                source: metric.source,
                runs: 0,
            });
        entry.runs += 1;
    }
    found.into_values().collect()
}

/// One total per run; absent everywhere when no run has the lens's metric, since a run table
/// must show runs that have nothing else in common.
pub(crate) fn totals(
    lens: &Lens,
    summaries: &[Arc<RunSummary>],
    progress: &Progress,
) -> Result<Vec<Option<f64>>, Error> {
    let lens = with_main_metric(lens, summaries);
    let lens = Lens {
        level: Level::Module,
        operations: Vec::new(),
        ..lens.into_owned()
    };
    if summaries.len() <= TOTALS_AT_ONCE {
        return totals_at_once(&lens, summaries, progress);
    }
    let lens = Lens {
        by: Vec::new(),
        ..lens
    };
    let mut totals = Vec::with_capacity(summaries.len());
    for slice in summaries.chunks(TOTALS_AT_ONCE) {
        totals.extend(totals_at_once(&lens, slice, progress)?);
    }
    Ok(totals)
}

/// Runs whose totals are computed together: groups times runs are in memory.
const TOTALS_AT_ONCE: usize = 256;

fn totals_at_once(
    lens: &Lens,
    summaries: &[Arc<RunSummary>],
    progress: &Progress,
) -> Result<Vec<Option<f64>>, Error> {
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
