//! The table of all readers, and the choice among them.

use std::io::Read as _;

use rayon::prelude::*;
use sheaf_model::{Cancelled, Progress};

use crate::json_start::JsonScan;
use crate::reader::{Context, Read, ReadFile, ReadOutcome, Reader, Reads, Run, finish};
use crate::signature::Guess;
use crate::{
    Error, Format, Input, SNIFF_LEN, Symbols, caliper, chrome, cprofile, dag_recorder, gprof,
    gprof2dot, graphml, hatchet, hpctoolkit3, hpctoolkit4, limits, mir, pyinstrument, signature,
    taskflow, tau, timemory, trace,
};

/// Every reader, asked in this order whether it recognises an input; a new format is one more
/// line, and one more variant of [`Format`].
const READERS: &[Reader] = &[
    trace::READER,
    caliper::READER,
    hpctoolkit3::READER,
    hpctoolkit4::READER,
    dag_recorder::READER,
    taskflow::READER,
    chrome::READER,
    mir::READER,
    caliper::SPLIT_READER,
    gprof::READER,
    hatchet::READER,
    graphml::READER,
    gprof2dot::READER,
    cprofile::READER,
    pyinstrument::READER,
    timemory::READER,
    tau::READER,
];

/// Recognises a format from the first [`SNIFF_LEN`] decompressed bytes of a file; fewer do where
/// the file is shorter.
///
/// ```
/// use sheaf_ingest::{Format, sniff};
/// assert_eq!(sniff(b"GSTRACE\n\x01\0"), Some(Format::Trace));
/// assert_eq!(sniff(b"something else"), None);
/// ```
pub fn sniff(start: &[u8]) -> Option<Format> {
    let mut readers = READERS.iter();
    readers
        .find(|reader| (reader.recognises)(start))
        .map(|reader| reader.format)
}

/// Recognises the format of an input.
///
/// Where the first [`SNIFF_LEN`] bytes do not suffice, JSON texts are read on until their outermost keys
/// do: a graph or a list may come before the keys that distinguish formats.
///
/// # Errors
/// When the input cannot be read or `progress` was cancelled.
pub fn recognise(input: &Input<'_>, progress: &Progress) -> Result<Option<Format>, Error> {
    let start = input.start()?;
    let found = sniff(&start);
    if found.is_some() || start.len() < SNIFF_LEN {
        return Ok(found);
    }
    let Some(mut scan) = JsonScan::of(&start) else {
        return Ok(None);
    };
    let mut text = input.open(progress)?.take(limits::RECOGNISED);
    let mut piece = vec![0; SNIFF_LEN];
    let mut num_keys = 0;
    loop {
        let len = match text.read(&mut piece) {
            Ok(len) => len,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        scan.feed(piece.get(..len).unwrap_or_default());
        if scan.found.keys.len() > num_keys {
            num_keys = scan.found.keys.len();
            let found = sniff(scan.found.skeleton().as_bytes());
            if found.is_some() {
                return Ok(found);
            }
        }
        if len == 0 {
            return Ok(None);
        }
    }
}

/// Guesses the format of an unrecognised input; `None` if nothing fits, or the input is empty or cannot be read.
pub fn guess(input: &Input<'_>) -> Option<Guess> {
    let start = input.start().ok()?;
    let has_bytes = !start.is_empty();
    has_bytes.then(|| guess_from(&start, input)).flatten()
}

/// The same from the first bytes of the decompressed content.
fn guess_from(start: &[u8], input: &Input<'_>) -> Option<Guess> {
    let mut guess = signature::guess(start, input.file_name())?;
    if input.is_compressed() {
        guess.advice = format!("decompress it, then {}", guess.advice);
    }
    Some(guess)
}

/// How the files of a format belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Together {
    /// Each file is read for itself.
    File,
    /// Files of a folder may be of one run: they are read together and reported one by one.
    Folder,
    /// Files of a folder are one database: they are read together and reported as one input.
    Database,
}

impl Format {
    /// Whether there is a reader for it.
    pub fn is_read(self) -> bool {
        reader_of(self).is_some()
    }

