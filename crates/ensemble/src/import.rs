//! Adding runs: inputs are found, read, checked and published together.

mod content;
mod describe;
mod files;
mod memory;
mod name_pattern;
mod names;
mod open;
mod origin;
mod sidecar;
mod skipped;
mod symbols;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use rayon::prelude::*;
use sheaf_answers::{Add, FileReport, FileStatus, Finding};
use sheaf_ingest::{Format, Symbols};
use sheaf_model::table::GrainKind;
use sheaf_model::{ParamValue, Progress, Report, RunId, RunTables};
use sheaf_store::{Added, CheckedRun, Importer};

use crate::{Ensemble, Error};
use content::{Meter, Metered};
use describe::Description;
use files::{Found, Item, Unit};

pub use content::read_stoppable;
pub use memory::free_memory;
use memory::max_bytes;
pub use name_pattern::NamePattern;
pub use origin::Origin;
pub(crate) use sidecar::quoted;
pub use sidecar::{SIDECAR, Sidecar};
use symbols::FileSystem;
pub use symbols::SymbolFiles;

/// Something to add.
#[derive(Debug, Clone)]
pub enum Input {
    /// A file, or a folder whose recognised files are added.
    Path(PathBuf),
    /// Files that belong to one run: the processes of one launch.
    Bundle {
        /// What the user calls it.
        name: String,
        /// The files.
        files: Vec<PathBuf>,
    },
    /// Content that is not in a file: standard input, an upload.
    Bytes {
        /// What the user calls it.
        name: String,
        /// The content.
        bytes: Vec<u8>,
    },
}

/// What the user says about the runs that are added.
#[derive(Debug, Clone, Default)]
pub struct AddOptions {
    /// Parameters; they win over those that the source recorded.
    pub params: BTreeMap<String, ParamValue>,
    /// Name of the runs, instead of the one that the source suggests.
    pub name: Option<String>,
    /// Elapsed time of the same run without instrumentation.
    pub reference_elapsed_ns: Option<i64>,
    /// Format that named files are read as, whatever they look like; in folders, files of other formats are
    /// skipped.
    pub format: Option<String>,
    /// Patterns that read parameters from names; every other source of parameters but the file
    /// itself wins over them.
    pub params_from: Vec<NamePattern>,
    /// A description besides those that lie beside the inputs, over which it wins.
    pub params_file: Option<Sidecar>,
    /// The program did not end well: its runs are incomplete whatever their files say.
    pub ended_early: bool,
    /// Origin of the inputs.
    pub origin: Origin,
    /// Batch of an import that this one goes on with: `@new` means the runs of both.
    pub continued: Option<String>,
    /// Places where the import may open executables and libraries that traces name; none by default.
    pub symbols: SymbolFiles,
}

/// Outcome for one input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InputReport {
    /// As the user named it.
    pub(crate) path: String,
    /// Recognised format.
    pub(crate) format: Option<String>,
    pub(crate) status: FileStatus,
    pub(crate) runs: Vec<RunId>,
    /// Report of the reader.
    pub(crate) report: Report,
    /// Why it was refused.
    pub(crate) error: Option<String>,
}

impl InputReport {
    fn answer(self) -> FileReport {
        let findings = self.report.findings.into_iter();
        let finding = |finding: sheaf_model::Finding| Finding {
            kind: finding.kind,
            count: finding.count,
            first: finding.first,
        };
        FileReport {
            path: self.path,
            format: self.format,
            status: self.status,
            runs: self.runs.iter().map(ToString::to_string).collect(),
            report: findings.map(finding).collect(),
            error: self.error,
        }
    }
}

impl Ensemble {
    /// Adds inputs; all runs become visible together when the last is read, or none.
    ///
    /// A bad input is refused in its report and does not stop the others. Content that the store
    /// has already is reported as present; of two descriptions of it the store keeps the one that
    /// comes first, field by field, in whichever order they were added. Of all that was not refused the store notes that it is one batch. Runs that were published are reported also when that fails.
    ///
    /// # Errors
    /// When the store cannot be written or `progress` was cancelled; then nothing was added.
    pub fn add(
        &self,
        inputs: &[Input],
        options: &AddOptions,
        progress: &Progress,
    ) -> Result<Add, Error> {
        let format = options.format.as_deref().map(format_named).transpose()?;
        let found = files::find(inputs, format, progress)?;
        let mut found = describe::describe_all(found, options);
        names::assign(&mut found, &options.origin);
        let Found { units, mut reports } = found;
        let symbols = Symbols::new(FileSystem::new(&options.symbols));
        let mut importer = self.store.import()?;
        let meter = Meter::new(progress, units.iter().map(Unit::bytes).sum());
        let free = free_memory();
        for window in windows(units, free) {
            progress.check()?;
            let readers = window.len().min(rayon::current_num_threads()).max(1);
            let memory = free / readers as u64;
            let read: Vec<_> = window
                .into_par_iter()
                .map(|unit| read_unit(unit, &symbols, &options.origin, &meter, memory, progress))
                .collect();
            for unit in read {
                for (place, report) in stage(&mut importer, unit?)? {
                    reports.insert(place, report);
                }
            }
        }
        progress.report("publishing", 0, None);
        importer.publish()?;
        let files: Vec<InputReport> = reports.into_values().collect();
        let mut warnings = Vec::new();
        let batch = match self.note_batch(&files, options.continued.as_deref()) {
            Ok(batch) => batch,
            Err(error) => {
                warnings.push(format!(
                    "the runs are in the store, but `@new` does not mean them: {}",
                    error.chain()
                ));
                None
            }
        };
        Ok(Add {
            schema: "add/1".to_owned(),
            files: files.into_iter().map(InputReport::answer).collect(),
            batch,
            warnings,
        })
    }
}

