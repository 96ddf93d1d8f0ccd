//! `*.metric-db`: the values of one rank and thread, a row of floats per node.

use sheaf_model::Progress;

use super::FORMAT;
use crate::{Error, Input};

/// What every file begins with.
pub(super) const MAGIC: &[u8] = b"HPCPROF-metricdb__";

/// Bytes before the values: the magic, a version of five bytes, the order of bytes, two counters.
const HEADER: usize = 32;

/// Place of the letter that states in which order bytes are.
const ORDER: usize = 23;

/// Smallest thread number of a stream of a GPU.
const FIRST_STREAM: i32 = 500;

/// Where the values of a file were measured, as its name states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    pub(super) rank: i32,
    pub(super) thread: i32,
}

impl Rank {
    /// From `<n>.<program>-<rank>-<thread>-<host>-<process>-<k>.metric-db`; programs may have
    /// hyphens.
    pub(super) fn of_name(name: &str) -> Option<Self> {
        let stem = name.strip_suffix(".metric-db").unwrap_or(name);
        let mut parts = stem.rsplit('-').skip(3);
        let thread = number(parts.next()?)?;
        let rank = number(parts.next()?)?;
        parts.next()?;
        Some(Self { rank, thread })
    }

    pub(super) fn is_stream(self) -> bool {
        self.thread >= FIRST_STREAM
    }
}

fn number(digits: &str) -> Option<i32> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

/// The values of one file.
pub(super) struct MetricDb<'a> {
    values: std::borrow::Cow<'a, [u8]>,
    columns: usize,
    rows: usize,
    is_little: bool,
}

impl<'a> MetricDb<'a> {
    /// Reads a file; its length must be what its counters state.
    pub(super) fn read(input: &Input<'a>, progress: &Progress) -> Result<Self, Error> {
        let values = input.whole(FORMAT, progress)?;
        let order = values.get(ORDER).copied();
        let is_little = match order {
            Some(b'b') => false,
            Some(b'l') => true,
            _ => {
                let reason = "byte order is neither `b` nor `l`".to_owned();
                return Err(malformed(input, ORDER, reason));
            }
        };
        let counter = |at: usize| {
            let bytes: [u8; 4] = values.get(at..at + 4)?.try_into().ok()?;
            let number = if is_little {
                i32::from_le_bytes(bytes)
            } else {
                i32::from_be_bytes(bytes)
            };
            usize::try_from(number).ok()
        };
        let (rows, columns) = (counter(24), counter(28));
        let length = match (rows, columns) {
            (Some(rows), Some(columns)) => rows
                .checked_mul(columns)
                .and_then(|values| values.checked_mul(8)?.checked_add(HEADER)),
            _ => None,
        };
        match (length, rows, columns) {
            (Some(length), Some(rows), Some(columns)) if length == values.len() => Ok(Self {
                values,
                columns,
                rows,
                is_little,
            }),
            _ => {
                let reason = format!(
                    "{} bytes do not hold the nodes and metrics that the header counts",
                    values.len()
                );
                Err(malformed(input, 24, reason))
            }
        }
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// The value of a node, by its id from 1, in a column; 0 where nothing was measured.
    pub(super) fn get(&self, id: u32, column: usize) -> Option<f64> {
        let row = (id as usize).checked_sub(1)?;
        if column >= self.columns {
            return None;
        }
        let at = row.checked_mul(self.columns)?.checked_add(column)?;
        let start = at.checked_mul(8)?.checked_add(HEADER)?;
        let bytes = self.values.get(start..start.checked_add(8)?)?;
        let bytes: [u8; 8] = bytes.try_into().ok()?;
        Some(if self.is_little {
            f64::from_le_bytes(bytes)
        } else {
            f64::from_be_bytes(bytes)
        })
    }
}

fn malformed(input: &Input<'_>, byte: usize, reason: String) -> Error {
    let at = format!("byte {byte} of `{}`", input.file_name());
    Error::malformed(FORMAT, at, reason)
}
