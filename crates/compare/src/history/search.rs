//! The search for changes of groups.

use std::ops::Range;

use rayon::prelude::*;
use sheaf_model::{Direction, Progress};
use sheaf_statistics::{
    ChangePoint, ChangePointOptions, Sample, Series, change_points, last_point,
};

use super::HistoryOptions;
use super::series::{GroupSeries, SeriesOfGroups};
use sheaf_analysis::Error;
use sheaf_answers::{HistoryChange, HistoryGroup, HistoryLast, HistorySeries, Verdict};

/// Rearrangements for one test, at most.
const MAX_PERMUTATIONS: usize = 99_999;

/// A series that was searched, with what its last verdicts rest on.
pub(super) struct Searched {
    /// The series, whose groups have no q-values yet.
    pub(super) answer: HistorySeries,
    /// Which way of its metric is worse.
    pub(super) direction: Direction,
    /// By group, size of the last change as a share of the larger of the mean totals before and after; absent for
    /// metrics that do not add up.
    pub(super) shares: Vec<Option<f64>>,
}

impl Searched {
    /// The series with its groups in order.
    pub(super) fn finish(self) -> HistorySeries {
        let mut answer = self.answer;
        answer.groups.sort_by(|x, y| {
            let shares = y.share.unwrap_or(0.0).total_cmp(&x.share.unwrap_or(0.0));
            let changed = x.changes.is_empty().cmp(&y.changes.is_empty());
            changed
                .then(shares)
                .then_with(|| (&x.path, &x.group).cmp(&(&y.path, &y.group)))
        });
        answer
    }
}

/// Searches all groups of all series.
pub(super) fn search(
    series: Vec<SeriesOfGroups>,
    options: &HistoryOptions,
    progress: &Progress,
) -> Result<Vec<Searched>, Error> {
    let tests = |one: &SeriesOfGroups| {
        let tested = one.groups.iter().filter(|group| group.is_tested(options));
        tested.count() * one.stretches.len()
    };
    let tests: usize = series.iter().map(tests).sum();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to a small range"
    )]
    let enough = (tests as f64 / options.alpha).min(MAX_PERMUTATIONS as f64) as usize;
    let change_options = ChangePointOptions {
        alpha: options.alpha,
        // One group alone among all must be able to pass the correction.
        permutations: enough.max(options.permutations),
        seed: options.seed,
    };
    let search = |one: SeriesOfGroups| {
        let groups = one.groups.par_iter().map(|group| {
            progress.check()?;
            Ok(searched(group, &one, options, &change_options))
        });
        let groups = groups.collect::<Result<Vec<_>, Error>>()?;
        let (groups, shares) = groups.into_iter().unzip();
        Ok(Searched {
            answer: HistorySeries {
                groups,
                ..one.answer
            },
            direction: one.direction,
            shares,
        })
    };
    series.into_iter().map(search).collect()
}

fn searched(
    group: &GroupSeries,
    of: &SeriesOfGroups,
    options: &HistoryOptions,
    change_options: &ChangePointOptions,
) -> (HistoryGroup, Option<f64>) {
    let mut row = group.row.clone();
    if !group.is_tested(options) {
        return (row, None);
    }
    let mut least: Option<f64> = None;
    let mut last_places = Vec::new();
    for stretch in &of.stretches {
        let found = change_points(&group.part(stretch), change_options);
        let p = found.whole.map(|whole| whole.p);
        least = [least, p].into_iter().flatten().reduce(f64::min);
        let of_series = |change: &ChangePoint| ChangePoint {
            point: stretch.start + change.point,
            ..*change
        };
        let found: Vec<ChangePoint> = found.points.iter().map(of_series).collect();
        let changes = changes(&found, stretch, &group.series, of, options);
        row.changes.extend(changes);
        last_places = found.iter().map(|change| change.point).collect();
    }
    // Of several tests the least p (Bonferroni).
    row.p = least.map(|p| (p * of.stretches.len() as f64).min(1.0));
    let (newest_change, share) = newest(&group.series, &last_places, of, options).unzip();
    row.last = newest_change;
    (row, share.flatten())
}

/// The changes within a stretch of the series.
fn changes(
    found: &[ChangePoint],
    stretch: &Range<usize>,
    series: &Series,
    of: &SeriesOfGroups,
    options: &HistoryOptions,
) -> Vec<HistoryChange> {
    let median = |from: usize, to: usize| {
        let values = series.values(from, to).iter().copied();
        Sample::new(values).median().unwrap_or(0.0)
    };
    let place = |index: usize| found.get(index).map(|change| change.point);
    let one = |(index, change): (usize, &ChangePoint)| {
        let at = change.point;
        let before = index.checked_sub(1).and_then(place);
        let before = before.unwrap_or(stretch.start);
        let next = place(index + 1).unwrap_or(stretch.end);
        let medians = [median(before, at), median(at, next)];
        let (verdict, reason) =
            of.ground
                .judge_change(series, [before, at, next], medians, of.direction, options);
        HistoryChange {
            point: at as u64,
            version: of.answer.points[at].version.clone(),
            p: change.p,
            before: medians[0],
            after: medians[1],
            verdict,
            reason,
            diff: None,
        }
    };
    found.iter().enumerate().map(one).collect()
}

/// The last version against those since the last change, of which there are `places` in its stretch.
fn newest(
    series: &Series,
    places: &[usize],
    of: &SeriesOfGroups,
    options: &HistoryOptions,
) -> Option<(HistoryLast, Option<f64>)> {
    let at = series.len().checked_sub(1)?;
    let (stretch, before) = of.stretches.split_last()?;
    // A change at the last version itself is what is to be checked.
    let earlier = places.iter().copied().rfind(|&place| place < at);
    let since = earlier.unwrap_or(stretch.start);
    // Where no version ran on as many workers, those before it are what it is not tested against.
    let is_refused = since == at;
    let since = if is_refused {
        before.last()?.start
    } else {
        since
    };
    let places = [since, at, at + 1];
    let last = last_point(series, since, options.alpha)?;
    let ratio = last.ratio.filter(|_| !is_refused);
    let interval = ratio.and_then(|ratio| ratio.interval);
    let answer = HistoryLast {
        since: since as u64,
        runs_before: last.sizes[0] as u64,
        runs: last.sizes[1] as u64,
        ratio: ratio.map(|ratio| ratio.value),
        ci: interval.map(|ends| [ends.low, ends.high]),
        p: (!is_refused).then_some(last.p),
        q: None,
        verdict: Verdict::Untestable,
        reason: is_refused.then(|| of.ground.refusal(places)).flatten(),
    };
    Some((answer, of.ground.share(series, places)))
}
