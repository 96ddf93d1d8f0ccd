//! Writing one Parquet file: row groups as given, hashed on the way to disk.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Int32Type, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowLeafColumn, ArrowRowGroupWriterFactory,
    ArrowWriterOptions, compute_leaves,
};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedFileWriter;
use rayon::prelude::*;
use sheaf_model::RunId;

use crate::disk::{File, Place};
use crate::layout::{file_name, row_column, short_hash};
use crate::manifest::FileEntry;
use crate::row_groups::Part;
use crate::{Error, disk, encoding};

/// Name of the column in front of every stored table.
pub(crate) const RUN_COLUMN: &str = "run";

/// Rows from which on the columns of a row group are encoded side by side.
const ROWS_SIDE_BY_SIDE: usize = 1 << 13;

/// A table's file while it is written.
pub(crate) struct TableFile {
    table: String,
    place: Place,
    schema: SchemaRef,
    writer: SerializedFileWriter<HashingWriter>,
    columns: ArrowRowGroupWriterFactory,
    rows: u64,
}

impl TableFile {
    /// Begins the file of a table in `folder`; `schema` is the stored one.
    pub(crate) fn create(folder: &Place, table: &str, schema: &SchemaRef) -> Result<Self, Error> {
        let place = folder.join(&file_name(table));
        let file = HashingWriter::new(disk::create(&place)?);
        let options = ArrowWriterOptions::new()
            .with_properties(encoding::properties(table, schema)?)
            .with_skip_arrow_metadata(true);
        let (writer, columns) =
            ArrowWriter::try_new_with_options(file, Arc::clone(schema), options)
                .and_then(ArrowWriter::into_serialized_writer)
                .map_err(|source| write_error(&place.path(), source))?;
        Ok(Self {
            table: table.to_owned(),
            place,
            schema: Arc::clone(schema),
            writer,
            columns,
            rows: 0,
        })
    }

    /// Writes one row group in one call: how rows are cut into calls shows in the bytes.
    pub(crate) fn write_group(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        self.rows += batch.num_rows() as u64;
        self.encode(batch)
            .and_then(|chunks| self.append(chunks))
            .map_err(|source| write_error(&self.place.path(), source))
    }

    /// Encodes and compresses the columns of a row group side by side, which takes most of the time of writing.
    fn encode(&self, batch: &RecordBatch) -> Result<Vec<ArrowColumnChunk>, ParquetError> {
        let group = self.writer.flushed_row_groups().len();
        let writers = self.columns.create_column_writers(group)?;
        let mut leaves = Vec::with_capacity(writers.len());
        for (field, column) in self.schema.fields().iter().zip(batch.columns()) {
            leaves.extend(compute_leaves(field, column)?);
        }
        let columns: Vec<_> = writers.into_iter().zip(leaves).collect();
        let encode = |(mut writer, leaf): (ArrowColumnWriter, ArrowLeafColumn)| {
            writer.write(&leaf)?;
            writer.close()
        };
        if batch.num_rows() < ROWS_SIDE_BY_SIDE {
            columns.into_iter().map(encode).collect()
        } else {
            columns.into_par_iter().map(encode).collect()
        }
    }

    fn append(&mut self, chunks: Vec<ArrowColumnChunk>) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for chunk in chunks {
            chunk.append_to_row_group(&mut group)?;
        }
        group.close()?;
        Ok(())
    }

    /// Completes the file and makes it durable.
    pub(crate) fn finish(self) -> Result<FileEntry, Error> {
        let place = self.place;
        let mut file = self
            .writer
            .into_inner()
            .map_err(|source| write_error(&place.path(), source))?;
        file.inner
            .flush()
            .map_err(|source| Error::io("write the file", &place.path(), source))?;
        disk::sync(file.inner.get_ref(), &place)?;
        Ok(FileEntry {
            table: self.table,
            rows: self.rows,
            bytes: file.bytes,
            blake3: short_hash(&file.hasher.finalize()),
        })
    }
}

/// The stored schema of a table of runs: run, row number where other tables refer to it, and the
/// model's columns.
pub(crate) fn stored_table_schema(table: &str, columns: &Schema) -> SchemaRef {
    let Some(name) = row_column(table) else {
        return stored_schema(columns);
    };
    let mut fields = vec![Arc::new(Field::new(name, DataType::Int32, false))];
    fields.extend(columns.fields().iter().cloned());
    stored_schema(&Schema::new(fields))
}

/// Puts the row number in front of a batch that holds `parts`, for tables that have the column.
pub(crate) fn with_row_numbers(
    table: &str,
    parts: &[Part],
    batch: RecordBatch,
) -> Result<RecordBatch, Error> {
    let Some(name) = row_column(table) else {
        return Ok(batch);
    };
    let numbers = parts.iter().flat_map(|part| part.rows.clone());
    let numbers: Int32Array = numbers
        .map(|row| Some(i32::try_from(row).unwrap_or(i32::MAX)))
        .collect();
    let mut fields = vec![Arc::new(Field::new(name, DataType::Int32, false))];
    fields.extend(batch.schema().fields().iter().cloned());
    let mut columns: Vec<ArrayRef> = vec![Arc::new(numbers)];
    columns.extend(batch.columns().iter().cloned());
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
        .map_err(|source| Error::internal("number the rows of a table", source))
}

/// The stored schema of a table: the run, then the given columns.
pub(crate) fn stored_schema(columns: &Schema) -> SchemaRef {
    let run = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let mut fields = vec![Arc::new(Field::new(RUN_COLUMN, run, false))];
    fields.extend(columns.fields().iter().cloned());
    Arc::new(Schema::new(fields))
}

/// Puts the run in front of a batch whose rows belong to `runs`, each with its number of rows.
pub(crate) fn with_run(
    schema: &SchemaRef,
    runs: &[(RunId, usize)],
    batch: &RecordBatch,
) -> Result<RecordBatch, Error> {
    let failed = |source| Error::internal("add the run to a table", source);
    let names: StringArray = runs.iter().map(|(id, _)| Some(id.to_string())).collect();
    let keys: Int32Array = (0_i32..)
        .zip(runs)
        .flat_map(|(key, (_, rows))| std::iter::repeat_n(key, *rows))
        .collect();
    let names: Arc<dyn Array> = Arc::new(names);
    let run = DictionaryArray::<Int32Type>::try_new(keys, names).map_err(failed)?;
    let mut columns: Vec<ArrayRef> = vec![Arc::new(run)];
    columns.extend(batch.columns().iter().cloned());
    RecordBatch::try_new(Arc::clone(schema), columns).map_err(failed)
}

/// A failure of the file system is the reason, where the writer met one.
fn write_error(path: &Path, source: ParquetError) -> Error {
    let source = match source {
        ParquetError::External(reason) => match reason.downcast::<io::Error>() {
            Ok(reason) => return Error::io("write the file", path, *reason),
            Err(reason) => ParquetError::External(reason),
        },
        other => other,
    };
    Error::Write {
        path: path.to_owned(),
        source,
    }
}

/// Counts and hashes what goes to a file.
struct HashingWriter {
    inner: BufWriter<File>,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl HashingWriter {
    fn new(file: File) -> Self {
        Self {
            inner: BufWriter::with_capacity(1 << 16, file),
            hasher: blake3::Hasher::new(),
            bytes: 0,
        }
    }
}

impl Write for HashingWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner.write_all(bytes)?;
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
