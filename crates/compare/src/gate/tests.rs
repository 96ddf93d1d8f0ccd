//! What fails, what passes, what cannot be told; and that noise does not fail a gate.

mod unmeasured;

use sheaf_model::{Direction, MetricKind, RunId, RunMeta};

use super::*;
use crate::diff::{DiffGroup, DiffInput, DiffSide, diff};
use sheaf_analysis::Measurement;
use sheaf_analysis::Metric;
use sheaf_answers::{GateGroup, StructureVerdict};

fn metric(direction: Direction) -> Metric {
    Metric {
        name: "work_ns".to_owned(),
        source: None,
        label: None,
        unit: "ns".to_owned(),
        kind: MetricKind::Additive,
        direction,
        estimated_in: 0,
    }
}

/// Groups by name with the values of baseline and candidate; none is absent, infinity is not measured.
type Groups<'a> = &'a [(&'a str, &'a [f64], &'a [f64])];

fn answer(groups: Groups<'_>, direction: Direction, options: &GateOptions) -> Gate {
    let (found, totals) = compared(groups, direction, options);
    gate(found, &totals, options)
}

/// The comparison of both sides, and their totals.
fn compared(
    groups: Groups<'_>,
    direction: Direction,
    options: &GateOptions,
) -> (Comparison, [Vec<f64>; 2]) {
    let sizes = [0, 1].map(|side: usize| {
        let lengths = groups.iter().map(|group| [group.1, group.2][side].len());
        lengths.max().unwrap_or(0)
    });
    let meta = |side: usize, run: usize| {
        let number = u8::try_from(side * 100 + run).unwrap();
        RunMeta {
            id: RunId([number; 16]),
            ..RunMeta::new("sort", "trace")
        }
    };
    let metas = [0, 1].map(|side| {
        (0..sizes[side])
            .map(|run| meta(side, run))
            .collect::<Vec<_>>()
    });
    let measurements = |values: &[f64], size: usize| -> Vec<Measurement> {
        let value = |run| {
            values.get(run).map_or(Measurement::Absent, |&value: &f64| {
                if value.is_finite() {
                    Measurement::Value(value)
                } else {
                    Measurement::NotMeasured
                }
            })
        };
        (0..size).map(value).collect()
    };
    let input = DiffInput {
        sides: [0, 1].map(|side| DiffSide {
            name: ["A", "B"][side].to_owned(),
            runs: metas[side].iter().collect(),
        }),
        metric: metric(direction),
        groups: groups
            .iter()
            .map(|(name, a, b)| {
                let both = [measurements(a, sizes[0]), measurements(b, sizes[1])];
                DiffGroup {
                    id: (*name).to_owned(),
                    paths: [(); 2].map(|()| vec![(*name).to_owned()]),
                    lines: [None; 2],
                    definition: None,
                    is_outside: false,
                    incomparable: None,
                    exclusive: both.clone(),
                    inclusive: both,
                }
            })
            .collect(),
        contexts: Vec::new(),
        definitions: Vec::new(),
        mapping: crate::diff::Mapping::default(),
    };
    let totals = [0, 1].map(|side| {
        let of_run = |run| {
            let value = |group: &(&str, &[f64], &[f64])| {
                let value = [group.1, group.2][side].get(run).copied();
                value.filter(|value: &f64| value.is_finite()).unwrap_or(0.0)
            };
            groups.iter().map(value).sum()
        };
        (0..sizes[side]).map(of_run).collect::<Vec<f64>>()
    });
    (diff(input, &options.diff_options()), totals)
}

fn states(answer: &Gate) -> String {
    let state = |group: &GateGroup| format!("{} {:?}", group.path[0], group.state);
    answer
        .groups
        .iter()
        .map(state)
        .collect::<Vec<_>>()
        .join(", ")
}

#[track_caller]
fn check(groups: Groups<'_>, options: &GateOptions, outcome: GateOutcome, expected: &str) {
    let answer = answer(groups, Direction::HigherIsWorse, options);
    let reasons = Reason::joined(&answer.reasons);
    assert_eq!(
        (
            answer.outcome,
            format!("{} | {reasons}", states(&answer)).as_str()
        ),
        (outcome, expected)
    );
}

mod whole_run;

const BASE: [f64; 6] = [100.0, 101.0, 102.0, 103.0, 104.0, 105.0];
const REST: [f64; 6] = [1900.0, 1899.0, 1901.0, 1900.5, 1899.5, 1900.2];

fn times(factor: f64) -> [f64; 6] {
    BASE.map(|value| value * factor)
}

#[test]
fn a_slower_group_fails() {
    let slow = times(1.5);
    let groups: Groups<'_> = &[("x", &BASE, &slow), ("rest", &REST, &REST)];
    let options = GateOptions::default();
    check(
        groups,
        &options,
        GateOutcome::Failed,
        "x Failed, rest Passed | 1 group slower",
    );
    // Up to its own limit it may be slower; a greater limit for all does the same.
    let own = GateOptions {
        thresholds: BTreeMap::from([("x".to_owned(), 0.6)]),
        ..GateOptions::default()
    };
    check(
        groups,
        &own,
        GateOutcome::Passed,
        "x Passed, rest Passed | nothing that matters is slower",
    );
    let lax = GateOptions {
        max_regression: 0.6,
        ..GateOptions::default()
    };
    check(
        groups,
        &lax,
        GateOutcome::Passed,
        "x Passed, rest Passed | nothing that matters is slower",
    );
    // A smaller own limit does not count.
    let strict = GateOptions {
        thresholds: BTreeMap::from([("x".to_owned(), 0.0)]),
        ..lax
    };
    check(
        groups,
        &strict,
        GateOutcome::Passed,
        "x Passed, rest Passed | nothing that matters is slower",
    );
    let allowing = GateOptions {
        fails_on_slower: false,
        ..GateOptions::default()
    };
    check(
        groups,
        &allowing,
        GateOutcome::Passed,
        "x NotAsked, rest NotAsked | what is slower was not asked",
    );
}

#[test]
fn a_faster_candidate_passes_and_more_of_a_rate_is_better() {
    let slow = times(1.5);
    let options = GateOptions::default();
    check(
        &[("x", &slow, &BASE), ("rest", &REST, &REST)],
        &options,
        GateOutcome::Passed,
        "x Passed, rest Passed | nothing that matters is slower",
    );
    let groups: Groups<'_> = &[("x", &BASE, &slow)];
    let better = answer(groups, Direction::HigherIsBetter, &options);
    assert_eq!(better.outcome, GateOutcome::Passed);
    let groups: Groups<'_> = &[("x", &slow, &BASE)];
    let worse = answer(groups, Direction::HigherIsBetter, &options);
    assert_eq!(worse.outcome, GateOutcome::Failed);
    let regression = worse.groups[0].regression.unwrap();
    assert!((regression - 0.5).abs() < 0.05, "{regression}");
    let neutral = answer(groups, Direction::Neutral, &options);
    assert_eq!(neutral.outcome, GateOutcome::Inconclusive);
}

#[test]
fn work_that_moved_into_new_groups_fails_as_a_whole() {
    let new = times(3.0);
    let groups: Groups<'_> = &[
        ("old", &BASE, &[]),
        ("new", &[], &new),
        ("rest", &BASE, &BASE),
    ];
    let options = GateOptions::default();
    check(
        groups,
        &options,
        GateOutcome::Failed,
        "new Passed, old Passed, rest Passed | the whole run is slower",
    );
}

#[test]
fn structure_fails_only_where_that_is_asked() {
    use StructureVerdict::{Changed, Different, Same, ThreadCountDependent, Varies};

    let (mut diff, _) = compared(
        &[("x", &BASE, &BASE)],
        Direction::HigherIsWorse,
        &GateOptions::default(),
    );
    let mut check = |verdict, fails_on_structure| {
        diff.answer.structure.verdict = verdict;
        diff.answer.structure.reason = Why::VariesFromRunToRun { definitions: 1 }.into();
        let options = GateOptions {
            fails_on_structure,
            ..GateOptions::default()
        };
        let totals = [BASE.to_vec(), BASE.to_vec()];
        let answer = gate(diff.clone(), &totals, &options);
        let unchanged = answer.reasons.last().unwrap().text();
        let is_told = unchanged
            == "the structure did not change: 1 definition has other contexts or numbers of grains from run to run";
        let is_passed = answer.outcome == GateOutcome::Passed;
        assert_eq!(is_told, fails_on_structure && is_passed, "{unchanged}");
        (answer.outcome, answer.structure_change.is_some())
    };
    for verdict in [Changed, Different] {
        assert_eq!(check(verdict, true), (GateOutcome::Failed, true));
        assert_eq!(check(verdict, false), (GateOutcome::Passed, true));
    }
    for verdict in [Same, Varies, ThreadCountDependent] {
        assert_eq!(check(verdict, true), (GateOutcome::Passed, false));
    }
}

#[test]
fn what_the_runs_cannot_tell_is_undecided() {
    let options = GateOptions::default();
    let (one, other) = ([100.0], [200.0]);
    check(
        &[("x", &one, &other)],
        &options,
        GateOutcome::Inconclusive,
        "x Undecided | 1 group undecided; the whole run is not judged: 1 against 1 runs cannot reach 5 %; \
         4 runs per side can",
    );
    let three: Groups<'_> = &[("x", &BASE[..3], &BASE[3..])];
    let answer = answer(three, Direction::HigherIsWorse, &options);
    assert_eq!(
        (answer.outcome, answer.runs_needed),
        (GateOutcome::Inconclusive, Some(4))
    );
    // Noise that a regression could hide in.
    let noisy = [60.0, 190.0, 90.0, 170.0, 100.0, 80.0];
    check(
        &[("x", &BASE, &noisy), ("rest", &REST, &REST)],
        &options,
        GateOutcome::Inconclusive,
        "x Undecided, rest Passed | 1 group undecided",
    );
    // The same in a group that cannot matter.
    let small = noisy.map(|value| value / 1000.0);
    let base = BASE.map(|value| value / 1000.0);
    check(
        &[("x", &base, &small), ("rest", &REST, &REST)],
        &options,
        GateOutcome::Passed,
        "rest Passed, x Small | nothing that matters is slower",
    );
    check(
        &[("old", &BASE, &[]), ("new", &[], &BASE)],
        &options,
        GateOutcome::Inconclusive,
        "new Passed, old Passed | no group occurs on both sides",
    );
}
