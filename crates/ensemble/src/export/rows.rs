//! Rows of exported tables: made one at a time, never all at once.

use std::borrow::Cow;
use std::fmt;

use arrow::array::{Array, Int64Array};

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell<'a> {
    Absent,
    Integer(i64),
    /// Finite.
    Float(f64),
    Text(Cow<'a, str>),
}

impl<'a> Cell<'a> {
    pub(super) fn text(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }

    pub(super) fn owned(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }

    pub(super) fn optional_text(text: Option<&'a str>) -> Self {
        text.map_or(Self::Absent, Self::text)
    }

    /// An integer of any width.
    pub(super) fn optional(value: Option<impl Into<i64>>) -> Self {
        value.map_or(Self::Absent, |value| Self::Integer(value.into()))
    }

    /// The value of a column that can be absent.
    pub(super) fn of(column: &Int64Array, row: usize) -> Self {
        let is_there = row < column.len() && column.is_valid(row);
        Self::optional(is_there.then(|| column.value(row)))
    }

    pub(super) fn float(value: f64) -> Self {
        if value.is_finite() {
            Self::Float(value)
        } else {
            Self::Absent
        }
    }
}

/// Numbers read back exactly; absent values are empty.
impl fmt::Display for Cell<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => Ok(()),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellType {
    Integer,
    Float,
    Text,
}

/// A column of an exported table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) cell_type: CellType,
    /// What it is, with its unit, in a sentence.
    pub(super) meaning: String,
}

/// A table that is exported.
pub(super) trait Rows {
    /// The columns, in order.
    fn columns(&self) -> &[Column];

    /// Number of rows.
    fn len(&self) -> usize;

    /// Replaces `cells` by those of a row, one per column.
    fn fill<'a>(&'a self, row: usize, cells: &mut Vec<Cell<'a>>);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_exactly() {
        let cells = [
            Cell::Integer(3_596_203_564),
            Cell::Integer(i64::MIN),
            Cell::float(0.1 + 0.2),
            Cell::float(0.0),
            Cell::float(f64::NAN),
        ];
        let texts = cells.map(|cell| cell.to_string());
        let expected = [
            "3596203564",
            "-9223372036854775808",
            "0.30000000000000004",
            "0",
            "",
        ];
        assert_eq!(texts, expected);
    }
}
