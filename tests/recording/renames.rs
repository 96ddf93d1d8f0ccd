//! Diffs of versions with other names: the sample program `rename`, and a program of which one function is renamed.

use std::path::Path;

use sheaf_answers::{CauseKind, Diff, Explanation, GrainDiff, Record, StructureVerdict, Verdict};
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

/// Regions that stand behind an inserted one are the same regions: grain by grain, and in an explanation.
#[test]
fn grains_are_followed_behind_an_inserted_region() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let region = |iterations: u32, work: u32| {
        format!(
            "#pragma omp parallel for schedule(static)
for (int i = 0; i < {iterations}; i++) busy({work});\n"
        )
    };
    let record = |name: &str, regions: &str| {
        let source = format!(
            "static void busy(int n) {{ for (volatile int i = 0; i < n; i++) {{}} }}
void step(void) {{\n{regions}}}
int main(void) {{ step(); return 0; }}\n"
        );
        record(
            &store,
            &crate::launching::compile(folder.path(), name, &source),
        )
    };
    let known = region(20, 20_000) + &region(40, 40_000);
    let before = record("before", &known);
    let after = record("after", &(region(6, 80_000) + &known));
    let words = ["diff", &before, &after, "--level", "grain"];
    let grains: GrainDiff = ask(&store, &words);
    // Two members and two chunks for each of two regions, and the initial task.
    let totals = &grains.totals;
    let counts = (totals.matched, totals.only_a, totals.only_b);
    assert_eq!(counts, (9, 0, 4), "{:?}", grains.rows);
    let answer: Explanation = ask(&store, &["explain", &before, &after]);
    for cause in answer
        .causes
        .iter()
        .filter(|cause| cause.kind == CauseKind::New)
    {
        assert!(cause.path.concat().contains("step:3"), "{cause:?}");
    }
    assert!(
        answer
            .causes
            .iter()
            .all(|cause| cause.kind != CauseKind::Vanished)
    );
}
