//! Similarity and projections as Arrow IPC streams.

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use sheaf_api::{Projection, Similar};

use super::Columns;

/// The matrix: a row and a column for each run, columns under run ids.
pub(crate) fn similar(answer: &Similar) -> Result<RecordBatch, ArrowError> {
    let rows = &answer.runs;
    let mut columns = Columns::default();
    columns.text("run", rows.iter().map(|row| Some(row.run.as_str())));
    columns.text("name", rows.iter().map(|row| Some(row.name.as_str())));
    columns.count("cluster", rows.iter().map(|row| row.cluster));
    columns.text(
        "structure",
        rows.iter().map(|row| Some(row.structure.as_str())),
    );
    columns.count("nodes", rows.iter().map(|row| row.nodes));
    columns.truth("differs", rows.iter().map(|row| row.differs));
    for (run, values) in rows.iter().zip(&answer.matrix) {
        // The matrix is symmetric.
        columns.number(&run.run, values.iter().copied());
    }
    columns.finish()
}

/// Places of runs in both pictures.
pub(crate) fn projection(answer: &Projection) -> Result<RecordBatch, ArrowError> {
    let rows = &answer.runs;
    let mut columns = Columns::default();
    columns.text("run", rows.iter().map(|row| Some(row.run.as_str())));
    columns.text("name", rows.iter().map(|row| Some(row.name.as_str())));
    columns.number("x", rows.iter().map(|row| Some(row.behaviour.x)));
    columns.number("y", rows.iter().map(|row| Some(row.behaviour.y)));
    columns.count("cluster", rows.iter().map(|row| row.behaviour.cluster));
    columns.number(
        "parameters_x",
        rows.iter().map(|row| Some(row.parameters.x)),
    );
    columns.number(
        "parameters_y",
        rows.iter().map(|row| Some(row.parameters.y)),
    );
    columns.count(
        "parameters_cluster",
        rows.iter().map(|row| row.parameters.cluster),
    );
    let mut names: Vec<&String> = rows.iter().flat_map(|row| row.params.keys()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        columns.param(
            &format!("params.{name}"),
            rows.iter().map(|row| row.params.get(name)),
        );
    }
    columns.finish()
}
