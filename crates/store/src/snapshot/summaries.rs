//! Summaries of runs.

use std::sync::Arc;

use arrow::array::RecordBatch;
use rayon::prelude::*;
use sheaf_model::table::Metrics;
use sheaf_model::{RunId, RunMeta, RunSummary};

use super::Snapshot;
use crate::Error;
use crate::row_groups::Part;
use crate::run_tables::{self, DEFINITIONS, METRICS, SUMMARY_TABLES, TOTALS, VALUES};

impl Snapshot {
    /// Metadata, contexts and values of a run.
    ///
    /// # Errors
    /// [`Error::UnknownRun`], [`Error::Changed`], [`Error::Damaged`].
    pub fn summary(&self, run: RunId) -> Result<RunSummary, Error> {
        let (meta, batches) = self.tables_of(run, SUMMARY_TABLES)?;
        run_tables::summary(meta, &batches)
    }

    /// The same without totals, which take most of the time to read if the run has a context for each grain.
    ///
    /// # Errors
    /// [`Error::UnknownRun`], [`Error::Changed`], [`Error::Damaged`].
    pub fn summary_without_totals(&self, run: RunId) -> Result<RunSummary, Error> {
        let (meta, batches) = self.tables_of(run, TOTALS)?;
        run_tables::summary_as_stored(meta, &batches)
    }

    /// The summaries of many runs, in the order asked for. Each file is read once, several at a
    /// time; the summaries share the memory they were read into.
    ///
    /// # Errors
    /// [`Error::UnknownRun`], [`Error::Changed`], [`Error::Damaged`].
    pub fn summaries(&self, runs: &[RunId]) -> Result<Vec<RunSummary>, Error> {
        self.summaries_of(runs, |_, _| true, run_tables::summary)
    }

    /// The same without values by location, which are by far the largest table of runs with many ranks. Runs
    /// that are stored without totals, since each is one value, come with their values.
    ///
    /// # Errors
    /// [`Error::UnknownRun`], [`Error::Changed`], [`Error::Damaged`].
    pub fn summaries_by_totals(&self, runs: &[RunId]) -> Result<Vec<RunSummary>, Error> {
        let is_wanted =
            |table: usize, index: usize| table != VALUES || self.rows(TOTALS, index) == 0;
        self.summaries_of(runs, is_wanted, run_tables::summary)
    }

    /// Summaries for values of whole runs: without definitions, and with either totals or values, as they are
    /// stored.
    ///
    /// # Errors
    /// [`Error::UnknownRun`], [`Error::Changed`], [`Error::Damaged`].
    pub fn summaries_without_names(&self, runs: &[RunId]) -> Result<Vec<RunSummary>, Error> {
        let is_wanted = |table: usize, index: usize| match table {
            DEFINITIONS => false,
            VALUES => self.rows(TOTALS, index) == 0,
            _ => true,
        };
        self.summaries_of(runs, is_wanted, run_tables::summary_as_stored)
    }

    /// The tables of metrics of many runs, in the order asked for. Of a summary they are the smallest part.
    ///
    /// # Errors
    /// [`Error::UnknownRun`], [`Error::Changed`], [`Error::Damaged`].
    pub fn metrics(&self, runs: &[RunId]) -> Result<Vec<Metrics>, Error> {
        let asked = self.indices(runs)?;
        let mut indices = asked.clone();
        indices.sort_unstable();
        indices.dedup();
        let whole = |&index: &usize| Part::whole(index, self.rows(METRICS, index));
        let batches = self.read_parts(METRICS, &indices.iter().map(whole).collect::<Vec<_>>())?;
        let metrics = asked.iter().map(|index| {
            let place = indices.partition_point(|other| other < index);
            let batch = batches.get(place);
            Ok(batch.map_or_else(|| Ok(Metrics::empty()), Metrics::from_batch)?)
        });
        metrics.collect()
    }

    fn indices(&self, runs: &[RunId]) -> Result<Vec<usize>, Error> {
        runs.iter().map(|run| self.index(*run)).collect()
    }

    fn summaries_of(
        &self,
        runs: &[RunId],
        is_wanted: impl Fn(usize, usize) -> bool + Sync,
        summary: impl Fn(Arc<RunMeta>, &[RecordBatch]) -> Result<RunSummary, Error> + Sync,
    ) -> Result<Vec<RunSummary>, Error> {
        let asked = self.indices(runs)?;
        let mut indices = asked.clone();
        indices.sort_unstable();
        indices.dedup();
        let batches = self.read_some(&indices, SUMMARY_TABLES, is_wanted)?;
        asked
            .par_iter()
            .map(|index| {
                let place = indices.partition_point(|other| other < index);
                let batches = batches.get(place).map_or(&[][..], Vec::as_slice);
                summary(self.meta(*index), batches)
            })
            .collect()
    }
}
