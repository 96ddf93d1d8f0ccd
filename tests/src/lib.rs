//! Shared support of the test targets: where things are, and the tools that tests need.

mod answers;
mod command;
mod programs;
mod service;

use std::path::{Path, PathBuf};

pub use answers::{as_json, ask, copy, find, number, reference, sample, text, word};
pub use command::{Outcome, grainsheaf, run};
pub use programs::{intel_runtime, llvm15_runtime, program, runtime_of_llvm19};
pub use service::{Answer, Persistent, Service};

/// The folder that holds the workspace's `Cargo.toml`.
pub fn workspace_root() -> PathBuf {
    let member = Path::new(env!("CARGO_MANIFEST_DIR"));
    member.parent().unwrap_or(member).to_path_buf()
}

/// A file that `cargo build` made: in the profile's folder, above the test executables.
pub fn built(name: &str) -> PathBuf {
    let folder = std::env::current_exe()
        .ok()
        .and_then(|test| Some(test.parent()?.parent()?.to_path_buf()))
        .unwrap_or_default();
    let file = folder.join(name);
    assert!(
        file.exists(),
        "{} is not built; run the tests with `make test`",
        file.display()
    );
    file
}
