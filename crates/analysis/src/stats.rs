//! Distributions of groups over the runs of each cohort.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use rayon::prelude::*;
use sheaf_answers::{NamePaths, Note, SharedBins, Stats, StatsRow};
use sheaf_model::{Lens, Level, MetricKind, Progress, RunSummary, Scope};

use crate::box_plot::{box_plot, modes};
use crate::cohort::{Cohort, cohorts};
use crate::context_sums::LocationAxis;
use crate::error::Error;
use crate::group_values::GroupValues;
use crate::groups::{Group, Grouping, Reentry};
use crate::histogram::counts_of_sorted;
use crate::kernel::{ALL_METRICS, Question, State, UnifiedRuns, partial};
use crate::measurement::{Measurement, greatest};
use crate::metric::Metric;
use crate::partition::Partition;
use crate::tree::EnsembleTree;
use crate::unrecorded_loops::loops_in_some_runs;
use sheaf_statistics::{MedianRanks, Sample, mean};

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
pub fn stats(lens: &Lens, runs: &[Arc<RunSummary>], progress: &Progress) -> Result<Stats, Error> {
    finish_stats(lens, partial(lens, runs, progress)?, progress)
}

/// Finishes the answer of [`stats`] from the merged state of all runs.
///
/// # Errors
/// As for [`stats`].
pub fn finish_stats(lens: &Lens, state: State, progress: &Progress) -> Result<Stats, Error> {
    let ensemble = UnifiedRuns::new(state)?;
    let cohorts = cohorts(ensemble.runs(), &lens.by)?;
    let grouping = Grouping::new(&ensemble.tree, lens, Reentry::Merged)?;
    let partition = Partition::new(&ensemble.tree, grouping.group_of.clone(), grouping.len());
    let paths = match lens.level {
        Level::Context => ensemble.tree.name_paths(),
        Level::Module | Level::Definition => grouping.names(),
    };
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
            paths: &paths,
            tree: &ensemble.tree,
            lens,
        };
        rows.extend(table.rows(&cohorts, progress)?);
        notes.extend(question.notes);
    }
    notes.extend(grouping.notes);
    let loops = loops_in_some_runs(&ensemble.tree);
    notes.extend(loops.into_iter().map(Note::from));
    // Several metrics can have the same to say.
    Note::dedup(&mut notes);
    Ok(Stats {
        schema: "stats/1".to_owned(),
        lens: lens.to_string(),
        rows,
        notes,
    })
}

fn wanted(lens: &Lens, ensemble: &UnifiedRuns) -> Vec<String> {
    let names = ensemble.metric_names();
    let is_all = lens.metric == ALL_METRICS && !names.contains(&lens.metric);
    if is_all && !names.is_empty() {
        names
    } else {
        vec![lens.metric.clone()]
    }
}

/// Mean worker divided by greatest worker, run by run.
fn balances(
    ensemble: &UnifiedRuns,
    question: &Question,
    partition: &Partition,
    scope: Scope,
    progress: &Progress,
) -> Result<Vec<Balance>, Error> {
    (0..ensemble.num_runs())
        .into_par_iter()
        .map(|run| {
            progress.check()?;
            let view = ensemble.view(question, run);
            let is_intensive = question.metric.kind == MetricKind::Intensive;
            if is_intensive || view.run.values.is_empty() {
                return Ok(Balance::Unknown);
            }
            if view.run.locations.len() == 1 {
                return Ok(Balance::OneWorker);
            }
            let sums = view.values_by(LocationAxis::Workers).sums(partition);
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
            Ok(Balance::Workers(
                (0..partition.groups).map(balance).collect(),
            ))
        })
        .collect()
}

/// How evenly a run's values are spread over its workers.
enum Balance {
    Unknown,
    /// The worker is as good as the mean, in every group with a value.
    OneWorker,
    /// Group by group.
    Workers(Vec<Option<f64>>),
}

impl Balance {
    fn of(&self, group: usize, value: f64) -> Option<f64> {
        match self {
            Self::Unknown => None,
            Self::OneWorker => (value.is_finite() && value >= 0.0).then_some(1.0),
            Self::Workers(balances) => balances[group],
        }
    }
}

/// What rows of a cohort have in common.
struct OfCohort<'a> {
    cohort: &'a Cohort,
    /// Of the median, when all runs have a value.
    ranks: Option<MedianRanks>,
}

/// One metric of every group.
struct Table<'a> {
    values: GroupValues,
    balances: Vec<Balance>,
    metric: &'a Metric,
    grouping: &'a Grouping,
    paths: &'a NamePaths,
    tree: &'a EnsembleTree,
    lens: &'a Lens,
}

