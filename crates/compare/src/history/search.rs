//! The search for changes of groups.

use std::ops::Range;

use rayon::prelude::*;
use sheaf_model::Progress;
use sheaf_statistics::{
    ChangePoint, ChangePointOptions, Sample, Series, change_points, last_point,
};

use super::series::{GroupSeries, SeriesOfGroups};
use super::{HistoryChange, HistoryLast, HistoryOptions, HistoryRow, HistorySeries};
use crate::diff::Verdict;
use sheaf_analysis::Error;

/// Rearrangements for one test, at most.
const MOST_PERMUTATIONS: usize = 99_999;

/// Searches all groups of all series.
pub(super) fn search(
    series: &[SeriesOfGroups],
    options: &HistoryOptions,
    progress: &Progress,
) -> Result<Vec<HistorySeries>, Error> {
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
    let enough = (tests as f64 / options.alpha).min(MOST_PERMUTATIONS as f64) as usize;
    let change_options = ChangePointOptions {
        alpha: options.alpha,
        // One group alone among all must be able to pass the correction.
        permutations: enough.max(options.permutations),
        seed: options.seed,
    };
    let search = |one: &SeriesOfGroups| {
        let rows = one.groups.par_iter().map(|group| {
            progress.check()?;
            Ok(searched(group, one, options, &change_options))
        });
        Ok(HistorySeries {
            rows: rows.collect::<Result<_, Error>>()?,
            ..one.answer.clone()
        })
    };
    series.iter().map(search).collect()
}

fn searched(
    group: &GroupSeries,
    of: &SeriesOfGroups,
    options: &HistoryOptions,
    change_options: &ChangePointOptions,
) -> HistoryRow {
    let mut row = group.row.clone();
    if !group.is_tested(options) {
        return row;
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
    row.last = newest(&group.series, &last_places, of, options);
    row
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
        let direction = of.answer.metric.direction;
        let (verdict, reason) =
            of.ground
                .judge_change(series, [before, at, next], medians, direction, options);
        HistoryChange {
            point: at,
            p: change.p,
            medians,
            verdict,
            reason,
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
) -> Option<HistoryLast> {
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
    Some(HistoryLast {
        since,
        runs: last.sizes,
        ratio: last.ratio.filter(|_| !is_refused),
        p: (!is_refused).then_some(last.p),
        q: None,
        share: of.ground.share(series, places),
        verdict: Verdict::Untestable,
        reason: is_refused.then(|| of.ground.refusal(places)).flatten(),
    })
}
