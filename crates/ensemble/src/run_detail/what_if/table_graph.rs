//! The graph that all predictions of a table with one number of workers schedule: a large one is condensed.

use rayon::prelude::*;
use sheaf_answers::{Note, WhatIfFact};
use sheaf_grains::schedule::{Condensed, Outcome, ScheduleGraph};
use sheaf_model::Progress;

use super::prepared::{Changes, MILLION, Prepared};
use crate::Error;

/// Nodes from which on a graph is condensed.
const MIN_CONDENSED_NODES: usize = 50_000;

/// A graph for a number of workers.
pub(super) struct TableGraph {
    pub(super) workers: u32,
    /// Absent if it is the recorded one.
    own: Option<ScheduleGraph>,
    /// Absent if the graph is small, has few small tasks, or would take another time.
    condensed: Option<Condensed>,
}

impl TableGraph {
    /// The graph of a run with a number of workers.
    ///
    /// # Errors
    /// When the graph cannot be scheduled, or the work was stopped.
    pub(super) fn of(
        run: &Prepared,
        changes: &Changes,
        workers: u32,
        progress: &Progress,
    ) -> Result<Self, Error> {
        progress.check()?;
        let own = run.changed_graph(changes, workers, progress)?;
        let graph = own.as_ref().unwrap_or(&run.recorded);
        let condensed = if graph.num_nodes() < MIN_CONDENSED_NODES {
            None
        } else {
            let structure = run.structure(progress)?;
            let machine = run.machine(run.costs_with(workers), workers, changes.seed);
            Condensed::of(graph, structure, &machine, progress)?
        };
        Ok(Self {
            workers,
            own,
            condensed,
        })
    }

    fn whole<'a>(&'a self, run: &'a Prepared) -> &'a ScheduleGraph {
        self.own.as_ref().unwrap_or(&run.recorded)
    }

    /// Nodes of each schedule.
    pub(super) fn num_nodes(&self, run: &Prepared) -> usize {
        let condensed = self.condensed.as_ref().map(Condensed::num_nodes);
        condensed.unwrap_or_else(|| self.whole(run).num_nodes())
    }

    /// Note that states how far the graph was condensed.
    pub(super) fn note(&self, run: &Prepared) -> Option<Note> {
        let condensed = self.condensed.as_ref()?;
        let fact = WhatIfFact::Condensed {
            run: run.meta.name.clone(),
            workers: self.workers.into(),
            fragments: self.whole(run).num_nodes() as u64,
            nodes: condensed.num_nodes() as u64,
            difference: condensed.difference(),
        };
        Some(fact.into())
    }

    /// Costs inside condensed nodes, by seed. They do not depend on changes of work.
    pub(super) fn costs_inside(&self, run: &Prepared, changes: &Changes) -> Vec<Vec<i64>> {
        let Some(condensed) = &self.condensed else {
            return Vec::new();
        };
        let costs = run.costs_with(self.workers);
        let seeds = changes.seeds();
        let inside = |seed| condensed.costs_inside(&run.machine(costs, self.workers, seed));
        seeds.into_par_iter().map(inside).collect()
    }

    /// A schedule for each seed if grains of each definition keep some millionths of their work.
    ///
    /// # Errors
    /// When it was stopped.
    pub(super) fn times(
        &self,
        run: &Prepared,
        (definitions, kept): (&[u32], &[u32]),
        costs_inside: &[Vec<i64>],
        changes: &Changes,
        progress: &Progress,
    ) -> Result<Vec<Outcome>, Error> {
        let (graph, workers) = (self.whole(run), self.workers);
        let costs = run.costs_with(workers);
        let Some(condensed) = &self.condensed else {
            let weights = graph.scaled_by(definitions, kept);
            return run.times(graph, &weights, costs, workers, changes, progress);
        };
        let work = condensed.scaled_by(graph, definitions, kept);
        let seeds = changes.seeds().into_par_iter().zip(costs_inside);
        let schedule = |(seed, inside): (u64, &Vec<i64>)| {
            let machine = run.machine(costs, workers, seed);
            condensed.schedule(&work, inside, &machine, progress)
        };
        Ok(seeds.map(schedule).collect::<Result<_, _>>()?)
    }
}

impl Changes {
    /// The seed of each schedule of a prediction.
    pub(super) fn seeds(&self) -> Vec<u64> {
        let numbers = 0..u64::from(self.repeats);
        numbers
            .map(|number| self.seed.wrapping_add(number))
            .collect()
    }
}

impl Prepared {
    /// Definition of each grain; `u32::MAX` if it has none.
    pub(super) fn definitions(&self) -> Vec<u32> {
        let grains = 0..self.depth.tables().grains.len();
        let of = |grain| u32::try_from(self.depth.definition(grain)?).ok();
        grains.map(|grain| of(grain).unwrap_or(u32::MAX)).collect()
    }

    /// Millionths of the work of each definition that stay on some workers.
    pub(super) fn kept_by_definition(&self, workers: u32) -> Vec<u32> {
        let definitions = self.depth.tables().summary.definitions.len();
        let factors = self.inflated(workers).unwrap_or_default();
        let factor = |definition: usize| factors.get(definition).copied().flatten();
        (0..definitions)
            .map(|definition| factor(definition).unwrap_or(MILLION))
            .collect()
    }
}
