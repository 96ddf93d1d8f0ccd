//! Of the programs that an uploaded trace names, only those below allowed folders are opened.

use std::path::Path;

use sheaf_answers::{FileStatus, ImportRequest};
use sheaf_tests::Service;

use crate::imports::{Upload, empty_store, trace};

/// The program that the trace is of; another path is made as long.
const PROGRAM: &str = "/tmp/grainsheaf-samples/build/fib";

/// The trace with another path in place of its program's.
fn trace_of(path: &str) -> Vec<u8> {
    let path = "/".repeat(PROGRAM.len() - path.len()) + path;
    let mut trace = std::fs::read(trace("fib.gstrace")).unwrap();
    let mut at = 0;
    while at + PROGRAM.len() <= trace.len() {
        if trace[at..].starts_with(PROGRAM.as_bytes()) {
            trace[at..at + path.len()].copy_from_slice(path.as_bytes());
        }
        at += 1;
    }
    trace
}

/// The findings about symbols of an upload of a trace of the program.
fn findings(service: &Service, program: &Path) -> Vec<String> {
    let import = Upload::begin(service, &ImportRequest::default());
    let sent = import.send("fib.gstrace", &trace_of(program.to_str().unwrap()));
    assert_eq!(sent.status, 200, "{}", sent.text());
    let done = import.finish();
    let file = done.report.unwrap().files.remove(0);
    assert_eq!(file.status, FileStatus::Added, "{file:?}");
    let findings = file.report.into_iter();
    findings
        .map(|finding| finding.kind)
        .filter(|kind| kind.starts_with("skipped_sites"))
        .collect()
}

#[test]
fn symbols_of_uploads_come_from_allowed_folders() {
    let allowed = tempfile::tempdir_in("/tmp").unwrap();
    let other = tempfile::tempdir_in("/tmp").unwrap();
    let [inside, outside] = [&allowed, &other].map(|folder| {
        let path = folder.path().join("own");
        std::fs::copy(std::env::current_exe().unwrap(), &path).unwrap();
        path
    });
    let symbols_from = ["--symbols-from", allowed.path().to_str().unwrap()];
    let ask = |options: &[&str], program: &Path| {
        let store = empty_store();
        findings(&Service::start(store.path(), options), program)
    };
    let refused = ["skipped_sites_outside_allowed_folders"];
    assert_eq!(ask(&[], &inside), refused);
    assert_eq!(ask(&symbols_from, &outside), refused);
    // The file is opened, and found to be another program than the one that was recorded.
    let opened = ["skipped_sites_of_rebuilt_modules"];
    assert_eq!(ask(&symbols_from, &inside), opened);
}
