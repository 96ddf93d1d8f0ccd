//! Histories: versions of a program, and what changed where one did.

use std::collections::BTreeSet;

use sheaf_answers::{History, HistoryDiff, HistoryFact, HistoryGroup, HistoryLink, HistorySeries};
use sheaf_compare::diff::{DiffOptions, IterationCounts};
use sheaf_compare::history::{HistoryOptions, HistoryOrder, history};
use sheaf_model::{Compare, Lens};

use crate::questions::with_main_metric;
use crate::runs::RunEntry;
use crate::view::check_paths;
use crate::{Error, View, complete, select};

/// Places in a history that are looked into, at most.
const MAX_DIFFS: usize = 20;
/// Maximum number of groups of each.
const LISTED_ROWS: usize = 3;

impl View<'_> {
    /// Follows groups over the versions that `lens.by` names, and looks into the newest changes. The store's rules
    /// about parameters replace those of the options.
    ///
    /// # Errors
    /// As for [`View::stats`], and when the order of versions is unknown.
    pub fn history(
        &self,
        lens: &Lens,
        order: &HistoryOrder,
        options: &HistoryOptions,
    ) -> Result<History, Error> {
        let entries = self.entries();
        let chosen = complete::deciding(lens, &entries)?;
        let runs = self.summaries_for(lens, &chosen.runs)?;
        check_paths(lens, &runs)?;
        let asked = lens;
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
        history.lens = asked.to_string();
        history.notes.splice(0..0, chosen.note(None));
        let mut places: Vec<(usize, usize)> = Vec::new();
        for (number, series) in history.series.iter().enumerate() {
            places.extend(
                points_of_interest(series)
                    .into_iter()
                    .map(|point| (number, point)),
            );
        }
        if places.len() > MAX_DIFFS {
            let (shown, of) = (MAX_DIFFS as u64, places.len() as u64);
            history
                .notes
                .push(HistoryFact::ChangesShown { shown, of }.into());
            let counting: Vec<_> = history.series.iter().map(points_that_count).collect();
            places.sort_by_key(|&(series, point)| {
                let counts = counting[series].contains(&point);
                std::cmp::Reverse((counts, point, series))
            });
            places.truncate(MAX_DIFFS);
            places.sort_unstable();
        }
        let diffs = places
            .into_iter()
            .map(|(series, point)| self.diff_at(lens, &history, series, point, &entries));
        history.diffs = diffs.collect::<Result<_, Error>>()?;
        for series in &mut history.series {
            link_versions(lens, &history.by, series);
        }
        Ok(history)
    }

    fn diff_at(
        &self,
        lens: &Lens,
        history: &History,
        series: usize,
        point: usize,
        entries: &[RunEntry],
    ) -> Result<HistoryDiff, Error> {
        let of = &history.series[series];
        let lens = diff_lens(lens, &history.by, of, [point - 1, point]);
        let sides = [point - 1, point].map(|point| {
            let runs = &of.points[point].runs;
            let is_chosen = |entry: &&RunEntry| runs.contains(&entry.meta.id.to_string());
            entries.iter().filter(is_chosen).collect::<Vec<_>>()
        });
        let Compare::Diff { a, b } = &lens.compare else {
            return Err(Error::NoSides);
        };
        let options = DiffOptions::default();
        let mut diff = self.diff_of(&lens, [a, b], &sides, &options)?.answer;
        let groups = diff.rows.len() as u64;
        diff.rows.truncate(LISTED_ROWS);
        Ok(HistoryDiff {
            series: series as u64,
            point: point as u64,
            before: of.points[point - 1].version.clone(),
            version: of.points[point].version.clone(),
            link: HistoryLink::new(&lens),
            structure: diff.structure.reason.text().to_owned(),
            rows: diff.rows,
            groups,
        })
    }
}

/// Adds to each version of a series, and to what changed there, what compares it with the version before it.
fn link_versions(lens: &Lens, by: &str, series: &mut HistorySeries) {
    let link = |point: usize| {
        let before = point.checked_sub(1)?;
        let lens = diff_lens(lens, by, series, [before, point]);
        Some(HistoryLink::new(&lens))
    };
    let links: Vec<Option<HistoryLink>> = (0..series.points.len()).map(link).collect();
    let link = |point: u64| links.get(usize::try_from(point).ok()?).cloned().flatten();
    for group in &mut series.groups {
        for change in &mut group.changes {
            change.diff = link(change.point);
        }
    }
    for event in &mut series.events {
        event.diff = link(event.point);
    }
    for (point, link) in series.points.iter_mut().zip(links) {
        point.diff = link;
    }
}

/// The question what changed between two points of a series.
fn diff_lens(lens: &Lens, by: &str, series: &HistorySeries, points: [usize; 2]) -> Lens {
    let [a, b] = points.map(|point| {
        let version = &series.points[point].version;
        select::having(lens, by, version, &series.environment)
    });
    Lens {
        runs: None,
        by: Vec::new(),
        compare: Compare::Diff { a, b },
        metric: series.metric.clone(),
        ..lens.clone()
    }
}

/// Places with changes or events, and the last one where it is worse or better. Changes that do not count are there
/// to be looked at too: others may add up to them.
fn points_of_interest(series: &HistorySeries) -> BTreeSet<usize> {
    let mut points = points_that_count(series);
    let changes = series.groups.iter().flat_map(|group| &group.changes);
    points.extend(changes.filter_map(|change| usize::try_from(change.point).ok()));
    points
}

/// Places of interest without changes that are neither faster nor slower.
fn points_that_count(series: &HistorySeries) -> BTreeSet<usize> {
    let changes = series.groups.iter().flat_map(|group| &group.changes);
    let noticeable = changes.filter(|change| change.verdict.is_change());
    let events = series.events.iter().map(|event| event.point);
    let places = noticeable.map(|change| change.point).chain(events);
    let mut points: BTreeSet<usize> = places.filter_map(|at| usize::try_from(at).ok()).collect();
    let is_noticeable = |group: &HistoryGroup| {
        let last = group.last.as_ref();
        last.is_some_and(|last| last.verdict.is_change())
    };
    if series.groups.iter().any(is_noticeable) {
        points.insert(series.points.len() - 1);
    }
    points.retain(|&point| point > 0);
    points
}
