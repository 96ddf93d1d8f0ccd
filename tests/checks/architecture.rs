//! Holds the table of crates: who may use whom, and which packages each was given.
//!
//! A new edge or package is an architectural change: amend this table and ARCHITECTURE.md together.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use sheaf_tests::workspace_root;

/// Package, our crates that it may use, other packages that it may use. Test and build
/// dependencies are free.
const TABLE: &[(&str, &[&str], &[&str])] = &[
    (
        "sheaf-model",
        &[],
        &["arrow", "blake3", "chrono", "serde", "thiserror", "utoipa"],
    ),
    (
        "sheaf-statistics",
        &[],
        &["kodama", "libm", "rayon", "statrs"],
    ),
    ("sheaf-structure", &["sheaf-model"], &["rayon", "strsim"]),
    ("sheaf-recorder", &[], &["libc"]),
    (
        "sheaf-ingest",
        &["sheaf-model"],
        &[
            "addr2line",
            "arrow",
            "csv",
            "flate2",
            "gimli",
            "memchr",
            "object",
            "quick-xml",
            "rayon",
            "rustc-hash",
            "serde",
            "serde_json",
            "thiserror",
            "zstd",
        ],
    ),
    (
        "sheaf-store",
        &["sheaf-model"],
        &[
            "arrow",
            "blake3",
            "parquet",
            "rayon",
            "rustix",
            "serde",
            "serde_json",
            "thiserror",
        ],
    ),
    (
        "sheaf-grains",
        &[
            "sheaf-answers",
            "sheaf-model",
            "sheaf-statistics",
            "sheaf-structure",
        ],
        &["arrow", "rayon", "thiserror"],
    ),
    ("sheaf-synthetic", &["sheaf-model", "sheaf-statistics"], &[]),
    (
        "sheaf-analysis",
        &["sheaf-answers", "sheaf-model", "sheaf-statistics"],
        &["arrow", "petgraph", "rayon", "strsim", "thiserror"],
    ),
    (
        "sheaf-compare",
        &[
            "sheaf-analysis",
            "sheaf-answers",
            "sheaf-grains",
            "sheaf-model",
            "sheaf-statistics",
            "sheaf-structure",
        ],
        &["arrow", "rayon"],
    ),
    (
        "sheaf-ensemble",
        &[
            "sheaf-analysis",
            "sheaf-answers",
            "sheaf-compare",
            "sheaf-grains",
            "sheaf-ingest",
            "sheaf-model",
            "sheaf-statistics",
            "sheaf-store",
            "sheaf-structure",
        ],
        &[
            "arrow",
            "blake3",
            "csv",
            "glob",
            "libc",
            "parquet",
            "rayon",
            "rustix",
            "serde_json",
            "thiserror",
            "toml",
        ],
    ),
    (
        "sheaf-answers",
        &["sheaf-model"],
        &["serde", "serde_json", "utoipa"],
    ),
    (
        "sheaf-server",
        &["sheaf-answers", "sheaf-ensemble", "sheaf-model"],
        &[
            "actix-http",
            "actix-service",
            "actix-web",
            "arrow",
            "futures-core",
            "mime_guess",
            "rust-embed",
            "rustix",
            "serde",
            "serde_json",
            "subtle",
            "thiserror",
            "tokio",
            "tracing",
            "utoipa",
        ],
    ),
    (
        "grainsheaf",
        &[
            "sheaf-answers",
            "sheaf-ensemble",
            "sheaf-model",
            "sheaf-server",
        ],
        &[
            "anyhow",
            "clap",
            "clap_complete",
            "clap_mangen",
            "ctrlc",
            "glob",
            "indicatif",
            "libc",
            "object",
            "serde",
            "serde_json",
            "tempfile",
            "terminal_size",
            "tracing",
            "tracing-subscriber",
            "unicode-width",
        ],
    ),
    (
        "sheaf-python",
        &[
            "sheaf-answers",
            "sheaf-ensemble",
            "sheaf-model",
            "sheaf-server",
        ],
        &["arrow", "pyo3", "serde_json"],
    ),
];

#[test]
fn crates_use_only_what_the_table_allows() {
    let found = dependencies();
    let mut faults = Vec::new();
    for (package, uses) in &found {
        if package == "sheaf-tests" {
            continue;
        }
        let Some((_, ours, others)) = TABLE.iter().find(|(name, ..)| name == package) else {
            faults.push(format!("crate `{package}` is not in the table"));
            continue;
        };
        for name in uses {
            if !ours.contains(&name.as_str()) && !others.contains(&name.as_str()) {
                faults.push(format!(
                    "`{package}` uses `{name}`, which the table does not allow"
                ));
            }
        }
    }
    for (package, ..) in TABLE {
        if !found.contains_key(*package) {
            faults.push(format!("crate `{package}` of the table does not exist"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn architecture_document_names_every_crate() {
    let document = std::fs::read_to_string(workspace_root().join("ARCHITECTURE.md")).unwrap();
    for (package, ..) in TABLE {
        let folder = package.trim_start_matches("sheaf-");
        assert!(
            document.contains(&format!("`{folder}`")),
            "ARCHITECTURE.md does not say what `{folder}` owns"
        );
    }
}

/// Otherwise cargo compiles these packages, and all that use them, twice for `make test`.
#[test]
fn packages_have_the_same_features_in_builds_and_tests() {
    let in_tests = features("all");
    let differ: Vec<_> = features("no-dev")
        .into_iter()
        .filter(|(package, features)| in_tests.get(package) != Some(features))
        .map(|(package, features)| (features, in_tests.get(&package), package))
        .collect();
    assert!(
        differ.is_empty(),
        "add the features to tests/Cargo.toml: {differ:#?}"
    );
}

/// Features of each package that the workspace uses along `edges`, as `cargo tree` names them.
fn features(edges: &str) -> BTreeMap<String, BTreeSet<String>> {
    let output = run_cargo(&[
        "tree",
        "--workspace",
        "--offline",
        "--prefix=none",
        "--format={p}|{f}",
        "--edges",
        edges,
    ]);
    let mut found: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for line in output.lines() {
        let line = line.trim_end_matches(" (*)");
        let (package, features) = line.split_once('|').unwrap_or((line, ""));
        let all = found.entry(package.to_owned()).or_default();
        all.insert(features.to_owned());
    }
    found
}

fn run_cargo(words: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(words)
        .current_dir(workspace_root())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Normal dependencies of each workspace member.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let output = run_cargo(&[
        "metadata",
        "--format-version",
        "1",
        "--no-deps",
        "--offline",
    ]);
    let metadata: serde_json::Value = serde_json::from_str(&output).unwrap();
    let mut found = BTreeMap::new();
    for package in metadata["packages"].as_array().unwrap() {
        let uses = package["dependencies"].as_array().unwrap();
        let normal = uses
            .iter()
            .filter(|dependency| dependency["kind"].is_null());
        let names = normal.map(|dependency| dependency["name"].as_str().unwrap().to_owned());
        found.insert(
            package["name"].as_str().unwrap().to_owned(),
            names.collect(),
        );
    }
    found
}
