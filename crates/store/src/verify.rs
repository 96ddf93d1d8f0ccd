//! Verification: does every file hold what was published, and every run what its id says?

use std::collections::BTreeSet;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use sheaf_model::{Progress, RunId};

use crate::layout::{Layout, MANIFEST, TABLE_COUNT, file_name, is_segment_name, short_hash};
use crate::lease;
use crate::manifest::FileEntry;
use crate::run_tables::from_batches;
use crate::segment::Segment;
use crate::{Error, Snapshot, Store, StoredRun, disk};

/// Rows that are read at a time, unless one run has more.
const ROWS_AT_A_TIME: u64 = 1 << 19;

/// What was found in a store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verification {
    /// Runs that can be listed, each once.
    pub runs: usize,
    /// Segments that were checked.
    pub segments: usize,
    /// What is wrong, by segment and file.
    pub damaged: Vec<Damage>,
    /// What dead imports or other programs left behind; harmless.
    pub leftovers: Vec<PathBuf>,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Damage {
    /// Name of the segment.
    pub segment: String,
    /// The file at fault within the segment.
    pub file: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Verification {
    /// Whether nothing is damaged.
    pub fn is_ok(&self) -> bool {
        self.damaged.is_empty()
    }
}

/// What one segment gave.
#[derive(Default)]
struct Finding {
    runs: Vec<RunId>,
    damaged: Vec<Damage>,
    leftovers: Vec<PathBuf>,
}

pub(crate) fn verify(store: &Store, progress: &Progress) -> Result<Verification, Error> {
    let layout = store.layout();
    let listing = store.listing()?;
    let total = listing.segments.len() as u64;
    let done = AtomicU64::new(0);
    let found: Vec<Option<Finding>> = listing
        .segments
        .par_iter()
        .map(|name| {
            let finding = verify_segment(layout, name, progress)?;
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress.report("verify", done, Some(total));
            Ok(finding)
        })
        .collect::<Result<_, Error>>()?;
    let mut result = Verification {
        leftovers: lease::leftovers(layout)?,
        ..Verification::default()
    };
    let mut runs = BTreeSet::new();
    for (name, finding) in listing.segments.iter().zip(found) {
        let Some(finding) = finding else { continue };
        result.segments += 1;
        result.damaged.extend(finding.damaged);
        result.leftovers.extend(finding.leftovers);
        let live = finding.runs.into_iter();
        runs.extend(live.filter(|run| !listing.tombstones.contains(&(*run, name.clone()))));
    }
    result.runs = runs.len();
    result.leftovers.extend(strange_segments(layout)?);
    result.leftovers.sort_unstable();
    result.damaged.sort_unstable();
    Ok(result)
}

/// What is among the segments but is none, such as a folder without manifest.
pub(crate) fn strange_segments(layout: &Layout) -> Result<Vec<PathBuf>, Error> {
    let mut strange = Vec::new();
    for name in disk::names(&layout.segments())? {
        let path = layout.segment(&name);
        let is_segment = is_segment_name(&name) && path.join(MANIFEST).exists();
        if !is_segment && path.exists() {
            strange.push(path);
        }
    }
    Ok(strange)
}

/// Compares a file with its checksum.
pub(crate) fn check_file(segment: &Segment, entry: &FileEntry) -> Result<(), Error> {
    let name = file_name(&entry.table);
    let path = segment.folder().join(&name);
    let damaged = |reason: String| Error::damaged(segment.name(), &name, reason);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => {
            if segment.is_present() {
                return Err(damaged("a file is missing".to_owned()));
            }
            let segment = segment.name().to_owned();
            return Err(Error::Changed { segment });
        }
        Err(source) => return Err(Error::io("open the file", &path, source)),
    };
    let mut hasher = blake3::Hasher::new();
    hasher
        .update_reader(file)
        .map_err(|source| Error::io("read the file", &path, source))?;
    if hasher.count() != entry.bytes {
        let found = hasher.count();
        return Err(damaged(format!(
            "it has `{found}` bytes instead of `{}`",
            entry.bytes
        )));
    }
    if short_hash(&hasher.finalize()) != entry.blake3 {
        return Err(damaged("its checksum is not the published one".to_owned()));
    }
    Ok(())
}

