//! From what the user named to what is read together: folders are walked, files recognised and
//! put together where their format says so.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sheaf_ingest::{Format, Guess, Hints, Together, guess, recognise};
use sheaf_model::{Cancelled, Progress, Report};

use super::content::Source;
use super::describe::Description;
use super::memory;
use super::names::Names;
use super::sidecar::SIDECAR;
use super::skipped::SkippedFiles;
use super::{Input, refused};

/// Folders below a named folder are walked to this depth; deeper ones and links are reported.
const MAX_DEPTH: usize = 32;

/// Inputs that are read together because they may belong to one run.
#[derive(Default)]
pub(super) struct Unit {
    pub(super) items: Vec<Item>,
}

impl Unit {
    /// Bytes of its files.
    pub(super) fn bytes(&self) -> u64 {
        self.items.iter().map(|item| item.source.len()).sum()
    }

    /// Memory that reading it takes about, if its files are not compressed.
    pub(super) fn memory(&self) -> u64 {
        let items = self.items.iter();
        let needed = items.map(|item| memory::needed(item.format, item.source.len()));
        needed.fold(0, u64::saturating_add)
    }
}

/// One file or other content.
pub(super) struct Item {
    /// Place of its report.
    pub(super) place: usize,
    /// Name in the report: the folder's for members of a database.
    pub(super) reported_as: String,
    /// As the user named it, or its path below the folder that the user named.
    pub(super) name: String,
    pub(super) source: Source,
    pub(super) format: Option<Format>,
    /// Format that it was recognised as, if the user asked for another.
    pub(super) looks_like: Option<Format>,
    /// The folder that the user named, when it was found in one.
    pub(super) root: Option<PathBuf>,
    /// Its names within the import.
    pub(super) names: Names,
    /// What the user says of it.
    pub(super) description: Description,
    /// What was met when it was looked for.
    pub(super) found: Report,
}

/// What is to be read, and reports of what is not there, by place.
#[derive(Default)]
pub(super) struct Found {
    pub(super) units: Vec<Unit>,
    pub(super) reports: BTreeMap<usize, super::InputReport>,
}

/// Finds the files of the inputs. A named file is read whatever it is, as `format` if the user gives one;
/// of a named folder only files that are recognised, since runs lie among other files.
///
/// # Errors
/// When `progress` was cancelled.
pub(super) fn find(
    inputs: &[Input],
    format: Option<Format>,
    progress: &Progress,
) -> Result<Found, Cancelled> {
    let mut candidates = Candidates::default();
    for (number, input) in inputs.iter().enumerate() {
        candidates.add(number, input, progress)?;
    }
    let sniffed: Vec<Sniffed> = candidates
        .list
        .par_iter()
        .map(|candidate| sniff_candidate(candidate, progress))
        .collect();
    progress.check()?;
    let mut finder = Finder {
        inputs,
        format,
        ..Finder::default()
    };
    for (candidate, sniffed) in candidates.list.into_iter().zip(sniffed) {
        finder.place(candidate, sniffed);
    }
    for (number, skipped) in candidates.skipped {
        let walked = finder.walked.entry(number).or_default();
        walked.passed_over = skipped;
    }
    finder.refuse_empty_folders();
    Ok(finder.found)
}

/// Something that may be read.
struct Candidate {
    name: String,
    source: Source,
    origin: Origin,
}

/// How a candidate came to be one; the number is that of the user's input.
enum Origin {
    Named,
    Walked(usize),
    /// Its folder cannot be listed.
    Unlisted,
    Bundled(usize, String),
}

#[derive(Default)]
struct Candidates {
    list: Vec<Candidate>,
    /// What was passed over in walked folders, by the number of the input.
    skipped: BTreeMap<usize, Report>,
}

