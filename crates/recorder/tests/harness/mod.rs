//! Compiles a test program, runs it under the recorder and reads what was recorded.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "part of tests, where the lints' own exception does not reach"
)]

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicU32, Ordering};

use sheaf_ingest::trace::{CodeAddress, Event, EventKind, TaskId, Trace};

const CLANG: &str = "clang-19";

/// One run of a program.
pub(crate) struct Run {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// One file per process, parents first.
    pub(crate) traces: Vec<Vec<u8>>,
}

/// How to run a program.
#[derive(Default)]
pub(crate) struct Setup<'a> {
    pub(crate) args: &'a [&'a str],
    pub(crate) env: &'a [(&'a str, &'a str)],
    /// Shell commands to run first, such as limits.
    pub(crate) prelude: &'a str,
    /// Compile with GCC and preload the LLVM runtime.
    pub(crate) gcc: bool,
}

/// Records a program compiled by clang.
pub(crate) fn record(program: &str) -> Run {
    record_with(program, &Setup::default())
}

/// Records a program.
pub(crate) fn record_with(program: &str, setup: &Setup<'_>) -> Run {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("{program}-{}-{number}", std::process::id()));
    let folder = place.join("traces");
    std::fs::create_dir_all(&place).expect("a folder for the test");
    let binary = place.join("program");
    compile(program, &binary, setup.gcc);
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("{}\nexec \"$0\" \"$@\"", setup.prelude)])
        .arg(&binary)
        .args(setup.args)
        .env("OMP_TOOL_LIBRARIES", recorder())
        .env("GRAINSHEAF_TRACE_DIR", &folder)
        .env_remove("OMP_NUM_THREADS")
        .env_remove("LD_PRELOAD")
        .envs(setup.env.iter().copied())
        .current_dir(&place);
    if setup.gcc {
        command.env("LD_PRELOAD", openmp_library());
    }
    let output = command.output().expect("the test program starts");
    let traces = read_traces(&folder);
    let run = Run {
        status: output.status,
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        traces,
    };
    std::fs::remove_dir_all(&place).expect("the folder of the test goes away");
    run
}

fn compile(program: &str, binary: &Path, gcc: bool) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/programs")
        .join(program)
        .with_extension("c");
    let compiler = if gcc { "gcc" } else { CLANG };
    let result = Command::new(compiler)
        .args(["-fopenmp", "-g", "-O2", "-o"])
        .arg(binary)
        .arg(source)
        .arg("-ldl")
        .output();
    let output = result.unwrap_or_else(|error| {
        panic!(
            "`{compiler}` cannot be run ({error}); the recorder is tested on real programs: \
             install {compiler} and LLVM's OpenMP runtime, or run `make test`, which does"
        )
    });
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "`{compiler}` failed on `{program}.c`; if OpenMP is missing, run `make test`: {complaint}"
    );
}

/// LLVM's OpenMP runtime, as the compiler finds it.
pub(crate) fn openmp_library() -> PathBuf {
    let output = Command::new(CLANG)
        .arg("-print-file-name=libomp.so.5")
        .output()
        .unwrap_or_else(|error| panic!("`{CLANG}` cannot be run ({error}); run `make test`"));
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    assert!(
        path.exists(),
        "LLVM's OpenMP runtime is missing; run `make test`"
    );
    path
}

/// The recorder that was built for this test: beside the test itself, or one folder up.
fn recorder() -> PathBuf {
    let test = std::env::current_exe().expect("a path of the test");
    let folders = test.ancestors().skip(1).take(2);
    let libraries = folders.map(|folder| folder.join("libsheaf_recorder.so"));
    let newest = libraries
        .filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path)))
        .max()
        .expect("libsheaf_recorder.so is built with its tests");
    newest.1
}

fn read_traces(folder: &Path) -> Vec<Vec<u8>> {
    let Ok(list) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut traces: Vec<Vec<u8>> = list
        .map(|entry| std::fs::read(entry.expect("an entry").path()).expect("a trace"))
        .collect();
    traces.sort_by_key(|bytes| Trace::parse(bytes).map(|trace| trace.header.start_ns).ok());
    traces
}

/// Everything one trace holds, in thread order.
pub(crate) struct Recording<'a> {
    pub(crate) trace: Trace<'a>,
    pub(crate) events: Vec<Event>,
}

