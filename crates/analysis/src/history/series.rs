//! The groups of one series, and the search for their changes.

use std::sync::Arc;

use rayon::prelude::*;
use sheaf_model::{Lens, Level, MetricKind, Progress, Scope};
use sheaf_statistics::{ChangePointOptions, Sample, Series, change_points, last_point};

use super::structure::{Followed, Line, Point};
use super::verdict::Ground;
use super::{
    HistoryChange, HistoryEvent, HistoryLast, HistoryOptions, HistoryPoint, HistoryRow,
    HistorySeries, HistoryValue, WHOLE_RUN,
};
use crate::cohort::Cohort;
use crate::diff::{ChangeKind, Verdict, both_names};
use crate::error::Error;
use crate::group_values::Grouped;
use crate::groups::GroupId;
use crate::reading::Reading;
use crate::tree::EnsembleTree;

/// Rearrangements for one test, at most.
const MOST_PERMUTATIONS: usize = 99_999;

/// Values of all groups over the versions of one environment.
pub(super) struct SeriesOfGroups {
    answer: HistorySeries,
    groups: Vec<GroupSeries>,
    ground: Ground,
}

struct GroupSeries {
    row: HistoryRow,
    series: Series,
}

impl SeriesOfGroups {
    pub(super) fn new(
        lens: &Lens,
        grouped: &Grouped,
        line: &Line<'_>,
        followed: &Followed,
        environment: usize,
    ) -> Self {
        let cohort = &line.environments[environment];
        let points = points(grouped, cohort, line);
        let totals = |(_, runs): &Point| -> Vec<f64> {
            let values = runs.iter().map(|&run| grouped.values.totals()[run].value());
            values.flatten().collect()
        };
        let totals: Vec<Vec<f64>> = points.iter().map(totals).collect();
        let all = totals.iter().flatten().sum::<f64>();
        let of = Members {
            lens,
            grouped,
            followed,
            points: &points,
            names: own_names(&grouped.tree, &points),
            total: (is_additive(grouped) && all > 0.0).then_some(all),
        };
        let ground = Ground::new(
            &grouped.metric,
            grouped.tree.runs(),
            &points,
            of.total,
            &totals,
        );
        let whole = is_additive(grouped).then(|| whole_run(totals));
        let indices = 0..grouped.grouping.groups.len();
        let groups: Vec<GroupSeries> = indices
            .map(|index| of.group(index))
            .filter(|one| one.series.num_values() > 0)
            .collect();
        let places: Vec<usize> = points.iter().map(|(version, _)| *version).collect();
        let mut events = events(groups.iter().map(|one| &one.row));
        events.extend(followed.events(environment, &places, lens));
        events.sort_by(|x, y| {
            let order = |event: &HistoryEvent| (event.point, event.kind);
            let names = || (&x.path, &x.group).cmp(&(&y.path, &y.group));
            order(x).cmp(&order(y)).then_with(names)
        });
        let point = |(version, runs): &Point| HistoryPoint {
            version: line.versions[*version].clone(),
            runs: runs
                .iter()
                .map(|&run| grouped.tree.runs()[run].meta.id)
                .collect(),
        };
        Self {
            answer: HistorySeries {
                metric: grouped.metric.clone(),
                name: cohort.name.clone(),
                environment: cohort.values.clone(),
                events,
                smallest_p: groups
                    .iter()
                    .map(GroupSeries::smallest_p)
                    .fold(1.0, f64::min),
                points: points.iter().map(point).collect(),
                rows: Vec::new(),
            },
            groups: whole.into_iter().chain(groups).collect(),
            ground,
        }
    }
}

fn is_additive(grouped: &Grouped) -> bool {
    grouped.metric.kind != MetricKind::Intensive
}

/// Versions in order with the runs of the cohort; those without runs are left out.
fn points(grouped: &Grouped, cohort: &Cohort, line: &Line<'_>) -> Vec<Point> {
    let mut points = line.points(cohort);
    for (_, runs) in &mut points {
        runs.retain(|&run| grouped.values.totals()[run].value().is_some());
    }
    points.retain(|(_, runs)| !runs.is_empty());
    points
}

/// What the rows of a series are made from.
struct Members<'a> {
    lens: &'a Lens,
    grouped: &'a Grouped,
    followed: &'a Followed,
    points: &'a [Point],
    /// Of each definition, in the series.
    names: Vec<String>,
    /// Sum over all runs; absent for metrics that do not add up.
    total: Option<f64>,
}

impl Members<'_> {
    fn group(&self, index: usize) -> GroupSeries {
        let (tree, values) = (&self.grouped.tree, &self.grouped.values);
        let group = &self.grouped.grouping.groups[index];
        let (own, all) = (
            values.of(Scope::Exclusive, index),
            values.of(Scope::Inclusive, index),
        );
        let is_additive = is_additive(self.grouped);
        let at = |(_, runs): &Point| -> Vec<f64> {
            let is_present = |&run: &usize| own[run].is_present() || all[run].is_present();
            let occurs = runs.iter().any(is_present);
            let value = |&run: &usize| match own[run] {
                Reading::Value(value) => Some(value),
                Reading::NotMeasured => None,
                Reading::Absent => (occurs && is_additive).then_some(0.0),
            };
            runs.iter().filter_map(value).collect()
        };
        let values: Vec<Vec<f64>> = self.points.iter().map(at).collect();
        let sum: f64 = values.iter().flatten().sum();
        let definition = group.definition.map(|at| tree.definitions()[at].id);
        let path = if self.lens.level == Level::Context {
            self.followed.path(tree, group.first_node, &self.names)
        } else {
            let joined = definition.and_then(|id| self.followed.renaming.joined(id));
            let is_one = matches!(group.id, GroupId::Definition(_));
            let own = group
                .definition
                .filter(|_| is_one)
                .map(|at| self.names[at].clone());
            vec![joined.or(own).unwrap_or_else(|| group.name.to_string())]
        };
        let share = self.total.map(|total| sum / total);
        let mut made = GroupSeries::new(group.id.to_string(), path, share, values);
        if let Some(definition) = definition {
            made.row.names = self.followed.names(definition, self.points);
        }
        made
    }
}

