//! Gates.

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use sheaf_api::{DiffRow, Gate, GateGroup};

use super::Columns;

/// Groups of a gate with the numbers of their comparison.
pub(crate) fn gate(answer: &Gate) -> Result<RecordBatch, ArrowError> {
    let pair = |group| -> Option<(&GateGroup, &DiffRow)> {
        let group: &GateGroup = group;
        let place = usize::try_from(group.row).ok()?;
        Some((group, answer.diff.rows.get(place)?))
    };
    let rows: Vec<_> = answer.groups.iter().filter_map(pair).collect();
    let paths: Vec<_> = rows
        .iter()
        .map(|(group, _)| group.path.join(" / "))
        .collect();
    let states: Vec<_> = rows.iter().map(|(group, _)| value(group.state)).collect();
    let verdicts: Vec<_> = rows.iter().map(|(_, row)| value(row.verdict)).collect();
    let mut columns = Columns::default();
    columns.text("path", paths.iter().map(|path| Some(path.as_str())));
    columns.text(
        "group",
        rows.iter().map(|(group, _)| Some(group.group.as_str())),
    );
    columns.text("state", states.iter().map(serde_json::Value::as_str));
    columns.number("limit", rows.iter().map(|(group, _)| Some(group.limit)));
    columns.number("worsening", rows.iter().map(|(group, _)| group.worsening));
    columns.number("share", rows.iter().map(|(group, _)| group.share));
    columns.text(
        "metric",
        rows.iter().map(|(_, row)| Some(row.metric.as_str())),
    );
    columns.number("a", rows.iter().map(|(_, row)| row.a));
    columns.number("b", rows.iter().map(|(_, row)| row.b));
    columns.number("delta", rows.iter().map(|(_, row)| Some(row.delta)));
    columns.number("ratio", rows.iter().map(|(_, row)| row.ratio));
    columns.number("ci_low", rows.iter().map(|(_, row)| row.ci.map(|ci| ci[0])));
    columns.number(
        "ci_high",
        rows.iter().map(|(_, row)| row.ci.map(|ci| ci[1])),
    );
    columns.number("p", rows.iter().map(|(_, row)| row.p));
    columns.number("q", rows.iter().map(|(_, row)| row.q));
    columns.text("verdict", verdicts.iter().map(serde_json::Value::as_str));
    columns.count("runs_a", rows.iter().map(|(_, row)| row.runs_a));
    columns.count("runs_b", rows.iter().map(|(_, row)| row.runs_b));
    columns.text(
        "reason",
        rows.iter().map(|(group, _)| Some(group.reason.as_str())),
    );
    columns.finish()
}

/// A choice in its wire form.
pub(super) fn value(choice: impl serde::Serialize) -> serde_json::Value {
    serde_json::to_value(choice).unwrap_or_default()
}
