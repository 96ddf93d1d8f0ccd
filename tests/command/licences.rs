//! `grainsheaf licenses` prints the licence of every package that is in the binary.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use sheaf_tests::{run, workspace_root};

/// Name and version of each package below the binary, the extension module and the recorder, without build and test dependencies.
fn linked() -> BTreeSet<(String, String)> {
    let output = Command::new("cargo")
        .args([
            "tree",
            "--locked",
            "--offline",
            "--edges",
            "normal,no-proc-macro",
        ])
        .args(["--target", "x86_64-unknown-linux-gnu", "--prefix", "none"])
        .args([
            "--format",
            "{p}",
            "-p",
            "grainsheaf",
            "-p",
            "sheaf-python",
            "-p",
            "sheaf-recorder",
        ])
        .current_dir(workspace_root())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let mut found = BTreeSet::new();
    // Ours have their folder in parentheses.
    let lines = text.lines().map(|line| line.trim_end_matches(" (*)"));
    for line in lines.filter(|line| !line.contains('(')) {
        let mut words = line.split(' ');
        if let (Some(name), Some(version)) = (words.next(), words.next()) {
            found.insert((name.to_owned(), version.trim_start_matches('v').to_owned()));
        }
    }
    found
}

/// Name and version of each package that the page is made of.
fn bundled() -> BTreeSet<(String, String)> {
    let lock =
        std::fs::read_to_string(workspace_root().join("frontend/package-lock.json")).unwrap();
    let lock: Value = serde_json::from_str(&lock).unwrap();
    let packages = lock["packages"].as_object().unwrap();
    let is_ours = |name: &str| name.starts_with("@grainsheaf/");
    let mut names: Vec<String> = vec!["@grainsheaf/app".to_owned()];
    let mut found = BTreeSet::new();
    while let Some(name) = names.pop() {
        let entry = &packages[&format!("node_modules/{name}")];
        let target = entry["resolved"].as_str().filter(|_| entry["link"] == true);
        let entry = target.map_or(entry, |target| &packages[target]);
        if !is_ours(&name) && !found.insert((name, entry["version"].as_str().unwrap().to_owned())) {
            continue;
        }
        let needed = entry["dependencies"].as_object();
        names.extend(needed.into_iter().flat_map(|all| all.keys().cloned()));
    }
    found
}

#[test]
fn every_package_in_the_binary_is_listed_with_its_licence() {
    let text = run(Path::new("."), ["licenses"]).expect_code(0).stdout;
    let refused = run(Path::new("."), ["licenses", "--json"]).expect_code(2);
    assert_eq!(refused.stdout, "");
    let head = text.split("\n\n").nth(1).unwrap();
    let mut listed = BTreeSet::new();
    for line in head.lines() {
        let mut words = line.split_whitespace();
        let (name, version) = (words.next().unwrap(), words.next().unwrap());
        assert!(words.next().is_some(), "`{name}` has no licence");
        assert!(
            text.contains(&format!("\n{name} {version}\n")),
            "`{name}` has no text"
        );
        listed.insert((name.to_owned(), version.to_owned()));
    }
    let needed: BTreeSet<_> = linked().union(&bundled()).cloned().collect();
    assert!(needed.len() > 100);
    assert_eq!(listed, needed, "run `make licences`");
    for line in [
        "Permission is hereby granted, free of charge",
        "Apache License",
    ] {
        assert!(text.contains(line), "{line}");
    }
}
