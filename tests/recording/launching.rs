//! Launches that meet full disks, signals, cleaned environments and pipes.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use sheaf_answers::{ParamValue, Record, Run, Runs};
use sheaf_tests::{as_json, ask, grainsheaf, program, run};

pub(super) fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Compiles a program of one test.
pub(super) fn compile(folder: &Path, name: &str, source: &str) -> PathBuf {
    let (code, built) = (folder.join(format!("{name}.c")), folder.join(name));
    fs::write(&code, source).unwrap();
    let mut command = Command::new("clang-19");
    command
        .args(["-g", "-fopenmp", "-O1", "-o"])
        .args([&built, &code]);
    assert!(command.status().unwrap().success());
    built
}

fn only_run(store: &Path) -> Run {
    let mut runs: Runs = ask(store, &["runs"]);
    assert_eq!(runs.runs.len(), 1, "{runs:?}");
    runs.runs.remove(0)
}

/// Runs `record` where a file system of `size` is mounted on `place`, for it alone.
fn record_on_small_disk(place: &Path, size: &str, store: &Path, words: &[&str]) -> Output {
    let text = format!(
        "mount -t tmpfs -o size={size} none {} && exec \"$@\"",
        place.display()
    );
    Command::new("unshare")
        .args(["--mount", "bash", "-c", &text, "bash"])
        .arg(sheaf_tests::built("grainsheaf"))
        .arg("--store")
        .arg(store)
        .args(words)
        .env(
            "GRAINSHEAF_RECORDER",
            sheaf_tests::built("libsheaf_recorder.so"),
        )
        .output()
        .unwrap()
}

#[test]
fn a_full_store_leaves_the_trace_and_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    fs::create_dir(&store).unwrap();
    let fib = program("fib");
    let fib = fib.to_str().unwrap();
    let check = |options: &[&str], launches: usize| {
        let words = [
            &["record", "--repeat", "2"],
            options,
            &["--", fib, "6", "0"],
        ]
        .concat();
        let output = record_on_small_disk(&store, "40k", &store, &words);
        let printed = errors(&output);
        assert_eq!(
            printed.matches("is recorded but not in the store").count(),
            launches,
            "{printed}"
        );
        let kept: Vec<PathBuf> = printed
            .split("the trace is kept: ")
            .skip(1)
            .map(|rest| PathBuf::from(rest.split("; `grainsheaf add`").next().unwrap()))
            .collect();
        assert_eq!(kept.len(), launches, "{printed}");
        for trace in kept {
            let other = folder.path().join("other");
            let added = run(&other, ["add".as_ref(), trace.as_os_str()]);
            added.expect_code(0);
            fs::remove_dir_all(trace.parent().unwrap()).unwrap();
        }
        output.status.code()
    };
    assert_eq!(check(&[], 1), Some(7));
    assert_eq!(check(&["--keep-going"], 2), Some(3));
}

#[test]
fn a_full_temporary_folder_is_the_reason_and_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let (store, traces) = (folder.path().join("store"), folder.path().join("traces"));
    fs::create_dir(&traces).unwrap();
    let fib = program("fib");
    let kept = [
        "record",
        "--keep-traces",
        traces.to_str().unwrap(),
        "--threads",
        "2",
        "--",
    ];
    let words = [&kept[..], &[fib.to_str().unwrap(), "20", "0"]].concat();
    let output = record_on_small_disk(&traces, "400k", &store, &words);
    let printed = errors(&output);
    assert_eq!(output.status.code(), Some(3), "{printed}");
    assert!(
        printed.contains("is not recorded to its end: recording stopped early"),
        "{printed}"
    );
    assert!(
        printed.contains("the trace folder refused space"),
        "{printed}"
    );
    let kept = only_run(&store);
    assert!(!kept.is_complete, "{kept:?}");
    let info = run(&store, ["info", kept.run.as_str()]).expect_code(0);
    assert!(
        !info.stdout.contains("did not end by itself"),
        "{}",
        info.stdout
    );
}

