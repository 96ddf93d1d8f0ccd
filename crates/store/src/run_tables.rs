//! A run's tables as batches in the order of the model's tables, and back.

use std::ops::Range;
use std::sync::Arc;

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
/// Place of the table of definitions among them.
pub(crate) const DEFINITIONS: usize = 0;
/// Place of the table of metrics among them.
pub(crate) const METRICS: usize = 3;
/// Place of the table of values by location among them.
pub(crate) const VALUES: usize = 4;
/// Place of the totals.
pub(crate) const TOTALS: usize = 5;

/// A table of a run on its way into a store.
#[derive(Debug)]
pub(crate) enum Table {
    /// A small one, as it is stored.
    Batch(RecordBatch),
    /// Grains.
    Grains(Box<Grains>),
    /// Fragments.
    Fragments(Box<Fragments>),
}

impl Table {
    /// Rows.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Batch(batch) => batch.num_rows(),
            Self::Grains(grains) => grains.len(),
            Self::Fragments(fragments) => fragments.len(),
        }
    }

    /// Some rows as they are stored. Only these are made of large tables, which have another form in memory.
    pub(crate) fn batch_of(&self, rows: Range<usize>) -> Result<RecordBatch, Error> {
        Ok(match self {
            Self::Batch(batch) => batch.slice(rows.start, rows.len()),
            Self::Grains(grains) => grains.batch_of(rows)?,
            Self::Fragments(fragments) => fragments.batch_of(rows)?,
        })
    }

    /// Bytes that it takes as it is stored, closely enough for a bound.
    pub(crate) fn memory(&self) -> usize {
        match self {
            Self::Batch(batch) => batch.get_array_memory_size(),
            Self::Grains(grains) => grains.len() * 116,
            Self::Fragments(fragments) => fragments.len() * 28,
        }
    }
}

/// The tables in the order of the model's tables.
pub(crate) fn to_tables(run: &RunTables) -> Result<Vec<Table>, Error> {
    let summary = &run.summary;
    let tables = vec![
        Table::Batch(summary.definitions.to_batch()?),
        Table::Batch(summary.contexts.to_batch()?),
        Table::Batch(summary.locations.to_batch()?),
        Table::Batch(summary.metrics.to_batch()?),
        Table::Batch(summary.values.to_batch()?),
        Table::Batch(stored_totals(summary).to_batch()?),
        Table::Grains(Box::new(run.grains.clone())),
        Table::Fragments(Box::new(run.fragments.clone())),
        Table::Batch(run.waits.to_batch()?),
        Table::Batch(run.dependences.to_batch()?),
        Table::Batch(run.counters.to_batch()?),
    ];
    debug_assert_eq!(tables.len(), TABLE_COUNT);
    Ok(tables)
}

/// Rows of each table.
pub(crate) fn rows_of(tables: &[Table]) -> TableRows {
    let mut rows = [0; TABLE_COUNT];
    for (rows, table) in rows.iter_mut().zip(tables) {
        *rows = table.len() as u64;
    }
    rows
}

/// The summary in the first batches of a run.
pub(crate) fn summary(meta: Arc<RunMeta>, batches: &[RecordBatch]) -> Result<RunSummary, Error> {
    let mut summary = summary_as_stored(meta, batches)?;
    if summary.totals.is_empty() {
        summary.totals = summary.totals_of_single_values();
    }
    Ok(summary)
}

/// The same without totals where each is one value.
pub(crate) fn summary_as_stored(
    meta: Arc<RunMeta>,
    batches: &[RecordBatch],
) -> Result<RunSummary, Error> {
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

/// Totals as they are stored: none where each is one value. Call profiles of one location would
/// be stored four times as large with them.
fn stored_totals(summary: &RunSummary) -> Totals {
    if summary.totals_are_single_values() {
        Totals::empty()
    } else {
        summary.totals.clone()
    }
}

/// The whole run in its batches.
pub(crate) fn from_batches(
    meta: Arc<RunMeta>,
    batches: &[RecordBatch],
) -> Result<RunTables, Error> {
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

    fn to_batches(run: &RunTables) -> Result<Vec<RecordBatch>, Error> {
        let tables = to_tables(run)?;
        tables
            .iter()
            .map(|table| table.batch_of(0..table.len()))
            .collect()
    }

    #[test]
    fn totals_that_repeat_values_are_left_out_and_come_back() {
        let run = crate::synthetic::programs::profile(1, 5, 3);
        let batches = to_batches(&run).unwrap();
        assert_eq!(
            (batches[4].num_rows() > 0, batches[5].num_rows()),
            (true, 0)
        );
        let read = from_batches(run.summary.meta.clone(), &batches).unwrap();
        let rows = |run: &RunTables| -> Vec<_> { run.summary.totals.rows().collect() };
        assert_eq!(rows(&read), rows(&run));
        assert_eq!(read.content_id(), run.content_id());
    }

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
        assert_eq!(TABLES[VALUES].name, Values::NAME);
        assert_eq!(TABLES[METRICS].name, Metrics::NAME);
        assert_eq!(TABLES[TOTALS].name, Totals::NAME);
    }
}
