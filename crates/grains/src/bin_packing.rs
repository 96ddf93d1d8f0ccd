//! The least number of workers that keeps a loop's makespan: bin packing of its chunks, exact where
//! that is within reach, else between proven bounds ("Grain Graphs", 2016, section 4).

mod bounds;
mod loops;
mod search;
#[cfg(test)]
mod tests;

pub use loops::{LoopPacking, loops};
pub use sheaf_answers::{Makespan, Proof};

/// Bins that the exact search of one packing looks at before it gives up: some milliseconds.
pub const SEARCH_LIMIT: u64 = 2_000_000;

/// The least number of bins: `lower` and `upper` are equal where it is known exactly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packing {
    /// No fewer bins do: the bound L2 (Martello, Toth: "Lower bounds and reduction procedures for the
    /// bin packing problem", 1990), or the search's answer.
    pub lower: u32,
    /// So many do: first-fit decreasing, or better where the search found it.
    pub upper: u32,
    /// How the lower bound is known to be the answer, if it is.
    pub proof: Proof,
}

impl Packing {
    /// The least number of bins, where it is known.
    pub fn exact(&self) -> Option<u32> {
        (self.lower == self.upper).then_some(self.upper)
    }
}

/// The least number of bins of a capacity that hold items of these sizes. Items without size need no
/// bin; `None` where an item is larger than the capacity.
///
/// n log n, and an exact search that looks at no more than `limit` bins, only made where the
/// bounds differ. The answer does not depend on the order of sizes.
pub fn pack(sizes: &[i64], capacity: i64, limit: u64) -> Option<Packing> {
    let mut sizes: Vec<i64> = sizes.iter().copied().filter(|&size| size > 0).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    if sizes.first().is_some_and(|&largest| largest > capacity) {
        return None;
    }
    let lower = bounds::lower(&sizes, capacity);
    let upper = bounds::first_fit_decreasing(&sizes, capacity);
    if lower == upper {
        return Some(Packing {
            lower,
            upper,
            proof: Proof::Bounds,
        });
    }
    let found = search::search(&sizes, capacity, (lower, upper), limit);
    Some(Packing {
        lower: if found.is_complete { found.bins } else { lower },
        upper: found.bins,
        proof: if found.is_complete || found.bins == lower {
            Proof::Search
        } else {
            Proof::Open
        },
    })
}
