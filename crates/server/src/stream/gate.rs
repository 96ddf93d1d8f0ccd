//! Gates.

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use sheaf_api::Gate;

use super::Columns;
use crate::csv::gate_lines;

/// The whole run and the groups of a gate with the numbers of their comparison.
pub(crate) fn gate(answer: &Gate) -> Result<RecordBatch, ArrowError> {
    let rows = gate_lines(answer);
    let states: Vec<_> = rows.iter().map(|row| row.state.map(value)).collect();
    let verdicts: Vec<_> = rows.iter().map(|row| row.verdict.map(value)).collect();
    let word = |value: &Option<serde_json::Value>| Some(value.as_ref()?.as_str()?.to_owned());
    let [states, verdicts] =
        [states, verdicts].map(|all| all.iter().map(word).collect::<Vec<Option<String>>>());
    let mut columns = Columns::default();
    columns.text("path", rows.iter().map(|row| Some(row.path.as_str())));
    columns.text("group", rows.iter().map(|row| Some(row.group.as_str())));
    columns.text("state", states.iter().map(Option::as_deref));
    columns.number("limit", rows.iter().map(|row| Some(row.limit)));
    columns.number("worsening", rows.iter().map(|row| row.worsening));
    columns.number("share", rows.iter().map(|row| row.share));
    columns.text("metric", rows.iter().map(|row| Some(row.metric.as_str())));
    columns.number("a", rows.iter().map(|row| row.means[0]));
    columns.number("b", rows.iter().map(|row| row.means[1]));
    columns.number("delta", rows.iter().map(|row| row.delta));
    columns.number("ratio", rows.iter().map(|row| row.ratio));
    columns.number("ci_low", rows.iter().map(|row| row.ci.map(|ci| ci[0])));
    columns.number("ci_high", rows.iter().map(|row| row.ci.map(|ci| ci[1])));
    columns.number("p", rows.iter().map(|row| row.p));
    columns.number("q", rows.iter().map(|row| row.q));
    columns.text("verdict", verdicts.iter().map(Option::as_deref));
    columns.count("runs_a", rows.iter().map(|row| row.runs[0]));
    columns.count("runs_b", rows.iter().map(|row| row.runs[1]));
    columns.text("reason", rows.iter().map(|row| Some(row.reason.as_str())));
    columns.finish()
}

/// A choice in its wire form.
pub(super) fn value(choice: impl serde::Serialize) -> serde_json::Value {
    serde_json::to_value(choice).unwrap_or_default()
}
