//! A run's tables as batches in the order of the model's tables, and back.

use arrow::array::RecordBatch;
use sheaf_model::table::{
    Contexts, Counters, Definitions, Dependences, Fragments, Grains, Locations, Metrics, TABLES,
    Totals, Values, Waits,
};
use sheaf_model::{RunMeta, RunSummary, RunTables};

use crate::Error;
use crate::layout::{TABLE_COUNT, TableRows};

/// How many tables, from the first, make up a summary.
pub(crate) const SUMMARY_TABLES: usize = 6;

/// Batches in the order of the model's tables.
pub(crate) fn to_batches(run: &RunTables) -> Result<Vec<RecordBatch>, Error> {
    let summary = &run.summary;
    let batches = vec![
        summary.definitions.to_batch()?,
        summary.contexts.to_batch()?,
        summary.locations.to_batch()?,
        summary.metrics.to_batch()?,
        summary.values.to_batch()?,
        summary.totals.to_batch()?,
        run.grains.to_batch()?,
        run.fragments.to_batch()?,
        run.waits.to_batch()?,
        run.dependences.to_batch()?,
        run.counters.to_batch()?,
    ];
    debug_assert_eq!(batches.len(), TABLE_COUNT);
    Ok(batches)
}

/// Rows of each batch.
pub(crate) fn rows_of(batches: &[RecordBatch]) -> TableRows {
    let mut rows = [0; TABLE_COUNT];
    for (rows, batch) in rows.iter_mut().zip(batches) {
        *rows = batch.num_rows() as u64;
    }
    rows
}

/// The summary in the first batches of a run.
pub(crate) fn summary(meta: RunMeta, batches: &[RecordBatch]) -> Result<RunSummary, Error> {
    Ok(RunSummary {
        meta,
        definitions: Definitions::from_batch(&at(batches, 0))?,
        contexts: Contexts::from_batch(&at(batches, 1))?,
        locations: Locations::from_batch(&at(batches, 2))?,
        metrics: Metrics::from_batch(&at(batches, 3))?,
        values: Values::from_batch(&at(batches, 4))?,
        totals: Totals::from_batch(&at(batches, 5))?,
    })
}

/// The whole run in its batches.
pub(crate) fn from_batches(meta: RunMeta, batches: &[RecordBatch]) -> Result<RunTables, Error> {
    Ok(RunTables {
        summary: summary(meta, batches)?,
        grains: Grains::from_batch(&at(batches, 6))?,
        fragments: Fragments::from_batch(&at(batches, 7))?,
        waits: Waits::from_batch(&at(batches, 8))?,
        dependences: Dependences::from_batch(&at(batches, 9))?,
        counters: Counters::from_batch(&at(batches, 10))?,
    })
}

/// The batch of a table; without rows where it was not read.
fn at(batches: &[RecordBatch], place: usize) -> RecordBatch {
    batches.get(place).cloned().unwrap_or_else(|| {
        let schema = TABLES.get(place).map(|table| (table.schema)());
        RecordBatch::new_empty(schema.unwrap_or_else(Definitions::schema))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_declared_tables() {
        let empty = RunTables::without_grains(RunSummary::empty(RunMeta::new("p", "f")));
        let schemas: Vec<_> = to_batches(&empty)
            .unwrap()
            .iter()
            .map(RecordBatch::schema)
            .collect();
        let declared: Vec<_> = TABLES.iter().map(|table| (table.schema)()).collect();
        assert_eq!(schemas, declared);
        assert_eq!(TABLES[SUMMARY_TABLES - 1].name, Totals::NAME);
    }
}