/// The format with a name; fails for one that no reader has.
fn format_named(name: &str) -> Result<Format, Error> {
    let read = || Format::ALL.iter().filter(|format| format.is_read());
    let found = read().find(|format| format.as_str() == name).copied();
    found.ok_or_else(|| {
        let known: Vec<&str> = read().map(|format| format.as_str()).collect();
        Error::UnknownFormat {
            format: name.to_owned(),
            known: known.join(", "),
        }
    })
}

/// Units are read in parallel as long as they are not more than this.
const WINDOW_UNITS: usize = 64;

/// Bytes of files after which a window has enough, once every thread has something to do.
const WINDOW_BYTES: u64 = 32 << 20;

/// Parts the units into windows that are read in parallel, one after the other: memory is bounded
/// by a window. A unit that needs more than a thread's share of the `free` memory is read alone. Runs are staged in the
/// order of the units, whatever the windows are.
fn windows(units: Vec<Unit>, free: u64) -> Vec<Vec<Unit>> {
    let threads = rayon::current_num_threads();
    let mut windows: Vec<Vec<Unit>> = Vec::new();
    let mut bytes = u64::MAX;
    let mut was_alone = false;
    for unit in units {
        let is_alone = unit.memory() > free / threads as u64;
        let is_full = windows.last().is_none_or(|window| {
            window.len() >= WINDOW_UNITS || (bytes >= WINDOW_BYTES && window.len() >= threads)
        });
        let is_full = is_full || is_alone || was_alone;
        was_alone = is_alone;
        if is_full {
            windows.push(Vec::new());
            bytes = 0;
        }
        bytes = bytes.saturating_add(unit.bytes());
        if let Some(window) = windows.last_mut() {
            window.push(unit);
        }
    }
    windows
}

/// What was read of a unit.
struct ReadUnit {
    /// Name, place and what was met before reading, by position.
    items: Vec<Item>,
    runs: Vec<ReadRun>,
    refused: Vec<(usize, Option<Format>, String)>,
}

/// A run that was read, and whether its tables hold.
struct ReadRun {
    inputs: Vec<usize>,
    format: Format,
    report: Report,
    checked: Result<CheckedRun, sheaf_store::Error>,
}

fn read_unit(
    unit: Unit,
    symbols: &Symbols,
    origin: &Origin,
    meter: &Meter,
    memory: u64,
    progress: &Progress,
) -> Result<ReadUnit, Error> {
    let contents: Vec<Metered<'_>> = unit
        .items
        .iter()
        .map(|item| Metered::new(&item.source, meter, max_bytes(item.format, memory)))
        .collect();
    let inputs: Vec<_> = unit
        .items
        .iter()
        .zip(&contents)
        .map(|(item, content)| sheaf_ingest::Input {
            name: &item.name,
            content,
            hints: &item.description.hints,
            format: item.format,
        })
        .collect();
    let reading = sheaf_ingest::read(&inputs, symbols, progress)?;
    drop(inputs);
    contents.iter().for_each(Metered::finish);
    drop(contents);
    let refused = reading.refused.into_iter().map(|(at, error)| {
        let item = unit.items.get(at);
        let format = item.and_then(|item| item.format);
        let mut reason = chain(&error);
        if let Some(other) = item.and_then(|item| item.looks_like) {
            let _ = write!(reason, "; the file looks like `{}`", other.as_str());
        }
        (at, format, reason)
    });
    let refused = refused.collect();
    let repeated = names::repeated(&reading.runs, &unit.items);
    let runs = reading
        .runs
        .into_par_iter()
        .map(|run| {
            let first = run.inputs.first().and_then(|&at| unit.items.get(at));
            let description = first.map(|item| &item.description);
            let mut report = run.report;
            if let Some(description) = description {
                description.report_replaced(&run.tables.summary.meta, &mut report);
            }
            let mut tables = run.tables;
            let meta = tables.summary.meta_mut();
            meta.source = Some(origin.source_of(&unit.items, &run.inputs));
            if let Some(names) = first.map(|item| &item.names) {
                names.rename(meta, &repeated);
            }
            let described = finish(tables, description);
            ReadRun {
                inputs: run.inputs,
                format: run.format,
                report,
                checked: CheckedRun::identified(described),
            }
        })
        .collect();
    Ok(ReadUnit {
        items: unit.items,
        runs,
        refused,
    })
}

