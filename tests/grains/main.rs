//! Grain graphs of real runs against what the original tools say of them.

mod aggregation;
mod deep_paths;
mod forms;
mod metrics;
mod paths;
mod problems;
mod recordings;
mod reduced;
mod structure;
mod table;
mod time_of_sources;
mod timeline;
mod unreduced;
mod written;

use std::path::Path;

use sheaf_ingest::{Input, NoModules, Symbols, read};
use sheaf_model::{Progress, RunTables};
use sheaf_tests::reference;

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
