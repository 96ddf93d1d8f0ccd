//! What every run says of itself: its time, its work, the sums of its groups.

use rayon::prelude::*;
use sheaf_answers::{Note, Reason, ScaleFact, Why};
use sheaf_model::table::MetricRow;
use sheaf_model::{Direction, Lens, LocationAggregate, Progress, RunSummary, Scope, names};

use super::division::is_name_of_workers;
use super::groups::Groups;
use super::question::ScaleQuestion;
use crate::context_sums::LocationAxis;
use crate::error::Error;
use crate::group_values::GroupValues;
use crate::kernel::{Question, State, UnifiedRuns};
use crate::measurement::Measurement;
use crate::metric::Metric;
use crate::partition::Partition;

/// One run.
#[derive(Debug, Clone, Default)]
pub(super) struct RunMeasure {
    /// Elapsed time, or the metric's total as one value.
    pub(super) value: Option<f64>,
    /// Workers that the time is that of; ranks, of profiles that are aggregated over ranks.
    pub(super) workers: Option<i64>,
    /// Work of all workers, without communication.
    pub(super) work: Option<f64>,
    /// The same without time in which workers had no processor: work that grows by that is inflation.
    pub(super) processor_work: Option<f64>,
    /// Work of each worker.
    pub(super) useful: Vec<f64>,
    /// Sums over all locations of the halves of groups; `None` where a group does not occur.
    pub(super) sums: Vec<Option<f64>>,
    /// Tasks and chunks.
    pub(super) grains: i64,
    /// Processors of the machine.
    pub(super) processors: Option<f64>,
}

/// All runs.
#[derive(Debug)]
pub(super) struct Measured {
    pub(super) metric: Metric,
    /// Whether values are elapsed times.
    pub(super) is_elapsed: bool,
    /// Whether values are means or extremes over ranks, which do not add up to the work of all.
    pub(super) is_over_ranks: bool,
    /// Whether values are times at all.
    pub(super) is_time: bool,
    pub(super) runs: Vec<RunMeasure>,
    /// Values of groups as the lens aggregates them over locations.
    pub(super) values: GroupValues,
}

impl Measured {
    /// Why the kind of scaling must be given, if it must.
    pub(super) fn unknown_kind(&self, asked: &ScaleQuestion) -> Option<Reason> {
        let is_unknown = self.is_over_ranks && asked.kind.is_none();
        let metric = || self.metric.name.clone();
        is_unknown.then(|| Why::KindOfScalingUnknown { metric: metric() }.into())
    }
}

pub(super) fn read(
    lens: &Lens,
    asked: &ScaleQuestion,
    state: State,
    progress: &Progress,
) -> Result<(Groups, Measured, Vec<Note>), Error> {
    let ensemble = UnifiedRuns::new(state)?;
    let question = ensemble.question(&lens.metric)?;
    UnifiedRuns::require_additive(&question)?;
    let groups = Groups::new(ensemble.tree.clone(), lens)?;
    let mut notes = [question.notes.clone(), groups.grouping.notes.clone()].concat();
    let whole = Partition::new(
        &ensemble.tree,
        groups.grouping.group_of.clone(),
        groups.len(),
    );
    let values = GroupValues::new(&ensemble, &question, &whole, lens.over, progress)?;
    let is_elapsed = is_elapsed(&ensemble, &question);
    let halves = groups.halves(!is_elapsed, &asked.parts);
    let is_over_ranks = is_over_ranks(&question.metric);
    let reader = Reader {
        is_over_ranks,
        ensemble: &ensemble,
        question: &question,
        halves: &halves,
        over: lens.over,
        is_elapsed,
        has_one_lane: !is_elapsed && has_one_lane(&ensemble, &asked.by),
        totals: values.totals(),
    };
    let runs = (0..ensemble.num_runs())
        .into_par_iter()
        .map(|run| {
            progress.check()?;
            Ok(reader.run(run))
        })
        .collect::<Result<Vec<_>, Error>>()?;
    let measured = Measured {
        is_elapsed,
        is_over_ranks,
        is_time: is_elapsed || is_scaling_time(&question.metric),
        metric: question.metric,
        runs,
        values,
    };
    if measured.is_elapsed {
        let metric = measured.metric.name.clone();
        notes.push(ScaleFact::ElapsedTimes { metric }.into());
    } else if !measured.is_time {
        let no_time = ScaleFact::NotATime {
            metric: measured.metric.name.clone(),
            parameter: asked.by.clone(),
        };
        notes.push(no_time.into());
    }
    let unknown = measured.unknown_kind(asked);
    notes.extend(unknown.map(|reason| Note::from(reason.why)));
    Ok((groups, measured, notes))
}

/// Whether a source computed a metric over ranks, as Caliper does: `avg#…`, `max#…`, `Avg time/rank`.
fn is_over_ranks(metric: &Metric) -> bool {
    let source = metric.source.as_deref().unwrap_or_default();
    let source = source.to_lowercase();
    ["avg", "max", "min"].iter().any(|word| {
        let rest = [source.as_str(), &metric.name].map(|name| name.strip_prefix(word));
        rest.into_iter()
            .flatten()
            .any(|rest| rest.starts_with(['#', '_', ' ']))
    })
}

