//! Diffs of versions with other names: the sample program `rename`, and a program of which one function is renamed.

use std::path::Path;

use sheaf_answers::{Diff, Record, StructureVerdict, Verdict};
use sheaf_tests::{ask, program, run};

/// Records one run of a program and returns its id.
#[track_caller]
fn record(store: &Path, program: &Path) -> String {
    let words = ["record", "--json", "--quiet", "--threads", "2", "--"];
    let arguments = [program.to_str().unwrap(), "12", "200"];
    let answer = run(store, words.into_iter().chain(arguments));
    let mut answer: Record = answer.expect_code(0).read();
    answer.runs.remove(0).run
}

/// The comparison at the level of contexts, if nothing of it is on one side only.
#[track_caller]
fn check(store: &Path, before: &str, after: &str) -> Diff {
    let answer: Diff = ask(store, &["diff", before, after, "--level", "context"]);
    let structure = &answer.structure;
    assert!(structure.matched_work.unmatched <= 0.0, "{structure:?}");
    assert_ne!(structure.verdict, StructureVerdict::Different);
    for row in &answer.rows {
        let is_matched = !matches!(row.verdict, Verdict::Appeared | Verdict::Vanished);
        assert!(is_matched, "{row:?}");
    }
    answer
}

#[test]
fn what_got_another_name_or_function_is_found_with_all_its_constructs() {
    let folder = tempfile::tempdir().unwrap();
    let before = record(folder.path(), &program("rename"));
    let after = record(folder.path(), &program("version2/rename"));
    let answer = check(folder.path(), &before, &after);
    let names: Vec<String> = answer.rows.iter().map(|row| row.path.join("/")).collect();
    let tasks = names
        .iter()
        .filter(|name| name.contains("solve") && name.contains("factorise"));
    assert_eq!(tasks.count(), 4, "{names:?}");
    assert!(
        names.iter().any(|name| name.contains("smooth (loop)")),
        "{names:?}"
    );
    check(folder.path(), &after, &before);
}

/// `sed s/solve/factorise/` over the source: the machine code is the same.
#[test]
fn a_program_with_another_name_for_a_function_is_the_same_program() {
    let folder = tempfile::tempdir().unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/programs");
    let source = std::fs::read_to_string(sources.join("rename.c")).unwrap();
    let renamed = folder.path().join("rename.c");
    std::fs::write(&renamed, source.replace("solve", "factorise")).unwrap();
    let binary = folder.path().join("rename");
    let clang = ["clang-19", "clang"].into_iter().find(|name| {
        let status = std::process::Command::new(name).arg("--version").output();
        status.is_ok_and(|output| output.status.success())
    });
    let built = std::process::Command::new(clang.unwrap())
        .args([
            "-O2",
            "-g",
            "-std=c11",
            "-fopenmp",
            "-fno-optimize-sibling-calls",
        ])
        .arg("-I")
        .arg(&sources)
        .arg(&renamed)
        .arg("-o")
        .arg(&binary)
        .status();
    assert!(built.unwrap().success());
    let store = folder.path().join("store");
    let before = record(&store, &program("rename"));
    let after = record(&store, &binary);
    check(&store, &before, &after);
}
