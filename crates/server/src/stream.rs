//! Tables as Arrow IPC streams for browsers: float64, int32, booleans, dictionaries of text.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Float64Array, Int32Array, RecordBatch, StringDictionaryBuilder,
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

fn numbers(values: impl Iterator<Item = Option<f64>>) -> ArrayRef {
    Arc::new(values.collect::<Float64Array>())
}

/// Numbers if all values are, else texts.
fn parameters(values: &[Option<ParamValue>]) -> ArrayRef {
    let is_number =
        |value: &Option<ParamValue>| matches!(value, None | Some(ParamValue::Number(_)));
    if values.iter().all(is_number) {
        return numbers(values.iter().map(|value| match value {
            Some(ParamValue::Number(number)) => Some(*number),
            _ => None,
        }));
    }
    let mut texts = StringDictionaryBuilder::<Int32Type>::new();
    for value in values {
        texts.append_option(value.as_ref().map(ParamValue::shown));
    }
    Arc::new(texts.finish())
}
