//! The tables `runs` and `params` of a segment: the manifest's metadata for other programs.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use sheaf_model::table::Column;
use sheaf_model::{ParamValue, RunMeta};

use crate::Error;
use crate::layout::{TableRows, table_index};

/// One row per run.
pub(crate) const RUNS: &str = "runs";

/// One row per run and parameter.
pub(crate) const PARAMS: &str = "params";

const fn column(
    name: &'static str,
    data_type: DataType,
    is_nullable: bool,
    meaning: &'static str,
) -> Column {
    Column {
        name,
        data_type,
        is_nullable,
        meaning,
    }
}

/// Columns of `runs` after the run's id.
pub(crate) fn run_columns() -> Vec<Column> {
    use DataType::{Boolean, Int64, Utf8};
    vec![
        column("name", Utf8, false, "Short name."),
        column("program", Utf8, false, "Program that ran, without folders."),
        column("format", Utf8, false, "Format the run was read from."),
        column(
            "time_unit",
            Utf8,
            false,
            "Unit of every time column: `ns` or `ticks`.",
        ),
        column(
            "is_complete",
            Boolean,
            false,
            "Whether the source was complete.",
        ),
        column(
            "elapsed",
            Int64,
            true,
            "Elapsed time in the run's time unit.",
        ),
        column(
            "reference_elapsed_ns",
            Int64,
            true,
            "Elapsed nanoseconds without instrumentation.",
        ),
        column("workers", Int64, true, "Workers over all ranks."),
        column("ranks", Int64, false, "Ranks of the run."),
        column("grains", Int64, false, "Tasks and chunks."),
        column("contexts", Int64, false, "Rows in `contexts`."),
    ]
}

/// Columns of `params` after the run's id; exactly one of the last four has a value.
pub(crate) fn param_columns() -> Vec<Column> {
    use DataType::{Boolean, Float64, Int64, Utf8};
    vec![
        column("key", Utf8, false, "Name of the parameter."),
        column(
            "type",
            Utf8,
            false,
            "`number`, `text`, `boolean` or `time`.",
        ),
        column("number", Float64, true, "Value of a number."),
        column("text", Utf8, true, "Value of a text."),
        column("boolean", Boolean, true, "Value of a truth value."),
        column("time", Int64, true, "Nanoseconds since 1970-01-01 UTC."),
    ]
}

/// The schema of such columns.
pub(crate) fn schema(columns: &[Column]) -> SchemaRef {
    let fields: Vec<Field> = columns
        .iter()
        .map(|column| Field::new(column.name, column.data_type.clone(), column.is_nullable))
        .collect();
    Arc::new(Schema::new(fields))
}

/// Rows of `runs`, in the order given.
pub(crate) fn run_batch(runs: &[(RunMeta, TableRows)]) -> Result<RecordBatch, Error> {
    let metas = runs.iter().map(|(meta, _)| meta);
    let text = |get: fn(&RunMeta) -> String| -> ArrayRef {
        let texts = metas.clone().map(|meta| Some(get(meta)));
        Arc::new(texts.collect::<StringArray>())
    };
    let number = |get: fn(&RunMeta) -> Option<i64>| -> ArrayRef {
        Arc::new(metas.clone().map(get).collect::<Int64Array>())
    };
    let rows = |table: &str| -> ArrayRef {
        let index = table_index(table).unwrap_or_default();
        let counts = runs.iter().map(|(_, rows)| rows.get(index).copied());
        Arc::new(counts.map(|rows| rows.map(clamp)).collect::<Int64Array>())
    };
    let is_complete: BooleanArray = metas.clone().map(|meta| Some(meta.is_complete)).collect();
    let columns = vec![
        text(|meta| meta.name.clone()),
        text(|meta| meta.program.clone()),
        text(|meta| meta.format.clone()),
        text(|meta| meta.time_unit.to_string()),
        Arc::new(is_complete),
        number(|meta| meta.elapsed),
        number(|meta| meta.reference_elapsed_ns),
        number(|meta| meta.workers),
        number(|meta| Some(meta.ranks)),
        number(|meta| Some(meta.grains)),
        rows("contexts"),
    ];
    batch(&run_columns(), columns)
}

/// Rows of `params`, in the order of the runs and their keys.
pub(crate) fn param_batch<'a>(
    runs: impl Iterator<Item = &'a RunMeta>,
) -> Result<RecordBatch, Error> {
    let params: Vec<(&String, &ParamValue)> = runs.flat_map(|meta| &meta.params).collect();
    let values = || params.iter().map(|(_, value)| *value);
    let keys: StringArray = params.iter().map(|(key, _)| Some(key)).collect();
    let types: StringArray = values().map(|value| Some(value.type_name())).collect();
    let numbers: Float64Array = values()
        .map(|value| match value {
            ParamValue::Number(number) => Some(*number),
            _ => None,
        })
        .collect();
    let texts: StringArray = values()
        .map(|value| match value {
            ParamValue::Text(text) => Some(text),
            _ => None,
        })
        .collect();
    let booleans: BooleanArray = values()
        .map(|value| match value {
            ParamValue::Boolean(boolean) => Some(*boolean),
            _ => None,
        })
        .collect();
    let times: Int64Array = values()
        .map(|value| match value {
            ParamValue::Time(time) => Some(*time),
            _ => None,
        })
        .collect();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(keys),
        Arc::new(types),
        Arc::new(numbers),
        Arc::new(texts),
        Arc::new(booleans),
        Arc::new(times),
    ];
    batch(&param_columns(), columns)
}

fn batch(columns: &[Column], arrays: Vec<ArrayRef>) -> Result<RecordBatch, Error> {
    RecordBatch::try_new(schema(columns), arrays)
        .map_err(|source| Error::internal("assemble the catalogue", source))
}

fn clamp(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
