//! Damaged stores are recognised.

use std::fs;
use std::path::Path;

use sheaf_model::Progress;

use super::{Fixture, assert_holds, compact, files, ids_of, import, verify};
use crate::synthetic::{Numbers, programs};

/// Damages a file, and checks that `verify` names it and reading never panics.
fn check(fixture: &Fixture, path: &Path, content: &[u8]) {
    let original = fs::read(path).unwrap();
    fs::write(path, content).unwrap();
    let store = crate::Store::open(fixture.store.path()).unwrap();
    let found = verify(&store).damaged;
    let name = path.file_name().unwrap().to_string_lossy();
    assert!(
        found.iter().any(|damage| damage.file == name),
        "damage of {name} was not found: {found:?}"
    );
    if name == "manifest.json" {
        assert!(store.snapshot().unwrap_err().is_damage());
    }
    fs::write(path, original).unwrap();
}

#[test]
fn every_flipped_bit_is_found() {
    let fixture = Fixture::with(0..3);
    let segment = fixture.only_segment();
    let mut numbers = Numbers::new(1);
    let files = files(&segment);
    assert!(files.len() > 10, "{:?}", files.keys());
    for (name, content) in files {
        for _ in 0..12 {
            let mut damaged = content.clone();
            damaged[numbers.below(content.len())] ^= 1 << numbers.below(8);
            check(&fixture, &segment.join(&name), &damaged);
        }
    }
    assert!(verify(&fixture.store).is_ok());
}

#[test]
fn a_changed_tombstone_is_found_and_still_counts() {
    let fixture = super::prepared();
    let folder = fixture.store.path().join("notes/tombstones");
    let tombstone = fs::read_dir(&folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let content = fs::read(&tombstone).unwrap();
    for changed in [&b""[..], b"{}", &content[..content.len() - 1]] {
        fs::write(&tombstone, changed).unwrap();
        let damaged = verify(&fixture.store).damaged;
        assert_eq!(damaged.len(), 1, "{damaged:?}");
        assert!(tombstone.ends_with(&damaged[0].file), "{damaged:?}");
        assert_eq!(super::ids(&fixture.store), ids_of([1, 2, 3]));
        fixture.store.repair(&Progress::silent()).unwrap();
        assert_eq!(fs::read(&tombstone).unwrap(), content);
        assert!(verify(&fixture.store).is_ok());
    }
    fs::remove_file(&tombstone).unwrap();
    std::os::unix::fs::symlink("/dev/null", &tombstone).unwrap();
    let damaged = verify(&fixture.store).damaged;
    assert!(damaged[0].reason.contains("symbolic link"), "{damaged:?}");
    fixture.store.repair(&Progress::silent()).unwrap();
    assert_eq!(fs::read(&tombstone).unwrap(), content);
}

#[test]
fn truncated_and_extended_files_are_found() {
    let fixture = Fixture::with(0..3);
    let segment = fixture.only_segment();
    for (name, content) in files(&segment) {
        let path = segment.join(&name);
        check(&fixture, &path, &[]);
        check(&fixture, &path, &content[..content.len() / 2]);
        check(&fixture, &path, &content[..content.len() - 1]);
        check(&fixture, &path, &[&content[..], b"x"].concat());
    }
}

#[test]
fn a_missing_file_is_found_by_readers_too() {
    let fixture = Fixture::new();
    let run = programs::recursion(1, 10);
    let mut importer = fixture.store.import().unwrap();
    importer.add(run.clone()).unwrap();
    importer.publish().unwrap();
    fs::remove_file(fixture.only_segment().join("grains.parquet")).unwrap();
    let error = fixture
        .store
        .snapshot()
        .unwrap()
        .grains(run.content_id())
        .unwrap_err();
    let name = fixture.only_segment();
    let name = name.file_name().unwrap().to_string_lossy();
    assert_eq!(
        error.to_string(),
        format!("segment `{name}` is damaged, a file is missing: grains.parquet")
    );
    assert_eq!(verify(&fixture.store).damaged.len(), 1);
}

#[test]
fn a_truncated_file_is_found_by_readers_too() {
    let fixture = Fixture::new();
    let run = programs::recursion(1, 10);
    let mut importer = fixture.store.import().unwrap();
    importer.add(run.clone()).unwrap();
    importer.publish().unwrap();
    let path = fixture.only_segment().join("grains.parquet");
    let content = fs::read(&path).unwrap();
    fs::write(&path, &content[..content.len() - 4]).unwrap();
    let snapshot = fixture.store.snapshot().unwrap();
    assert!(snapshot.grains(run.content_id()).unwrap_err().is_damage());
    snapshot.fragments(run.content_id()).unwrap();
}

#[test]
fn damage_is_not_compacted_into_sound_segments() {
    let fixture = Fixture::with([1]);
    let path = fixture.only_segment().join("runs.parquet");
    import(&fixture.store, [2]);
    let mut content = fs::read(&path).unwrap();
    content[40] ^= 1;
    fs::write(&path, content).unwrap();
    let before = files(fixture.store.path());
    let error = fixture.store.compact(&Progress::silent()).unwrap_err();
    assert!(error.is_damage(), "{error}");
    assert_eq!(files(fixture.store.path()), before);
}

/// A damaged segment is repaired by importing its runs again, in whichever segments they come.
#[test]
fn runs_imported_again_replace_damaged_ones() {
    for imports in [vec![vec![1, 2]], vec![vec![2], vec![1]]] {
        let fixture = Fixture::with([1, 2]);
        let store = &fixture.store;
        compact(store);
        let sound = files(&store.path().join("segments"));
        let path = fixture.only_segment().join("runs.parquet");
        let mut content = fs::read(&path).unwrap();
        content[40] ^= 1;
        fs::write(&path, content).unwrap();
        assert_eq!(verify(store).damaged.len(), 1);
        store.remove(&ids_of([1, 2])).unwrap();
        for seeds in imports {
            import(store, seeds);
        }
        compact(store);
        assert_holds(store, [1, 2]);
        assert_eq!(files(&store.path().join("segments")), sound);
    }
}

#[test]
fn strange_things_are_foreign() {
    let fixture = Fixture::with([1]);
    let segments = fixture.store.path().join("segments");
    fs::create_dir(segments.join("0123456789abcdef0123456789abcdef")).unwrap();
    fs::write(segments.join("notes.txt"), "mine").unwrap();
    fs::write(fixture.only_file_folder().join("extra.txt"), "mine").unwrap();
    let verification = verify(&fixture.store);
    assert!(verification.is_ok());
    assert_eq!((verification.runs, verification.segments), (1, 1));
    assert_eq!(verification.foreign.len(), 3, "{verification:?}");
    assert_eq!(verification.leftovers, Vec::<std::path::PathBuf>::new());
}

impl Fixture {
    /// The folder of the one segment among other things.
    fn only_file_folder(&self) -> std::path::PathBuf {
        let snapshot = self.store.snapshot().unwrap();
        snapshot.segments()[0].folder().path()
    }
}
