//! Processor time: resources that a program may use and did use, and time without a processor.

use std::path::Path;

use serde_json::Value;
use sheaf_tests::{program, run};

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
    let answer = run(store, words.copied()).expect_code(0).json();
    let runs = answer["runs"].as_array().unwrap().iter();
    runs.map(|run| run["run"].as_str().unwrap().to_owned())
        .collect()
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
fn has_note(answer: &Value, expected: &str) {
    let notes = answer["notes"].as_array().unwrap().iter();
    let mut notes = notes.filter_map(Value::as_str);
    assert!(notes.any(|note| note.contains(expected)), "{answer}");
}

#[test]
fn threads_that_share_a_processor_are_preempted_and_it_shows() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path();
    let runs = record_on_one_processor(store, "4", "2", "version=1");
    record_on_one_processor(store, "4", "2", "version=2");
    let info = run(store, ["info", &runs[0], "--json"])
        .expect_code(0)
        .json();
    let params = &info["params"];
    let number = |name: &str| params[name].as_f64().unwrap();
    assert!((number("cores") - 1.0).abs() < 1e-9, "{params}");
    assert!(number("machine_cores") >= 1.0);
    assert!(number("preempted_share") > 0.5, "{params}");
    assert!(
        number("forced_switches") > 0.0 && number("user_time_s") > 0.0,
        "{params}"
    );
    assert!(number("voluntary_switches") >= 0.0 && number("load_at_start") >= 0.0);
    // `taskset` moves the program once at most; a kernel may not say it.
    let can_say = Path::new("/proc/self/sched").exists();
    assert_eq!(params.get("migrations").is_some(), can_say, "{params}");
    let warnings = info["warnings"].to_string();
    assert!(warnings.contains("4 workers shared 1 core,"), "{warnings}");

    // Of the wall time of each worker's work three quarters were others'.
    let share = sum(store, &runs[0], "off_cpu_ns") / sum(store, &runs[0], "work_ns");
    assert!((0.5..1.0).contains(&share), "{share}");

    let noise = run(store, ["noise", "--by", "version", "--json"])
        .expect_code(0)
        .json();
    let preempted = noise["cohorts"][0]["preempted_share"].as_f64().unwrap();
    assert!(preempted > 0.5, "{noise}");
    has_note(&noise, "4 of 4 runs were disturbed");
    let shown = run(store, ["noise", "--by", "version"])
        .expect_code(0)
        .stdout;
    assert!(
        shown.contains("pre-emption: threads were ready and had no processor for"),
        "{shown}"
    );
    let diff = run(store, ["diff", "version = 1", "version = 2", "--json"]);
    let diff = diff.expect_code(0).json();
    has_note(&diff, "2 of 2 baseline runs were disturbed");
    has_note(&diff, "2 of 2 candidate runs were disturbed");
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
    has_note(&gate.json()["diff"], "2 of 2 candidate runs were disturbed");
    let scale = run(store, ["scale", "--by", "version", "--json"])
        .expect_code(0)
        .json();
    has_note(&scale, "4 of 4 runs were disturbed");
}

#[test]
fn a_reference_is_compared_in_pairs_or_left_open() {
    let folder = tempfile::tempdir().unwrap();
    let fib = program("fib");
    let fib = fib.to_str().unwrap();
    let record = |repeat: &str| {
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
        run(folder.path(), words.copied()).expect_code(0).json()
    };
    let few = record("2");
    let cost = &few["costs"][0];
    assert_eq!(
        (&cost["threads"], &cost["elapsed"]["pairs"]),
        (&2.into(), &2.into()),
        "{few}"
    );
    assert_eq!(cost["elapsed"]["verdict"], "inconclusive", "{few}");
    assert!(
        cost["elapsed"]["low"].is_null() && cost["cpu"]["median"].is_number(),
        "{few}"
    );
    let more = record("6");
    let cost = &more["costs"][0]["cpu"];
    let bound = |name: &str| cost[name].as_f64().unwrap();
    assert!(
        bound("low") <= bound("median") && bound("median") <= bound("high"),
        "{more}"
    );
}
