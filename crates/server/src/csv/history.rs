//! Histories.

use sheaf_api::{History, HistoryGroup, HistorySeries};

use super::{option, param, text, write};

/// A row per group and version in which it occurs; parameters of the environment become columns.
pub fn history(answer: &History) -> String {
    let parameters = super::names(answer.series.iter().map(|series| &series.environment));
    let mut header: Vec<String> = vec!["path".into(), "group".into()];
    header.extend(parameters.iter().map(|name| format!("environment.{name}")));
    let fixed = [
        "version",
        "place",
        "metric",
        "runs",
        "median",
        "min",
        "max",
        "is_change",
        "p",
        "q",
    ];
    header.extend(fixed.iter().map(ToString::to_string));
    let rows = history_rows(answer).map(|(series, group, point)| {
        let mut cells = vec![text(&group.path.join(" / ")), group.group.clone()];
        cells.extend(
            parameters
                .iter()
                .map(|name| param(series.environment.get(*name))),
        );
        cells.extend([
            param(series.points.get(point).map(|point| &point.version)),
            point.to_string(),
            text(&answer.metric),
        ]);
        let value = group.values.get(point).and_then(Option::as_ref);
        cells.push(option(value.map(|value| value.runs).as_ref()));
        let numbers = [
            value.map(|value| value.median),
            value.map(|value| value.min),
            value.map(|value| value.max),
        ];
        cells.extend(numbers.iter().map(|number| option(number.as_ref())));
        cells.push(is_change(group, point).to_string());
        cells.extend([option(group.p.as_ref()), option(group.q.as_ref())]);
        cells
    });
    write(&header, rows)
}

/// Series, group and place of every value.
pub(crate) fn history_rows(
    answer: &History,
) -> impl Iterator<Item = (&HistorySeries, &HistoryGroup, usize)> {
    answer.series.iter().flat_map(|series| {
        series.groups.iter().flat_map(move |group| {
            let places = group.values.iter().enumerate();
            let measured = places.filter(|(_, value)| value.is_some());
            measured.map(move |(point, _)| (series, group, point))
        })
    })
}

/// Whether the group changes at a place.
pub(crate) fn is_change(group: &HistoryGroup, point: usize) -> bool {
    group
        .changes
        .iter()
        .any(|change| change.point == point as u64)
}
