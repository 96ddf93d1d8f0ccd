//! Compaction and removal.

use proptest::prelude::*;
use sheaf_model::{Progress, RunMeta, RunSource, RunTables};

use super::{Fixture, assert_holds, compact, files, ids, ids_of, import, run};
use crate::synthetic::programs;
use crate::{Error, Store};

/// What is under `segments` after compaction of imports of the given seeds.
fn compacted(imports: &[Vec<u64>]) -> std::collections::BTreeMap<String, Vec<u8>> {
    let fixture = Fixture::new();
    for seeds in imports {
        import(&fixture.store, seeds.iter().copied());
    }
    compact(&fixture.store);
    files(&fixture.store.path().join("segments"))
}

#[test]
fn import_order_leaves_no_trace() {
    let once = compacted(&[(0..10).collect()]);
    assert_eq!(
        once.keys()
            .filter(|name| name.ends_with("manifest.json"))
            .count(),
        1
    );
    assert_eq!(compacted(&[(0..10).rev().collect()]), once);
    assert_eq!(
        compacted(&[vec![3, 1], vec![0, 2, 9, 8], (4..8).collect()]),
        once
    );
    assert_eq!(
        compacted(&(0..10).map(|seed| vec![seed]).collect::<Vec<_>>()),
        once
    );
    assert_ne!(compacted(&[(0..9).collect()]), once);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn any_split_of_imports_gives_the_same_bytes(owners in prop::collection::vec(0_u64..4, 12)) {
        let imports: Vec<Vec<u64>> = (0..4)
            .map(|import| (0_u64..).zip(&owners).filter(|(_, owner)| **owner == import).map(|(seed, _)| seed).collect())
            .collect();
        prop_assert_eq!(compacted(&imports), compacted(&[(0..12).collect()]));
    }
}

fn mixed_runs() -> Vec<RunTables> {
    vec![
        programs::recursion(1, 20),
        programs::loops(2, 300_000),
        programs::profile(3, 74, 22),
        programs::profile(4, 600, 22),
        run(5),
    ]
}

#[test]
fn large_and_small_runs_are_compacted_to_the_same_bytes() {
    let runs = mixed_runs();
    let segments = |imports: &[&[usize]]| {
        let fixture = Fixture::new();
        for import in imports {
            let mut importer = fixture.store.import().unwrap();
            for index in *import {
                importer.add(runs[*index].clone()).unwrap();
            }
            importer.publish().unwrap();
        }
        compact(&fixture.store);
        files(&fixture.store.path().join("segments"))
    };
    let once = segments(&[&[0, 1, 2, 3, 4]]);
    assert!(segments(&[&[4], &[3, 0], &[2], &[1]]) == once);
    assert!(segments(&[&[4, 1], &[2, 3, 0]]) == once);
}

#[test]
fn a_single_import_is_only_renamed() {
    let fixture = Fixture::with(0..5);
    let first = compact(&fixture.store);
    assert_eq!(
        (first.runs, first.segments, first.written, first.retired),
        (5, 1, 0, 0)
    );
    let before = files(fixture.store.path());
    let again = compact(&fixture.store);
    assert_eq!((again.written, again.retired), (0, 0));
    assert_eq!(files(fixture.store.path()), before);
    assert_holds(&fixture.store, 0..5);
}

#[test]
fn compacting_nothing_is_fine() {
    let fixture = Fixture::new();
    assert_eq!(compact(&fixture.store), crate::Compaction::default());
    assert_holds(&fixture.store, []);
}

