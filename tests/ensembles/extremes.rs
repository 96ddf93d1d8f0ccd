//! Values as great as floats are beside small ones; and stores and selections without runs.

use serde_json::Value;
use sheaf_tests::{run, workspace_root};

use super::json;
use super::made::{Made, MadeStore, store};

/// Two versions with five runs each, of which a small function takes 1.3 times as long in the second.
fn versions(great: f64) -> MadeStore {
    let mut runs = Vec::new();
    for version in [1, 2_u32] {
        for repeat in 0..5_u32 {
            let unit = 1.0 + f64::from(repeat) / 100.0;
            let factor = if version == 1 { 1.0 } else { 1.3 };
            runs.push(Made {
                params: vec![
                    ("version", version.to_string()),
                    ("repeat", repeat.to_string()),
                ],
                times: vec![
                    ("small", 0.1 * unit * factor),
                    ("tiny", 1e-6 * unit / 3.0),
                    ("great", great * (1.0 + f64::from(repeat) / 1000.0)),
                ],
            });
        }
    }
    store(&runs, false)
}

fn number(value: &Value, name: &str) -> f64 {
    value[name]
        .as_f64()
        .unwrap_or_else(|| panic!("no {name} in {value}"))
}

#[test]
fn means_are_those_of_stats_whatever_stands_beside_them() {
    for great in [2.0, 1e16, 1e308] {
        let made = versions(great);
        let stats = json(
            &made.path(),
            &["stats", "--json", "--by", "version", "--scope", "exclusive"],
        );
        let words = ["diff", "--json", "version=1", "version=2"];
        let diff = json(&made.path(), &words);
        let rows = diff["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 4);
        let mut deltas = Vec::new();
        for row in rows {
            for (side, version) in [("a", 1), ("b", 2)] {
                let cohort = f64::from(version);
                let is_it = |own: &&Value| {
                    own["path"] == row["path"] && own["cohort"]["version"].as_f64() == Some(cohort)
                };
                let theirs = stats["rows"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .find(is_it)
                    .unwrap();
                let (own, mean) = (number(row, side), number(theirs, "mean"));
                assert!(
                    own.to_bits() == mean.to_bits(),
                    "{great} {} {own} {mean}",
                    row["path"]
                );
            }
            deltas.push(number(row, "delta"));
            if row["path"][0] == "small" {
                assert!((number(row, "ratio") - 1.3).abs() < 1e-12);
                assert!((number(row, "delta") - 0.0306).abs() < 1e-12);
            }
        }
        // Numbers in JSON are read to within their last bit.
        let sum = sheaf_statistics::exact_sum(&deltas);
        assert!((number(&diff["totals"], "delta") - sum).abs() <= great * 1e-15);
    }
    // Sums of both functions are beyond the greatest float.
    let mut runs = Vec::new();
    for version in [1, 2_u32] {
        for repeat in 0..4_u32 {
            runs.push(Made {
                params: vec![
                    ("version", version.to_string()),
                    ("repeat", repeat.to_string()),
                ],
                times: vec![
                    ("one", 1.1e308),
                    ("other", 1.2e308 + f64::from(repeat) * 1e300),
                ],
            });
        }
    }
    let made = store(&runs, false);
    let answer = json(&made.path(), &["diff", "--json", "version=1", "version=2"]);
    assert!(answer["totals"].is_null());
    let notes = answer["notes"].to_string();
    assert!(
        notes.contains("there are no totals, and no shares of them"),
        "{notes}"
    );
    let rows = answer["rows"].as_array().unwrap();
    let other = rows.iter().find(|row| row["path"][0] == "other").unwrap();
    assert!(
        number(other, "a") > 1.2e308 && other["impact"].is_null(),
        "{other}"
    );
}

#[test]
fn hints_say_what_is_true_where_no_run_is_selected() {
    let threads = workspace_root().join("data/ensembles/threads");
    let said = |words: &[&str]| run(&threads, words).expect_code(2).stderr;
    let nothing = said(&["stats", "--where", "threads=77"]);
    assert!(nothing.contains("selects none of 20 runs"), "{nothing}");
    assert!(
        nothing.contains("`grainsheaf runs` lists the runs with their parameters"),
        "{nothing}"
    );
    let side = said(&["diff", "threads=1", "threads=77"]);
    assert!(!side.contains("where"), "{side}");
    let new = said(&["stats", "--where", "run=@new"]);
    assert!(new.contains("this store holds no note of one"), "{new}");
    assert!(
        new.contains("`grainsheaf add` and `record` note the runs of each import"),
        "{new}"
    );
    // A store of which every run was removed.
    let one = Made {
        params: Vec::new(),
        times: vec![("f", 1.0)],
    };
    let made = store(&[one], false);
    let runs = json(&made.path(), &["runs", "--json"]);
    let id = runs["runs"][0]["run"].as_str().unwrap();
    run(&made.path(), ["remove", id]).expect_code(0);
    for words in [
        &["stats"][..],
        &["stats", "--where", "run=@new"],
        &["diff", "a", "b"],
    ] {
        let empty = run(&made.path(), words).expect_code(2).stderr;
        assert!(
            empty.contains("the store has no runs; add some with"),
            "{empty}"
        );
        assert!(!empty.contains("hint"), "{empty}");
    }
}