/// Checks a segment; `None` when it vanished meanwhile or is none.
fn verify_segment(
    layout: &Layout,
    name: &str,
    progress: &Progress,
) -> Result<Option<Finding>, Error> {
    let mut finding = Finding::default();
    let segment = match Segment::open(layout, name) {
        Ok(Some(segment)) => Arc::new(segment),
        Ok(None) => return Ok(None),
        Err(
            error @ (Error::Damaged { .. }
            | Error::NewerVersion { .. }
            | Error::OlderVersion { .. }),
        ) => {
            finding.damaged.push(damage(name, MANIFEST, error));
            return Ok(Some(finding));
        }
        Err(error) => return Err(error),
    };
    finding.runs = segment.runs().iter().map(|(meta, _)| meta.id).collect();
    for entry in segment.files() {
        progress.check()?;
        match check_file(&segment, entry) {
            Ok(()) => {}
            Err(Error::Changed { .. }) => return Ok(None),
            Err(error @ Error::Damaged { .. }) => {
                finding
                    .damaged
                    .push(damage(name, &file_name(&entry.table), error));
            }
            Err(error) => return Err(error),
        }
    }
    finding.leftovers = unknown_files(&segment)?;
    if finding.damaged.is_empty() {
        match verify_runs(&segment, progress) {
            Err(Error::Changed { .. }) => return Ok(None),
            other => finding.damaged = other?,
        }
    }
    Ok(Some(finding))
}

fn unknown_files(segment: &Segment) -> Result<Vec<PathBuf>, Error> {
    let mut known: BTreeSet<String> = segment
        .files()
        .iter()
        .map(|file| file_name(&file.table))
        .collect();
    known.insert(MANIFEST.to_owned());
    let names = disk::names(segment.folder())?;
    Ok(names
        .into_iter()
        .filter(|name| !known.contains(name))
        .map(|name| segment.folder().join(name))
        .collect())
}

fn verify_runs(segment: &Arc<Segment>, progress: &Progress) -> Result<Vec<Damage>, Error> {
    let alone = Snapshot::new(vec![Arc::clone(segment)], &BTreeSet::new());
    let mut damaged = Vec::new();
    for indices in portions(alone.runs()) {
        progress.check()?;
        let read = match alone.read_runs(&indices, TABLE_COUNT) {
            Err(Error::Damaged { file, reason, .. }) => {
                let segment = segment.name().to_owned();
                damaged.push(Damage {
                    segment,
                    file,
                    reason,
                });
                continue;
            }
            other => other?,
        };
        for (index, batches) in indices.iter().zip(read) {
            let Some(run) = alone.runs().get(*index) else {
                continue;
            };
            let checked = from_batches(run.meta.clone(), &batches).and_then(|tables| {
                tables.validate()?;
                Ok(tables.content_id())
            });
            let reason = match checked {
                Ok(id) if id == run.meta.id => continue,
                Ok(id) => format!("the content of run `{}` has id `{id}`", run.meta.id),
                Err(error) => format!("run `{}`: {error}", run.meta.id),
            };
            damaged.push(Damage {
                segment: segment.name().to_owned(),
                file: MANIFEST.to_owned(),
                reason,
            });
        }
    }
    Ok(damaged)
}

/// Places of neighbouring runs that are read together.
fn portions(runs: &[StoredRun]) -> Vec<Vec<usize>> {
    let mut portions = Vec::new();
    let mut portion = Vec::new();
    let mut rows = 0;
    for (index, run) in runs.iter().enumerate() {
        let more: u64 = run.table_rows().iter().sum();
        if rows + more > ROWS_AT_A_TIME && !portion.is_empty() {
            portions.push(std::mem::take(&mut portion));
            rows = 0;
        }
        portion.push(index);
        rows += more;
    }
    if !portion.is_empty() {
        portions.push(portion);
    }
    portions
}

fn damage(segment: &str, file: &str, error: Error) -> Damage {
    let reason = match error {
        Error::Damaged { reason, .. } => reason,
        other => other.to_string(),
    };
    Damage {
        segment: segment.to_owned(),
        file: file.to_owned(),
        reason,
    }
}
