//! Grain graphs of real runs against what the original tools say of them.

mod aggregation;
mod deep_paths;
mod forms;
mod metrics;
mod problems;
mod recordings;
mod reduced;
mod structure;
mod table;
mod time_of_sources;
mod timeline;
mod unreduced;
mod written;

use std::path::{Path, PathBuf};

use sheaf_ingest::{Input, NoModules, Symbols, read};
use sheaf_model::{Progress, RunTables};

/// A folder of the shared reference data; says so in plain words when it is not there.
fn reference(folder: &str) -> Option<PathBuf> {
    let folder = sheaf_tests::workspace_root()
        .join("../shared/data")
        .join(folder);
    if !folder.is_dir() {
        println!("not compared: the reference data are not beside the project (../shared/data)");
        return None;
    }
    Some(folder)
}

/// The one run of a file.
fn run(path: &Path) -> RunTables {
    let bytes = std::fs::read(path).unwrap();
    let name = path.display().to_string();
    let inputs = [Input::new(&name, &bytes)];
    let mut reading = read(&inputs, &Symbols::new(NoModules), &Progress::silent()).unwrap();
    assert!(reading.refused.is_empty(), "{name}: {:?}", reading.refused);
    assert_eq!(reading.runs.len(), 1, "{name}");
    reading.runs.remove(0).tables
}
