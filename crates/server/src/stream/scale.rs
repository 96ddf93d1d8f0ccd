//! Tables of a scaling study as Arrow.

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use sheaf_api::{Scale, ScaleTable};

use super::Columns;
use crate::scale_tables::{Column, columns};

/// One table of a scaling study.
pub(crate) fn scale(answer: &Scale, table: ScaleTable) -> Result<RecordBatch, ArrowError> {
    let mut batch = Columns::default();
    for (name, column) in columns(answer, table).columns {
        match column {
            Column::Text(values) => batch.text(name, values.iter().map(Option::as_deref)),
            Column::Number(values) => batch.number(name, values.into_iter()),
            Column::Truth(values) => batch.truth(name, values.into_iter()),
        }
    }
    batch.finish()
}
