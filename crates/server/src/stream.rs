//! Tables as Arrow IPC streams for browsers: float64, int32, booleans, dictionaries of text.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, RecordBatch,
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
pub(crate) fn to_batch(table: &Table) -> Result<RecordBatch, ArrowError> {
    let arrays: Vec<ArrayRef> = table
        .columns()
        .iter()
        .map(|column| array(&column.values))
        .collect();
    let fields = table.columns().iter().zip(&arrays);
    let fields = fields.map(|(column, array)| {
        let kind = array.data_type().clone();
        Field::new(&column.name, kind, true)
    });
    let schema = Schema::new(fields.collect::<Vec<_>>());
    RecordBatch::try_new(Arc::new(schema), arrays)
}

fn array(values: &Values) -> ArrayRef {
    match values {
        Values::Text(values) => texts(values.iter().map(Option::as_deref)),
        Values::Number(values) => numbers(values.iter().copied()),
        // Browsers have no 64-bit integers; floats hold integers exactly up to 2⁵³.
        Values::Integer(values) => numbers(values.iter().map(|value| value.map(|it| it as f64))),
        Values::Count(values) => {
            let saturate = |value: u64| i32::try_from(value).unwrap_or(i32::MAX);
            let values = values.iter().map(|value| value.map(saturate));
            Arc::new(values.collect::<Int32Array>())
        }
        Values::Truth(values) => Arc::new(values.iter().copied().collect::<BooleanArray>()),
        Values::Metric(values) => numbers(values.iter().map(|value| match (*value)? {
            MetricValue::Integer(value) => Some(value as f64),
            MetricValue::Float(value) => Some(value),
        })),
        Values::Parameter(values) => parameters(values),
    }
}

fn texts<'a>(values: impl Iterator<Item = Option<&'a str>>) -> ArrayRef {
    Arc::new(values.collect::<DictionaryArray<Int32Type>>())
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
    let text = |value: &ParamValue| match value {
        ParamValue::Boolean(value) => value.to_string(),
        ParamValue::Number(value) => value.to_string(),
        ParamValue::Text(value) => value.clone(),
    };
    let values: Vec<Option<String>> = values
        .iter()
        .map(|value| value.as_ref().map(text))
        .collect();
    texts(values.iter().map(Option::as_deref))
}
