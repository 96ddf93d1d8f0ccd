//! What a reader is, and what it gives.

use sheaf_model::{Cancelled, Progress, Report, RunTables};

use crate::{Error, Format, Input, Symbols};

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
pub struct ReadOutcome {
    /// The runs, in the order in which they started where the format knows.
    pub runs: Vec<Run>,
    /// Positions of inputs that cannot be read, with the reason.
    pub refused: Vec<(usize, Error)>,
}

/// What readers are given besides inputs.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) symbols: &'a Symbols,
    pub(crate) progress: &'a Progress,
}

/// A run's tables with what was met on the way; `meta.id`, `meta.name` and `meta.format` are
/// filled in by the caller.
pub(crate) type Read = (RunTables, Report);

/// Reads one file; most formats give one run, some several.
pub(crate) type ReadFile = fn(&Input<'_>, Context<'_>) -> Result<Vec<Read>, Error>;

/// Reads the files of one folder, each with its position among all inputs, whose sorting into
/// runs is the reader's; runs come with their ids.
pub(crate) type ReadFolder =
    fn(&[(usize, Input<'_>)], Context<'_>) -> Result<ReadOutcome, Cancelled>;

/// How inputs become runs.
#[derive(Clone, Copy)]
pub(crate) enum Reads {
    /// Each file for itself.
    File(ReadFile),
    /// The files of a folder together, though they may be many runs.
    Folder(ReadFolder),
    /// The files of a folder together: they are one database.
    Database(ReadFolder),
}

/// How one format is read.
pub(crate) struct Reader {
    pub(crate) format: Format,
    /// Looks at the first [`SNIFF_LEN`] decompressed bytes.
    pub(crate) recognises: fn(&[u8]) -> bool,
    pub(crate) reads: Reads,
}

/// Checks a run's tables and gives the run its format, id and name: the program with the id's
/// beginning.
pub(crate) fn finish(mut tables: RunTables, format: Format) -> Result<RunTables, Error> {
    tables.validate()?;
    let id = tables.content_id();
    let short: String = id.to_string().chars().take(8).collect();
    let meta = tables.summary.meta_mut();
    format.as_str().clone_into(&mut meta.format);
    meta.id = id;
    meta.name = format!("{}-{short}", meta.program);
    Ok(tables)
}
