//! The verdict rule, case by case.

use super::*;
use sheaf_answers::Note;
use sheaf_model::ParamValue;

/// Judges one group of a program whose other group keeps its 1000 ns.
fn judge(a: &[f64], b: &[f64]) -> (Verdict, String) {
    judge_of(metric(), a, b)
}

fn judge_of(metric: Metric, a: &[f64], b: &[f64]) -> (Verdict, String) {
    let rest = [vec![1000.0; a.len()], vec![1000.0; b.len()]];
    let groups = vec![group("x", a, b), group("rest", &rest[0], &rest[1])];
    let metas = (metas(1, a.len()), metas(100, b.len()));
    let answer = compare(groups, metric, [&metas.0, &metas.1]);
    let row = row(&answer, "x");
    (row.verdict, row.reason.text().to_owned())
}

#[track_caller]
fn check(a: &[f64], b: &[f64], verdict: Verdict, reason: &str) {
    let (ours, text) = judge(a, b);
    assert_eq!((ours, text.as_str()), (verdict, reason));
}

const BASE: [f64; 6] = [100.0, 101.0, 102.0, 103.0, 104.0, 105.0];

#[test]
fn clear_changes_are_named() {
    let slow = BASE.map(|value| value * 1.5);
    check(
        &BASE,
        &slow,
        Verdict::Slower,
        "typically +50 % (95.9 % interval +45.7 % to +54.4 %), 6 against 6 runs, q = 0.0043, +4.65 % of the baseline's total",
    );
    check(
        &slow,
        &BASE,
        Verdict::Faster,
        "typically −33.3 % (95.9 % interval −35.2 % to −31.4 %), 6 against 6 runs, q = 0.0043, −4.44 % of the baseline's total",
    );
    let better = Metric {
        direction: Direction::HigherIsBetter,
        ..metric()
    };
    assert_eq!(judge_of(better, &BASE, &slow).0, Verdict::Faster);
    let neutral = Metric {
        direction: Direction::Neutral,
        ..metric()
    };
    assert_eq!(judge_of(neutral, &BASE, &slow).0, Verdict::Inconclusive);
}

#[test]
fn small_changes_are_not_alarms() {
    let near = BASE.map(|value| value * 1.001);
    check(
        &BASE,
        &near,
        Verdict::Unchanged,
        "typically +0.1 % (95.9 % interval −2.76 % to +3.04 %), 6 against 6 runs, q = 1.00, +0.0093 % of the baseline's total: within 5 %",
    );
    let noisy = [60.0, 140.0, 90.0, 120.0, 100.0, 80.0];
    check(
        &BASE,
        &noisy,
        Verdict::Inconclusive,
        "typically −7.42 % (95.9 % interval −40 % to +33.3 %), 6 against 6 runs, q = 0.840, −0.378 % of the baseline's total: q above 5 %",
    );
    let tiny = BASE.map(|value| value / 20.0);
    let slower = tiny.map(|value| value * 1.5);
    check(
        &tiny,
        &slower,
        Verdict::Inconclusive,
        "typically +50 % (95.9 % interval +45.7 % to +54.4 %), 6 against 6 runs, q = 0.0043, +0.255 % of the baseline's total: significant, but below 1 % of the larger total",
    );
    let speck = BASE.map(|value| value / 1000.0);
    let slower = speck.map(|value| value * 1.5);
    check(
        &speck,
        &slower,
        Verdict::Inconclusive,
        "typically +50 % (95.9 % interval +45.7 % to +54.4 %), 6 against 6 runs, +0.0051 % of the baseline's total; not tested: 0.0128 % of the work, below 0.1 %",
    );
}

/// Ten nanoseconds more of 1102 are less than a hundredth; of 313, which the other side took, they are more.
#[test]
fn what_matters_does_so_from_either_side() {
    let more = BASE.map(|value| value * 1.1);
    let rest = [[1000.0; 6], [200.0; 6]];
    let metas = [metas(1, 6), metas(100, 6)];
    for is_swapped in [false, true] {
        let mut own = [BASE, more];
        let mut others = rest;
        if is_swapped {
            own.reverse();
            others.reverse();
        }
        let groups = vec![
            group("x", &own[0], &own[1]),
            group("rest", &others[0], &others[1]),
        ];
        let answer = compare(groups, metric(), [&metas[0], &metas[1]]);
        let row = row(&answer, "x");
        let (share, end) = if is_swapped {
            (-10.25 / 312.75, "−3.28 % of the baseline's total")
        } else {
            (10.25 / 1102.5, "+0.93 % of the baseline's total")
        };
        assert!(
            row.impact
                .is_some_and(|impact| (impact - share).abs() < 1e-12),
            "{row:?}"
        );
        let end = format!("{end}: significant, but below 1 % of the larger total");
        assert!(row.reason.text().ends_with(&end), "{}", row.reason);
        assert_eq!(row.verdict, Verdict::Inconclusive);
    }
}

