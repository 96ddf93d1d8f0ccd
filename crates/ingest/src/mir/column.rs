//! Columns of numbers in which values may be absent.

/// Stands for an absent integer; no reader lets it in as a value.
const ABSENT: i64 = i64::MIN;

/// A column of integers. Rows beyond its end are absent, so a column that a table lacks is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Integers(Vec<i64>);

impl Integers {
    /// The value of a row.
    pub(crate) fn get(&self, row: usize) -> Option<i64> {
        self.0.get(row).copied().filter(|&value| value != ABSENT)
    }

    /// Number of rows, absent values included.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no row has a value.
    pub(crate) fn is_absent(&self) -> bool {
        self.0.iter().all(|&value| value == ABSENT)
    }

    /// Whether the column has no rows: the table lacks it.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The values in order of rows.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Option<i64>> + '_ {
        self.0
            .iter()
            .map(|&value| Some(value).filter(|&value| value != ABSENT))
    }

    /// Sets the value of a row, with absent ones before it where the column is shorter.
    pub(crate) fn set(&mut self, row: usize, value: i64) {
        if self.0.len() <= row {
            self.0.resize(row + 1, ABSENT);
        }
        if let Some(cell) = self.0.get_mut(row) {
            *cell = value;
        }
    }
}

impl FromIterator<Option<i64>> for Integers {
    fn from_iter<I: IntoIterator<Item = Option<i64>>>(values: I) -> Self {
        Self(
            values
                .into_iter()
                .map(|value| value.unwrap_or(ABSENT))
                .collect(),
        )
    }
}

/// A column of finite floats. Rows beyond its end are absent, so a column that a table lacks is
/// empty.
#[derive(Debug, Clone, Default)]
pub(crate) struct Floats(Vec<f64>);

impl Floats {
    /// The value of a row.
    pub(crate) fn get(&self, row: usize) -> Option<f64> {
        self.0.get(row).copied().filter(|value| value.is_finite())
    }

    /// Number of rows, absent values included.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no row has a value.
    pub(crate) fn is_absent(&self) -> bool {
        !self.0.iter().any(|value| value.is_finite())
    }

    /// Sets the value of a row, with absent ones before it where the column is shorter.
    pub(crate) fn set(&mut self, row: usize, value: f64) {
        if self.0.len() <= row {
            self.0.resize(row + 1, f64::NAN);
        }
        if let Some(cell) = self.0.get_mut(row) {
            *cell = value;
        }
    }
}

impl FromIterator<Option<f64>> for Floats {
    fn from_iter<I: IntoIterator<Item = Option<f64>>>(values: I) -> Self {
        Self(
            values
                .into_iter()
                .map(|value| value.unwrap_or(f64::NAN))
                .collect(),
        )
    }
}

/// A column of either sort: integers until a value is none.
#[derive(Debug, Clone)]
pub(crate) enum Numbers {
    /// Exact integers.
    Integers(Integers),
    /// Floats.
    Floats(Floats),
}

impl Numbers {
    /// The value of a row as a float.
    pub(crate) fn get(&self, row: usize) -> Option<f64> {
        match self {
            Self::Integers(values) => values.get(row).map(|value| value as f64),
            Self::Floats(values) => values.get(row),
        }
    }

    /// Whether no row has a value.
    pub(crate) fn is_absent(&self) -> bool {
        match self {
            Self::Integers(values) => values.is_absent(),
            Self::Floats(values) => values.is_absent(),
        }
    }

    /// Number of rows, absent values included.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Integers(values) => values.len(),
            Self::Floats(values) => values.len(),
        }
    }

    /// Takes the value of a row of another column, where it has one.
    pub(crate) fn copy(&mut self, row: usize, other: &Self, from: usize) {
        match other {
            Self::Integers(values) => {
                if let Some(value) = values.get(from) {
                    self.set_integer(row, value);
                }
            }
            Self::Floats(values) => {
                if let Some(value) = values.get(from) {
                    self.set_float(row, value);
                }
            }
        }
    }

    pub(crate) fn set_integer(&mut self, row: usize, value: i64) {
        match self {
            Self::Integers(values) => values.set(row, value),
            Self::Floats(values) => values.set(row, value as f64),
        }
    }

    pub(crate) fn set_float(&mut self, row: usize, value: f64) {
        if let Self::Integers(values) = self {
            let floats = values.iter().map(|value| value.map(|value| value as f64));
            *self = Self::Floats(floats.collect());
        }
        if let Self::Floats(values) = self {
            values.set(row, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_values_stay_absent_when_a_column_turns_into_floats() {
        let mut numbers = Numbers::Integers(Integers::default());
        numbers.set_integer(1, 7);
        numbers.set_float(3, 0.5);
        let values: Vec<_> = (0..5).map(|row| numbers.get(row)).collect();
        assert_eq!(values, [None, Some(7.0), None, Some(0.5), None]);
    }
}
