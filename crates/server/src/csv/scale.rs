//! Tables of a scaling study as comma-separated values.

use sheaf_api::{Scale, ScaleTable};

use super::{option, text, write};
use crate::scale_tables::{Column, columns};

/// One table of a scaling study.
pub fn scale(answer: &Scale, table: ScaleTable) -> String {
    let columns = columns(answer, table).columns;
    let header: Vec<String> = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
    let rows = columns.first().map_or(0, |(_, column)| match column {
        Column::Text(values) => values.len(),
        Column::Number(values) => values.len(),
        Column::Truth(values) => values.len(),
    });
    let cell = |column: &Column, row: usize| match column {
        Column::Text(values) => values[row].as_deref().map(text).unwrap_or_default(),
        Column::Number(values) => option(values[row].as_ref()),
        Column::Truth(values) => option(values[row].as_ref()),
    };
    let rows = (0..rows).map(|row| {
        columns
            .iter()
            .map(|(_, column)| cell(column, row))
            .collect()
    });
    write(&header, rows)
}
