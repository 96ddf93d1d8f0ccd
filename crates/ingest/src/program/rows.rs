//! The order of grains in their table, and what belongs to each.

use super::columns::{GrainColumns, NONE};
use super::contexts::Placement;
use crate::buckets::Buckets;

/// Rows of grains by number, and numbers by row.
pub(super) struct GrainRows {
    pub(super) rows: Vec<i32>,
    /// Numbers of grains by row.
    pub(super) grains: Vec<u32>,
    /// Rows of each context are consecutive: where they begin, and where the last ends.
    pub(super) starts: Vec<usize>,
}

impl GrainRows {
    /// The order of the table: context, parent, sequence, index. Contexts of parents stand
    /// before those of children, so that one pass gives every parent its row in time.
    /// `contexts` are the rows of contexts.
    pub(super) fn new(grains: &GrainColumns, placement: &Placement, contexts: &[i32]) -> Self {
        let by_context = Buckets::new(grains.len(), placement.len(), |grain| {
            let context = *placement.contexts.get(grain as usize)?;
            u32::try_from(*contexts.get(context as usize)?).ok()
        });
        let mut rows = vec![-1; grains.len()];
        let mut sorted = Vec::with_capacity(grains.len());
        let mut starts = Vec::with_capacity(placement.len() + 1);
        let mut siblings = Vec::new();
        for context in 0..placement.len() {
            starts.push(sorted.len());
            siblings.clear();
            siblings.extend(by_context.get(context).iter().map(|&grain| {
                let at = grain as usize;
                let parent = grains.parent_of(at).and_then(|at| rows.get(at).copied());
                let index = grains.index.get(at).copied().unwrap_or(0);
                // Absent sequences stand first.
                ((parent, grains.sequence.get(at), index), grain)
            }));
            siblings.sort_unstable();
            for &(_, grain) in &siblings {
                if let Some(row) = rows.get_mut(grain as usize) {
                    *row = i32::try_from(sorted.len()).unwrap_or(i32::MAX);
                }
                sorted.push(grain);
            }
        }
        starts.push(sorted.len());
        Self {
            rows,
            grains: sorted,
            starts,
        }
    }

    pub(super) fn row(&self, grain: u32) -> Option<i32> {
        self.rows.get(grain as usize).copied()
    }

    /// Items by the row of their grain, else in the order in which they were given.
    pub(super) fn by_grain(&self, grains: &[u32]) -> Buckets {
        Buckets::new(grains.len(), self.grains.len(), |at| {
            u32::try_from(self.row(*grains.get(at as usize)?)?).ok()
        })
    }
}

/// The row of a location.
pub(super) fn location_row(rows: &[i32], location: u32) -> Option<i32> {
    if location == NONE {
        return None;
    }
    rows.get(location as usize).copied()
}
