//! Differences of grains as Arrow IPC streams.

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use sheaf_api::{GrainDiff, GrainDiffRow};

use super::Columns;

/// Grains of a difference.
pub(crate) fn grain_diff(answer: &GrainDiff) -> Result<RecordBatch, ArrowError> {
    type Number = fn(&GrainDiffRow) -> Option<f64>;
    type Text = fn(&GrainDiffRow) -> &str;
    let rows = &answer.rows;
    let paths: Vec<_> = rows.iter().map(|row| row.path.join(" / ")).collect();
    let mut columns = Columns::default();
    columns.text("path", paths.iter().map(|path| Some(path.as_str())));
    let texts: [(&str, Text); 3] = [
        ("definition", |row| &row.definition),
        ("path_key", |row| &row.path_key),
        ("kind", |row| &row.kind),
    ];
    for (name, of) in texts {
        columns.text(name, rows.iter().map(|row| Some(of(row))));
    }
    columns.count("runs_a", rows.iter().map(|row| row.runs_a.into()));
    columns.count("runs_b", rows.iter().map(|row| row.runs_b.into()));
    let numbers: [(&str, Number); 10] = [
        ("a", |row| row.a),
        ("b", |row| row.b),
        ("delta", |row| row.delta),
        ("work_deviation", |row| row.work_deviation),
        ("lifetime_a", |row| row.lifetime_a),
        ("lifetime_b", |row| row.lifetime_b),
        ("stretch", |row| row.stretch),
        ("delay_a", |row| row.delay_a),
        ("delay_b", |row| row.delay_b),
        ("delay_change", |row| row.delay_change),
    ];
    for (name, of) in numbers {
        columns.number(name, rows.iter().map(of));
    }
    columns.text(
        "matched_by",
        rows.iter().map(|row| row.matched_by.as_deref()),
    );
    columns.number("match_score", rows.iter().map(|row| row.match_score));
    columns.finish()
}
