//! One Parquet file: row groups of bounded size, the meaning of every column in its metadata.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, StringBuilder,
};
use arrow::datatypes::{Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use sheaf_answers::{Table, Values};
use sheaf_model::{Progress, RunMeta};

use super::check;

/// Rows of a row group.
const GROUP: usize = 1 << 16;

/// Rows that are encoded at once; the work can be stopped between them.
const BATCH: usize = 1 << 12;

/// Writes a table; `out` need not be buffered.
pub(super) fn write(
    table: &Table<'_>,
    meta: &RunMeta,
    out: &mut (dyn Write + Send),
    progress: &Progress,
) -> io::Result<()> {
    let schema = schema(table, meta);
    let out = BufWriter::with_capacity(1 << 16, out);
    let mut writer =
        ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties(meta)?)).map_err(cause)?;
    for start in (0..table.num_rows()).step_by(BATCH) {
        let rows = start..table.num_rows().min(start + BATCH);
        check(progress, start, table.num_rows())?;
        let columns = table.columns().iter();
        let arrays = columns.map(|column| array(&column.values, rows.clone()));
        let batch = RecordBatch::try_new(Arc::clone(&schema), arrays.collect());
        let batch = batch.map_err(io::Error::other)?;
        writer.write(&batch).map_err(cause)?;
        if rows.end.is_multiple_of(GROUP) {
            writer.flush().map_err(cause)?;
        }
    }
    writer.into_inner().map_err(cause)?.flush()
}

/// The run that the columns are of.
fn about(meta: &RunMeta) -> [(String, String); 4] {
    [
        ("run", meta.id.to_string()),
        ("name", meta.name.clone()),
        ("program", meta.program.clone()),
        ("time_unit", meta.time_unit.as_str().to_owned()),
    ]
    .map(|(key, value)| (format!("grainsheaf.{key}"), value))
}

fn schema(table: &Table<'_>, meta: &RunMeta) -> SchemaRef {
    let fields = table.columns().iter().map(|column| {
        let data_type = array(&column.values, 0..0).data_type().clone();
        let meaning = ("description".to_owned(), column.meaning.to_string());
        Field::new(&*column.name, data_type, true).with_metadata(HashMap::from([meaning]))
    });
    let fields: Vec<Field> = fields.collect();
    Arc::new(Schema::new_with_metadata(fields, about(meta).into()))
}

/// Arrow's readers look for the metadata of the run in the schema, others in the file's own list.
fn properties(meta: &RunMeta) -> io::Result<WriterProperties> {
    let about = about(meta).map(|(key, value)| KeyValue::new(key, value));
    let level = ZstdLevel::try_new(3).map_err(cause)?;
    Ok(WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_created_by("grainsheaf".to_owned())
        .set_key_value_metadata(Some(about.into()))
        .build())
}

/// The failure of the output itself, where it is one.
fn cause(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}

fn array(values: &Values<'_>, rows: Range<usize>) -> ArrayRef {
    match values {
        Values::Number(values) => Arc::new(rows.map(values).collect::<Float64Array>()),
        Values::Integer(values) => Arc::new(rows.map(values).collect::<Int64Array>()),
        Values::Count(values) => {
            let values = rows.map(|row| i64::try_from(values(row)?).ok());
            Arc::new(values.collect::<Int64Array>())
        }
        Values::Truth(values) => Arc::new(rows.map(values).collect::<BooleanArray>()),
        Values::Metric(values) => {
            let values = rows.map(|row| Some(values(row)?.as_f64()));
            Arc::new(values.collect::<Float64Array>())
        }
        Values::Text(write) => {
            let mut texts = StringBuilder::new();
            rows.for_each(|row| write(row, &mut |text| texts.append_option(text)));
            Arc::new(texts.finish())
        }
        Values::Parameter(values) => {
            let values = rows.map(|row| Some(values(row)?.shown()));
            Arc::new(values.collect::<StringArray>())
        }
    }
}
