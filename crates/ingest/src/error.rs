//! Why an input cannot be read.

use thiserror::Error;

use crate::trace::TraceError;

/// Why an input cannot be read at all. What can be skipped or repaired is in the report instead.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// No reader knows the format.
    #[error("format not recognised from its first {len} bytes; known formats: {known}")]
    Unrecognised {
        /// Bytes looked at.
        len: usize,
        /// Names of the formats that are read.
        known: String,
    },
    /// A trace that cannot be read.
    #[error("cannot read trace")]
    Trace(#[from] TraceError),
    /// The input is of its format but nothing was recorded.
    #[error("trace holds no events; check that the program uses OpenMP and ran to its end")]
    NoEvents,
    /// The user stopped it.
    #[error(transparent)]
    Cancelled(#[from] sheaf_model::Cancelled),
    /// The tables break their schema: a fault of the reader.
    #[error("tables do not fit together; this is a fault of the reader, report it with the input")]
    Invalid(#[from] sheaf_model::Error),
}
