//! Time of answers from summaries in memory: 1,000 contexts, 64 ranks, 100 and 1,000 runs.
//!
//! The tree has four callees per context and 40 definitions per depth in 20 modules; weights differ
//! by a factor of 4,000, so that most groups are small, as in real programs. Every tenth run lacks a quarter of the contexts, so that not all runs have one tree. Values
//! come from a fixed generator. Runs share ten tables of values by rank, but have totals, contexts
//! and definitions of their own.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use sheaf_analysis::{
    DistributionMode, DistributionQuestion, EnsembleTree, LayoutOptions, distribution, hierarchy,
    partial, sankey, stats,
};
use sheaf_model::table::{
    ContextRow, DefinitionRow, LocationRow, MetricRow, TotalRow, ValueRow, Values,
};
use sheaf_model::{ContextId, DefinitionId, Lens, Progress, RunId, RunMeta, RunSummary};

const CONTEXTS: usize = 1_000;
const RANKS: usize = 64;
const DEFINITIONS: usize = 7 * 40;

/// A multiplicative hash: the same numbers in every run of the bench.
fn number(seed: usize, at: usize) -> i64 {
    let mixed = (seed as u64 * 0x9E37_79B9 + at as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    i64::try_from(mixed >> 44).unwrap_or(0)
}

/// Definition of a context: one of those of its depth.
fn definition_of(context: usize) -> usize {
    let mut depth = 0;
    let mut at = context;
    while at > 0 {
        at = (at - 1) / 4;
        depth += 1;
    }
    depth * 40 + context % 40
}

/// Work of a context in a run.
fn work(seed: usize, context: usize) -> i64 {
    number(seed, context) >> (definition_of(context) * 7 % 13)
}

fn row(at: usize) -> i32 {
    i32::try_from(at).unwrap_or(i32::MAX)
}

fn value_tables(contexts: usize) -> Vec<Values> {
    let table = |seed: usize| {
        let places = (0..contexts).flat_map(|context| (0..RANKS).map(move |rank| (context, rank)));
        let value = |(context, rank): (usize, usize)| ValueRow {
            context: row(context),
            metric: 0,
            location: row(rank),
            count: 1,
            sum: Some(number(seed, context * RANKS + rank)),
            sum_float: None,
        };
        places.map(value).collect()
    };
    (0..10).map(table).collect()
}

fn run(number_of_run: usize, contexts: usize, values: &Values) -> RunSummary {
    let mut meta = RunMeta::new("bench", "bench");
    meta.name = format!("run{number_of_run:04}");
    meta.id = RunId((number_of_run as u128).to_be_bytes());
    let mut run = RunSummary::empty(meta);
    let ids: Vec<DefinitionId> = (0..DEFINITIONS)
        .map(|at| DefinitionId((at as u128).to_be_bytes()))
        .collect();
    let definition = |(at, id): (usize, &DefinitionId)| DefinitionRow {
        id: id.0,
        kind: "function".into(),
        name: format!("function_{at}"),
        function: Some(format!("function_{at}")),
        file: Some(format!("file_{}.c", at % 40)),
        line: Some(row(at)),
        module: Some(format!("module_{}", at % 20)),
        ordinal: 0,
        site: None,
    };
    run.definitions = ids.iter().enumerate().map(definition).collect();
    let mut paths: Vec<ContextId> = Vec::with_capacity(contexts);
    for at in 0..contexts {
        let id = ids[definition_of(at)];
        paths.push(if at == 0 {
            ContextId::root(id)
        } else {
            paths[(at - 1) / 4].child(id)
        });
    }
    let context = |(at, id): (usize, &ContextId)| ContextRow {
        id: id.0,
        parent: (at > 0).then(|| row((at - 1) / 4)),
        definition: row(definition_of(at)),
        depth: 0,
    };
    run.contexts = paths.iter().enumerate().map(context).collect();
    let location = |rank| LocationRow {
        rank: row(rank),
        thread: 0,
        core: None,
        numa_node: None,
    };
    run.locations = (0..RANKS).map(location).collect();
    let metric = MetricRow {
        name: "work_ns".into(),
        unit: "ns".into(),
        kind: "additive".into(),
        direction: "higher_is_worse".into(),
        is_integer: true,
        source: None,
        alias: None,
    };
    run.metrics = std::iter::once(metric).collect();
    let total = |context| TotalRow {
        context: row(context),
        metric: 0,
        count: 64,
        sum: Some(64 * work(number_of_run, context)),
        min: Some(0),
        max: Some(1),
        sum_squares: Some(0),
        sum_float: None,
        min_float: None,
        max_float: None,
        sketch_buckets: Vec::new(),
        sketch_counts: Vec::new(),
    };
    run.totals = (0..contexts).map(total).collect();
    run.values = values.clone();
    run
}

fn ensemble(runs: usize) -> Vec<Arc<RunSummary>> {
    let whole = value_tables(CONTEXTS);
    let part = value_tables(CONTEXTS * 3 / 4);
    (0..runs)
        .map(|at| match at % 10 {
            9 => run(at, CONTEXTS * 3 / 4, &part[at / 10 % 10]),
            _ => run(at, CONTEXTS, &whole[at % 10]),
        })
        .map(Arc::new)
        .collect()
}

fn lens(text: &str) -> Lens {
    text.parse().unwrap_or_default()
}

fn answers(criterion: &mut Criterion) {
    let options = LayoutOptions::default();
    let progress = Progress::silent();
    for count in [100, 1_000] {
        let runs = ensemble(count);
        let mut group = criterion.benchmark_group(format!("{count} runs"));
        group
            .sample_size(20)
            .measurement_time(Duration::from_secs(4));
        for text in ["", "level module", "over ranks=max"] {
            let lens = lens(text);
            group.bench_function(format!("sankey {text}"), |bench| {
                bench.iter(|| black_box(sankey(&lens, &runs, &options, &progress)));
            });
        }
        let default = Lens::default();
        group.bench_function("partial", |bench| {
            bench.iter(|| black_box(partial(&default, &runs, &progress)));
        });
        group.bench_function("union", |bench| {
            bench.iter(|| black_box(EnsembleTree::union(runs.iter().cloned())));
        });
        group.bench_function("stats", |bench| {
            bench.iter(|| black_box(stats(&default, &runs, &progress)));
        });
        group.bench_function("hierarchy of the root", |bench| {
            bench.iter(|| black_box(hierarchy(&default, "function_0", &runs, &progress)));
        });
        let ranks = DistributionQuestion::new("function_7", DistributionMode::Ranks);
        group.bench_function("distribution over ranks", |bench| {
            bench.iter(|| black_box(distribution(&default, &ranks, &runs, &progress)));
        });
        group.finish();
    }
}

criterion_group!(benches, answers);
criterion_main!(benches);
