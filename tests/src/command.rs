//! Runs the command line as a user would.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

use crate::built;

/// What a command left behind.
pub struct Outcome {
    /// Exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Outcome {
    /// Standard output as JSON; fails the test with everything that was printed when it is not.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        match serde_json::from_str(&self.stdout) {
            Ok(value) => value,
            Err(error) => panic!("no JSON ({error})\n{}\n{}", self.stdout, self.stderr),
        }
    }

    /// Fails the test when the command did not end with `code`.
    #[track_caller]
    pub fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "\n{}\n{}", self.stdout, self.stderr);
        self
    }
}

/// A command of the binary under test on a store, ready to be started.
pub fn grainsheaf(store: &Path) -> Command {
    let mut command = Command::new(built("grainsheaf"));
    command
        .env_remove("GRAINSHEAF_STORE")
        .env_remove("GRAINSHEAF_BATCH")
        .env("GRAINSHEAF_RECORDER", built("libsheaf_recorder.so"))
        .env("NO_COLOR", "1")
        .arg("--store")
        .arg(store);
    command
}

/// Runs `grainsheaf --store STORE ARGS…` to its end.
#[track_caller]
pub fn run<S: AsRef<OsStr>>(store: &Path, args: impl IntoIterator<Item = S>) -> Outcome {
    let output = grainsheaf(store).args(args).output();
    match output {
        Ok(Output {
            status,
            stdout,
            stderr,
        }) => Outcome {
            code: status.code(),
            stdout: String::from_utf8_lossy(&stdout).into_owned(),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
        },
        Err(error) => panic!("cannot start the binary: {error}"),
    }
}