impl Candidates {
    fn add(&mut self, number: usize, input: &Input, progress: &Progress) -> Result<(), Cancelled> {
        progress.check()?;
        match input {
            Input::Path(path) if path.is_dir() => self.walk(number, path, progress)?,
            Input::Path(path) if is_pipe(path) => self.list.push(Candidate {
                name: path.display().to_string(),
                source: Source::pipe(path, progress)?,
                origin: Origin::Named,
            }),
            // It says something of the files beside it, and is read with them.
            Input::Path(path) if path.file_name().is_some_and(|name| name == SIDECAR) => {}
            Input::Path(path) => self.file(path, Origin::Named),
            Input::Bundle { name, files } => {
                for path in files {
                    self.file(path, Origin::Bundled(number, name.clone()));
                }
            }
            Input::Bytes { name, bytes } => self.list.push(Candidate {
                name: name.clone(),
                source: Source::Bytes(bytes.clone()),
                origin: Origin::Named,
            }),
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, origin: Origin) {
        self.list.push(Candidate {
            name: path.display().to_string(),
            source: Source::file(path),
            origin,
        });
    }

    /// Links are not followed, so that no loop is; they are reported.
    fn walk(&mut self, number: usize, folder: &Path, progress: &Progress) -> Result<(), Cancelled> {
        let mut waiting = vec![(folder.to_path_buf(), 0)];
        while let Some((folder, depth)) = waiting.pop() {
            progress.check()?;
            let Ok(entries) = fs::read_dir(&folder) else {
                self.file(&folder, Origin::Unlisted);
                continue;
            };
            let mut entries: Vec<_> = entries.flatten().collect();
            entries.sort_by_key(fs::DirEntry::file_name);
            let mut folders = Vec::new();
            for entry in entries {
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                let skipped = if kind.is_symlink() {
                    "skipped_links"
                } else if kind.is_dir() && depth >= MAX_DEPTH {
                    "skipped_deep_folders"
                } else if kind.is_dir() {
                    folders.push((entry.path(), depth + 1));
                    continue;
                } else if kind.is_file() {
                    if entry.file_name() != SIDECAR {
                        self.file(&entry.path(), Origin::Walked(number));
                    }
                    continue;
                } else {
                    "skipped_special_files"
                };
                let first = || Some(entry.path().display().to_string());
                let report = self.skipped.entry(number).or_default();
                report.add(skipped, 1, first);
            }
            waiting.extend(folders.into_iter().rev());
        }
        Ok(())
    }
}

/// Whether it is a named pipe, as a shell's process substitution gives: it can be read once only.
fn is_pipe(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.file_type().is_fifo())
}

/// Result of looking at the content of a candidate.
struct Sniffed {
    format: Result<Option<Format>, sheaf_ingest::Error>,
    /// Guess about an unrecognised file of a folder. For named files, the error of the reader has the guess.
    guess: Option<Guess>,
}

fn sniff_candidate(candidate: &Candidate, progress: &Progress) -> Sniffed {
    let input = sheaf_ingest::Input {
        name: &candidate.name,
        content: &candidate.source,
        hints: Hints::NONE,
        format: None,
    };
    let format = recognise(&input, progress);
    let is_skipped = matches!(candidate.origin, Origin::Walked(_)) && matches!(format, Ok(None));
    let guess = is_skipped.then(|| guess(&input)).flatten();
    Sniffed { format, guess }
}

#[derive(Default)]
struct Finder<'a> {
    inputs: &'a [Input],
    format: Option<Format>,
    found: Found,
    next_place: usize,
    /// Unit and place of the files of a folder that are read together.
    folders: BTreeMap<(PathBuf, Format), usize>,
    bundles: BTreeMap<usize, (usize, usize)>,
    /// Whether a walked folder, by the number of its input, held anything; what was skipped of it.
    walked: BTreeMap<usize, Walked>,
}

/// What became of the files of a walked folder.
#[derive(Default)]
struct Walked {
    /// Unit of its first file that is read.
    first: Option<usize>,
    /// Links, special files and deep folders.
    passed_over: Report,
    /// Files that are not read.
    skipped: SkippedFiles,
}

