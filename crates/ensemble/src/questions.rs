//! Every question that a lens can ask.

use std::borrow::Cow;
use std::sync::Arc;

use sheaf_analysis::grain_stats::GrainStats;
use sheaf_analysis::{DistributionQuestion, LayoutOptions, LocationsQuestion};
use sheaf_answers::{
    Diff, Distribution, DistributionMode, Hierarchy, Locations, RunFact, Sankey, Stats,
};
use sheaf_compare::diff::{Comparison, DiffOptions, DiffSelection, finish_diff};
use sheaf_model::table::{Grains, Metrics};
use sheaf_model::{Compare, Lens, RunId, RunSelector, RunSummary};

use crate::cache::Tables;
use crate::orders::GrainFacts;
use crate::runs::RunEntry;
use crate::view::check_paths;
use crate::{Error, View, complete, select};

impl View<'_> {
    /// Distributions of groups over the runs of each cohort; `metric all` asks for every metric.
    ///
    /// # Errors
    /// When the lens selects nothing or names what is not there, or the store cannot be read.
    pub fn stats(&self, lens: &Lens) -> Result<Stats, Error> {
        // Values alone show how evenly workers share the load.
        let entries = self.entries();
        let chosen = complete::describing(lens, &entries)?;
        let runs = self.summaries(&chosen.runs, Tables::Values)?;
        let lens = &with_main_metric(lens, &runs);
        let mut answer = sheaf_analysis::stats(lens, &runs, &self.progress)?;
        answer.notes.splice(0..0, chosen.note(None));
        Ok(answer)
    }

    /// Distributions of groups over the grains of the runs of each cohort: exact, for drawing, never for
    /// tests. Reads two columns of the runs' tables of grains.
    ///
    /// # Errors
    /// As for [`View::stats`], and when no run has grains or the metric is none of theirs.
    pub fn grain_stats(&self, lens: &Lens) -> Result<Stats, Error> {
        let entries = self.entries();
        let chosen = complete::describing(lens, &entries)?;
        let selected = &chosen.runs;
        if let Some(run) = selected.first()
            && selected.iter().all(|run| run.grains.is_none())
        {
            return Err(Error::NoGrains {
                run: run.meta.name.clone(),
            });
        }
        let runs = self.summaries(selected, Tables::Totals)?;
        let question = GrainStats::new(&with_main_metric(lens, &runs), &runs, &self.progress)?;
        let (ids, columns) = (question.runs(), question.columns());
        let parts = self
            .snapshot
            .scan(&ids, Grains::NAME, &columns, |run, batch| {
                question.part(run, batch)
            })?;
        let mut answer = question.finish(&parts, &self.progress)?;
        answer.notes.splice(0..0, chosen.note(None));
        Ok(answer)
    }

    /// Values of groups by rank or worker, run by run; of the first `most_runs` by name.
    ///
    /// # Errors
    /// As for [`View::stats`], when there are too many values, and when no run or column is asked for.
    pub fn locations(
        &self,
        lens: &Lens,
        question: &LocationsQuestion,
        most_runs: Option<usize>,
    ) -> Result<Locations, Error> {
        if most_runs == Some(0) {
            return Err(Error::from(sheaf_analysis::Error::OutOfRange {
                name: "runs",
                value: "0".to_owned(),
                wanted: "a number of runs from 1, such as `50`",
            }));
        }
        let entries = self.entries();
        let chosen = complete::describing(lens, &entries)?;
        let mut selected = chosen.runs.clone();
        let count = selected.len();
        if let Some(most) = most_runs {
            selected.sort_by(|a, b| (&a.meta.name, a.meta.id).cmp(&(&b.meta.name, b.meta.id)));
            selected.truncate(most);
        }
        let runs = self.summaries(&selected, Tables::Values)?;
        let lens = &with_main_metric(lens, &runs);
        let mut answer = sheaf_analysis::locations(lens, question, &runs, &self.progress)?;
        answer.notes.splice(0..0, chosen.note(None));
        if selected.len() < count {
            let (shown, of) = (selected.len() as u64, count as u64);
            answer
                .notes
                .push(RunFact::FirstRunsShown { shown, of }.into());
        }
        Ok(answer)
    }

    /// The ensemble-Sankey, laid out.
    ///
    /// # Errors
    /// As for [`View::stats`].
    pub fn sankey(&self, lens: &Lens, layout: &LayoutOptions) -> Result<Sankey, Error> {
        let entries = self.entries();
        let chosen = complete::describing(lens, &entries)?;
        let runs = self.summaries_for(lens, &chosen.runs)?;
        let lens = &with_main_metric(lens, &runs);
        let mut answer = sheaf_analysis::sankey(lens, &runs, layout, &self.progress)?;
        answer.notes.splice(0..0, chosen.note(None));
        Ok(answer)
    }

    /// The tree of contexts inside a group.
    ///
    /// # Errors
    /// As for [`View::stats`], and when there is no such group.
    pub fn hierarchy(&self, lens: &Lens, group: &str) -> Result<Hierarchy, Error> {
        let entries = self.entries();
        let chosen = complete::describing(lens, &entries)?;
        let runs = self.summaries_for(lens, &chosen.runs)?;
        let lens = &with_main_metric(lens, &runs);
        let mut answer = sheaf_analysis::hierarchy(lens, group, &runs, &self.progress)?;
        answer.notes.splice(0..0, chosen.note(None));
        Ok(answer)
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
    ) -> Result<Distribution, Error> {
        let entries = self.entries();
        let chosen = complete::describing(lens, &entries)?;
        let selected = chosen.runs.as_slice();
        let mut question = DistributionQuestion::new(group, mode);
        let ids = |runs: Vec<&RunEntry>| runs.iter().map(|run| run.meta.id).collect();
        match &lens.compare {
            Compare::None => {}
            Compare::Target(run) => question.target = ids(select::side(selected, run)?),
            Compare::Diff { a, b } => {
                question.baseline = ids(select::side(selected, a)?);
                question.target = ids(select::side(selected, b)?);
            }
        }
        let tables = match mode {
            DistributionMode::Ranks | DistributionMode::Workers => Tables::Values,
            DistributionMode::Runs | DistributionMode::CallSites => Tables::Totals,
        };
        let runs = match tables {
            Tables::Totals => self.summaries_for(lens, selected)?,
            Tables::Values => self.summaries(selected, tables)?,
        };
        let lens = &with_main_metric(lens, &runs);
        let mut answer = sheaf_analysis::distribution(lens, &question, &runs, &self.progress)?;
        answer.notes.splice(0..0, chosen.note(None));
        Ok(answer)
    }

    /// Difference of the two sides of the lens's `diff` clause, out of the runs that it selects.
    ///
    /// # Errors
    /// As for [`View::stats`], when the lens has no two sides or one of them is empty, and when the store's
    /// mapping cannot be understood.
    pub fn diff(&self, lens: &Lens) -> Result<Diff, Error> {
        let Compare::Diff { a, b } = &lens.compare else {
            return Err(Error::NoSides);
        };
        let entries = self.entries();
        let (sides, notes) = complete::comparable_sides(lens, &entries, [a, b])?;
        let options = DiffOptions::default();
        let mut found = self.diff_of(lens, [a, b], &sides, &options)?;
        found.note_elapsed(&options);
        let mut answer = found.answer;
        answer.notes.splice(0..0, notes);
        Ok(answer)
    }

    /// Difference of two sides, baseline first.
    pub(crate) fn diff_of(
        &self,
        lens: &Lens,
        names: [&RunSelector; 2],
        sides: &[Vec<&RunEntry>; 2],
        options: &DiffOptions,
    ) -> Result<Comparison, Error> {
        let mut compared: Vec<&RunEntry> = sides.concat();
        compared.sort_by_key(|run| run.meta.id);
        compared.dedup_by_key(|run| run.meta.id);
        let ids: Vec<RunId> = compared.iter().map(|run| run.meta.id).collect();
        self.snapshot.check_files(&ids)?;
        let runs = self.summaries_for(lens, &compared)?;
        check_paths(lens, &runs)?;
        let with_metric = with_main_metric(lens, &runs);
        let state = sheaf_analysis::partial(&with_metric, &runs, &self.progress)?;
        let [of_a, of_b] = self.grain_facts(sides)?;
        let selection = |side: usize, known: GrainFacts| {
            let runs = sides[side].iter().map(|run| run.meta.id).collect();
            DiffSelection {
                orders: known.orders,
                iterations: known.iterations,
                ..DiffSelection::new(names[side].0.as_str(), runs)
            }
        };
        let selections = [selection(0, of_a), selection(1, of_b)];
        let mapping = self.ensemble.diff_mapping()?;
        let of_side = |side: usize| self.summaries(&sides[side], Tables::Totals);
        let [a, b] = [of_side(0)?, of_side(1)?];
        let notes = self.mapping_notes_of([&a, &b])?;
        let asked = &with_metric;
        let mut found = finish_diff(asked, state, &selections, options, mapping, &self.progress)?;
        found.answer.lens = lens.to_string();
        found.answer.notes.extend(notes);
        Ok(found)
    }
}

/// The lens with the metric that is meant where it names none: of call profiles, which have no work, the
/// time that most of them have.
pub(crate) fn with_main_metric<'a>(lens: &'a Lens, runs: &[Arc<RunSummary>]) -> Cow<'a, Lens> {
    with_main_metric_of(lens, runs.iter().map(|run| &run.metrics))
}

/// The same for runs of which only the metrics are in memory.
pub(crate) fn with_main_metric_of<'a, 'm>(
    lens: &'a Lens,
    metrics: impl Iterator<Item = &'m Metrics>,
) -> Cow<'a, Lens> {
    // Looking at the metrics of every run is for those who name none.
    if lens.metric != Lens::default().metric {
        return Cow::Borrowed(lens);
    }
    match sheaf_analysis::main_metric(metrics) {
        Some(metric) if metric != lens.metric => Cow::Owned(Lens {
            metric,
            ..lens.clone()
        }),
        _ => Cow::Borrowed(lens),
    }
}
