//! Launches of small programs: what is said when nothing is recorded.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Parser as _;

use super::super::{facts, program, runtime};
use super::*;
use crate::cli::{Cli, Command as Subcommand};

/// A tool that the runtime loads and that writes something in place of a trace.
const RECORDER: &str = r#"
    #include <stdio.h>
    #include <stdlib.h>
    static int begin(void *lookup, int device, void *data) { return 1; }
    static void end(void *data) {}
    static struct { int (*begin)(void *, int, void *); void (*end)(void *); long data; } tool = { begin, end, 0 };
    void *ompt_start_tool(unsigned version, const char *runtime) {
        char path[4096];
        snprintf(path, sizeof path, "%s/trace", getenv("GRAINSHEAF_TRACE_DIR"));
        FILE *file = fopen(path, "w");
        if (file) { fputs("no trace", file); fclose(file); }
        return &tool;
    }
"#;

const PARALLEL: &str = r#"
    #include <stdio.h>
    #include <stdlib.h>
    int main(int count, char **words) {
        if (count > 1) return 0;
        #pragma omp parallel
        #pragma omp single
        puts("in parallel");
        if (getenv("CRASH_AFTER")) abort();
        return 0;
    }
"#;

const SERIAL: &str =
    "int main(int count, char **words) { return count > 1 ? *(volatile int *)0 : 0; }";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn compile(&self, name: &str, source: &str, compiler: &str, flags: &[&str]) -> PathBuf {
        let (code, built) = (self.path(&format!("{name}.c")), self.path(name));
        fs::write(&code, source).unwrap();
        let output = Command::new(compiler)
            .arg(&code)
            .arg("-o")
            .arg(&built)
            .args(flags)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        built
    }

    fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn recorder(&self) -> PathBuf {
        self.compile("recorder.so", RECORDER, "gcc", &["-shared", "-fPIC"])
    }
}

/// What `record OPTIONS -- COMMAND` says of its first launch, with `recorder` as the recorder.
fn said(folder: &Folder, recorder: PathBuf, options: &[&str], command: &[&str]) -> String {
    match attempt(folder, recorder, options, command, &Interrupt::default()) {
        Ok((runs, trouble)) => format!("recorded {} runs, {trouble:?}", runs.len()),
        Err(setback) => message(&setback).replace(folder.0.path().to_str().unwrap(), "DIR"),
    }
}

fn attempt(
    folder: &Folder,
    recorder: PathBuf,
    options: &[&str],
    command: &[&str],
    interrupt: &Interrupt,
) -> Result<(Vec<RecordedRun>, Option<Failure>), Setback> {
    // Traces that cannot be imported are kept; here with the rest of the test.
    let traces = folder.path("traces");
    let own = [
        "grainsheaf",
        "--quiet",
        "record",
        "--keep-traces",
        text(&traces),
    ];
    let given = options.iter().chain(&["--"]).chain(command);
    let line = own.iter().chain(given);
    let cli = Cli::parse_from(line);
    let Subcommand::Record(arguments) = &cli.command else {
        panic!("not a recording")
    };
    let program = program::find(&arguments.command)?;
    let runtime = runtime::choose(&program, &arguments.runtime)?;
    let params = facts::gather(&arguments.command, &program, &runtime, &[], &[]);
    let answers = Answers::create_or_open(&folder.path("store")).unwrap();
    let sweep = Sweep {
        arguments,
        answers: &answers,
        program,
        runtime,
        recorder,
        params,
        console: Console::new(&cli.global),
        interrupt: interrupt.clone(),
        input: None,
        pairs: Mutex::default(),
        batch: Mutex::default(),
    };
    let launch = launches(&arguments.threads, arguments.repeat)[0];
    sweep.record(&sweep.task(launch, true))
}

