//! Comparisons of grains: by hand, against a plain join, and what must hold of any.

mod bijective;
mod properties;
mod renamed;

use arrow::array::{Int32Array, Int64Array};
use sheaf_model::table::{GrainKind, flags};
use sheaf_model::{DefinitionId, RunId};

use sheaf_answers::GrainMatch;

use super::*;
use sheaf_grains::grain_metric::work_deviation;
use sheaf_synthetic::Program;

/// A grain: key, definition, work, lifetime, delay, and whether its path depends on the schedule.
type Grain = (i64, usize, Option<i64>, Option<i64>, Option<i64>, bool);

fn definition(number: usize) -> DefinitionId {
    DefinitionId::new("task", &format!("f{number}"), 0)
}

fn columns(run: u8, grains: &[Grain]) -> GrainColumns {
    let definitions = (0..4).map(definition).collect();
    let wide = |of: fn(&Grain) -> Option<i64>| grains.iter().map(of).collect::<Int64Array>();
    let flag = |grain: &Grain| i32::from(grain.5) * flags::SCHEDULE_DEPENDENT;
    GrainColumns {
        run: RunId([run; 16]),
        definitions,
        context: grains.iter().map(|it| i32::try_from(it.1).ok()).collect(),
        path_key: wide(|it| Some(it.0)),
        kind: Int32Array::from_value(GrainKind::Task as i32, grains.len()),
        flags: grains.iter().map(|it| Some(flag(it))).collect(),
        work: wide(|it| it.2),
        lifetime: wide(|it| it.3),
        delay: wide(|it| it.4),
        through: Vec::new(),
    }
}

fn of(sides: [usize; 2], runs: &[(GrainColumns, [bool; 2])]) -> GrainDiff {
    let mut differ = GrainDiffer::new(sides);
    differ.add(runs);
    differ.finish()
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value}"))
}

fn pair(values: [Option<f64>; 2]) -> String {
    format!("{} {}", number(values[0]), number(values[1]))
}

/// A line per grain: key, runs, work, delta, deviation, stretch, delay change.
fn text(answer: &GrainDiff, selection: GrainMatch) -> Vec<String> {
    answer
        .page(selection, 0, usize::MAX)
        .iter()
        .map(|row| {
            format!(
                "{} runs {} {} work {} delta {} deviation {} stretch {} delay {}",
                row.path_key.0,
                row.runs[0],
                row.runs[1],
                pair(row.work),
                number(row.delta),
                number(row.work_deviation),
                number(row.stretch),
                number(row.delay_change),
            )
        })
        .collect()
}

const A: [bool; 2] = [true, false];
const B: [bool; 2] = [false, true];

fn plain(key: i64, definition: usize, work: i64) -> Grain {
    (key, definition, Some(work), Some(2 * work), Some(5), false)
}

#[test]
fn two_runs_by_hand() {
    let a = columns(
        1,
        &[
            plain(10, 0, 100),
            plain(11, 1, 40),
            plain(12, 1, 7),
            (13, 0, Some(9), None, None, true),
        ],
    );
    let b = columns(
        2,
        &[
            plain(10, 0, 150),
            (11, 1, Some(40), Some(20), Some(2), false),
            plain(14, 2, 60),
        ],
    );
    let answer = of([1, 1], &[(a, A), (b, B)]);
    assert_eq!(
        text(&answer, GrainMatch::All),
        [
            "14 runs 0 1 work - 60 delta 60 deviation - stretch - delay -",
            "10 runs 1 1 work 100 150 delta 50 deviation 1.5 stretch 1.5 delay 0",
            "12 runs 1 0 work 7 - delta -7 deviation - stretch - delay -",
            "11 runs 1 1 work 40 40 delta 0 deviation 1 stretch 0.25 delay -3",
        ]
    );
    assert_eq!(text(&answer, GrainMatch::Unmatched).len(), 2);
    assert_eq!(text(&answer, GrainMatch::Matched).len(), 2);
    let total = answer.total();
    assert_eq!(
        (
            total.matched,
            [total.only_a, total.only_b],
            [total.unmatchable_a, total.unmatchable_b]
        ),
        (2, [1, 1], [1, 0])
    );
    assert_eq!(
        (
            [total.matched_work_a, total.matched_work_b],
            [total.only_work_a, total.only_work_b],
            [total.unmatchable_work_a, total.unmatchable_work_b]
        ),
        ([140.0, 190.0], [7.0, 60.0], [9.0, 0.0])
    );
    assert_eq!(
        ([total.a, total.b], total.delta),
        ([Some(156.0), Some(250.0)], 94.0)
    );
    assert_eq!(total.work_deviation, Some(190.0 / 140.0));
    assert_eq!(total.median_work_deviation, Some(1.25));
    // Lifetimes 200 + 80 against 300 + 20.
    assert_eq!(total.stretch, Some(320.0 / 280.0));
    assert_eq!(total.delay_change, Some(-3.0));
    let deltas: Vec<(usize, f64)> = answer
        .definitions()
        .iter()
        .map(|it| {
            let number = (0..4).find(|&number| definition(number) == it.definition);
            (number.unwrap(), it.grains.delta)
        })
        .collect();
    assert_eq!(deltas, [(2, 60.0), (0, 41.0), (1, -7.0)]);
}

