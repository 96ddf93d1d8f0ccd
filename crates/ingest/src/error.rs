//! Why an input cannot be read.

use thiserror::Error;

use crate::Format;
use crate::trace::TraceError;

/// Why an input cannot be read at all. What can be skipped or repaired is in the report instead.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A known format that no reader reads.
    #[error("format not read; {guess}")]
    OfOtherTool {
        /// The format that it seems to have, and the command that converts it.
        guess: String,
    },
    /// There is nothing to recognise.
    #[error("the file is empty")]
    NoBytes,
    /// No reader knows the format.
    #[error("format not recognised; known formats: {known}")]
    Unrecognised {
        /// Names of the formats that are read.
        known: String,
    },
    /// The bytes could not be had: the medium, or the compression.
    #[error("cannot be read")]
    Unreadable {
        /// Why.
        source: std::io::Error,
    },
    /// The input would not fit into memory.
    #[error("is larger than {limit} bytes, the most that is read of a file of this format")]
    TooLarge {
        /// Bytes allowed.
        limit: u64,
    },
    /// A part of the input, or a number of parts, is beyond the bound.
    #[error("{what} has more than {limit} {unit}, the most that is read, at {at}")]
    TooLong {
        /// What it is, with its article: `a line`.
        what: &'static str,
        /// What is allowed.
        limit: u64,
        /// What is counted: `bytes`.
        unit: &'static str,
        /// Where: `line 12`, `byte 4096`.
        at: String,
    },
    /// A trace that cannot be read.
    #[error("cannot read trace")]
    Trace(#[from] TraceError),
    /// The content breaks its format so that what remains would mislead.
    #[error("cannot read {} file: {reason}, at {at}", format.as_str())]
    Malformed {
        /// The format it was read as.
        format: Format,
        /// Where: `line 12`, `byte 4096`, `node n7`.
        at: String,
        /// What is wrong, with the value met, and what to do about it if that is known.
        reason: String,
    },
    /// A member of a database is not among the inputs.
    #[error("{} database lacks `{member}`; add the whole folder", format.as_str())]
    MissingMember {
        /// The format it was read as.
        format: Format,
        /// Name of the file.
        member: String,
    },
    /// The input is of its format but nothing was recorded.
    #[error("trace holds no events; check that the program uses OpenMP and ran to its end")]
    NoEvents,
    /// The recorder of the input could not write the first event.
    #[error("recording stopped before the first event: {cause}")]
    StoppedEarly {
        /// Why, and what to do about it.
        cause: String,
    },
    /// The input is of its format but holds no run.
    #[error("{} file holds no measurement", format.as_str())]
    Empty {
        /// The format it was read as.
        format: Format,
    },
    /// The input is a trace of events that have no duration.
    #[error(
        "chrome file holds no durations; it holds {holds}; grains come from events of phase `X`, `B` and `E`, or `b` and `e`"
    )]
    NoDurations {
        /// Its events, with counts.
        holds: String,
    },
    /// The user stopped it.
    #[error(transparent)]
    Cancelled(#[from] sheaf_model::Cancelled),
    /// The tables break their schema: a fault of the reader.
    #[error("tables do not fit together; this is a fault of the reader, report it with the input")]
    Invalid(#[from] sheaf_model::Error),
}

impl Error {
    /// A file that breaks its format.
    pub(crate) fn malformed(
        format: Format,
        at: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        Self::Malformed {
            format,
            at: at.into(),
            reason: reason.into(),
        }
    }
}
