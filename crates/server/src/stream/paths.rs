//! Paths and loops of one run as Arrow IPC streams.

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use sheaf_api::{Loops, Paths};

use super::Columns;

/// Definitions with their part in the paths.
pub(crate) fn paths(answer: &Paths) -> Result<RecordBatch, ArrowError> {
    let rows = &answer.rows;
    let mut columns = Columns::default();
    columns.text("definition", rows.iter().map(|row| Some(&*row.definition)));
    columns.count("grains", rows.iter().map(|row| row.grains));
    columns.integer("work", rows.iter().map(|row| Some(row.work)));
    columns.count(
        "critical_grains",
        rows.iter().map(|row| row.critical_grains),
    );
    columns.integer(
        "critical_work",
        rows.iter().map(|row| Some(row.critical_work)),
    );
    columns.integer(
        "last_finisher_work",
        rows.iter().map(|row| row.last_finisher_work),
    );
    columns.integer("span", rows.iter().map(|row| row.span));
    columns.number("parallelism", rows.iter().map(|row| row.parallelism));
    columns.finish()
}

/// Executions of loops.
pub(crate) fn loops(answer: &Loops) -> Result<RecordBatch, ArrowError> {
    let rows = &answer.rows;
    let small = |value: Option<u32>| value.and_then(|value| i32::try_from(value).ok());
    let mut columns = Columns::default();
    columns.text("definition", rows.iter().map(|row| Some(&*row.definition)));
    columns.count("first_chunk", rows.iter().map(|row| row.first_chunk.into()));
    columns.count("chunks", rows.iter().map(|row| row.chunks.into()));
    columns.small("workers", rows.iter().map(|row| small(row.workers)));
    columns.integer("work", rows.iter().map(|row| Some(row.work)));
    columns.integer("makespan", rows.iter().map(|row| Some(row.makespan)));
    columns.text(
        "makespan_from",
        rows.iter().map(|row| Some(&*row.makespan_from)),
    );
    columns.small(
        "least_workers",
        rows.iter().map(|row| small(row.least_workers)),
    );
    columns.count(
        "least_workers_lower",
        rows.iter().map(|row| row.least_workers_lower.into()),
    );
    columns.count(
        "least_workers_upper",
        rows.iter().map(|row| row.least_workers_upper.into()),
    );
    columns.text("proof", rows.iter().map(|row| Some(&*row.proof)));
    columns.finish()
}
