//! Histories.

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use sheaf_api::{History, HistoryValue};

use super::Columns;
use super::gate::value as value_of;
use crate::csv::{HistoryLine, history_lines};

/// A row per group and version in which it occurs or at which something happened to it, then a row per other
/// event; parameters of the environment become columns.
pub(crate) fn history(answer: &History) -> Result<RecordBatch, ArrowError> {
    let rows = history_lines(answer);
    let value = |of: fn(&HistoryValue) -> f64| rows.iter().map(move |row| row.value.map(of));
    let mut columns = Columns::default();
    columns.text("path", rows.iter().map(|row| Some(row.path.as_str())));
    columns.text("group", rows.iter().map(|row| filled(row.id)));
    let series = &answer.series;
    let mut names: Vec<&String> = series
        .iter()
        .flat_map(|one| one.environment.keys())
        .collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let values = rows.iter().map(|row| row.series.environment.get(name));
        columns.param(&format!("environment.{name}"), values);
    }
    let versions = rows.iter().map(|row| {
        let point = row.series.points.get(row.point)?;
        Some(&point.version)
    });
    columns.param("version", versions);
    columns.count("place", rows.iter().map(|row| row.point as u64));
    columns.text(
        "metric",
        rows.iter().map(|row| Some(row.series.metric.as_str())),
    );
    columns.number("runs", value(|value| value.runs as f64));
    columns.number("median", value(|value| value.median));
    columns.number("min", value(|value| value.min));
    columns.number("max", value(|value| value.max));
    columns.truth("is_change", rows.iter().map(|row| Some(row.is_change)));
    let judged = |row: &HistoryLine<'_>| Some(value_of(row.judged()?.0));
    let verdicts: Vec<_> = rows.iter().map(judged).collect();
    columns.text("verdict", verdicts.iter().map(|one| one.as_ref()?.as_str()));
    columns.text("reason", rows.iter().map(|row| row.judged()?.1));
    columns.text("events", rows.iter().map(|row| filled(&row.events)));
    columns.text("name", rows.iter().map(|row| filled(row.name())));
    columns.text("matched_by", rows.iter().map(|row| row.matched_by));
    columns.number("match_score", rows.iter().map(|row| row.score));
    let of_group = |of: fn(&sheaf_api::HistoryGroup) -> Option<f64>| {
        rows.iter()
            .map(move |row: &HistoryLine<'_>| row.group.and_then(of))
    };
    columns.number("p", of_group(|group| group.p));
    columns.number("q", of_group(|group| group.q));
    columns.number("newest_q", rows.iter().map(|row| row.newest()?.q));
    let judged = |row: &HistoryLine<'_>| Some(value_of(row.newest()?.verdict));
    let verdicts: Vec<_> = rows.iter().map(judged).collect();
    columns.text(
        "newest_verdict",
        verdicts.iter().map(|one| one.as_ref()?.as_str()),
    );
    columns.text(
        "newest_reason",
        rows.iter().map(|row| row.newest()?.reason.as_deref()),
    );
    columns.finish()
}

/// A text that says something.
fn filled(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
