//! What aggregation costs: CPU seconds of each stage and peak memory, for one shape and size of program.
//!
//! ```text
//! cargo run --release -p sheaf-grains --example aggregate -- recursion 131071
//! ```
//!
//! Shapes: `recursion` (binary), `loop` (one fork), `chain` (one task in the other), `waits` (one task, a wait
//! after each of its children); and `matrix RUNS IDS`, the similarity of every pair of runs.

#![expect(clippy::print_stdout, reason = "an example talks to people")]

use std::fs::read_to_string;
use std::hint::black_box;

use sheaf_grains::aggregation::{AggregationTree, Propagation};
use sheaf_grains::grain_graph::Structure;
use sheaf_model::table::{ContextRow, DefinitionRow, GrainRow};
use sheaf_model::{ContextId, DefinitionId, RunMeta, RunSummary, RunTables, StructureForm};
use sheaf_structure::similarity::{Features, min_max_matrix};

fn main() {
    let mut words = std::env::args().skip(1);
    let shape = words.next().unwrap_or_else(|| "recursion".to_owned());
    let mut number = |default| {
        words
            .next()
            .and_then(|word| word.parse().ok())
            .unwrap_or(default)
    };
    if shape == "matrix" {
        matrix(number(1_000), number(10_000));
    } else {
        let grains = number(131_071);
        let run = timed("make tables", || run(&shape, i64::from(grains)));
        aggregate(&run);
    }
    println!("{:>10} MB  peak memory", peak_kilobytes() / 1000);
}

fn aggregate(run: &RunTables) {
    println!(
        "{:>10} MB  peak memory with the tables",
        peak_kilobytes() / 1000
    );
    let structure = timed("sibling sets", || Structure::of(run));
    let tree = timed("tree", || AggregationTree::of(run, &structure));
    println!("{:>10} nodes, {} deep", tree.len(), tree.depth());
    let work = &run.grains.work.to_arrow();
    let rules = [
        ("sums of work", Propagation::Sum),
        ("greatest work", Propagation::Maximum),
        ("medians of work", Propagation::UpperMedian),
    ];
    for (what, rule) in rules {
        timed(what, || tree.propagate_integers(work, rule).is_ok());
    }
    // One grain in a hundred has the problem.
    let problems: Vec<bool> = work.values().iter().map(|work| work % 100 == 0).collect();
    let separated = timed("separation", || tree.separated(&problems));
    timed("visible nodes", || separated.max_theta(&problems));
    let labelled = timed("labels", || tree.labelled(run, &structure));
    timed("structure ids", || {
        labelled.structure_ids(StructureForm::Unordered)
    });
    timed("Weisfeiler-Lehman, 3 rounds", || {
        Features::merged(&labelled.weisfeiler_lehman(3))
    });
}

/// Runs with as many ids each, half of them in every run, the others in some.
fn matrix(runs: u32, ids: u32) {
    let mut state = 1_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state >> 33
    };
    let mut list = |_| {
        let common = (0..ids / 2).map(u128::from);
        let mut weights: Vec<(u128, u64)> = common.map(|id| (id, 1 + next() % 5)).collect();
        for _ in 0..ids / 2 {
            weights.push((
                u128::from(ids) + u128::from(next() % (10 * u64::from(ids))),
                1,
            ));
        }
        Features::of(weights)
    };
    let lists: Vec<Features> = (0..runs).map(&mut list).collect();
    let lists: Vec<&Features> = lists.iter().collect();
    timed("every pair of runs", || min_max_matrix(&lists));
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let before = cpu_seconds();
    let result = black_box(work());
    println!("{:>10.4} s   {what}", cpu_seconds() - before);
    result
}

/// CPU time of all threads of the process; 0 where the system does not say.
fn cpu_seconds() -> f64 {
    let threads = std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    let times = threads.filter_map(|thread| {
        let text = read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    });
    times.sum::<f64>() / 1e9
}

fn peak_kilobytes() -> u64 {
    let status = read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}

fn run(shape: &str, grains: i64) -> RunTables {
    let mut run = RunTables::without_grains(RunSummary::empty(RunMeta::new("program", "example")));
    let definition = DefinitionId::new("task", "work", 0);
    run.summary.definitions = [DefinitionRow {
        id: definition.0,
        kind: "task".to_owned(),
        name: "work".to_owned(),
        ..DefinitionRow::default()
    }]
    .into_iter()
    .collect();
    let context = ContextRow {
        id: ContextId::root(definition).0,
        parent: None,
        definition: 0,
        depth: 0,
    };
    run.summary.contexts = [context].into_iter().collect();
    run.grains = (0..grains).map(|row| grain(shape, row)).collect();
    run
}

fn grain(shape: &str, row: i64) -> GrainRow {
    let parent = match shape {
        "recursion" => (row - 1) / 2,
        "chain" => row - 1,
        _ => 0,
    };
    GrainRow {
        path_key: row,
        parent: i32::try_from(parent).ok().filter(|_| row > 0),
        kind: 2,
        index: row,
        joined_by: Some(if shape == "waits" { row } else { 0 }),
        work: Some(1 + row * 7919 % 1000),
        ..GrainRow::default()
    }
}
