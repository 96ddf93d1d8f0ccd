//! Groups of one series, with their values at its versions.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use sheaf_model::{Direction, Lens, Level, ParamValue, Scope};
use sheaf_statistics::{ChangePointOptions, Sample, Series, change_points};

use super::structure::{Lineage, Point, VersionSequence};
use super::unmeasured::Unmeasured;
use super::verdict::Ground;
use super::{HistoryOptions, WHOLE_RUN};
use crate::diff::both_names;
use sheaf_analysis::Cohort;
use sheaf_analysis::EnsembleTree;
use sheaf_analysis::GroupId;
use sheaf_analysis::Grouped;
use sheaf_analysis::Measurement;
use sheaf_answers::{
    ChangeKind, HistoryEvent, HistoryGroup, HistoryPoint, HistorySeries, HistoryValue, Note,
    Verdict,
};

/// Values of all groups over the versions of one environment.
pub(super) struct SeriesOfGroups {
    /// The series without groups.
    pub(super) answer: HistorySeries,
    /// Which way of its metric is worse.
    pub(super) direction: Direction,
    pub(super) groups: Vec<GroupSeries>,
    pub(super) ground: Ground,
    /// Points that are tested with each other.
    pub(super) stretches: Vec<Range<usize>>,
    /// Why the whole run of some versions is not compared.
    pub(super) note: Option<Note>,
}

pub(super) struct GroupSeries {
    /// The group without what is searched for.
    pub(super) row: HistoryGroup,
    pub(super) series: Series,
    /// Whether it occurs in a run of each point, measured or not.
    occurs: Vec<bool>,
}

/// Values of the runs of each point.
fn of_points(points: &[Point], measurements: &[Measurement]) -> Vec<Vec<f64>> {
    let of_point = |(_, runs): &Point| {
        let values = runs.iter().map(|&run| measurements[run].value());
        values.flatten().collect()
    };
    points.iter().map(of_point).collect()
}

impl SeriesOfGroups {
    pub(super) fn new(
        lens: &Lens,
        grouped: &Grouped,
        line: &VersionSequence<'_>,
        followed: &Lineage,
        environment: usize,
        options: &HistoryOptions,
    ) -> Self {
        let cohort = &line.environments[environment];
        let points = points(grouped, cohort, line);
        let totals = of_points(&points, grouped.values.totals());
        let inside = of_points(&points, grouped.values.inside());
        let all = inside.iter().flatten().sum::<f64>();
        let of = Members {
            lens,
            grouped,
            followed,
            points: &points,
            versions: line.versions,
            names: own_names(&grouped.tree, &points),
            total: (grouped.metric.kind.adds_up() && all > 0.0).then_some(all),
        };
        let ground = Ground::new(
            &grouped.metric,
            grouped.tree.runs(),
            &points,
            of.total,
            &inside,
        );
        let indices = 0..grouped.grouping.groups.len();
        let groups: Vec<(usize, GroupSeries)> = indices
            .map(|index| (index, of.group(index)))
            .filter(|(_, one)| one.series.num_values() > 0)
            .collect();
        let rows = groups.iter().map(|(index, one)| (*index, &one.row));
        let unmeasured = Unmeasured::new(grouped, &points, &totals, rows, options.least_impact);
        let note = unmeasured.note(&grouped.metric, line, &points);
        let adds_up = grouped.metric.kind.adds_up();
        let whole = adds_up.then(|| whole_run(unmeasured.without(totals)));
        let groups: Vec<GroupSeries> = groups.into_iter().map(|(_, one)| one).collect();
        let places: Vec<usize> = points.iter().map(|(version, _)| *version).collect();
        let at = |point: usize| line.versions[places[point]].clone();
        let mut events = events(&groups, at);
        events.extend(followed.events(environment, &places, line, lens));
        events.sort_by(order);
        let stretches = ground.stretches(points.len());
        let begins = |at: usize| {
            let before = stretches.iter().find(|stretch| stretch.end == at)?;
            ground.refusal([before.start, at, at + 1])
        };
        let id = |run: &usize| grouped.tree.runs()[*run].meta.id.to_string();
        let point = |(at, (version, runs)): (usize, &Point)| HistoryPoint {
            version: line.versions[*version].clone(),
            untested: begins(at),
            runs: runs.iter().map(id).collect(),
            diff: None,
        };
        Self {
            answer: HistorySeries {
                metric: grouped.metric.name.clone(),
                unit: grouped.metric.unit.clone(),
                name: cohort.name.clone(),
                environment: cohort.values.clone(),
                events,
                smallest_p: groups
                    .iter()
                    .map(|group| group.smallest_p(&stretches))
                    .fold(1.0, f64::min),
                points: points.iter().enumerate().map(point).collect(),
                groups: Vec::new(),
            },
            direction: grouped.metric.direction,
            groups: whole.into_iter().chain(groups).collect(),
            ground,
            stretches,
            note,
        }
    }
}