#[test]
fn cohorts_are_means_over_the_runs_that_have_a_grain() {
    let runs = [
        (columns(1, &[plain(10, 0, 100), plain(11, 0, 30)]), A),
        (columns(2, &[plain(10, 0, 200)]), A),
        (columns(3, &[plain(10, 0, 90)]), B),
    ];
    let answer = of([2, 1], &runs);
    assert_eq!(
        text(&answer, GrainMatch::All),
        [
            "10 runs 2 1 work 150 90 delta -60 deviation 0.6 stretch 0.6 delay 0",
            // Half of a mean run: the other run has it not.
            "11 runs 1 0 work 30 - delta -15 deviation - stretch - delay -",
        ]
    );
    assert_eq!(
        ([answer.total().a, answer.total().b], answer.total().delta),
        ([Some(165.0), Some(90.0)], -75.0)
    );
}

#[test]
fn a_run_may_be_on_both_sides() {
    let run = columns(1, &[plain(10, 0, 100), plain(11, 1, 30)]);
    let answer = of([1, 1], &[(run, [true, true])]);
    assert_eq!((answer.total().matched, answer.total().delta), (2, 0.0));
}

#[test]
fn grains_of_one_key_match_nothing_in_their_run_and_their_work_counts() {
    let a = columns(
        1,
        &[
            plain(10, 0, 1),
            plain(10, 0, 2),
            plain(11, 0, 4),
            plain(10, 0, 8),
        ],
    );
    let b = columns(2, &[plain(10, 0, 16), plain(11, 0, 32)]);
    let answer = of([1, 1], &[(a, A), (b, B)]);
    let total = answer.total();
    assert_eq!(
        (
            total.matched,
            [total.only_a, total.only_b],
            [total.unmatchable_a, total.unmatchable_b]
        ),
        (1, [0, 1], [3, 0])
    );
    assert_eq!(
        format!("{:?}", [total.a, total.b]),
        "[Some(15.0), Some(48.0)]"
    );
}

#[test]
fn what_is_not_measured_is_absent() {
    let a = columns(
        1,
        &[
            (10, 0, None, None, None, false),
            (11, 0, Some(5), None, None, false),
        ],
    );
    let b = columns(
        2,
        &[
            (10, 0, None, Some(4), None, false),
            (11, 0, Some(0), None, None, false),
        ],
    );
    let answer = of([1, 1], &[(a, A), (b, B)]);
    assert_eq!(
        text(&answer, GrainMatch::All),
        [
            "11 runs 1 1 work 5 0 delta -5 deviation 0 stretch - delay -",
            "10 runs 1 1 work - - delta - deviation - stretch - delay -",
        ]
    );
    let total = answer.total();
    assert_eq!((total.stretch, total.delay_change), (None, None));
}

#[test]
fn nothing_on_a_side_is_no_fault() {
    let empty = of([0, 0], &[]);
    assert!(empty.is_empty() && empty.definitions().is_empty());
    let answer = of(
        [1, 1],
        &[(columns(1, &[]), A), (columns(2, &[plain(1, 0, 3)]), B)],
    );
    assert_eq!(
        (
            [answer.total().only_a, answer.total().only_b],
            answer.total().delta
        ),
        ([0, 1], 3.0)
    );
    assert_eq!(answer.page(GrainMatch::All, 7, 3), []);
}

#[test]
fn whole_runs_compare_as_work_deviation_does() {
    for seed in 0..20 {
        let [a, b] = [1, 3].map(|workers| Program::random(seed, 300).run(workers));
        let expected: Vec<Option<f64>> = work_deviation(&b, &[&a]).values.iter().collect();
        let answer = of(
            [1, 1],
            &[(GrainColumns::of(&a), A), (GrainColumns::of(&b), B)],
        );
        let rows = answer.page(GrainMatch::All, 0, usize::MAX);
        for row in &rows {
            let at = row.owner.1 as usize;
            assert_eq!(row.work_deviation, expected[at], "seed {seed}, row {at}");
        }
        assert_eq!(rows.len(), b.grains.len());
        assert_eq!([answer.total().only_a, answer.total().only_b], [0, 0]);
    }
}

#[test]
fn delays_count_from_when_a_grain_could_run() {
    // One worker runs what two would have run at once: some grains wait longer.
    let [a, b] = [2, 1].map(|workers| Program::fork(3).run(workers));
    let answer = of(
        [1, 1],
        &[(GrainColumns::of(&a), A), (GrainColumns::of(&b), B)],
    );
    let delays = |run: &sheaf_model::RunTables| -> i64 {
        let both = run.grains.start.iter().zip(&run.grains.created);
        both.map(|(start, created)| start.unwrap() - created.unwrap())
            .sum()
    };
    let change = delays(&b) - delays(&a);
    assert!(change > 0);
    assert_eq!(answer.total().delay_change, Some(change as f64));
}
