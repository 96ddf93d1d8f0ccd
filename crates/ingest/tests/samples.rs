//! Every file in `data/samples`: golden dumps of what readers make of it, and what they make of
//! damaged copies.
//!
//! `data/samples/FORMAT` holds files, each an input, and folders, each a database. A new sample
//! needs no code: `make golden` writes `tests/golden/FORMAT/NAME.txt`, to be read by whoever
//! commits it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_sign_loss,
    reason = "a test may stop, print, and trust its data"
)]

mod samples {
    pub(crate) mod damage;
    pub(crate) mod dump;
    pub(crate) mod list;
}

use samples::list::Sample;
use samples::{damage, dump, list};
use sheaf_ingest::{Format, ReadOutcome};

fn golden(format: &str) {
    let samples = list::of(format);
    for sample in &samples {
        let reading = sample.read();
        sample.check_golden(&dump::dump(&reading));
    }
}

/// Whatever happens to a sample, it is read, or refused with a reason, and tables are valid.
fn damaged(format: &str) {
    for sample in list::of(format) {
        for (what, files) in damage::variants(&sample) {
            let reading = Sample::with_files(&sample, files).read();
            for run in &reading.runs {
                let valid = run.tables.validate();
                assert!(valid.is_ok(), "{}, {what}: {valid:?}", sample.name);
            }
            check_complete(
                &reading,
                sample.files.len(),
                &format!("{}, {what}", sample.name),
            );
        }
    }
}

/// No input is lost: each is in a run or refused.
fn check_complete(reading: &ReadOutcome, inputs: usize, what: &str) {
    let mut is_accounted = vec![false; inputs];
    let in_runs = reading.runs.iter().flat_map(|run| run.inputs.iter());
    let refused = reading.refused.iter().map(|(at, _)| at);
    for &at in in_runs.chain(refused) {
        is_accounted[at] = true;
    }
    assert!(
        is_accounted.iter().all(|&is| is),
        "{what}: {is_accounted:?}"
    );
}

macro_rules! formats {
    ($($name:ident => $format:literal),* $(,)?) => {
        $(mod $name {
            #[test]
            fn golden() {
                super::golden($format);
            }

            #[test]
            fn damaged() {
                super::damaged($format);
            }
        })*

        const TESTED: &[&str] = &[$($format),*];
    };
}

formats! {
    caliper => "caliper",
    caliper_json => "caliper-json",
    chrome => "chrome",
    cprofile => "cprofile",
    dag_recorder => "dag-recorder",
    gprof => "gprof",
    gprof2dot => "gprof2dot",
    graphml => "graphml",
    hatchet => "hatchet",
    hpctoolkit3 => "hpctoolkit-3",
    hpctoolkit4 => "hpctoolkit-4",
    mir => "mir",
    pyinstrument => "pyinstrument",
    taskflow => "taskflow",
    tau => "tau",
    timemory => "timemory",
}

/// Formats whose samples are elsewhere: recorded traces are tested with the recorder.
const ELSEWHERE: &[&str] = &["trace"];

#[test]
fn every_format_that_is_read_has_samples_and_tests() {
    for format in Format::ALL.iter().filter(|format| format.is_read()) {
        let name = format.as_str();
        assert!(
            TESTED.contains(&name) || ELSEWHERE.contains(&name),
            "add `{name}` to `formats!` and samples to data/samples/{name}"
        );
    }
}
