//! The tables of one run together, and what must hold between them.

use std::iter;
use std::sync::Arc;

use arrow::array::{Array, AsArray};
use arrow::datatypes::Int32Type;

use crate::run::RunMeta;
use crate::table::{
    CompactColumn, Contexts, Counters, Definitions, Dependences, Fragments, Grains, Locations,
    Metrics, TotalRow, Totals, Values, Waits, array_of,
};
use crate::{Error, RunId, sketch};

/// All that is known of one run. Built by a reader, checked by [`RunTables::validate`].
#[derive(Clone, Debug)]
pub struct RunTables {
    /// Metadata, pre-aggregated values and the context tree.
    pub summary: RunSummary,
    /// Tasks and chunks; empty for call profiles.
    pub grains: Grains,
    /// Stretches of grains.
    pub fragments: Fragments,
    /// Waits of grains.
    pub waits: Waits,
    /// Dependences between tasks.
    pub dependences: Dependences,
    /// Hardware counters of grains.
    pub counters: Counters,
}

/// The part of a run that every ensemble view is computed from; it never holds grains.
#[derive(Clone, Debug)]
pub struct RunSummary {
    /// Metadata, which all questions about the run have in common.
    pub meta: Arc<RunMeta>,
    /// Constructs in the source.
    pub definitions: Definitions,
    /// Context tree.
    pub contexts: Contexts,
    /// Workers.
    pub locations: Locations,
    /// Metrics.
    pub metrics: Metrics,
    /// Values per context, metric and location.
    pub values: Values,
    /// Values per context and metric; there are some where there are values.
    pub totals: Totals,
}

impl RunSummary {
    /// The metadata, to be changed; copied first if somebody else has it too.
    pub fn meta_mut(&mut self) -> &mut RunMeta {
        Arc::make_mut(&mut self.meta)
    }

    /// A run of which nothing is known but its metadata.
    pub fn empty(meta: RunMeta) -> Self {
        Self {
            meta: Arc::new(meta),
            definitions: Definitions::empty(),
            contexts: Contexts::empty(),
            locations: Locations::empty(),
            metrics: Metrics::empty(),
            values: Values::empty(),
            totals: Totals::empty(),
        }
    }

    /// Checks every reference between the tables; linear in their rows.
    ///
    /// # Errors
    /// [`Error::Invalid`], naming table, row and column of the first fault.
    pub fn validate(&self) -> Result<(), Error> {
        self.check_references()?;
        if self.totals.is_empty() && !self.values.is_empty() {
            return Err(Error::Invalid {
                table: "totals",
                row: 0,
                column: "context",
                reason: "there are values without totals".to_owned(),
            });
        }
        Ok(())
    }

    fn check_references(&self) -> Result<(), Error> {
        let definitions = self.definitions.len();
        let contexts = self.contexts.len();
        let metrics = self.metrics.len();
        let locations = self.locations.len();
        check_references(
            "contexts",
            "definition",
            &self.contexts.definition,
            definitions,
        )?;
        check_parents_first("contexts", &self.contexts.parent)?;
        check_references("values", "context", &self.values.context, contexts)?;
        check_references("values", "metric", &self.values.metric, metrics)?;
        check_references("values", "location", &self.values.location, locations)?;
        check_references("totals", "context", &self.totals.context, contexts)?;
        check_references("totals", "metric", &self.totals.metric, metrics)
    }
}

/// Largest number of 38 decimal digits, which is what the column of sums of squares holds.
const MAX_DECIMAL: i128 = 10_i128.pow(38) - 1;

impl TotalRow {
    /// The total of integer observations of one context and metric, in ascending order. Sums that are too large
    /// stay at the largest number. Linear.
    pub fn of_integers(context: i32, metric: i32, observations: &[i64]) -> Self {
        let mut buckets: Vec<i32> = Vec::new();
        let mut counts: Vec<i64> = Vec::new();
        let (mut sum, mut sum_squares) = (0_i64, 0_i128);
        for &value in observations {
            let bucket = sketch::bucket(value);
            match (buckets.last(), counts.last_mut()) {
                (Some(last), Some(count)) if *last == bucket => *count += 1,
                _ => {
                    buckets.push(bucket);
                    counts.push(1);
                }
            }
            sum = sum.saturating_add(value);
            sum_squares = sum_squares.saturating_add(i128::from(value).pow(2));
        }
        Self {
            context,
            metric,
            count: i64::try_from(observations.len()).unwrap_or(i64::MAX),
            sum: Some(sum),
            min: observations.first().copied(),
            max: observations.last().copied(),
            sum_squares: Some(sum_squares.min(MAX_DECIMAL)),
            sum_float: None,
            min_float: None,
            max_float: None,
            sketch_buckets: buckets,
            sketch_counts: counts,
        }
    }
}