impl<'a> Recording<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Self {
        let trace = Trace::parse(bytes).expect("a trace");
        let mut events = Vec::new();
        for thread in &trace.threads {
            let mut iter = thread.events();
            events.extend(iter.by_ref());
            assert_eq!(iter.problems(), [], "damage in a stream");
        }
        Self { trace, events }
    }

    /// Values of the events that `choose` picks.
    pub(crate) fn pick<T>(&self, choose: impl FnMut(&EventKind) -> Option<T>) -> Vec<T> {
        self.events
            .iter()
            .map(|event| &event.kind)
            .filter_map(choose)
            .collect()
    }

    pub(crate) fn count(&self, wanted: impl Fn(&EventKind) -> bool) -> usize {
        self.events
            .iter()
            .filter(|event| wanted(&event.kind))
            .count()
    }

    pub(crate) fn created(&self) -> Vec<TaskId> {
        self.pick(|kind| match kind {
            EventKind::TaskCreate { task, .. } => Some(*task),
            _ => None,
        })
    }

    fn ends(&self) -> HashMap<TaskId, u32> {
        let mut ends = HashMap::new();
        for event in &self.events {
            if let EventKind::TaskSchedule {
                prior: Some(task),
                status,
                ..
            } = event.kind
                && status.is_end()
            {
                *ends.entry(task).or_default() += 1;
            }
        }
        ends
    }

    /// What must hold for the trace of every program that ended normally.
    pub(crate) fn check_complete(&self) {
        assert!(self.trace.complete, "{:?}", self.trace.problems);
        self.check();
        let created: HashSet<TaskId> = self.created().into_iter().collect();
        let ends = self.ends();
        for task in &created {
            assert_eq!(ends.get(task), Some(&1), "ends of {task:?}");
        }
        assert_eq!(
            ends.len(),
            created.len(),
            "an end of a task that was not created"
        );
        let begins = self.count(|kind| matches!(kind, EventKind::ParallelBegin { .. }));
        let ends = self.count(|kind| matches!(kind, EventKind::ParallelEnd { .. }));
        assert_eq!(begins, ends, "parallel regions begun and ended");
    }

    /// What must hold for every trace.
    pub(crate) fn check(&self) {
        let created = self.created();
        let distinct: HashSet<TaskId> = created.iter().copied().collect();
        assert_eq!(
            distinct.len(),
            created.len(),
            "a task number was given twice"
        );
        let implicit = self.pick(|kind| match kind {
            EventKind::ImplicitBegin { task, .. } => Some(*task),
            _ => None,
        });
        let known: HashSet<TaskId> = distinct.iter().copied().chain(implicit).collect();
        let first = self.trace.header.first_thread;
        for event in &self.events {
            for task in tasks_named(&event.kind) {
                let inherited = task.creator() < first;
                assert!(inherited || known.contains(&task), "orphan in {event:?}");
            }
            if let Some(site) = site_of(&event.kind) {
                assert!(
                    self.trace.header.locate(site).is_some(),
                    "lost site in {event:?}"
                );
            }
        }
        for pair in self.events.windows(2) {
            let [a, b] = pair else { continue };
            let ordered = a.ticks <= b.ticks && a.time_ns <= b.time_ns;
            assert!(
                a.thread != b.thread || ordered,
                "time runs backwards at {b:?}"
            );
        }
    }
}

fn tasks_named(kind: &EventKind) -> Vec<TaskId> {
    let tasks = match *kind {
        EventKind::TaskSchedule { prior, next, .. } => [prior, next],
        EventKind::TaskCreate { parent, .. } => [parent, None],
        EventKind::TaskDependence { source, sink } => [source, sink],
        EventKind::Dependence { task, .. }
        | EventKind::Dispatch { task, .. }
        | EventKind::Cancel { task, .. }
        | EventKind::ParallelBegin { task, .. }
        | EventKind::ImplicitEnd { task, .. } => [task, None],
        EventKind::SyncBegin(sync)
        | EventKind::SyncEnd(sync)
        | EventKind::WaitBegin(sync)
        | EventKind::WaitEnd(sync) => [sync.task, None],
        EventKind::WorkBegin(work) | EventKind::WorkEnd(work) => [work.task, None],
        _ => [None, None],
    };
    tasks.into_iter().flatten().collect()
}

fn site_of(kind: &EventKind) -> Option<CodeAddress> {
    match *kind {
        EventKind::TaskCreate { site, .. } | EventKind::ParallelBegin { site, .. } => site,
        EventKind::SyncBegin(sync) | EventKind::WaitBegin(sync) => sync.site,
        EventKind::WorkBegin(work) => work.site,
        EventKind::MutexAcquire { mutex, .. } => mutex.site,
        _ => None,
    }
}
