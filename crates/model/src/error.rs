//! Errors of the vocabulary: wrong identifiers and tables that break their declared schema.

/// What can be wrong with a value of the vocabulary.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text that should be an identifier is not one.
    #[error("`{text}` is not a {kind} id: expected 32 hexadecimal digits")]
    Id {
        /// Which identifier was expected.
        kind: &'static str,
        /// The text that was found.
        text: String,
    },
    /// A column is not in a batch that should be a table.
    #[error("column `{column}` of table `{table}` is missing; import the run again")]
    MissingColumn {
        /// The table read.
        table: &'static str,
        /// The column looked for.
        column: &'static str,
    },
    /// A column has another type than the schema declares.
    #[error("column `{column}` of table `{table}` has type `{found}` instead of `{expected}`")]
    ColumnType {
        /// The table read.
        table: &'static str,
        /// The column at fault.
        column: &'static str,
        /// The declared type.
        expected: String,
        /// The type found.
        found: String,
    },
    /// A value breaks an invariant of its table.
    #[error("table `{table}`, row {row}, column `{column}`: {reason}")]
    Invalid {
        /// The table at fault.
        table: &'static str,
        /// Zero-based row.
        row: usize,
        /// The column at fault.
        column: &'static str,
        /// What is wrong, with the value.
        reason: String,
    },
    /// Arrow refused to assemble a batch.
    #[error("cannot assemble table `{table}`")]
    Arrow {
        /// The table assembled.
        table: &'static str,
        /// Arrow's reason.
        source: arrow::error::ArrowError,
    },
}
