//! The command line as scripts see it: exit statuses, notes, licences, installed files, hostile names, reports, stores of earlier versions.

mod exit_status;
mod install;
mod licences;
mod names;
mod notes;
mod old_stores;
mod reports;
mod sources;
mod store;

use std::path::{Path, PathBuf};

use sheaf_answers::Runs;
use sheaf_tests::{ask, run, workspace_root};
use tempfile::TempDir;

/// A sample file of the repository.
fn sample(name: &str) -> PathBuf {
    workspace_root().join("data/samples").join(name)
}

/// A folder with a store of one call profile and one task graph in `store`.
fn sample_store() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    for name in ["cprofile/profile.pstats", "taskflow/nested.tfp"] {
        run(&store, ["add".as_ref(), sample(name).as_os_str()]).expect_code(0);
    }
    (folder, store)
}

/// The id of the store's run of a format.
fn run_of(store: &Path, format: &str) -> String {
    let words = ["runs", "--where", &format!("format = {format}")];
    let mut answer: Runs = ask(store, &words);
    answer.runs.remove(0).run
}
