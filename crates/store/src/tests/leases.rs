//! Leases: who works on a store, and who is dead.

use std::fs;

use sheaf_model::Progress;

use super::{Fixture, assert_holds, compact, ids, ids_of, import, verify};
use crate::Error;
use crate::lease::Lease;

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
    for name in ["maintenance", "0000000000000000"] {
        let lease = Lease::acquire(store.layout()).unwrap();
        let text = fs::read_to_string(lease.folder().path().join("lease.json")).unwrap();
        // A process that began before this one and had its number.
        let mut holder: serde_json::Value = serde_json::from_str(&text).unwrap();
        holder["started"] = "1".into();
        fs::create_dir(leases.join(name)).unwrap();
        fs::write(leases.join(name).join("lease.json"), holder.to_string()).unwrap();
    }
    let living = store.import().unwrap();
    assert_eq!(
        verify(store).leftovers,
        [leases.join("0000000000000000"), leases.join("maintenance")]
    );
    assert_eq!(compact(store).leftovers, [leases.join("0000000000000000")]);
    assert_eq!(verify(store).leftovers, Vec::<std::path::PathBuf>::new());
    drop(living);
    assert_eq!(fs::read_dir(&leases).unwrap().count(), 0);
}

#[test]
fn leases_of_other_machines_are_kept_for_a_day() {
    let fixture = Fixture::with([1]);
    let folder = fixture.store.path().join("tmp/0000000000000000");
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

/// Writes the lease of another process, as this one's with some fields changed.
fn plant(fixture: &Fixture, name: &str, change: impl FnOnce(&mut serde_json::Value)) {
    let lease = Lease::acquire(fixture.store.layout()).unwrap();
    let text = fs::read_to_string(lease.folder().path().join("lease.json")).unwrap();
    let mut holder: serde_json::Value = serde_json::from_str(&text).unwrap();
    change(&mut holder);
    let folder = fixture.store.path().join("tmp").join(name);
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("lease.json"), holder.to_string()).unwrap();
}

#[test]
fn a_lease_from_before_a_reboot_is_over_and_one_of_a_namesake_is_not() {
    let fixture = Fixture::with([1]);
    plant(&fixture, "0000000000000001", |holder| {
        holder["boot"] = "another boot".into();
    });
    plant(&fixture, "0000000000000002", |holder| {
        holder["boot"] = "another boot".into();
        holder["machine"] = "another machine of the same name".into();
    });
    let tmp = fixture.store.path().join("tmp");
    let machine = fs::read_to_string("/etc/machine-id").unwrap_or_default();
    if machine.trim().is_empty() {
        // Without an id of its own, this machine cannot be told from a namesake.
        assert_eq!(
            compact(&fixture.store).leftovers,
            Vec::<std::path::PathBuf>::new()
        );
    } else {
        assert_eq!(
            compact(&fixture.store).leftovers,
            [tmp.join("0000000000000001")]
        );
    }
    assert!(tmp.join("0000000000000002").exists());
}

#[test]
fn a_lease_is_broken_by_force_unless_its_process_runs() {
    let fixture = Fixture::with([1]);
    assert!(!fixture.store.break_lease().unwrap());
    plant(&fixture, "maintenance", |holder| {
        holder["machine"] = "another machine".into();
    });
    let error = fixture.store.compact(&Progress::silent()).unwrap_err();
    assert!(matches!(error, Error::Busy { .. }), "{error}");
    assert!(fixture.store.break_lease().unwrap());
    compact(&fixture.store);
    let lease = Lease::acquire_maintenance(fixture.store.layout()).unwrap();
    let error = fixture.store.break_lease().unwrap_err();
    assert!(matches!(error, Error::Busy { .. }), "{error}");
    lease.renew().unwrap();
}

#[test]
fn leftovers_without_a_lease_wait_a_day() {
    let fixture = Fixture::with([1]);
    let folder = fixture.store.path().join("tmp/0123456789abcdef");
    fs::create_dir(&folder).unwrap();
    assert!(compact(&fixture.store).leftovers.is_empty());
    let hours =
        |hours: u64| std::time::SystemTime::now() - std::time::Duration::from_secs(hours * 3_600);
    let handle = fs::File::open(&folder).unwrap();
    handle.set_modified(hours(23)).unwrap();
    assert!(compact(&fixture.store).leftovers.is_empty());
    handle.set_modified(hours(25)).unwrap();
    assert_eq!(compact(&fixture.store).leftovers, [folder]);
}
