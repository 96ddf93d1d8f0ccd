//! How many iterations the loops of a run had, as their chunks say.

use std::collections::BTreeMap;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{Int32Type, Int64Type};

/// Columns of a run's table of grains that [`Iterations::of`] reads.
pub const ITERATION_COLUMNS: [&str; 2] = ["context", "iterations"];

/// Iterations by context, in some of a run's grains.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Iterations(BTreeMap<i32, i64>);

impl Iterations {
    /// Those of a stretch of the table. Grains without a range are left out. Linear.
    pub fn of(grains: &RecordBatch) -> Self {
        let context = grains.column_by_name("context");
        let count = grains.column_by_name("iterations");
        let both = context
            .and_then(|column| column.as_primitive_opt::<Int32Type>())
            .zip(count.and_then(|column| column.as_primitive_opt::<Int64Type>()));
        let Some((context, count)) = both else {
            return Self::default();
        };
        let mut found: BTreeMap<i32, i64> = BTreeMap::new();
        for row in (0..grains.num_rows()).filter(|&row| count.is_valid(row)) {
            let sum = found.entry(context.value(row)).or_default();
            *sum = sum.saturating_add(count.value(row));
        }
        Self(found)
    }
}

/// Iterations of each context, all its executions together; absent where no grain has a range. `parts` may be in any
/// order.
pub fn iterations<'a>(
    contexts: usize,
    parts: impl IntoIterator<Item = &'a Iterations>,
) -> Vec<Option<i64>> {
    let mut found: Vec<Option<i64>> = vec![None; contexts];
    for (context, count) in parts.into_iter().flat_map(|part| &part.0) {
        let context = usize::try_from(*context).ok();
        if let Some(known) = context.and_then(|context| found.get_mut(context)) {
            *known = Some(known.unwrap_or(0).saturating_add(*count));
        }
    }
    found
}
