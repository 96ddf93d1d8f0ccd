//! Links and things of others in a store's folder: nothing follows them, nothing removes them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::path::{Path, PathBuf};

use sheaf_model::Progress;

use super::{Fixture, assert_holds, compact, files, import, verify};
use crate::Store;

/// A folder outside of the store, made to look like leftovers of a store.
fn precious(fixture: &Fixture) -> PathBuf {
    let folder = fixture.folder.path().join("precious");
    fs::create_dir_all(folder.join("workspace")).unwrap();
    fs::create_dir_all(folder.join("segment-0")).unwrap();
    for name in [
        "lease.json",
        "thesis.txt",
        "workspace/data",
        "segment-0/grains.parquet",
    ] {
        fs::write(folder.join(name), "{}").unwrap();
    }
    folder
}

/// Old enough for anything that waits a day.
fn age(path: &Path) {
    let file = fs::File::open(path).unwrap();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(10 * 86_400);
    file.set_modified(old).unwrap();
}

fn maintain(store: &Store) -> Vec<PathBuf> {
    let removed = store.compact(&Progress::silent());
    let _ = store.remove_dead_workspaces();
    removed.map_or_else(|_| Vec::new(), |compaction| compaction.removed)
}

/// Maintains the store after `plant`, and returns what was outside before and after.
fn check(plant: impl FnOnce(&Fixture, &Path)) -> Fixture {
    let fixture = Fixture::with([1]);
    import(&fixture.store, [2]);
    let precious = precious(&fixture);
    let before = files(&precious);
    plant(&fixture, &precious);
    maintain(&fixture.store);
    assert_eq!(files(&precious), before);
    fixture
}

#[test]
fn a_link_in_place_of_tmp_is_refused() {
    let fixture = check(|fixture, precious| {
        let tmp = fixture.store.path().join("tmp");
        fs::remove_dir(&tmp).unwrap();
        symlink(precious.parent().unwrap(), &tmp).unwrap();
    });
    let error = fixture.store.compact(&Progress::silent()).unwrap_err();
    let text = format!("{error}: {}", std::error::Error::source(&error).unwrap());
    assert!(
        text.contains("`tmp` is a symbolic link, and links in a store are not followed"),
        "{text}"
    );
}

#[test]
fn links_in_tmp_are_reported_and_stay() {
    for name in ["0123456789abcdef", "maintenance", "other"] {
        let fixture = check(|fixture, precious| {
            age(precious);
            symlink(precious, fixture.store.path().join("tmp").join(name)).unwrap();
        });
        let link = fixture.store.path().join("tmp").join(name);
        assert!(link.is_symlink(), "{name}");
        assert!(verify(&fixture.store).foreign.contains(&link), "{name}");
    }
}

#[test]
fn links_in_leftovers_are_not_followed() {
    let fixture = check(|fixture, precious| {
        let folder = fixture.store.path().join("tmp/0123456789abcdef");
        fs::create_dir_all(folder.join("workspace")).unwrap();
        symlink(precious, folder.join("workspace/link")).unwrap();
        symlink(precious, folder.join("segment-1")).unwrap();
        fs::write(
            folder.join("lease.json"),
            r#"{"token":"0123456789abcdef","pid":1,"host":"h","started":"1"}"#,
        )
        .unwrap();
        age(&folder.join("lease.json"));
        age(&folder);
    });
    let foreign = verify(&fixture.store).foreign;
    let link = fixture.store.path().join("tmp/0123456789abcdef/segment-1");
    assert_eq!(foreign, std::slice::from_ref(&link));
    fs::remove_file(link).unwrap();
    assert_eq!(maintain(&fixture.store).len(), 1);
    assert_eq!(files(&fixture.store.path().join("tmp")), BTreeMap::new());
}

