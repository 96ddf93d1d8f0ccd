//! What distributions over grains cost, from the store's Parquet files: a store is made from a seed, then
//! read and summed several times.
//!
//! ```text
//! cargo run --release -p sheaf-store --example grain_stats -- FOLDER [RUNS] [GRAINS] [GROUPS]
//! ```
//!
//! 200 runs of 100,000 grains in 500 definitions by default. A store that is there already is
//! read as it is.

#![expect(clippy::print_stdout, reason = "an example talks to people")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use sheaf_analysis::grain_stats::GrainStats;
use sheaf_model::table::{
    ContextRow, DefinitionRow, GrainRow, GrainsBuilder, LocationRow, MetricRow, TotalRow,
};
use sheaf_model::{ContextId, DefinitionId, Lens, Progress, RunId, RunMeta, RunSummary, RunTables};
use sheaf_store::Store;
use sheaf_synthetic::Numbers;

const TIMES: usize = 9;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let folder = words.first().map_or("grain-stats-store", String::as_str);
    let number = |at: usize, default: u32| {
        let word = words.get(at).and_then(|word| word.parse().ok());
        word.unwrap_or(default)
    };
    let (runs, grains, groups) = (number(1, 200), number(2, 100_000), number(3, 500));
    if !Path::new(folder).exists() {
        let store = Store::create_or_open(Path::new(folder))?;
        let mut import = store.import()?;
        for run in 0..runs {
            import.add(made(run, grains, groups))?;
        }
        import.publish()?;
    }
    let store = Store::open(Path::new(folder))?;
    let snapshot = store.snapshot()?;
    let ids: Vec<RunId> = snapshot.runs().iter().map(|run| run.meta.id).collect();
    let summaries: Vec<Arc<RunSummary>> = snapshot
        .summaries(&ids)?
        .into_iter()
        .map(Arc::new)
        .collect();
    let lens = Lens {
        bins: 32,
        ..Lens::default()
    };
    let mut least = [f64::INFINITY; 3];
    let mut text = String::new();
    for _ in 0..TIMES {
        let begin = Instant::now();
        let question = GrainStats::new(&lens, &summaries, &Progress::silent())?;
        let order = question.runs();
        let prepared = begin.elapsed().as_secs_f64();
        let parts = snapshot.scan(&order, "grains", &question.columns(), |run, batch| {
            question.part(run, batch)
        })?;
        let read = begin.elapsed().as_secs_f64();
        let answer = question.finish(&parts, &Progress::silent())?;
        let whole = begin.elapsed().as_secs_f64();
        for (least, spent) in least.iter_mut().zip([prepared, read, whole]) {
            *least = least.min(spent);
        }
        let count: u64 = answer.rows.iter().map(|row| row.count).sum();
        text = format!(
            "{count} grains in {} groups; {:?}",
            answer.rows.len(),
            answer.rows.first().map(|row| row.median)
        );
    }
    println!("{text}");
    for (name, seconds) in ["groups formed", "and read", "and summed"]
        .iter()
        .zip(least)
    {
        println!("{:>8.1} ms  {name}", seconds * 1e3);
    }
    for line in std::fs::read_to_string("/proc/self/status")?.lines() {
        if line.starts_with("VmHWM") {
            println!("{line}");
        }
    }
    Ok(())
}

/// A run whose grains are sorted by context, with work between 1 µs and 1 ms.
fn made(number: u32, grains: u32, groups: u32) -> RunTables {
    let mut random = Numbers::new(u64::from(number) + 1);
    let mut summary = summary(number, groups);
    let mut builder = GrainsBuilder::default();
    let mut sums = vec![0_i64; groups as usize];
    for grain in 0..grains {
        let context =
            u32::try_from(u64::from(grain) * u64::from(groups) / u64::from(grains)).unwrap_or(0);
        let work = 1_000 + i64::from(random.below(1 << 10)) * i64::from(random.below(1 << 10));
        sums[context as usize] += work;
        builder.push(GrainRow {
            path_key: Numbers::new(u64::from(grain)).hash(),
            context: i32::try_from(context).unwrap_or(0),
            kind: 2,
            index: i64::from(grain),
            location: Some(0),
            work: Some(work),
            ..GrainRow::default()
        });
    }
    let total = |(context, sum): (i32, &i64)| TotalRow {
        context,
        metric: 0,
        count: i64::from(grains / groups),
        sum: Some(*sum),
        min: Some(1_000),
        max: Some(*sum),
        sum_squares: Some(0),
        sum_float: None,
        min_float: None,
        max_float: None,
        sketch_buckets: Vec::new(),
        sketch_counts: Vec::new(),
    };
    summary.totals = (0..).zip(&sums).map(total).collect();
    let mut run = RunTables::without_grains(summary);
    run.summary.meta_mut().grains = i64::from(grains);
    run.grains = builder.finish();
    run
}

/// What is known of a run but its totals: a context per definition, one worker, one metric.
fn summary(number: u32, groups: u32) -> RunSummary {
    let mut meta = RunMeta::new("made", "made");
    meta.name = format!("made-{number:04}");
    let mut summary = RunSummary::empty(meta);
    let mut ids: Vec<DefinitionId> = (0..groups)
        .map(|group| DefinitionId::new("task", &format!("f{group}"), 0))
        .collect();
    ids.sort_unstable();
    let definition = |id: &DefinitionId| DefinitionRow {
        id: id.0,
        kind: "task".to_owned(),
        name: id.to_string(),
        ..DefinitionRow::default()
    };
    summary.definitions = ids.iter().map(definition).collect();
    let context = |(row, id): (i32, &DefinitionId)| ContextRow {
        id: ContextId::root(*id).0,
        parent: None,
        definition: row,
        depth: 0,
    };
    summary.contexts = (0..).zip(&ids).map(context).collect();
    summary.locations = std::iter::once(LocationRow {
        rank: 0,
        thread: 0,
        core: None,
        numa_node: None,
    })
    .collect();
    summary.metrics = std::iter::once(MetricRow {
        name: "work_ns".to_owned(),
        unit: "ns".to_owned(),
        kind: "additive".to_owned(),
        direction: "higher_is_worse".to_owned(),
        is_integer: true,
        source: None,
        alias: None,
    })
    .collect();
    summary
}
