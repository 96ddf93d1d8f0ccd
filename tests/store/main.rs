//! The store through the command line: order, repetition, kills, and other tools' readers.

mod clocks;
mod kill;
mod messages;
mod metadata;
mod order;
mod python;

use std::path::{Path, PathBuf};

use sheaf_tests::{program, run};

/// Records a small study of two thread counts, keeps the traces, and returns their folder.
#[track_caller]
fn record_study(folder: &Path, repeats: u32) -> PathBuf {
    let traces = folder.join("traces");
    let fib = program("fib");
    let words = [
        "record",
        "--quiet",
        "--threads",
        "1,2",
        "--repeat",
        &repeats.to_string(),
        "--keep-traces",
        traces.to_str().unwrap(),
        "--",
        fib.to_str().unwrap(),
        "10",
        "0",
    ]
    .map(str::to_owned);
    run(&folder.join("recorded"), words).expect_code(0);
    traces
}

/// The entries of a folder of kept traces, one per run, in order.
fn entries(traces: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> = std::fs::read_dir(traces)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    found.sort();
    found
}

/// Every file below a store's folder but the leases, with its content.
fn content(store: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![store.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(store).unwrap().to_path_buf();
                found.push((name, std::fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}
