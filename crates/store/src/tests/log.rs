//! The log: what was published and is gone is an error that names it.

use std::fs;
use std::path::PathBuf;

use sheaf_model::Progress;

use super::{Fixture, assert_holds, compact, files, ids, ids_of, import, prepared, verify};
use crate::{Checks, Error, Store};

fn open(fixture: &Fixture) -> Store {
    Store::open(fixture.store.path()).unwrap()
}

/// Asserts that questions and `verify` name what is gone, and that a repair ends that.
#[track_caller]
fn check_lost(fixture: &Fixture, named: &str, left: &[u64]) {
    for store in [open(fixture), fixture.store.clone()] {
        let error = store.snapshot().map(drop).unwrap_err();
        assert!(
            error.is_damage() && error.to_string().contains(named),
            "{error}"
        );
        assert!(error.to_string().contains("by a repair"), "{error}");
    }
    let error = fixture.store.compact(&Progress::silent()).unwrap_err();
    assert!(error.is_damage(), "{error}");
    let damaged = verify(&fixture.store).damaged;
    assert_eq!(damaged.len(), 1, "{damaged:?}");
    assert!(
        damaged[0].file.contains(named)
            || damaged[0].reason.contains(named)
            || damaged[0].segment == named,
        "{damaged:?}"
    );
    let repaired = fixture.store.repair(&Progress::silent()).unwrap();
    assert_eq!(repaired.damaged, damaged);
    assert_holds(&fixture.store, left.iter().copied());
    compact(&fixture.store);
    assert_holds(&fixture.store, left.iter().copied());
}

