//! Adding runs: inputs are found, read, checked and published together.

mod files;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sheaf_ingest::{ModuleSource, Symbols};
use sheaf_model::table::GrainKind;
use sheaf_model::{FileReport, FileStatus, ParamValue, Progress, Report, RunId, RunTables};
use sheaf_store::{Added, CheckedRun, Importer};

use crate::{Ensemble, Error};
use files::Batch;

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
    /// Format that every input must have.
    pub format: Option<String>,
}

/// Hands out executables and libraries from the file system of this machine.
struct FileSystem;

impl ModuleSource for FileSystem {
    fn module(&self, path: &str) -> Option<Vec<u8>> {
        // A relative or special path of a hostile trace is nothing that a program was loaded from.
        let path = Path::new(path);
        let is_file = path.is_absolute() && path.metadata().is_ok_and(|data| data.is_file());
        is_file.then(|| std::fs::read(path).ok()).flatten()
    }
}

impl Ensemble {
    /// Adds inputs; all runs become visible together when the last is read, or none.
    ///
    /// A bad input is refused in its report and does not stop the others. Content that the store
    /// has already is reported as present and changes nothing, also not its name or parameters.
    ///
    /// # Errors
    /// When the store cannot be written or `progress` was cancelled; then nothing was added.
    pub fn add(
        &self,
        inputs: &[Input],
        options: &AddOptions,
        progress: &Progress,
    ) -> Result<Vec<FileReport>, Error> {
        let (batches, mut reports) = files::find(inputs, options.format.as_deref());
        let symbols = Symbols::new(FileSystem);
        let mut importer = self.store.import()?;
        let total = batches.iter().map(|batch| batch.len() as u64).sum();
        let mut done = 0;
        for batch in batches {
            progress.report("reading", done, Some(total));
            progress.check()?;
            done += batch.len() as u64;
            for (place, report) in add_batch(&mut importer, &batch, options, &symbols, progress)? {
                reports.insert(place, report);
            }
        }
        progress.report("publishing", done, Some(total));
        importer.publish()?;
        Ok(reports.into_values().collect())
    }
}

/// Reads and stages the inputs of one batch; returns a report for each, by its place.
fn add_batch(
    importer: &mut Importer,
    batch: &Batch,
    options: &AddOptions,
    symbols: &Symbols,
    progress: &Progress,
) -> Result<Vec<(usize, FileReport)>, Error> {
    let (contents, mut reports) = batch.read();
    let inputs: Vec<_> = contents
        .iter()
        .map(|content| sheaf_ingest::Input {
            name: &content.name,
            bytes: &content.bytes,
        })
        .collect();
    let reading = sheaf_ingest::read(&inputs, symbols, progress)?;
    for (at, error) in reading.refused {
        let Some(content) = contents.get(at) else {
            continue;
        };
        let format = sheaf_ingest::sniff(&content.bytes).map(|format| format.as_str().to_owned());
        reports.push((content.place, refused(&content.name, format, chain(&error))));
    }
    let checked: Vec<_> = reading
        .runs
        .into_par_iter()
        .map(|run| {
            (
                run.inputs,
                run.format,
                run.report,
                CheckedRun::new(describe(run.tables, options)),
            )
        })
        .collect();
    for (inputs, format, report, checked) in checked {
        let format = format.as_str();
        let status = match checked {
            Ok(checked) => importer.add_checked(checked).map(status_of)?,
            Err(error) => {
                for content in inputs.iter().filter_map(|&at| contents.get(at)) {
                    let reason = chain(&error);
                    reports.push((
                        content.place,
                        refused(&content.name, Some(format.into()), reason),
                    ));
                }
                continue;
            }
        };
        for content in inputs.iter().filter_map(|&at| contents.get(at)) {
            reports.push((
                content.place,
                accepted(&content.name, format, status, &report),
            ));
        }
    }
    Ok(merge_places(reports))
}

/// A bundle's files have one place: their reports become one.
fn merge_places(reports: Vec<(usize, FileReport)>) -> Vec<(usize, FileReport)> {
    let mut merged: BTreeMap<usize, FileReport> = BTreeMap::new();
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
fn merge(into: &mut FileReport, other: FileReport) {
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

/// Puts what the user says into a run's metadata.
fn describe(mut tables: RunTables, options: &AddOptions) -> RunTables {
    let is_grain = |kind: &i32| GrainKind::from_code(*kind).is_some_and(GrainKind::is_grain);
    let grains = tables
        .grains
        .kind
        .values()
        .iter()
        .filter(|kind| is_grain(kind))
        .count();
    let meta = &mut tables.summary.meta;
    meta.grains = i64::try_from(grains).unwrap_or(i64::MAX);
    meta.params.extend(
        options
            .params
            .iter()
            .map(|(key, value)| (key.clone(), value.clone())),
    );
    if let Some(name) = &options.name {
        meta.name.clone_from(name);
    }
    if options.reference_elapsed_ns.is_some() {
        meta.reference_elapsed_ns = options.reference_elapsed_ns;
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
) -> FileReport {
    FileReport {
        path: name.to_owned(),
        format: Some(format.to_owned()),
        status,
        runs: vec![run],
        report: report.clone(),
        error: None,
    }
}

pub(crate) fn refused(name: &str, format: Option<String>, error: String) -> FileReport {
    FileReport {
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