#[test]
fn links_in_place_of_segments_and_log_are_refused() {
    for name in ["segments", "log", "notes"] {
        let fixture = Fixture::with([1]);
        let folder = fixture.store.path().join(name);
        let moved = fixture.folder.path().join("moved");
        fs::rename(&folder, &moved).unwrap();
        symlink(&moved, &folder).unwrap();
        let before = files(&moved);
        let error = fixture.store.compact(&Progress::silent()).unwrap_err();
        assert!(!error.is_changed(), "{error}");
        assert!(fixture.store.remove(&super::ids_of([1])).is_err());
        assert_eq!(files(&moved), before, "{name}");
    }
}

#[test]
fn folders_of_others_below_segments_stay() {
    let fixture = check(|fixture, precious| {
        let segments = fixture.store.path().join("segments");
        let mine = segments.join("0123456789abcdef0123456789abcdef");
        fs::create_dir(&mine).unwrap();
        fs::write(mine.join("thesis.txt"), "mine").unwrap();
        age(&mine);
        fs::create_dir(segments.join("my data")).unwrap();
        age(&segments.join("my data"));
        symlink(precious, segments.join("00000000000000000000000000000000")).unwrap();
    });
    let foreign = verify(&fixture.store).foreign;
    assert_eq!(foreign.len(), 3, "{foreign:?}");
    assert_eq!(compact(&fixture.store).foreign, foreign);
    assert_holds(&fixture.store, [1, 2]);
}

#[test]
fn a_segment_with_things_of_others_in_it_is_not_removed() {
    let fixture = Fixture::with([1]);
    let segment = fixture.only_segment();
    fs::create_dir(segment.join("mine")).unwrap();
    fs::write(segment.join("mine/thesis.txt"), "mine").unwrap();
    import(&fixture.store, [2]);
    compact(&fixture.store);
    assert_eq!(
        fs::read_to_string(segment.join("mine/thesis.txt")).unwrap(),
        "mine"
    );
    assert_holds(&fixture.store, [1, 2]);
    fs::remove_dir_all(segment.join("mine")).unwrap();
    assert_eq!(compact(&fixture.store).removed, [segment]);
}

#[test]
fn files_of_another_user_stay() {
    let fixture = Fixture::with([1]);
    let folder = fixture.store.path().join("tmp/0123456789abcdef");
    fs::create_dir(&folder).unwrap();
    let lease = r#"{"token":"0123456789abcdef","pid":1,"host":"h","started":"1"}"#;
    fs::write(folder.join("lease.json"), lease).unwrap();
    age(&folder.join("lease.json"));
    if chown(&folder, Some(12_345), None).is_err() {
        // Only the superuser can give files away; what is left to check is that they were ours.
        assert_eq!(compact(&fixture.store).leftovers, [folder]);
        return;
    }
    let compaction = compact(&fixture.store);
    assert_eq!(
        (compaction.leftovers, compaction.foreign),
        (Vec::new(), vec![folder.clone()])
    );
    assert!(folder.join("lease.json").exists());
}

#[test]
fn a_plan_names_what_a_compaction_removes_and_changes_nothing() {
    let fixture = Fixture::with([1]);
    import(&fixture.store, [2]);
    let folder = fixture.store.path().join("tmp/0123456789abcdef");
    fs::create_dir(&folder).unwrap();
    age(&folder);
    let before = files(fixture.store.path());
    let plan = fixture.store.plan_compaction(&Progress::silent()).unwrap();
    assert_eq!(files(fixture.store.path()), before);
    assert!(folder.exists());
    let done = compact(&fixture.store);
    assert_eq!(plan, done);
    assert_eq!(done.removed.len(), 3, "{done:?}");
    let again = fixture.store.plan_compaction(&Progress::silent()).unwrap();
    assert_eq!(again.removed, Vec::<PathBuf>::new());
}

#[test]
fn a_manifest_that_is_a_pipe_does_not_stop_readers() {
    let fixture = Fixture::with([1]);
    let manifest = fixture.only_segment().join("manifest.json");
    fs::remove_file(&manifest).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&manifest).status();
    assert!(made.unwrap().success());
    let store = Store::open(fixture.store.path()).unwrap();
    let error = store.snapshot().unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(source, "`manifest.json` is not a regular file");
}
