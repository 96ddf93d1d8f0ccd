//! Notes are whole, whatever fails while they are written.

use std::os::unix::fs::symlink;

use super::changes::{Fault, inject};
use super::*;

#[test]
fn links_are_not_followed() {
    let store = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    let notes = Notes::of(store.path());
    let victim = outside.path().join("victim");
    std::fs::write(&victim, "precious").unwrap();
    std::fs::create_dir(store.path().join("notes")).unwrap();
    for name in ["a.txt", "a.txt.1"] {
        symlink(&victim, store.path().join("notes").join(name)).unwrap();
    }
    let error = notes.read("a.txt").unwrap_err().chain();
    assert!(error.contains("links are not followed"), "{error}");
    notes.lock().unwrap().write("a.txt", "new").unwrap();
    assert_eq!(notes.read("a.txt").unwrap().unwrap(), "new");
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious");
    std::fs::remove_dir_all(store.path().join("notes")).unwrap();
    symlink(outside.path(), store.path().join("notes")).unwrap();
    assert!(notes.lock().is_err());
    assert!(notes.read("victim").is_err());
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn unfinished_files_are_removed_and_not_listed() {
    let store = tempfile::tempdir().unwrap();
    let notes = Notes::of_batches(store.path());
    assert!(notes.names().unwrap().is_empty());
    let locked = notes.lock().unwrap();
    let left = format!(".a.txt.{}", random_name());
    std::fs::write(notes.path(&left), "half").unwrap();
    assert!(notes.names().unwrap().is_empty());
    locked.write("a.txt", "whole").unwrap();
    assert!(!notes.path(&left).exists());
    assert_eq!(notes.names().unwrap(), ["a.txt"]);
    assert_eq!(locked.bytes("a.txt"), 5);
    locked.remove("a.txt").unwrap();
    locked.remove("a.txt").unwrap();
}

#[test]
fn what_is_no_text_file_is_refused() {
    let store = tempfile::tempdir().unwrap();
    let notes = Notes::of(store.path());
    assert_eq!(notes.read("a").unwrap(), None);
    std::fs::create_dir_all(notes.path("folder")).unwrap();
    std::fs::write(notes.path("bytes"), [0xff]).unwrap();
    let large = File::create(notes.path("large")).unwrap();
    large.set_len(MAX_BYTES + 1).unwrap();
    for name in ["folder", "bytes", "large"] {
        assert!(notes.read(name).is_err(), "{name}");
    }
}

#[test]
fn a_note_that_could_not_be_read_is_not_written() {
    let store = tempfile::tempdir().unwrap();
    let notes = Notes::of(store.path());
    let locked = notes.lock().unwrap();
    locked.write("a.txt", "kept").unwrap();
    let large = "x".repeat(usize::try_from(MAX_BYTES).unwrap() + 1);
    let error = locked.write("a.txt", &large).unwrap_err();
    let source = std::error::Error::source(&error).unwrap();
    assert!(source.to_string().contains("more than 16 MB"), "{source}");
    assert_eq!(notes.read("a.txt").unwrap().unwrap(), "kept");
    assert_eq!(notes.names().unwrap(), ["a.txt"]);
}

/// Changes of a write, in order: content is durable before it has its name, and the name before the write
/// reports success.
const WRITE: [&str; 7] = [
    "make folder",
    "sync names",
    "create",
    "write",
    "sync content",
    "rename",
    "sync names",
];

fn write(store: &Path, text: &str) -> Result<(), Error> {
    Notes::of(store).lock()?.write("a.txt", text)
}

#[test]
fn a_note_whose_every_change_fails_is_the_old_or_the_new_one() {
    for fault in [Fault::Fail, Fault::Stop, Fault::Torn] {
        for is_new in [true, false] {
            let mut at = 0;
            loop {
                let store = tempfile::tempdir().unwrap();
                let old = (!is_new).then(|| "old".to_owned());
                if let Some(old) = &old {
                    write(store.path(), old).unwrap();
                }
                let (outcome, changes) = inject(at, fault, || write(store.path(), "the new one"));
                let notes = Notes::of(store.path());
                let found = notes.read("a.txt").unwrap();
                let new = Some("the new one".to_owned());
                assert!(
                    found == new || (outcome.is_err() && found == old),
                    "{fault:?} at {at}, {changes:?}: {found:?}"
                );
                write(store.path(), "the next one").unwrap();
                let read = notes.read("a.txt").unwrap().unwrap();
                assert_eq!(read, "the next one", "{fault:?} at {at}");
                let left = names(&notes.open(false).unwrap().unwrap()).unwrap();
                assert_eq!(left, [LOCK, "a.txt"], "{fault:?} at {at}");
                if at >= changes.len() {
                    outcome.unwrap();
                    let mut expected = WRITE.to_vec();
                    if !is_new {
                        expected.remove(1);
                    }
                    assert_eq!(changes, expected);
                    break;
                }
                at += 1;
            }
        }
    }
}
