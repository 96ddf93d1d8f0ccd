//! Verification: whether every file has the published content, and every run the content of its id.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use sheaf_model::{Progress, RunId};

use crate::disk::Place;
use crate::layout::{Layout, MANIFEST, TABLE_COUNT, file_name, is_segment_name};
use crate::listing::{self, Listing, Live};
use crate::run_tables::from_batches;
use crate::segment::{Checks, Segment};
use crate::{Error, Snapshot, Store, StoredRun, disk, lease, log, remove};

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
    /// Leftovers of dead imports; harmless, and removed by a compaction.
    pub leftovers: Vec<PathBuf>,
    /// What is in the store's folders and is not the store's; nothing touches it.
    pub foreign: Vec<PathBuf>,
    /// Where a repair has put damaged segments.
    pub set_aside: Vec<PathBuf>,
}

/// One damaged file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Damage {
    /// Name of the segment; empty for what is in none.
    pub segment: String,
    /// The file at fault within the segment, or within the store.
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
    foreign: Vec<PathBuf>,
}

pub(crate) fn verify(store: &Store, progress: &Progress) -> Result<Verification, Error> {
    let layout = store.layout();
    let (listing, live, mut damaged) = check_log(layout)?;
    let total = live.segments.len() as u64;
    let done = AtomicU64::new(0);
    let found: Vec<Option<Finding>> = live
        .segments
        .par_iter()
        .map(|name| {
            let finding = verify_segment(layout, name, &live, progress)?;
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress.report("verify", done, Some(total));
            Ok(finding)
        })
        .collect::<Result<_, Error>>()?;
    let remains = lease::remains(layout)?;
    let mut result = Verification {
        leftovers: remains.leftovers.iter().map(Place::path).collect(),
        foreign: remains.foreign.iter().map(Place::path).collect(),
        ..Verification::default()
    };
    let mut runs = BTreeSet::new();
    for (name, finding) in live.segments.iter().zip(found) {
        let Some(finding) = finding else { continue };
        result.segments += 1;
        damaged.extend(finding.damaged);
        result.foreign.extend(finding.foreign);
        let is_live = |run: &RunId| !live.tombstones.contains(&(*run, name.clone()));
        runs.extend(finding.runs.into_iter().filter(is_live));
    }
    result.runs = runs.len();
    result.foreign.extend(foreign_segments(layout)?);
    let retired = listing.segments.iter();
    let retired = retired.filter(|name| live.segments.binary_search(name).is_err());
    let retired = retired.map(|name| layout.segment(name).path());
    result.leftovers.extend(retired);
    result.foreign.sort_unstable();
    result.leftovers.sort_unstable();
    damaged.sort_unstable();
    result.damaged = damaged;
    Ok(result)
}

/// The entries that the log lists, and which of them are missing.
fn check_log(layout: &Layout) -> Result<(Listing, Live, Vec<Damage>), Error> {
    loop {
        let listing = Listing::read(layout)?;
        let (state, mut damaged) = match listing::state(layout, &listing, &mut log::Entries::new())
        {
            Ok(Some(state)) => (state, Vec::new()),
            Ok(None) => continue,
            Err(Error::Log { entry, reason }) => {
                let damage = Damage {
                    segment: String::new(),
                    file: entry,
                    reason,
                };
                (log::State::default(), vec![damage])
            }
            Err(error) => return Err(error),
        };
        for error in listing::lost(layout, &listing, &state) {
            if let Error::Lost { what, path } = error {
                damaged.push(Damage {
                    segment: String::new(),
                    file: below_root(layout, &path),
                    reason: format!("{what} is missing, though the log lists it"),
                });
            }
        }
        let live = listing::live_of(&listing, &state);
        damaged.extend(changed_tombstones(layout, &live)?);
        return Ok((listing, live, damaged));
    }
}

/// Tombstones whose content is not what their name states. The name decides, so they still count.
fn changed_tombstones(layout: &Layout, live: &Live) -> Result<Vec<Damage>, Error> {
    let mut damaged = Vec::new();
    for tombstone in &live.tombstones {
        let place = layout.tombstone(tombstone);
        let reason = match disk::read(&place) {
            Ok(Some(content)) if content == remove::content(tombstone)? => continue,
            Ok(Some(_)) => "its content is not what its name states".to_owned(),
            // A compaction has removed it since the listing.
            Ok(None) => continue,
            Err(Error::Io { source, .. }) => format!("it cannot be read ({source})"),
            Err(error) => return Err(error),
        };
        damaged.push(Damage {
            segment: String::new(),
            file: below_root(layout, &place.path()),
            reason,
        });
    }
    Ok(damaged)
}

fn below_root(layout: &Layout, path: &Path) -> String {
    let below = path.strip_prefix(layout.root().path());
    below.unwrap_or(path).display().to_string()
}

/// What is among the segments and cannot be one.
pub(crate) fn foreign_segments(layout: &Layout) -> Result<Vec<PathBuf>, Error> {
    let mut foreign = Vec::new();
    for name in disk::names(&layout.segments())? {
        let place = layout.segment(&name);
        let is_segment = is_segment_name(&name) && place.is_folder();
        if !(is_segment && has_segment_files(&place)?) && place.exists() {
            foreign.push(place.path());
        }
    }
    Ok(foreign)
}

fn has_segment_files(folder: &Place) -> Result<bool, Error> {
    let names = disk::names(folder)?;
    Ok(names.iter().any(|name| lease::is_segment_file(name)))
}

/// A segment without manifest: damage when it was published or holds tables.
fn without_manifest(layout: &Layout, name: &str, live: &Live) -> Result<Option<Finding>, Error> {
    if !live.logged.contains(name) && !has_segment_files(&layout.segment(name))? {
        return Ok(None);
    }
    let damage = Damage {
        segment: name.to_owned(),
        file: MANIFEST.to_owned(),
        reason: "its manifest is missing".to_owned(),
    };
    Ok(Some(Finding {
        damaged: vec![damage],
        ..Finding::default()
    }))
}

/// Checks a segment; `None` when it vanished meanwhile or is none.
fn verify_segment(
    layout: &Layout,
    name: &str,
    live: &Live,
    progress: &Progress,
) -> Result<Option<Finding>, Error> {
    let mut finding = Finding::default();
    let segment = match Segment::open(layout, name, Checks::WhenAsked) {
        Ok(Some(segment)) => Arc::new(segment),
        Ok(None) if layout.segment(name).exists() => return without_manifest(layout, name, live),
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
        match segment.check_file(entry) {
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
    finding.foreign = unknown_files(&segment)?;
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
        .map(|name| segment.folder().join(&name).path())
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
            let checked = from_batches(Arc::clone(&run.meta), &batches).and_then(|tables| {
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
