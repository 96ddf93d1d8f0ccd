//! From what the user named to contents: folders are walked, files put into batches.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use sheaf_ingest::{SNIFF_LEN, sniff};
use sheaf_model::FileReport;

use super::{Input, refused};

/// Folders below a named folder are walked to this depth; links are not followed.
const MAX_DEPTH: usize = 32;

/// Inputs that are read together because they may belong to one run.
pub(super) struct Batch {
    items: Vec<Item>,
}

struct Item {
    place: usize,
    name: String,
    source: Source,
}

enum Source {
    File(PathBuf),
    Bytes(Vec<u8>),
}

/// The content of one input.
pub(super) struct Content {
    /// Place of its report.
    pub(super) place: usize,
    /// As the user named it.
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

impl Batch {
    /// Inputs in the batch.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// The contents, and reports of inputs that cannot be read.
    pub(super) fn read(&self) -> (Vec<Content>, Vec<(usize, FileReport)>) {
        let mut contents = Vec::new();
        let mut reports = Vec::new();
        for item in &self.items {
            let bytes = match &item.source {
                Source::Bytes(bytes) => Ok(bytes.clone()),
                Source::File(path) => fs::read(path),
            };
            let (place, name) = (item.place, item.name.clone());
            match bytes {
                Ok(bytes) => contents.push(Content { place, name, bytes }),
                Err(error) => reports.push((place, refused(&name, None, unreadable(&error)))),
            }
        }
        (contents, reports)
    }
}

/// Batches of what is to be read, and reports of what is not there, by place.
///
/// Files of one folder are one batch: the processes of a launch write side by side. A named file
/// is read whatever it is; of a named folder only what is recognised, since traces lie among other
/// files.
pub(super) fn find(
    inputs: &[Input],
    format: Option<&str>,
) -> (Vec<Batch>, BTreeMap<usize, FileReport>) {
    let mut finder = Finder {
        format,
        ..Finder::default()
    };
    for input in inputs {
        match input {
            Input::Path(path) if path.is_dir() => finder.folder(path),
            Input::Path(path) => finder.file(path),
            Input::Bundle { name, files } => finder.bundle(name, files),
            Input::Bytes { name, bytes } => finder.bytes(name, bytes),
        }
    }
    (finder.batches, finder.reports)
}

#[derive(Default)]
struct Finder<'a> {
    format: Option<&'a str>,
    batches: Vec<Batch>,
    /// Batch of each folder that has one.
    folders: BTreeMap<PathBuf, usize>,
    reports: BTreeMap<usize, FileReport>,
    next_place: usize,
}

impl Finder<'_> {
    fn place(&mut self) -> usize {
        self.next_place += 1;
        self.next_place - 1
    }

    fn refuse(&mut self, name: &str, reason: String) {
        let place = self.place();
        self.reports.insert(place, refused(name, None, reason));
    }

    fn file(&mut self, path: &Path) {
        let name = path.display().to_string();
        match start_of(path) {
            Err(error) => self.refuse(&name, unreadable(&error)),
            Ok(start) if !self.has_format(&start) => self.refuse(&name, self.wrong_format(&start)),
            Ok(_) => self.push(path, name),
        }
    }

    fn push(&mut self, path: &Path, name: String) {
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let place = self.place();
        let fresh = self.batches.len();
        let batch = *self.folders.entry(folder).or_insert(fresh);
        if batch == fresh {
            self.batches.push(Batch { items: Vec::new() });
        }
        let source = Source::File(path.to_path_buf());
        self.batches[batch].items.push(Item {
            place,
            name,
            source,
        });
    }

    fn folder(&mut self, folder: &Path) {
        let before = self.next_place;
        let mut waiting = vec![(folder.to_path_buf(), 0)];
        while let Some((folder, depth)) = waiting.pop() {
            let Ok(entries) = fs::read_dir(&folder) else {
                let name = folder.display().to_string();
                self.refuse(
                    &name,
                    "the folder cannot be listed; check its owner and mode".to_owned(),
                );
                continue;
            };
            let mut paths: Vec<_> = entries.flatten().collect();
            paths.sort_by_key(fs::DirEntry::file_name);
            let mut folders = Vec::new();
            for entry in paths {
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                let path = entry.path();
                if kind.is_dir() && depth < MAX_DEPTH {
                    folders.push((path, depth + 1));
                } else if kind.is_file() {
                    let start = start_of(&path).unwrap_or_default();
                    if sniff(&start).is_some() && self.has_format(&start) {
                        let name = path.display().to_string();
                        self.push(&path, name);
                    }
                }
            }
            waiting.extend(folders.into_iter().rev());
        }
        if self.next_place == before {
            let name = folder.display().to_string();
            self.refuse(
                &name,
                "the folder holds no file of a known format".to_owned(),
            );
        }
    }

    fn bundle(&mut self, name: &str, files: &[PathBuf]) {
        let place = self.place();
        let item = |path: &PathBuf| {
            let source = Source::File(path.clone());
            Item {
                place,
                name: name.to_owned(),
                source,
            }
        };
        self.batches.push(Batch {
            items: files.iter().map(item).collect(),
        });
    }

    fn bytes(&mut self, name: &str, bytes: &[u8]) {
        if !self.has_format(bytes) {
            let reason = self.wrong_format(bytes);
            self.refuse(name, reason);
            return;
        }
        let place = self.place();
        let source = Source::Bytes(bytes.to_vec());
        self.batches.push(Batch {
            items: vec![Item {
                place,
                name: name.to_owned(),
                source,
            }],
        });
    }

    /// Whether the content has the format that was asked for, if one was.
    fn has_format(&self, start: &[u8]) -> bool {
        self.format
            .is_none_or(|wanted| sniff(start).is_some_and(|format| format.as_str() == wanted))
    }

    fn wrong_format(&self, start: &[u8]) -> String {
        let found = sniff(start).map_or("not recognised", |format| format.as_str());
        format!(
            "format is `{found}`, asked for was `{}`",
            self.format.unwrap_or_default()
        )
    }
}

fn start_of(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut start = Vec::new();
    File::open(path)?
        .take(SNIFF_LEN as u64)
        .read_to_end(&mut start)?;
    Ok(start)
}

fn unreadable(error: &std::io::Error) -> String {
    format!("cannot be read: {error}").to_lowercase()
}
