//! Summaries of runs.

use rayon::prelude::*;
use sheaf_model::{RunId, RunSummary};

use super::Snapshot;
use crate::Error;
use crate::run_tables::{self, SUMMARY_TABLES, TOTALS, VALUES};

impl Snapshot {
    /// Metadata, contexts and values of a run.
    ///
    /// # Errors
    /// [`Error::UnknownRun`], [`Error::Changed`], [`Error::Damaged`].
    pub fn summary(&self, run: RunId) -> Result<RunSummary, Error> {
        let (meta, batches) = self.tables_of(run, SUMMARY_TABLES)?;
        run_tables::summary(meta, &batches)
    }

    /// The summaries of many runs, in the order asked for. Each file is read once, several at a
    /// time; the summaries share the memory they were read into.
    ///
    /// # Errors
    /// [`Error::UnknownRun`], [`Error::Changed`], [`Error::Damaged`].
    pub fn summaries(&self, runs: &[RunId]) -> Result<Vec<RunSummary>, Error> {
        self.summaries_of(runs, |_| true)
    }

    /// The same without values by location, which are by far the largest table of runs with many ranks. Runs
    /// that are stored without totals, since each is one value, come with their values.
    ///
    /// # Errors
    /// [`Error::UnknownRun`], [`Error::Changed`], [`Error::Damaged`].
    pub fn summaries_by_totals(&self, runs: &[RunId]) -> Result<Vec<RunSummary>, Error> {
        self.summaries_of(runs, |index| self.rows(TOTALS, index) == 0)
    }

    fn summaries_of(
        &self,
        runs: &[RunId],
        has_values: impl Fn(usize) -> bool + Sync,
    ) -> Result<Vec<RunSummary>, Error> {
        let mut asked = Vec::with_capacity(runs.len());
        for run in runs {
            asked.push(self.index(*run)?);
        }
        let mut indices = asked.clone();
        indices.sort_unstable();
        indices.dedup();
        let is_wanted = |table: usize, index: usize| table != VALUES || has_values(index);
        let batches = self.read_some(&indices, SUMMARY_TABLES, is_wanted)?;
        asked
            .par_iter()
            .map(|index| {
                let place = indices.partition_point(|other| other < index);
                let batches = batches.get(place).map_or(&[][..], Vec::as_slice);
                run_tables::summary(self.meta(*index), batches)
            })
            .collect()
    }
}
