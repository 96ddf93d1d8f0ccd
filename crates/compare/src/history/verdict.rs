//! The verdict on a change in a history, by the rules that diffs follow.

use std::ops::Range;
use std::sync::Arc;

use sheaf_model::{Direction, RunMeta, RunSummary};
use sheaf_statistics::{Sample, Series};

use super::HistoryOptions;
use super::structure::Point;
use crate::diff::{WorkerCounts, is_too_little, share_of_greater};
use sheaf_analysis::Metric;
use sheaf_analysis::parameter_of;
use sheaf_answers::{History, HistoryFact, HistoryLast, Reason, Verdict, Why};

/// Parameters that say on how many workers a run was.
const WIDTHS: [&str; 4] = ["threads", "workers", "ranks", "OMP_NUM_THREADS"];

/// What verdicts of a series rest on besides the values of a group.
pub(super) struct Ground {
    /// Totals of the runs of each version; absent for metrics that do not add up.
    totals: Option<Series>,
    /// Of each version, where times of versions with different numbers of workers are in the series.
    worker_counts: Option<Vec<WorkerCounts>>,
}

/// First version before a change, first after it, and the end of what is compared.
pub(super) type Places = [usize; 3];

impl Ground {
    pub(super) fn new(
        metric: &Metric,
        runs: &[Arc<RunSummary>],
        points: &[Point],
        total: Option<f64>,
        totals: &[Vec<f64>],
    ) -> Self {
        let width = |(_, members): &Point| {
            let metas: Vec<&RunMeta> = members.iter().map(|&run| &*runs[run].meta).collect();
            WorkerCounts::of(&metas)
        };
        let worker_counts: Vec<WorkerCounts> = points.iter().map(width).collect();
        let differ = worker_counts.windows(2).any(|pair| pair[0] != pair[1]);
        Self {
            totals: total.map(|_| Series::new(totals.to_vec())),
            worker_counts: (differ && metric.is_time()).then_some(worker_counts),
        }
    }

    /// Stretches of versions that are tested with each other, oldest first: all `num_points`, but for times only
    /// those with the same numbers of workers (statistics, section 12).
    pub(super) fn stretches(&self, num_points: usize) -> Vec<Range<usize>> {
        let mut stretches = Vec::new();
        let mut from = 0;
        let mut worker_counts = self.worker_counts.iter().flatten().enumerate();
        let mut so_far = worker_counts.next().map(|(_, width)| width.clone());
        for (at, width) in worker_counts {
            let before = so_far.get_or_insert_with(|| width.clone());
            if before.difference(width).is_some() {
                stretches.push(from..at);
                from = at;
                *before = width.clone();
            } else {
                *before = WorkerCounts::all(&[before.clone(), width.clone()]);
            }
        }
        stretches.push(from..num_points);
        stretches
    }

    /// Why times before and after a version are not tested: different numbers of workers (statistics, section 12).
    pub(super) fn refusal(&self, [from, at, to]: Places) -> Option<Reason> {
        let worker_counts = self.worker_counts.as_ref()?;
        let before = WorkerCounts::all(worker_counts.get(from..at)?);
        let difference = before.difference(&WorkerCounts::all(worker_counts.get(at..to)?))?;
        Some(Why::VersionsOfOtherWidth(difference).into())
    }

    /// Size of a change as a share of the larger total, both as means over runs.
    pub(super) fn share(&self, series: &Series, [from, at, to]: Places) -> Option<f64> {
        let means = |of: &Series| {
            let mean = |from, to| Sample::new(of.values(from, to).iter().copied()).mean();
            Some([mean(from, at)?, mean(at, to)?])
        };
        let [before, after] = means(series)?;
        share_of_greater(after - before, means(self.totals.as_ref()?)?)
    }

    /// What a sure change means, and why it is none to speak of.
    pub(super) fn judge_change(
        &self,
        series: &Series,
        places: Places,
        medians: [f64; 2],
        direction: Direction,
        options: &HistoryOptions,
    ) -> (Verdict, Option<Reason>) {
        let [before, after] = medians.map(f64::abs);
        let most = 1.0 + options.threshold;
        if after <= before * most && before <= after * most {
            let (change, threshold) = (None, options.threshold);
            let why = Why::BelowThreshold { change, threshold };
            return (Verdict::Inconclusive, Some(why.into()));
        }
        way(
            direction,
            medians[1] - medians[0],
            self.share(series, places),
            options,
        )
    }
}

/// The verdict on the last version.
pub(super) fn judge_last(
    last: &HistoryLast,
    q: f64,
    share: Option<f64>,
    direction: Direction,
    options: &HistoryOptions,
) -> (Verdict, Option<Reason>) {
    let [before, now] =
        [last.runs_before, last.runs].map(|runs| usize::try_from(runs).unwrap_or(usize::MAX));
    if sheaf_statistics::smallest_p(before, now) > options.alpha {
        return (Verdict::Untestable, None);
    }
    let Some((ratio, [low, high])) = last.ratio.zip(last.ci) else {
        return (Verdict::Inconclusive, None);
    };
    let limits = [1.0 / (1.0 + options.threshold), 1.0 + options.threshold];
    if limits[0] <= low && high <= limits[1] {
        return (Verdict::Unchanged, None);
    }
    let is_outside = ratio < limits[0] || ratio > limits[1];
    if q <= options.alpha && (low > 1.0 || high < 1.0) && is_outside {
        return way(direction, ratio - 1.0, share, options);
    }
    (Verdict::Inconclusive, None)
}

/// The word for a change that is sure and above the threshold, where it is enough of the total.
fn way(
    direction: Direction,
    change: f64,
    share: Option<f64>,
    options: &HistoryOptions,
) -> (Verdict, Option<Reason>) {
    let min_share = options.least_impact;
    if is_too_little(share, min_share) {
        let change = None;
        let why = Why::TooLittleOfTotal { change, min_share };
        return (Verdict::Inconclusive, Some(why.into()));
    }
    match (direction, change > 0.0) {
        (Direction::Neutral, _) => {
            let why = Why::NeitherWayIsWorse { change: None };
            (Verdict::Inconclusive, Some(why.into()))
        }
        (Direction::HigherIsWorse, true) | (Direction::HigherIsBetter, false) => {
            (Verdict::Slower, None)
        }
        (Direction::HigherIsWorse, false) | (Direction::HigherIsBetter, true) => {
            (Verdict::Faster, None)
        }
    }
}

/// Says that times were not tested for the numbers of workers, and what compares them.
pub(super) fn note_widths(answer: &mut History, runs: &[Arc<RunSummary>]) {
    let mut points = answer.series.iter().flat_map(|series| &series.points);
    if points.all(|point| point.untested.is_none()) {
        return;
    }
    let is_known = |name: &&&str| {
        runs.iter()
            .any(|run| parameter_of(&run.meta, name).is_some())
    };
    let known = || WIDTHS.iter().filter(is_known);
    let by = known()
        .find(|name| **name == answer.by)
        .or_else(|| known().next());
    let by = by.copied().unwrap_or("workers");
    let by = by.to_owned();
    answer.notes.push(HistoryFact::NumbersDiffer { by }.into());
}
