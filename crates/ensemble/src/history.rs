//! Histories: versions of a program, and what changed where one did.

use std::collections::BTreeSet;

use sheaf_compare::diff::{DiffOptions, DiffRow, IterationCounts};
use sheaf_compare::history::{HistoryAnswer, HistoryOptions, HistoryOrder, HistorySeries, history};
use sheaf_model::{Compare, Expression, Lens, ParamValue, RunSelector};

use crate::questions::with_main_metric;
use crate::runs::RunEntry;
use crate::view::check_paths;
use crate::{Error, View, complete};

/// Places in a history that are looked into, at most.
const MOST_DIFFS: usize = 20;
/// Groups that are told of each.
const TOLD_ROWS: usize = 3;

/// A history with what changed at its changes and events.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryWithDiffs {
    /// The history.
    pub history: HistoryAnswer,
    /// Comparisons of versions with the version before them.
    pub diffs: Vec<HistoryDiff>,
    /// What compares each point of each series with the point before it: a lens with a `diff` clause.
    pub lenses: Vec<Vec<Option<Lens>>>,
}

/// What changed between a version and the one before it.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryDiff {
    /// Place of the series.
    pub series: usize,
    /// Place of the version among the points of the series.
    pub point: usize,
    /// The question: a lens with a `diff` clause.
    pub lens: Lens,
    /// What can be said of the structure, with numbers.
    pub structure: String,
    /// The greatest changes.
    pub rows: Vec<DiffRow>,
    /// Groups in all.
    pub groups: usize,
}

impl View<'_> {
    /// Follows groups over the versions that `lens.by` names, and looks into the newest changes. The store's rules
    /// about parameters replace those of the options.
    ///
    /// # Errors
    /// As for [`View::stats`], and when the order of versions cannot be told.
    pub fn history(
        &self,
        lens: &Lens,
        order: &HistoryOrder,
        options: &HistoryOptions,
    ) -> Result<HistoryWithDiffs, Error> {
        let entries = self.entries();
        let chosen = complete::deciding(lens, &entries)?;
        let runs = self.summaries_for(lens, &chosen.runs)?;
        check_paths(lens, &runs)?;
        let lens = &with_main_metric(lens, &runs);
        let mapping = self.ensemble.diff_mapping()?;
        let options = &HistoryOptions {
            rules: self.rules.clone(),
            iterations: match lens.by.as_slice() {
                [by] => self.iteration_counts(&chosen.runs, by)?,
                _ => IterationCounts::new(),
            },
            ..options.clone()
        };
        let mut history = history(lens, &runs, order, options, &mapping, &self.progress)?;
        history.notes.splice(0..0, chosen.note(""));
        let mut places: Vec<(usize, usize)> = Vec::new();
        for (number, series) in history.series.iter().enumerate() {
            places.extend(
                points_of_interest(series)
                    .into_iter()
                    .map(|point| (number, point)),
            );
        }
        if places.len() > MOST_DIFFS {
            history.notes.push(format!(
                "what changed is told for {MOST_DIFFS} of {} places: where it counts, then the newest",
                places.len()
            ));
            let counting: Vec<_> = history.series.iter().map(points_that_count).collect();
            places.sort_by_key(|&(series, point)| {
                let counts = counting[series].contains(&point);
                std::cmp::Reverse((counts, point, series))
            });
            places.truncate(MOST_DIFFS);
            places.sort_unstable();
        }
        let diffs = places
            .into_iter()
            .map(|(series, point)| self.diff_at(lens, &history, series, point, &entries));
        let diffs = diffs.collect::<Result<_, Error>>()?;
        let lenses = history.series.iter().map(|series| {
            let points = 0..series.points.len();
            let lens = |point: usize| {
                let before = point.checked_sub(1)?;
                Some(diff_lens(lens, &history.by, series, [before, point]))
            };
            points.map(lens).collect()
        });
        Ok(HistoryWithDiffs {
            lenses: lenses.collect(),
            diffs,
            history,
        })
    }

    fn diff_at(
        &self,
        lens: &Lens,
        history: &HistoryAnswer,
        series: usize,
        point: usize,
        entries: &[RunEntry],
    ) -> Result<HistoryDiff, Error> {
        let of = &history.series[series];
        let lens = diff_lens(lens, &history.by, of, [point - 1, point]);
        let sides = [point - 1, point].map(|point| {
            let is_chosen = |entry: &&RunEntry| of.points[point].runs.contains(&entry.meta.id);
            entries.iter().filter(is_chosen).collect::<Vec<_>>()
        });
        let Compare::Diff { a, b } = &lens.compare else {
            return Err(Error::NoSides);
        };
        let options = DiffOptions::default();
        let mut diff = self.diff_of(&lens, [a, b], &sides, &options)?;
        let groups = diff.rows.len();
        diff.rows.truncate(TOLD_ROWS);
        Ok(HistoryDiff {
            series,
            point,
            lens,
            structure: diff.structure.reason,
            rows: diff.rows,
            groups,
        })
    }
}

/// The question what changed between two points of a series.
fn diff_lens(lens: &Lens, by: &str, series: &HistorySeries, points: [usize; 2]) -> Lens {
    let [a, b] = points.map(|point| {
        let version = &series.points[point].version;
        RunSelector(selector(lens, by, version, series).to_string())
    });
    Lens {
        runs: None,
        by: Vec::new(),
        compare: Compare::Diff { a, b },
        metric: series.metric.name.clone(),
        ..lens.clone()
    }
}

/// Places with changes or events, and the last one where it is worse or better. Changes that do not count are there
/// to be looked at too: others may add up to them.
fn points_of_interest(series: &HistorySeries) -> BTreeSet<usize> {
    let mut points = points_that_count(series);
    let changes = series.rows.iter().flat_map(|row| &row.changes);
    points.extend(changes.map(|change| change.point));
    points
}

/// Places of interest without changes that are neither faster nor slower.
fn points_that_count(series: &HistorySeries) -> BTreeSet<usize> {
    let changes = series.rows.iter().flat_map(|row| &row.changes);
    let noticeable = changes.filter(|change| change.verdict.is_change());
    let mut points: BTreeSet<usize> = noticeable.map(|change| change.point).collect();
    points.extend(series.events.iter().map(|event| event.point));
    let is_told = |row: &sheaf_compare::history::HistoryRow| {
        row.last
            .as_ref()
            .is_some_and(|last| last.verdict.is_change())
    };
    if series.rows.iter().any(is_told) {
        points.insert(series.points.len() - 1);
    }
    points.retain(|&point| point > 0);
    points
}

/// The runs of a version in a series, as an expression.
fn selector(lens: &Lens, by: &str, version: &ParamValue, series: &HistorySeries) -> Expression {
    let equal = |name: &str, value: &ParamValue| Expression::Compare {
        attribute: name.to_owned(),
        comparison: sheaf_model::Comparison::Equal,
        value: value.clone(),
    };
    let mut parts = vec![equal(by, version)];
    parts.extend(
        series
            .environment
            .iter()
            .map(|(name, value)| equal(name, value)),
    );
    match &lens.runs {
        Some(Expression::And(inner)) => parts.extend(inner.iter().cloned()),
        Some(other) => parts.push(other.clone()),
        None => {}
    }
    if parts.len() == 1 {
        parts.swap_remove(0)
    } else {
        Expression::And(parts)
    }
}
