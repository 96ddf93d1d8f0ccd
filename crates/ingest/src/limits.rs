//! The bounds of what is read: one place for all readers.
//!
//! `docs/formats/limits.md` lists them by format. What is larger is refused with [`Error::TooLarge`] or
//! [`Error::TooLong`], which name the bound.

use std::time::Duration;

use crate::{Error, Format};

/// Most bytes of one input that are taken into memory as a whole, of formats with large files.
pub(crate) const LARGE: u64 = 8 << 30;

/// The same, of formats whose values are all in memory while they are read.
const MEDIUM: u64 = 256 << 20;

/// The same, of texts that people could read.
const SMALL: u64 = 128 << 20;

/// Most bytes of a stream that is never in memory as a whole.
pub(crate) const STREAM: u64 = 1 << 40;

/// Most bytes of a JSON text that are looked at to recognise it.
pub(crate) const RECOGNISED: u64 = 1 << 30;

/// Decompressed bytes up to which the ratio is not looked at.
pub(crate) const FREE_BYTES: u64 = 64 << 20;

/// Most decompressed bytes per compressed byte beyond [`FREE_BYTES`].
pub(crate) const MAX_RATIO: u64 = 200;

/// Most bytes of one line, of one row of a table, of one element with its attributes, and of the
/// attributes of one node.
pub(crate) const RECORD: u64 = 16 << 20;

/// Most bytes of one line of a text that people could read, and of one label or text in it.
pub(crate) const LINE: usize = 16 << 20;

/// Most bytes of a text in a JSON or Python value, and in marshalled data.
pub(crate) const TEXT: usize = 16 << 20;

/// Most values of a JSON or Python value: they are all in memory.
pub(crate) const VALUES: usize = 16 << 20;

/// Most values of marshalled data, which take more memory each.
pub(crate) const MARSHALLED_VALUES: usize = 16 << 20;

/// Most columns of a table, and keys of a graph.
pub(crate) const COLUMNS: usize = 4096;

/// Most attributes of one node.
pub(crate) const ATTRIBUTES: usize = 1 << 16;

/// Most elements that are open at the same place.
pub(crate) const DEPTH: u64 = 4 << 20;

/// Cells of a table that may be absent before others of their column, whatever the rows.
pub(crate) const FREE_PADDING: usize = 1 << 26;

/// The same, for each row.
pub(crate) const PADDING_PER_ROW: usize = 64;

/// Most bytes of one input of a format that are taken into memory as a whole.
pub(crate) const fn whole(format: Format) -> u64 {
    match format {
        Format::Gprof | Format::Gprof2Dot | Format::Tau => SMALL,
        Format::CaliperJson
        | Format::CProfile
        | Format::Hatchet
        | Format::PyInstrument
        | Format::Timemory => MEDIUM,
        _ => LARGE,
    }
}

/// Makes room for one more value, which begins at a byte of the file. The room doubles, but not
/// beyond the limit, where it would never be used.
pub(crate) fn make_room<T>(values: &mut Vec<T>, limit: usize, byte: usize) -> Result<(), Error> {
    let len = values.len();
    if len >= limit {
        return Err(Error::TooLong {
            what: "the file",
            limit: limit as u64,
            unit: "values",
            at: format!("byte {byte}"),
        });
    }
    if len == values.capacity() {
        values.reserve_exact(len.max(1024).min(limit - len));
    }
    Ok(())
}

/// Refuses a text with a line that is too long.
pub(crate) fn check_lines(text: &[u8]) -> Result<(), Error> {
    let mut start = 0;
    for (number, end) in (1_u64..).zip(memchr::memchr_iter(b'\n', text).chain([text.len()])) {
        check_len("a line", end.saturating_sub(start), LINE, || {
            format!("line {number}")
        })?;
        start = end + 1;
    }
    Ok(())
}

/// Refuses what has more than `limit` bytes.
pub(crate) fn check_len(
    what: &'static str,
    len: usize,
    limit: usize,
    at: impl FnOnce() -> String,
) -> Result<(), Error> {
    if len <= limit {
        return Ok(());
    }
    Err(Error::TooLong {
        what,
        limit: limit as u64,
        unit: "bytes",
        at: at(),
    })
}

/// Largest file that symbols are taken from, in bytes.
pub(crate) const MODULE_FILE: u64 = 8 << 30;

/// Most bytes of one module that are read: its tables, its code and its debug information.
pub(crate) const MODULE_BYTES: u64 = 1 << 30;

/// Most bytes that all modules of one import have read together.
pub(crate) const ALL_MODULES_BYTES: u64 = 4 << 30;

/// Most bytes of the table of sections of a module.
pub(crate) const MODULE_SECTION_TABLE: u64 = 64 << 20;

/// Most bytes that the names of a module's symbols and functions take.
pub(crate) const MODULE_NAMES: usize = 512 << 20;

/// Longest name of a symbol, in bytes; longer ones are left out.
pub(crate) const MODULE_NAME: u64 = 16 << 10;

/// Longest time for reading one module.
pub(crate) const MODULE_TIME: Duration = Duration::from_secs(20);
