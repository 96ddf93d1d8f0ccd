//! The tables that no event shows: what our reader needs to give the run back as it was.

use std::io::{self, Write};

use serde_json::{Value, json};
use sheaf_model::table::{DefinitionRow, MetricRow, TotalRow};
use sheaf_model::{DefinitionId, ParamValue, RunMeta, RunTables, visible_json};

/// Version of what is written here.
const VERSION: u32 = 1;

/// Writes an object; tables row by row.
pub(super) fn write(tables: &RunTables, out: &mut impl Write) -> io::Result<()> {
    let summary = &tables.summary;
    write!(
        out,
        "{{\"version\":{VERSION},\"run\":\"{}\"",
        tables.content_id()
    )?;
    let meta = meta(&summary.meta).to_string();
    write!(out, ",\n\"meta\":{}", visible_json(&meta))?;
    rows(
        out,
        "definitions",
        summary.definitions.rows().map(|row| definition(&row)),
    )?;
    let contexts = summary.contexts.rows();
    rows(
        out,
        "contexts",
        contexts.map(|row| json!([row.parent, row.definition])),
    )?;
    let locations = summary.locations.rows();
    let locations = locations.map(|row| json!([row.rank, row.thread, row.core, row.numa_node]));
    rows(out, "locations", locations)?;
    rows(
        out,
        "metrics",
        summary.metrics.rows().map(|row| metric(&row)),
    )?;
    let values = summary.values.rows().map(|row| {
        let sum_float = row.sum_float.map(float);
        json!([
            row.context,
            row.metric,
            row.location,
            row.count,
            row.sum,
            sum_float
        ])
    });
    rows(out, "values", values)?;
    rows(out, "totals", summary.totals.rows().map(|row| total(&row)))?;
    out.write_all(b"}")
}

fn rows(out: &mut impl Write, name: &str, rows: impl Iterator<Item = Value>) -> io::Result<()> {
    write!(out, ",\n\"{name}\":[")?;
    for (number, row) in rows.enumerate() {
        let comma = if number == 0 { "" } else { "," };
        write!(out, "{comma}{}", visible_json(&row.to_string()))?;
    }
    out.write_all(b"]")
}

/// Text, because readers of JSON round floats and know neither infinity nor NaN.
fn float(value: f64) -> String {
    format!("{value:?}")
}

fn meta(meta: &RunMeta) -> Value {
    let params = meta.params.iter().map(|(name, value)| {
        let text = match value {
            ParamValue::Number(number) => float(*number),
            other => other.to_string(),
        };
        (name.clone(), json!([value.type_name(), text]))
    });
    json!({
        "program": meta.program,
        "time_unit": meta.time_unit.as_str(),
        "is_complete": meta.is_complete,
        "elapsed": meta.elapsed,
        "reference_elapsed_ns": meta.reference_elapsed_ns,
        "workers": meta.workers,
        "ranks": meta.ranks,
        "grains": meta.grains,
        "params": params.collect::<serde_json::Map<String, Value>>(),
        "warnings": meta.warnings,
        "lacks": meta.lacks,
    })
}

fn definition(row: &DefinitionRow) -> Value {
    json!({
        "id": DefinitionId(row.id).to_string(),
        "kind": row.kind,
        "name": row.name,
        "function": row.function,
        "file": row.file,
        "line": row.line,
        "module": row.module,
        "ordinal": row.ordinal,
        "site": row.site,
    })
}

fn metric(row: &MetricRow) -> Value {
    json!({
        "name": row.name,
        "unit": row.unit,
        "kind": row.kind,
        "direction": row.direction,
        "is_integer": row.is_integer,
        "source": row.source,
        "alias": row.alias,
    })
}

fn total(row: &TotalRow) -> Value {
    json!({
        "context": row.context,
        "metric": row.metric,
        "count": row.count,
        "sum": row.sum,
        "min": row.min,
        "max": row.max,
        "sum_squares": row.sum_squares.map(|squares| squares.to_string()),
        "sum_float": row.sum_float.map(float),
        "min_float": row.min_float.map(float),
        "max_float": row.max_float.map(float),
        "buckets": row.sketch_buckets,
        "counts": row.sketch_counts,
    })
}
