//! The last step of every builder of run tables: the tables of definitions and contexts, and the
//! order of grains.
//!
//! [`crate::profile`] builds call profiles, [`crate::program`] grain programs of other tools, and
//! [`crate::trace::build`] the runs of our recorder.

mod context_tree;
mod definitions;
mod grain_rows;

pub(crate) use context_tree::{ContextTree, FinishedContexts};
pub(crate) use definitions::FinishedDefinitions;
pub(crate) use grain_rows::GrainRows;

/// No row: no parent, no location.
pub(crate) const NONE: u32 = u32::MAX;

/// A position as a row of a table.
pub(crate) fn row(position: usize) -> i32 {
    i32::try_from(position).unwrap_or(i32::MAX)
}

/// The keys that occur several times, ascending.
pub(crate) fn repeated<K: Ord + Copy>(keys: impl Iterator<Item = K>) -> Vec<K> {
    let mut sorted: Vec<K> = keys.collect();
    sorted.sort_unstable();
    let pairs = sorted.windows(2);
    let mut repeated: Vec<K> = pairs
        .filter_map(|pair| match pair {
            [first, second] if first == second => Some(*first),
            _ => None,
        })
        .collect();
    drop(sorted);
    repeated.dedup();
    repeated
}