impl Finder<'_> {
    fn place(&mut self, candidate: Candidate, sniffed: Sniffed) {
        let format = match (&candidate.origin, sniffed.format) {
            (Origin::Unlisted, _) => {
                let reason = "the folder cannot be listed; check its owner and mode";
                return self.refuse(&candidate.name, reason.to_owned());
            }
            (Origin::Bundled(..), sniffed) => sniffed.ok().flatten(),
            (_, Err(error)) => return self.refuse(&candidate.name, super::chain(&error)),
            (_, Ok(format)) => format,
        };
        let is_wanted = self
            .format
            .is_none_or(|wanted| format.is_some_and(|found| found == wanted));
        match candidate.origin {
            Origin::Walked(number) => {
                let walked = self.walked.entry(number).or_default();
                if format.is_none() || !is_wanted {
                    return walked.skipped.add(candidate.name, sniffed.guess);
                }
                let root = match self.inputs.get(number) {
                    Some(Input::Path(folder)) => Some(folder.clone()),
                    _ => None,
                };
                let unit = self.push(candidate.name, candidate.source, format, root);
                let walked = self.walked.entry(number).or_default();
                walked.first.get_or_insert(unit);
            }
            Origin::Bundled(number, ref name) => {
                let name = name.clone();
                self.bundle(number, &name, candidate, format);
            }
            Origin::Named if !is_wanted => {
                let unit = self.push(candidate.name, candidate.source, self.format, None);
                let items = self.found.units.get_mut(unit).map(|unit| &mut unit.items);
                if let Some(item) = items.and_then(|items| items.last_mut()) {
                    item.looks_like = format;
                }
            }
            Origin::Named | Origin::Unlisted => {
                self.push(candidate.name, candidate.source, format, None);
            }
        }
    }

    fn new_place(&mut self) -> usize {
        self.next_place += 1;
        self.next_place - 1
    }

    fn refuse(&mut self, name: &str, reason: String) {
        let place = self.new_place();
        let report = refused(name, None, reason);
        self.found.reports.insert(place, report);
    }

    /// Puts a file into a unit; returns the unit's number.
    fn push(
        &mut self,
        name: String,
        source: Source,
        format: Option<Format>,
        root: Option<PathBuf>,
    ) -> usize {
        let folder = source
            .folder()
            .map(|folder| database_folder(folder, format));
        let together = format.map_or(Together::File, Format::together);
        let fresh = self.found.units.len();
        let unit = match (together, &folder, format) {
            (Together::Folder | Together::Database, Some(folder), Some(format)) => *self
                .folders
                .entry((folder.clone(), format))
                .or_insert(fresh),
            _ => fresh,
        };
        if unit == fresh {
            self.found.units.push(Unit::default());
        }
        let shared = match (together, self.found.units.get(unit)) {
            (Together::Database, Some(unit)) => unit.items.first().map(|item| item.place),
            _ => None,
        };
        let place = shared.unwrap_or_else(|| self.new_place());
        let reported_as = match (together, folder) {
            (Together::Database, Some(folder)) => folder.display().to_string(),
            _ => name.clone(),
        };
        if let Some(unit) = self.found.units.get_mut(unit) {
            unit.items.push(Item {
                place,
                reported_as,
                name,
                source,
                format,
                looks_like: None,
                root,
                names: Names::default(),
                description: Description::default(),
                found: Report::default(),
            });
        }
        unit
    }

    fn bundle(&mut self, number: usize, name: &str, from: Candidate, format: Option<Format>) {
        let fresh = (self.found.units.len(), self.next_place);
        let (unit, place) = *self.bundles.entry(number).or_insert(fresh);
        if unit == fresh.0 {
            self.found.units.push(Unit::default());
            self.next_place += 1;
        }
        if let Some(unit) = self.found.units.get_mut(unit) {
            unit.items.push(Item {
                place,
                reported_as: name.to_owned(),
                name: from.name,
                source: from.source,
                format,
                looks_like: None,
                root: None,
                names: Names::default(),
                description: Description::default(),
                found: Report::default(),
            });
        }
    }

    /// Tells of what was skipped in walked folders: with their first file, or as a refusal where
    /// there is none.
    fn refuse_empty_folders(&mut self) {
        for (number, input) in self.inputs.iter().enumerate() {
            let Input::Path(path) = input else { continue };
            if !path.is_dir() {
                continue;
            }
            let walked = self.walked.remove(&number).unwrap_or_default();
            let first = walked
                .first
                .and_then(|unit| self.found.units.get_mut(unit))
                .and_then(|unit| unit.items.first_mut());
            if let Some(item) = first {
                item.found.merge(&walked.skipped.report());
                item.found.merge(&walked.passed_over);
                continue;
            }
            let wanted = self.format.map_or("a known", Format::as_str);
            let reason = walked.skipped.refusal(wanted);
            let place = self.new_place();
            let mut report = refused(&path.display().to_string(), None, reason);
            report.report.merge(&walked.skipped.report());
            report.report.merge(&walked.passed_over);
            self.found.reports.insert(place, report);
        }
    }
}

/// The folder of the database that a file is in.
fn database_folder(folder: PathBuf, format: Option<Format>) -> PathBuf {
    match (format, folder.to_str()) {
        (Some(format), Some(text)) => match format.database_folder(text) {
            "" => PathBuf::from("."),
            outer if outer.len() < text.len() => PathBuf::from(outer),
            _ => folder,
        },
        _ => folder,
    }
}
