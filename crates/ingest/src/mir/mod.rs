//! Task-stats tables of the MIR runtime, raw, processed and merged.
//!
//! [`Table::read`] gives the columns, [`derived`] what follows from them. A grain graph in GraphML
//! carries the same columns and becomes a run the same way.

mod check;
mod column;
mod columns;
mod definitions;
pub mod derived;
mod fields;
mod gather;
mod meaning;
mod number;
mod parents;
mod program;
mod read;
mod table;
#[cfg(test)]
mod tests;

pub use column::{Floats, Integers, Numbers};
pub use table::{Role, Table, Tag};

pub(crate) use check::{instants, work};
pub(crate) use meaning::Meaning;
pub(crate) use number::{Number, number};
pub(crate) use parents::place;
pub(crate) use program::{Source, tables};
pub(crate) use table::NONE;

use sheaf_model::{Progress, Report};

use crate::program_name::named_after;
use crate::reader::{Context, Read, Reader, Reads};
use crate::{Error, Format, Input};

/// Task-stats tables.
pub(crate) const READER: Reader = Reader {
    format: Format::Mir,
    recognises: read::recognises,
    reads: Reads::File(read_file),
};

fn read_file(input: &Input<'_>, context: Context<'_>) -> Result<Vec<Read>, Error> {
    let mut report = Report::default();
    let found = read::read(input.open(context.progress)?, &mut report)?;
    let meta = named_after(input.file_name(), Format::Mir);
    let source = Source {
        table: &found.table,
        displaced: &found.displaced,
        order: &[],
        format: Format::Mir,
    };
    let tables = tables(&source, meta, input.hints, &mut report)?;
    Ok(vec![(tables, report)])
}

impl Table {
    /// Reads a table, with what was skipped and repaired on the way.
    ///
    /// # Errors
    /// When it cannot be read, has no structure, or no row can be used.
    pub fn read(input: &Input<'_>, progress: &Progress) -> Result<(Self, Report), Error> {
        let mut report = Report::default();
        let found = read::read(input.open(progress)?, &mut report)?;
        Ok((found.table, report))
    }
}
