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
    integers: Vec<i64>,
    floats: Vec<f64>,
}

impl TotalColumns {
    /// Adds an observation to the next row. The order matters to sums of floats only.
    pub(crate) fn observe(&mut self, value: Value) {
        match value {
            Value::Integer(value) => self.integers.push(value),
            Value::Float(value) => self.floats.push(value),
        }
    }

    /// Adds the row of what was observed since the last one, if anything was.
    pub(crate) fn end_row(&mut self, context: i32, metric: i32) {
        let Self {
            integers, floats, ..
        } = self;
        if integers.is_empty() && floats.is_empty() {
            return;
        }
        self.context.push(context);
        self.metric.push(metric);
        self.count.push(number(integers.len().max(floats.len())));
        self.is_integer.push(floats.is_empty());
        integers.sort_unstable();
        let sum = integers.iter().copied().fold(0, i64::saturating_add);
        self.sum.push(sum);
        self.min.push(integers.first().copied().unwrap_or(0));
        self.max.push(integers.last().copied().unwrap_or(0));
        let squares = integers.iter().map(|&value| i128::from(value).pow(2));
        let squares = squares.fold(0, i128::saturating_add);
        self.sum_squares.push(squares.min(MAX_DECIMAL));
        // Not from zero: a single value stays as it is, minus zero included.
        let sum = floats.iter().copied().reduce(|a, b| finite(a + b));
        self.sum_float.push(sum.unwrap_or_default());
        let lowest = floats.iter().copied().reduce(f64::min);
        self.min_float.push(lowest.unwrap_or_default());
        let highest = floats.iter().copied().reduce(f64::max);
        self.max_float.push(highest.unwrap_or_default());
        let before = self.sketch_buckets.len();
        for group in integers.chunk_by(|a, b| sketch::bucket(*a) == sketch::bucket(*b)) {
            self.sketch_buckets
                .extend(group.first().map(|&value| sketch::bucket(value)));
            self.sketch_counts.push(number(group.len()));
        }
        self.sketch_lengths.push(self.sketch_buckets.len() - before);
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