#[test]
fn an_interrupted_launch_is_kept_as_incomplete() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let lock = program("lock");
    let mut child = grainsheaf(&store)
        .args(["record", "--threads", "2", "--repeat", "3", "--"])
        .arg(lock)
        .args(["100000", "2000", "0"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(2));
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    let kept = only_run(&store);
    assert!(!kept.is_complete, "{kept:?}");
    assert!(kept.grains > Some(0), "{kept:?}");
    let ended_by = ParamValue::Text("user".to_owned());
    assert_eq!(kept.params["ended_by"], ended_by, "{kept:?}");
}

#[test]
fn a_program_with_a_cleaned_environment_runs_once() {
    let folder = tempfile::tempdir().unwrap();
    let counter = folder.path().join("count");
    let fib = program("fib");
    let text = format!(
        "echo x >> {}\nexec env -i {} 6 0",
        counter.display(),
        fib.display()
    );
    let cleaned = script(folder.path(), "cleaned", &text);
    let outcome = run(
        &folder.path().join("store"),
        ["record", "--", cleaned.to_str().unwrap()],
    );
    let outcome = outcome.expect_code(3);
    assert_eq!(fs::read_to_string(&counter).unwrap(), "x\n");
    let expected = "no runtime loaded the recorder before the launch ended: the program reached no OpenMP construct, \
                    its environment was cleaned on the way, it has another tool, or it runs on in the background";
    assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
}

/// LLVM's runtime crashes if it cannot open the file of its log, which was in a folder that ended with the launch.
#[test]
fn a_process_that_outlives_its_launch_ends_as_without_the_recorder() {
    let folder = tempfile::tempdir().unwrap();
    let [over, ended] = ["over", "ended"].map(|name| folder.path().join(name));
    let fib = program("fib");
    let text = format!(
        "(exec > {}/log 2>&1; for _ in $(seq 600); do [ -e {} ] && break; sleep 0.1; done; {fib} 6 0; echo $? > {}) &\n{fib} 6 0",
        folder.path().display(),
        over.display(),
        ended.display(),
        fib = fib.display()
    );
    let late = script(folder.path(), "late", &text);
    let store = folder.path().join("store");
    run(&store, ["record", "--quiet", "--", late.to_str().unwrap()]).expect_code(0);
    let status = || fs::read_to_string(&ended).unwrap_or_default();
    assert_eq!(status(), "", "it is still to come");
    fs::write(over, "").unwrap();
    let is_over = |_: &u32| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        status().ends_with('\n')
    };
    assert!((0..300).any(|at| is_over(&at)), "it never ended");
    assert_eq!(status(), "0\n");
}

#[test]
fn every_repeat_reads_the_whole_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let fib = program("fib");
    let text = format!("wc -c >> {}\nexec {} 6 0", seen.display(), fib.display());
    let reader = script(folder.path(), "reader", &text);
    let mut child = grainsheaf(&folder.path().join("store"))
        .args(["record", "--quiet", "--repeat", "3", "--warmup", "1", "--"])
        .arg(reader)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(&vec![b'x'; 200_000])
        .unwrap();
    assert!(child.wait().unwrap().success());
    let counts = fs::read_to_string(&seen).unwrap();
    assert_eq!(counts.split_whitespace().collect::<Vec<_>>(), ["200000"; 4]);
}

/// As the program itself would do, of which a shell has read the first lines.
#[test]
fn every_repeat_reads_a_file_from_where_it_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let (seen, content) = (folder.path().join("seen"), folder.path().join("content"));
    fs::write(&content, vec![b'x'; 1_000]).unwrap();
    let fib = program("fib");
    let text = format!("wc -c >> {}\nexec {} 6 0", seen.display(), fib.display());
    let reader = script(folder.path(), "reader", &text);
    let mut input = fs::File::open(&content).unwrap();
    input.seek(SeekFrom::Start(100)).unwrap();
    let status = grainsheaf(&folder.path().join("store"))
        .args(["record", "--quiet", "--repeat", "2", "--"])
        .arg(reader)
        .stdin(input)
        .stdout(Stdio::null())
        .status();
    assert!(status.unwrap().success());
    let counts = fs::read_to_string(&seen).unwrap();
    assert_eq!(counts.split_whitespace().collect::<Vec<_>>(), ["900"; 2]);
}

