//! Processor time: resources that a program may use and did use, and time without a processor.

use std::path::Path;

use serde::Serialize;
use sheaf_answers::{Diff, Gate, Noise, Record, RunInfo, Scale};
use sheaf_tests::{as_json, ask, number, program, run, word};

/// Records `imbalance` on one processor; four threads have a quarter of it each.
fn record_on_one_processor(
    store: &Path,
    threads: &str,
    repeats: &str,
    version: &str,
) -> Vec<String> {
    let program = program("imbalance");
    let options = [
        "record",
        "--json",
        "--quiet",
        "--threads",
        threads,
        "--repeat",
        repeats,
    ];
    let rest = [
        "--param",
        version,
        "--",
        "taskset",
        "-c",
        "0",
        program.to_str().unwrap(),
    ];
    let sizes = ["32768", "64", "dynamic"];
    let words = options.iter().chain(&rest).chain(&sizes);
    let answer: Record = run(store, words.copied()).expect_code(0).read();
    answer.runs.into_iter().map(|run| run.run).collect()
}

fn sum(store: &Path, id: &str, metric: &str) -> f64 {
    let run = crate::tables(store, id);
    let names = &run.summary.metrics.name;
    let row = (0..run.summary.metrics.len())
        .find(|&row| names.value(row) == metric)
        .unwrap();
    let values = run.summary.values.rows();
    let own = values.filter(|value| usize::try_from(value.metric) == Ok(row));
    own.map(|value| value.sum.unwrap() as f64).sum()
}

#[track_caller]
fn has_note(notes: &impl Serialize, expected: &str) {
    let notes = as_json(notes);
    assert!(notes.contains(expected), "{notes}");
}

/// NUMA node of a processor, as the kernel lists it.
fn numa_node(processor: i32) -> Option<i32> {
    let folder = format!("/sys/devices/system/cpu/cpu{processor}");
    let names = std::fs::read_dir(folder).ok()?.flatten();
    let nodes = names.filter_map(|entry| {
        let name = entry.file_name();
        name.to_str()?.strip_prefix("node")?.parse().ok()
    });
    nodes.last()
}

#[test]
fn workers_have_the_numa_node_of_their_processor() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path();
    let runs = record_on_one_processor(store, "2", "1", "version=1");
    let run = crate::tables(store, &runs[0]);
    let workers: Vec<_> = run.summary.locations.rows().collect();
    assert_eq!(workers.len(), 2);
    for worker in workers {
        assert_eq!(worker.core, Some(0));
        assert_eq!(worker.numa_node, numa_node(0));
    }
}

#[test]
fn threads_that_share_a_processor_are_preempted_and_it_shows() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path();
    let runs = record_on_one_processor(store, "4", "2", "version=1");
    record_on_one_processor(store, "4", "2", "version=2");
    let info: RunInfo = ask(store, &["info", &runs[0]]);
    let params = &info.run.params;
    let number = |name: &str| number(&params[name]);
    assert!((number("cores") - 1.0).abs() < 1e-9, "{params:?}");
    assert!(number("machine_cores") >= 1.0);
    assert!(number("preempted_share") > 0.5, "{params:?}");
    assert!(
        number("forced_switches") > 0.0 && number("user_time_s") > 0.0,
        "{params:?}"
    );
    assert!(number("voluntary_switches") >= 0.0 && number("load_at_start") >= 0.0);
    // `taskset` moves the program once at most; a kernel may not say it.
    let can_say = Path::new("/proc/self/sched").exists();
    assert_eq!(params.contains_key("migrations"), can_say, "{params:?}");
    let warnings = as_json(&info.run.warnings);
    assert!(warnings.contains("4 workers shared 1 core,"), "{warnings}");

    // Of the wall time of each worker's work three quarters were others'.
    let share = sum(store, &runs[0], "off_cpu_ns") / sum(store, &runs[0], "work_ns");
    assert!((0.5..1.0).contains(&share), "{share}");

    let noise: Noise = ask(store, &["noise", "--by", "version"]);
    let preempted = noise.cohorts[0].preempted_share;
    assert!(preempted > Some(0.5), "{noise:?}");
    has_note(&noise.notes, "4 of 4 runs were disturbed");
    let shown = run(store, ["noise", "--by", "version"])
        .expect_code(0)
        .stdout;
    assert!(
        shown.contains("pre-emption: threads were ready and had no processor for"),
        "{shown}"
    );
    let diff: Diff = ask(store, &["diff", "version = 1", "version = 2"]);
    has_note(&diff.notes, "2 of 2 baseline runs were disturbed");
    has_note(&diff.notes, "2 of 2 candidate runs were disturbed");
    let gate = run(
        store,
        [
            "gate",
            "--baseline",
            "version = 1",
            "--candidate",
            "version = 2",
            "--json",
        ],
    );
    has_note(
        &gate.read::<Gate>().diff.notes,
        "2 of 2 candidate runs were disturbed",
    );
    let scale: Scale = ask(store, &["scale", "--by", "version"]);
    has_note(&scale.notes, "4 of 4 runs were disturbed");
}

#[test]
fn a_reference_is_compared_in_pairs_or_left_open() {
    let folder = tempfile::tempdir().unwrap();
    let fib = program("fib");
    let fib = fib.to_str().unwrap();
    let record = |repeat: &str| -> Record {
        let words = [
            "record",
            "--json",
            "--quiet",
            "--reference",
            "--repeat",
            repeat,
            "--threads",
            "2",
        ];
        let command = ["--", fib, "12", "0"];
        let words = words.iter().chain(&command);
        run(folder.path(), words.copied()).expect_code(0).read()
    };
    let few = record("2");
    let cost = &few.costs[0];
    assert_eq!((cost.threads, cost.elapsed.pairs), (Some(2), 2), "{few:?}");
    assert_eq!(word(&cost.elapsed.verdict), "inconclusive", "{few:?}");
    assert_eq!(cost.elapsed.low, None);
    let more = record("6");
    let cost = &more.costs[0].cpu;
    let (low, high) = (cost.low.unwrap(), cost.high.unwrap());
    assert!(low <= cost.median && cost.median <= high, "{more:?}");
}