/// Versions in order with the runs of the cohort; those without runs are left out.
fn points(grouped: &Grouped, cohort: &Cohort, line: &VersionSequence<'_>) -> Vec<Point> {
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
    followed: &'a Lineage,
    points: &'a [Point],
    versions: &'a [ParamValue],
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
        let is_additive = self.grouped.metric.kind.adds_up();
        let occurs = |(_, runs): &Point| {
            let is_present = |&run: &usize| own[run].is_present() || all[run].is_present();
            runs.iter().any(is_present)
        };
        let mut points = self.points.iter().flat_map(|(_, runs)| runs);
        let has_own = points.any(|&run| own[run].value().is_some());
        let at = |(_, runs): &Point| -> Vec<f64> {
            // Zeros of runs without it say nothing where no other run was measured.
            let is_measured = runs.iter().any(|&run| own[run].value().is_some());
            let own = |run: usize| {
                if has_own {
                    own[run].or_zero_if_callees_measured(all[run])
                } else {
                    own[run]
                }
            };
            let value = |&run: &usize| match own(run) {
                Measurement::Value(value) => Some(value),
                Measurement::NotMeasured => None,
                Measurement::Absent => (is_measured && is_additive).then_some(0.0),
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
        let share = self.total.filter(|_| !group.is_outside);
        let share = share.map(|total| sum / total);
        let mut made = GroupSeries::new(group.id.to_string(), path, share, values);
        made.occurs = self.points.iter().map(occurs).collect();
        if let Some(definition) = definition {
            made.row.names = self.followed.names(definition, self.points, self.versions);
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
            row: HistoryGroup {
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
            occurs: Vec::new(),
        }
    }

    pub(super) fn is_tested(&self, options: &HistoryOptions) -> bool {
        self.row
            .share
            .is_none_or(|share| share >= options.least_share)
    }

    /// Values of some of the points.
    pub(super) fn part(&self, points: &Range<usize>) -> Series {
        let values = |point: usize| self.series.values(point, point + 1).iter().copied();
        Series::new(points.clone().map(values))
    }

    /// Smallest p of any split; no rearrangement is needed for it.
    fn smallest_p(&self, stretches: &[Range<usize>]) -> f64 {
        let options = ChangePointOptions {
            permutations: 0,
            alpha: 0.0,
            seed: 0,
        };
        let of = |stretch| change_points(&self.part(stretch), &options).smallest_p;
        let least = stretches.iter().map(of).fold(1.0, f64::min);
        (least * stretches.len() as f64).min(1.0)
    }
}

fn summary(values: &[f64]) -> Option<HistoryValue> {
    let sample = Sample::new(values.iter().copied());
    Some(HistoryValue {
        runs: sample.len() as u64,
        median: sample.median()?,
        min: sample.min()?,
        max: sample.max()?,
    })
}

fn order(x: &HistoryEvent, y: &HistoryEvent) -> Ordering {
    let kinds = (x.point, x.kind).cmp(&(y.point, y.kind));
    kinds.then_with(|| (&x.path, &x.group).cmp(&(&y.path, &y.group)))
}

/// Groups that occur at a version and not at the one before, or the other way round, measured or not.
fn events(groups: &[GroupSeries], version: impl Fn(usize) -> ParamValue) -> Vec<HistoryEvent> {
    let mut events = Vec::new();
    for GroupSeries { row, occurs, .. } in groups {
        for (before, pair) in occurs.windows(2).enumerate() {
            if pair[0] != pair[1] {
                let (kind, verdict) = if pair[1] {
                    (ChangeKind::Appeared, Verdict::Appeared)
                } else {
                    (ChangeKind::Vanished, Verdict::Vanished)
                };
                events.push(HistoryEvent {
                    point: before as u64 + 1,
                    version: version(before + 1),
                    kind,
                    verdict: Some(verdict),
                    group: Some(row.group.clone()),
                    path: row.path.clone(),
                    change: None,
                    diff: None,
                });
            }
        }
    }
    events
}
