//! DuckDB and pandas read the store as it is, and compute the same numbers from it.

use std::fs;
use std::process::Command;

use sheaf_answers::{Diff, Stats};
use sheaf_tests::{ask, run, workspace_root};

#[test]
fn pandas_computes_the_same_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let store = workspace_root().join("data/ensembles/threads");
    let answers = ["exclusive", "inclusive"].map(|scope| -> Stats {
        let metric = ["--metric", "work_ns", "--scope", scope];
        ask(
            &store,
            &[&["stats", "--by", "threads"], &metric[..]].concat(),
        )
    });
    let diff: Diff = ask(&store, &["diff", "threads = 1", "threads = 4"]);
    let stats_file = folder.path().join("stats.json");
    let diff_file = folder.path().join("diff.json");
    fs::write(&stats_file, serde_json::to_vec(&answers).unwrap()).unwrap();
    fs::write(&diff_file, serde_json::to_vec(&diff).unwrap()).unwrap();
    let python = workspace_root().join(".venv/bin/python");
    assert!(
        python.exists(),
        "the Python environment is not there; run `tests/setup.sh python`"
    );
    let output = Command::new(python)
        .arg(workspace_root().join("tests/python/check_store.py"))
        .arg(&store)
        .args([&stats_file, &diff_file])
        .args([diff.a.runs.join(","), diff.b.runs.join(",")])
        .output()
        .unwrap();
    let (stdout, stderr) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{stdout}\n{stderr}");
    let compared: u32 = stdout.split(' ').next().unwrap().parse().unwrap();
    assert!(compared > 200, "only {stdout}");
}

#[test]
fn duckdb_computes_the_same_over_grains() {
    let folder = tempfile::tempdir().unwrap();
    let store = workspace_root().join("data/ensembles/threads");
    let ask = |name: &str, words: &[&str]| {
        let file = folder.path().join(name);
        fs::write(&file, run(&store, words).expect_code(0).stdout).unwrap();
        file
    };
    let stats = [
        "stats", "--json", "--over", "grains", "--by", "threads", "--metric", "work_ns",
    ];
    let diff = [
        "diff",
        "--json",
        "threads = 1",
        "threads = 4",
        "--level",
        "grain",
    ];
    let python = workspace_root().join(".venv/bin/python");
    assert!(
        python.exists(),
        "the Python environment is not there; run `tests/setup.sh python`"
    );
    let output = Command::new(python)
        .arg(workspace_root().join("tests/python/check_grains.py"))
        .arg(&store)
        .arg(ask("stats.json", &stats))
        .arg(ask("diff.json", &diff))
        .output()
        .unwrap();
    let (stdout, stderr) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{stdout}\n{stderr}");
    let compared: u32 = stdout.split(' ').next().unwrap().parse().unwrap();
    assert!(compared > 3_000, "only {stdout}");
}
