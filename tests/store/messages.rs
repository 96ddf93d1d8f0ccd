//! Questions that have no answer get one clear message and the right exit code.

use sheaf_answers::Runs;
use sheaf_tests::{ask, program, run};

#[track_caller]
fn check(store: &std::path::Path, words: &[&str], code: i32, expected: &str) {
    let outcome = run(store, words).expect_code(code);
    let printed = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(printed.contains(expected), "{words:?}: {printed}");
    assert!(!printed.contains("panicked"), "{words:?}: {printed}");
}

#[test]
fn nothing_to_answer_from() {
    let folder = tempfile::tempdir().unwrap();
    let none = folder.path().join("none");
    check(&none, &["runs"], 2, "not a store");
    check(&none, &["verify"], 2, "not a store");
    let fib = program("fib");
    let store = folder.path().join("store");
    run(
        &store,
        [
            "record",
            "--quiet",
            "--threads",
            "2",
            "--",
            fib.to_str().unwrap(),
            "6",
            "0",
        ],
    )
    .expect_code(0);
    check(&store, &["info", "nobody"], 2, "no run `nobody`");
    check(
        &store,
        &["stats", "--where", "threads = 99"],
        2,
        "selects none of 1 runs",
    );
    check(
        &store,
        &["runs", "--where", "thraeds = 2"],
        2,
        "no run has `thraeds` at character 1 of `thraeds == 2`; did you mean `threads`?",
    );
    check(
        &store,
        &["runs", "--columns", "thread"],
        2,
        "no run has a parameter `thread`; did you mean `threads`?",
    );
    check(
        &store,
        &["stats", "--where", "threads =="],
        2,
        "expected a value at character 11",
    );
    check(
        &store,
        &["stats", "--metric", "wrok_ns"],
        2,
        "did you mean `work_ns`?",
    );
    check(
        &store,
        &["diff", "nobody", "threads = 2"],
        2,
        "no run `nobody`",
    );
    let answer: Runs = ask(&store, &["runs"]);
    run(&store, ["remove", &answer.runs[0].run]).expect_code(0);
    check(&store, &["stats"], 2, "the store has no runs");
    assert_eq!(ask::<Runs>(&store, &["runs"]).runs, []);
}

#[test]
fn runs_with_nothing_in_common() {
    let folder = tempfile::tempdir().unwrap();
    // The work of `sort` is so much that the runtime of `fib`, slow on a busy machine, hardly counts.
    for (name, args) in [("sort", ["3000000", ""]), ("fib", ["8", "0"])] {
        let program = program(name);
        let words = [
            "record",
            "--quiet",
            "--threads",
            "2",
            "--",
            program.to_str().unwrap(),
        ];
        let args = args.into_iter().filter(|arg| !arg.is_empty());
        run(folder.path(), words.into_iter().chain(args)).expect_code(0);
    }
    let words = ["diff", "program = sort", "program = fib"];
    check(
        folder.path(),
        &words,
        0,
        "the sides look like different programs",
    );
}
