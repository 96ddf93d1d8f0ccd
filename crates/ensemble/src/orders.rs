//! In which order runs create the children of a context: read from their grains.

use sheaf_analysis::diff::{CREATION_COLUMNS, CreationOrders, Creations, creation_order};
use sheaf_model::RunId;
use sheaf_model::table::Grains;

use crate::cache::Tables;
use crate::runs::RunEntry;
use crate::{Error, View};

/// Runs of a side whose order is looked at: two tell whether it varies.
const RUNS: usize = 2;
/// Grains that are read for one comparison.
const GRAINS: i64 = 4_000_000;

impl View<'_> {
    /// Of the first runs of each side that have grains, the place of every row of their contexts among its
    /// siblings. Reads four columns of at most four million grains.
    pub(crate) fn creation_orders(
        &self,
        sides: &[Vec<&RunEntry>; 2],
    ) -> Result<[CreationOrders; 2], Error> {
        let mut rest = GRAINS;
        let mut chosen: [Vec<&RunEntry>; 2] = [Vec::new(), Vec::new()];
        for number in 0..RUNS {
            for (side, chosen) in sides.iter().zip(&mut chosen) {
                let with_grains = side
                    .iter()
                    .filter(|run| run.grains.is_some_and(|grains| grains > 0));
                let run = with_grains.copied().nth(number);
                if let Some((run, grains)) = run.and_then(|run| Some((run, run.grains?)))
                    && grains <= rest
                {
                    rest -= grains;
                    chosen.push(run);
                }
            }
        }
        // What only one side knows cannot be compared.
        if chosen.iter().any(Vec::is_empty) {
            return Ok([CreationOrders::new(), CreationOrders::new()]);
        }
        let mut all = chosen.concat();
        all.sort_by_key(|run| run.meta.id);
        all.dedup_by_key(|run| run.meta.id);
        self.progress.check()?;
        let ids: Vec<RunId> = all.iter().map(|run| run.meta.id).collect();
        let summaries = self.summaries(&all, Tables::Totals)?;
        let parts = self
            .snapshot
            .scan(&ids, Grains::NAME, &CREATION_COLUMNS, |run, batch| {
                summaries
                    .get(run)
                    .map(|summary| Creations::of(&summary.contexts, batch))
            })?;
        let mut of_run: Vec<Vec<Creations>> = vec![Vec::new(); ids.len()];
        for (run, part) in parts {
            if let (Some(of_run), Some(part)) = (of_run.get_mut(run), part) {
                of_run.push(part);
            }
        }
        let orders: CreationOrders = summaries
            .iter()
            .zip(of_run)
            .map(|(run, parts)| (run.meta.id, creation_order(run.contexts.len(), parts)))
            .collect();
        Ok(chosen.map(|runs| {
            let of_side = runs
                .iter()
                .filter_map(|run| orders.get_key_value(&run.meta.id));
            of_side.map(|(id, order)| (*id, order.clone())).collect()
        }))
    }
}
