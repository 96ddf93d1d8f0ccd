//! What must not change a diff, and what must change it in one way alone.

use std::sync::Arc;

use sheaf_model::{Lens, Progress, RunSummary};

use super::*;
use sheaf_synthetic::testing;

/// Three runs of a program.
const BEFORE: &str = "
    run a1
      main work_ns 5@0.0
      main/sort work_ns 30@0.0 10@0.1 ; grains 10@0.0 2@0.1
      main/sort/leaf work_ns 20@0.0 7@0.1 ; grains 30@0.0 3@0.1
      main/io work_ns 40@0.0
    run a2
      main work_ns 6@0.0
      main/sort work_ns 31@0.0 10@0.1 ; grains 10@0.0 2@0.1
      main/sort/leaf work_ns 22@0.0 7@0.1 ; grains 30@0.0 3@0.1
      main/io work_ns 44@0.0
    run a3
      main work_ns 4@0.0
      main/sort work_ns 33@0.0 10@0.1 ; grains 10@0.0 2@0.1
      main/sort/leaf work_ns 20@0.0 8@0.1 ; grains 30@0.0 3@0.1
      main/io work_ns 41@0.0";

/// The same program, a tenth slower in places.
fn after() -> String {
    BEFORE
        .replace("run a", "run b")
        .replace("40@0.0", "45@0.0")
        .replace("20@0.0", "23@0.0")
}

fn diff_of(level: &str, a: &[Arc<RunSummary>], b: &[Arc<RunSummary>], is_turned: bool) -> Diff {
    let lens: Lens = format!("level {level}").parse().unwrap();
    let mut all: Vec<_> = a.iter().chain(b).cloned().collect();
    if is_turned {
        all.reverse();
        all.rotate_left(1);
    }
    let state = sheaf_analysis::partial(&lens, &all, &Progress::silent()).unwrap();
    let select = |name: &str, runs: &[Arc<RunSummary>]| {
        DiffSelection::new(name, runs.iter().map(|run| run.meta.id).collect())
    };
    let sides = [select("a", a), select("b", b)];
    let (options, mapping) = (DiffOptions::default(), Mapping::default());
    finish_diff(&lens, state, &sides, &options, mapping, &Progress::silent())
        .unwrap()
        .answer
}

/// Everything that a diff says of groups and of structure, without ids.
fn told(level: &str, a: &str, b: &str) -> String {
    let answer = diff_of(level, &testing::runs(a), &testing::runs(b), false);
    let mut rows: Vec<String> = answer
        .rows
        .iter()
        .map(|row| {
            let path = row.path.join("/");
            format!(
                "{path} {:?} {} {:?} {:?}",
                row.means(),
                row.delta.unwrap(),
                row.p,
                row.verdict
            )
        })
        .collect();
    rows.sort_unstable();
    let changes = answer
        .structure
        .changes
        .iter()
        .map(|change| format!("{} {:?}", named(change), [change.grains_a, change.grains_b]));
    let verdict = format!(
        "{:?} {:?}",
        answer.structure.verdict, answer.structure.matched_work
    );
    rows.into_iter()
        .chain(changes)
        .chain([verdict])
        .collect::<Vec<_>>()
        .join("\n")
}

const LEVELS: [&str; 2] = ["definition", "context"];

#[test]
fn the_order_of_import_changes_nothing() {
    let (a, b) = (testing::runs(BEFORE), testing::runs(&after()));
    for level in LEVELS {
        assert_eq!(diff_of(level, &a, &b, false), diff_of(level, &a, &b, true));
    }
}

#[test]
fn renumbered_threads_change_nothing() {
    let renumber = |text: &str| {
        text.replace("@0.0", "@0.7")
            .replace("@0.1", "@0.0")
            .replace("@0.7", "@0.1")
    };
    for level in LEVELS {
        let expected = told(level, BEFORE, &after());
        assert_eq!(
            told(level, &renumber(BEFORE), &renumber(&after())),
            expected
        );
        assert_eq!(told(level, BEFORE, &renumber(&after())), expected);
    }
}