#[test]
fn a_closed_trace_is_complete_whatever_the_status() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let source = "int main(void) { int sum = 0;\n#pragma omp parallel for reduction(+ : sum)\n\
                  for (int i = 0; i < 9; i++) sum += i;\nreturn sum == 36 ? 7 : 0; }";
    let seven = compile(folder.path(), "seven", source);
    let outcome = run(&store, ["record", "--", seven.to_str().unwrap()]).expect_code(3);
    assert!(
        outcome.stderr.contains("`seven` ended with status 7"),
        "{}",
        outcome.stderr
    );
    let kept = only_run(&store);
    assert!(kept.is_complete, "{kept:?}");
    let status = ParamValue::Number(7.0);
    assert_eq!(kept.params["exit_status"], status, "{kept:?}");
}

/// A library that GCC compiled, with a function `other` that returns the sum of 0 to 8.
fn gnu_library(folder: &Path) -> PathBuf {
    let (code, library) = (folder.join("other.c"), folder.join("libother.so"));
    let source = "int other(void) { int sum = 0;\n#pragma omp parallel for reduction(+ : sum)\n\
                  for (int i = 0; i < 9; i++) sum += i;\nreturn sum; }";
    fs::write(&code, source).unwrap();
    let mut gcc = Command::new("gcc");
    gcc.args(["-fopenmp", "-shared", "-fPIC", "-o"])
        .args([&library, &code]);
    assert!(gcc.status().unwrap().success());
    library
}

/// GNU's runtime, loaded before LLVM's, takes the calls of what GCC compiled: that part is not recorded.
#[test]
fn two_runtimes_in_a_process_are_warned_about() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let library = gnu_library(folder.path());
    let source = "#include <dlfcn.h>\nint other(void);\nint main(void) { int sum = 0;\n\
                  #pragma omp parallel for reduction(+ : sum)\nfor (int i = 0; i < 9; i++) sum += i;\n\
                  return sum == other() ? 0 : 1; }";
    let main = folder.path().join("main.c");
    fs::write(&main, source).unwrap();
    let both = folder.path().join("both");
    // The program's own runtime stands first, so that no other is put under it.
    let mut clang = Command::new("clang-19");
    clang
        .args(["-fopenmp", "-Wl,--no-as-needed"])
        .arg("/usr/lib/llvm-19/lib/libomp.so")
        .arg(&library)
        .arg(&main)
        .arg("-o")
        .arg(&both);
    clang.arg(format!(
        "-Wl,-rpath,{},--no-as-needed",
        folder.path().display()
    ));
    assert!(clang.status().unwrap().success());
    let mut record = grainsheaf(&store);
    record.args(["record", "--json", "--", both.to_str().unwrap()]);
    let recorded = record.env("LD_PRELOAD", "libgomp.so.1").output().unwrap();
    assert!(recorded.status.success(), "{}", errors(&recorded));
    let plain: Record = serde_json::from_slice(&recorded.stdout).unwrap();
    let warnings = as_json(&plain.runs[0].warnings);
    assert!(
        warnings.contains("several OpenMP runtimes (libomp.so.5, libgomp.so.1"),
        "{warnings}"
    );
}

/// A library that is loaded later calls the runtime of the program, unless it is loaded to prefer its own libraries.
#[test]
fn a_runtime_that_is_loaded_later_is_warned_about() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let library = gnu_library(folder.path());
    let source = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
int main(int count, char **arguments) {
    int sum = 0;
    #pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 9; i++) sum += i;
    void *library = dlopen(arguments[1], RTLD_NOW | (count > 2 ? RTLD_DEEPBIND : 0));
    int (*other)(void) = library ? (int (*)(void))dlsym(library, "other") : NULL;
    return other && other() == sum ? 0 : 1;
}"#;
    let main = compile(folder.path(), "later", source);
    let words = ["record", "--json", "--", main.to_str().unwrap()];
    let words = words.into_iter().chain(library.to_str());
    let own: Record = run(&store, words.clone()).expect_code(0).read();
    let other: Record = run(&store, words.chain(["deep"])).expect_code(0).read();
    let [own, other] = [own, other].map(|it| as_json(&it.runs[0].warnings));
    assert!(!own.contains("several OpenMP runtimes"), "{own}");
    assert!(
        other.contains("several OpenMP runtimes (libomp.so.5, libgomp.so.1"),
        "{other}"
    );
}

