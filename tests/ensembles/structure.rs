//! What changed from one version of a program to the next, told by the command alone.

use std::path::{Path, PathBuf};

use serde_json::Value;
use sheaf_tests::{run, workspace_root};

fn store(name: &str) -> PathBuf {
    workspace_root().join("data/ensembles").join(name)
}

/// A copy that may be changed.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}

fn diff(store: &Path, a: &str, b: &str, level: &str) -> Value {
    run(store, ["diff", "--json", "--level", level, a, b])
        .expect_code(0)
        .json()
}

/// Kind and definitions of what happened, with how names were matched.
fn told(diff: &Value) -> Vec<String> {
    let changes = diff["structure"]["changes"].as_array().unwrap();
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let line = |change: &Value| {
        let parts = ["kind", "definition_a", "definition_b", "matched_by"];
        parts.map(|part| word(&change[part])).join(" | ")
    };
    changes.iter().map(line).collect()
}

fn row<'a>(diff: &'a Value, path: &str) -> &'a Value {
    let rows = diff["rows"].as_array().unwrap();
    let is_it = |row: &&Value| row["path"].as_array().unwrap().last().unwrap() == path;
    rows.iter()
        .find(is_it)
        .unwrap_or_else(|| panic!("no row {path}"))
}

const RENAMED: &str = "sort_range (task) → sort_block:139 (task)";

#[test]
fn version_two_of_sort_renamed_a_task_and_has_a_new_one() {
    let store = store("versions");
    let found = diff(&store, "version=1", "version=2", "definition");
    let structure = &found["structure"];
    assert_eq!(structure["verdict"], "changed");
    let expected = [
        "renamed | sort_range (task) | sort_block:139 (task) | inferred",
        "appeared | - | sort_block:144 (task) | -",
    ];
    assert_eq!(told(&found), expected);
    assert_eq!(structure["changes"][0]["score"], 1.0);
    let alike = structure["changes"][0]["name_similarity"].as_f64().unwrap();
    assert!((0.4..0.7).contains(&alike), "{alike}");
    assert_eq!(structure["changes"][0]["runs_b"], 7);
    let work = &structure["matched_work"];
    assert!(work["unmatched"].as_f64().unwrap() < 0.05, "{work}");
    assert!(work["inferred"].as_f64().unwrap() > 0.7, "{work}");

    // The leaves, whose task was renamed, are slower; it is one row with both names.
    let slower = row(&found, RENAMED);
    assert_eq!(
        (&slower["verdict"], &slower["matched_by"]),
        (&"slower".into(), &"inferred".into())
    );
    assert!(slower["ratio"].as_f64().unwrap() > 1.5, "{slower}");
    assert_eq!(slower["path_a"], serde_json::json!(["sort_range (task)"]));
    assert_eq!(row(&found, "sort_block:144 (task)")["verdict"], "appeared");

    // Nothing is lost, and the other way round it is the opposite.
    for level in ["definition", "context"] {
        let there = diff(&store, "version=1", "version=2", level);
        let back = diff(&store, "version=2", "version=1", level);
        let deltas = |diff: &Value| -> Vec<f64> {
            let rows = diff["rows"].as_array().unwrap();
            let mut deltas: Vec<f64> = rows
                .iter()
                .map(|row| row["delta"].as_f64().unwrap())
                .collect();
            deltas.sort_by(|a, b| a.abs().total_cmp(&b.abs()).then(a.total_cmp(b)));
            deltas
        };
        let total = there["totals"]["delta"].as_f64().unwrap();
        // Numbers in JSON are read to within their last bit.
        let sum = sheaf_statistics::exact_sum(&deltas(&there));
        assert!((sum - total).abs() <= total.abs() * 1e-15, "{sum} {total}");
        let mut negated: Vec<f64> = deltas(&back).iter().map(|delta| 0.0 - delta).collect();
        negated.sort_by(|a, b| a.abs().total_cmp(&b.abs()).then(a.total_cmp(b)));
        assert_eq!(deltas(&there), negated);
        assert_eq!(
            there["structure"]["matched_work"],
            back["structure"]["matched_work"]
        );
        let turned = [
            "renamed | sort_block:139 (task) | sort_range (task) | inferred",
            "vanished | sort_block:144 (task) | - | -",
        ];
        assert_eq!(told(&back), turned);
    }
}