fn name(path: &std::path::Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// The folder of the segment that holds the run of a seed.
fn segment_of(fixture: &Fixture, seed: u64) -> PathBuf {
    let id = ids_of([seed])[0];
    let snapshot = fixture.store.snapshot().unwrap();
    let mut segments = snapshot.segments().iter();
    let holds = |segment: &&std::sync::Arc<crate::segment::Segment>| {
        segment.runs().iter().any(|(meta, _)| meta.id == id)
    };
    segments.find(holds).unwrap().folder().path()
}

#[test]
fn a_renamed_segment_gets_its_name_back() {
    // The second could be the name of a segment.
    for other in ["moved", "0123456789abcdef0123456789abcdef"] {
        let fixture = prepared();
        let folder = segment_of(&fixture, 3);
        let all = ids(&fixture.store);
        fs::rename(&folder, folder.with_file_name(other)).unwrap();
        assert!(open(&fixture).snapshot().is_err());
        let repaired = fixture.store.repair(&Progress::silent()).unwrap();
        assert!(
            !repaired.is_ok() && repaired.set_aside.is_empty(),
            "{repaired:?}"
        );
        assert_eq!(ids(&open(&fixture)), all);
        assert_eq!(segment_of(&fixture, 3), folder);
        assert!(verify(&fixture.store).is_ok());
    }
}

#[test]
fn a_lost_segment_is_named() {
    let fixture = prepared();
    let segment = segment_of(&fixture, 1);
    fs::remove_dir_all(&segment).unwrap();
    check_lost(&fixture, &name(&segment), &[3]);
}

#[test]
fn a_lost_manifest_is_named_and_its_tables_are_set_aside() {
    let fixture = prepared();
    let segment = segment_of(&fixture, 1);
    fs::remove_file(segment.join("manifest.json")).unwrap();
    let tables = files(&segment);
    check_lost(&fixture, &name(&segment), &[3]);
    let aside = fixture.store.path().join("damaged").join(name(&segment));
    assert_eq!(files(&aside), tables);
}

#[test]
fn a_lost_tombstone_is_named() {
    let fixture = prepared();
    let folder = fixture.store.path().join("notes/tombstones");
    let tombstone = fs::read_dir(&folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    fs::remove_file(&tombstone).unwrap();
    // A repair writes it anew: the run stays removed.
    check_lost(&fixture, &ids_of([4])[0].to_string(), &[1, 2, 3]);
}

#[test]
fn a_lost_or_damaged_entry_of_the_log_is_named() {
    let entry = |fixture: &Fixture, number: usize| {
        fixture.store.path().join(format!("log/{number:012}.json"))
    };
    // The fourth is the newest: the mark of its number is left.
    for number in 1..=4 {
        let fixture = prepared();
        fs::remove_file(entry(&fixture, number)).unwrap();
        check_lost(&fixture, &format!("{number:012}.json"), &[1, 2, 3]);
        let fixture = prepared();
        let path = entry(&fixture, number);
        let mut content = fs::read(&path).unwrap();
        content[20] ^= 1;
        fs::write(&path, content).unwrap();
        // What a process has read of the log it does not read again.
        let fixture = Fixture {
            store: open(&fixture),
            ..fixture
        };
        check_lost(&fixture, &format!("{number:012}.json"), &[1, 2, 3]);
    }
    let fixture = prepared();
    fs::remove_dir_all(fixture.store.path().join("log")).unwrap();
    check_lost(&fixture, "000000000001.json", &[1, 2, 3]);
}

/// The mark is made after the entry: a process that dies between them leaves a sound log.
#[test]
fn one_mark_carries_the_number_of_the_newest_entry() {
    let fixture = prepared();
    let marks = || {
        let names = files(&fixture.store.path().join("log")).into_keys();
        names
            .filter(|name| name.starts_with("newest"))
            .collect::<Vec<_>>()
    };
    assert_eq!(marks(), ["newest.000000000004"]);
    fs::remove_file(fixture.store.path().join("log/newest.000000000004")).unwrap();
    assert_holds(&open(&fixture), [1, 2, 3]);
    import(&fixture.store, [5]);
    assert_eq!(marks(), ["newest.000000000005"]);
    assert_holds(&open(&fixture), [1, 2, 3, 5]);
}

#[test]
fn whole_tables_without_a_manifest_are_damage_and_no_leftover() {
    let fixture = Fixture::with([1]);
    let folder = fixture
        .store
        .path()
        .join("segments/0123456789abcdef0123456789abcdef");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("grains.parquet"), "rows").unwrap();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(10 * 86_400);
    fs::File::open(&folder).unwrap().set_modified(old).unwrap();
    assert_eq!(verify(&fixture.store).damaged.len(), 1);
    compact(&fixture.store);
    assert!(folder.join("grains.parquet").exists());
    fixture.store.repair(&Progress::silent()).unwrap();
    assert!(
        fixture
            .store
            .path()
            .join("damaged/0123456789abcdef0123456789abcdef")
            .exists()
    );
    assert_holds(&fixture.store, [1]);
}

#[test]
fn a_store_that_vanished_is_an_error_of_its_own() {
    let fixture = Fixture::with([1]);
    fixture.store.snapshot().unwrap();
    let path = fixture.store.path();
    let moved = fixture.folder.path().join("moved");
    fs::rename(path, &moved).unwrap();
    let error = fixture.store.snapshot().unwrap_err();
    assert!(matches!(error, Error::Vanished { .. }), "{error}");
    // What is below a mount point when nothing is mounted.
    fs::create_dir(path).unwrap();
    let error = fixture.store.snapshot().unwrap_err();
    assert!(matches!(error, Error::Vanished { .. }), "{error}");
    fs::remove_dir(path).unwrap();
    fs::rename(&moved, path).unwrap();
    assert_eq!(ids(&fixture.store), ids_of([1]));
}

#[test]
fn the_log_stays_short() {
    let fixture = Fixture::new();
    for seed in 0..150 {
        import(&fixture.store, [seed]);
    }
    let entries = files(&fixture.store.path().join("log")).len();
    assert!(entries <= 66, "{entries}");
    assert_holds(&fixture.store, 0..150);
    let segment = segment_of(&fixture, 0);
    let lost: Vec<_> = (0..150)
        .filter(|seed| segment_of(&fixture, *seed) == segment)
        .collect();
    fs::remove_dir_all(&segment).unwrap();
    let left: Vec<_> = (0..150).filter(|seed| !lost.contains(seed)).collect();
    check_lost(&fixture, &name(&segment), &left);
}

/// A store of the layout that had no log yet.
fn without_log(fixture: &Fixture) {
    let path = fixture.store.path();
    fs::remove_dir_all(path.join("log")).unwrap();
    fs::write(
        path.join("store.json"),
        r#"{"format_version": 1, "created_by": "grainsheaf 0.1.0"}"#,
    )
    .unwrap();
}

#[test]
fn a_store_from_before_there_were_logs_is_read_and_brought_up_to_date() {
    let fixture = prepared();
    without_log(&fixture);
    let before = files(fixture.store.path());
    let store = open(&fixture);
    assert_eq!(ids(&store), ids_of([1, 2, 3]));
    assert_eq!(verify(&store).damaged, []);
    assert_eq!(
        files(fixture.store.path()),
        before,
        "reading changes nothing"
    );
    import(&store, [5]);
    assert_holds(&store, [1, 2, 3, 5]);
    let text = fs::read_to_string(store.path().join("store.json")).unwrap();
    assert!(text.contains("\"format_version\": 2"), "{text}");
    let segment = segment_of(&fixture, 1);
    fs::remove_dir_all(&segment).unwrap();
    check_lost(&fixture, &name(&segment), &[3, 5]);
}

#[test]
fn damage_is_noticed_when_a_table_is_first_read() {
    let fixture = Fixture::with([1]);
    let id = ids_of([1])[0];
    let path = fixture.only_segment().join("totals.parquet");
    let original = fs::read(&path).unwrap();
    for at in (0..original.len()).step_by(original.len() / 97 + 1) {
        let mut content = original.clone();
        content[at] ^= 1 << (at % 8);
        fs::write(&path, content).unwrap();
        let error = open(&fixture).snapshot().unwrap().summary(id).unwrap_err();
        assert!(error.is_damage(), "{error}");
        assert!(error.to_string().contains("totals.parquet"), "{error}");
        // Without the check nothing panics, and asking for it finds the damage still.
        let store = Store::open_with(fixture.store.path(), Checks::WhenAsked).unwrap();
        let snapshot = store.snapshot().unwrap();
        let _ = snapshot.summary(id);
        assert!(snapshot.check_files(&[id]).unwrap_err().is_damage());
    }
    fs::write(&path, original).unwrap();
    let snapshot = open(&fixture).snapshot().unwrap();
    snapshot.check_files(&[id]).unwrap();
    snapshot.summary(id).unwrap();
}

/// A compaction meets a segment between its publication and the import's entry in the log.
#[test]
fn a_segment_that_was_merged_before_its_import_logged_it_is_not_missed() {
    let fixture = Fixture::with([1]);
    let store = &fixture.store;
    let lease = crate::lease::Lease::acquire(store.layout()).unwrap();
    import(store, [2]);
    let late: crate::log::Changes = {
        let mut changes = crate::log::Changes::default();
        for segment in store.snapshot().unwrap().segments() {
            changes.added.insert(segment.name().to_owned(), 1);
        }
        changes
    };
    compact(store);
    crate::log::append_imported(store.layout(), &lease, &late).unwrap();
    assert_holds(store, [1, 2]);
    // The same where the compaction only gave the segment another name.
    let fixture = Fixture::with([1]);
    let store = &fixture.store;
    let lease = crate::lease::Lease::acquire(store.layout()).unwrap();
    let name = store.snapshot().unwrap().segments()[0].name().to_owned();
    compact(store);
    let mut late = crate::log::Changes::default();
    late.added.insert(name, 1);
    crate::log::append_imported(store.layout(), &lease, &late).unwrap();
    assert_holds(store, [1]);
}
