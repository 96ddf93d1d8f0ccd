//! Thresholds as texts, and the problems of small runs.

use std::fmt::Write as _;

use super::diagnosis::{compare, severity};
use super::{Diagnosis, LOCKS, PAPER, ProblemGrain, TOOL, Threshold, diagnose};
use crate::grain_graph::Structure;
use crate::grain_metric::testing::{FIVE, run};
use crate::grain_metric::{Evaluation, by_name};

fn thresholds(texts: &[&str]) -> Vec<Threshold> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn text(evaluation: &Evaluation<'_>, diagnosis: &Diagnosis) -> String {
    let mut text = String::new();
    for problem in &diagnosis.problems {
        let Threshold { relation, .. } = problem.condition.parse().unwrap();
        let column = evaluation.evaluate_by_name(&problem.metric).unwrap();
        let sorted = |rows: &[u32]| {
            let grain = |&row: &u32| ProblemGrain {
                row,
                value: column.get(row as usize).unwrap(),
            };
            let mut grains: Vec<ProblemGrain> = rows.iter().map(grain).collect();
            let keys = &evaluation.run().grains.path_key;
            grains.sort_by(|a, b| compare(relation, &|row| keys.value(row as usize), a, b));
            grains
        };
        let rows = |rows: &[u32]| {
            let grains = sorted(rows).into_iter().map(|grain| {
                let severity = severity(relation, grain.value, problem.limit)
                    .map_or("-".to_owned(), |severity| format!("{severity:.3}"));
                format!(" {}={:.3} ({severity})", grain.row, grain.value)
            });
            grains.collect::<String>()
        };
        assert_eq!(problem.worst, sorted(&problem.grains).first().copied());
        writeln!(
            text,
            "{}: {} of {} grains, {} critical, work {:?}:{}",
            problem.condition,
            problem.grains.len(),
            problem.checked,
            problem.critical_grains,
            problem.share_of_work,
            rows(&problem.grains),
        )
        .unwrap();
        for row in &problem.definitions {
            writeln!(
                text,
                "  definition {}: {} grains, share {:.3}, work {:?}, inflation {:?}",
                row.definition, row.grains, row.share, row.work, row.inflation
            )
            .unwrap();
        }
        if !problem.book_keeping.is_empty() {
            writeln!(text, "  book-keeping:{}", rows(&problem.book_keeping)).unwrap();
        }
    }
    for skipped in &diagnosis.not_checked {
        writeln!(
            text,
            "{}: not checked: {}",
            skipped.condition, skipped.reason
        )
        .unwrap();
    }
    text
}

fn check(run_text: &str, conditions: &[&str], expected: &str) {
    let run = run(run_text);
    let structure = Structure::of(&run);
    let evaluation = Evaluation::of(&run, &structure);
    let diagnosis = diagnose(&evaluation, &thresholds(conditions));
    let expected: Vec<&str> = expected
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let found = text(&evaluation, &diagnosis);
    let found: Vec<&str> = found.lines().map(str::trim).collect();
    assert_eq!(found, expected);
}

#[test]
fn presets_are_thresholds_of_known_metrics() {
    for preset in PAPER.iter().chain(TOOL).chain(LOCKS) {
        let threshold = preset.threshold().unwrap();
        assert!(by_name(&threshold.metric).is_some(), "{}", preset.condition);
        assert_eq!(threshold.to_string(), preset.condition);
    }
}

#[test]
fn five_tasks_with_the_thresholds_of_the_tool() {
    let conditions: Vec<&str> = TOOL.iter().map(|preset| preset.condition).collect();
    check(
        FIVE,
        &conditions,
        "parallel_benefit < 1: 1 of 4 grains, 1 critical, work Some(0.02631578947368421): 4=0.625 (1.600)
         definition 4: 1 grains, share 1.000, work Some(100), inflation None
         inst_par_logical_optimistic_median_min < cores: 4 of 5 grains, 4 critical, work Some(0.8421052631578947): 0=1.000 (3.000) 1=1.000 (3.000) 3=2.000 (1.500) 4=2.000 (1.500)
         definition 1: 1 grains, share 0.250, work Some(1500), inflation None
         definition 3: 1 grains, share 0.250, work Some(900), inflation None
         definition 0: 1 grains, share 0.250, work Some(700), inflation None
         definition 4: 1 grains, share 0.250, work Some(100), inflation None
         sibling_scatter > cores / 4: 2 of 2 grains, 1 critical, work Some(0.39473684210526316): 2=1.000 (1.333) 3=1.000 (1.333)
         definition 3: 1 grains, share 0.500, work Some(900), inflation None
         definition 2: 1 grains, share 0.500, work Some(600), inflation None
         inst_par_logical_optimistic_median_median < cores: 1 of 5 grains, 1 critical, work Some(0.02631578947368421): 4=2.500 (1.200)
         definition 4: 1 grains, share 1.000, work Some(100), inflation None
         inst_par_logical_optimistic_median_max < cores: 0 of 5 grains, 0 critical, work Some(0.0):
         sibling_work_balance > 2: 0 of 5 grains, 0 critical, work Some(0.0):
         mem_hier_util > 0.5: not checked: the run has no measure `PAPI_RES_STL_sum` or `PAPI_RES_STL` or `stalled_cycles_backend`
         mem_fp_bytes > 512000: not checked: the run has no measure `mem_fp`
         compute_int < 2: not checked: the run has no measure `ins_count`
         work_deviation > 2: not checked: there is no run to compare with
         chunk_work_balance > 2: not checked: the run has no chunks of loops
         chunk_work_cpu_balance > 2: not checked: the run has no chunks of loops",
    );
}