impl RunSummary {
    /// The totals of a run in which each value is a separate observation: one per value.
    /// They have the columns of the values in common, so that they take little memory.
    pub fn totals_of_single_values(&self) -> Totals {
        let Values {
            context,
            metric,
            sum,
            sum_float,
            ..
        } = &self.values;
        let square = |sum: Option<i64>| sum.map(|sum| i128::from(sum).pow(2));
        let bucket = |sum: Option<i64>| Vec::from_iter(sum.map(sketch::bucket));
        let counts = |sum: Option<i64>| Vec::from_iter(sum.map(|_| 1_i64));
        Totals {
            context: context.clone(),
            metric: metric.clone(),
            count: array_of(iter::repeat_n(1_i64, self.values.len())),
            sum: sum.clone(),
            min: sum.clone(),
            max: sum.clone(),
            sum_squares: array_of(sum.iter().map(square)),
            sum_float: sum_float.clone(),
            min_float: sum_float.clone(),
            max_float: sum_float.clone(),
            sketch_buckets: array_of(sum.iter().map(bucket)),
            sketch_counts: array_of(sum.iter().map(counts)),
        }
    }

    /// Whether the totals are [`RunSummary::totals_of_single_values`], so that storing them says
    /// nothing new.
    pub fn totals_are_single_values(&self) -> bool {
        let (values, totals) = (&self.values, &self.totals);
        let is_column = |a: &dyn Array, b: &dyn Array| a.to_data() == b.to_data();
        values.len() == totals.len()
            && is_column(&values.context, &totals.context)
            && is_column(&values.metric, &totals.metric)
            && is_column(&values.sum_float, &totals.sum_float)
            && is_column(&values.sum_float, &totals.min_float)
            && is_column(&values.sum_float, &totals.max_float)
            && is_column(&values.sum, &totals.sum)
            && totals.count.values().iter().all(|count| *count == 1)
            && (values.sum.null_count() == values.len()
                && totals.sum_squares.null_count() == totals.len()
                && totals.sketch_buckets.values().is_empty()
                && totals.sketch_counts.values().is_empty()
                && totals.min.null_count() == totals.len()
                && totals.max.null_count() == totals.len()
                || totals.rows().eq(self.totals_of_single_values().rows()))
    }
}

impl RunTables {
    /// A run that has no grains.
    pub fn without_grains(summary: RunSummary) -> Self {
        Self {
            summary,
            grains: Grains::empty(),
            fragments: Fragments::empty(),
            waits: Waits::empty(),
            dependences: Dependences::empty(),
            counters: Counters::empty(),
        }
    }

    /// Checks every reference between the tables; linear in their rows.
    ///
    /// # Errors
    /// [`Error::Invalid`], naming table, row and column of the first fault.
    pub fn validate(&self) -> Result<(), Error> {
        self.summary.validate()?;
        self.check_references()
    }

    /// Checks every reference between the tables, some of which may not have been read; linear in their rows.
    ///
    /// # Errors
    /// [`Error::Invalid`], with table, row and column of the first fault.
    pub fn check_references(&self) -> Result<(), Error> {
        self.summary.check_references()?;
        let grains = self.grains.len();
        let locations = self.summary.locations.len();
        let (table, own) = ("grains", &self.grains);
        check_column(table, "context", &own.context, self.summary.contexts.len())?;
        check_column(table, "location", &own.location, locations)?;
        check_parents(table, own.parent.iter())?;
        let (table, own) = ("fragments", &self.fragments);
        check_column(table, "grain", &own.grain, grains)?;
        check_column(table, "location", &own.location, locations)?;
        check_references("waits", "grain", &self.waits.grain, grains)?;
        check_references(
            "dependences",
            "predecessor",
            &self.dependences.predecessor,
            grains,
        )?;
        check_references(
            "dependences",
            "successor",
            &self.dependences.successor,
            grains,
        )?;
        check_references("counters", "grain", &self.counters.grain, grains)?;
        check_references(
            "counters",
            "metric",
            &self.counters.metric,
            self.summary.metrics.len(),
        )
    }

