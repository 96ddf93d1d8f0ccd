//! Task-stats tables of the MIR runtime, raw, processed and merged.
//!
//! A grain graph in GraphML carries the same columns and becomes a run the same way. Columns that
//! the profiler's tools derive from others are kept as they are stated, not computed.

mod column;
mod columns;
mod definitions;
mod ending;
mod fields;
mod gather;
mod loops;
mod meaning;
mod number;
mod parents;
mod program;
mod read;
mod table;
#[cfg(test)]
mod tests;
mod times;

pub(crate) use meaning::Meaning;
pub(crate) use number::{Number, number};
pub(crate) use parents::place;
pub(crate) use program::{Source, tables};
pub(crate) use table::{NONE, Table};
pub(crate) use times::{fill_in_instants, fill_in_work};

use sheaf_model::Report;

use crate::program_name::named_after;
use crate::reader::{Context, Read, Reader, Reads};
use crate::{Error, Format, Input};

/// Task-stats tables.
pub(crate) const READER: Reader = Reader {
    format: Format::Mir,
    recognises: read::recognises,
    reads: Reads::File(read_task_stats),
};

fn read_task_stats(input: &Input<'_>, context: Context<'_>) -> Result<Vec<Read>, Error> {
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
