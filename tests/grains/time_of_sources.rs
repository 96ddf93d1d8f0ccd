//! The time of runs from every source: our own recordings, and samples of other formats.

use std::collections::BTreeMap;
use std::path::Path;

use sheaf_grains::bin_packing::{Makespan, Proof, SEARCH_LIMIT, loops};
use sheaf_grains::grain_graph::Structure;
use sheaf_grains::timeline::{ReadyBy, Timeline, Workers};
use sheaf_model::RunTables;
use sheaf_store::Store;
use sheaf_tests::workspace_root;

use crate::{reference, run};

/// What must hold of every run whose workers run one thing at a time.
fn check(name: &str, tables: &RunTables) {
    let structure = Structure::of(tables);
    let timeline = Timeline::of(tables, &structure).unwrap();
    let balance = timeline.balance();
    assert_eq!(balance.imbalance(), 0, "{name}: {balance:?}");
    assert_eq!(balance.started_early, 0, "{name}: {:?}", balance.faults());
    assert_eq!(balance.inner_delay, 0, "{name}");
    assert_eq!(timeline.steps().area(0), i128::from(balance.work), "{name}");
    let (delay, no_work) = (
        balance.delay.clone().unwrap(),
        balance.no_work.clone().unwrap(),
    );
    let sum = [balance.work, delay, no_work]
        .map(i128::from)
        .iter()
        .sum::<i128>();
    let whole = i128::from(balance.workers) * i128::from(balance.elapsed);
    assert_eq!(sum, whole, "{name}");
    let workers = Workers::of(tables, balance.elapsed).unwrap();
    assert_eq!(workers.overlaps(), 0, "{name}");
    let busy: i64 = (0..u32::try_from(workers.len()).unwrap())
        .map(|worker| workers.busy(worker))
        .sum();
    assert_eq!(busy, balance.work, "{name}");
    let path = timeline.last_finish().unwrap();
    assert!(path.work + path.delay <= balance.elapsed, "{name}");
    let delays = timeline.delays(tables).unwrap();
    let waited: i64 = ReadyBy::ALL
        .iter()
        .filter_map(|&kind| delays.by(kind))
        .map(|summary| summary.sum)
        .sum();
    // All that is ready waits; only so much of it keeps an idle worker waiting.
    assert!(delay <= waited, "{name}: {delay} of {waited}");
    let steals = timeline.steals().unwrap();
    println!(
        "{name}: P {} work {:.1} % delay {:.1} % no work {:.1} %, unknown {}, edges {:?}, moved {:?}, {:?}, {:?} by order",
        balance.workers,
        balance.work as f64 * 100.0 / whole as f64,
        delay as f64 * 100.0 / whole as f64,
        no_work as f64 * 100.0 / whole as f64,
        balance.unknown_ready,
        steals.edges,
        steals.moved,
        steals.policy(),
        steals.policy_by_order(),
    );
    for found in loops(tables, SEARCH_LIMIT) {
        println!("  loop {found:?}");
        let Some(least) = found.packing.exact() else {
            assert_eq!(found.packing.proof, Proof::Open);
            continue;
        };
        assert_eq!(found.rule, Makespan::Elapsed);
        // The workers that ran it kept its makespan.
        assert!(least <= found.workers, "{name}: {found:?}");
    }
}

#[test]
fn work_delay_and_no_work_of_our_recordings_fill_the_workers_time() {
    let folder = workspace_root().join("data/ensembles");
    let mut num_runs: BTreeMap<String, usize> = BTreeMap::new();
    for ensemble in ["runtimes", "threads", "versions"] {
        let store = Store::open(&folder.join(ensemble)).unwrap();
        let snapshot = store.snapshot().unwrap();
        for stored in snapshot.runs() {
            let tables = snapshot.tables(stored.meta.id).unwrap();
            check(&format!("{ensemble}/{}", stored.meta.name), &tables);
            *num_runs.entry(ensemble.to_owned()).or_default() += 1;
        }
    }
    println!("{num_runs:?}");
    assert!(num_runs.len() == 3 && num_runs.values().all(|&count| count > 0));
}

/// Work, idle, and what is known of delay; or why there is no time line.
fn describe(path: &Path) -> String {
    let tables = run(path);
    let structure = Structure::of(&tables);
    match Timeline::of(&tables, &structure) {
        Ok(timeline) => {
            let balance = timeline.balance();
            let delay = match &balance.delay {
                Ok(delay) => format!("delay {delay}"),
                Err(absent) => absent.to_string(),
            };
            let too_much = match balance.imbalance() {
                0 => String::new(),
                imbalance => format!(", {imbalance} too much"),
            };
            format!(
                "P {} elapsed {} work {} idle {}{too_much}: {delay}",
                balance.workers, balance.elapsed, balance.work, balance.idle
            )
        }
        Err(absent) => absent.to_string(),
    }
}

#[test]
fn what_other_sources_say_of_time() {
    let folder = workspace_root().join("data/samples");
    let no_order = "nothing is known to be ready: the source says neither when grains were created nor what they waited for";
    let no_times = "there is no time line: the source holds no times of fragments";
    let samples = [
        (
            "dag-recorder/nested.dag",
            "P 2 elapsed 290 work 232 idle 348: delay 145".to_owned(),
        ),
        // The sample's folded subgraphs run at once on one worker.
        (
            "dag-recorder/folded.dag",
            "P 1 elapsed 259 work 108 idle 121, 38 too much: delay 189".to_owned(),
        ),
        (
            "chrome/args.json",
            format!("P 2 elapsed 73000 work 36251 idle 109749: {no_order}"),
        ),
        (
            "chrome/flows.json",
            "P 2 elapsed 100000 work 135000 idle 65000: delay 15000".to_owned(),
        ),
        (
            "chrome/stack.json",
            format!("P 2 elapsed 16000 work 24000 idle 8000: {no_order}"),
        ),
        (
            "chrome/async.json",
            format!("P 2 elapsed 90000 work 12000 idle 168000: {no_order}"),
        ),
        (
            "taskflow/nested.tfp",
            format!("P 2 elapsed 480000 work 554000 idle 406000: {no_order}"),
        ),
        (
            "taskflow/two-executors.json",
            format!("P 3 elapsed 10000 work 19000 idle 11000: {no_order}"),
        ),
        ("mir/walk.csv", no_times.to_owned()),
        ("graphml/walk.unreduced.graphml", no_times.to_owned()),
    ];
    let mut differences = Vec::new();
    for (sample, expected) in samples {
        let found = describe(&folder.join(sample));
        if found != expected {
            differences.push(format!("(\"{sample}\", \"{found}\"),"));
        }
    }
    assert!(differences.is_empty(), "\n{}", differences.join("\n"));
}

#[test]
fn workers_that_a_published_loop_needs() {
    let Some(folder) = reference("grain-graphs") else {
        return;
    };
    let tables = run(&folder.join("task-stats/for-loop-32-40-3.task-stats.merged.csv.gz"));
    let found = loops(&tables, SEARCH_LIMIT);
    // Three times 32 iterations of equal length, on 48 threads of which 32 got one.
    assert_eq!(found.len(), 3);
    for found in found {
        assert_eq!((found.chunks, found.workers), (32, 32));
        assert_eq!(found.rule, Makespan::EndsAndWork);
        assert_eq!(found.packing.exact(), Some(32), "{found:?}");
    }
}
