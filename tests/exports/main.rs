//! Exports through the command line, opened by the readers of others.

mod opened;
mod written;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use sheaf_answers::{Run, Runs};
use sheaf_tests::{ask, run, workspace_root};

/// A store of one run that was read from a file.
fn store_of(folder: &Path, file: &Path) -> PathBuf {
    let store = folder.join("store");
    let words = ["add", "--quiet", &file.display().to_string()];
    run(&store, words).expect_code(0);
    store
}

/// The first run of a store.
fn first_run(store: &Path) -> Run {
    ask::<Runs>(store, &["runs"]).runs.remove(0)
}

/// Exports the first run of a store into a file.
fn export(store: &Path, to: &Path, words: &[&str]) {
    let id = first_run(store).run;
    let to = to.display().to_string();
    let mut all = vec!["export", &id, "-o", &to];
    all.extend(words);
    run(store, all).expect_code(0);
}

/// What the readers of others say of an export.
fn opened(what: &str, file: &Path, reference: Option<&Path>) -> Value {
    let python = workspace_root().join(".venv/bin/python");
    assert!(
        python.exists(),
        "the Python environment is not there; run `tests/setup.sh python`"
    );
    let output = Command::new(python)
        .arg(workspace_root().join("tests/python/check_exports.py"))
        .arg(what)
        .arg(file)
        .args(reference)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", file.display());
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A file of the reference data on grain graphs.
fn reference(file: &str) -> Option<PathBuf> {
    sheaf_tests::reference(&format!("grain-graphs/{file}"))
}
