//! Histories.

use sheaf_api::{
    ChangeKind, History, HistoryEvent, HistoryGroup, HistoryLast, HistorySeries, HistoryValue,
    RenamedName, Verdict,
};

use super::gate::word;
use super::{option, param, text, write};

/// Columns of every history, behind those of its environments.
const FIXED: [&str; 19] = [
    "version",
    "place",
    "metric",
    "runs",
    "median",
    "min",
    "max",
    "is_change",
    "verdict",
    "reason",
    "events",
    "name",
    "matched_by",
    "match_score",
    "p",
    "q",
    "newest_q",
    "newest_verdict",
    "newest_reason",
];

/// A row per group and version in which it occurs or at which something happened to it, then a row per other
/// event; parameters of the environment become columns.
pub fn history(answer: &History) -> String {
    let parameters = super::names(answer.series.iter().map(|series| &series.environment));
    let mut header: Vec<String> = vec!["path".into(), "group".into()];
    header.extend(parameters.iter().map(|name| format!("environment.{name}")));
    header.extend(FIXED.iter().map(ToString::to_string));
    let lines = history_lines(answer);
    let rows = lines.iter().map(|line| {
        let mut cells = vec![text(&line.path), line.id.to_owned()];
        cells.extend(
            parameters
                .iter()
                .map(|name| param(line.series.environment.get(*name))),
        );
        cells.extend([
            param(
                line.series
                    .points
                    .get(line.point)
                    .map(|point| &point.version),
            ),
            line.point.to_string(),
            text(&line.series.metric),
        ]);
        cells.push(option(line.value.map(|value| value.runs).as_ref()));
        let numbers = [
            line.value.map(|value| value.median),
            line.value.map(|value| value.min),
            line.value.map(|value| value.max),
        ];
        cells.extend(numbers.iter().map(|number| option(number.as_ref())));
        cells.push(line.is_change.to_string());
        let judged = line.judged();
        cells.extend([
            judged.map_or_else(String::new, |(verdict, _)| word(verdict)),
            text(judged.and_then(|(_, reason)| reason).unwrap_or_default()),
            text(&line.events),
            text(line.name()),
            text(line.matched_by.unwrap_or_default()),
            option(line.score.as_ref()),
        ]);
        let p = line.group.and_then(|group| group.p);
        let q = line.group.and_then(|group| group.q);
        cells.extend([option(p.as_ref()), option(q.as_ref())]);
        let newest = line.newest();
        cells.extend([
            option(newest.and_then(|last| last.q).as_ref()),
            newest.map_or_else(String::new, |last| word(last.verdict)),
            text(
                newest
                    .and_then(|last| last.reason.as_deref())
                    .unwrap_or_default(),
            ),
        ]);
        cells
    });
    write(&header, rows)
}

/// A row of the table of a history.
pub(crate) struct HistoryLine<'a> {
    pub(crate) series: &'a HistorySeries,
    /// Place of the version among the points of the series.
    pub(crate) point: usize,
    /// The group, where it is one of the answer's.
    pub(crate) group: Option<&'a HistoryGroup>,
    pub(crate) path: String,
    /// Id of the group; empty where it is none of the answer's.
    pub(crate) id: &'a str,
    pub(crate) value: Option<&'a HistoryValue>,
    pub(crate) is_change: bool,
    /// What happened, with blanks between.
    pub(crate) events: String,
    name: Option<&'a RenamedName>,
    /// How a name that begins here, or both names of an event, were found to be the same.
    pub(crate) matched_by: Option<&'a str>,
    pub(crate) score: Option<f64>,
}

impl HistoryLine<'_> {
    /// The name that a group with several begins to have here; empty elsewhere.
    pub(crate) fn name(&self) -> &str {
        self.name.map_or("", |name| &name.name)
    }

    /// What is said of the change here and why; of times with other numbers of workers than before, that they are not
    /// tested.
    pub(crate) fn judged(&self) -> Option<(Verdict, Option<&str>)> {
        let group = self.group?;
        let at = self.point as u64;
        let change = group.changes.iter().find(|change| change.point == at);
        if let Some(change) = change {
            return Some((change.verdict, change.reason.as_deref()));
        }
        let untested = self.series.points.get(self.point)?.untested.as_deref()?;
        let before = group.values.get(self.point.checked_sub(1)?)?.as_ref();
        (before.is_some() && self.value.is_some()).then_some((Verdict::Untestable, Some(untested)))
    }

    /// What is said of the newest version, on its row.
    pub(crate) fn newest(&self) -> Option<&HistoryLast> {
        let is_newest = self.point + 1 == self.series.points.len();
        self.group?.last.as_ref().filter(|_| is_newest)
    }
}

/// Rows in the order of the answer.
pub(crate) fn history_lines(answer: &History) -> Vec<HistoryLine<'_>> {
    let mut lines = Vec::new();
    for series in &answer.series {
        for group in &series.groups {
            lines.extend(of_group(series, group));
        }
        lines.extend(of_events(series));
    }
    lines
}

fn of_group<'a>(
    series: &'a HistorySeries,
    group: &'a HistoryGroup,
) -> impl Iterator<Item = HistoryLine<'a>> {
    let line = move |(point, value): (usize, &'a Option<HistoryValue>)| {
        let at = point as u64;
        let own = series.events.iter().filter(|event| is_of(event, group, at));
        let events: Vec<&str> = own.map(|event| kind_word(event.kind)).collect();
        let version = series.points.get(point).map(|point| &point.version);
        let begins =
            |name: &&RenamedName| name.version.is_some() && name.version.as_ref() == version;
        let name = group.names.iter().rev().find(begins);
        let line = HistoryLine {
            series,
            point,
            group: Some(group),
            path: group.path.join(" / "),
            id: &group.group,
            value: value.as_ref(),
            is_change: group.changes.iter().any(|change| change.point == at),
            events: events.join(" "),
            name,
            matched_by: name.and_then(|name| name.matched_by.as_deref()),
            score: name.and_then(|name| name.score),
        };
        (line.value.is_some() || !line.events.is_empty()).then_some(line)
    };
    group.values.iter().enumerate().filter_map(line)
}

/// Events of no group of the answer.
fn of_events(series: &HistorySeries) -> impl Iterator<Item = HistoryLine<'_>> {
    let is_other = |event: &&HistoryEvent| {
        let mut groups = series.groups.iter();
        !groups.any(|group| is_of(event, group, event.point))
    };
    series.events.iter().filter(is_other).map(|event| {
        let change = event.change.as_ref();
        HistoryLine {
            series,
            point: usize::try_from(event.point).unwrap_or(usize::MAX),
            group: None,
            path: event.path.join(" / "),
            id: "",
            value: None,
            is_change: false,
            events: kind_word(event.kind).to_owned(),
            name: None,
            matched_by: change.and_then(|change| change.matched_by.as_deref()),
            score: change.and_then(|change| change.score),
        }
    })
}

fn is_of(event: &HistoryEvent, group: &HistoryGroup, point: u64) -> bool {
    event.point == point && event.group.as_deref() == Some(group.group.as_str())
}

/// The word of answers for what happened.
const fn kind_word(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Appeared => "appeared",
        ChangeKind::Vanished => "vanished",
        ChangeKind::Renamed => "renamed",
        ChangeKind::Wrapped => "wrapped",
        ChangeKind::Unwrapped => "unwrapped",
        ChangeKind::Moved => "moved",
        ChangeKind::Multiplied => "multiplied",
        ChangeKind::Reordered => "reordered",
        ChangeKind::ThreadCountDependent => "thread_count_dependent",
        ChangeKind::Varies => "varies",
    }
}
