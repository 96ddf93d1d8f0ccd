//! The table of fragments.

use sheaf_model::table::{Fragments, PackedFragments};

/// More fragments than this stay packed until the store writes them.
const MAX_UNPACKED: usize = 1 << 21;

/// The table of rows that come in its order: as it is, or packed if it is large. The other of both is empty.
pub(crate) fn fragment_table(packed: PackedFragments) -> (Fragments, PackedFragments) {
    if packed.len() > MAX_UNPACKED {
        (Fragments::empty(), packed)
    } else {
        (packed.unpack(), PackedFragments::default())
    }
}
