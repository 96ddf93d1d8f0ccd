//! Mutants of samples of every format: reading them, and every question on what was read, ends with
//! an answer or an error, in at most 1 GB.
//!
//! `GRAINSHEAF_MUTANTS=N` reads N mutants of each format instead of a few, and
//! `GRAINSHEAF_MUTANTS_FROM=M` begins with the M-th; mutants are numbered, and a number gives the
//! same mutant always. Failing mutants are kept in the target's folder for temporary files, named by their number.
//! Reading takes a small part of the time that the questions take: `GRAINSHEAF_QUESTIONS_EVERY=K` asks them of every
//! K-th batch only.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::panic,
    reason = "a test may stop, and says what it read"
)]

mod damage;
mod mutate;
mod questions;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;

use mutate::{Mutator, Sample};
use sheaf_answers::FileStatus;
use sheaf_ensemble::{AddOptions, Ensemble, Input};
use sheaf_model::Progress;

const FORMATS: &[&str] = &[
    "caliper",
    "caliper-json",
    "chrome",
    "cprofile",
    "dag-recorder",
    "gprof",
    "gprof2dot",
    "graphml",
    "hatchet",
    "hpctoolkit-3",
    "hpctoolkit-4",
    "mir",
    "pyinstrument",
    "taskflow",
    "tau",
    "timemory",
    "trace",
];

/// Mutants of each format where the environment does not say.
const MUTANTS: u64 = 16;

/// Mutants that are added together.
const BATCH: u64 = 16;

/// Kilobytes of address space of a process that reads the mutants of a format.
const MEMORY: u64 = 1 << 20;

const FORMAT: &str = "GRAINSHEAF_MUTANTS_OF";

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

fn kept() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants")
}

/// Reads the mutants of the format that the environment names; does nothing without one.
#[test]
fn read_the_mutants_of_one_format() {
    let Ok(format) = std::env::var(FORMAT) else {
        return;
    };
    let samples = mutate::samples(&format);
    let from = number("GRAINSHEAF_MUTANTS_FROM").unwrap_or(0);
    let count = number("GRAINSHEAF_MUTANTS").unwrap_or(MUTANTS);
    let every = number("GRAINSHEAF_QUESTIONS_EVERY").unwrap_or(1);
    let (mut num_added, mut num_questions) = (0, 0);
    let mut first = from;
    while first < from + count {
        let numbers: Vec<u64> = (first..(first + BATCH).min(from + count)).collect();
        first += BATCH;
        let mutants: Vec<Sample> = numbers
            .iter()
            .map(|&number| Mutator::new(&format, number).mutant(&samples))
            .collect();
        // Processes that read the same format do not meet.
        let folder = kept().join(format!("{format}-{}", std::process::id()));
        for (number, mutant) in numbers.iter().zip(&mutants) {
            mutant.write(&folder.join(number.to_string()));
        }
        let is_asked = (numbers[0] / BATCH).is_multiple_of(every);
        let (added, questions) = read(&numbers, &folder, is_asked);
        num_added += added;
        num_questions += questions;
        // What ended the process, or failed, stays.
        fs::remove_dir_all(&folder).unwrap();
    }
    println!("read: {count} mutants, {num_added} with runs, {num_questions} questions");
}

/// Adds mutants and, if wanted, asks everything of each run; returns the numbers of inputs with runs and of questions.
fn read(numbers: &[u64], folder: &Path, is_asked: bool) -> (u64, u64) {
    // Nothing here has to outlive the machine: memory does where there is some.
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() {
        memory.to_owned()
    } else {
        std::env::temp_dir()
    };
    let store = tempfile::tempdir_in(place).unwrap();
    let ensemble = Ensemble::create_or_open(&store.path().join("store")).unwrap();
    let inputs: Vec<Input> = numbers
        .iter()
        .map(|number| Input::Path(folder.join(number.to_string())))
        .collect();
    let add = || ensemble.add(&inputs, &AddOptions::default(), &Progress::silent());
    let added = catch_unwind(AssertUnwindSafe(add));
    let Ok(reports) = added else {
        panic!("`add` panicked; the inputs are in {}", folder.display());
    };
    let reports = reports.unwrap_or_else(|error| panic!("{}: {}", error.chain(), folder.display()));
    let (mut num_added, mut num_questions) = (0, 0);
    let mut asked = std::collections::BTreeSet::new();
    for report in &reports.files {
        num_added += u64::from(report.status != FileStatus::Refused);
        for run in report.runs.iter().filter(|_| is_asked) {
            if !asked.insert(run.clone()) {
                continue;
            }
            let run = run.parse().unwrap();
            let asked = catch_unwind(AssertUnwindSafe(|| questions::ask(&ensemble, run)));
            let Ok(count) = asked else {
                panic!("a question panicked on a run of {}", report.path);
            };
            num_questions += count;
        }
    }
    (num_added, num_questions)
}

#[test]
fn mutants_of_every_format_are_read_and_asked_in_bounded_memory() {
    let mut faults = Vec::new();
    let only = std::env::var("GRAINSHEAF_MUTANTS_ONLY").unwrap_or_default();
    for format in FORMATS
        .iter()
        .filter(|format| format.contains(only.as_str()))
    {
        let output = Command::new("sh")
            .arg("-c")
            .arg(format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\""))
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "read_the_mutants_of_one_format", "--nocapture"])
            .env(FORMAT, format)
            .env("RAYON_NUM_THREADS", "2")
            .env("MALLOC_ARENA_MAX", "2")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let said = text.lines().find(|line| line.starts_with("read: "));
        println!("{format}: {}", said.unwrap_or("nothing"));
        if !output.status.success() || said.is_none() {
            let error = String::from_utf8_lossy(&output.stderr);
            faults.push(format!(
                "{format}: {}\n{error}\nin {}",
                output.status,
                kept().display()
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
