//! Values per context, metric and location, and their totals, column by column.

use std::sync::Arc;

use arrow::array::{Decimal128Array, Float64Array, Int32Array, Int64Array, ListArray};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field};
use sheaf_model::table::{Totals, Values};
use sheaf_model::{MetricKind, sketch};

use super::log::{Log, Observation, finite};
use super::{MAX_ROWS, Metric, number, too_many};
use crate::Error;
use crate::buckets::Buckets;

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
    let mut values = ValueColumns::default();
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
            totals.begin(spec.is_integer);
            for place in group.chunk_by(|a, b| a.1 == b.1) {
                values.push(context, place, spec.is_integer);
                if is_apart {
                    for (_, _, one) in place {
                        totals.observe(one);
                    }
                } else {
                    totals.observe_sum(&values);
                }
            }
            totals.end(context, group);
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

fn row(index: impl TryInto<i32>) -> i32 {
    index.try_into().unwrap_or(i32::MAX)
}

#[derive(Default)]
struct ValueColumns {
    context: Vec<i32>,
    metric: Vec<i32>,
    location: Vec<i32>,
    count: Vec<i64>,
    sum: Vec<i64>,
    sum_float: Vec<f64>,
    is_integer: Vec<bool>,
}

impl ValueColumns {
    /// Adds the row of observations of one place.
    fn push(&mut self, context: usize, place: &[Placed], is_integer: bool) {
        let Some(&(metric, location, _)) = place.first() else {
            return;
        };
        let all = || place.iter().map(|(_, _, one)| one);
        let (sum, sum_float) = if is_integer {
            let sum = all().fold(0_i64, |sum, one| sum.saturating_add(one.integer()));
            (sum, 0.0)
        } else {
            // Not from zero: a single value stays as it is, minus zero included.
            let sum = all().map(Observation::float).reduce(|a, b| finite(a + b));
            (0, sum.unwrap_or_default())
        };
        self.context.push(row(context));
        self.metric.push(row(metric));
        self.location.push(row(location));
        self.count.push(all().map(|one| i64::from(one.count)).sum());
        self.sum.push(sum);
        self.sum_float.push(sum_float);
        self.is_integer.push(is_integer);
    }

    fn finish(self) -> Values {
        let (integers, floats) = presence(&self.is_integer);
        Values {
            context: self.context.into(),
            metric: self.metric.into(),
            location: self.location.into(),
            count: self.count.into(),
            sum: Int64Array::new(self.sum.into(), Some(integers)),
            sum_float: Float64Array::new(self.sum_float.into(), Some(floats)),
        }
    }
}

/// Which rows have integers, and which floats.
fn presence(is_integer: &[bool]) -> (NullBuffer, NullBuffer) {
    let floats: NullBuffer = is_integer
        .iter()
        .map(|is| !is)
        .collect::<Vec<bool>>()
        .into();
    (is_integer.to_vec().into(), floats)
}

#[derive(Default)]
struct TotalColumns {
    context: Vec<i32>,
    metric: Vec<i32>,
    count: Vec<i64>,
    is_integer: Vec<bool>,
    sum: Vec<i64>,
    min: Vec<i64>,
    max: Vec<i64>,
    sum_squares: Vec<i128>,
    sum_float: Vec<f64>,
    min_float: Vec<f64>,
    max_float: Vec<f64>,
    sketch_lengths: Vec<usize>,
    sketch_buckets: Vec<i32>,
    sketch_counts: Vec<i64>,
    /// Of the row that is being put together.
    now: Now,
}

/// Observations of one context and metric.
#[derive(Default)]
struct Now {
    is_integer: bool,
    integers: Vec<i64>,
    floats: Vec<f64>,
}

impl TotalColumns {
    fn begin(&mut self, is_integer: bool) {
        self.now.is_integer = is_integer;
        self.now.integers.clear();
        self.now.floats.clear();
    }

    fn observe(&mut self, observation: &Observation) {
        if self.now.is_integer {
            self.now.integers.push(observation.integer());
        } else {
            self.now.floats.push(observation.float());
        }
    }

    /// Observes the sum in the last row of `values`.
    fn observe_sum(&mut self, values: &ValueColumns) {
        if self.now.is_integer {
            self.now.integers.extend(values.sum.last());
        } else {
            self.now.floats.extend(values.sum_float.last());
        }
    }

    fn end(&mut self, context: usize, group: &[Placed]) {
        let Now {
            is_integer,
            integers,
            floats,
        } = &mut self.now;
        self.context.push(row(context));
        self.metric
            .push(group.first().map_or(0, |first| row(first.0)));
        self.count.push(number(integers.len().max(floats.len())));
        self.is_integer.push(*is_integer);
        integers.sort_unstable();
        self.sum.push(
            integers
                .iter()
                .fold(0, |sum, value| value.saturating_add(sum)),
        );
        self.min.push(integers.first().copied().unwrap_or(0));
        self.max.push(integers.last().copied().unwrap_or(0));
        let squares = integers.iter().map(|&value| i128::from(value).pow(2));
        self.sum_squares.push(squares.fold(0, i128::saturating_add));
        let sum = floats.iter().copied().reduce(|a, b| finite(a + b));
        self.sum_float.push(sum.unwrap_or_default());
        let least = floats.iter().copied().reduce(f64::min);
        self.min_float.push(least.unwrap_or_default());
        let greatest = floats.iter().copied().reduce(f64::max);
        self.max_float.push(greatest.unwrap_or_default());
        let before = self.sketch_buckets.len();
        for group in integers.chunk_by(|a, b| sketch::bucket(*a) == sketch::bucket(*b)) {
            self.sketch_buckets
                .extend(group.first().map(|&value| sketch::bucket(value)));
            self.sketch_counts.push(number(group.len()));
        }
        self.sketch_lengths.push(self.sketch_buckets.len() - before);
    }

    fn finish(self) -> Result<Totals, Error> {
        let (integers, floats) = presence(&self.is_integer);
        let integer = |values: Vec<i64>| Int64Array::new(values.into(), Some(integers.clone()));
        let float = |values: Vec<f64>| Float64Array::new(values.into(), Some(floats.clone()));
        let squares = Decimal128Array::new(self.sum_squares.into(), Some(integers.clone()));
        let offsets = OffsetBuffer::from_lengths(self.sketch_lengths);
        let list = |item: DataType, values| {
            let field = Arc::new(Field::new("item", item, false));
            ListArray::try_new(field, offsets.clone(), values, None).map_err(invalid)
        };
        Ok(Totals {
            context: self.context.into(),
            metric: self.metric.into(),
            count: self.count.into(),
            sum: integer(self.sum),
            min: integer(self.min),
            max: integer(self.max),
            sum_squares: squares.with_precision_and_scale(38, 0).map_err(invalid)?,
            sum_float: float(self.sum_float),
            min_float: float(self.min_float),
            max_float: float(self.max_float),
            sketch_buckets: list(
                DataType::Int32,
                Arc::new(Int32Array::from(self.sketch_buckets)),
            )?,
            sketch_counts: list(
                DataType::Int64,
                Arc::new(Int64Array::from(self.sketch_counts)),
            )?,
        })
    }
}

fn invalid(source: arrow::error::ArrowError) -> Error {
    Error::Invalid(sheaf_model::Error::Arrow {
        table: Totals::NAME,
        source,
    })
}
