//! The tables after the events of an export of ours.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use sheaf_model::table::{
    ContextRow, Contexts, DefinitionRow, LocationRow, MetricRow, TotalRow, ValueRow,
};
use sheaf_model::{ContextId, DefinitionId, ParamValue, RunId, RunMeta, RunSummary};

/// The version that is known.
const VERSION: u32 = 1;

#[derive(Deserialize)]
struct Tables {
    version: u32,
    run: String,
    meta: Meta,
    definitions: Vec<Definition>,
    /// Parent and definition.
    contexts: Vec<(Option<i32>, i32)>,
    /// Rank, thread, core, NUMA node.
    locations: Vec<(i32, i32, Option<i32>, Option<i32>)>,
    metrics: Vec<Metric>,
    /// Context, metric, location, count, sum, sum of floats.
    values: Vec<Value>,
    totals: Vec<Total>,
}

type Value = (i32, i32, i32, i64, Option<i64>, Option<String>);

#[derive(Deserialize)]
struct Meta {
    program: String,
    time_unit: String,
    is_complete: bool,
    elapsed: Option<i64>,
    reference_elapsed_ns: Option<i64>,
    workers: Option<i64>,
    ranks: i64,
    grains: i64,
    params: BTreeMap<String, (String, String)>,
    warnings: Vec<String>,
    lacks: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Definition {
    id: DefinitionKey,
    kind: String,
    name: String,
    function: Option<String>,
    file: Option<String>,
    line: Option<i32>,
    module: Option<String>,
    ordinal: i32,
    site: Option<String>,
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct DefinitionKey(DefinitionId);

impl TryFrom<String> for DefinitionKey {
    type Error = sheaf_model::Error;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map(Self)
    }
}

#[derive(Deserialize)]
struct Metric {
    name: String,
    unit: String,
    kind: String,
    direction: String,
    is_integer: bool,
    source: Option<String>,
    alias: Option<String>,
}

/// Floats and sums of squares are text.
#[derive(Deserialize)]
struct Total {
    context: i32,
    metric: i32,
    count: i64,
    sum: Option<i64>,
    min: Option<i64>,
    max: Option<i64>,
    sum_squares: Option<String>,
    sum_float: Option<String>,
    min_float: Option<String>,
    max_float: Option<String>,
    #[serde(default)]
    buckets: Vec<i32>,
    #[serde(default)]
    counts: Vec<i64>,
}

/// The summary and the run's id; `None` where something is missing or makes no sense.
pub(super) fn summary(raw: &[u8]) -> Option<(RunSummary, RunId)> {
    let tables: Tables = serde_json::from_slice(raw).ok()?;
    if tables.version != VERSION {
        return None;
    }
    let id: RunId = tables.run.parse().ok()?;
    let ids: Vec<DefinitionId> = tables.definitions.iter().map(|row| row.id.0).collect();
    let contexts = contexts(&tables.contexts, &ids)?;
    let values = tables.values.into_iter().map(|row| {
        let (context, metric, location, count, sum, sum_float) = row;
        Some(ValueRow {
            context,
            metric,
            location,
            count,
            sum,
            sum_float: float(sum_float.as_deref()).ok()?,
        })
    });
    let values = values.collect::<Option<Vec<_>>>()?;
    let totals = tables.totals.into_iter().map(total);
    let totals = totals.collect::<Option<Vec<_>>>()?;
    let locations = tables.locations.into_iter();
    let locations = locations.map(|(rank, thread, core, numa_node)| LocationRow {
        rank,
        thread,
        core,
        numa_node,
    });
    let summary = RunSummary {
        meta: Arc::new(meta(tables.meta)?),
        definitions: tables.definitions.into_iter().map(definition).collect(),
        contexts,
        locations: locations.collect(),
        metrics: tables.metrics.into_iter().map(metric).collect(),
        values: values.into_iter().collect(),
        totals: totals.into_iter().collect(),
    };
    Some((summary, id))
}

/// The contexts, which stand in pre-order; ids and depths follow from the paths.
fn contexts(rows: &[(Option<i32>, i32)], ids: &[DefinitionId]) -> Option<Contexts> {
    let mut done: Vec<ContextRow> = Vec::with_capacity(rows.len());
    let mut path: Vec<i32> = Vec::new();
    for (row, &(parent, definition)) in (0..).zip(rows) {
        let own = *ids.get(usize::try_from(definition).ok()?)?;
        while path.last().is_some_and(|&last| Some(last) != parent) {
            path.pop();
        }
        let above = path.last().copied();
        if above != parent {
            return None;
        }
        let above = above.and_then(|above| done.get(usize::try_from(above).ok()?));
        let id = above.map_or_else(
            || ContextId::root(own),
            |above| ContextId(above.id).child(own),
        );
        let depth = above.map_or(0, |above| above.depth + 1);
        done.push(ContextRow {
            id: id.0,
            parent,
            definition,
            depth,
        });
        path.push(row);
    }
    Some(done.into_iter().collect())
}

fn meta(meta: Meta) -> Option<RunMeta> {
    let mut found = RunMeta::new(meta.program, "");
    found.time_unit = meta.time_unit.parse().ok()?;
    found.is_complete = meta.is_complete;
    found.elapsed = meta.elapsed;
    found.reference_elapsed_ns = meta.reference_elapsed_ns;
    found.workers = meta.workers;
    found.ranks = meta.ranks;
    found.grains = meta.grains;
    found.warnings = meta.warnings;
    found.lacks = meta.lacks;
    for (name, (kind, text)) in meta.params {
        let value = match kind.as_str() {
            "number" => ParamValue::Number(text.parse().ok().filter(|it: &f64| !it.is_nan())?),
            "boolean" => ParamValue::Boolean(text.parse().ok()?),
            "time" => ParamValue::Time(text.parse().ok()?),
            _ => ParamValue::Text(text),
        };
        found.params.insert(name, value);
    }
    Some(found)
}

fn definition(row: Definition) -> DefinitionRow {
    DefinitionRow {
        id: row.id.0.0,
        kind: row.kind,
        name: row.name,
        function: row.function,
        file: row.file,
        line: row.line,
        module: row.module,
        ordinal: row.ordinal,
        site: row.site,
    }
}

fn metric(row: Metric) -> MetricRow {
    MetricRow {
        name: row.name,
        unit: row.unit,
        kind: row.kind,
        direction: row.direction,
        is_integer: row.is_integer,
        source: row.source,
        alias: row.alias,
    }
}

fn total(row: Total) -> Option<TotalRow> {
    let squares = match row.sum_squares {
        Some(text) => Some(text.parse().ok()?),
        None => None,
    };
    Some(TotalRow {
        context: row.context,
        metric: row.metric,
        count: row.count,
        sum: row.sum,
        min: row.min,
        max: row.max,
        sum_squares: squares,
        sum_float: float(row.sum_float.as_deref()).ok()?,
        min_float: float(row.min_float.as_deref()).ok()?,
        max_float: float(row.max_float.as_deref()).ok()?,
        sketch_buckets: row.buckets,
        sketch_counts: row.counts,
    })
}

fn float(text: Option<&str>) -> Result<Option<f64>, std::num::ParseFloatError> {
    text.map(str::parse).transpose()
}