impl Table<'_> {
    fn rows(&self, cohorts: &[Cohort], progress: &Progress) -> Result<Vec<StatsRow>, Error> {
        let groups = self.order();
        let cohorts: Vec<OfCohort<'_>> = cohorts
            .iter()
            .map(|cohort| OfCohort {
                cohort,
                ranks: MedianRanks::new(cohort.runs.len(), ALPHA),
            })
            .collect();
        let rows = groups
            .into_par_iter()
            .map(|group| {
                progress.check()?;
                let samples = cohorts
                    .iter()
                    .map(|cohort| self.sample(group, cohort.cohort));
                let samples: Vec<Sample> = samples.collect();
                let bins = self.bins(&samples);
                let rows: Vec<StatsRow> = cohorts
                    .iter()
                    .zip(samples.iter().zip(bins))
                    .map(|(cohort, (values, bins))| self.row(group, cohort, values, bins))
                    .collect();
                Ok(rows)
            })
            .collect::<Result<Vec<Vec<StatsRow>>, Error>>()?;
        Ok(rows.into_iter().flatten().collect())
    }

    /// Values of a group over the runs of a cohort.
    fn sample(&self, group: usize, cohort: &Cohort) -> Sample {
        let measurements = self.values.of(self.lens.scope, group);
        let runs = cohort.runs.iter();
        Sample::new(runs.filter_map(|&run| measurements[run].value()))
    }

    /// Histograms of a group's runs in every cohort, with the same bins.
    fn bins(&self, samples: &[Sample]) -> Vec<Option<SharedBins>> {
        let ends = samples
            .iter()
            .filter_map(|sample| sample.min().zip(sample.max()));
        let ends = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        let shared = |sample: &Sample| {
            let (lo, hi) = ends.filter(|_| !sample.is_empty())?;
            let counts = counts_of_sorted(sample.values(), lo, hi, self.lens.bins);
            Some(SharedBins { lo, hi, counts })
        };
        samples.iter().map(shared).collect()
    }

    /// Groups in the order of the answer: contexts in pre-order, others by descending value.
    fn order(&self) -> Vec<usize> {
        let groups = &self.grouping.groups;
        let mut order: Vec<usize> = (0..groups.len())
            .filter(|&group| groups[group].is_visible)
            .collect();
        if self.lens.level != Level::Context {
            // Finding a weight takes a look at every run.
            let weight =
                |group: usize| greatest(self.values.of(self.lens.scope, group).iter().copied());
            let weights: Vec<f64> = (0..groups.len()).map(weight).collect();
            order.sort_by(|&a, &b| {
                weights[b]
                    .total_cmp(&weights[a])
                    .then_with(|| groups[a].name.cmp(&groups[b].name))
                    .then_with(|| groups[a].id.cmp(&groups[b].id))
            });
        }
        order
    }

    fn row(
        &self,
        number: usize,
        OfCohort { cohort, ranks }: &OfCohort<'_>,
        values: &Sample,
        bins: Option<SharedBins>,
    ) -> StatsRow {
        let group = &self.grouping.groups[number];
        let measurements = self.values.of(self.lens.scope, number);
        let in_cohort = || cohort.runs.iter().map(|&run| measurements[run]);
        let count_of = |wanted: Measurement| {
            in_cohort()
                .filter(|&measurement| measurement == wanted)
                .count() as u64
        };
        let is_whole = values.len() == cohort.runs.len();
        let ranks = ranks.filter(|_| is_whole);
        let ranks = ranks.or_else(|| MedianRanks::new(values.len(), ALPHA));
        let measured = || {
            let runs = cohort.runs.iter();
            runs.filter_map(|&run| Some((run, measurements[run].value()?)))
        };
        let mean = values.mean();
        StatsRow {
            path: match self.lens.level {
                Level::Context => self.paths.to(group.first_node),
                Level::Module | Level::Definition => self.paths.to(number),
            },
            group: group.id.to_string(),
            cohort: cohort.values.clone(),
            metric: self.metric.name.clone(),
            source_metric: self.metric.source.clone(),
            label: self.metric.label.clone(),
            estimated: self.metric.estimated_in > 0,
            scope: self.lens.scope,
            unit: self.metric.unit.clone(),
            runs: values.len() as u64,
            absent: if is_whole {
                0
            } else {
                count_of(Measurement::Absent)
            },
            not_measured: if is_whole {
                0
            } else {
                count_of(Measurement::NotMeasured)
            },
            count: measured()
                .map(|(run, _)| self.values.count(self.lens.scope, number, run))
                .sum(),
            mean,
            median: values.median(),
            std: mean.and_then(|mean| values.deviation_from(mean)),
            min: values.min(),
            max: values.max(),
            q1: values.quantile(0.25),
            q3: values.quantile(0.75),
            p05: values.quantile(0.05),
            p95: values.quantile(0.95),
            mad: values.median_absolute_deviation(),
            median_ci: ranks
                .and_then(|ranks| ranks.interval(values))
                .map(|interval| [interval.low, interval.high]),
            box_plot: box_plot(
                values,
                measured().map(|(run, value)| (value, self.tree.runs()[run].meta.id)),
                |run| run.to_string(),
            ),
            modes: modes(values),
            histogram: bins,
            load_balance: self.load_balance(number, measured()),
            share: self.share(group, measured()),
            outside: group.is_outside,
        }
    }

    /// Mean over runs.
    fn load_balance(
        &self,
        group: usize,
        measured: impl Iterator<Item = (usize, f64)>,
    ) -> Option<f64> {
        let balance = |(run, value): (usize, f64)| self.balances[run].of(group, value);
        mean(measured.filter_map(balance))
    }

    /// Mean over runs of the share of values inside of regions.
    fn share(&self, group: &Group, measured: impl Iterator<Item = (usize, f64)>) -> Option<f64> {
        if self.metric.kind == MetricKind::Intensive || group.is_outside {
            return None;
        }
        let share = |(run, value): (usize, f64)| {
            let total = self.values.inside()[run].value()?;
            (total > 0.0).then(|| value / total)
        };
        mean(measured.filter_map(share))
    }
}