#[test]
fn the_next_recording_removes_what_a_killed_one_left() {
    let folder = tempfile::tempdir().unwrap();
    let temporary = folder.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let store = folder.path().join("store");
    let lock = program("lock");
    let mut child = grainsheaf(&store)
        .args(["record", "--threads", "1", "--"])
        .arg(&lock)
        .args(["100000", "2000", "0"])
        .env("TMPDIR", &temporary)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let count = || fs::read_dir(&temporary).unwrap().count();
    let start = Instant::now();
    while count() == 0 && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(500));
    child.kill().unwrap();
    child.wait().unwrap();
    let left: Vec<PathBuf> = fs::read_dir(&temporary)
        .unwrap()
        .map(|it| it.unwrap().path())
        .collect();
    assert_eq!(left.len(), 1, "{left:?}");
    let again = || {
        let mut command = grainsheaf(&store);
        command
            .args(["record", "--"])
            .arg(&lock)
            .args(["4", "0", "0"]);
        let output = command.env("TMPDIR", &temporary).output().unwrap();
        assert!(output.status.success(), "{}", errors(&output));
        errors(&output)
    };
    // The program goes on without its recording, and holds its folder.
    again();
    assert!(left[0].exists());
    let holder = Command::new("sh")
        .arg("-c")
        .arg("for p in /proc/[0-9]*; do for f in $p/fd/*; do case $(readlink $f) in \"$0\"*) echo ${p#/proc/};; esac; done; done 2>/dev/null | sort -u")
        .arg(&left[0])
        .output()
        .unwrap();
    for id in String::from_utf8_lossy(&holder.stdout).split_whitespace() {
        assert!(
            Command::new("kill")
                .args(["-KILL", id])
                .status()
                .unwrap()
                .success()
        );
    }
    std::thread::sleep(Duration::from_millis(300));
    let printed = again();
    assert!(!left[0].exists(), "{printed}");
    assert!(
        printed.contains("removed what a recording that was killed left"),
        "{printed}"
    );
}

#[test]
fn recorded_runs_are_rows() {
    let folder = tempfile::tempdir().unwrap();
    let fib = program("fib");
    let words = [
        "record",
        "--csv",
        "--quiet",
        "--threads",
        "1,2",
        "--reference",
    ];
    let command = ["--", fib.to_str().unwrap(), "6", "0"];
    let printed = run(folder.path(), [&words[..], &command].concat()).expect_code(0);
    let mut rows = csv::Reader::from_reader(printed.stdout.as_bytes());
    let rows: Vec<BTreeMap<String, String>> = rows.deserialize().map(Result::unwrap).collect();
    let stored: Runs = ask(folder.path(), &["runs"]);
    assert_eq!(rows.len(), 2);
    for (row, threads) in rows.iter().zip(["1", "2"]) {
        let run = stored.runs.iter().find(|run| run.run == row["run"]);
        let run = run.unwrap();
        let expected = [
            ("threads", threads.to_owned()),
            ("repeat", "1".to_owned()),
            ("grains", run.grains.unwrap().to_string()),
            ("is_complete", "true".to_owned()),
        ];
        for (column, value) in expected {
            assert_eq!(row[column], value, "{column}");
        }
        let number = |column: &str| row[column].parse::<f64>().unwrap();
        let ratio = number("elapsed_ns") / number("reference_elapsed_ns");
        assert!((number("cost") - (ratio - 1.0)).abs() < 1e-9, "{row:?}");
    }
}

/// Variables of the program are settings of the launch, whether `--env` sets them or the environment has them.
#[test]
fn launches_with_other_variables_are_not_held() {
    let folder = tempfile::tempdir().unwrap();
    let fib = program("fib");
    let held = |schedule: &str| {
        let mut record = grainsheaf(&folder.path().join("store"));
        record
            .args(["record", "--resume", "--threads", "2", "--"])
            .arg(&fib);
        let output = record
            .args(["6", "0"])
            .env("OMP_SCHEDULE", schedule)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", errors(&output));
        errors(&output).contains("1 launch left out")
    };
    assert!(!held("static"));
    assert!(held("static"));
    assert!(!held("dynamic,4"));
    assert!(held("dynamic,4") && held("static"));
}
