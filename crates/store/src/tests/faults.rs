//! Every change of the file system fails once, at each call of each kind of work.

use std::fs;

use sheaf_model::Progress;

use super::{Fixture, assert_holds, compact, ids, ids_of, prepared, run, verify};
use crate::disk::{Fault, inject};
use crate::{Error, Store};

/// A kind of work, and the runs that there are after it.
type Work = (
    &'static str,
    fn(&Store) -> Result<(), Error>,
    &'static [u64],
);

const BEFORE: &[u64] = &[1, 2, 3];

const WORKS: [Work; 3] = [
    ("import", import_three, &[1, 2, 3, 10, 11, 12]),
    ("compact", compact_all, &[1, 2, 3]),
    ("remove", remove_one, &[2, 3]),
];

fn import_three(store: &Store) -> Result<(), Error> {
    let mut importer = store.import()?;
    for seed in 10..13 {
        importer.add(run(seed))?;
    }
    importer.publish().map(drop)
}

fn compact_all(store: &Store) -> Result<(), Error> {
    store.compact(&Progress::silent()).map(drop)
}

fn remove_one(store: &Store) -> Result<(), Error> {
    store.remove(&ids_of([1])).map(drop)
}

/// Makes the process of this test one that is known to be dead.
fn bury_leases(store: &Store) {
    for entry in fs::read_dir(store.path().join("tmp")).unwrap() {
        let path = entry.unwrap().path().join("lease.json");
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        if let Ok(mut holder) = serde_json::from_str::<serde_json::Value>(&text) {
            holder["started"] = "1".into();
            fs::write(&path, holder.to_string()).unwrap();
        }
    }
}

/// What holds after any failure: the runs are those before or after, and when the work reported
/// success, those after. The store is sound and the same work can be done.
fn check(fixture: &Fixture, (name, work, after): Work, outcome: &Result<(), Error>, at: &str) {
    let store = &fixture.store;
    assert_eq!(verify(store).damaged, [], "{name}, {at}");
    let found = ids(store);
    let is_after = found == ids_of(after.iter().copied());
    assert!(
        is_after || (outcome.is_err() && found == ids_of(BEFORE.iter().copied())),
        "{name}, {at}: {outcome:?}"
    );
    bury_leases(store);
    work(store).unwrap_or_else(|error| panic!("{name} again, {at}: {error}"));
    compact(store);
    assert_holds(store, after.iter().copied());
    let left = verify(store);
    assert_eq!(
        left.leftovers,
        Vec::<std::path::PathBuf>::new(),
        "{name}, {at}"
    );
    assert!(super::files(&store.path().join("notes")).is_empty());
}

fn check_every_change(fault: Fault) {
    for kind in WORKS {
        let (name, work, _) = kind;
        let mut at = 0;
        loop {
            let fixture = prepared();
            let (outcome, changes) = inject(at, fault, || work(&fixture.store));
            if at >= changes {
                assert!(at > 10, "{name} makes only {at} changes");
                break;
            }
            check(
                &fixture,
                kind,
                &outcome,
                &format!("{fault:?} at {at} of {changes}"),
            );
            at += 1;
        }
    }
}

#[test]
fn work_whose_every_change_fails_once_loses_nothing() {
    check_every_change(Fault::Fail);
}

#[test]
fn work_on_a_disk_that_fills_up_at_every_change_loses_nothing() {
    check_every_change(Fault::Full);
}

#[test]
fn work_whose_every_write_is_short_succeeds() {
    check_every_change(Fault::Short);
}

#[test]
fn work_stopped_before_every_change_loses_nothing() {
    check_every_change(Fault::Stop);
}
