//! Compiles, runs and reads the sample programs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use sheaf_ingest::{Input, ModuleFile, ModuleSource, NoSymbols, Run, Symbols, read};
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
    fn module(&self, path: &str) -> Result<Box<dyn ModuleFile>, NoSymbols> {
        let file = std::fs::File::open(path).map_err(|_| NoSymbols::Missing)?;
        Ok(Box::new(file))
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

/// A program that is recorded into a folder of its own.
struct Recording {
    command: Command,
    folder: PathBuf,
}

impl Recording {
    fn new(compiler: Compiler, program: &str, arguments: &str, threads: u32) -> Self {
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
            let preloaded = format!("{}:{RUNTIME}", recorder().display());
            command.env("LD_PRELOAD", preloaded);
        }
        Self { command, folder }
    }

    /// The bytes of what was recorded.
    fn traces(self) -> Vec<Vec<u8>> {
        let mut traces = Vec::new();
        for entry in std::fs::read_dir(&self.folder).unwrap() {
            traces.push(std::fs::read(entry.unwrap().path()).unwrap());
        }
        std::fs::remove_dir_all(&self.folder).unwrap();
        assert!(
            !traces.is_empty(),
            "nothing was recorded by {:?}",
            self.command
        );
        traces
    }
}

/// Runs a program and returns the traces it left.
pub(crate) fn traces(
    compiler: Compiler,
    program: &str,
    arguments: &str,
    threads: u32,
) -> Vec<Vec<u8>> {
    let mut recording = Recording::new(compiler, program, arguments, threads);
    let output = recording.command.output().unwrap();
    assert!(output.status.success(), "{program} {arguments}: {output:?}");
    recording.traces()
}

/// Reads traces in the order given.
pub(crate) fn read_all(traces: &[Vec<u8>]) -> Vec<Run> {
    static SYMBOLS: OnceLock<Symbols> = OnceLock::new();
    let symbols = SYMBOLS.get_or_init(|| Symbols::new(Files));
    let inputs: Vec<Input<'_>> = traces
        .iter()
        .map(|bytes| Input::new("trace", bytes))
        .collect();
    let reading = read(&inputs, symbols, &Progress::silent()).unwrap();
    assert!(reading.refused.is_empty(), "{:?}", reading.refused);
    reading.runs
}

/// Runs a program and reads its one run.
pub(crate) fn record(compiler: Compiler, program: &str, arguments: &str, threads: u32) -> Run {
    let mut runs = read_all(&traces(compiler, program, arguments, threads));
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

/// Runs a program for a while, kills it, and reads what is left.
pub(crate) fn record_killed(program: &str, arguments: &str) -> Run {
    let mut recording = Recording::new(Compiler::Clang, program, arguments, 2);
    let mut child = recording.command.spawn().unwrap();
    // Whatever the machine's load, some events are there once the file has grown.
    let is_recording = || {
        let mut entries = std::fs::read_dir(&recording.folder).unwrap();
        entries.any(|entry| entry.unwrap().metadata().unwrap().len() > 1 << 20)
    };
    while !is_recording() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let mut runs = read_all(&recording.traces());
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}
