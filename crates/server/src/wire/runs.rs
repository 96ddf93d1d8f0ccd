//! Runs and the run table.

use std::collections::BTreeMap;
use std::sync::Arc;

use sheaf_answers as api;
use sheaf_ensemble::{InfoAnswer, ParameterEntry, RunRow, RunsAnswer};
use sheaf_model::{Messages, TimeUnit, instant};

use super::{count, param, params};

/// Distinct values of a parameter that an answer lists.
const LISTED_VALUES: usize = 50;

/// The run table.
pub(crate) fn runs(answer: RunsAnswer) -> api::Runs {
    let metrics = answer.metrics.into_iter().map(|metric| api::Metric {
        name: metric.name,
        unit: metric.unit,
        kind: metric.kind,
        direction: metric.direction,
        source: metric.source,
        runs: metric.runs as u64,
        definition: metric.definition.to_owned(),
    });
    let cohorts = answer.cohorts.into_iter().map(|cohort| api::Cohort {
        values: params(&cohort.values),
        name: cohort.name,
        runs: cohort.runs.iter().map(ToString::to_string).collect(),
    });
    api::Runs {
        schema: "runs/1".to_owned(),
        metrics: metrics.collect(),
        cohorts: cohorts.collect(),
        metric: answer.metric,
        parameters: answer.parameters.iter().map(parameter).collect(),
        runs: answer.rows.into_iter().map(run).collect(),
    }
}

fn parameter(entry: &ParameterEntry) -> api::Parameter {
    api::Parameter {
        name: entry.name.clone(),
        kind: entry.kind.to_owned(),
        values: entry.values.iter().take(LISTED_VALUES).map(param).collect(),
        distinct: entry.values.len() as u64,
        runs: entry.runs as u64,
        varies: entry.varies,
        role: entry.role.map(|role| role.as_str().to_owned()),
    }
}

/// A row of the run table.
pub(crate) fn run(row: RunRow) -> api::Run {
    let meta = Arc::unwrap_or_clone(row.entry.meta);
    let source = meta.source.map(|source| api::RunSource {
        file: source.file,
        files: source.files,
        bytes: source.bytes,
        format: meta.format.clone(),
        reader: source.reader,
        imported: row.imported.map(instant::rfc3339_seconds),
    });
    api::Run {
        run: meta.id.to_string(),
        params: params(&meta.params),
        grains: row.entry.grains.map(count),
        contexts: count(row.entry.contexts),
        elapsed_ns: meta
            .elapsed
            .filter(|_| meta.time_unit == TimeUnit::Nanoseconds),
        reference_elapsed_ns: meta.reference_elapsed_ns,
        workers: meta.workers,
        ranks: meta.ranks,
        is_complete: meta.is_complete,
        metrics: row.metrics,
        total: row.total,
        name: meta.name,
        program: meta.program,
        format: meta.format,
        warnings: meta.warnings,
        source,
    }
}

/// One run.
pub(crate) fn info(answer: InfoAnswer) -> api::RunInfo {
    let unit = answer.row.entry.meta.time_unit.to_string();
    let tables = answer.tables.iter().map(|table| api::TableSize {
        name: table.name.to_owned(),
        rows: table.rows,
        bytes: table.bytes,
    });
    let graph = answer.graph.as_ref();
    let total_unit = answer.row.total.and(answer.total_unit.as_deref());
    let absent = answer.absent.into_iter();
    let absent = absent.map(|(figure, reason)| (figure.to_owned(), reason));
    api::RunInfo {
        schema: "info/1".to_owned(),
        lacks: answer.row.entry.meta.shown_lacks(),
        tables: tables.collect(),
        definitions: answer.definitions as u64,
        fragments: answer.fragments,
        edges: graph.map(|graph| edges(graph.edges)),
        graph: graph.map(|graph| graph.form.as_str().to_owned()),
        work: answer.work,
        span: graph.and_then(|graph| graph.span),
        graph_work: graph
            .filter(|graph| graph.span.is_some() && Some(graph.work) != answer.work)
            .map(|graph| graph.work),
        parallelism: graph.and_then(|graph| graph.parallelism),
        delay: answer.delay,
        no_work: answer.no_work,
        absent: absent.collect(),
        messages: answer
            .row
            .entry
            .meta
            .messages
            .as_ref()
            .map(|it| messages(it, answer.row.entry.meta.elapsed)),
        units: units(&unit, total_unit),
        unit,
        run: run(answer.row),
    }
}

fn messages(messages: &Messages, elapsed: Option<i64>) -> api::RunMessages {
    let ideal = messages.ideal_elapsed;
    let both = ideal.zip(elapsed).filter(|(_, elapsed)| *elapsed > 0);
    let pairs = messages.pairs.iter().map(|pair| api::MessagePair {
        from: pair.from,
        to: pair.to,
        messages: pair.messages,
        bytes: pair.bytes,
    });
    api::RunMessages {
        ideal_elapsed: ideal,
        transfer_efficiency: both.map(|(ideal, elapsed)| ideal as f64 / elapsed as f64),
        calls: messages.calls,
        kept_calls: messages.kept_calls,
        messages: messages.messages,
        unmatched: messages.unmatched,
        pairs: pairs.collect(),
    }
}

/// The unit of every figure, of which those of times are in the run's own and `total` in that of its metric.
fn units(time: &str, total: Option<&str>) -> BTreeMap<String, String> {
    let times = [
        "work",
        "span",
        "graph_work",
        "delay",
        "no_work",
        "ideal_elapsed",
    ];
    let counts = [
        "grains",
        "contexts",
        "definitions",
        "fragments",
        "edges",
        "workers",
        "ranks",
        "calls",
        "kept_calls",
        "messages",
        "unmatched",
    ];
    let nanoseconds = ["elapsed_ns", "reference_elapsed_ns"];
    let of = |names: &[&str], unit: &str| -> Vec<(String, String)> {
        let names = names.iter();
        names
            .map(|name| ((*name).to_owned(), unit.to_owned()))
            .collect()
    };
    let all = [
        of(&times, time),
        of(&counts, "count"),
        of(&nanoseconds, "ns"),
        of(&["parallelism", "transfer_efficiency"], "ratio"),
        of(&["bytes"], "bytes"),
        total.map_or_else(Vec::new, |unit| of(&["total"], unit)),
    ];
    all.concat().into_iter().collect()
}

fn edges([creation, synchronisation, continuation, dependence]: [u64; 4]) -> api::Edges {
    api::Edges {
        creation,
        synchronisation,
        continuation,
        dependence,
    }
}
