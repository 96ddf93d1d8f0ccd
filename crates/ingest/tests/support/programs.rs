//! Compiles, runs and reads the sample programs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use sheaf_ingest::{Input, ModuleSource, Run, Symbols, read};
use sheaf_model::Progress;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compiler {
    Clang,
    Gcc,
}

const RUNTIME: &str = "/usr/lib/llvm-19/lib/libomp.so.5";

/// The file system as a source of modules.
pub(crate) struct Files;

impl ModuleSource for Files {
    fn module(&self, path: &str) -> Option<Vec<u8>> {
        std::fs::read(path).ok()
    }
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn recorder() -> PathBuf {
    // Test binaries are in `deps` of the folder that libraries are put into.
    let binary = std::env::current_exe().unwrap();
    let library = binary
        .parent()
        .unwrap()
        .parent()
        .unwrap()
        .join("libsheaf_recorder.so");
    assert!(
        library.exists(),
        "the recorder is missing, build it first: cargo build -p sheaf-recorder; looked for {}",
        library.display()
    );
    library
}

/// The folder of compiled programs.
fn programs() -> &'static Path {
    static PROGRAMS: OnceLock<PathBuf> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs");
        let status = Command::new("make")
            .args(["--silent", "CC=clang-19", "all", "gcc"])
            .arg(format!("OUT={}", folder.display()))
            .current_dir(workspace().join("data/programs"))
            .status()
            .expect("make is needed to compile the sample programs");
        assert!(
            status.success(),
            "compiling the sample programs needs clang-19 and gcc"
        );
        folder
    })
}

/// Runs a program and returns the traces it left, as bytes.
pub(crate) fn traces(
    compiler: Compiler,
    program: &str,
    arguments: &str,
    threads: u32,
) -> Vec<Vec<u8>> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("traces-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let binary = match compiler {
        Compiler::Clang => programs().join(program),
        Compiler::Gcc => programs().join("gcc").join(program),
    };
    let mut command = Command::new(&binary);
    command
        .args(arguments.split_whitespace())
        .env("OMP_NUM_THREADS", threads.to_string())
        .env("OMP_TOOL_LIBRARIES", recorder())
        .env("GRAINSHEAF_TRACE_DIR", &folder);
    if compiler == Compiler::Gcc {
        assert!(
            Path::new(RUNTIME).exists(),
            "LLVM's runtime is missing: {RUNTIME}"
        );
        command.env("LD_PRELOAD", RUNTIME);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{program} {arguments}: {output:?}");
    let mut traces = Vec::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        traces.push(std::fs::read(entry.unwrap().path()).unwrap());
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(!traces.is_empty(), "nothing was recorded of {program}");
    traces
}

/// Runs a program and reads its one run.
pub(crate) fn record(compiler: Compiler, program: &str, arguments: &str, threads: u32) -> Run {
    static SYMBOLS: OnceLock<Symbols> = OnceLock::new();
    let symbols = SYMBOLS.get_or_init(|| Symbols::new(Files));
    let traces = traces(compiler, program, arguments, threads);
    let inputs: Vec<Input<'_>> = traces
        .iter()
        .map(|bytes| Input {
            name: program,
            bytes,
        })
        .collect();
    let mut reading = read(&inputs, symbols, &Progress::silent()).unwrap();
    assert!(reading.refused.is_empty(), "{:?}", reading.refused);
    assert_eq!(reading.runs.len(), 1);
    reading.runs.remove(0)
}
