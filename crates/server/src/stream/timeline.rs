//! The time line of one run as Arrow IPC streams.

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use sheaf_api::{Parallelism, Timeline};

use super::Columns;

/// Who ran what.
pub(crate) fn timeline(answer: &Timeline) -> Result<RecordBatch, ArrowError> {
    let rows = &answer.rows;
    let mut columns = Columns::default();
    columns.count("worker", rows.iter().map(|row| row.worker.into()));
    columns.number("start", rows.iter().map(|row| Some(row.start)));
    columns.number("end", rows.iter().map(|row| Some(row.end)));
    columns.count("intervals", rows.iter().map(|row| row.intervals.into()));
    columns.number("busy", rows.iter().map(|row| Some(row.busy)));
    columns.number("grain", rows.iter().map(|row| row.grain.map(f64::from)));
    columns.text(
        "definition",
        rows.iter().map(|row| row.definition.as_deref()),
    );
    columns.finish()
}

/// How much ran and waited; three columns per layer.
pub(crate) fn parallelism(answer: &Parallelism) -> Result<RecordBatch, ArrowError> {
    let rows = &answer.rows;
    let mut columns = Columns::default();
    columns.number("start", rows.iter().map(|row| Some(row.start)));
    columns.number("end", rows.iter().map(|row| Some(row.end)));
    for layer in &answer.layers {
        for figure in ["min", "mean", "max"] {
            let name = format!("{layer}_{figure}");
            let values = rows.iter().map(|row| row.fragments.get(&name).copied());
            columns.number(&name, values);
        }
    }
    columns.finish()
}
