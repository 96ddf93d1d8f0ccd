//! The order of grains in their table, and what belongs to each.

use rayon::slice::ParallelSliceMut as _;
use sheaf_model::table::{DependenceRow, Dependences, WaitRow, Waits, WaitsBuilder};

use super::{FinishedContexts, row};
use crate::buckets::Buckets;

/// Rows of grains by number, and numbers by row.
pub(crate) struct GrainRows {
    /// -1 for grains that are not in the table.
    rows: Vec<i32>,
    /// Numbers of grains by row.
    pub(crate) grains: Vec<u32>,
    /// Rows of each context are consecutive: where they begin, and where the last ends.
    pub(crate) starts: Vec<usize>,
}

impl GrainRows {
    /// The order of the table: context, then `key`, which is given the number of a grain and the
    /// row of its parent: parent, sequence, index. `contexts` are the contexts of grains; a grain
    /// without one is not in the table. Contexts of parents come before those of children, so that
    /// one pass gives every parent its row in time.
    pub(crate) fn new<K: Ord + Send>(
        contexts: &[u32],
        finished: &FinishedContexts,
        parent: impl Fn(u32) -> Option<u32>,
        key: impl Fn(u32, Option<i32>) -> K,
    ) -> Self {
        let num_contexts = finished.rows.len();
        let by_context = Buckets::new(contexts.len(), num_contexts, |grain| {
            let context = *contexts.get(grain as usize)?;
            u32::try_from(*finished.rows.get(context as usize)?).ok()
        });
        let mut order = Self {
            rows: vec![-1; contexts.len()],
            grains: Vec::with_capacity(by_context.items().len()),
            starts: Vec::with_capacity(num_contexts + 1),
        };
        let mut siblings: Vec<(K, u32)> = Vec::new();
        for context in 0..num_contexts {
            order.starts.push(order.grains.len());
            siblings.clear();
            siblings.extend(by_context.get(context).iter().map(|&grain| {
                let parent = parent(grain).and_then(|parent| order.row(parent));
                (key(grain, parent), grain)
            }));
            siblings.par_sort_unstable();
            for (_, grain) in &siblings {
                if let Some(slot) = order.rows.get_mut(*grain as usize) {
                    *slot = row(order.grains.len());
                }
                order.grains.push(*grain);
            }
        }
        order.starts.push(order.grains.len());
        order
    }

    /// The row of a grain that is in the table.
    #[inline]
    pub(crate) fn row(&self, grain: u32) -> Option<i32> {
        let row = self.rows.get(grain as usize).copied();
        row.filter(|&row| row >= 0)
    }

    /// Numbers of items by the row of their grain, else in the order in which they were given.
    /// Items of grains that are not in the table are left out.
    pub(crate) fn by_grain<T>(&self, items: &[T], grain: impl Fn(&T) -> u32) -> Buckets {
        Buckets::new(items.len(), self.grains.len(), |at| {
            u32::try_from(self.row(grain(items.get(at as usize)?))?).ok()
        })
    }

    /// The table of waits. `wait` makes the row of an item, whose grain is filled in here.
    pub(crate) fn waits<T>(
        &self,
        items: &[T],
        grain: impl Fn(&T) -> u32,
        wait: impl Fn(&T) -> WaitRow,
    ) -> Waits {
        let mut table = WaitsBuilder::default();
        for &at in self.by_grain(items, &grain).items() {
            let item = &items[at as usize];
            table.push(WaitRow {
                grain: self.row(grain(item)).unwrap_or(0),
                ..wait(item)
            });
        }
        table.finish()
    }

    /// The table of pairs of grains, predecessor first, without repetitions.
    pub(crate) fn dependences(&self, edges: &[(u32, u32)]) -> Dependences {
        let mut list: Vec<(i32, i32)> = edges
            .iter()
            .filter_map(|&(before, after)| Some((self.row(after)?, self.row(before)?)))
            .collect();
        list.sort_unstable();
        list.dedup();
        list.into_iter()
            .map(|(successor, predecessor)| DependenceRow {
                predecessor,
                successor,
            })
            .collect()
    }
}