/// Names of definitions as the oldest and as the newest version of the series has them: `sort:7→12 (task)` where the
/// line moved.
fn own_names(tree: &EnsembleTree, points: &[Point]) -> Vec<String> {
    let mut names: Vec<Option<[Arc<str>; 2]>> = vec![None; tree.definitions().len()];
    for (_, runs) in points {
        for (at, definition) in tree.definitions_among(runs) {
            let [_, newest] =
                names[at].get_or_insert([(); 2].map(|()| Arc::clone(&definition.name)));
            *newest = definition.name;
        }
    }
    let all = tree.definitions().iter().zip(names);
    all.map(|(definition, names)| match names {
        Some([oldest, newest]) => both_names(&oldest, &newest),
        None => definition.name.to_string(),
    })
    .collect()
}

/// The whole run as a row of its own, because work that moves into new groups shows in no other.
fn whole_run(values: Vec<Vec<f64>>) -> GroupSeries {
    let path = vec!["(whole run)".to_owned()];
    GroupSeries::new(WHOLE_RUN.to_owned(), path, Some(1.0), values)
}

impl GroupSeries {
    fn new(group: String, path: Vec<String>, share: Option<f64>, values: Vec<Vec<f64>>) -> Self {
        Self {
            row: HistoryRow {
                group,
                path,
                names: Vec::new(),
                share,
                values: values.iter().map(|values| summary(values)).collect(),
                p: None,
                q: None,
                changes: Vec::new(),
                last: None,
            },
            series: Series::new(values),
        }
    }

    fn is_tested(&self, options: &HistoryOptions) -> bool {
        self.row
            .share
            .is_none_or(|share| share >= options.least_share)
    }

    /// Smallest p of any split; no rearrangement is needed for it.
    fn smallest_p(&self) -> f64 {
        let options = ChangePointOptions {
            permutations: 0,
            alpha: 0.0,
            seed: 0,
        };
        change_points(&self.series, &options).smallest_p
    }
}

/// Searches all groups of all series.
pub(super) fn search(
    series: &[SeriesOfGroups],
    options: &HistoryOptions,
    progress: &Progress,
) -> Result<Vec<HistorySeries>, Error> {
    let all = series.iter().flat_map(|series| &series.groups);
    let tested = all.filter(|group| group.is_tested(options)).count();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to a small range"
    )]
    let enough = (tested as f64 / options.alpha).min(MOST_PERMUTATIONS as f64) as usize;
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
    let series = &group.series;
    let found = change_points(series, change_options);
    row.p = found.whole.map(|whole| whole.p);
    let places: Vec<usize> = found.points.iter().map(|change| change.point).collect();
    let median = |from: usize, to: usize| {
        Sample::new(series.values(from, to).iter().copied())
            .median()
            .unwrap_or(0.0)
    };
    row.changes = found
        .points
        .iter()
        .enumerate()
        .map(|(index, change)| {
            let before = index.checked_sub(1).map_or(0, |index| places[index]);
            let next = places.get(index + 1).copied().unwrap_or(series.len());
            let medians = [median(before, change.point), median(change.point, next)];
            let places = [before, change.point, next];
            let direction = of.answer.metric.direction;
            let (verdict, reason) = of
                .ground
                .judge_change(series, places, medians, direction, options);
            HistoryChange {
                point: change.point,
                p: change.p,
                medians,
                verdict,
                reason,
            }
        })
        .collect();
    let since = places
        .last()
        .copied()
        .filter(|&place| place + 1 < series.len());
    let since = since.unwrap_or_else(|| {
        // A change at the last version itself is what is to be checked.
        let earlier = places.len().checked_sub(2).map_or(0, |index| places[index]);
        if places
            .last()
            .is_some_and(|&place| place + 1 == series.len())
        {
            earlier
        } else {
            0
        }
    });
    row.last = last_point(series, since, options.alpha).map(|last| {
        let places = [since, series.len() - 1, series.len()];
        HistoryLast {
            since,
            runs: last.sizes,
            ratio: last.ratio,
            p: last.p,
            q: last.p,
            share: of.ground.share(series, places),
            verdict: Verdict::Untestable,
            reason: of.ground.refusal(places),
        }
    });
    row
}

fn summary(values: &[f64]) -> Option<HistoryValue> {
    let sample = Sample::new(values.iter().copied());
    Some(HistoryValue {
        runs: sample.len(),
        median: sample.median()?,
        min: sample.min()?,
        max: sample.max()?,
    })
}

/// Groups that occur at a version and not at the one before, or the other way round.
fn events<'a>(rows: impl Iterator<Item = &'a HistoryRow>) -> Vec<HistoryEvent> {
    let mut events = Vec::new();
    for row in rows {
        for (before, pair) in row.values.windows(2).enumerate() {
            if pair[0].is_some() != pair[1].is_some() {
                events.push(HistoryEvent {
                    point: before + 1,
                    kind: if pair[1].is_some() {
                        ChangeKind::Appeared
                    } else {
                        ChangeKind::Vanished
                    },
                    group: Some(row.group.clone()),
                    path: row.path.clone(),
                    change: None,
                });
            }
        }
    }
    events
}
