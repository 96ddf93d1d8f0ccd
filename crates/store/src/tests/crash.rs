//! A process that dies at any moment leaves a sound store.
//!
//! The test program runs itself again as the process that dies: before a given change of the
//! file system, or at a random time.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::{Fixture, compact, files, ids, ids_of, import, verify};
use crate::synthetic::Numbers;
use crate::{Store, disk};

const STORE: &str = "SHEAF_STORE_CRASH_STORE";
const WORK: &str = "SHEAF_STORE_CRASH_WORK";
const CHANGES: &str = "SHEAF_STORE_CRASH_CHANGES";
const COUNT: &str = "SHEAF_STORE_CRASH_COUNT";

/// Does one kind of work, and writes down how many changes it took.
fn work(store: &Store, kind: &str) {
    match kind {
        "import" => drop(import(store, 10..13)),
        "compact" => drop(compact(store)),
        "remove" => drop(store.remove(&ids_of([1])).unwrap()),
        _ => loop {
            import(store, 10..13);
            compact(store);
            store.remove(&ids_of([11])).unwrap();
        },
    }
}

/// The child's side; without the variables, there is nothing to do.
#[test]
fn child() {
    let (Ok(path), Ok(kind)) = (std::env::var(STORE), std::env::var(WORK)) else {
        return;
    };
    let store = Store::open(Path::new(&path)).unwrap();
    if let Ok(changes) = std::env::var(CHANGES) {
        disk::crash::after(changes.parse().unwrap());
    }
    let start = disk::crash::changes();
    work(&store, &kind);
    if let Ok(path) = std::env::var(COUNT) {
        let changes = disk::crash::changes() - start;
        std::fs::write(path, changes.to_string()).unwrap();
    }
}

/// Changes that a kind of work makes, counted in a process of its own: other tests of this one
/// make changes too.
fn count_changes(kind: &str) -> u64 {
    let fixture = prepared();
    let path = fixture.folder.path().join("count");
    let mut command = command(&fixture.store, kind);
    assert!(command.env(COUNT, &path).status().unwrap().success());
    std::fs::read_to_string(path).unwrap().parse().unwrap()
}

fn command(store: &Store, kind: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "tests::crash::child"])
        .env(STORE, store.path())
        .env(WORK, kind)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

fn spawn(store: &Store, kind: &str, changes: Option<u64>) -> Child {
    let mut command = command(store, kind);
    if let Some(changes) = changes {
        command.env(CHANGES, changes.to_string());
    }
    command.spawn().unwrap()
}

/// A store with two segments, a duplicate and a tombstone.
fn prepared() -> Fixture {
    let fixture = Fixture::with([1, 2]);
    import(&fixture.store, [3, 4]);
    fixture.store.remove(&ids_of([4])).unwrap();
    fixture
}

/// Kills `kind` of work before each of its changes; the runs are then those before or after it.
fn check_every_change(kind: &str, after: &[u64]) {
    let changes = count_changes(kind);
    assert!(changes > 4, "{kind} makes only {changes} changes");
    // Imports open a hundred files each: some of their changes stand for all of them.
    let step = changes.div_ceil(40);
    for point in (0..changes).step_by(usize::try_from(step).unwrap()) {
        let fixture = prepared();
        let status = spawn(&fixture.store, kind, Some(point)).wait().unwrap();
        assert!(!status.success(), "{kind} survived {point} of {changes}");
        let found = ids(&fixture.store);
        assert!(
            found == ids_of([1, 2, 3]) || found == ids_of(after.iter().copied()),
            "{kind}, killed before change {point} of {changes}"
        );
        recovers(&fixture.store);
    }
}

/// Sound at once, clean after compaction, with the same runs throughout.
fn recovers(store: &Store) {
    assert_eq!(verify(store).damaged, []);
    let before = ids(store);
    compact(store);
    let verification = verify(store);
    assert_eq!(verification.damaged, []);
    assert_eq!(verification.leftovers, Vec::<std::path::PathBuf>::new());
    assert_eq!(ids(store), before);
    // A process that died while it wrote its lease had done nothing else.
    let left = files(&store.path().join("tmp"));
    assert!(
        left.iter()
            .all(|(name, content)| name.ends_with("/lease.json") && content.is_empty())
    );
    assert!(files(&store.path().join("notes")).is_empty());
}

#[test]
fn an_import_killed_before_any_change() {
    check_every_change("import", &[1, 2, 3, 10, 11, 12]);
}

#[test]
fn a_compaction_killed_before_any_change() {
    check_every_change("compact", &[1, 2, 3]);
}

#[test]
fn a_removal_killed_before_any_change() {
    check_every_change("remove", &[2, 3]);
}

#[test]
fn everything_killed_at_random_times() {
    let mut numbers = Numbers::new(std::process::id().into());
    let fixture = prepared();
    for _ in 0..50 {
        let mut child = spawn(&fixture.store, "all", None);
        std::thread::sleep(Duration::from_millis(10 + numbers.any() % 120));
        child.kill().unwrap();
        child.wait().unwrap();
        let found = ids(&fixture.store);
        assert!(ids_of([1, 2, 3]).iter().all(|id| found.contains(id)));
        assert_eq!(verify(&fixture.store).damaged, []);
        assert!(found.len() <= 6);
    }
    recovers(&fixture.store);
}
