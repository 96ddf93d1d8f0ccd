//! Tables as Arrow IPC streams.
//!
//! Browsers get float64, int32, booleans, and dictionaries of text. Data frames get integers of 64 bits and plain text.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, Int64Builder, LargeStringBuilder,
    RecordBatch, StringDictionaryBuilder, UInt64Array,
};
use arrow::datatypes::{Field, Int32Type, Schema};
use arrow::error::ArrowError;
use arrow::ipc::writer::StreamWriter;
use sheaf_answers::{MetricValue, ParamValue, Table, Values};

/// The bytes of a stream of one batch.
///
/// # Errors
/// When Arrow cannot write the batch.
pub(crate) fn to_bytes(batch: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema())?;
    writer.write(batch)?;
    writer.finish()?;
    drop(writer);
    Ok(bytes)
}

/// A whole table.
pub(crate) fn to_batch(table: &Table<'_>) -> Result<RecordBatch, ArrowError> {
    to_batch_of(table, array)
}

/// A whole table for data frames: every number is exact.
pub(crate) fn to_exact_batch(table: &Table<'_>) -> Result<RecordBatch, ArrowError> {
    to_batch_of(table, exact_array)
}

fn to_batch_of(
    table: &Table<'_>,
    array: fn(&Values<'_>, usize) -> ArrayRef,
) -> Result<RecordBatch, ArrowError> {
    let rows = table.num_rows();
    let columns = table.columns().iter();
    let arrays: Vec<ArrayRef> = columns.map(|column| array(&column.values, rows)).collect();
    let fields = table.columns().iter().zip(&arrays);
    let fields = fields.map(|(column, array)| {
        let kind = array.data_type().clone();
        Field::new(&*column.name, kind, true)
    });
    let schema = Schema::new(fields.collect::<Vec<_>>());
    RecordBatch::try_new(Arc::new(schema), arrays)
}

fn array(values: &Values<'_>, rows: usize) -> ArrayRef {
    let rows = 0..rows;
    match values {
        Values::Text(write) => {
            let mut texts = StringDictionaryBuilder::<Int32Type>::new();
            for row in rows {
                write(row, &mut |text| texts.append_option(text));
            }
            Arc::new(texts.finish())
        }
        Values::Number(values) => numbers(rows.map(values)),
        // Browsers have no 64-bit integers; floats hold integers exactly up to 2⁵³.
        Values::Integer(values) => numbers(rows.map(|row| Some(values(row)? as f64))),
        Values::Count(values) => {
            let saturate = |value: u64| i32::try_from(value).unwrap_or(i32::MAX);
            let values = rows.map(|row| values(row).map(saturate));
            Arc::new(values.collect::<Int32Array>())
        }
        Values::Truth(values) => Arc::new(rows.map(values).collect::<BooleanArray>()),
        Values::Metric(values) => numbers(rows.map(|row| match values(row)? {
            MetricValue::Integer(value) => Some(value as f64),
            MetricValue::Float(value) => Some(value),
        })),
        Values::Parameter(values) => parameters(&rows.map(values).collect::<Vec<_>>()),
    }
}

fn exact_array(values: &Values<'_>, rows: usize) -> ArrayRef {
    let rows = 0..rows;
    match values {
        Values::Text(write) => {
            let mut texts = LargeStringBuilder::new();
            for row in rows {
                write(row, &mut |text| texts.append_option(text));
            }
            Arc::new(texts.finish())
        }
        Values::Integer(values) => Arc::new(rows.map(values).collect::<Int64Array>()),
        Values::Count(values) => Arc::new(rows.map(values).collect::<UInt64Array>()),
        Values::Metric(values) => metrics(&rows.map(values).collect::<Vec<_>>()),
        Values::Parameter(values) => exact_parameters(&rows.map(values).collect::<Vec<_>>()),
        Values::Number(_) | Values::Truth(_) => array(values, rows.end),
    }
}

/// Integers if all values are, else floats.
fn metrics(values: &[Option<MetricValue>]) -> ArrayRef {
    let mut integers = Int64Builder::with_capacity(values.len());
    for value in values {
        match value {
            None => integers.append_null(),
            Some(MetricValue::Integer(value)) => integers.append_value(*value),
            Some(MetricValue::Float(_)) => {
                return numbers(values.iter().map(|value| value.map(MetricValue::as_f64)));
            }
        }
    }
    Arc::new(integers.finish())
}

/// Numbers or truth values if all values are, else texts.
fn exact_parameters(values: &[Option<ParamValue>]) -> ArrayRef {
    let is_truth =
        |value: &Option<ParamValue>| matches!(value, None | Some(ParamValue::Boolean(_)));
    if values.iter().any(Option::is_some) && values.iter().all(is_truth) {
        let truths = values.iter().map(|value| match value {
            Some(ParamValue::Boolean(truth)) => Some(*truth),
            _ => None,
        });
        return Arc::new(truths.collect::<BooleanArray>());
    }
    if let Some(numbers) = all_numbers(values) {
        return numbers;
    }
    let mut texts = LargeStringBuilder::new();
    for value in values {
        texts.append_option(value.as_ref().map(ParamValue::shown));
    }
    Arc::new(texts.finish())
}

fn numbers(values: impl Iterator<Item = Option<f64>>) -> ArrayRef {
    Arc::new(values.collect::<Float64Array>())
}

/// Numbers if all values are, else texts.
fn parameters(values: &[Option<ParamValue>]) -> ArrayRef {
    if let Some(numbers) = all_numbers(values) {
        return numbers;
    }
    let mut texts = StringDictionaryBuilder::<Int32Type>::new();
    for value in values {
        texts.append_option(value.as_ref().map(ParamValue::shown));
    }
    Arc::new(texts.finish())
}

fn all_numbers(values: &[Option<ParamValue>]) -> Option<ArrayRef> {
    let is_number =
        |value: &Option<ParamValue>| matches!(value, None | Some(ParamValue::Number(_)));
    values.iter().all(is_number).then(|| {
        numbers(values.iter().map(|value| match value {
            Some(ParamValue::Number(number)) => Some(*number),
            _ => None,
        }))
    })
}
