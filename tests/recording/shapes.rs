//! Which groups of a program have another shape on other numbers of threads, or in another order, told by `diff`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use sheaf_tests::{program, run};

use crate::record;

/// Records a program on 1, 2 and 4 threads and compares the structure of each two.
fn structures(name: &str, args: &[&str]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), &["--threads", "1,2,4"], &program(name), args);
    let compare = |(a, b): (&str, &str)| {
        let words = [
            "diff",
            "--json",
            &format!("threads = {a}"),
            &format!("threads = {b}"),
        ];
        run(folder.path(), words).expect_code(0).json()["structure"].take()
    };
    [("1", "2"), ("1", "4"), ("2", "4")].map(compare).to_vec()
}

#[test]
fn branch_and_bound_depends_on_threads_and_the_group_is_named() {
    let found = structures("floorplan", &[]);
    let mut differing = 0;
    for structure in &found {
        assert_eq!(structure["matched_work"]["unmatched"], 0.0, "{structure}");
        let changes = structure["changes"].as_array().unwrap();
        if structure["verdict"] == "same" {
            assert!(changes.is_empty(), "{structure}");
            continue;
        }
        differing += 1;
        assert_eq!(
            structure["verdict"], "thread_count_dependent",
            "{structure}"
        );
        let reason = structure["reason"].as_str().unwrap();
        assert!(
            reason.contains("one run cannot show whether it varies"),
            "{reason}"
        );
        // The search alone; what starts it has the same shape always.
        let names: Vec<&Value> = changes
            .iter()
            .map(|change| &change["definition_b"])
            .collect();
        assert_eq!(names, ["extend (task)"], "{structure}");
        // The numbers of grains may agree by chance while these are at other depths.
        for side in ["grains_a", "grains_b"] {
            assert!(changes[0][side][0].as_u64().unwrap() > 100, "{structure}");
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
            assert_eq!(structure["verdict"], "same", "{name}: {structure}");
            assert_eq!(structure["changes"], serde_json::json!([]), "{name}");
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
        let answer = run(&store, ["diff", "--json", a, b]).expect_code(0).json();
        let structure = &answer["structure"];
        assert_eq!(structure["verdict"], "changed", "{structure}");
        let change = &structure["changes"][0];
        assert_eq!(
            structure["changes"].as_array().unwrap().len(),
            1,
            "{structure}"
        );
        assert_eq!(change["kind"], "reordered");
        // The lines are those of the sides.
        let lines = ["line_a", "line_b"].map(|line| change[line].as_i64().unwrap());
        assert_eq!((lines[0] - lines[1]).abs(), 7, "{change}");
        let rows = answer["rows"].as_array().unwrap();
        let told: BTreeMap<&str, &Value> = rows
            .iter()
            .filter(|row| row.get("structure").is_some())
            .map(|row| (row["path"][0].as_str().unwrap(), &row["structure"]))
            .collect();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told.values()
                .all(|kinds| **kinds == serde_json::json!(["reordered"]))
        );
    }
    // One program alone has one order.
    let same = run(
        &store,
        [
            "diff",
            "--json",
            "version = 0 and repeat = 1",
            "version = 0 and repeat = 2",
        ],
    );
    assert_eq!(same.expect_code(0).json()["structure"]["verdict"], "same");
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