#[test]
fn removed_runs_are_gone_and_can_return() {
    let fixture = Fixture::with(0..4);
    let store = &fixture.store;
    let gone = ids_of([2])[0];
    let removal = store.remove(&[gone, ids_of([77])[0]]).unwrap();
    assert_eq!(
        (removal.removed, removal.unknown),
        (vec![gone], ids_of([77]))
    );
    assert_holds(store, [0, 1, 3]);
    import(store, [2]);
    assert_holds(store, 0..4);
    store.remove(&[gone]).unwrap();
    assert_holds(store, [0, 1, 3]);
    compact(store);
    assert_holds(store, [0, 1, 3]);
    assert!(files(&store.path().join("notes")).is_empty());
    import(store, [2]);
    compact(store);
    assert_eq!(
        files(&store.path().join("segments")),
        compacted(&[(0..4).collect()])
    );
}

#[test]
fn removed_runs_come_back_until_compaction() {
    let fixture = Fixture::with(0..4);
    let store = &fixture.store;
    let two = ids_of([1, 2]);
    store.remove(&two).unwrap();
    assert_holds(store, [0, 3]);
    // All or none.
    assert!(store.restore(&ids_of([1, 77])).is_err());
    assert!(store.restore(&ids_of([0])).is_err());
    assert_holds(store, [0, 3]);
    store.restore(&two).unwrap();
    assert_holds(store, 0..4);
    assert!(
        store
            .verify(&Progress::silent())
            .unwrap()
            .damaged
            .is_empty()
    );
    assert!(store.restore(&two).is_err());
    // Removed again, although the file of the tombstone is there.
    store.remove(&two).unwrap();
    assert_holds(store, [0, 3]);
    store.restore(&ids_of([1])).unwrap();
    compact(store);
    assert_holds(store, [0, 1, 3]);
    assert!(store.restore(&ids_of([2])).is_err());
    assert!(files(&store.path().join("notes")).is_empty());
}

#[test]
fn a_run_that_returns_into_its_old_segment_is_visible() {
    let fixture = Fixture::with([1]);
    let store = &fixture.store;
    compact(store);
    store.remove(&ids_of([1])).unwrap();
    import(store, [1]);
    assert_holds(store, [1]);
    compact(store);
    assert_holds(store, [1]);
    assert!(files(&store.path().join("notes")).is_empty());
}

#[test]
fn a_run_in_two_segments_has_the_metadata_that_comes_first() {
    let folders = [["b", "a"], ["a", "b"]].map(|names| {
        let fixture = Fixture::new();
        let importers = names.map(|name| {
            let mut renamed = run(1);
            renamed.summary.meta_mut().name = name.to_owned();
            let mut importer = fixture.store.import().unwrap();
            importer.add(renamed).unwrap();
            importer
        });
        for importer in importers {
            importer.publish().unwrap();
        }
        let snapshot = fixture.store.snapshot().unwrap();
        assert_eq!(snapshot.runs().len(), 1);
        assert_eq!(snapshot.segments().len(), 2);
        assert_eq!(snapshot.runs()[0].meta.name, "a");
        compact(&fixture.store);
        assert_holds(&fixture.store, [1]);
        files(&fixture.store.path().join("segments"))
    });
    assert_eq!(folders[0], folders[1]);
}

#[test]
fn a_reader_of_an_old_snapshot_is_told() {
    let fixture = Fixture::with([1]);
    import(&fixture.store, [2]);
    let old = fixture.store.snapshot().unwrap();
    compact(&fixture.store);
    let id = ids_of([1])[0];
    let error = old.tables(id).unwrap_err();
    assert!(error.is_changed(), "{error}");
    let mut first = Some(old);
    let read = fixture
        .store
        .with_snapshot(|snapshot| first.take().as_ref().unwrap_or(snapshot).tables(id));
    assert_eq!(read.unwrap().content_id(), id);
}

#[test]
fn a_cancelled_compaction_changes_nothing() {
    let fixture = Fixture::with([1]);
    import(&fixture.store, [2]);
    let before = files(fixture.store.path());
    let progress = Progress::silent();
    progress.cancel();
    let error = fixture.store.compact(&progress).unwrap_err();
    assert!(matches!(error, Error::Cancelled(_)), "{error}");
    assert_eq!(files(fixture.store.path()), before);
    assert!(matches!(
        fixture.store.verify(&progress),
        Err(Error::Cancelled(_))
    ));
}

