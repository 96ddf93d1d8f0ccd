//! Values of a metric, a row per grain, or why there are none.

use arrow::array::{
    Array, ArrowPrimitiveType, BooleanBufferBuilder, Float64Array, Int64Array, PrimitiveArray,
};
use arrow::buffer::NullBuffer;
use sheaf_answers::{MetricColumn, MetricValue};

pub use crate::absent::AbsenceReason;

/// Values, a row per grain; `None` where a grain has none, which is neither zero nor NaN.
#[derive(Clone, PartialEq, Debug)]
pub enum Values {
    /// Exact integers.
    Integers(Int64Array),
    /// Finite floats.
    Floats(Float64Array),
}

impl Values {
    /// The value of a grain as a float.
    pub fn get(&self, row: usize) -> Option<f64> {
        match self {
            Self::Integers(values) => integer_at(values, row).map(|value| value as f64),
            Self::Floats(values) => float_at(values, row),
        }
    }

    /// The value of a grain where values are integers.
    pub fn integer(&self, row: usize) -> Option<i64> {
        match self {
            Self::Integers(values) => integer_at(values, row),
            Self::Floats(_) => None,
        }
    }

    /// The value of a grain as the metric has it.
    pub fn exact(&self, row: usize) -> Option<MetricValue> {
        match self {
            Self::Integers(values) => integer_at(values, row).map(MetricValue::Integer),
            Self::Floats(values) => float_at(values, row).map(MetricValue::Float),
        }
    }

    /// The values of some rows.
    pub fn take(&self, rows: &[u32]) -> MetricColumn {
        let rows = rows.iter().map(|&row| row as usize);
        match self {
            Self::Integers(values) => {
                MetricColumn::Integers(rows.map(|row| integer_at(values, row)).collect())
            }
            Self::Floats(values) => {
                MetricColumn::Floats(rows.map(|row| float_at(values, row)).collect())
            }
        }
    }

    /// Bytes that they take.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Integers(values) => values.get_array_memory_size(),
            Self::Floats(values) => values.get_array_memory_size(),
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Integers(values) => values.len(),
            Self::Floats(values) => values.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values as floats, row by row.
    pub fn iter(&self) -> impl Iterator<Item = Option<f64>> + '_ {
        (0..self.len()).map(|row| self.get(row))
    }
}

/// The value of a row; nothing if it is absent, or there is no such row.
#[inline]
pub fn integer_at(values: &Int64Array, row: usize) -> Option<i64> {
    (row < values.len() && values.is_valid(row)).then(|| values.value(row))
}

/// The same for floats.
#[inline]
pub(crate) fn float_at(values: &Float64Array, row: usize) -> Option<f64> {
    (row < values.len() && values.is_valid(row)).then(|| values.value(row))
}

/// Floats from the rows that have an integer, in the memory of these if nobody else holds it.
pub(super) fn to_floats(
    integers: Int64Array,
    mut float: impl FnMut(usize, i64) -> Option<f64>,
) -> Float64Array {
    let (_, values, nulls) = integers.into_parts();
    let values = values.into_inner().into_vec();
    let values: Vec<i64> = values.unwrap_or_else(|shared| shared.typed_data().to_vec());
    let mut is_there = BooleanBufferBuilder::new(values.len());
    let floats = values.into_iter().enumerate().map(|(row, integer)| {
        let is_integer = nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
        let float = if is_integer {
            float(row, integer)
        } else {
            None
        };
        is_there.append(float.is_some());
        float.unwrap_or_default()
    });
    let floats: Vec<f64> = floats.collect();
    Float64Array::new(floats.into(), Some(NullBuffer::new(is_there.finish())))
}

/// A column that is filled in any order.
pub(super) struct ToFill<T: ArrowPrimitiveType> {
    values: Vec<T::Native>,
    is_there: BooleanBufferBuilder,
}

impl<T: ArrowPrimitiveType> ToFill<T> {
    /// So many rows without a value.
    pub(super) fn absent(rows: usize) -> Self {
        let mut is_there = BooleanBufferBuilder::new(rows);
        is_there.append_n(rows, false);
        let values = vec![T::Native::default(); rows];
        Self { values, is_there }
    }

    /// Sets the value of a row; nothing where there is no such row.
    #[inline]
    pub(super) fn set(&mut self, row: usize, value: Option<T::Native>) {
        if let Some(slot) = self.values.get_mut(row) {
            *slot = value.unwrap_or_default();
            self.is_there.set_bit(row, value.is_some());
        }
    }

    /// Sets the value of a row to one that follows from the value before, which is 0 in the beginning.
    #[inline]
    pub(super) fn change(&mut self, row: usize, change: impl FnOnce(T::Native) -> T::Native) {
        if let Some(slot) = self.values.get_mut(row) {
            *slot = change(*slot);
            self.is_there.set_bit(row, true);
        }
    }

    /// The column.
    pub(super) fn finish(mut self) -> PrimitiveArray<T> {
        let is_there = NullBuffer::new(self.is_there.finish());
        PrimitiveArray::new(self.values.into(), Some(is_there))
    }
}

/// Who computed the values of a column.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    /// From the tables of the run.
    Computed,
    /// The source gave them, and they could not be computed.
    Given,
}

/// The values of a metric in a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    /// The values, a row per grain.
    pub values: Values,
    /// Who computed them.
    pub origin: Origin,
}

impl Column {
    /// The value of a grain as a float.
    pub fn get(&self, row: usize) -> Option<f64> {
        self.values.get(row)
    }
}
