//! In which order runs create the children of a context, and how many iterations loops have: read from their grains.

use std::collections::BTreeMap;

use sheaf_compare::diff::{
    CREATION_COLUMNS, CreationOrders, Creations, ITERATION_COLUMNS, IterationCounts, Iterations,
    creation_order, iterations,
};
use sheaf_model::RunId;
use sheaf_model::table::Grains;

use crate::cache::Tables;
use crate::runs::RunEntry;
use crate::{Error, View};

/// Runs of a side whose order is read: two show whether it varies.
const RUNS: usize = 2;
/// Grains that are read for one comparison.
const GRAINS: i64 = 4_000_000;

/// Facts that the grains of the runs of one side state.
#[derive(Debug, Clone, Default)]
pub(crate) struct GrainFacts {
    pub(crate) orders: CreationOrders,
    pub(crate) iterations: IterationCounts,
}

impl View<'_> {
    /// Of the first runs of each side that have grains, the place of every row of their contexts among its
    /// siblings, and its iterations. Reads five columns of at most four million grains.
    pub(crate) fn grain_facts(
        &self,
        sides: &[Vec<&RunEntry>; 2],
    ) -> Result<[GrainFacts; 2], Error> {
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
            return Ok([GrainFacts::default(), GrainFacts::default()]);
        }
        let all = self.facts_of(chosen.concat())?;
        Ok(chosen.map(|runs| {
            let mut own = GrainFacts::default();
            for id in runs.iter().map(|run| run.meta.id) {
                own.orders
                    .extend(all.orders.get(&id).map(|it| (id, it.clone())));
                own.iterations
                    .extend(all.iterations.get(&id).map(|it| (id, it.clone())));
            }
            own
        }))
    }

    /// Iterations of the first run with grains of each value of a parameter, as far as they have at most four million
    /// grains together.
    pub(crate) fn iteration_counts(
        &self,
        runs: &[&RunEntry],
        parameter: &str,
    ) -> Result<IterationCounts, Error> {
        let mut first: BTreeMap<String, &RunEntry> = BTreeMap::new();
        for run in runs
            .iter()
            .filter(|run| run.grains.is_some_and(|it| it > 0))
        {
            if let Some(value) = run.meta.params.get(parameter) {
                first.entry(value.to_string()).or_insert(run);
            }
        }
        let mut rest = GRAINS;
        let chosen = first.into_values().filter(|run| {
            rest = rest.saturating_sub(run.grains.unwrap_or(0));
            rest > 0
        });
        Ok(self.facts_of(chosen.collect())?.iterations)
    }

    fn facts_of(&self, mut all: Vec<&RunEntry>) -> Result<GrainFacts, Error> {
        all.sort_by_key(|run| run.meta.id);
        all.dedup_by_key(|run| run.meta.id);
        self.progress.check()?;
        let ids: Vec<RunId> = all.iter().map(|run| run.meta.id).collect();
        let summaries = self.summaries(&all, Tables::Totals)?;
        let mut columns = CREATION_COLUMNS.to_vec();
        columns.extend(
            ITERATION_COLUMNS
                .iter()
                .filter(|it| !CREATION_COLUMNS.contains(it)),
        );
        let parts = self
            .snapshot
            .scan(&ids, Grains::NAME, &columns, |run, batch| {
                let summary = summaries.get(run)?;
                Some((
                    Creations::of(&summary.contexts, batch),
                    Iterations::of(batch),
                ))
            })?;
        let mut of_run: Vec<Vec<(Creations, Iterations)>> = vec![Vec::new(); ids.len()];
        for (run, part) in parts {
            if let (Some(of_run), Some(part)) = (of_run.get_mut(run), part) {
                of_run.push(part);
            }
        }
        let mut facts = GrainFacts::default();
        for (run, parts) in summaries.iter().zip(of_run) {
            let (id, contexts) = (run.meta.id, run.contexts.len());
            let (creations, counts): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
            facts.iterations.insert(id, iterations(contexts, &counts));
            facts.orders.insert(id, creation_order(contexts, creations));
        }
        Ok(facts)
    }
}
