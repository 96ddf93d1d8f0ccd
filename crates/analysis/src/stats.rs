//! Distributions of groups over the runs of each cohort.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;
use sheaf_model::{Lens, Level, MetricKind, Progress, RunSummary, Scope};

use crate::answer::{SharedBins, StatsAnswer, StatsRow};
use crate::box_plot::{box_plot, modes};
use crate::cells::Lanes;
use crate::cohort::{Cohort, cohorts};
use crate::error::Error;
use crate::group_values::GroupValues;
use crate::groups::{Grouping, Reentry};
use crate::histogram::Histogram;
use crate::kernel::{ALL_METRICS, Ensemble, Question, State, partial};
use crate::metric::Metric;
use crate::partition::Partition;
use crate::reading::{Reading, greatest};
use crate::tree::EnsembleTree;
use sheaf_statistics::Sample;

/// Error of the interval of the median.
const ALPHA: f64 = 0.05;

/// Answers `lens` about `runs` with the distribution of each group over the runs of each cohort.
///
/// Metric `all` stands for every metric of any run. Groups are never left out for being small. A
/// module that is entered again further down a path is one group. Takes time linear in the rows
/// of the runs' totals and values, in parallel over runs.
///
/// ```
/// use std::sync::Arc;
/// use sheaf_analysis::stats;
/// use sheaf_model::{Lens, Progress, RunMeta, RunSummary};
/// let run = Arc::new(RunSummary::empty(RunMeta::new("sort", "trace")));
/// let error = stats(&Lens::default(), &[run], &Progress::silent()).unwrap_err();
/// assert_eq!(error.to_string(), "metric `work_ns` is in none of the runs; known are none");
/// ```
///
/// # Errors
/// When there are no runs, none has the metric or a parameter, an operation names what is not
/// there, or `progress` was cancelled.
pub fn stats(
    lens: &Lens,
    runs: &[Arc<RunSummary>],
    progress: &Progress,
) -> Result<StatsAnswer, Error> {
    finish_stats(lens, partial(lens, runs, progress)?, progress)
}

/// Finishes the answer of [`stats`] from the merged state of all runs.
///
/// # Errors
/// As for [`stats`].
pub fn finish_stats(lens: &Lens, state: State, progress: &Progress) -> Result<StatsAnswer, Error> {
    let ensemble = Ensemble::new(state)?;
    let cohorts = cohorts(ensemble.runs(), &lens.by)?;
    let grouping = Grouping::new(&ensemble.tree, lens, Reentry::Merged)?;
    let partition = Partition::new(&ensemble.tree, grouping.group_of.clone(), grouping.len());
    let mut rows = Vec::new();
    let mut notes = Vec::new();
    for (number, wanted) in wanted(lens, &ensemble).iter().enumerate() {
        progress.report("computing distributions", number as u64, None);
        let question = ensemble.question(wanted)?;
        let table = Table {
            values: GroupValues::new(&ensemble, &question, &partition, lens.over, progress)?,
            balances: balances(&ensemble, &question, &partition, lens.scope, progress)?,
            metric: &question.metric,
            grouping: &grouping,
            tree: &ensemble.tree,
            lens,
        };
        rows.extend(table.rows(&cohorts));
        notes.extend(question.notes);
    }
    notes.extend(grouping.notes);
    // Several metrics can have the same to say.
    let mut said = BTreeSet::new();
    notes.retain(|note| said.insert(note.clone()));
    Ok(StatsAnswer {
        lens: lens.clone(),
        runs: ensemble.run_ids(),
        grouped_by: grouping.grouped_by,
        rows,
        notes,
    })
}

fn wanted(lens: &Lens, ensemble: &Ensemble) -> Vec<String> {
    let names = ensemble.metric_names();
    let is_all = lens.metric == ALL_METRICS && !names.contains(&lens.metric);
    if is_all && !names.is_empty() {
        names
    } else {
        vec![lens.metric.clone()]
    }
}

/// Mean worker divided by greatest worker, run by run and group by group.
fn balances(
    ensemble: &Ensemble,
    question: &Question,
    partition: &Partition,
    scope: Scope,
    progress: &Progress,
) -> Result<Vec<Vec<Option<f64>>>, Error> {
    (0..ensemble.num_runs())
        .into_par_iter()
        .map(|run| {
            progress.check()?;
            let view = ensemble.view(question, run);
            let is_known =
                question.metric.kind != MetricKind::Intensive && !view.run.values.is_empty();
            if !is_known {
                return Ok(vec![None; partition.groups]);
            }
            let sums = view.values_by(Lanes::Workers).sums(partition);
            let sums = match scope {
                Scope::Exclusive => &sums.exclusive,
                Scope::Inclusive => &sums.inclusive,
            };
            let balance = |group: usize| {
                let workers = Sample::new(sums.lanes(group)?.into_iter().flatten());
                // Of values below zero a share says nothing.
                workers.min().filter(|&least| least >= 0.0)?;
                workers.load_balance()
            };
            Ok((0..partition.groups).map(balance).collect())
        })
        .collect()
}