/// Whether the metric is the work of grains, and runs say how long they took in its unit.
fn is_elapsed(ensemble: &UnifiedRuns, question: &Question) -> bool {
    let metric = &question.metric;
    let has_elapsed = |run: &std::sync::Arc<RunSummary>| {
        run.meta.elapsed.is_some() && run.meta.time_unit.to_string() == metric.unit
    };
    names::is_work(&metric.name) && ensemble.runs().iter().any(has_elapsed)
}

/// Whether all runs are call profiles of a single location, though a parameter says how many workers there
/// were: then their times are of all workers together, and nothing is known of each.
fn has_one_lane(ensemble: &UnifiedRuns, by: &str) -> bool {
    let is_single = |run: &std::sync::Arc<RunSummary>| {
        run.meta.grains == 0 && run.locations.len() <= 1 && run.meta.params.contains_key(by)
    };
    is_name_of_workers(by) && ensemble.runs().iter().all(is_single)
}

/// Whether a metric is a time that more workers can shorten.
fn is_scaling_time(metric: &Metric) -> bool {
    metric.is_time()
        && metric.direction != Direction::HigherIsBetter
        && metric.name != names::WAITING
}

struct Reader<'a> {
    ensemble: &'a UnifiedRuns,
    question: &'a Question,
    halves: &'a Partition,
    over: LocationAggregate,
    is_elapsed: bool,
    is_over_ranks: bool,
    has_one_lane: bool,
    totals: &'a [Measurement],
}

impl Reader<'_> {
    fn run(&self, run: usize) -> RunMeasure {
        let view = self.ensemble.view(self.question, run);
        let meta = &view.run.meta;
        let processors = match meta.params.get("cores") {
            Some(sheaf_model::ParamValue::Number(cores)) => Some(*cores),
            _ => None,
        };
        let mut measure = RunMeasure {
            grains: meta.grains,
            processors,
            ..RunMeasure::default()
        };
        if view.metric.is_none() {
            return measure;
        }
        let is_additive = self.question.metric.kind.adds_up();
        let by_ranks = !self.is_elapsed
            && matches!(
                self.over,
                LocationAggregate::RanksMean
                    | LocationAggregate::RanksMax
                    | LocationAggregate::RanksSum
                    | LocationAggregate::RanksMedian
            );
        let elapsed = meta.elapsed.map(|elapsed| elapsed as f64);
        let is_same_unit = meta.time_unit.to_string() == self.question.metric.unit;
        measure.value = if self.is_elapsed {
            elapsed.filter(|_| is_same_unit)
        } else {
            self.totals[run].value()
        };
        let workers = meta.workers.or((meta.ranks == 1).then_some(1));
        measure.workers = if by_ranks { Some(meta.ranks) } else { workers };
        measure.workers = measure.workers.filter(|_| !self.has_one_lane);
        if !is_additive || self.is_over_ranks {
            return measure;
        }
        let sums = view.values_by(LocationAxis::Total).sums(self.halves);
        let sum = |half: usize| Some(sums.exclusive.lanes(half)?.into_iter().flatten().sum());
        measure.sums = (0..self.halves.groups).map(sum).collect();
        let computation = measure.sums.iter().step_by(2).flatten();
        let work = computation.sum();
        measure.work = Some(work);
        measure.processor_work =
            Some(work - self.time_without_processor(view.run)).filter(|it| *it > 0.0);
        let lanes = if by_ranks {
            LocationAxis::Ranks
        } else {
            LocationAxis::Workers
        };
        if !view.run.values.is_empty() && !self.has_one_lane {
            measure.useful = self.useful(run, lanes, measure.workers);
        }
        measure
    }

    /// Time in the unit of the metric for which grains had no processor; 0 where the metric is not work, or that was not
    /// recorded.
    fn time_without_processor(&self, run: &RunSummary) -> f64 {
        let metric = &self.question.metric;
        let is_wanted = |row: &MetricRow| row.name == names::OFF_CPU && row.unit == metric.unit;
        let found = run.metrics.rows().position(|row| is_wanted(&row));
        let found = found.filter(|_| names::is_work(&metric.name));
        let Some(found) = found.and_then(|row| i32::try_from(row).ok()) else {
            return 0.0;
        };
        let totals = run.totals.rows().filter(|row| row.metric == found);
        let sum: i128 = totals.filter_map(|row| row.sum).map(i128::from).sum();
        sum as f64
    }

    /// Computation of each worker; those that are in no table did none.
    fn useful(&self, run: usize, lanes: LocationAxis, workers: Option<i64>) -> Vec<f64> {
        let view = self.ensemble.view(self.question, run);
        let sums = view.values_by(lanes).sums(self.halves);
        let mut useful: Vec<f64> = Vec::new();
        for half in (0..self.halves.groups).step_by(2) {
            let lanes = sums.exclusive.lanes(half).unwrap_or_default();
            useful.resize(useful.len().max(lanes.len()), 0.0);
            for (sum, lane) in useful.iter_mut().zip(lanes) {
                *sum += lane.unwrap_or(0.0);
            }
        }
        let workers = workers.and_then(|workers| usize::try_from(workers).ok());
        useful.resize(useful.len().max(workers.unwrap_or(0).min(1 << 24)), 0.0);
        useful
    }
}

impl Measured {
    /// Exclusive value of a group in a run, as the lens aggregates it.
    pub(super) fn of_group(&self, group: usize, run: usize) -> Option<f64> {
        self.values.of(Scope::Exclusive, group)[run].value()
    }
}