/// Stages what was read; returns a report for each input, by its place.
fn stage(importer: &mut Importer, unit: ReadUnit) -> Result<Vec<(usize, InputReport)>, Error> {
    let mut reports = Vec::new();
    for (at, format, reason) in unit.refused {
        if let Some(item) = unit.items.get(at) {
            let format = format.map(|format| format.as_str().to_owned());
            let mut report = refused(&item.reported_as, format, reason);
            report.report.merge(&item.found);
            reports.push((item.place, report));
        }
    }
    for run in unit.runs {
        let format = run.format.as_str();
        let mut lost = Vec::new();
        let status = match run
            .checked
            .inspect(|run| lost = importer.lost_parameters(run))
        {
            Ok(checked) => Ok(importer.add_checked(checked).map(status_of)?),
            Err(error) => Err(chain(&error)),
        };
        for item in run.inputs.iter().filter_map(|&at| unit.items.get(at)) {
            let mut report = match &status {
                Ok(status) => {
                    let mut report = accepted(&item.reported_as, format, *status, &run.report);
                    if status.0 == FileStatus::Present {
                        // One run has one value of each parameter, whatever other copies of it state.
                        let first = || lost.first().cloned();
                        let kind = "skipped_parameters_of_present_runs";
                        report.report.add(kind, lost.len() as u64, first);
                    }
                    report
                }
                Err(reason) => refused(&item.reported_as, Some(format.into()), reason.clone()),
            };
            report.report.merge(&item.found);
            reports.push((item.place, report));
        }
    }
    Ok(merge_places(reports))
}

/// Files of a bundle or a database, and runs of one file, have one place: their reports become one.
fn merge_places(reports: Vec<(usize, InputReport)>) -> Vec<(usize, InputReport)> {
    let mut merged: BTreeMap<usize, InputReport> = BTreeMap::new();
    for (place, report) in reports {
        match merged.entry(place) {
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert(report);
            }
            std::collections::btree_map::Entry::Occupied(mut entry) => {
                merge(entry.get_mut(), report);
            }
        }
    }
    merged.into_iter().collect()
}

/// A bundle is as good as its best file; what is wrong with the others stays in its report.
fn merge(into: &mut InputReport, other: InputReport) {
    if into.status == FileStatus::Refused && other.status != FileStatus::Refused {
        into.status = other.status;
        into.format = other.format;
    }
    for run in other.runs {
        if !into.runs.contains(&run) {
            into.runs.push(run);
            into.report.merge(&other.report);
        }
    }
    if let Some(error) = other.error {
        into.error.get_or_insert(error);
    }
}

/// Counts a run's grains and puts what the user says into its metadata.
fn finish(mut tables: RunTables, description: Option<&Description>) -> RunTables {
    let is_grain = |kind: &i32| GrainKind::from_code(*kind).is_some_and(GrainKind::is_grain);
    let grains = tables
        .grains
        .kind
        .values()
        .iter()
        .filter(|kind| is_grain(kind))
        .count();
    let meta = tables.summary.meta_mut();
    meta.grains = i64::try_from(grains).unwrap_or(i64::MAX);
    let was_complete = meta.is_complete;
    if let Some(description) = description {
        description.apply(meta);
    }
    if meta.is_complete != was_complete {
        // The end of a run is part of its content.
        let id = tables.content_id();
        let meta = tables.summary.meta_mut();
        let short = |id: RunId| id.to_string().chars().take(8).collect::<String>();
        if let Some(stem) = meta.name.strip_suffix(&short(meta.id)) {
            meta.name = format!("{stem}{}", short(id));
        }
        meta.id = id;
    }
    tables
}

fn status_of(added: Added) -> (FileStatus, RunId) {
    match added {
        Added::New(run) => (FileStatus::Added, run),
        Added::Present(run) => (FileStatus::Present, run),
    }
}

fn accepted(
    name: &str,
    format: &str,
    (status, run): (FileStatus, RunId),
    report: &Report,
) -> InputReport {
    InputReport {
        path: name.to_owned(),
        format: Some(format.to_owned()),
        status,
        runs: vec![run],
        report: report.clone(),
        error: None,
    }
}

pub(crate) fn refused(name: &str, format: Option<String>, error: String) -> InputReport {
    InputReport {
        path: name.to_owned(),
        format,
        status: FileStatus::Refused,
        runs: Vec::new(),
        report: Report::default(),
        error: Some(error),
    }
}

/// An error's message with those of its sources.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}