#[test]
fn presence_comes_first() {
    let absent = [f64::NAN; 6];
    check(
        &absent,
        &BASE,
        Verdict::Appeared,
        "in none of 6 runs before, in 6 of 6 now",
    );
    check(
        &BASE,
        &absent,
        Verdict::Vanished,
        "in 6 of 6 runs before, in none of 6 now",
    );
    check(
        &[f64::INFINITY; 6],
        &BASE,
        Verdict::Untestable,
        "`work_ns` was not measured in the baseline",
    );
    check(&absent, &absent, Verdict::Untestable, "occurs in no run");
}

#[test]
fn few_runs_are_said_to_be_few() {
    check(
        &[100.0],
        &BASE,
        Verdict::Untestable,
        "not testable: 1 against 6 runs (n = 1)",
    );
    check(
        &[100.0, 101.0, 102.0],
        &[150.0, 151.0, 152.0],
        Verdict::Untestable,
        "3 against 3 runs cannot reach 5 %: the smallest p is 0.100; 4 runs per side can",
    );
    check(
        &[5.0; 2],
        &[5.0; 3],
        Verdict::Unchanged,
        "all 5 values are equal",
    );
    let answer = run(vec![group(
        "x",
        &[100.0, 101.0, 102.0],
        &[150.0, 151.0, 152.0],
    )]);
    assert_eq!(
        Note::texts(&answer.notes),
        ["3 against 3 runs cannot reach 5 %: the smallest p is 0.100; 4 runs per side can"]
    );
    let row = &answer.rows[0];
    assert!(row.p.is_some_and(|p| (p - 0.1).abs() < 1e-12));
    assert_eq!(row.ci, None);
    assert_eq!(answer.smallest_p, row.p);
    let single = run(vec![group("x", &[100.0], &[150.0])]);
    let row = &single.rows[0];
    assert_eq!(
        (row.ratio, row.p, row.cliffs_delta, row.delta),
        (Some(1.5), None, None, Some(50.0))
    );
}

#[test]
fn constants_are_compared_exactly() {
    check(
        &[5.0; 6],
        &[5.0; 6],
        Verdict::Unchanged,
        "all 12 values are equal",
    );
    let answer = run(vec![group("x", &[5.0; 6], &[6.0; 6])]);
    let row = &answer.rows[0];
    assert!(row.p.is_some_and(|p| (p - 2.0 / 924.0).abs() < 1e-12));
    assert_eq!(
        (row.cliffs_delta, row.verdict),
        (Some(1.0), Verdict::Slower)
    );
}

#[test]
fn zeros_are_compared_by_differences() {
    let mut part = BASE;
    part[0] = 0.0;
    part[1] = f64::NAN;
    let slow = BASE.map(|value| value * 2.0);
    check(
        &part,
        &slow,
        Verdict::Slower,
        "typically +51 % of the larger mean (95.9 % interval +47.8 % to +100 %), 6 against 6 runs, by differences as not all values are positive, q = 0.0043, +12.7 % of the baseline's total",
    );
    assert_eq!(judge(&slow, &part).0, Verdict::Faster);
    check(
        &[0.0; 6],
        &BASE,
        Verdict::Slower,
        "typically +100 % of the larger mean (95.9 % interval +97.6 % to +102 %), 6 against 6 runs, by differences as not all values are positive, q = 0.0043, +10.2 % of the baseline's total",
    );
    let answer = run(vec![group("x", &part, &slow)]);
    assert_eq!(answer.rows[0].ratio, None);
    assert_eq!([answer.rows[0].runs_a, answer.rows[0].runs_b], [5, 6]);
}

#[test]
fn times_of_other_widths_are_not_tested() {
    let (mut a, mut b) = (metas(1, 6), metas(100, 6));
    for (metas, threads) in [(&mut a, 4), (&mut b, 8)] {
        for meta in metas {
            meta.workers = Some(threads);
            meta.params
                .insert("threads".to_owned(), ParamValue::Number(threads as f64));
        }
    }
    let slow = BASE.map(|value| value * 2.0);
    let answer = compare(vec![group("x", &BASE, &slow)], metric(), [&a, &b]);
    let row = &answer.rows[0];
    assert_eq!(
        (row.verdict, row.p, row.ci),
        (Verdict::Untestable, None, None)
    );
    assert_eq!((row.delta, row.ratio), (Some(102.5), Some(2.0)));
    assert_eq!(
        Note::texts(&answer.notes),
        [
            "times are not tested because the sides ran with different numbers of workers (4 against 8); a scaling study compares efficiency and work inflation"
        ]
    );
    assert_eq!(answer.environment[0].parameter, "threads");
    assert_eq!(answer.environment[0].b, [ParamValue::Number(8.0)]);
    let count = Metric {
        name: "grains".to_owned(),
        unit: "count".to_owned(),
        ..metric()
    };
    let counts = compare(vec![group("x", &BASE, &slow)], count, [&a, &b]);
    assert_eq!(counts.rows[0].verdict, Verdict::Slower);
}

