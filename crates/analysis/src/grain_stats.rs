//! Distributions over the grains of many runs, group by group: exact, straight from stored columns.
//!
//! Grains of one run share the machine's state, so these are for drawing, never for tests. What is read
//! is two columns; values are kept in four bytes where these are enough, and each group is then passed
//! over twice: sums and a coarse histogram of 64 buckets per power of two say where the quartiles lie, of
//! whose buckets alone the values are collected. All sums are integers, so that neither the order of runs
//! and rows nor the number of threads matters, to the bit.

mod group;
#[cfg(test)]
mod tests;
mod values;

use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::{Int32Type, Int64Type};
use rayon::prelude::*;
use sheaf_answers::{MetricFact, NamePaths, SharedBins, Stats, StatsRow};
use sheaf_model::{Lens, Level, LocationAggregate, Progress, RunId, RunSummary, Scope, names};

use crate::cohort::{Cohort, cohorts};
use crate::error::Error;
use crate::groups::{Grouping, Reentry};
use crate::kernel::{Question, UnifiedRuns, partial};
use crate::tree::NONE;
pub use group::GrainStatistics;
pub use values::GrainValues;
use values::Slice;

/// A question to the grains of many runs: which value of which grain counts for which row of the answer.
///
/// Make it, hand every part of the runs' tables of grains to [`GrainStats::part`], in any order and from
/// any thread, and [`finish`](GrainStats::finish).
pub struct GrainStats {
    lens: Lens,
    ensemble: UnifiedRuns,
    question: Question,
    grouping: Grouping,
    paths: NamePaths,
    /// Whether each group occurs in each run.
    occurs: Vec<Vec<bool>>,
    cohorts: Vec<Cohort>,
    column: &'static str,
    /// Row of the answer that each context of each run counts for.
    rows_of: Vec<Vec<u32>>,
}

impl GrainStats {
    /// Prepares the answer of `lens` about `runs`: its groups, cohorts, metric and bins count.
    ///
    /// # Errors
    /// As for [`stats`](crate::stats), and when the metric is none of single grains.
    pub fn new(lens: &Lens, runs: &[Arc<RunSummary>], progress: &Progress) -> Result<Self, Error> {
        let lens = Lens {
            scope: Scope::Exclusive,
            over: LocationAggregate::RanksSum,
            ..lens.clone()
        };
        let ensemble = UnifiedRuns::new(partial(&lens, runs, progress)?)?;
        let question = ensemble.question(&lens.metric)?;
        let column = column_of(&question.metric.name)?;
        let cohorts = cohorts(ensemble.runs(), &lens.by)?;
        let grouping = Grouping::new(&ensemble.tree, &lens, Reentry::Merged)?;
        let paths = match lens.level {
            Level::Context => ensemble.tree.name_paths(),
            Level::Module | Level::Definition => grouping.names(),
        };
        let occurs = (0..ensemble.num_runs()).map(|run| {
            let mut occurs = vec![false; grouping.len()];
            for node in ensemble.tree.nodes_of_run(run) {
                if let Some(slot) = occurs.get_mut(grouping.group_of[*node as usize] as usize) {
                    *slot = true;
                }
            }
            occurs
        });
        let occurs = occurs.collect();
        let mut cohort_of = vec![NONE; ensemble.num_runs()];
        for (number, cohort) in (0_u32..).zip(&cohorts) {
            for &run in &cohort.runs {
                cohort_of[run] = number;
            }
        }
        let num_cohorts = u32::try_from(cohorts.len()).unwrap_or(NONE);
        let place = |run: usize, node: &u32| match grouping.group_of[*node as usize] {
            NONE => NONE,
            group => group * num_cohorts + cohort_of[run],
        };
        let rows_of = (0..ensemble.num_runs()).map(|run| {
            let nodes = ensemble.tree.nodes_of_run(run).iter();
            nodes.map(|node| place(run, node)).collect()
        });
        Ok(Self {
            rows_of: rows_of.collect(),
            lens,
            question,
            grouping,
            paths,
            occurs,
            cohorts,
            column,
            ensemble,
        })
    }

    /// The runs, by name, then id; parts are numbered by their places here.
    pub fn runs(&self) -> Vec<RunId> {
        self.ensemble.run_ids()
    }

    /// Columns of the table of grains that parts need.
    pub fn columns(&self) -> [&'static str; 2] {
        ["context", self.column]
    }

    /// Takes in some rows of a run's table of grains. Linear.
    pub fn part(&self, run: usize, grains: &RecordBatch) -> GrainValues {
        let contexts = grains
            .column_by_name("context")
            .and_then(|column| column.as_primitive_opt::<Int32Type>());
        let values = grains
            .column_by_name(self.column)
            .and_then(|column| column.as_primitive_opt::<Int64Type>());
        match (contexts, values, self.rows_of.get(run)) {
            (Some(contexts), Some(values), Some(rows_of)) => {
                GrainValues::of(contexts.values(), values, rows_of)
            }
            _ => GrainValues::default(),
        }
    }

