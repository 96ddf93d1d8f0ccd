//! Values of a metric, a row per grain, or why there are none.

pub use crate::absent::AbsenceReason;

/// Values, a row per grain; `None` where a grain has none, which is neither zero nor NaN.
#[derive(Clone, PartialEq, Debug)]
pub enum Values {
    /// Exact integers.
    Integers(Vec<Option<i64>>),
    /// Finite floats.
    Floats(Vec<Option<f64>>),
}

impl Values {
    /// The value of a grain as a float.
    pub fn get(&self, row: usize) -> Option<f64> {
        match self {
            Self::Integers(values) => values.get(row).copied().flatten().map(|value| value as f64),
            Self::Floats(values) => values.get(row).copied().flatten(),
        }
    }

    /// The value of a grain where values are integers.
    pub fn integer(&self, row: usize) -> Option<i64> {
        match self {
            Self::Integers(values) => values.get(row).copied().flatten(),
            Self::Floats(_) => None,
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