#[test]
fn means_of_ratios_have_no_total() {
    let intensive = Metric {
        unit: "ratio".to_owned(),
        kind: MetricKind::Intensive,
        ..metric()
    };
    let mut part = BASE;
    part[0] = f64::NAN;
    let (a, b) = (metas(1, 6), metas(100, 6));
    let groups = vec![group("x", &part, &BASE), group("y", &[f64::NAN; 6], &BASE)];
    let answer = compare(groups, intensive, [&a, &b]);
    assert_eq!(answer.totals, None);
    assert_eq!(row(&answer, "x").means(), [Some(103.0), Some(102.5)]);
    assert_eq!(
        (row(&answer, "x").delta, row(&answer, "x").impact),
        (Some(-0.5), None)
    );
    assert_eq!(
        (row(&answer, "y").delta, row(&answer, "y").verdict),
        (None, Verdict::Appeared)
    );
}

#[test]
fn runs_without_the_metric_are_left_out() {
    let mut values = BASE.to_vec();
    values.push(f64::INFINITY);
    let answer = run(vec![group("x", &values, &BASE)]);
    assert_eq!(
        Note::texts(&answer.notes),
        ["1 of 7 runs of the baseline are left out: they have no `work_ns`"]
    );
    assert_eq!(
        (
            answer.rows[0].delta,
            [answer.rows[0].runs_a, answer.rows[0].runs_b]
        ),
        (Some(0.0), [7, 6])
    );
    let none = run(vec![group("x", &[f64::INFINITY], &[f64::INFINITY])]);
    assert_eq!(
        (none.rows[0].verdict, none.smallest_p),
        (Verdict::Untestable, None)
    );
    assert_eq!(run(Vec::new()).totals.map(|it| it.delta), Some(0.0));
}

#[test]
fn moved_contexts_are_paired_by_definition() {
    let absent = [f64::NAN; 6];
    let mut groups = vec![
        group("main/f", &BASE, &absent),
        group("main/w/f", &absent, &BASE),
        group("main/g", &BASE, &BASE),
        group("main/w", &absent, &[1.0; 6]),
    ];
    let names = ["f", "f", "g", "w"];
    for (group, name) in groups.iter_mut().zip(names) {
        group.definition = Some(definition(name));
    }
    let mut contexts = contexts(&groups);
    for (context, definition) in contexts.iter_mut().zip([0, 0, 1, 2]) {
        context.definition = definition;
    }
    let metas = (metas(1, 6), metas(100, 6));
    let input = DiffInput {
        sides: [side("a", &metas.0), side("b", &metas.1)],
        metric: metric(),
        groups,
        contexts,
        definitions: ["f", "g", "w"].map(defined).to_vec(),
        mapping: Mapping::default(),
    };
    let answer = diff(input, &DiffOptions::default()).answer;
    let matched: Vec<_> = answer
        .rows
        .iter()
        .map(|row| (row.group.as_str(), row.matched_by, row.delta))
        .collect();
    assert_eq!(
        matched,
        [
            ("main/w", None, Some(1.0)),
            ("main/w/f", Some(MatchedBy::Definition), Some(0.0)),
            ("main/g", Some(MatchedBy::Context), Some(0.0)),
        ]
    );
    let StructureChange {
        appeared,
        vanished,
        common,
        matched_work,
        verdict,
        ..
    } = answer.structure;
    assert_eq!(verdict, StructureVerdict::Changed);
    assert_eq!((appeared, vanished, common), (1, 0, 2));
    assert!((matched_work.context - 205.0 / 411.0).abs() < 1e-12);
    assert!((matched_work.definition - 205.0 / 411.0).abs() < 1e-12);
    assert!((matched_work.unmatched - 1.0 / 411.0).abs() < 1e-12);
}

#[test]
fn estimates_are_equal_by_their_interval_alone() {
    let judge = |estimated_in: usize| {
        let counter = Metric {
            estimated_in,
            ..metric()
        };
        judge_of(counter, &[100.0; 6], &[100.0; 6])
    };
    assert_eq!(
        judge(0),
        (Verdict::Unchanged, "all 12 values are equal".to_owned())
    );
    let (verdict, reason) = judge(3);
    assert_eq!(verdict, Verdict::Unchanged);
    assert!(
        reason.starts_with("typically 0 % (95.9 % interval 0 % to 0 %)"),
        "{reason}"
    );
    assert!(reason.ends_with(": within 5 %"), "{reason}");
}
