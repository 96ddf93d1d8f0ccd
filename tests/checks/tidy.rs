//! Holds the rules on files and words of CONTRIBUTING.md.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sheaf_tests::workspace_root;

const MAX_LINES: usize = 500;

/// Words that say who or what worked here, or where, instead of what the code does.
const FORBIDDEN: &[&str] = &[
    concat!("registry.", "npmjs.org"),
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("py", "pi.org"),
    concat!("deb.", "debian.org"),
    concat!("/wo", "rk/main"),
    concat!("/ro", "ot/"),
];

#[test]
fn files_are_short() {
    let mut faults = Vec::new();
    for path in tracked(&["rs", "ts", "tsx", "py", "css", "c", "h", "sh"]) {
        if path
            .components()
            .any(|part| part.as_os_str() == "generated")
        {
            continue;
        }
        let lines = read(&path).lines().count();
        if lines > MAX_LINES {
            faults.push(format!(
                "{} has {lines} lines; split it by meaning",
                path.display()
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn rust_files_say_what_they_are_for() {
    let mut faults = Vec::new();
    for path in tracked(&["rs"]) {
        let text = read(&path);
        let first = text.lines().next().unwrap_or_default();
        if !first.starts_with("//!") && !first.starts_with("#![doc = include_str!") {
            faults.push(format!("{} has no head comment", path.display()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn crates_say_what_they_are_for() {
    for entry in fs::read_dir(workspace_root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let readme = fs::read_to_string(folder.join("README.md")).unwrap_or_default();
        let lines = readme.lines().count();
        assert!(
            lines >= 8,
            "{} says too little ({lines} lines)",
            folder.join("README.md").display()
        );
    }
}

#[test]
fn error_messages_are_worded_alike() {
    let mut faults = Vec::new();
    for path in tracked(&["rs"]) {
        let text = read(&path);
        for (number, line) in text.lines().enumerate() {
            let Some(start) = line.find("#[error(\"") else {
                continue;
            };
            let message = &line[start + 9..];
            let Some(end) = message.rfind("\")") else {
                continue;
            };
            let message = &message[..end];
            if let Some(fault) = wording_fault(message) {
                faults.push(format!(
                    "{}:{}: {fault}: {message}",
                    path.display(),
                    number + 1
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn wording_fault(message: &str) -> Option<&'static str> {
    let first_word = message.split([' ', ':']).next().unwrap_or_default();
    let is_capitalised = first_word.starts_with(char::is_uppercase)
        && !first_word.chars().skip(1).any(char::is_uppercase);
    if is_capitalised {
        return Some("starts with a capital");
    }
    if message.ends_with('.') && !message.ends_with("..") {
        return Some("ends with a full stop");
    }
    if message.to_lowercase().starts_with("error") {
        return Some("says `error`");
    }
    None
}

#[test]
fn no_panics_outside_of_tests() {
    let mut faults = Vec::new();
    for path in tracked(&["rs"]) {
        let is_source =
            path.starts_with("crates") && path.components().any(|c| c.as_os_str() == "src");
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if !is_source || name.contains("test") || path.to_string_lossy().contains("/tests/") {
            continue;
        }
        let text = read(&path);
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (number, line) in code.lines().enumerate() {
            let is_comment = line.trim_start().starts_with("//");
            let panics = [
                ".unwrap()",
                ".expect(",
                "panic!(",
                "todo!(",
                "unimplemented!(",
            ];
            if !is_comment && panics.iter().any(|call| line.contains(call)) {
                faults.push(format!(
                    "{}:{}: {}",
                    path.display(),
                    number + 1,
                    line.trim()
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn words_that_stay_out_are_out() {
    let mut faults = Vec::new();
    for path in all_tracked() {
        let Ok(text) = fs::read_to_string(workspace_root().join(&path)) else {
            continue;
        };
        for word in FORBIDDEN {
            if let Some(line) = text.lines().position(|line| line.contains(word)) {
                faults.push(format!("{}:{}: `{word}`", path.display(), line + 1));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn data_stays_small() {
    let bytes: u64 = all_tracked()
        .iter()
        .filter(|path| path.starts_with("data"))
        .filter_map(|path| fs::metadata(workspace_root().join(path)).ok())
        .map(|metadata| metadata.len())
        .sum();
    assert!(
        bytes < 20_000_000,
        "data/ holds {bytes} bytes; 20,000,000 is the limit"
    );
}

/// Tracked files with one of these endings, relative to the root.
pub(crate) fn tracked(endings: &[&str]) -> Vec<PathBuf> {
    let has_ending = |path: &PathBuf| {
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        endings.contains(&ending.as_ref())
    };
    all_tracked().into_iter().filter(has_ending).collect()
}

/// Files that git tracks, relative to the root.
fn all_tracked() -> Vec<PathBuf> {
    let output = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(workspace_root())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "`git ls-files` failed: run the tests in a git checkout"
    );
    let names = String::from_utf8(output.stdout).unwrap();
    let paths: Vec<_> = names
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(PathBuf::from)
        .collect();
    paths
        .into_iter()
        .filter(|path| workspace_root().join(path).is_file())
        .collect()
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(workspace_root().join(path)).unwrap_or_default()
}
