//! The commands besides `record`: ask the engine, print its answer.

mod maintain;
mod parameters;
mod query;
mod serve;

pub(crate) use maintain::{add, compact, remove, verify};
pub(crate) use query::{diff, info, runs, stats};
pub(crate) use serve::serve;