#[test]
fn other_names_on_both_sides_are_only_other_names() {
    let rename = |text: &str| {
        text.replace("sort", "order")
            .replace("leaf", "quick")
            .replace("main", "start")
    };
    for level in LEVELS {
        let expected = rename(&told(level, BEFORE, &after()));
        let mut expected: Vec<&str> = expected.lines().collect();
        let found = told(level, &rename(BEFORE), &rename(&after()));
        let mut found: Vec<&str> = found.lines().collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected);
    }
}

#[test]
fn other_names_on_one_side_are_inferred_without_loss() {
    let renamed = after()
        .replace("sort", "order")
        .replace("leaf", "quick")
        .replace("io", "net");
    let answer = diff_of(
        "definition",
        &testing::runs(BEFORE),
        &testing::runs(&renamed),
        false,
    );
    let kept = diff_of(
        "definition",
        &testing::runs(BEFORE),
        &testing::runs(&after()),
        false,
    );
    let deltas =
        |answer: &Diff| -> Vec<f64> { answer.rows.iter().filter_map(|row| row.delta).collect() };
    assert_eq!(deltas(&answer), deltas(&kept));
    assert_eq!(answer.totals, kept.totals);
    assert_eq!(answer.structure.matched_work.unmatched, 0.0);
    let kinds: Vec<ChangeKind> = answer
        .structure
        .changes
        .iter()
        .map(|change| change.kind)
        .collect();
    assert_eq!(kinds, [ChangeKind::Renamed; 3]);
}

#[test]
fn a_duplicated_iteration_is_one_that_multiplied() {
    let longer = after().replace("grains 30@0.0", "grains 60@0.0");
    let found = told("context", BEFORE, &longer);
    let expected = told("context", BEFORE, &after());
    let multiplied = "Multiplied leaf leaf [Some([33, 33]), Some([63, 63])]";
    let (expected, last) = expected.rsplit_once('\n').unwrap();
    let verdict = last.replace("Same", "Changed");
    assert_eq!(found, format!("{expected}\n{multiplied}\n{verdict}"));
}

#[test]
fn more_threads_are_no_change_of_the_program() {
    let on = |text: &str, workers: i64| -> Vec<Arc<RunSummary>> {
        let with = |run: Arc<RunSummary>| {
            let mut run = (*run).clone();
            run.meta_mut().workers = Some(workers);
            Arc::new(run)
        };
        testing::runs(text).into_iter().map(with).collect()
    };
    let told = |b: &str| {
        let structure = diff_of("context", &on(BEFORE, 1), &on(b, 8), false).structure;
        (
            structure.verdict,
            structure
                .changes
                .iter()
                .map(|it| it.kind)
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(told(&after()), (StructureVerdict::Same, vec![]));
    // Other numbers, and numbers that vary among the runs of one side: about those of the other, or far from them.
    let other = after().replace("grains 30@0.0", "grains 60@0.0");
    let by_threads = (
        StructureVerdict::ThreadCountDependent,
        vec![ChangeKind::ThreadCountDependent],
    );
    assert_eq!(told(&other), by_threads);
    let vary = |counts: [&str; 3]| {
        let text = after();
        let parts: Vec<&str> = text.split("grains 30@0.0").collect();
        let mut varied = String::new();
        for (part, count) in parts.iter().zip(counts.iter().chain([&""])) {
            varied.push_str(part);
            varied.push_str(count);
        }
        varied
    };
    let around = vary(["grains 29@0.0", "grains 31@0.0", "grains 30@0.0"]);
    assert_eq!(
        told(&around),
        (StructureVerdict::Varies, vec![ChangeKind::Varies])
    );
    let apart = vary(["grains 59@0.0", "grains 61@0.0", "grains 60@0.0"]);
    assert_eq!(told(&apart), by_threads);
}
