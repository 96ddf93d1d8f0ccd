//! The commands besides `record`: ask the engine, print its answer.

mod add;
mod decision;
mod depth;
mod export;
mod git_order;
mod grain_diff;
mod maintain;
mod mapping;
mod parameters;
mod paths;
mod query;
mod scale;
mod serve;
mod similar;

pub(crate) use add::add;
pub(crate) use decision::{gate, history, noise};
pub(crate) use depth::{grains, problems, tree};
pub(crate) use export::export;
pub(crate) use maintain::{compact, remove, verify};
pub(crate) use mapping::mapping;
pub(crate) use paths::{loops, parallelism, paths, scheduling};
pub(crate) use query::{diff, info, runs, stats};
pub(crate) use scale::scale;
pub(crate) use serve::serve;
pub(crate) use similar::similar;

use maintain::with_progress;

use std::path::Path;

use sheaf_server::Answers;

use crate::output::Output;

/// Opens a store for the questions of this process.
///
/// # Errors
/// When there is no store, or one of a later version.
fn open(store: &Path, output: &Output) -> Result<Answers, sheaf_ensemble::Error> {
    Ok(Answers::open(store)?.for_caller(output.caller()))
}
