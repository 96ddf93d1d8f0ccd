//! Values per context, metric and location, and their totals.

use sheaf_model::MetricKind;
use sheaf_model::table::{Totals, ValueRow, Values, ValuesBuilder};

use super::log::{Log, Observation};
use super::{MAX_ROWS, Metric, too_many};
use crate::Error;
use crate::buckets::Buckets;
use crate::measure::Value;
use crate::run_tables::{TotalColumns, finite, row};

/// Rows of the other tables, by the numbers that observations have.
pub(super) struct Rows<'a> {
    pub(super) contexts: &'a [i32],
    pub(super) num_contexts: usize,
    pub(super) metrics: &'a [u32],
    /// The metrics in the order of their rows.
    pub(super) in_order: &'a [Metric],
    pub(super) locations: &'a [u32],
}

/// An observation with the row of its metric and of its location.
type Placed = (u32, u32, Observation);

/// Both tables; one pass over the contexts, whose observations alone are sorted.
pub(super) fn tables(log: &Log, rows: &Rows<'_>) -> Result<(Values, Totals), Error> {
    let observations = log.observations();
    if observations.len() > MAX_ROWS {
        return Err(too_many("values"));
    }
    let row_of = |rows: &[u32], number: u32| rows.get(number as usize).copied();
    let by_context = Buckets::new(observations.len(), rows.num_contexts, |at| {
        let node = observations.get(at as usize)?.node;
        u32::try_from(*rows.contexts.get(node as usize)?).ok()
    });
    let mut values = ValuesBuilder::default();
    let mut totals = TotalColumns::default();
    let mut placed: Vec<Placed> = Vec::new();
    for context in 0..rows.num_contexts {
        placed.clear();
        placed.extend(by_context.get(context).iter().filter_map(|&at| {
            let observation = *observations.get(at as usize)?;
            let metric = row_of(rows.metrics, observation.metric())?;
            let location = row_of(rows.locations, observation.location)?;
            Some((metric, location, observation))
        }));
        sort(&mut placed, rows.in_order.len());
        for group in placed.chunk_by(|a, b| a.0 == b.0) {
            let Some(Metric { spec, .. }) = group
                .first()
                .and_then(|(row, ..)| rows.in_order.get(*row as usize))
            else {
                continue;
            };
            let is_apart = spec.kind == MetricKind::Intensive;
            let value = |one: &Observation| {
                if spec.is_integer {
                    Value::Integer(one.integer())
                } else {
                    Value::Float(one.float())
                }
            };
            for place in group.chunk_by(|a, b| a.1 == b.1) {
                let Some(of_place) = value_row(row(context), place, spec.is_integer) else {
                    continue;
                };
                if is_apart {
                    let observed = place.iter().map(|(_, _, one)| value(one));
                    observed.for_each(|value| totals.observe(value));
                } else {
                    let sum = of_place.sum.map(Value::Integer);
                    let sum = sum.or(of_place.sum_float.map(Value::Float));
                    if let Some(sum) = sum {
                        totals.observe(sum);
                    }
                }
                values.push(of_place);
            }
            let metric = group.first().map_or(0, |first| row(first.0 as usize));
            totals.end_row(row(context), metric);
        }
    }
    Ok((values.finish(), totals.finish()?))
}

/// Sorts by metric and location. Stable: values of one place are added in the order in which they
/// came. Linear where locations come in order, as they do in most sources.
fn sort(placed: &mut Vec<Placed>, num_metrics: usize) {
    if placed.len() <= num_metrics.max(256) {
        placed.sort_by_key(|(metric, location, _)| (*metric, *location));
        return;
    }
    if !placed.is_sorted_by_key(|(_, location, _)| *location) {
        placed.sort_by_key(|(_, location, _)| *location);
    }
    let by_metric = Buckets::new(placed.len(), num_metrics, |at| {
        placed.get(at as usize).map(|(metric, ..)| *metric)
    });
    let sorted = by_metric.items().iter();
    *placed = sorted
        .filter_map(|&at| placed.get(at as usize).copied())
        .collect();
}

/// The value of all observations of one place.
fn value_row(context: i32, place: &[Placed], is_integer: bool) -> Option<ValueRow> {
    let &(metric, location, _) = place.first()?;
    let all = || place.iter().map(|(_, _, one)| one);
    let sum = || all().fold(0_i64, |sum, one| sum.saturating_add(one.integer()));
    // Not from zero: a single value stays as it is, minus zero included.
    let sum_float = || all().map(Observation::float).reduce(|a, b| finite(a + b));
    Some(ValueRow {
        context,
        metric: row(metric as usize),
        location: row(location as usize),
        count: all().map(|one| i64::from(one.count)).sum(),
        sum: is_integer.then(sum),
        sum_float: if is_integer { None } else { sum_float() },
    })
}
