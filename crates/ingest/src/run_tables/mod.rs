//! The last step of every builder of run tables: the tables of definitions, contexts and metrics, the
//! order of grains, and the tables of fragments, waits, values and totals.
//!
//! [`crate::profile`] builds call profiles, [`crate::program`] grain programs of other tools, and
//! [`crate::trace::build`] the runs of our recorder.

mod context_tree;
mod definitions;
mod grain_rows;
mod location_sums;
mod metric_rows;
mod totals;

use std::hash::{BuildHasher as _, Hash};

use arrow::array::BooleanBufferBuilder;
use rustc_hash::FxBuildHasher;

pub(crate) use context_tree::{ContextTree, FinishedContexts};
pub(crate) use definitions::FinishedDefinitions;
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

/// Slots of a table of bits per grain: one of eight grains or fewer shares its slot with a grain of another key.
const SLOTS_PER_GRAIN: usize = 8;

/// Keys that several grains have, with these grains, in ascending order. Linear but for sorting those that share a slot.
pub(crate) fn repeated_keys<K: Ord + Copy + Hash>(
    grains: impl Iterator<Item = (K, u32)> + Clone,
) -> Vec<(K, u32)> {
    // Nearly always all keys differ, and a list of them takes far more memory than bits.
    let slots = (grains.clone().count() * SLOTS_PER_GRAIN).next_power_of_two();
    let slot = |key: K| usize::try_from(FxBuildHasher.hash_one(key)).unwrap_or(0) & (slots - 1);
    let no_bits = || {
        let mut bits = BooleanBufferBuilder::new(slots);
        bits.append_n(slots, false);
        bits
    };
    let (mut is_taken, mut is_shared) = (no_bits(), no_bits());
    for (key, _) in grains.clone() {
        let slot = slot(key);
        let bits = if is_taken.get_bit(slot) {
            &mut is_shared
        } else {
            &mut is_taken
        };
        bits.set_bit(slot, true);
    }
    let mut found: Vec<(K, u32)> = grains
        .filter(|(key, _)| is_shared.get_bit(slot(*key)))
        .collect();
    found.sort_unstable();
    let same = found.chunk_by(|a, b| a.0 == b.0);
    same.filter(|same| same.len() > 1)
        .flatten()
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_keys_are_found_with_their_grains() {
        let keys = |keys: &[i64]| repeated_keys(keys.iter().copied().zip(0..));
        assert_eq!(keys(&[]), []);
        assert_eq!(keys(&[5, -1, 7]), []);
        assert_eq!(
            keys(&[5, -1, 5, 7, -1, 5]),
            [(-1, 1), (-1, 4), (5, 0), (5, 2), (5, 5)]
        );
        // Many keys share slots, and some grains have one key.
        let many: Vec<i64> = (0..100_000).map(|at| at % 99_998).collect();
        assert_eq!(keys(&many), [(0, 0), (0, 99_998), (1, 1), (1, 99_999)]);
    }
}
