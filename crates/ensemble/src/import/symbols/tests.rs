//! Which files symbols are taken from.

use std::os::unix::fs::symlink;
use std::process::Command;

use super::*;

/// What becomes of a module at `path` in a folder that holds something of every kind.
fn check(allowed: &SymbolFiles, path: &Path, expected: Result<(), NoSymbols>) {
    let found = FileSystem::new(allowed).open(path).map(drop);
    assert_eq!(found, expected, "{}, {allowed:?}", path.display());
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("module"), "\x7fELF").unwrap();
    fs::create_dir(at("folder")).unwrap();
    fs::write(at("folder/inner"), "\x7fELF").unwrap();
    let made = Command::new("mkfifo").arg(at("pipe")).status().unwrap();
    assert!(made.success());
    for (name, target) in [
        ("to-zero", Path::new("/dev/zero")),
        ("to-proc", Path::new("/proc")),
        ("to-module", &at("module")),
        ("to-pipe", &at("pipe")),
        ("to-itself", &at("to-itself")),
    ] {
        symlink(target, at(name)).unwrap();
    }
    folder
}

#[test]
fn only_regular_files_outside_of_the_system_are_opened_for_symbols() {
    let folder = folder();
    for (name, expected) in [
        ("module", Ok(())),
        ("to-module", Ok(())),
        ("folder/inner", Ok(())),
        ("folder", Err(NoSymbols::Special)),
        ("pipe", Err(NoSymbols::Special)),
        ("to-pipe", Err(NoSymbols::Special)),
        ("to-zero", Err(NoSymbols::System)),
        ("to-proc/self/mem", Err(NoSymbols::System)),
        ("to-proc/self/maps", Err(NoSymbols::System)),
        ("to-itself", Err(NoSymbols::Unreadable)),
        ("nothing", Err(NoSymbols::Missing)),
        ("module/below", Err(NoSymbols::Missing)),
        ("folder/../module", Err(NoSymbols::Missing)),
    ] {
        check(&SymbolFiles::Anywhere, &folder.path().join(name), expected);
    }
    for path in [
        "/dev/zero",
        "/proc/self/mem",
        "/proc/self/exe",
        "/sys/kernel",
    ] {
        check(
            &SymbolFiles::Anywhere,
            Path::new(path),
            Err(NoSymbols::System),
        );
    }
    for path in ["module", "", "[vdso]"] {
        check(
            &SymbolFiles::Anywhere,
            Path::new(path),
            Err(NoSymbols::Missing),
        );
    }
}

#[test]
fn modules_of_other_peoples_traces_are_opened_only_in_folders_that_are_allowed() {
    let folder = folder();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "\x7fELF").unwrap();
    symlink(outside.path(), folder.path().join("folder/out")).unwrap();
    let at = |name: &str| folder.path().join(name);
    let nowhere = SymbolFiles::default();
    let below = SymbolFiles::Below(vec![at("folder")]);
    check(&nowhere, &at("module"), Err(NoSymbols::NotAllowed));
    check(&nowhere, &at("nothing"), Err(NoSymbols::NotAllowed));
    check(&below, &at("folder/inner"), Ok(()));
    check(&below, &at("module"), Err(NoSymbols::NotAllowed));
    check(&below, &at("folder/out/secret"), Err(NoSymbols::NotAllowed));
    check(&below, &at("folder-2/inner"), Err(NoSymbols::NotAllowed));
    let system = SymbolFiles::Below(vec![PathBuf::from("/")]);
    check(&system, Path::new("/proc/self/exe"), Err(NoSymbols::System));
}