/// One metric of every group.
struct Table<'a> {
    values: GroupValues,
    balances: Vec<Vec<Option<f64>>>,
    metric: &'a Metric,
    grouping: &'a Grouping,
    tree: &'a EnsembleTree,
    lens: &'a Lens,
}

impl Table<'_> {
    fn rows(&self, cohorts: &[Cohort]) -> Vec<StatsRow> {
        let groups = self.order();
        groups
            .into_par_iter()
            .flat_map_iter(|group| {
                let bins = self.bins(group, cohorts);
                let rows = cohorts.iter().zip(bins);
                rows.map(move |(cohort, bins)| self.row(group, cohort, bins))
            })
            .collect()
    }

    /// Histograms of a group's runs in every cohort, with the same bins.
    fn bins(&self, number: usize, cohorts: &[Cohort]) -> Vec<Option<SharedBins>> {
        let readings = self.values.of(self.lens.scope, number);
        let all = readings.iter().map(|reading| reading.value());
        let shared = Histogram::new(all, self.lens.bins);
        let counts = |cohort: &Cohort| {
            let mut counts = vec![0; shared.counts.len()];
            let bins = cohort.runs.iter().filter_map(|&run| shared.bin_of[run]);
            bins.for_each(|bin| counts[bin as usize] += 1);
            counts.iter().any(|&count| count > 0).then_some(SharedBins {
                lo: shared.min,
                hi: shared.max,
                counts,
            })
        };
        cohorts.iter().map(counts).collect()
    }

    /// Groups in the order of the answer: contexts in pre-order, others by descending value.
    fn order(&self) -> Vec<usize> {
        let groups = &self.grouping.groups;
        let mut order: Vec<usize> = (0..groups.len())
            .filter(|&group| groups[group].is_visible)
            .collect();
        if self.lens.level != Level::Context {
            let weight =
                |group: usize| greatest(self.values.of(self.lens.scope, group).iter().copied());
            order.sort_by(|&a, &b| {
                weight(b)
                    .total_cmp(&weight(a))
                    .then_with(|| groups[a].name.cmp(&groups[b].name))
                    .then_with(|| groups[a].id.cmp(&groups[b].id))
            });
        }
        order
    }

    fn row(&self, number: usize, cohort: &Cohort, bins: Option<SharedBins>) -> StatsRow {
        let group = &self.grouping.groups[number];
        let readings = self.values.of(self.lens.scope, number);
        let in_cohort = || cohort.runs.iter().map(|&run| readings[run]);
        let values = Sample::new(in_cohort().filter_map(Reading::value));
        let count_of =
            |wanted: Reading| in_cohort().filter(|&reading| reading == wanted).count() as u64;
        let is_valued = |&&run: &&usize| readings[run].value().is_some();
        let runs = || cohort.runs.iter().filter(is_valued);
        StatsRow {
            path: match self.lens.level {
                Level::Context => self.tree.path(group.first_node),
                Level::Module | Level::Definition => vec![group.name.to_string()],
            },
            group: group.id.clone(),
            cohort: cohort.values.clone(),
            metric: self.metric.name.clone(),
            source_metric: self.metric.source.clone(),
            scope: self.lens.scope,
            unit: self.metric.unit.clone(),
            runs: values.len() as u64,
            absent: count_of(Reading::Absent),
            not_measured: count_of(Reading::NotMeasured),
            count: runs()
                .map(|&run| self.values.count(self.lens.scope, number, run))
                .sum(),
            mean: values.mean(),
            median: values.median(),
            std: values.standard_deviation(),
            min: values.min(),
            max: values.max(),
            q1: values.quantile(0.25),
            q3: values.quantile(0.75),
            p05: values.quantile(0.05),
            p95: values.quantile(0.95),
            mad: values.median_absolute_deviation(),
            median_interval: values
                .median_interval(ALPHA)
                .map(|interval| [interval.low, interval.high]),
            box_plot: box_plot(
                &values,
                runs().filter_map(|&run| {
                    Some((readings[run].value()?, self.tree.runs()[run].meta.id))
                }),
            ),
            modes: modes(&values),
            histogram: bins,
            load_balance: Sample::new(runs().filter_map(|&run| self.balances[run][number])).mean(),
            share: self.share(readings, cohort),
        }
    }

    fn share(&self, readings: &[Reading], cohort: &Cohort) -> Option<f64> {
        if self.metric.kind == MetricKind::Intensive {
            return None;
        }
        let share = |&run: &usize| {
            let total = self.values.totals()[run]
                .value()
                .filter(|total| *total > 0.0)?;
            Some(readings[run].value()? / total)
        };
        Sample::new(cohort.runs.iter().filter_map(share)).mean()
    }
}
