//! Runs in formats of other tools.

mod attributes;
mod cells;
mod chrome;
pub mod csv;
mod dot;
mod format;
mod grain_rows;
mod graph;
mod graphml;
mod metrics;
mod names;
mod parquet;
mod profile_rows;
mod ranges;
mod run;
#[cfg(test)]
mod tests;
mod xml;

use std::io::{self, Write};

use sheaf_answers::Table;
use sheaf_grains::grain_graph::{Absence, Figure};
use sheaf_model::{Cancelled, Progress, RunMeta, RunTables};

use self::grain_rows::GrainRows;
use self::profile_rows::ProfileRows;
use self::run::Source;
use crate::runs::RunEntry;
use crate::{Error, GraphForm, View, select};

pub use self::csv::csv_text;
pub use self::format::ExportFormat;
pub use self::xml::escape as xml_text;

/// Rows or nodes between two looks at whether to go on.
const STEP: usize = 1 << 12;

impl View<'_> {
    /// Writes a run in a format of other tools, as it is made: memory is bounded by the run's tables and its
    /// graph, not by the output. `form` matters to formats of graphs only.
    ///
    /// # Errors
    /// When the selector names no run or several, the run lacks what the format needs, the store cannot be
    /// read, `out` not written, or the user cancels.
    pub fn export(
        &self,
        selector: &str,
        format: ExportFormat,
        form: GraphForm,
        out: &mut (dyn Write + Send),
    ) -> Result<(), Error> {
        let entries = self.entries();
        let all: Vec<&RunEntry> = entries.iter().collect();
        let run = &select::one(&all, selector)?.meta;
        self.snapshot.check_files(&[run.id])?;
        let tables = self.tables_of(run)?;
        refuse(&tables, format, form)?;
        let written = write(&tables, format, form, &self.progress, out);
        written.map_err(|source| {
            // A stop asked for is no fault of the output.
            if source
                .get_ref()
                .is_some_and(<dyn std::error::Error + Send + Sync>::is::<Cancelled>)
            {
                return Error::Cancelled(Cancelled);
            }
            Error::Export { source }
        })
    }
}

/// Refuses forms that the run lacks data for.
fn refuse(tables: &RunTables, format: ExportFormat, form: GraphForm) -> Result<(), Error> {
    let reason = if format.is_of_grains() && tables.grains.is_empty() {
        Some("it is a call profile, which has no grains; use `csv` or `parquet`".to_owned())
    } else if format.is_graph() {
        let structure = Absence::of(tables, Figure::Structure);
        let unreduced = || match form {
            GraphForm::Reduced => None,
            GraphForm::Unreduced => Absence::of(tables, Figure::Unreduced),
        };
        match (structure, unreduced()) {
            (Some(absence), _) => Some(format!("{}; use `csv`", absence.reason)),
            (None, Some(absence)) => Some(format!("{}; use the reduced form", absence.reason)),
            (None, None) => None,
        }
    } else {
        None
    };
    match reason {
        None => Ok(()),
        Some(reason) => Err(Error::NotExportable {
            run: tables.summary.meta.name.clone(),
            format: format.as_str(),
            reason,
        }),
    }
}

fn write(
    tables: &RunTables,
    format: ExportFormat,
    form: GraphForm,
    progress: &Progress,
    out: &mut (dyn Write + Send),
) -> io::Result<()> {
    let meta = &tables.summary.meta;
    match format {
        ExportFormat::Chrome => chrome::chrome(tables, progress, out),
        ExportFormat::GraphMl => {
            graphml::write(&Source::new(tables, progress)?, form, progress, out)
        }
        ExportFormat::NestedGraphMl => {
            graphml::write_nested(&Source::new(tables, progress)?, progress, out)
        }
        ExportFormat::Dot => dot::write(&Source::new(tables, progress)?, form, progress, out),
        ExportFormat::Csv | ExportFormat::Parquet if tables.grains.is_empty() => {
            let rows = ProfileRows::new(tables);
            write_table(&rows.table(), format, meta, progress, out)
        }
        ExportFormat::Csv | ExportFormat::Parquet => {
            let source = Source::new(tables, progress)?;
            let rows = GrainRows::new(&source)?;
            write_table(&rows.table()?, format, meta, progress, out)
        }
    }
}

fn write_table(
    table: &Table<'_>,
    format: ExportFormat,
    meta: &RunMeta,
    progress: &Progress,
    out: &mut (dyn Write + Send),
) -> io::Result<()> {
    if format == ExportFormat::Parquet {
        return parquet::write(table, meta, out, progress);
    }
    csv::write_checked(table, true, out, |row| {
        check(progress, row, table.num_rows())
    })
}

/// Tells how far it is, and fails when the user cancelled.
fn check(progress: &Progress, done: usize, total: usize) -> io::Result<()> {
    if done.is_multiple_of(STEP) {
        progress.check().map_err(io::Error::other)?;
        progress.report("writing", done as u64, Some(total as u64));
    }
    Ok(())
}
