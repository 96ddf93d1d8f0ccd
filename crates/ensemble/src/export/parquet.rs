//! One Parquet file: row groups of bounded size, the meaning of every column in its metadata.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Builder, Int64Builder, RecordBatch, StringBuilder};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use sheaf_model::{Progress, RunMeta};

use super::check;
use super::rows::{Cell, CellType, Column, Rows};

/// Rows of a row group.
const GROUP: usize = 1 << 16;

/// Rows that are encoded at once; the work can be stopped between them.
const BATCH: usize = 1 << 12;

/// Writes a table; `out` need not be buffered.
pub(super) fn write(
    rows: &impl Rows,
    meta: &RunMeta,
    out: &mut (dyn Write + Send),
    progress: &Progress,
) -> io::Result<()> {
    let schema = schema(rows.columns(), meta);
    let out = BufWriter::with_capacity(1 << 16, out);
    let mut writer =
        ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties(meta)?)).map_err(cause)?;
    let mut builders: Vec<Builder> = rows.columns().iter().map(Builder::new).collect();
    let mut cells = Vec::new();
    for row in 0..rows.len() {
        check(progress, row, rows.len())?;
        rows.fill(row, &mut cells);
        for (builder, cell) in builders.iter_mut().zip(&cells) {
            builder.push(cell);
        }
        if (row + 1).is_multiple_of(BATCH) || row + 1 == rows.len() {
            let arrays = builders.iter_mut().map(Builder::finish).collect();
            let batch = RecordBatch::try_new(Arc::clone(&schema), arrays);
            let batch = batch.map_err(io::Error::other)?;
            writer.write(&batch).map_err(cause)?;
        }
        if (row + 1).is_multiple_of(GROUP) {
            writer.flush().map_err(cause)?;
        }
    }
    writer.into_inner().map_err(cause)?.flush()
}

/// What is said of the run, beside the columns.
fn about(meta: &RunMeta) -> [(String, String); 4] {
    [
        ("run", meta.id.to_string()),
        ("name", meta.name.clone()),
        ("program", meta.program.clone()),
        ("time_unit", meta.time_unit.as_str().to_owned()),
    ]
    .map(|(key, value)| (format!("grainsheaf.{key}"), value))
}

fn schema(columns: &[Column], meta: &RunMeta) -> SchemaRef {
    let fields = columns.iter().map(|column| {
        let data_type = match column.cell_type {
            CellType::Integer => DataType::Int64,
            CellType::Float => DataType::Float64,
            CellType::Text => DataType::Utf8,
        };
        let meaning = ("description".to_owned(), column.meaning.clone());
        Field::new(&column.name, data_type, true).with_metadata(HashMap::from([meaning]))
    });
    let fields: Vec<Field> = fields.collect();
    Arc::new(Schema::new_with_metadata(fields, about(meta).into()))
}

/// Arrow's readers look for what is said of the run in the schema, others in the file's own list.
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

/// A column of the group that is being made.
enum Builder {
    Integers(Int64Builder),
    Floats(Float64Builder),
    Texts(StringBuilder),
}

impl Builder {
    fn new(column: &Column) -> Self {
        match column.cell_type {
            CellType::Integer => Self::Integers(Int64Builder::new()),
            CellType::Float => Self::Floats(Float64Builder::new()),
            CellType::Text => Self::Texts(StringBuilder::new()),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "an integer among floats is a float to whoever reads it"
    )]
    fn push(&mut self, cell: &Cell<'_>) {
        match (self, cell) {
            (Self::Integers(builder), Cell::Integer(value)) => builder.append_value(*value),
            (Self::Integers(builder), _) => builder.append_null(),
            (Self::Floats(builder), Cell::Float(value)) => builder.append_value(*value),
            (Self::Floats(builder), Cell::Integer(value)) => builder.append_value(*value as f64),
            (Self::Floats(builder), _) => builder.append_null(),
            (Self::Texts(builder), Cell::Text(text)) => builder.append_value(text),
            (Self::Texts(builder), _) => builder.append_null(),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Integers(builder) => Arc::new(builder.finish()),
            Self::Floats(builder) => Arc::new(builder.finish()),
            Self::Texts(builder) => Arc::new(builder.finish()),
        }
    }
}
