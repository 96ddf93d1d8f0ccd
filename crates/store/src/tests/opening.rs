//! Opening stores, and what is not one.

use std::fs;
use std::path::Path;

use super::{Fixture, assert_holds, files, import, verify};
use crate::{Error, Store};

fn check(result: Result<Store, Error>, path: &Path, expected: &str) {
    let message = result.unwrap_err().to_string();
    assert_eq!(
        message.replace(&path.display().to_string(), "PATH"),
        expected
    );
}

#[test]
fn an_empty_store_is_sound() {
    let fixture = Fixture::new();
    assert_holds(&fixture.store, []);
    assert!(
        fixture
            .store
            .snapshot()
            .unwrap()
            .summaries(&[])
            .unwrap()
            .is_empty()
    );
    assert_eq!(
        files(fixture.store.path()).keys().collect::<Vec<_>>(),
        [
            "log/000000000001.json",
            "log/newest.000000000001",
            "store.json"
        ]
    );
}

#[test]
fn what_is_no_store_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none");
    check(
        Store::open(&path),
        &path,
        "not a store: there is no such folder; create one by importing into an empty folder: PATH",
    );
    fs::create_dir(&path).unwrap();
    check(
        Store::open(&path),
        &path,
        "not a store: `store.json` is missing; create one by importing into an empty folder: PATH",
    );
    fs::write(path.join("thesis.tex"), "").unwrap();
    check(
        Store::create_or_open(&path),
        &path,
        "not a store: the folder has other things in it, such as `thesis.tex`; create one by importing into an empty folder: PATH",
    );
}

#[test]
fn later_versions_are_refused() {
    let fixture = Fixture::with([1]);
    let path = fixture.store.path().join("store.json");
    fs::write(&path, r#"{"format_version": 3, "news": []}"#).unwrap();
    check(
        Store::open(fixture.store.path()),
        fixture.store.path(),
        "store has format version `3`, this version reads up to `2`; update Grainsheaf: PATH/store.json",
    );
    check(
        Store::create_or_open(fixture.store.path()),
        fixture.store.path(),
        "store has format version `3`, this version reads up to `2`; update Grainsheaf: PATH/store.json",
    );
}

#[test]
fn manifests_of_later_versions_are_refused() {
    for (what, text) in [
        ("segment", r#"{"format_version": 9, "new": 1}"#),
        (
            "table schema",
            r#"{"format_version": 1, "schema_version": 9}"#,
        ),
    ] {
        let fixture = Fixture::with([1]);
        let path = fixture.only_segment().join("manifest.json");
        fs::write(&path, text).unwrap();
        let other = Store::open(fixture.store.path()).unwrap();
        let error = other.snapshot().unwrap_err();
        assert!(
            matches!(error, Error::NewerVersion { found: 9, .. }),
            "{error}"
        );
        assert!(error.to_string().starts_with(what), "{error}");
        let damaged = verify(&other).damaged;
        assert_eq!(damaged.len(), 1, "{damaged:?}");
        assert!(damaged[0].reason.contains("update Grainsheaf"));
    }
}

#[test]
fn a_half_created_store_is_completed() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("segments")).unwrap();
    let store = Store::create_or_open(folder.path()).unwrap();
    import(&store, [1]);
    assert_holds(&store, [1]);
}

#[test]
fn unknown_runs_are_named() {
    let fixture = Fixture::new();
    let id = super::ids_of([1])[0];
    let error = fixture.store.snapshot().unwrap().tables(id).unwrap_err();
    assert_eq!(error.to_string(), format!("run `{id}` is not in the store"));
}

#[test]
fn missing_rights_are_told_apart() {
    for kind in [
        std::io::ErrorKind::PermissionDenied,
        std::io::ErrorKind::ReadOnlyFilesystem,
    ] {
        let error = Error::io("create the folder", Path::new("PATH"), kind.into());
        assert_eq!(
            error.to_string(),
            "no permission to create the folder; check the owner and mode: PATH"
        );
    }
}

/// Reading in a folder that cannot be written to; the rights are those of the child process.
#[cfg(unix)]
#[test]
fn a_read_only_store_can_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::with([1]);
    let mut folders = vec![fixture.folder.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
            }
        }
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    }
    let before = files(fixture.store.path());
    assert_holds(&Store::open(fixture.store.path()).unwrap(), [1]);
    assert_eq!(files(fixture.store.path()), before);
    let import = fixture.store.import();
    // The superuser may write anywhere.
    if let Err(error) = import {
        assert!(matches!(error, Error::Permission { .. }), "{error}");
    }
    fs::set_permissions(fixture.store.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(
        fixture.store.path().join("tmp"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
}
