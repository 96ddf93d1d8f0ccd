//! The table of totals while it grows, column by column.

use std::sync::Arc;

use arrow::array::{Decimal128Array, Float64Array, Int32Array, Int64Array, ListArray};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field};
use sheaf_model::sketch;
use sheaf_model::table::Totals;

use crate::Error;
use crate::measure::Value;

/// The largest number of 38 digits.
const MAX_DECIMAL: i128 = 10_i128.pow(38) - 1;

/// Totals of observations: those of one context and metric are observed one by one, then their row is added.
#[derive(Default)]
pub(crate) struct TotalColumns {
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
    /// Observations of the row that is being put together; a metric has either sort.
    integers: Integers,
    floats: Vec<f64>,
}

/// Integers that are sorted at once.
const AT_ONCE: usize = 1 << 16;

/// Integers that were observed. Few of them are in memory: sums and counts by bucket do not need the others.
#[derive(Default)]
struct Integers {
    /// The last ones, which are not in what follows.
    last: Vec<i64>,
    count: usize,
    sum: i64,
    min: i64,
    max: i64,
    sum_squares: i128,
    /// Bucket and count, ascending.
    sketch: Vec<(i32, i64)>,
}

impl Integers {
    fn observe(&mut self, value: i64) {
        self.last.push(value);
        if self.last.len() == AT_ONCE {
            self.add_last();
        }
    }

    fn add_last(&mut self) {
        let last = &mut self.last;
        last.sort_unstable();
        let (Some(&first), Some(&highest)) = (last.first(), last.last()) else {
            return;
        };
        let is_first = self.count == 0;
        self.min = if is_first { first } else { first.min(self.min) };
        self.max = if is_first {
            highest
        } else {
            highest.max(self.max)
        };
        self.count += last.len();
        self.sum = last.iter().copied().fold(self.sum, i64::saturating_add);
        let squares = last.iter().map(|&value| i128::from(value).pow(2));
        self.sum_squares = squares.fold(self.sum_squares, i128::saturating_add);
        let groups = last.chunk_by(|a, b| sketch::bucket(*a) == sketch::bucket(*b));
        let groups =
            groups.filter_map(|same| Some((sketch::bucket(*same.first()?), number(same.len()))));
        self.sketch.extend(groups);
        if !is_first {
            self.sketch.sort_unstable();
            self.sketch.dedup_by(|later, kept| {
                let is_same = later.0 == kept.0;
                kept.1 += if is_same { later.1 } else { 0 };
                is_same
            });
        }
        last.clear();
    }

    /// Forgets all, but for the memory of the lists.
    fn clear(&mut self) {
        self.last.clear();
        self.sketch.clear();
        (self.count, self.sum, self.min, self.max, self.sum_squares) = (0, 0, 0, 0, 0);
    }
}

impl TotalColumns {
    /// Adds an observation to the next row. The order matters to sums of floats only.
    pub(crate) fn observe(&mut self, value: Value) {
        match value {
            Value::Integer(value) => self.integers.observe(value),
            Value::Float(value) => self.floats.push(value),
        }
    }

    /// Adds the row of what was observed since the last one, if anything was.
    pub(crate) fn end_row(&mut self, context: i32, metric: i32) {
        let Self {
            integers, floats, ..
        } = self;
        integers.add_last();
        if integers.count == 0 && floats.is_empty() {
            return;
        }
        self.context.push(context);
        self.metric.push(metric);
        self.count.push(number(integers.count.max(floats.len())));
        self.is_integer.push(floats.is_empty());
        self.sum.push(integers.sum);
        self.min.push(integers.min);
        self.max.push(integers.max);
        self.sum_squares.push(integers.sum_squares.min(MAX_DECIMAL));
        // Not from zero: a single value stays as it is, minus zero included.
        let sum = floats.iter().copied().reduce(|a, b| finite(a + b));
        self.sum_float.push(sum.unwrap_or_default());
        let lowest = floats.iter().copied().reduce(f64::min);
        self.min_float.push(lowest.unwrap_or_default());
        let highest = floats.iter().copied().reduce(f64::max);
        self.max_float.push(highest.unwrap_or_default());
        self.sketch_lengths.push(integers.sketch.len());
        let buckets = integers.sketch.iter().map(|(bucket, _)| bucket);
        self.sketch_buckets.extend(buckets);
        let counts = integers.sketch.iter().map(|(_, count)| count);
        self.sketch_counts.extend(counts);
        integers.clear();
        floats.clear();
    }

