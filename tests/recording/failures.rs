//! Programs that end badly, and traces that are not whole.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use sheaf_answers::{Add, FileStatus, ParamValue, Record, Runs};
use sheaf_tests::{ask, grainsheaf, program, run};

use crate::launching::{compile, script};

/// `ending HOW`: runs a loop, then ends with status HOW, or aborts if that is `abort`.
fn ending(folder: &Path) -> String {
    let source = r#"
#include <stdlib.h>
#include <string.h>
int main(int count, char **words) {
    int sum = 0;
    #pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 9; i++) sum += i;
    if (!strcmp(words[1], "abort")) abort();
    return atoi(words[1]);
}"#;
    compile(folder, "ending", source).display().to_string()
}

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

/// `exit_status` of the runs in a store by the argument of `ending`.
fn statuses(store: &Path) -> BTreeMap<String, Option<ParamValue>> {
    let runs: Runs = ask(store, &["runs"]);
    let status = |run: &sheaf_answers::Run| {
        let ParamValue::Text(how) = &run.params["arguments"] else {
            panic!("{run:?}")
        };
        (how.clone(), run.params.get("exit_status").cloned())
    };
    runs.runs.iter().map(status).collect()
}

/// A shell ends with a status of its own, which is not that of the programs that it ran.
#[test]
fn a_run_has_the_status_of_its_own_process() {
    let folder = tempfile::tempdir().unwrap();
    let ending = ending(folder.path());
    let check = |name: &str, text: &str, code: i32, expected: &[(&str, Option<f64>)]| {
        let [store, traces, added] =
            ["", "-traces", "-added"].map(|end| folder.path().join(format!("{name}{end}")));
        let text = text.replace("ending", &ending);
        let kept = traces.to_str().unwrap();
        let words = ["record", "--keep-traces", kept, "--", "sh", "-c", &text];
        run(&store, words).expect_code(code);
        run(&added, ["add", kept]).expect_code(0);
        let expected = expected
            .iter()
            .map(|(how, status)| ((*how).to_owned(), status.map(ParamValue::Number)))
            .collect();
        assert_eq!(statuses(&store), expected, "{name}");
        assert_eq!(statuses(&added), expected, "{name}");
    };
    let none = [("0", None), ("abort", None)];
    check("aborted", "ending abort; ending 0; true", 3, &none);
    check(
        "shell",
        "ending 0; ending 3; exit 5",
        3,
        &[("0", None), ("3", None)],
    );
    let last = [("0", None), ("3", Some(3.0))];
    check("replaced", "ending 0; exec ending 3", 3, &last);
    check("alone", "exec ending 0", 0, &[("0", Some(0.0))]);
}

#[test]
fn a_limit_on_the_size_of_files_is_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let ending = ending(folder.path());
    let fib = program("fib").display().to_string();
    let check = |command: &str, expected: &[&str]| {
        let words = ["record", "--", "bash", "-c", command];
        let outcome = run(&folder.path().join("store"), words).expect_code(3);
        for text in expected {
            assert!(
                outcome.stderr.contains(text),
                "{command}: {}",
                outcome.stderr
            );
        }
        assert!(
            !outcome.stderr.contains("holds no events"),
            "{}",
            outcome.stderr
        );
        assert!(
            !outcome.stderr.contains("refused space"),
            "{}",
            outcome.stderr
        );
    };
    let reached = "the limit on the size of files (`ulimit -f`) was reached";
    let early = ["recording stopped before the first event", reached];
    check(&format!("ulimit -f 50; {ending} 0"), &early);
    check(
        &format!("ulimit -f 1000; OMP_NUM_THREADS=2 {fib} 22 0"),
        &["is not recorded to its end", reached, "ulimit -f unlimited"],
    );
    let none = "nothing was recorded: the recorder could not write to its file";
    check(&format!("ulimit -f 2; {ending} 0"), &[none]);
}

#[test]
fn a_cost_that_is_not_measured_has_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let ending = ending(folder.path());
    let words = [
        "record",
        "--json",
        "--reference",
        "--repeat",
        "2",
        "--",
        &ending,
        "3",
    ];
    let outcome = run(&folder.path().join("store"), words).expect_code(3);
    let expected = "no cost of recording: without the recorder, the program ended with status 3, and only launches \
                    that end with status 0 are compared";
    assert_eq!(
        outcome.stderr.matches(expected).count(),
        1,
        "{}",
        outcome.stderr
    );
    let answer: Record = outcome.read();
    assert!(answer.costs.is_empty());
}

/// The folder of the traces is gone when a process in the background starts its runtime.
#[test]
fn a_process_in_the_background_leaves_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let [over, ended, log] = ["over", "ended", "log"].map(|name| folder.path().join(name));
    let temporary = folder.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let fib = program("fib");
    let text = format!(
        "(exec > {} 2>&1; for _ in $(seq 600); do [ -e {} ] && break; sleep 0.1; done; {} 6 0; echo $? > {}) &",
        log.display(),
        over.display(),
        fib.display(),
        ended.display()
    );
    let daemon = script(folder.path(), "daemon", &text);
    let mut record = grainsheaf(&folder.path().join("store"));
    record
        .args(["record", "--"])
        .arg(daemon)
        .env("TMPDIR", &temporary);
    let output = record.stdout(Stdio::null()).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{errors}");
    let expected = "a process that runs on after the launch is not recorded";
    assert!(errors.contains(expected), "{errors}");
    fs::write(over, "").unwrap();
    let is_over = |_: &u32| {
        std::thread::sleep(Duration::from_millis(100));
        fs::read_to_string(&ended)
            .unwrap_or_default()
            .ends_with('\n')
    };
    assert!((0..300).any(|at| is_over(&at)), "it never ended");
    assert_eq!(fs::read_to_string(&ended).unwrap(), "0\n");
    let left = fs::read_dir(&temporary).unwrap().count();
    assert_eq!(left, 0, "it created its folder again");
    let log = fs::read_to_string(log).unwrap();
    assert!(log.contains("this process is not recorded"), "{log}");
}
