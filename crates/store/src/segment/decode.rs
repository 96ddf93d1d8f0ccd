//! Rows of a table out of its Parquet file.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader, new_null_array,
};
use arrow::compute::concat_batches;
use arrow::datatypes::{Field, Fields, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder, RowSelection,
};
use rayon::prelude::*;
use sheaf_model::table::ColumnSink;

use super::{Segment, guarded, unreadable};
use crate::Error;
use crate::layout::table;

/// Rows from which on columns are decoded side by side: opening the file for each costs some microseconds.
const ROWS_SIDE_BY_SIDE: usize = 1 << 16;
/// Maximum number of rows of a batch with lists, and of a column that becomes compact. The reader of lists moves what it
/// has read of a batch to larger memory at every page, so that a batch of millions of rows would take quadratic time.
const ROWS_OF_BATCH: usize = 1 << 16;

impl Segment {
    /// Decodes rows; of many rows every column by itself, side by side.
    pub(super) fn decode(
        &self,
        table_place: usize,
        ranges: &[Range<usize>],
        rows: usize,
        schema: &SchemaRef,
    ) -> Result<RecordBatch, Error> {
        let metadata = self.metadata(table_place)?;
        let (groups, _) = select(metadata, ranges);
        let stored = metadata.schema().fields();
        let wanted: Vec<usize> = (0..stored.len())
            .filter(|&place| {
                let field = stored.get(place);
                field.is_some_and(|field| schema.column_with_name(field.name()).is_some())
                    && !is_absent(metadata, &groups, place)
            })
            .collect();
        let width = if rows < ROWS_SIDE_BY_SIDE {
            wanted.len().max(1)
        } else {
            1
        };
        let parts: Vec<RecordBatch> = wanted
            .par_chunks(width)
            .map(|columns| {
                guarded(
                    || self.decode_columns(table_place, ranges, rows, columns),
                    |reason| self.damaged(table_place, reason),
                )
            })
            .collect::<Result<_, Error>>()?;
        let failed = |reason: String| self.damaged(table_place, reason);
        let fields = parts.iter().flat_map(|part| part.schema_ref().fields());
        let read = Schema::new(fields.cloned().collect::<Fields>());
        let columns = parts.iter().flat_map(RecordBatch::columns).cloned();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let all = RecordBatch::try_new_with_options(Arc::new(read), columns.collect(), &options)
            .map_err(|source| failed(format!("its columns differ in length ({source})")))?;
        conform(&all, schema).map_err(failed)
    }

    /// Decodes rows column by column, side by side, a small batch at a time.
    pub(super) fn decode_into(
        &self,
        table_place: usize,
        rows: &Range<usize>,
        sinks: Vec<(&'static str, &mut dyn ColumnSink)>,
    ) -> Result<(), Error> {
        let metadata = self.metadata(table_place)?;
        let (groups, _) = select(metadata, std::slice::from_ref(rows));
        let stored = metadata.schema().fields();
        let schema = (table(table_place).schema)();
        sinks.into_par_iter().try_for_each(|(name, sink)| {
            let failed = |reason: String| self.damaged(table_place, reason);
            let is_nullable = schema.field_with_name(name).is_ok_and(Field::is_nullable);
            match stored.find(name) {
                Some((place, _)) if !is_absent(metadata, &groups, place) => guarded(
                    || self.decode_column(table_place, rows, (place, is_nullable), sink),
                    failed,
                ),
                _ if is_nullable => {
                    sink.extend_absent(rows.len());
                    Ok(())
                }
                _ => Err(failed(format!("it lacks column `{name}`"))),
            }
        })
    }

    /// Passes the rows of a column to a sink. `column` is its place, and whether values can be absent.
    fn decode_column(
        &self,
        table_place: usize,
        rows: &Range<usize>,
        column: (usize, bool),
        sink: &mut dyn ColumnSink,
    ) -> Result<(), Error> {
        let (place, is_nullable) = column;
        let failed = |reason: String| self.damaged(table_place, reason);
        let reader = self.reader(
            table_place,
            std::slice::from_ref(rows),
            &[place],
            ROWS_OF_BATCH,
        )?;
        let mut found = 0;
        for batch in reader {
            let batch = batch.map_err(|source| failed(format!("it is unreadable ({source})")))?;
            let Some(array) = batch.columns().first() else {
                continue;
            };
            found += array.len();
            let is_sound = is_nullable || array.null_count() == 0;
            if !(is_sound && sink.extend(array)) {
                let field = batch.schema_ref().field(0).clone();
                let name = field.name();
                return Err(failed(format!(
                    "its column `{name}` is not that of the schema"
                )));
            }
        }
        if found != rows.len() {
            return Err(failed(wrong_rows(found, rows.len())));
        }
        Ok(())
    }

    /// Reads rows of some columns, in batches of a number of rows.
    fn reader(
        &self,
        table_place: usize,
        ranges: &[Range<usize>],
        columns: &[usize],
        batch_rows: usize,
    ) -> Result<ParquetRecordBatchReader, Error> {
        let file = self.open_file(table_place)?;
        let metadata = self.metadata(table_place)?.clone();
        let (groups, selection) = select(&metadata, ranges);
        let mask = ProjectionMask::roots(metadata.parquet_schema(), columns.iter().copied());
        ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata)
            .with_row_groups(groups)
            .with_row_selection(selection)
            .with_projection(mask)
            .with_batch_size(batch_rows)
            .build()
            .map_err(|source| self.damaged(table_place, unreadable(&source)))
    }