    /// # Errors
    /// When Arrow refuses the columns, which is a fault of this crate.
    pub(crate) fn finish(self) -> Result<Totals, Error> {
        let floats: Vec<bool> = self.is_integer.iter().map(|is| !is).collect();
        let (integers, floats) = (NullBuffer::from(self.is_integer), NullBuffer::from(floats));
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

/// A sum that stays at the end of the range instead of becoming infinite.
pub(crate) fn finite(sum: f64) -> f64 {
    sum.clamp(f64::MIN, f64::MAX)
}

fn number(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}

fn invalid(source: arrow::error::ArrowError) -> Error {
    Error::Invalid(sheaf_model::Error::Arrow {
        table: Totals::NAME,
        source,
    })
}

#[cfg(test)]
mod tests {
    use sheaf_model::table::TotalRow;

    use super::*;

    #[test]
    fn rows_are_those_of_the_model() {
        let values = [[7, -3, 1_000_000].as_slice(), &[i64::MAX; 3], &[0]];
        let mut totals = TotalColumns::default();
        for (context, values) in (0..).zip(values) {
            totals.end_row(context, 0);
            for &value in values {
                totals.observe(Value::Integer(value));
            }
            totals.end_row(context, 1);
        }
        let expected = (0..).zip(values).map(|(context, values)| {
            let mut sorted = values.to_vec();
            sorted.sort_unstable();
            TotalRow::of_integers(context, 1, &sorted)
        });
        assert!(totals.finish().unwrap().rows().eq(expected));
    }

    #[test]
    fn rows_of_many_observations_are_those_of_the_model() {
        let mut state = 1_u64;
        let mut value = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33 >> (state >> 59)).cast_signed() - 7
        };
        for len in [AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 3 * AT_ONCE + 5] {
            let mut values: Vec<i64> = (0..len).map(|_| value()).collect();
            let mut totals = TotalColumns::default();
            for &value in &values {
                totals.observe(Value::Integer(value));
            }
            totals.end_row(4, 2);
            totals.observe(Value::Integer(-5));
            totals.end_row(5, 2);
            values.sort_unstable();
            let expected = [
                TotalRow::of_integers(4, 2, &values),
                TotalRow::of_integers(5, 2, &[-5]),
            ];
            assert!(totals.finish().unwrap().rows().eq(expected), "{len} values");
        }
    }

    #[test]
    fn floats_are_added_in_their_order_and_stay_finite() {
        let mut totals = TotalColumns::default();
        for values in [[f64::MAX, f64::MAX], [-0.0, -0.0], [1.0, 0.5]] {
            for value in values {
                totals.observe(Value::Float(value));
            }
            totals.end_row(0, 0);
        }
        let rows = totals.finish().unwrap();
        let found: Vec<_> = rows
            .rows()
            .map(|row| {
                (
                    row.count,
                    row.sum,
                    row.sum_float.unwrap().to_bits(),
                    row.max_float,
                )
            })
            .collect();
        let expected = [
            (2, None, f64::MAX.to_bits(), Some(f64::MAX)),
            (2, None, (-0.0_f64).to_bits(), Some(-0.0)),
            (2, None, 1.5_f64.to_bits(), Some(1.0)),
        ];
        assert_eq!(found, expected);
    }
}