    /// Content hash of the tables; names, parameters given by the user and reader versions are
    /// not part of it, so that the same measurement is the same run however it is imported.
    pub fn content_id(&self) -> RunId {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"grainsheaf run 1");
        let summary = &self.summary;
        hasher.update(summary.meta.known_program().as_bytes());
        hasher.update(&[u8::from(summary.meta.is_complete)]);
        hasher.update(summary.meta.time_unit.as_str().as_bytes());
        hasher.update(&summary.meta.elapsed.unwrap_or(-1).to_le_bytes());
        summary.definitions.digest(&mut hasher);
        summary.contexts.digest(&mut hasher);
        summary.locations.digest(&mut hasher);
        summary.metrics.digest(&mut hasher);
        summary.values.digest(&mut hasher);
        summary.totals.digest(&mut hasher);
        self.grains.digest(&mut hasher);
        self.fragments.digest(&mut hasher);
        self.waits.digest(&mut hasher);
        self.dependences.digest(&mut hasher);
        self.counters.digest(&mut hasher);
        let mut id = [0; 16];
        hasher.finalize_xof().fill(&mut id);
        RunId(id)
    }
}

fn check_references(
    table: &'static str,
    column: &'static str,
    array: &dyn Array,
    rows: usize,
) -> Result<(), Error> {
    let Some(values) = array.as_primitive_opt::<Int32Type>() else {
        return Ok(());
    };
    check_numbers(table, column, values.iter(), rows)
}

fn check_numbers(
    table: &'static str,
    column: &'static str,
    values: impl Iterator<Item = Option<i32>>,
    rows: usize,
) -> Result<(), Error> {
    for (row, value) in values.enumerate() {
        let Some(value) = value else { continue };
        if usize::try_from(value).map_or(true, |index| index >= rows) {
            let reason = format!("`{value}` points outside of {rows} rows");
            return Err(Error::Invalid {
                table,
                row,
                column,
                reason,
            });
        }
    }
    Ok(())
}

fn check_column(
    table: &'static str,
    column: &'static str,
    values: &CompactColumn<i32>,
    rows: usize,
) -> Result<(), Error> {
    let is_row = |value: i32| usize::try_from(value).is_ok_and(|value| value < rows);
    let bounds = values.bounds();
    if bounds.is_none_or(|(smallest, largest)| is_row(smallest) && is_row(largest)) {
        return Ok(());
    }
    check_numbers(table, column, values.iter(), rows)
}

fn check_parents_first(table: &'static str, parents: &dyn Array) -> Result<(), Error> {
    let parents = parents.as_primitive_opt::<Int32Type>();
    parents.map_or(Ok(()), |parents| check_parents(table, parents.iter()))
}

fn check_parents(
    table: &'static str,
    parents: impl Iterator<Item = Option<i32>>,
) -> Result<(), Error> {
    for (row, parent) in parents.enumerate() {
        let Some(parent) = parent else { continue };
        if usize::try_from(parent).map_or(true, |parent| parent >= row) {
            let reason = format!("parent `{parent}` does not stand before its child");
            return Err(Error::Invalid {
                table,
                row,
                column: "parent",
                reason,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::ValueRow;

    #[test]
    fn totals_of_single_values_are_their_values() -> Result<(), Error> {
        let value = |sum, sum_float| ValueRow {
            context: 0,
            metric: 0,
            location: 0,
            count: 1,
            sum,
            sum_float,
        };
        let mut summary = RunSummary::empty(RunMeta::new("a", "test"));
        summary.values = [value(Some(300), None), value(None, Some(0.5))]
            .into_iter()
            .collect();
        let totals = summary.totals_of_single_values();
        // The types of the columns are those of the schema.
        assert_eq!(totals.to_batch()?.schema(), Totals::schema());
        let rows: Vec<TotalRow> = totals.rows().collect();
        assert_eq!(rows[0], TotalRow::of_integers(0, 0, &[300]));
        let float = &rows[1];
        assert_eq!(
            [float.sum_float, float.min_float, float.max_float],
            [Some(0.5); 3]
        );
        assert_eq!((float.sum, float.sum_squares, float.count), (None, None, 1));
        assert!(float.sketch_buckets.is_empty() && float.sketch_counts.is_empty());
        summary.totals = totals;
        assert!(summary.totals_are_single_values());
        Ok(())
    }
}