    /// Some columns of a table as one batch.
    fn decode_columns(
        &self,
        table_place: usize,
        ranges: &[Range<usize>],
        rows: usize,
        columns: &[usize],
    ) -> Result<RecordBatch, Error> {
        let failed = |reason: String| self.damaged(table_place, reason);
        let fields = self.metadata(table_place)?.schema().fields();
        let mut chosen = columns.iter().filter_map(|&place| fields.get(place));
        let has_lists = chosen.any(|field| field.data_type().is_nested());
        let batch_rows = if has_lists {
            rows.min(ROWS_OF_BATCH)
        } else {
            rows
        };
        let reader = self.reader(table_place, ranges, columns, batch_rows)?;
        let schema = reader.schema();
        let mut batches = Vec::new();
        for batch in reader {
            batches.push(batch.map_err(|source| failed(format!("it is unreadable ({source})")))?);
        }
        let all = match <[RecordBatch; 1]>::try_from(batches) {
            Ok([batch]) => batch,
            Err(batches) => concat_batches(&schema, &batches)
                .map_err(|source| Error::internal("join batches", source))?,
        };
        if all.num_rows() != rows {
            return Err(failed(wrong_rows(all.num_rows(), rows)));
        }
        Ok(all)
    }
}

fn wrong_rows(found: usize, written: usize) -> String {
    format!("it has `{found}` rows where `{written}` were written")
}

/// Whether a column holds no value in row groups, so that it need not be read: made anew, it takes no memory
/// until somebody looks at it. Each column is one leaf, lists too.
fn is_absent(metadata: &ArrowReaderMetadata, groups: &[usize], column: usize) -> bool {
    let is_nullable = |column: usize| {
        let field = metadata.schema().fields().get(column);
        field.is_some_and(|field| field.is_nullable())
    };
    is_nullable(column)
        && groups.iter().all(|&group| {
            let group = metadata.metadata().row_group(group);
            let known = group.columns().get(column).and_then(|column| {
                let nulls = column.statistics()?.null_count_opt()?;
                Some(i64::try_from(nulls).ok()? == group.num_rows())
            });
            known == Some(true)
        })
}

/// A stored batch as the schema of today has it: columns that were not read are absent. Absent columns of one type are
/// the same array, so that they take the memory of one.
fn conform(stored: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, String> {
    let mut absent: Vec<ArrayRef> = Vec::new();
    let mut column = |field: &Arc<Field>| match stored.column_by_name(field.name()) {
        Some(column) => Ok(Arc::clone(column)),
        None if field.is_nullable() => {
            let known = (absent.iter()).find(|array| array.data_type() == field.data_type());
            if let Some(array) = known {
                return Ok(Arc::clone(array));
            }
            let array = new_null_array(field.data_type(), stored.num_rows());
            absent.push(Arc::clone(&array));
            Ok(array)
        }
        None => Err(format!("it lacks column `{}`", field.name())),
    };
    let columns: Result<Vec<ArrayRef>, String> = schema.fields().iter().map(&mut column).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(stored.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns?, &options)
        .map_err(|source| format!("its columns are not those of the schema ({source})"))
}

/// The row groups that hold the ranges, and the ranges' rows among those groups' rows.
fn select(metadata: &ArrowReaderMetadata, ranges: &[Range<usize>]) -> (Vec<usize>, RowSelection) {
    let mut groups = Vec::new();
    let mut selected = Vec::new();
    let mut first = 0;
    let mut kept = 0;
    let mut next = 0;
    for (place, group) in metadata.metadata().row_groups().iter().enumerate() {
        let end = first + usize::try_from(group.num_rows()).unwrap_or_default();
        let before = selected.len();
        while let Some(range) = ranges.get(next) {
            let (from, to) = (range.start.max(first), range.end.min(end));
            if from < to {
                selected.push(kept + from - first..kept + to - first);
            }
            if range.end > end {
                break;
            }
            next += 1;
        }
        if selected.len() > before {
            groups.push(place);
            kept += end - first;
        }
        first = end;
    }
    let selection = RowSelection::from_consecutive_ranges(selected.into_iter(), kept);
    (groups, selection)
}