#[test]
fn the_text_tells_structure_before_times() {
    let text = run(&store("versions"), ["diff", "version=1", "version=2"])
        .expect_code(0)
        .stdout;
    let place = |part: &str| {
        text.find(part)
            .unwrap_or_else(|| panic!("no {part} in\n{text}"))
    };
    assert!(place("changed: definitions: 1 renamed, 1 appeared") < place("\nGroups"));
    assert!(place(RENAMED) < place("\nGroups"));
    assert!(
        text.contains("inferred, score 1.00, names 50 % alike"),
        "{text}"
    );
    let empty = run(&store("versions"), ["match"]).expect_code(0).stdout;
    assert!(
        empty.contains("`grainsheaf diff A B` tells what was inferred"),
        "{empty}"
    );
}

#[test]
fn other_numbers_of_threads_do_not_change_sort() {
    let found = diff(&store("threads"), "threads=1", "threads=8", "definition");
    assert_eq!(
        found["structure"]["verdict"], "same",
        "{}",
        found["structure"]
    );
    assert_eq!(told(&found), Vec::<String>::new());
}

#[test]
fn what_is_said_of_definitions_travels_with_the_store() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("store");
    copy(&store("versions"), &folder);
    let pair = "sort_range (task) = sort_block:139 (task)";
    let listed = run(&folder, ["match", "--json"]).expect_code(0).json();
    assert_eq!(listed["pairs"], serde_json::json!([]));

    run(&folder, ["match", "--confirm", pair]).expect_code(0);
    let found = diff(&folder, "version=1", "version=2", "definition");
    assert_eq!(
        told(&found)[0],
        "renamed | sort_range (task) | sort_block:139 (task) | confirmed"
    );
    assert_eq!(row(&found, RENAMED)["matched_by"], "confirmed");
    assert_eq!(found["structure"]["matched_work"]["inferred"], 0.0);
    // It holds whichever version is the baseline.
    let back = diff(&folder, "version=2", "version=1", "definition");
    assert_eq!(
        told(&back)[0],
        "renamed | sort_block:139 (task) | sort_range (task) | confirmed"
    );

    run(&folder, ["match", "--reject", pair]).expect_code(0);
    let found = diff(&folder, "version=1", "version=2", "definition");
    assert_eq!(row(&found, "sort_block:139 (task)")["verdict"], "appeared");
    assert_eq!(row(&found, "sort_range (task)")["verdict"], "vanished");

    let listed = run(&folder, ["match", "--json", "--forget", pair])
        .expect_code(0)
        .json();
    assert_eq!(listed["pairs"], serde_json::json!([]));
    let refused = run(
        &folder,
        ["match", "--pin", "sort_rang (task) = sort_block:139 (task)"],
    );
    assert!(
        refused
            .expect_code(2)
            .stderr
            .contains("did you mean `sort_range (task)`")
    );

    let file = folder.join("notes/mapping.toml");
    std::fs::write(file, "[[same]]\na = 'x'\n").unwrap();
    let broken = run(&folder, ["diff", "version=1", "version=2"])
        .expect_code(8)
        .stderr;
    assert!(
        broken.contains("the pair has no `b`") && broken.contains("line 1"),
        "{broken}"
    );
}

#[test]
fn what_is_pinned_to_another_did_not_vanish() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("store");
    copy(&store("versions"), &folder);
    // It is called from fewer places under its other name.
    let pair = "sort_range (task) = sort_block:144 (task)";
    run(&folder, ["match", "--pin", pair]).expect_code(0);
    let found = diff(&folder, "version=1", "version=2", "definition");
    let both = "sort_range (task) | sort_block:144 (task) | confirmed";
    assert!(
        told(&found).contains(&format!("vanished | {both}")),
        "{:?}",
        told(&found)
    );
    assert!(
        told(&found).contains(&format!("renamed | {both}")),
        "{:?}",
        told(&found)
    );
    let structure = &found["structure"];
    assert_eq!(
        (&structure["appeared"], &structure["vanished"]),
        (&1.into(), &0.into())
    );
    let reason = structure["reason"].as_str().unwrap();
    assert!(
        reason.contains("1 in fewer contexts") && !reason.contains("vanished"),
        "{reason}"
    );
    let text = run(&folder, ["diff", "version=1", "version=2"])
        .expect_code(0)
        .stdout;
    assert!(
        text.contains("  fewer contexts  sort_range (task) → sort_block:144 (task)"),
        "{text}"
    );
}
