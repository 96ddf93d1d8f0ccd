//! The last step of every builder of run tables: the tables of definitions, contexts and metrics, the
//! order of grains, and the tables of fragments, waits, values and totals.
//!
//! [`crate::profile`] builds call profiles, [`crate::program`] grain programs of other tools, and
//! [`crate::trace::build`] the runs of our recorder.

mod context_tree;
mod definitions;
mod fragments;
mod grain_rows;
mod location_sums;
mod metric_rows;
mod totals;

pub(crate) use context_tree::{ContextTree, FinishedContexts};
pub(crate) use definitions::FinishedDefinitions;
pub(crate) use fragments::fragment_table;
pub(crate) use grain_rows::GrainRows;
pub(crate) use location_sums::{LocationSum, LocationSums};
pub(crate) use metric_rows::MetricRows;
pub(crate) use totals::{TotalColumns, finite};

/// No row: no parent, no location.
pub(crate) const NONE: u32 = u32::MAX;

/// A position as a row of a table.
pub(crate) fn row(position: usize) -> i32 {
    i32::try_from(position).unwrap_or(i32::MAX)
}

/// Keys that several grains have, with these grains, in ascending order.
pub(crate) fn repeated_keys<K: Ord + Copy>(
    grains: impl Iterator<Item = (K, u32)> + Clone,
) -> Vec<(K, u32)> {
    // Keys first: nearly always all differ, and keys alone take less memory.
    let mut keys: Vec<K> = grains.clone().map(|(key, _)| key).collect();
    keys.sort_unstable();
    let chunks = keys.chunk_by(|a, b| a == b);
    let repeated: Vec<K> = chunks
        .filter(|chunk| chunk.len() > 1)
        .filter_map(|chunk| chunk.first().copied())
        .collect();
    drop(keys);
    let mut found: Vec<(K, u32)> = grains
        .filter(|(key, _)| repeated.binary_search(key).is_ok())
        .collect();
    found.sort_unstable();
    found
}
