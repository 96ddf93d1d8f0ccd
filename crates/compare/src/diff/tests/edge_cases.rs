//! Edge cases of statistics.md section 12, line by line, on what `diff` and `stats` answer.

use super::*;
use sheaf_model::{Lens, Progress};
use sheaf_synthetic::testing::runs;

fn one(a: &[f64], b: &[f64]) -> Diff {
    run(vec![group("x", a, b)])
}

fn stats_of(text: &str, lens: &str) -> sheaf_answers::Stats {
    let lens: Lens = lens.parse().unwrap();
    sheaf_analysis::stats(&lens, &runs(text), &Progress::silent()).unwrap()
}

#[test]
fn one_run_on_a_side_has_point_estimates_only() {
    let answer = one(&[100.0], &[150.0, 151.0, 152.0, 153.0, 154.0]);
    let row = &answer.rows[0];
    assert_eq!(row.verdict, Verdict::Untestable);
    assert_eq!(
        (row.delta, row.ratio, row.shift),
        (Some(52.0), Some(1.52), Some(52.0))
    );
    assert_eq!((row.ci, row.shift_ci), (None, None));
    assert_eq!((row.p, row.q, row.cliffs_delta), (None, None, None));
    assert_eq!([row.n_a, row.n_b], [1, 5]);
    let single = stats_of("run a\n main work_ns 10", "");
    let row = &single.rows[0];
    assert_eq!((row.mean, row.median), (Some(10.0), Some(10.0)));
    assert_eq!((row.std, row.median_ci), (None, None));
}

#[test]
fn two_or_three_runs_are_tested_but_cannot_reach_the_level() {
    for runs in [2, 3] {
        let a: Vec<f64> = (0..runs).map(|at| 100.0 + f64::from(at)).collect();
        let b: Vec<f64> = a.iter().map(|value| value * 2.0).collect();
        let answer = one(&a, &b);
        let row = &answer.rows[0];
        assert!(row.p.unwrap() >= 0.1 - 1e-15, "{:?}", row.p);
        assert_eq!(row.verdict, Verdict::Untestable);
        assert!(
            row.reason.text().contains("cannot reach 5 %"),
            "{}",
            row.reason
        );
        assert_eq!(
            (answer.runs_needed, answer.runs_needed_among),
            (Some(4), Some(4))
        );
    }
}

#[test]
fn equal_values_are_unchanged() {
    let answer = one(&[7.0; 5], &[7.0; 6]);
    let row = &answer.rows[0];
    assert_eq!((row.p, row.cliffs_delta), (Some(1.0), Some(0.0)));
    assert_eq!(row.verdict, Verdict::Unchanged);
    assert_eq!((row.shift, row.ratio), (Some(0.0), Some(1.0)));
}

#[test]
fn one_constant_against_another_is_counted() {
    let answer = one(&[5.0; 6], &[6.0; 6]);
    let row = &answer.rows[0];
    assert!((row.p.unwrap() - 0.002_165).abs() < 5e-7);
    assert_eq!((row.cliffs_delta, row.ratio), (Some(1.0), Some(1.2)));
    assert_eq!(row.verdict, Verdict::Slower);
    let back = one(&[6.0; 6], &[5.0; 6]);
    assert_eq!(back.rows[0].cliffs_delta, Some(-1.0));
}

#[test]
fn what_is_no_number_is_dropped_and_counted() {
    for odd in ["NaN", "inf", "-inf"] {
        let text = format!(
            "metric t s float
             run a
              main t {odd}
              main/f t 1
             run b
              main t 2
              main/f t 2"
        );
        let answer = stats_of(&text, "metric t | scope exclusive");
        let main = answer
            .rows
            .iter()
            .find(|row| row.path.names() == ["main"])
            .unwrap();
        assert_eq!((main.runs, main.not_measured, main.absent), (1, 1, 0));
        assert_eq!(main.mean, Some(2.0));
        let note = "1 values of `t` are infinite or not numbers and count as not measured";
        assert!(
            answer.notes.iter().any(|own| own.text == note),
            "{:?}",
            answer.notes
        );
    }
    // `group` takes infinity for a group that was not measured: it is left out, not a rank.
    let answer = one(&[1.0, 2.0, 3.0, 4.0, f64::INFINITY], &[1.0, 2.0, 3.0, 4.0]);
    assert_eq!([answer.rows[0].n_a, answer.rows[0].n_b], [4, 4]);
    assert_eq!(answer.rows[0].p, Some(1.0));
}

#[test]
fn zero_and_negative_values_are_compared_by_differences() {
    let answer = one(&[0.0, -1.0, 2.0, 3.0], &[10.0, 11.0, 12.0, 13.0]);
    let row = &answer.rows[0];
    assert_eq!((row.ratio, row.ci), (None, None));
    assert!(row.shift.is_some() && row.shift_ci.is_some());
    assert!(
        row.reason.text().contains("by differences"),
        "{}",
        row.reason
    );
}

#[test]
fn an_empty_group_has_no_statistics() {
    let text = "run a\n main work_ns 1\n main/g\nrun b\n main work_ns 2";
    let answer = stats_of(text, "level definition");
    let empty = answer
        .rows
        .iter()
        .find(|row| row.path.names() == ["g"])
        .unwrap();
    assert_eq!((empty.runs, empty.not_measured, empty.absent), (0, 1, 1));
    let numbers = [
        empty.mean,
        empty.median,
        empty.std,
        empty.min,
        empty.max,
        empty.q1,
        empty.q3,
        empty.p05,
        empty.p95,
        empty.mad,
        empty.share,
    ];
    assert_eq!(numbers, [None; 11]);
    assert_eq!(
        (&empty.box_plot, empty.modes, &empty.histogram),
        (&None, None, &None)
    );
}

#[test]
fn a_family_without_tests_has_no_q() {
    let answer = one(&[1.0], &[2.0]);
    assert_eq!((answer.tested, answer.rows[0].q), (0, None));
    assert_eq!(answer.runs_needed_among, None);
    let nothing = run(Vec::new());
    assert_eq!((nothing.tested, nothing.rows.len()), (0, 0));
}

#[test]
fn a_million_values_have_exact_sums_and_quantiles() {
    // Odd nanoseconds above 2^50, so that a sum in floats would be rounded.
    let values = (0..1_000_000_i64).map(|at| 1_125_899_906_842_625 + 2 * at);
    let sum: i128 = values.clone().map(i128::from).sum();
    let sample = Sample::new(values.map(|value| value as f64));
    assert_eq!(sample.sum(), sum as f64);
    assert_eq!(sample.median(), Some(1_125_899_907_842_624.0));
    assert_eq!(sample.max(), Some(1_125_899_908_842_623.0));
}

#[test]
fn different_thread_counts_are_refused_and_told_what_to_do() {
    let mut sides = [metas(1, 6), metas(100, 6)];
    for (metas, threads) in sides.iter_mut().zip([4, 8]) {
        for meta in metas {
            meta.workers = Some(threads);
        }
    }
    let groups = vec![group("x", &[5.0; 6], &[6.0; 6])];
    let answer = compare(groups, metric(), [&sides[0], &sides[1]]);
    let row = &answer.rows[0];
    assert_eq!((row.verdict, row.p), (Verdict::Untestable, None));
    let note = &answer.notes[0].text;
    assert!(
        note.contains("a scaling study compares efficiency and work inflation"),
        "{note}"
    );
}
