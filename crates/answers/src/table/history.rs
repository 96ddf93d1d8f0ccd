//! The table of a history.

use std::rc::Rc;

use super::{OF_METRIC, SHARE, Table, Tabular, columns, joined, names, option, some};
use crate::{
    History, HistoryEvent, HistoryGroup, HistoryLast, HistorySeries, HistoryValue, MatchedBy,
    Reason, RenamedName, Verdict,
};

/// A group at a version, or an event of no group of the answer.
pub(super) struct HistoryLine<'a> {
    series: &'a HistorySeries,
    /// Place of the version among the points of the series.
    point: usize,
    /// Absent if the answer has no such group.
    group: Option<&'a HistoryGroup>,
    path: &'a [String],
    value: Option<&'a HistoryValue>,
    events: Vec<&'a HistoryEvent>,
    /// The name that a group with several begins to have here.
    name: Option<&'a RenamedName>,
}

impl<'a> HistoryLine<'a> {
    /// How a name that begins here, or both names of an event, were found to be the same.
    fn matched_by(&self) -> Option<(Option<MatchedBy>, Option<f64>)> {
        if let Some(name) = self.name {
            return Some((name.matched_by, name.score));
        }
        let change = self.events.first()?.change.as_ref()?;
        let is_of_no_group = self.group.is_none();
        is_of_no_group.then_some((change.matched_by, change.score))
    }

    /// Verdict and reason of the change here, or `untestable` if the numbers of workers differ from those before.
    fn verdict(&self) -> Option<(Verdict, Option<&'a Reason>)> {
        let group = self.group?;
        let at = self.point as u64;
        let change = group.changes.iter().find(|change| change.point == at);
        if let Some(change) = change {
            return Some((change.verdict, change.reason.as_ref()));
        }
        let untested = self.series.points.get(self.point)?.untested.as_ref()?;
        let before = group.values.get(self.point.checked_sub(1)?)?.as_ref();
        (before.is_some() && self.value.is_some()).then_some((Verdict::Untestable, Some(untested)))
    }

    /// The newest version against those before, on its row.
    fn newest(&self) -> Option<&'a HistoryLast> {
        let is_newest = self.point + 1 == self.series.points.len();
        self.group?.last.as_ref().filter(|_| is_newest)
    }
}

columns! {
    pub(super) fn group<'a>(line: HistoryLine<'a>) {
        Text path: "Names from the outermost group, joined by ` / `" = joined(line.path);
        Text group: "Group id; absent for events of other groups"
            = option(line.group.map(|group| group.group.as_str()));
    }
}

columns! {
    pub(super) fn history<'a>(line: HistoryLine<'a>) {
        Parameter version: "Version" = Some(line.series.points.get(line.point)?.version.clone());
        Count place: "Place of the version in its series, from 0" = Some(line.point as u64);
        Text metric: "Metric" = some(&line.series.metric);
        Integer runs: "Runs of the version with a value" = Some(line.value?.runs.cast_signed());
        Number median [OF_METRIC]: "Median over those runs" = Some(line.value?.median);
        Number min [OF_METRIC]: "Minimum over those runs" = Some(line.value?.min);
        Number max [OF_METRIC]: "Maximum over those runs" = Some(line.value?.max);
        Truth is_change: "Whether values change at this version" = {
                let at = line.point as u64;
                let mut changes = line.group.into_iter().flat_map(|group| &group.changes);
                Some(changes.any(|change| change.point == at))
            };
        Text verdict: "Verdict of the change" = some(line.verdict()?.0.as_str());
        Text reason: "Reason of the verdict" = option(line.verdict()?.1.map(Reason::text));
        Text events: "Changes of structure, joined by a blank" = {
                let words: Vec<_> = line.events.iter().map(|event| event.kind.as_str()).collect();
                (!words.is_empty()).then(|| words.join(" ").into())
            };
        Text name: "Name that the group begins to have here, if it has several"
            = option(line.name.map(|name| name.name.as_str()));
        Text matched_by: "How both names were matched" = option(line.matched_by()?.0.map(MatchedBy::as_str));
        Number match_score [SHARE]: "Score of an inferred match" = line.matched_by()?.1;
        Number p: "p of the first change point of the group" = line.group?.p;
        Number q: "Benjamini-Hochberg q of that" = line.group?.q;
        Number newest_q: "q of the newest version against those since the last change" = line.newest()?.q;
        Text newest_verdict: "Verdict of the newest version" = some(line.newest()?.verdict.as_str());
        Text newest_reason: "Reason of that verdict" = option(line.newest()?.reason.as_ref().map(Reason::text));
    }
}

/// A row per group and version in which it occurs or at which something happened to it, then a row per other
/// event; parameters of the environment become columns.
impl Tabular for History {
    fn table(&self) -> Table<'_> {
        let mut lines = Vec::new();
        for series in &self.series {
            for group in &series.groups {
                add_group(&mut lines, series, group);
            }
            add_other_events(&mut lines, series);
        }
        let parameters = names(self.series.iter().map(|series| &series.environment));
        let lines = Rc::<[_]>::from(lines);
        let mut table = Table::new(Rc::clone(&lines), group());
        table.add_parameters(&lines, "environment", &parameters, |line| {
            &line.series.environment
        });
        table.add(&lines, history());
        table
    }
}

fn add_group<'a>(
    lines: &mut Vec<HistoryLine<'a>>,
    series: &'a HistorySeries,
    group: &'a HistoryGroup,
) {
    for (point, value) in group.values.iter().enumerate() {
        let at = point as u64;
        let events = series.events.iter().filter(|event| is_of(event, group, at));
        let events: Vec<&HistoryEvent> = events.collect();
        if value.is_none() && events.is_empty() {
            continue;
        }
        let version = series.points.get(point).map(|point| &point.version);
        let mut names = group.names.iter().rev();
        lines.push(HistoryLine {
            series,
            point,
            group: Some(group),
            path: &group.path,
            value: value.as_ref(),
            events,
            name: names.find(|name| name.version.is_some() && name.version.as_ref() == version),
        });
    }
}

/// Events of no group of the answer.
fn add_other_events<'a>(lines: &mut Vec<HistoryLine<'a>>, series: &'a HistorySeries) {
    for event in &series.events {
        let mut groups = series.groups.iter();
        if groups.any(|group| is_of(event, group, event.point)) {
            continue;
        }
        lines.push(HistoryLine {
            series,
            point: usize::try_from(event.point).unwrap_or(usize::MAX),
            group: None,
            path: &event.path,
            value: None,
            events: vec![event],
            name: None,
        });
    }
}

fn is_of(event: &HistoryEvent, group: &HistoryGroup, point: u64) -> bool {
    event.point == point && event.group.as_deref() == Some(group.group.as_str())
}
