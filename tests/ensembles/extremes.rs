//! Values as great as floats are beside small ones; and stores and selections without runs.

use sheaf_answers::{Diff, Runs, Stats};
use sheaf_tests::{as_json, ask, find, run, sample, text};

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

#[test]
fn means_are_those_of_stats_whatever_stands_beside_them() {
    for great in [2.0, 1e16, 1e308] {
        let made = versions(great);
        let stats: Stats = ask(
            &made.path(),
            &["stats", "--by", "version", "--scope", "exclusive"],
        );
        let diff: Diff = ask(&made.path(), &["diff", "version=1", "version=2"]);
        assert_eq!(diff.rows.len(), 4);
        let mut deltas = Vec::new();
        for row in &diff.rows {
            for (own, version) in [(row.a, "1"), (row.b, "2")] {
                let theirs = find(&stats.rows, |it| {
                    it.path.names() == row.path && text(&it.cohort["version"]) == version
                });
                let (own, mean) = (own.unwrap(), theirs.mean.unwrap());
                assert_eq!(own.to_bits(), mean.to_bits(), "{great} {row:?}");
            }
            deltas.push(row.delta.unwrap());
            if row.path == ["small"] {
                assert!((row.ratio.unwrap() - 1.3).abs() < 1e-12);
                assert!((row.delta.unwrap() - 0.0306).abs() < 1e-12);
            }
        }
        // Numbers in JSON are read to within their last bit.
        let sum = sheaf_statistics::exact_sum(&deltas);
        assert!((diff.totals.unwrap().delta - sum).abs() <= great * 1e-15);
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
    let answer: Diff = ask(&made.path(), &["diff", "version=1", "version=2"]);
    assert!(answer.totals.is_none());
    let notes = as_json(&answer.notes);
    assert!(
        notes.contains("there are no totals, and no shares of them"),
        "{notes}"
    );
    let other = find(&answer.rows, |row| row.path == ["other"]);
    assert!(
        other.a > Some(1.2e308) && other.impact.is_none(),
        "{other:?}"
    );
}

#[test]
fn hints_say_what_is_true_where_no_run_is_selected() {
    let threads = sample("threads");
    let printed = |words: &[&str]| run(&threads, words).expect_code(2).stderr;
    let nothing = printed(&["stats", "--where", "threads=77"]);
    assert!(nothing.contains("selects none of 20 runs"), "{nothing}");
    assert!(
        nothing.contains("`grainsheaf runs` lists the runs with their parameters"),
        "{nothing}"
    );
    let side = printed(&["diff", "threads=1", "threads=77"]);
    assert!(!side.contains("where"), "{side}");
    let new = printed(&["stats", "--where", "run=@new"]);
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
    let runs: Runs = ask(&made.path(), &["runs"]);
    run(&made.path(), ["remove", &runs.runs[0].run]).expect_code(0);
    for words in [
        &["stats"][..],
        &["stats", "--where", "run=@new"],
        &["diff", "a", "b"],
    ] {
        let empty = run(&made.path(), words).expect_code(2).stderr;
        let expected = "the store has no runs\nhint: `grainsheaf record` records a program";
        assert!(empty.contains(expected), "{empty}");
    }
}
