//! The readers and the choice among them.

use sheaf_model::{Cancelled, Progress, Report, RunTables};

use crate::{Error, Symbols, trace};

/// Every reader; a new format is one more line, and one more variant of [`Format`].
const READERS: &[Reader] = &[trace::READER];

/// Bytes that are enough to recognise any format.
pub const SNIFF_LEN: usize = 4096;

/// A format that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Format {
    /// A trace of the OpenMP recorder.
    Trace,
}

impl Format {
    /// The name as in [`RunMeta::format`](sheaf_model::RunMeta::format).
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Trace => "trace",
        }
    }
}

/// One file, upload or stream, whole and decompressed.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// As the user named it.
    pub name: &'a str,
    /// Its content.
    pub bytes: &'a [u8],
}

/// A run that was read.
#[derive(Debug, Clone)]
pub struct Run {
    /// The format it was read from.
    pub format: Format,
    /// Positions of the inputs that it was read from: several where processes or ranks wrote a
    /// file each.
    pub inputs: Vec<usize>,
    /// Its tables; they are valid, and their metadata holds their content id.
    pub tables: RunTables,
    /// What was read, skipped and repaired.
    pub report: Report,
}

/// What became of some inputs: each is in exactly one run, or refused, or (formats of several
/// runs per file) in several runs.
#[derive(Debug, Default)]
pub struct Reading {
    /// The runs, in the order in which they started where the format knows.
    pub runs: Vec<Run>,
    /// Positions of inputs that cannot be read, with the reason.
    pub refused: Vec<(usize, Error)>,
}

/// Reads inputs of one format, each with its position among all.
type ReadInputs = fn(&[(usize, Input<'_>)], &Symbols, &Progress) -> Result<Reading, Cancelled>;

/// How one format is read.
pub(crate) struct Reader {
    pub(crate) format: Format,
    /// Looks at the first [`SNIFF_LEN`] bytes.
    pub(crate) recognises: fn(&[u8]) -> bool,
    pub(crate) read: ReadInputs,
}

/// Recognises a format from the first [`SNIFF_LEN`] bytes of a file; fewer do where the file
/// is shorter.
///
/// ```
/// use sheaf_ingest::{Format, sniff};
/// assert_eq!(sniff(b"GSTRACE\n\x01\0"), Some(Format::Trace));
/// assert_eq!(sniff(b"something else"), None);
/// ```
pub fn sniff(start: &[u8]) -> Option<Format> {
    reader_of(start).map(|reader| reader.format)
}

fn reader_of(start: &[u8]) -> Option<&'static Reader> {
    READERS.iter().find(|reader| (reader.recognises)(start))
}

/// Reads inputs of any formats. Files that belong to one run are put together, whatever their
/// order; a bad input is refused and never stops the others.
///
/// Runs are read in parallel on the caller's thread pool.
///
/// # Errors
/// [`Cancelled`] when `progress` was.
pub fn read(
    inputs: &[Input<'_>],
    symbols: &Symbols,
    progress: &Progress,
) -> Result<Reading, Cancelled> {
    let mut reading = Reading::default();
    let starts: Vec<&[u8]> = inputs
        .iter()
        .map(|input| input.bytes.get(..SNIFF_LEN).unwrap_or(input.bytes))
        .collect();
    for reader in READERS {
        let own: Vec<(usize, Input<'_>)> = (0..)
            .zip(inputs)
            .filter(|(at, _)| sniff(starts[*at]) == Some(reader.format))
            .map(|(at, input)| (at, *input))
            .collect();
        progress.check()?;
        let found = (reader.read)(&own, symbols, progress)?;
        reading.runs.extend(found.runs);
        reading.refused.extend(found.refused);
    }
    for (at, start) in starts.iter().enumerate() {
        if sniff(start).is_none() {
            let known: Vec<&str> = READERS
                .iter()
                .map(|reader| reader.format.as_str())
                .collect();
            let error = Error::Unrecognised {
                len: start.len(),
                known: known.join(", "),
            };
            reading.refused.push((at, error));
        }
    }
    reading.refused.sort_by_key(|(at, _)| *at);
    Ok(reading)
}
