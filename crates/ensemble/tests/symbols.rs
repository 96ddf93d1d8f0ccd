//! A trace does not choose which files are opened.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use sheaf_answers::{FileReport, FileStatus};
use sheaf_ensemble::{AddOptions, Ensemble, Input, SymbolFiles};
use sheaf_model::Progress;

const TRACE: &[u8] = include_bytes!("../../ingest/fuzz/seeds/fib.gstrace");

/// The program that the trace is of; other paths are made as long.
const PROGRAM: &str = "/tmp/grainsheaf-samples/build/fib";

/// The trace with another path in place of its program's.
fn trace_of(path: &str) -> Vec<u8> {
    let slashes = "/".repeat(PROGRAM.len() - path.len());
    let path = slashes + path;
    let mut trace = TRACE.to_vec();
    let places: Vec<usize> = (0..trace.len() - PROGRAM.len())
        .filter(|&at| trace[at..].starts_with(PROGRAM.as_bytes()))
        .collect();
    assert!(!places.is_empty());
    for at in places {
        trace[at..at + path.len()].copy_from_slice(path.as_bytes());
    }
    trace
}

fn add(path: &str, symbols: SymbolFiles) -> FileReport {
    let folder = tempfile::tempdir().unwrap();
    let ensemble = Ensemble::create_or_open(&folder.path().join("store")).unwrap();
    let inputs = [Input::Bytes {
        name: "upload".to_owned(),
        bytes: trace_of(path),
    }];
    let options = AddOptions {
        symbols,
        ..AddOptions::default()
    };
    let mut reports = ensemble
        .add(&inputs, &options, &Progress::silent())
        .unwrap();
    reports.files.remove(0)
}

/// Checks that a trace of the program at `path` is added, and reports why it has no symbols.
fn check(path: &str, symbols: &SymbolFiles, kind: &str) {
    let report = add(path, symbols.clone());
    assert_eq!(report.status, FileStatus::Added, "{path}: {report:?}");
    let found = report.report.iter().find(|found| found.kind == kind);
    let first = found.and_then(|found| found.first.as_deref());
    let name = path.rsplit('/').next().unwrap();
    assert!(
        first.is_some_and(|first| first.ends_with(name)),
        "{path}: no {kind} in {:?}",
        report.report
    );
}

#[test]
fn a_trace_does_not_choose_which_files_are_opened() {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let at = |name: &str| folder.path().join(name);
    let made = Command::new("mkfifo").arg(at("p")).status().unwrap();
    assert!(made.success());
    symlink("/dev/zero", at("z")).unwrap();
    symlink("/proc/self/mem", at("m")).unwrap();
    fs::create_dir(at("d")).unwrap();
    fs::write(at("t"), "no program\n".repeat(100)).unwrap();
    let own = fs::read(std::env::current_exe().unwrap()).unwrap();
    fs::write(at("e"), &own[..own.len() / 2]).unwrap();
    let sparse = File::create(at("s")).unwrap();
    sparse.set_len(1 << 42).unwrap();
    std::io::Write::write_all(&mut &sparse, &own[..64]).unwrap();
    for (path, kind) in [
        ("/dev/zero", "system_files"),
        ("/proc/self/mem", "system_files"),
        ("z", "system_files"),
        ("m", "system_files"),
        ("p", "special_files"),
        ("d", "special_files"),
        ("t", "files_that_are_not_elf"),
        ("e", "unreadable_modules"),
        ("s", "too_large_modules"),
        ("n", "missing_modules"),
    ] {
        let full = folder.path().join(path);
        let kind = format!("skipped_sites_of_{kind}");
        check(full.to_str().unwrap(), &SymbolFiles::Anywhere, &kind);
    }
}

#[test]
fn uploads_have_symbols_only_from_folders_that_are_allowed() {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let other = tempfile::tempdir_in("/tmp").unwrap();
    let copy = |folder: &Path| {
        let path = folder.join("own");
        fs::copy(std::env::current_exe().unwrap(), &path).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (inside, outside) = (copy(folder.path()), copy(other.path()));
    let refused = "skipped_sites_outside_allowed_folders";
    check(&inside, &SymbolFiles::default(), refused);
    let allowed = SymbolFiles::Below(vec![folder.path().to_owned()]);
    check(&outside, &allowed, refused);
    symlink(&outside, folder.path().join("l")).unwrap();
    check(folder.path().join("l").to_str().unwrap(), &allowed, refused);
    // The file is opened, and found to be another program than the one that was recorded.
    check(&inside, &allowed, "skipped_sites_of_rebuilt_modules");
}
