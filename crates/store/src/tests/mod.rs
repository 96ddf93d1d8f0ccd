//! Tests of the store as a whole, each in a folder of its own.

mod catalogue;
mod compaction;
mod concurrency;
mod crash;
mod damage;
mod faults;
mod leases;
mod links;
mod log;
mod opening;
mod power;
mod round_trip;
mod schema;

use std::collections::BTreeMap;
use std::path::Path;

use sheaf_model::{Progress, RunId, RunTables};

use crate::synthetic::arbitrary;
use crate::{Added, Store, Verification};

/// A store in a temporary folder that lives as long as this.
struct Fixture {
    store: Store,
    folder: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::create_or_open(&folder.path().join("store")).unwrap();
        Self { store, folder }
    }

    /// One import with arbitrary runs of the given seeds.
    fn with(seeds: impl IntoIterator<Item = u64>) -> Self {
        let fixture = Self::new();
        import(&fixture.store, seeds);
        fixture
    }

    /// The one segment that there is.
    fn only_segment(&self) -> std::path::PathBuf {
        let segments = self.store.path().join("segments");
        let mut entries = std::fs::read_dir(segments).unwrap();
        let path = entries.next().unwrap().unwrap().path();
        assert!(entries.next().is_none(), "more than one segment");
        path
    }
}

/// An arbitrary run that differs from those of other seeds.
fn run(seed: u64) -> RunTables {
    let mut run = arbitrary::run(seed, 12);
    run.summary.meta_mut().program = format!("program {seed}");
    run.summary.meta_mut().name = format!("run {seed}");
    run
}

fn import(store: &Store, seeds: impl IntoIterator<Item = u64>) -> Vec<Added> {
    let mut importer = store.import().unwrap();
    let added = seeds
        .into_iter()
        .map(|seed| importer.add(run(seed)).unwrap())
        .collect();
    importer.publish().unwrap();
    added
}

fn ids(store: &Store) -> Vec<RunId> {
    let snapshot = store.snapshot().unwrap();
    snapshot.runs().iter().map(|run| run.meta.id).collect()
}

fn ids_of(seeds: impl IntoIterator<Item = u64>) -> Vec<RunId> {
    let mut ids: Vec<_> = seeds
        .into_iter()
        .map(|seed| run(seed).content_id())
        .collect();
    ids.sort_unstable();
    ids
}

/// A store with two segments and a tombstone.
fn prepared() -> Fixture {
    let fixture = Fixture::with([1, 2]);
    import(&fixture.store, [3, 4]);
    fixture.store.remove(&ids_of([4])).unwrap();
    fixture
}

fn compact(store: &Store) -> crate::Compaction {
    store.compact(&Progress::silent()).unwrap()
}

fn verify(store: &Store) -> Verification {
    store.verify(&Progress::silent()).unwrap()
}

/// Asserts that the store is sound and has just the runs of `seeds`.
fn assert_holds(store: &Store, seeds: impl IntoIterator<Item = u64>) {
    let verification = verify(store);
    assert_eq!(verification.damaged, []);
    assert_eq!(ids(store), ids_of(seeds));
    assert_eq!(verification.runs, ids(store).len());
}

/// Every file below a folder with its content.
fn files(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap().path();
            if entry.is_dir() {
                folders.push(entry);
            } else {
                let name = entry.strip_prefix(path).unwrap().display().to_string();
                files.insert(name, std::fs::read(&entry).unwrap());
            }
        }
    }
    files
}