    /// The answer, from all parts with the place of their run, in order of these. Groups without grains are
    /// left out. Linear, in parallel over groups.
    ///
    /// # Errors
    /// When `progress` was cancelled.
    pub fn finish(
        self,
        parts: &[(usize, GrainValues)],
        progress: &Progress,
    ) -> Result<Stats, Error> {
        let rows = self.grouping.len() * self.cohorts.len();
        let (slices, runs) = by_row(parts, rows);
        let statistics: Vec<Option<GrainStatistics>> = slices
            .into_par_iter()
            .map(|slices| {
                progress.check()?;
                Ok(GrainStatistics::of(&slices, self.lens.bins))
            })
            .collect::<Result<_, Error>>()?;
        let totals: Vec<i128> = (0..self.cohorts.len())
            .map(|cohort| {
                let of_cohort = statistics.iter().skip(cohort).step_by(self.cohorts.len());
                of_cohort.flatten().map(|it| it.sum).sum()
            })
            .collect();
        let order = self.order(&statistics);
        let mut answer = Vec::new();
        for group in order {
            progress.check()?;
            for (number, cohort) in self.cohorts.iter().enumerate() {
                let row = group * self.cohorts.len() + number;
                if let Some(found) = &statistics[row] {
                    answer.push(self.row(group, cohort, found, runs[row], totals[number]));
                }
            }
        }
        let grains: u64 = statistics.iter().flatten().map(|it| it.count).sum();
        let runs = self.ensemble.num_runs() as u64;
        let mut notes = vec![MetricFact::GrainsDrawn { grains, runs }.into()];
        notes.extend(self.question.notes);
        notes.extend(self.grouping.notes);
        Ok(Stats {
            schema: "stats/1".to_owned(),
            lens: self.lens.to_string(),
            rows: answer,
            notes,
        })
    }

    /// Groups in the order of the answer: contexts in pre-order, others by descending sum.
    fn order(&self, statistics: &[Option<GrainStatistics>]) -> Vec<usize> {
        let groups = &self.grouping.groups;
        let mut order: Vec<usize> = (0..groups.len())
            .filter(|&group| groups[group].is_visible)
            .collect();
        if self.lens.level != Level::Context {
            let cohorts = self.cohorts.len();
            let sum = |group: usize| -> i128 {
                let own = &statistics[group * cohorts..(group + 1) * cohorts];
                own.iter().flatten().map(|it| it.sum).sum()
            };
            order.sort_by(|&a, &b| {
                let sums = sum(b).cmp(&sum(a));
                sums.then_with(|| groups[a].name.cmp(&groups[b].name))
                    .then_with(|| groups[a].id.cmp(&groups[b].id))
            });
        }
        order
    }

    fn row(
        &self,
        number: usize,
        cohort: &Cohort,
        found: &GrainStatistics,
        runs: u64,
        total: i128,
    ) -> StatsRow {
        let group = &self.grouping.groups[number];
        let occurs = |run: &&usize| self.occurs[**run][number];
        let present = cohort.runs.iter().filter(occurs).count() as u64;
        let metric = &self.question.metric;
        StatsRow {
            path: match self.lens.level {
                Level::Context => self.paths.to(group.first_node),
                Level::Module | Level::Definition => self.paths.to(number),
            },
            group: group.id.to_string(),
            cohort: cohort.values.clone(),
            metric: metric.name.clone(),
            source_metric: metric.source.clone(),
            label: metric.label.clone(),
            estimated: metric.estimated_in > 0,
            scope: Scope::Exclusive,
            unit: metric.unit.clone(),
            runs,
            absent: cohort.runs.len() as u64 - present,
            not_measured: present.saturating_sub(runs),
            count: found.count,
            mean: Some(found.mean()),
            median: Some(found.quartiles[1]),
            std: found.standard_deviation(),
            min: Some(found.min as f64),
            max: Some(found.max as f64),
            q1: Some(found.quartiles[0]),
            q3: Some(found.quartiles[2]),
            p05: None,
            p95: None,
            mad: None,
            median_ci: None,
            box_plot: None,
            modes: None,
            histogram: Some(SharedBins {
                lo: found.min as f64,
                hi: found.max as f64,
                counts: found.bins.clone(),
            }),
            load_balance: None,
            share: (total > 0).then(|| found.sum as f64 / total as f64),
            outside: group.is_outside,
        }
    }
}

/// The column of the table of grains that holds a metric.
fn column_of(metric: &str) -> Result<&'static str, Error> {
    let stem = metric
        .strip_suffix("_ns")
        .or_else(|| metric.strip_suffix("_ticks"));
    let is_of = |name: &str| stem == name.strip_suffix("_ns");
    let known = [
        (names::WORK, "work"),
        (names::CREATION, "creation"),
        (names::WAITING, "waiting"),
    ];
    let found = known.iter().find(|(name, _)| is_of(name));
    found
        .map(|(_, column)| *column)
        .ok_or_else(|| Error::NotOfGrains {
            metric: metric.to_owned(),
        })
}

/// Slices of each row of the answer, and in how many runs it has values.
fn by_row(parts: &[(usize, GrainValues)], rows: usize) -> (Vec<Vec<Slice<'_>>>, Vec<u64>) {
    let mut slices: Vec<Vec<Slice<'_>>> = vec![Vec::new(); rows];
    let mut runs = vec![0; rows];
    let mut last = vec![usize::MAX; rows];
    for (run, part) in parts {
        for stretch in &part.stretches {
            let row = stretch.group as usize;
            let Some(slices) = slices.get_mut(row) else {
                continue;
            };
            slices.push(part.slice(stretch));
            if last[row] != *run {
                last[row] = *run;
                runs[row] += 1;
            }
        }
    }
    (slices, runs)
}
