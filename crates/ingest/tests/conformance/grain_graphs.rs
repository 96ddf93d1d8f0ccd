//! What was measured of grains, by the source's names.

use std::collections::BTreeMap;

use sheaf_model::RunTables;

/// Integers of a metric by row of the grain.
pub(crate) fn integers(tables: &RunTables, source: &str) -> BTreeMap<usize, i64> {
    values(tables, source, |value, _| value.unwrap())
}

/// Floats of a metric by row of the grain; integers count as floats.
pub(crate) fn floats(tables: &RunTables, source: &str) -> BTreeMap<usize, f64> {
    values(tables, source, |value, float| {
        float.unwrap_or_else(|| value.unwrap() as f64)
    })
}

fn values<T>(
    tables: &RunTables,
    source: &str,
    value: impl Fn(Option<i64>, Option<f64>) -> T,
) -> BTreeMap<usize, T> {
    let metric = tables
        .summary
        .metrics
        .rows()
        .position(|metric| metric.source.as_deref() == Some(source));
    let metric = metric.and_then(|metric| i32::try_from(metric).ok());
    let rows = tables.counters.rows();
    rows.filter(|row| Some(row.metric) == metric)
        .map(|row| {
            let grain = usize::try_from(row.grain).unwrap();
            (grain, value(row.value, row.value_float))
        })
        .collect()
}