#[test]
fn book_keeping_stands_apart_and_ties_go_by_path() {
    let text = "
        task - def=main key=1 joined=0 work=10
        member 0 def=books key=2 joined=0 work=50
        task 0 def=b key=4 joined=0 work=50
        task 0 def=a key=3 joined=0 work=50
        task 0 def=a key=5 joined=0 work=70
    ";
    check(
        text,
        &["work_ns >= 50", "work_ns < 0"],
        "work_ns >= 50: 3 of 4 grains, 1 critical, work Some(0.9444444444444444): 4=70.000 (1.400) 3=50.000 (1.000) 2=50.000 (1.000)
         definition 3: 2 grains, share 0.667, work Some(120), inflation None
         definition 2: 1 grains, share 0.333, work Some(50), inflation None
         book-keeping: 1=50.000 (1.000)
         work_ns < 0: 0 of 4 grains, 0 critical, work Some(0.0):",
    );
}

#[test]
fn inflation_is_that_of_the_problem_grains() {
    let reference = run("
        task - key=1 def=a work=10
        task - key=2 def=a work=20
        task - key=3 def=a work=40
    ");
    let run = run("
        task - key=1 def=a work=30
        task - key=2 def=a work=50
        task - key=3 def=a work=41
    ");
    let structure = Structure::of(&run);
    let evaluation = Evaluation::of(&run, &structure).with_references(&[&reference]);
    let diagnosis = diagnose(&evaluation, &thresholds(&["work_deviation > 2"]));
    assert_eq!(
        text(&evaluation, &diagnosis),
        "work_deviation > 2: 2 of 3 grains, 1 critical, work Some(0.6611570247933884): \
         0=3.000 (1.500) 1=2.500 (1.250)\n  \
         definition 0: 2 grains, share 1.000, work Some(80), inflation Some(2.6666666666666665)\n"
    );
}

#[test]
fn limits_are_arithmetic() {
    let run = run("workers 8\ntask - work=1");
    let structure = Structure::of(&run);
    let evaluation = Evaluation::of(&run, &structure).with_cores_per_socket(4);
    let value = |text: &str| {
        let threshold: Threshold = format!("work_ns > {text}").parse().unwrap();
        threshold
            .limit
            .evaluate(&evaluation)
            .map_err(|absent| absent.to_string())
    };
    let cases = [
        ("2", 2.0),
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("8 - 2 - 1", 5.0),
        ("8 / 2 / 2", 2.0),
        ("-2 + 3", 1.0),
        ("2 * -3", -6.0),
        ("--2", 2.0),
        ("1.5e3", 1500.0),
        (".5", 0.5),
        ("cores / 4", 2.0),
        ("workers - cores_per_socket", 4.0),
    ];
    for (text, expected) in cases {
        assert_eq!(value(text), Ok(expected), "{text}");
    }
    assert_eq!(
        value("1 / 0"),
        Err("the limit `1 / 0` has no finite value".to_owned())
    );
    let long = "1+".repeat(200_000) + "1";
    assert_eq!(value(&long), Ok(200_001.0));
    let deep = "(".repeat(200_000) + "1" + &")".repeat(200_000);
    assert_eq!(value(&deep), Ok(1.0));
}

#[test]
fn errors_name_the_position() {
    let cases = [
        ("", "expected the name of a metric at character 1"),
        ("work_ns", "expected `<`, `<=`, `>` or `>=` at character 8"),
        (
            "work_ns == 2",
            "expected `<`, `<=`, `>` or `>=` at character 9",
        ),
        ("work_ns > ", "expected a number or a name at character 11"),
        (
            "work_ns > 2 3",
            "expected `+`, `-`, `*`, `/`, `)` or the end at character 13",
        ),
        ("work_ns > (2", "expected `)` at character 13"),
        ("work_ns > 2)", "no `(` is open at character 12"),
        ("work_ns > 1.2.3", "expected a number at character 11"),
        (
            "work_ns > system(\"ls\")",
            "expected `cores`, `workers`, `cores_per_socket` or a number at character 11",
        ),
        ("`a b > 2", "expected a backquote at character 9"),
    ];
    for (text, expected) in cases {
        let error = text.parse::<Threshold>().unwrap_err().to_string();
        assert_eq!(error, format!("{expected} of `{text}`"));
    }
    let odd: Threshold = "`Avg time/rank` <= 2 ".parse().unwrap();
    assert_eq!(odd.to_string(), "`Avg time/rank` <= 2");
}
