//! How the time of all grain metrics grows with the number of grains.
//!
//! ```text
//! cargo run --release -p sheaf-grains --example grain_metric_sweep [largest]
//! ```
//!
//! Made-up programs of doubling size up to `largest` tasks (1,000,000): recursion, one wide fork, a chain, one loop.
//! Fragments are of random length and every grain has costs and counters, so that every metric has values and no two
//! fragments begin and end together. Printed are seconds of processor time of each family, and the ratio
//! of the sum to that of half the size; then the time of an 817-task profile.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::collections::BTreeMap;

use sheaf_grains::grain_graph::Structure;
use sheaf_grains::grain_metric::{Evaluation, metrics};
use sheaf_grains::problem::{PAPER, TOOL, diagnose};
use sheaf_model::RunTables;
use sheaf_model::table::{CounterRow, GrainKind, MetricRow};
use sheaf_synthetic::processor_seconds;
use sheaf_synthetic::{Numbers, Program};

/// A program of about so many tasks.
type Shape = fn(u32) -> Program;

fn main() {
    let largest = std::env::args().nth(1);
    let largest: u32 = largest
        .and_then(|text| text.parse().ok())
        .unwrap_or(1_000_000);
    let shapes: [(&str, Shape); 4] = [
        ("recursion", |tasks| Program::recursion(tasks.ilog2() + 1)),
        ("fork", |tasks| Program::fork(tasks - 1)),
        ("chain", Program::chain),
        ("loop", |tasks| Program::fork(tasks - 1)),
    ];
    for (name, program) in shapes {
        let mut before = 0.0;
        for part in [8, 4, 2, 1] {
            let run = enriched(&program((largest / part).max(2)), name == "loop");
            before = sweep(name, &run, before);
        }
    }
    small();
}

fn sweep(name: &str, run: &RunTables, before: f64) -> f64 {
    print!("{name:<10} {:<8} |", run.grains.len());
    let start = processor_seconds();
    let structure = Structure::of(run);
    print!(" structure {:.2}", processor_seconds() - start);
    let evaluation = Evaluation::of(run, &structure)
        .with_references(&[run])
        .with_cores_per_socket(4);
    let mut families: BTreeMap<&str, f64> = BTreeMap::new();
    let (mut absent, mut values) = (0, 0);
    let mut sum = 0.0;
    for metric in metrics() {
        let start = processor_seconds();
        match evaluation.evaluate(metric) {
            Ok(column) => values += column.values.iter().flatten().count(),
            Err(_) => absent += 1,
        }
        let spent = processor_seconds() - start;
        sum += spent;
        let family = if metric.id.starts_with("inst_par") {
            "inst_par"
        } else {
            "others"
        };
        *families.entry(family).or_default() += spent;
    }
    for (family, spent) in &families {
        print!(" {family} {spent:.2}");
    }
    let start = processor_seconds();
    let presets = PAPER.iter().chain(TOOL);
    let thresholds: Vec<_> = presets
        .filter_map(|preset| preset.threshold().ok())
        .collect();
    let found = diagnose(&evaluation, &thresholds);
    let grains: usize = found
        .problems
        .iter()
        .map(|problem| problem.grains.len())
        .sum();
    let ratio = if before > 0.0 {
        format!(" ({:.1})", sum / before)
    } else {
        String::new()
    };
    println!(
        "; all metrics {sum:.2} s{ratio}, {values} values, {absent} metrics absent; problems {:.2} s, {grains} grains",
        processor_seconds() - start
    );
    sum
}

/// Sibling sets, all metrics and all problems of a profile of 817 tasks, many times.
fn small() {
    const TIMES: u32 = 50;
    let run = (1..100)
        .map(|seed| Program::random(seed, 1000))
        .find(|program| program.num_tasks() >= 817);
    let Some(run) = run.map(|program| enriched(&program, false)) else {
        return;
    };
    let start = processor_seconds();
    for _ in 0..TIMES {
        let structure = Structure::of(&run);
        let evaluation = Evaluation::of(&run, &structure).with_references(&[&run]);
        let values: usize = metrics()
            .filter_map(|metric| evaluation.evaluate(metric).ok())
            .map(|column| column.values.len())
            .sum();
        assert!(values > 0, "some metrics have values");
    }
    let spent = (processor_seconds() - start) / f64::from(TIMES);
    println!(
        "profile of {} tasks: structure and all metrics {:.2} ms",
        run.grains.len(),
        spent * 1e3
    );
}

/// The run of a program with random lengths, costs and counters.
fn enriched(program: &Program, is_loop: bool) -> RunTables {
    const COUNTERS: [&str; 3] = ["overhead_ns", "stalled_cycles_backend", "cycles"];
    let mut run = program.run(8);
    let mut numbers = Numbers::new(1);
    let mut fragments: Vec<_> = run.fragments.rows().collect();
    for fragment in &mut fragments {
        fragment.duration = 1 + i64::from(numbers.below(5000));
    }
    run.fragments = fragments.into_iter().collect();
    let mut grains: Vec<_> = run.grains.rows().collect();
    for grain in &mut grains {
        grain.creation = Some(i64::from(numbers.below(100)));
        grain.waiting = Some(i64::from(numbers.below(100)));
        if is_loop && grain.parent.is_some() {
            grain.kind = GrainKind::Chunk as i32;
            grain.sequence = Some(0);
        }
    }
    run.grains = grains.into_iter().collect();
    run.summary.metrics = COUNTERS
        .iter()
        .map(|name| MetricRow {
            name: (*name).to_owned(),
            unit: "unknown".to_owned(),
            kind: "additive".to_owned(),
            direction: "neutral".to_owned(),
            is_integer: true,
            source: None,
            alias: None,
        })
        .collect();
    let rows = 0..i32::try_from(run.grains.len()).unwrap_or(i32::MAX);
    run.counters = rows
        .flat_map(|grain| (0..3).map(move |metric| (grain, metric)))
        .map(|(grain, metric)| CounterRow {
            grain,
            metric,
            value: Some(i64::from(numbers.below(10_000))),
            value_float: None,
        })
        .collect();
    let mut locations: Vec<_> = run.summary.locations.rows().collect();
    for (core, location) in (0..).zip(&mut locations) {
        location.core = Some(core);
        location.numa_node = Some(core / 4);
    }
    run.summary.locations = locations.into_iter().collect();
    run
}
