//! Which groups of a program have another shape on other numbers of threads, or in another order, as `diff` prints it.

use std::path::Path;
use std::process::Command;

use sheaf_answers::{ChangeKind, Diff, StructureChange, StructureVerdict};
use sheaf_tests::{as_json, ask, program, run};

use crate::record;

/// Records a program on 1, 2 and 4 threads and compares the structure of each two.
fn structures(name: &str, args: &[&str]) -> Vec<StructureChange> {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), &["--threads", "1,2,4"], &program(name), args);
    let compare = |(a, b): (&str, &str)| {
        let [a, b] = [a, b].map(|threads| format!("threads = {threads}"));
        ask::<Diff>(folder.path(), &["diff", &a, &b]).structure
    };
    [("1", "2"), ("1", "4"), ("2", "4")].map(compare).to_vec()
}

#[test]
fn branch_and_bound_depends_on_threads_and_the_group_is_named() {
    let found = structures("floorplan", &[]);
    let mut differing = 0;
    for structure in &found {
        assert!(structure.matched_work.unmatched <= 0.0, "{structure:?}");
        let changes = &structure.changes;
        if structure.verdict == StructureVerdict::Same {
            assert!(changes.is_empty(), "{structure:?}");
            continue;
        }
        differing += 1;
        let expected = StructureVerdict::ThreadCountDependent;
        assert_eq!(structure.verdict, expected, "{structure:?}");
        let reason = as_json(&structure.reason);
        assert!(
            reason.contains("one run cannot show whether it varies"),
            "{reason}"
        );
        // The search alone; what starts it has the same shape always.
        let names = changes.iter();
        let names: Vec<_> = names
            .map(|change| change.definition_b.as_deref().unwrap())
            .collect();
        assert_eq!(names, ["extend (task)"], "{structure:?}");
        // The numbers of grains may agree by chance while these are at other depths.
        for grains in [changes[0].grains_a, changes[0].grains_b] {
            assert!(grains.unwrap()[0] > 100, "{structure:?}");
        }
    }
    assert!(
        differing > 0,
        "the search is pruned by timing; three runs agree: {found:?}"
    );
}

#[test]
fn what_is_the_same_on_all_threads_is_said_to_be() {
    for (name, args) in [("fib", &["16", "0"][..]), ("sort", &["200000"])] {
        for structure in structures(name, args) {
            assert_eq!(structure.verdict, StructureVerdict::Same, "{name}");
            assert_eq!(structure.changes, [], "{name}");
        }
    }
}

/// Two tasks in an order, so many lines down. Something follows each, as a last call would hide its caller.
fn two_tasks(first: &str, second: &str, blank: usize) -> String {
    let task = |name: &str| {
        format!(
            "__attribute__((noinline)) static void {name}(void) {{\n    #pragma omp task\n    \
             for (int i = 0; i < 1000; i++) spin += i;\n    spin++;\n}}\n"
        )
    };
    let lines = "\n".repeat(blank);
    let (left, right) = (task("left"), task("right"));
    format!(
        "static volatile long spin;\n{lines}{left}{right}int main(void) {{\n    #pragma omp parallel\n    \
         #pragma omp single\n    {{ {first}(); {second}(); }}\n    return 0;\n}}\n"
    )
}

fn compile(folder: &Path, source: &str) -> std::path::PathBuf {
    std::fs::create_dir(folder).unwrap();
    let (file, out) = (folder.join("two.c"), folder.join("two"));
    std::fs::write(&file, source).unwrap();
    let compiled = Command::new("clang-19")
        .args(["-O1", "-g", "-fopenmp", "-o"])
        .args([&out, &file])
        .output()
        .expect("`clang-19` starts; `tests/setup.sh packages` installs it");
    let faults = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{faults}");
    out
}

#[test]
fn tasks_in_another_order_are_reordered_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let programs = [("left", "right", 0), ("right", "left", 7)];
    for (number, (first, second, blank)) in programs.into_iter().enumerate() {
        let out = compile(
            &folder.path().join(number.to_string()),
            &two_tasks(first, second, blank),
        );
        let version = format!("version={number}");
        record(
            &store,
            &["--threads", "2", "--repeat", "2", "--param", &version],
            &out,
            &[],
        );
    }
    for (a, b) in [
        ("version = 0", "version = 1"),
        ("version = 1", "version = 0"),
    ] {
        let answer: Diff = ask(&store, &["diff", a, b]);
        let structure = &answer.structure;
        assert_eq!(structure.verdict, StructureVerdict::Changed);
        let [change] = structure.changes.as_slice() else {
            panic!("{structure:?}");
        };
        assert_eq!(change.kind, ChangeKind::Reordered);
        // The lines are those of the sides.
        let lines = change.line_a.unwrap() - change.line_b.unwrap();
        assert_eq!(lines.abs(), 7, "{change:?}");
        let changed = answer.rows.iter().filter(|row| !row.structure.is_empty());
        let kinds: Vec<_> = changed.map(|row| row.structure.as_slice()).collect();
        assert_eq!(kinds, [[ChangeKind::Reordered]]);
    }
    // One program alone has one order.
    let sides = ["version = 0 and repeat = 1", "version = 0 and repeat = 2"];
    let same: Diff = ask(&store, &["diff", sides[0], sides[1]]);
    assert_eq!(same.structure.verdict, StructureVerdict::Same);
    let words = [
        "diff",
        "version = 0",
        "version = 1",
        "--fail-on",
        "structure",
    ];
    let text = run(&store, words).expect_code(1).stdout;
    assert!(text.contains("changed: definitions: 1 reordered"), "{text}");
    let csv = run(&store, ["diff", "version = 0", "version = 1", "--csv"])
        .expect_code(0)
        .stdout;
    assert!(
        csv.lines().any(|line| line.ends_with(",reordered")),
        "{csv}"
    );
}
