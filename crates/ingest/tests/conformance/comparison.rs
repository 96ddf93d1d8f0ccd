//! What is counted while values are compared with a reference.

use std::fmt::{Debug, Write as _};
use std::path::{Path, PathBuf};

/// Differences that are printed before a test fails.
const SHOWN: usize = 20;

/// The folder `data` of the shared reference data; says so in plain words when it is not there.
pub(crate) fn shared() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("not compared: the reference data are not beside the project (../shared/data)");
    None
}

/// The comparison of one format's files with their reference values.
pub(crate) struct Comparison {
    format: &'static str,
    files: u64,
    compared: u64,
    differences: Vec<String>,
    known_faults: u64,
}

impl Comparison {
    pub(crate) fn new(format: &'static str) -> Self {
        Self {
            format,
            files: 0,
            compared: 0,
            differences: Vec::new(),
            known_faults: 0,
        }
    }

    /// Counts a file that was read.
    pub(crate) fn file(&mut self) {
        self.files += 1;
    }

    /// Notes a difference that is no pair of values: a file that was refused, a missing row.
    pub(crate) fn differs(&mut self, what: impl Into<String>) {
        self.differences.push(what.into());
    }

    /// Compares exactly.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "values are made to be compared"
    )]
    pub(crate) fn exact<T: PartialEq + Debug>(&mut self, what: &str, ours: T, reference: T) {
        self.compared += 1;
        if ours != reference {
            self.differences
                .push(format!("{what}: ours {ours:?}, reference {reference:?}"));
        }
    }

    /// Compares floats to a relative tolerance, 1e-12 unless the reference is printed with less.
    pub(crate) fn close(&mut self, what: &str, ours: f64, reference: f64, tolerance: f64) {
        self.compared += 1;
        let scale = ours.abs().max(reference.abs());
        // What is no number is equal to nothing.
        let is_close = (ours - reference).abs() <= tolerance * scale;
        if !is_close {
            self.differences
                .push(format!("{what}: ours {ours}, reference {reference}"));
        }
    }

    /// Asserts a fault of the original tool: its value is `theirs`, the right one is `ours`.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "values are made to be compared"
    )]
    pub(crate) fn known_fault<T: PartialEq + Debug>(&mut self, what: &str, ours: T, theirs: T) {
        self.compared += 1;
        self.known_faults += 1;
        if ours == theirs {
            self.differences.push(format!(
                "{what}: the known fault of the original tool is gone, both say {ours:?}"
            ));
        }
    }

    /// Writes the line of the table, and fails on differences.
    pub(crate) fn finish(self) {
        let line = format!(
            "{:<14} {:>6} files {:>12} values {:>6} differences {:>4} known faults of the original\n",
            self.format,
            self.files,
            self.compared,
            self.differences.len(),
            self.known_faults,
        );
        print!("{line}");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{}.txt", self.format)), &line).unwrap();
        let mut text = line;
        for difference in self.differences.iter().take(SHOWN) {
            writeln!(text, "  {difference}").unwrap();
        }
        assert!(self.differences.is_empty(), "{text}");
        assert!(self.compared > 0, "{}: nothing was compared", self.format);
    }
}
