//! A store of every version of the table schema is opened, questioned, verified and compacted.
//!
//! Version 1 is `data/ensembles/runtimes`; version 2 was written by the first code that wrote it (`stores/schema-2`). A
//! new version adds a store and leaves these as they are; answers that change on purpose are accepted with
//! `UPDATE_GOLDEN=1` after reading.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use sheaf_answers::Runs;
use sheaf_tests::{run, workspace_root};

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, target).unwrap();
        }
    }
}

/// Answers to a fixed set of questions.
fn answers(store: &Path) -> String {
    let mut text = String::new();
    let mut ask = |words: &[&str]| {
        let answer = run(store, words).expect_code(0).stdout;
        let _ = writeln!(text, "$ {}\n{answer}", words.join(" "));
    };
    ask(&["runs", "--columns", "threads"]);
    ask(&["stats", "--csv", "--level", "definition"]);
    let runs: Runs = sheaf_tests::ask(store, &["runs"]);
    let with_grains = runs.runs.iter().filter(|run| run.grains.is_some());
    for run in with_grains.take(2) {
        ask(&["tree", &run.run]);
        ask(&["grains", &run.run, "--csv", "--limit", "20"]);
    }
    text
}

/// Asks a store, and a copy that is compacted; all answers are those that were accepted.
fn check(store: &str, schema_version: u32) {
    let stored = workspace_root().join(store);
    let folder = tempfile::tempdir().unwrap();
    let one = folder.path().join("store");
    copy(&stored, &one);
    let segments = fs::read_dir(one.join("segments")).unwrap();
    for segment in segments.map(|it| it.unwrap().path()) {
        let manifest = fs::read_to_string(segment.join("manifest.json")).unwrap();
        let version = format!("\"schema_version\":{schema_version},");
        assert!(manifest.contains(&version), "{}", segment.display());
    }
    let found = answers(&one);
    let golden = format!("tests/command/golden/schema-{schema_version}.txt");
    let golden = workspace_root().join(golden);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&golden, &found).unwrap();
    }
    let expected = fs::read_to_string(&golden).unwrap();
    assert!(
        found == expected,
        "{} differs from:\n{found}",
        golden.display()
    );
    run(&one, ["verify"]).expect_code(0);
    run(&one, ["compact"]).expect_code(0);
    assert!(answers(&one) == expected, "compaction changed an answer");
    run(&one, ["verify"]).expect_code(0);
}

#[test]
fn a_store_of_schema_version_1_is_read() {
    check("data/ensembles/runtimes", 1);
}

#[test]
fn a_store_of_schema_version_2_is_read() {
    check("tests/command/stores/schema-2", 2);
}
