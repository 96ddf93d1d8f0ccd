//! `make install` puts everything below one prefix, and `make uninstall` removes it.

use std::path::{Path, PathBuf};
use std::process::Command;

use sheaf_tests::{built, grainsheaf, workspace_root};

/// Every file below a folder, relative to it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    let relative = found
        .iter()
        .map(|path| path.strip_prefix(folder).unwrap().to_owned());
    let mut relative: Vec<PathBuf> = relative.collect();
    relative.sort();
    relative
}

#[test]
fn pages_and_completions_are_installed_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let built = built("grainsheaf").parent().unwrap().to_owned();
    let make = |target: &str| {
        let output = Command::new("make")
            .args(["--silent", target, "PREFIX=/usr"])
            .arg(format!("DESTDIR={}", folder.path().display()))
            .arg(format!("BUILT={}", built.display()))
            .current_dir(workspace_root())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    make("install-files");
    let installed = files(folder.path());
    for file in [
        "bin/grainsheaf",
        "lib/grainsheaf/libsheaf_recorder.so",
        "share/man/man1/grainsheaf.1",
        "share/man/man1/grainsheaf-diff.1",
        "share/bash-completion/completions/grainsheaf",
        "share/zsh/site-functions/_grainsheaf",
        "share/fish/vendor_completions.d/grainsheaf.fish",
    ] {
        let file = Path::new("usr").join(file);
        assert!(
            installed.contains(&file),
            "{} of {installed:?}",
            file.display()
        );
        assert!(folder.path().join(&file).metadata().unwrap().len() > 100);
    }
    let page =
        std::fs::read_to_string(folder.path().join("usr/share/man/man1/grainsheaf.1")).unwrap();
    assert!(page.contains("Exit status") && page.contains("the store is damaged"));
    let script = grainsheaf(folder.path())
        .args(["completions", "bash"])
        .output()
        .unwrap()
        .stdout;
    let completions = folder
        .path()
        .join("usr/share/bash-completion/completions/grainsheaf");
    assert!(std::fs::read(completions).unwrap() == script);
    make("uninstall");
    assert!(files(folder.path()).is_empty());
}
