//! Programs that end badly, and traces that are not whole.

use std::fs;
use std::path::{Path, PathBuf};

use sheaf_answers::{Add, FileStatus};
use sheaf_tests::{program, run};

/// Records with `--keep-traces` and returns the trace file of the one run.
fn keep_trace(folder: &Path) -> PathBuf {
    let traces = folder.join("traces");
    let fib = program("fib");
    let words = [
        "record",
        "--json",
        "--quiet",
        "--threads",
        "2",
        "--keep-traces",
    ];
    let words = words.into_iter().map(str::to_owned).chain([
        traces.display().to_string(),
        "--".into(),
        fib.display().to_string(),
        "8".into(),
        "0".into(),
    ]);
    run(&folder.join("first"), words).expect_code(0);
    find_trace(&traces).expect("the trace was kept")
}

fn find_trace(folder: &Path) -> Option<PathBuf> {
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let path = entry.path();
        if path.is_dir() {
            if let Some(found) = find_trace(&path) {
                return Some(found);
            }
        } else if path.extension().is_some_and(|ending| ending == "gstrace") {
            return Some(path);
        }
    }
    None
}

#[test]
fn damaged_traces_are_refused_or_marked() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = fs::read(keep_trace(folder.path())).unwrap();
    let store = folder.path().join("second");
    let check = |name: &str, content: &[u8], code: i32, expected: &str| {
        let file = folder.path().join(name);
        fs::write(&file, content).unwrap();
        let outcome = run(
            &store,
            ["add".as_ref(), "--json".as_ref(), file.as_os_str()],
        );
        let outcome = outcome.expect_code(code);
        assert!(
            outcome.stdout.contains(expected),
            "{name}: {}",
            outcome.stdout
        );
        assert!(
            !outcome.stderr.contains("panicked"),
            "{name}: {}",
            outcome.stderr
        );
    };
    check("empty.gstrace", b"", 3, "refused");
    check("text.gstrace", b"hello, world", 3, "refused");
    check("head.gstrace", &bytes[..40], 3, "refused");
    let mut other_version = bytes.clone();
    other_version[8] = 0xee;
    check("version.gstrace", &other_version, 3, "version");
    check("whole.gstrace", &bytes, 0, "added");
    check("again.gstrace", &bytes, 0, "present");
    run(&store, ["verify"]).expect_code(0);
}

#[test]
fn a_bad_file_does_not_stop_the_good_ones() {
    let folder = tempfile::tempdir().unwrap();
    let trace = keep_trace(folder.path());
    let bad = folder.path().join("bad.gstrace");
    fs::write(&bad, b"no trace").unwrap();
    let store = folder.path().join("second");
    let words = [
        "add".as_ref(),
        "--json".as_ref(),
        bad.as_os_str(),
        trace.as_os_str(),
    ];
    let answer: Add = run(&store, words).expect_code(3).read();
    let status: Vec<_> = answer.files.iter().map(|file| file.status).collect();
    assert_eq!(status, [FileStatus::Refused, FileStatus::Added]);
    assert!(answer.files[0].error.is_some());
}

#[test]
fn what_the_sweep_sets_cannot_be_given() {
    let folder = tempfile::tempdir().unwrap();
    let fib = program("fib");
    let fib = fib.to_str().unwrap();
    let check = |options: &[&str], expected: &str| {
        let words = [&["record"], options, &["--", fib, "6", "0"]].concat();
        let outcome = run(folder.path(), words).expect_code(2);
        assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
    };
    check(
        &["--param", "threads=3"],
        "parameter `threads` is set by the recording itself",
    );
    check(
        &["--threads", "1,2", "--env", "OMP_NUM_THREADS=3"],
        "contradicts `--threads`",
    );
    check(
        &["--env", "OMP_TOOL=disabled"],
        "variable `OMP_TOOL` is set by the recording itself",
    );
}
