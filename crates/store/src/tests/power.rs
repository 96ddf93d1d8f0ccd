//! A power cut after any change: what was not made durable may be lost, torn or reordered.
//!
//! The changes of one piece of work are recorded and played back up to each of them, into a copy
//! of the store as it was, in the ways in which a file system may lose the rest.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sheaf_model::Progress;

use super::{Fixture, compact, ids, ids_of, prepared, run, verify};
use crate::disk::faults::Change;
use crate::disk::record;
use crate::{Error, Store};

/// What of the changes that were not made durable is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Loss {
    /// Nothing: the process alone died.
    None,
    /// Content that was not synced, while all names are there.
    Content,
    /// The second half of such content.
    HalfContent,
    /// Names in folders that were not synced, while all content is there.
    Names,
    /// Both.
    All,
}

const LOSSES: [Loss; 5] = [
    Loss::None,
    Loss::Content,
    Loss::HalfContent,
    Loss::Names,
    Loss::All,
];

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap().path();
        let target = to.join(entry.file_name().unwrap());
        if entry.is_dir() {
            copy(&entry, &target);
        } else {
            fs::copy(&entry, &target).unwrap();
        }
    }
}

/// Plays changes back below `root`, which takes the place of `recorded_at`.
struct Playback<'a> {
    recorded_at: &'a Path,
    root: &'a Path,
    changes: &'a [Change],
    loss: Loss,
    renamed: Vec<(PathBuf, PathBuf)>,
}

impl Playback<'_> {
    /// Where a path is played back. A folder whose new name was lost has its old one.
    fn place(&self, path: &Path) -> PathBuf {
        let mut path = path.to_owned();
        for (from, to) in self.renamed.iter().rev() {
            if let Ok(below) = path.strip_prefix(to) {
                path = from.join(below);
            }
        }
        self.root.join(path.strip_prefix(self.recorded_at).unwrap())
    }

    fn run(&mut self) {
        for (at, change) in self.changes.iter().enumerate() {
            if !self.is_lost(at, change) {
                self.apply(at, change);
            } else if let Change::Rename(from, to) = change {
                self.renamed.push((from.clone(), to.clone()));
            }
        }
    }

    /// Names are lost when their folder was not synced afterwards. What hangs on a lost name is
    /// lost with it, so a change whose path is not there does nothing.
    fn is_lost(&self, at: usize, change: &Change) -> bool {
        if !matches!(self.loss, Loss::Names | Loss::All) {
            return false;
        }
        let folders: Vec<&Path> = match change {
            Change::Rename(from, to) => vec![from.parent().unwrap(), to.parent().unwrap()],
            Change::RemoveFile(path) | Change::RemoveFolder(path) => vec![path.parent().unwrap()],
            _ => return false,
        };
        let later = self.changes.get(at + 1..).unwrap_or_default();
        let synced: BTreeSet<&Path> = later
            .iter()
            .filter_map(|change| match change {
                Change::SyncFolder(path) => Some(path.as_path()),
                _ => None,
            })
            .collect();
        // One transaction of the file system holds both sides of a rename.
        !folders.iter().any(|folder| synced.contains(folder))
    }

    fn apply(&self, at: usize, change: &Change) {
        match change {
            Change::CreateFolder(path) => drop(fs::create_dir_all(self.place(path))),
            Change::Create(path) => drop(fs::write(self.place(path), [])),
            Change::Write(path, bytes) => {
                let bytes = &bytes[..self.kept(at, path, bytes.len())];
                let file = fs::File::options().append(true).open(self.place(path));
                if let Ok(mut file) = file {
                    std::io::Write::write_all(&mut file, bytes).unwrap();
                }
            }
            Change::Rename(from, to) => {
                let (from, to) = (self.place(from), self.place(to));
                if from.exists() && !(to.is_dir() && fs::read_dir(&to).unwrap().next().is_some()) {
                    fs::rename(from, to).unwrap();
                }
            }
            Change::RemoveFile(path) => drop(fs::remove_file(self.place(path))),
            Change::RemoveFolder(path) => drop(fs::remove_dir(self.place(path))),
            Change::Sync(_) | Change::SyncFolder(_) => {}
        }
    }

    /// Bytes of a write that are there after the cut.
    fn kept(&self, at: usize, path: &Path, len: usize) -> usize {
        let later = self.changes.get(at + 1..).unwrap_or_default();
        let is_durable = later
            .iter()
            .any(|change| matches!(change, Change::Sync(synced) if synced == path));
        match self.loss {
            Loss::Content | Loss::All if !is_durable => 0,
            Loss::HalfContent if !is_durable => len / 2,
            _ => len,
        }
    }
}

/// Cuts the power after every change of `work`, and checks what is there then.
fn check(name: &str, work: fn(&Store) -> Result<(), Error>, after: &[u64]) {
    let fixture = prepared();
    let before_folder = fixture.folder.path().join("before");
    copy(fixture.store.path(), &before_folder);
    let (outcome, changes) = record(|| work(&fixture.store));
    outcome.unwrap();
    assert!(changes.len() > 10, "{name}: {changes:?}");
    for loss in LOSSES {
        for cut in 0..=changes.len() {
            let root = fixture.folder.path().join("cut");
            let _ = fs::remove_dir_all(&root);
            copy(&before_folder, &root);
            Playback {
                recorded_at: fixture.store.path(),
                root: &root,
                changes: &changes[..cut],
                loss,
                renamed: Vec::new(),
            }
            .run();
            check_one(
                &root,
                cut == changes.len(),
                after,
                &format!("{name}, {loss:?} at {cut}"),
            );
        }
    }
}

fn check_one(root: &Path, is_reported: bool, after: &[u64], at: &str) {
    let store = Store::open(root).unwrap_or_else(|error| panic!("{at}: {error}"));
    assert_eq!(verify(&store).damaged, [], "{at}");
    let found = ids(&store);
    let is_after = found == ids_of(after.iter().copied());
    let is_before = found == ids_of([1, 2, 3]);
    assert!(
        is_after || (is_before && !is_reported),
        "{at}: {} runs",
        found.len()
    );
}

fn import_two(store: &Store) -> Result<(), Error> {
    let mut importer = store.import()?;
    for seed in 10..12 {
        importer.add(run(seed))?;
    }
    importer.publish().map(drop)
}

#[test]
fn an_import_survives_a_power_cut_at_any_change() {
    check("import", import_two, &[1, 2, 3, 10, 11]);
}

#[test]
fn a_compaction_survives_a_power_cut_at_any_change() {
    let work = |store: &Store| store.compact(&Progress::silent()).map(drop);
    check("compact", work, &[1, 2, 3]);
}

#[test]
fn a_removal_survives_a_power_cut_at_any_change() {
    let work = |store: &Store| store.remove(&ids_of([1])).map(drop);
    check("remove", work, &[2, 3]);
}

#[test]
fn a_new_store_survives_a_power_cut_at_any_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let (store, changes) = record(|| Store::create_or_open(&path));
    store.unwrap();
    for loss in LOSSES {
        for cut in 0..=changes.len() {
            let root = folder.path().join(format!("{loss:?}-{cut}"));
            Playback {
                recorded_at: &path,
                root: &root,
                changes: &changes[..cut],
                loss,
                renamed: Vec::new(),
            }
            .run();
            let store = Store::create_or_open(&root);
            let store = store.unwrap_or_else(|error| panic!("{loss:?} at {cut}: {error}"));
            super::import(&store, [1]);
            compact(&store);
            super::assert_holds(&store, [1]);
        }
    }
    drop(Fixture::new());
}
