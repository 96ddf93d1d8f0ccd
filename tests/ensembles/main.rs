//! Ensembles of files that other tools wrote, through the command line alone.

mod decisions;
mod estimates;
mod examples;
mod extremes;
mod grain_diff;
mod histories;
mod history_limits;
mod made;
mod oracles;
mod renames;
mod scaling;
mod similar;
mod structure;
mod studies;
mod tables;
mod unmeasured;
mod whole_runs;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sheaf_tests::{run, workspace_root};

/// A folder of the shared reference data; says so in plain words when it is not there.
fn reference(folder: &str) -> Option<PathBuf> {
    let path = workspace_root().join("../shared/data").join(folder);
    if !path.is_dir() {
        println!("not tested: the reference data are not beside the project (../shared/data)");
        return None;
    }
    Some(path)
}

fn json(store: &Path, words: &[&str]) -> Value {
    let answer = run(store, words).expect_code(0).stdout;
    serde_json::from_str(&answer).unwrap()
}

fn add(store: &Path, input: &Path, more: &[&str]) -> Value {
    let input = input.display().to_string();
    let mut words = vec!["add", "--json", &input];
    words.extend(more);
    json(store, &words)
}

/// Paths of contexts, each once.
fn paths(stats: &Value) -> BTreeSet<String> {
    let rows = stats["rows"].as_array().unwrap();
    rows.iter().map(|row| row["path"].to_string()).collect()
}

#[test]
fn recordings_of_four_runtimes_are_one_ensemble() {
    let Some(folder) = reference("dag-recorder") else {
        return;
    };
    let temporary = tempfile::tempdir().unwrap();
    let store = temporary.path().join("store");
    let pattern = "{variant}/{runtime}-w{workers:int}.dag";
    let input = folder.display().to_string();
    let words = ["add", "--json", &input, "--params-from", pattern];
    // The text dumps beside the small recordings are refused with a hint; the rest is in.
    let added = run(&store, words).expect_code(3).json();
    let files = added["files"].as_array().unwrap();
    let count = |status| files.iter().filter(|file| file["status"] == status).count();
    assert_eq!((count("added"), count("refused")), (55, 4));
    let runs = json(&store, &["runs", "--json", "--where", "variant = 'sort'"]);
    assert_eq!(runs["runs"].as_array().unwrap().len(), 8);

    // Whole programs of every runtime have the same contexts; collapsed ones lack what was dropped.
    for variant in ["fib", "sort", "sparselu", "strassen"] {
        let of = |runtime: &str| {
            let selection = format!("variant = '{variant}' and runtime = '{runtime}'");
            let words = [
                "stats", "--json", "--level", "context", "--where", &selection,
            ];
            paths(&json(&store, &words))
        };
        let first = of("mth");
        assert!(!first.is_empty());
        for runtime in ["omp", "tbb", "serial"] {
            assert_eq!(of(runtime), first, "{variant}, {runtime}");
        }
    }

    let cohorts = json(
        &store,
        &[
            "stats",
            "--json",
            "--level",
            "definition",
            "--by",
            "runtime,workers",
            "--where",
            "variant = 'sort'",
        ],
    );
    let found: BTreeSet<String> = cohorts["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["cohort"].to_string())
        .collect();
    assert_eq!(found.len(), 8, "{found:?}");

    let diff = json(
        &store,
        &[
            "diff",
            "--json",
            "variant = 'sort' and runtime = 'mth' and workers = 2",
            "variant = 'sort' and runtime = 'omp' and workers = 2",
        ],
    );
    let unmatched: Vec<&Value> = diff["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["verdict"] == "appeared" || row["verdict"] == "vanished")
        .collect();
    assert!(unmatched.is_empty(), "{unmatched:?}");
}

#[test]
fn weak_scaling_of_lulesh_has_45_paths_and_33_names() {
    let Some(folder) = reference("call-profiles/caliper-json-split/lulesh-weak-scaling8") else {
        return;
    };
    let temporary = tempfile::tempdir().unwrap();
    let store = temporary.path().join("store");
    let pattern = "{}-{ranks:int}core{}.json";
    let one = "{}-{ranks:int}core.json";
    let added = add(
        &store,
        &folder,
        &["--params-from", pattern, "--params-from", one],
    );
    let files = added["files"].as_array().unwrap();
    assert_eq!(files.len(), 8);
    let count = |level: &str, selection: &str| {
        let words = ["stats", "--json", "--level", level, "--where", selection];
        let mut found = paths(&json(&store, &words));
        // What ran outside any region is a root of its own, not a call path.
        found.retain(|path| !path.contains("(no path)"));
        found.len()
    };
    assert_eq!(count("context", "ranks >= 1"), 45);
    assert_eq!(count("context", "ranks = 1"), 29);
    assert_eq!(count("definition", "ranks >= 1"), 33);
    let ranks = json(
        &store,
        &["stats", "--json", "--by", "ranks", "--level", "module"],
    );
    let cohorts: BTreeSet<String> = ranks["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["cohort"]["ranks"].to_string())
        .collect();
    assert_eq!(cohorts.len(), 8, "{cohorts:?}");
}
