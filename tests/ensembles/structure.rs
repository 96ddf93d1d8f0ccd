//! Changes of structure between versions of a program, in the output of the command.

use std::path::Path;

use sheaf_answers::{Diff, DiffRow, Mapping, StructuralChange, StructureVerdict, Verdict};
use sheaf_tests::{ask, copy, find, run, sample, word};

fn diff(store: &Path, a: &str, b: &str, level: &str) -> Diff {
    ask(store, &["diff", "--level", level, a, b])
}

/// Kind and definitions of what happened, with how names were matched.
fn changes(diff: &Diff) -> Vec<String> {
    let changes = diff.structure.changes.iter();
    let line = |change: &StructuralChange| {
        let parts = [
            word(&change.kind),
            word(&change.definition_a),
            word(&change.definition_b),
            word(&change.matched_by),
        ];
        parts.join(" | ").replace("null", "-")
    };
    changes.map(line).collect()
}

fn row<'a>(diff: &'a Diff, name: &str) -> &'a DiffRow {
    find(&diff.rows, |row| {
        row.path.last().is_some_and(|last| last == name)
    })
}

const RENAMED: &str = "sort_range (task) → sort_block:139 (task)";

#[test]
fn version_two_of_sort_renamed_a_task_and_has_a_new_one() {
    let store = sample("versions");
    let found = diff(&store, "version=1", "version=2", "definition");
    let structure = &found.structure;
    assert_eq!(structure.verdict, StructureVerdict::Changed);
    let expected = [
        "renamed | sort_range (task) | sort_block:139 (task) | inferred",
        "appeared | - | sort_block:144 (task) | -",
    ];
    assert_eq!(changes(&found), expected);
    assert_eq!(structure.changes[0].score, Some(1.0));
    let alike = structure.changes[0].name_similarity.unwrap();
    assert!((0.4..0.7).contains(&alike), "{alike}");
    assert_eq!(structure.changes[0].runs_b, 7);
    let work = &structure.matched_work;
    assert!(work.unmatched < 0.05, "{work:?}");
    assert!(work.inferred > 0.7, "{work:?}");

    // The leaves, whose task was renamed, are slower; it is one row with both names.
    let slower = row(&found, RENAMED);
    assert_eq!(slower.verdict, Verdict::Slower);
    assert_eq!(word(&slower.matched_by), "inferred");
    assert!(slower.ratio > Some(1.5), "{slower:?}");
    assert_eq!(slower.path_a.as_deref().unwrap(), ["sort_range (task)"]);
    let new = row(&found, "sort_block:144 (task)");
    assert_eq!(new.verdict, Verdict::Appeared);

    // Nothing is lost, and the other way round it is the opposite.
    for level in ["definition", "context"] {
        let there = diff(&store, "version=1", "version=2", level);
        let back = diff(&store, "version=2", "version=1", level);
        let deltas = |diff: &Diff| -> Vec<f64> {
            let rows = diff.rows.iter();
            let mut deltas: Vec<f64> = rows.map(|row| row.delta.unwrap()).collect();
            deltas.sort_by(|a, b| a.abs().total_cmp(&b.abs()).then(a.total_cmp(b)));
            deltas
        };
        let total = there.totals.as_ref().unwrap().delta;
        // Numbers in JSON are read to within their last bit.
        let sum = sheaf_statistics::exact_sum(&deltas(&there));
        assert!((sum - total).abs() <= total.abs() * 1e-15, "{sum} {total}");
        let mut negated: Vec<f64> = deltas(&back).iter().map(|delta| 0.0 - delta).collect();
        negated.sort_by(|a, b| a.abs().total_cmp(&b.abs()).then(a.total_cmp(b)));
        assert_eq!(deltas(&there), negated);
        assert_eq!(there.structure.matched_work, back.structure.matched_work);
        let turned = [
            "renamed | sort_block:139 (task) | sort_range (task) | inferred",
            "vanished | sort_block:144 (task) | - | -",
        ];
        assert_eq!(changes(&back), turned);
    }
}

#[test]
fn the_text_tells_structure_before_times() {
    let text = run(&sample("versions"), ["diff", "version=1", "version=2"])
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
    let empty = run(&sample("versions"), ["match"]).expect_code(0).stdout;
    assert!(
        empty.contains("`grainsheaf diff A B` shows what was inferred"),
        "{empty}"
    );
}

#[test]
fn other_numbers_of_threads_do_not_change_sort() {
    let found = diff(&sample("threads"), "threads=1", "threads=8", "definition");
    let structure = &found.structure;
    assert_eq!(structure.verdict, StructureVerdict::Same, "{structure:?}");
    assert_eq!(changes(&found), Vec::<String>::new());
}

#[test]
fn what_is_said_of_definitions_travels_with_the_store() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("store");
    copy(&sample("versions"), &folder);
    let pair = "sort_range (task) = sort_block:139 (task)";
    let listed: Mapping = ask(&folder, &["match"]);
    assert_eq!(listed.pairs, []);

    let confirmed = run(&folder, ["match", "--confirm", pair, "--csv"]).expect_code(0);
    assert_eq!(
        confirmed.stdout,
        "a,b,same,note\nsort_range (task),sort_block:139 (task),true,\n"
    );
    let found = diff(&folder, "version=1", "version=2", "definition");
    assert_eq!(
        changes(&found)[0],
        "renamed | sort_range (task) | sort_block:139 (task) | confirmed"
    );
    assert_eq!(word(&row(&found, RENAMED).matched_by), "confirmed");
    assert!(found.structure.matched_work.inferred <= 0.0);
    // It holds whichever version is the baseline.
    let back = diff(&folder, "version=2", "version=1", "definition");
    assert_eq!(
        changes(&back)[0],
        "renamed | sort_block:139 (task) | sort_range (task) | confirmed"
    );

    run(&folder, ["match", "--reject", pair]).expect_code(0);
    let found = diff(&folder, "version=1", "version=2", "definition");
    assert_eq!(
        row(&found, "sort_block:139 (task)").verdict,
        Verdict::Appeared
    );
    assert_eq!(row(&found, "sort_range (task)").verdict, Verdict::Vanished);

    let listed: Mapping = ask(&folder, &["match", "--forget", pair]);
    assert_eq!(listed.pairs, []);
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
    copy(&sample("versions"), &folder);
    // It is called from fewer places under its other name.
    let pair = "sort_range (task) = sort_block:144 (task)";
    run(&folder, ["match", "--pin", pair]).expect_code(0);
    let found = diff(&folder, "version=1", "version=2", "definition");
    let both = "sort_range (task) | sort_block:144 (task) | confirmed";
    assert!(
        changes(&found).contains(&format!("vanished | {both}")),
        "{:?}",
        changes(&found)
    );
    assert!(
        changes(&found).contains(&format!("renamed | {both}")),
        "{:?}",
        changes(&found)
    );
    let structure = &found.structure;
    assert_eq!((structure.appeared, structure.vanished), (1, 0));
    let reason = structure.reason.text();
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
