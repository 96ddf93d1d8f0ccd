//! Histories.

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use sheaf_api::{History, HistoryValue};

use super::Columns;
use crate::csv::{history_rows, is_change};

/// A row per group and version in which it occurs; parameters of the environment become columns.
pub(crate) fn history(answer: &History) -> Result<RecordBatch, ArrowError> {
    let rows: Vec<_> = history_rows(answer).collect();
    let paths: Vec<_> = rows
        .iter()
        .map(|(_, group, _)| group.path.join(" / "))
        .collect();
    let value = |of: fn(&HistoryValue) -> f64| {
        let value = move |row: &(_, &sheaf_api::HistoryGroup, usize)| {
            row.1.values.get(row.2)?.as_ref().map(of)
        };
        rows.iter().map(value)
    };
    let mut columns = Columns::default();
    columns.text("path", paths.iter().map(|path| Some(path.as_str())));
    columns.text(
        "group",
        rows.iter().map(|(_, group, _)| Some(group.group.as_str())),
    );
    let series = &answer.series;
    let mut names: Vec<&String> = series
        .iter()
        .flat_map(|one| one.environment.keys())
        .collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let values = rows
            .iter()
            .map(|(series, _, _)| series.environment.get(name));
        columns.param(&format!("environment.{name}"), values);
    }
    let versions = rows.iter().map(|(series, _, point)| {
        let point = series.points.get(*point)?;
        Some(&point.version)
    });
    columns.param("version", versions);
    columns.count("place", rows.iter().map(|(_, _, point)| *point as u64));
    columns.text("metric", rows.iter().map(|_| Some(answer.metric.as_str())));
    columns.number("runs", value(|value| value.runs as f64));
    columns.number("median", value(|value| value.median));
    columns.number("min", value(|value| value.min));
    columns.number("max", value(|value| value.max));
    columns.truth(
        "is_change",
        rows.iter()
            .map(|(_, group, point)| Some(is_change(group, *point))),
    );
    columns.number("p", rows.iter().map(|(_, group, _)| group.p));
    columns.number("q", rows.iter().map(|(_, group, _)| group.q));
    columns.finish()
}