    /// The folder that holds a database with files in `folder`: TAU writes a folder for each
    /// metric into it.
    ///
    /// ```
    /// use sheaf_ingest::Format;
    /// assert_eq!(Format::Tau.database_folder("runs/a/MULTI__TIME"), "runs/a");
    /// assert_eq!(Format::Tau.database_folder("runs/a"), "runs/a");
    /// ```
    pub fn database_folder(self, folder: &str) -> &str {
        let (parent, last) = folder
            .rfind(['/', '\\'])
            .and_then(|end| Some((folder.get(..end)?, folder.get(end + 1..)?)))
            .unwrap_or(("", folder));
        let is_metric = self == Self::Tau && last.starts_with("MULTI__");
        if is_metric { parent } else { folder }
    }

    /// How files of this format belong together.
    pub fn together(self) -> Together {
        match reader_of(self).map(|reader| reader.reads) {
            Some(Reads::Folder(_)) => Together::Folder,
            Some(Reads::Database(_)) => Together::Database,
            Some(Reads::File(_)) | None => Together::File,
        }
    }
}

fn reader_of(format: Format) -> Option<&'static Reader> {
    READERS.iter().find(|reader| reader.format == format)
}

/// Reads inputs of any formats, compressed or not. Files that belong to one run are put together,
/// whatever their order; a bad input is refused and never stops the others.
///
/// Runs are read in parallel on the caller's thread pool.
///
/// # Errors
/// [`Cancelled`] when `progress` was.
pub fn read(
    inputs: &[Input<'_>],
    symbols: &Symbols,
    progress: &Progress,
) -> Result<ReadOutcome, Cancelled> {
    let context = Context { symbols, progress };
    let mut reading = ReadOutcome::default();
    let formats: Vec<Result<Format, Error>> = inputs
        .par_iter()
        .map(|input| format_of(input, progress))
        .collect();
    for reader in READERS {
        let own: Vec<(usize, Input<'_>)> = (0..)
            .zip(inputs)
            .filter(
                |(at, _)| matches!(formats.get(*at), Some(Ok(found)) if *found == reader.format),
            )
            .map(|(at, input)| (at, *input))
            .collect();
        progress.check()?;
        if own.is_empty() {
            continue;
        }
        let found = match reader.reads {
            Reads::File(read) => read_files(reader.format, read, &own, context)?,
            Reads::Folder(read) | Reads::Database(read) => read(&own, context)?,
        };
        reading.runs.extend(found.runs);
        reading.refused.extend(found.refused);
    }
    for (at, format) in formats.into_iter().enumerate() {
        if let Err(error) = format {
            reading.refused.push((at, error));
        }
    }
    reading.refused.sort_by_key(|(at, _)| *at);
    Ok(reading)
}

fn format_of(input: &Input<'_>, progress: &Progress) -> Result<Format, Error> {
    if let Some(format) = input.format {
        return Ok(format);
    }
    let found = recognise(input, progress)?;
    let start = input.start()?;
    found.ok_or_else(|| {
        if start.is_empty() {
            return Error::NoBytes;
        }
        if let Some(guess) = guess_from(&start, input) {
            let guess = guess.to_string();
            return Error::OfOtherTool { guess };
        }
        let known: Vec<&str> = READERS
            .iter()
            .map(|reader| reader.format.as_str())
            .collect();
        Error::Unrecognised {
            known: known.join(", "),
        }
    })
}

fn read_files(
    format: Format,
    read: ReadFile,
    inputs: &[(usize, Input<'_>)],
    context: Context<'_>,
) -> Result<ReadOutcome, Cancelled> {
    let results: Vec<_> = inputs
        .par_iter()
        .map(|(at, input)| {
            let runs = read(input, context).and_then(|runs| {
                runs.into_iter()
                    .map(|(tables, report)| Ok((finish(tables, format)?, report)))
                    .collect::<Result<Vec<Read>, Error>>()
            });
            (*at, runs)
        })
        .collect();
    let mut reading = ReadOutcome::default();
    for (at, result) in results {
        match result {
            Ok(runs) if runs.is_empty() => reading.refused.push((at, Error::Empty { format })),
            Ok(runs) => reading
                .runs
                .extend(runs.into_iter().map(|(tables, report)| Run {
                    format,
                    inputs: vec![at],
                    tables,
                    report,
                })),
            Err(Error::Cancelled(cancelled)) => return Err(cancelled),
            Err(error) => reading.refused.push((at, error)),
        }
    }
    Ok(reading)
}
