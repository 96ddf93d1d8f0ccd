//! The steps from gathered grains to the tables of a run.

use std::mem::take;
use std::sync::Arc;

use sheaf_model::{Error, RunSummary, RunTables};

use super::columns::{Column, FragmentColumns};
use super::contexts::Placement;
use super::tables::{self, Rows};
use super::values::{Source, values_and_totals};
use super::{CannotBuild, MeasureColumns, Program, contexts};
use crate::run_tables::{FinishedContexts, GrainRows, NONE};

impl Program {
    /// Location, start, end and work of grains that have fragments, where they are absent.
    pub(super) fn fill_from_fragments(&mut self) {
        if self.fragments.grain.is_empty() {
            return;
        }
        let sums = self.fragment_sums();
        fill(&mut self.grains.work, &sums);
        drop(sums);
        let fragments = &self.fragments;
        let (mut first, mut last) = (Column::default(), Column::default());
        let mut finished_by = vec![NONE; self.grains.len()];
        for (grain, at) in fragments.grain.iter().zip(0..) {
            let grain = *grain as usize;
            let (Some(&start), Some(&duration), Some(&location)) = (
                fragments.start.get(at),
                fragments.duration.get(at),
                fragments.location.get(at),
            ) else {
                continue;
            };
            if first.get(grain).is_none() {
                first.set(grain, Some(start));
            }
            last.set(grain, Some(start.saturating_add(duration)));
            if let Some(finished_by) = finished_by.get_mut(grain) {
                *finished_by = location;
            }
        }
        fill(&mut self.grains.start, &first);
        fill(&mut self.grains.end, &last);
        for (location, finished_by) in self.grains.location.iter_mut().zip(finished_by) {
            if *location == NONE {
                *location = finished_by;
            }
        }
    }

    pub(super) fn build(mut self) -> Result<RunTables, CannotBuild> {
        let definitions = take(&mut self.constructs).finish(self.meta.known_program());
        check_len("definitions", definitions.ids.len())?;
        let (locations, location_rows) = tables::locations(&self.locations, &self.cores);
        check_len("locations", locations.len())?;
        let mut ranks = vec![0; self.cores.len()];
        for (&(rank, _), &at) in &self.locations {
            ranks[at as usize] = rank;
        }
        let placement = contexts::place(&mut self.grains, &definitions.ids, &ranks)?;
        check_len("contexts", placement.tree.len())?;
        let contexts = placement.tree.finish(&definitions);
        let order = self.grain_rows(&placement, &contexts);
        let metrics = self.metric_rows();
        let measured = self.measured(&order, &metrics);
        self.measures = MeasureColumns::default();
        let sorted = order.by_grain(&self.fragments.grain, |&grain| grain);
        let source = Source {
            program: &self,
            order: &order,
            fragments: &sorted,
            locations: &location_rows,
            metrics: &metrics,
            measured: &measured,
        };
        let (values, totals) = values_and_totals(&source, locations.len())?;
        self.fill_meta(locations.len(), &ranks);
        // Large runs: what has become a table is given back before the next is built.
        let fragments = take(&mut self.fragments);
        let table = tables::fragments(&fragments, &order, &sorted, &location_rows);
        drop((fragments, sorted));
        let rows = Rows {
            contexts: &contexts.rows,
            locations: &location_rows,
        };
        let grains = take(&mut self.grains);
        let grains = tables::grains(grains, placement, &order, &rows);
        Ok(RunTables {
            grains,
            fragments: table,
            waits: tables::waits(&self.waits, &order),
            dependences: order.dependences(&self.dependences),
            counters: tables::counters(&measured),
            summary: RunSummary {
                meta: Arc::new(self.meta),
                definitions: definitions.table,
                contexts: contexts.table,
                locations,
                metrics: metrics.table,
                values,
                totals,
            },
        })
    }

    /// The order of grains: context, parent, sequence, index.
    fn grain_rows(&self, placement: &Placement, contexts: &FinishedContexts) -> GrainRows {
        let grains = &self.grains;
        let parent = |grain: u32| grains.parent.get(grain as usize).copied();
        GrainRows::new(&placement.contexts, contexts, parent, |grain, parent| {
            let at = grain as usize;
            let index = grains.index.get(at).copied().unwrap_or(0);
            // Absent sequences come first.
            (parent, grains.sequence.get(at), index)
        })
    }

    /// What the tables state about the run, where the source did not.
    fn fill_meta(&mut self, num_locations: usize, ranks: &[i32]) {
        let ends = (0..self.grains.len()).filter_map(|grain| self.grains.end.get(grain));
        let last = ends.chain(last_fragment(&self.fragments)).max();
        let mut distinct = ranks.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let num_ranks = i64::try_from(distinct.len()).unwrap_or(i64::MAX);
        let meta = &mut self.meta;
        meta.grains = tables::count_grains(&self.grains);
        meta.elapsed = meta.elapsed.or(last);
        meta.ranks = meta.ranks.max(num_ranks);
        let workers = i64::try_from(num_locations).ok().filter(|&count| count > 0);
        meta.workers = meta.workers.or(workers);
    }
}

fn last_fragment(fragments: &FragmentColumns) -> Option<i64> {
    let stretches = fragments.start.iter().zip(&fragments.duration);
    stretches
        .map(|(start, duration)| start.saturating_add(*duration))
        .max()
}

/// Fills in values that are absent.
fn fill(column: &mut Column, from: &Column) {
    for row in 0..from.len() {
        if column.get(row).is_none() && from.get(row).is_some() {
            column.set(row, from.get(row));
        }
    }
}

/// Refuses more rows than there are row numbers.
pub(super) fn check_len(table: &'static str, len: usize) -> Result<(), CannotBuild> {
    if i32::try_from(len).is_ok() {
        return Ok(());
    }
    let reason = format!("{len} rows are more than a table holds");
    Err(CannotBuild::Tables(crate::Error::Invalid(Error::Invalid {
        table,
        row: len,
        column: "all",
        reason,
    })))
}
