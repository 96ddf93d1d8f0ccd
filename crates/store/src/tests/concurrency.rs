//! Several importers, readers and compactions at once.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs, thread};

use sheaf_model::Progress;

use super::{Fixture, assert_holds, compact, ids, ids_of, import, run, verify};
use crate::lease::Lease;
use crate::{Error, Store};

#[test]
fn the_same_run_imported_twice_at_once_is_one_run() {
    let fixture = Fixture::new();
    let start = Barrier::new(2);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let store = Store::open(fixture.store.path()).unwrap();
                let mut importer = store.import().unwrap();
                start.wait();
                for seed in 0..5 {
                    importer.add(run(seed)).unwrap();
                }
                importer.publish().unwrap();
            });
        }
    });
    assert_eq!(verify(&fixture.store).segments, 2);
    assert_holds(&fixture.store, 0..5);
    compact(&fixture.store);
    assert_eq!(verify(&fixture.store).segments, 1);
    assert_holds(&fixture.store, 0..5);
}

#[test]
fn importers_readers_and_compactions_get_along() {
    let fixture = Fixture::with([0]);
    let known = ids_of([0])[0];
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let importers: Vec<_> = (0..2)
            .map(|importer| {
                let path = fixture.store.path();
                scope.spawn(move || {
                    let store = Store::open(path).unwrap();
                    for seed in 1..25 {
                        import(&store, [importer * 20 + seed]);
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            let store = Store::open(fixture.store.path()).unwrap();
            while !is_over.load(Ordering::Relaxed) {
                compact(&store);
            }
        });
        scope.spawn(|| {
            let store = Store::open(fixture.store.path()).unwrap();
            let mut last = 0;
            while !is_over.load(Ordering::Relaxed) {
                let runs = store
                    .with_snapshot(|snapshot| {
                        let ids: Vec<_> = snapshot.runs().iter().map(|run| run.meta.id).collect();
                        assert_eq!(snapshot.tables(known)?.content_id(), known);
                        Ok(snapshot.summaries(&ids)?.len())
                    })
                    .unwrap();
                assert!(runs >= last, "a run disappeared: {runs} after {last}");
                last = runs;
                assert_eq!(verify(&store).damaged, []);
            }
        });
        for importer in importers {
            importer.join().unwrap();
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_holds(&fixture.store, 0..45);
}

#[test]
fn only_one_process_maintains_a_store() {
    let fixture = Fixture::with([1]);
    let lease = Lease::acquire_maintenance(fixture.store.layout()).unwrap();
    for error in [
        fixture.store.compact(&Progress::silent()).unwrap_err(),
        fixture.store.remove(&ids_of([1])).unwrap_err(),
    ] {
        assert!(matches!(error, Error::Busy { .. }), "{error}");
    }
    import(&fixture.store, [2]);
    drop(lease);
    compact(&fixture.store);
    assert_holds(&fixture.store, [1, 2]);
}

#[test]
fn what_dead_processes_left_is_removed() {
    let fixture = Fixture::with([1]);
    let store = &fixture.store;
    let leases = store.path().join("tmp");
    for name in ["maintenance", "0000"] {
        let lease = Lease::acquire(store.layout()).unwrap();
        let text = fs::read_to_string(lease.folder().join("lease.json")).unwrap();
        // A process that began before this one and had its number.
        let mut holder: serde_json::Value = serde_json::from_str(&text).unwrap();
        holder["started"] = "1".into();
        fs::create_dir(leases.join(name)).unwrap();
        fs::write(leases.join(name).join("lease.json"), holder.to_string()).unwrap();
    }
    let living = store.import().unwrap();
    assert_eq!(
        verify(store).leftovers,
        [leases.join("0000"), leases.join("maintenance")]
    );
    assert_eq!(compact(store).leftovers, [leases.join("0000")]);
    assert_eq!(verify(store).leftovers, Vec::<std::path::PathBuf>::new());
    drop(living);
    assert_eq!(fs::read_dir(&leases).unwrap().count(), 0);
}

#[test]
fn leases_of_other_machines_are_kept_for_a_day() {
    let fixture = Fixture::with([1]);
    let folder = fixture.store.path().join("tmp/0000");
    fs::create_dir(&folder).unwrap();
    let path = folder.join("lease.json");
    fs::write(
        &path,
        r#"{"token":"t","pid":1,"host":"far away","started":"1"}"#,
    )
    .unwrap();
    assert!(compact(&fixture.store).leftovers.is_empty());
    let day = std::time::Duration::from_secs(25 * 60 * 60);
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(std::time::SystemTime::now() - day)
        .unwrap();
    assert_eq!(compact(&fixture.store).leftovers, [folder]);
    assert_eq!(ids(&fixture.store), ids_of([1]));
}