#[test]
fn clones_and_other_handles_see_changes() {
    let fixture = Fixture::with([1]);
    let other = Store::open(fixture.store.path()).unwrap();
    assert_eq!(ids(&other), ids_of([1]));
    import(&fixture.store, [2]);
    assert_eq!(ids(&other), ids_of([1, 2]));
    compact(&other);
    assert_eq!(ids(&fixture.store.clone()), ids_of([1, 2]));
}

/// Imports a run several times, each time with its metadata changed, and compacts.
fn described<T>(
    changes: &[T],
    change: fn(&mut RunMeta, &T),
) -> std::collections::BTreeMap<String, Vec<u8>> {
    let fixture = Fixture::new();
    for one in changes {
        let mut again = run(1);
        change(again.summary.meta_mut(), one);
        let mut importer = fixture.store.import().unwrap();
        importer.add(again).unwrap();
        importer.publish().unwrap();
        let snapshot = fixture.store.snapshot().unwrap();
        assert_eq!(snapshot.runs().len(), 1);
    }
    compact(&fixture.store);
    files(&fixture.store.path().join("segments"))
}

#[test]
fn the_same_content_under_two_descriptions_is_decided_by_content() {
    let named = |names: &[&str]| described(names, |meta, name| (*name).clone_into(&mut meta.name));
    let expected = named(&["first"]);
    assert_eq!(named(&["first", "second"]), expected);
    assert_eq!(named(&["second", "first"]), expected);
    assert_eq!(named(&["second", "first", "third", "first"]), expected);
    assert_ne!(named(&["second"]), expected);
}

#[test]
fn the_same_content_of_two_files_is_decided_by_content() {
    // An empty name stands for a run of an earlier version, which has no source.
    let from = |files: &[&str]| {
        described(files, |meta, file| {
            meta.source = (!file.is_empty()).then(|| RunSource {
                file: (*file).to_owned(),
                files: 1,
                bytes: 7,
                reader: "0.1.0".to_owned(),
            });
        })
    };
    let expected = from(&["a"]);
    let manifest = expected
        .iter()
        .find(|(name, _)| name.ends_with("manifest.json"));
    let text = String::from_utf8(manifest.unwrap().1.clone()).unwrap();
    let source = r#""source":{"file":"a","files":1,"bytes":7,"reader":"0.1.0"}"#;
    assert!(text.contains(source), "{text}");
    for files in [&["a", "b"][..], &["b", "a"], &["", "a"], &["b", "", "a"]] {
        assert_eq!(from(files), expected, "{files:?}");
    }
    assert_ne!(from(&["b"]), expected);
    let without = from(&[""]);
    let has_source =
        |(_, bytes): (&String, &Vec<u8>)| bytes.windows(8).any(|window| window == b"\"source\"");
    assert!(!without.iter().any(has_source));
}

#[test]
fn imports_merge_small_segments_and_keep_removals() {
    let fixture = Fixture::new();
    for seed in 0..40 {
        import(&fixture.store, [seed]);
        if seed == 20 {
            fixture.store.remove(&ids_of([3, 18])).unwrap();
        }
    }
    let left = (0..40).filter(|seed| ![3, 18].contains(seed));
    assert_holds(&fixture.store, left.clone());
    let segments = fixture.store.snapshot().unwrap().num_segments();
    assert_eq!(segments, 5, "merged ones of eight");
    let merged = files(&fixture.store.path().join("segments"));
    compact(&fixture.store);
    assert_holds(&fixture.store, left.clone());
    assert_ne!(files(&fixture.store.path().join("segments")), merged);
    let at_once = Fixture::with(left);
    compact(&at_once.store);
    assert_eq!(
        files(&fixture.store.path().join("segments")),
        files(&at_once.store.path().join("segments"))
    );
    assert_eq!(ids(&fixture.store).len(), 38);
}
