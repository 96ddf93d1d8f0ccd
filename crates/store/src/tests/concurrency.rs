//! Several importers, readers and compactions at once.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use sheaf_model::Progress;

use super::{Fixture, assert_holds, compact, ids_of, import, run, verify};
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
                match store.compact(&Progress::silent()) {
                    // An import merges small segments.
                    Ok(_) | Err(Error::Busy { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
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
