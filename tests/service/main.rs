//! The service as the real binary serves it: every route, its errors, and who may ask.

mod access;
mod answers;
mod depth;
mod imports;
mod questions;
mod refusals;
mod robustness;

use std::path::PathBuf;

use sheaf_tests::workspace_root;

/// A sample ensemble.
fn sample(name: &str) -> PathBuf {
    workspace_root().join("data/ensembles").join(name)
}