fn message(setback: &Setback) -> &str {
    let (Setback::Launch(failure) | Setback::First(failure) | Setback::Sweep(failure)) = setback;
    &failure.message
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn commands_that_name_no_program_are_usage_errors() {
    let folder = Folder::new();
    let plain = folder.path("plain.txt");
    fs::write(&plain, "text").unwrap();
    let check = |command: &str, expected: &str| {
        assert_eq!(said(&folder, PathBuf::new(), &[], &[command]), expected);
    };
    check("/nowhere/sort", "no program `/nowhere/sort`");
    check(
        "no-such-program-anywhere",
        "no program `no-such-program-anywhere` in PATH",
    );
    check(text(folder.0.path()), "`DIR` is a folder, not a program");
    check(text(&plain), "`DIR/plain.txt` is not executable");
}

#[test]
fn programs_without_openmp_are_told_apart() {
    let folder = Folder::new();
    let recorder = folder.recorder();
    let check = |program: &Path, arguments: &[&str], expected: &str| {
        let command: Vec<_> = [text(program)].iter().chain(arguments).copied().collect();
        let said = said(&folder, recorder.clone(), &[], &command);
        assert_eq!(said, format!("nothing was recorded: {expected}"));
    };
    let serial = folder.compile("serial", SERIAL, "gcc", &[]);
    check(&serial, &[], "`serial` is not linked to an OpenMP runtime");
    check(
        &serial,
        &["crash"],
        "`serial` was killed by signal 11 (SIGSEGV) before the recorder wrote anything",
    );
    let fixed = folder.compile("fixed", PARALLEL, "gcc", &["-fopenmp", "-static"]);
    check(
        &fixed,
        &[],
        "`fixed` is linked statically, and the recorder cannot be loaded into it",
    );
    let idle = folder.compile("idle", PARALLEL, "clang-19", &["-fopenmp"]);
    check(
        &idle,
        &["early"],
        "`idle` is linked to OpenMP (libomp.so.5), but no runtime loaded the recorder before the launch ended: the \
         program reached no OpenMP construct, its environment was cleaned on the way, it has another tool, or it runs \
         on in the background",
    );
    let script = folder.script("wrapper", "exit 3");
    check(
        &script,
        &[],
        "`wrapper` ended with status 3 before the recorder wrote anything",
    );
    let silent = folder.script("silent", "true");
    check(
        &silent,
        &[],
        "no OpenMP runtime with a tools interface started in what `silent` ran",
    );
}

#[test]
fn a_recorder_that_is_no_library_is_named() {
    let folder = Folder::new();
    let broken = folder.path("recorder.so");
    fs::write(&broken, "not a library").unwrap();
    let program = folder.compile("parallel", PARALLEL, "clang-19", &["-fopenmp"]);
    let said = said(&folder, broken, &[], &[text(&program)]);
    let expected = "nothing was recorded: DIR/recorder.so is not a library for this machine";
    assert_eq!(said, expected);
}

#[test]
fn programs_of_either_compiler_leave_a_trace() {
    let folder = Folder::new();
    let recorder = folder.recorder();
    let check = |command: &[&str]| {
        let said = said(&folder, recorder.clone(), &["--threads", "2"], command);
        assert!(
            said.starts_with("cannot import the trace of 2 threads, repeat 1: "),
            "{said}"
        );
    };
    let llvm = folder.compile("llvm", PARALLEL, "clang-19", &["-fopenmp"]);
    let gnu = folder.compile("gnu", PARALLEL, "gcc", &["-fopenmp"]);
    check(&[text(&llvm)]);
    check(&[text(&gnu)]);
    check(&["env", "A=1", text(&gnu)]);
    check(&["sh", "-c", &format!("{} && true", text(&gnu))]);
    check(&[text(
        &folder.script("wrapper", &format!("exec {} \"$@\"", text(&gnu))),
    )]);
}

#[test]
fn a_crash_is_told_with_its_signal() {
    let folder = Folder::new();
    let program = folder.compile("parallel", PARALLEL, "clang-19", &["-fopenmp"]);
    let command = ["env", "CRASH_AFTER=1", text(&program)];
    let said = said(&folder, folder.recorder(), &[], &command);
    assert!(
        said.ends_with("; `parallel` was killed by signal 6 (SIGABRT)"),
        "{said}"
    );
}

#[test]
fn time_limits_and_interrupts_stop_the_whole_group() {
    let folder = Folder::new();
    let sleeper = folder.script("sleeper", "sleep 60; true");
    let limited = said(
        &folder,
        PathBuf::new(),
        &["--timeout", "0.1"],
        &[text(&sleeper)],
    );
    assert!(
        limited.contains("`sleeper` was stopped because its time was up"),
        "{limited}"
    );

    let interrupt = Interrupt::default();
    interrupt.raise();
    let start = std::time::Instant::now();
    let setback = attempt(&folder, PathBuf::new(), &[], &[text(&sleeper)], &interrupt).unwrap_err();
    assert_eq!(message(&setback), "repeat 1 was interrupted");
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_stubborn_program_is_killed() {
    let folder = Folder::new();
    let stubborn = folder.script("stubborn", "trap '' INT TERM; while :; do sleep 0.05; done");
    let interrupt = Interrupt::default();
    let second = interrupt.clone();
    std::thread::spawn(move || {
        for _ in 0..2 {
            std::thread::sleep(Duration::from_millis(200));
            second.raise();
        }
    });
    let setting = Setting {
        command: vec![stubborn.into()],
        ..Setting::default()
    };
    let cli = Cli::parse_from(["grainsheaf", "--quiet", "verify"]);
    let outcome = launch(&setting, &Console::new(&cli.global), &interrupt).unwrap();
    assert_eq!(outcome.ending, Ending::Interrupted);
}
