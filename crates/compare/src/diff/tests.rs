//! Properties of diffs, the verdict rule, and the rate of its false alarms.
#![expect(clippy::float_cmp, reason = "these values are exact")]

mod edge_cases;
mod ensembles;
mod functions;
mod great;
mod iterations;
mod metamorphic;
mod outside;
mod places;
mod said;
mod sides;
mod simulated;
mod structure;
mod unmeasured;
mod verdicts;
mod worker_counts;

use super::*;
use sheaf_answers::{ChangeKind, MatchedBy, StructuralChange, StructureVerdict};
use sheaf_model::{Direction, MetricKind, RunId};
use sheaf_statistics::{Random, Sample, exact_sum};

fn metric() -> Metric {
    Metric {
        name: "work_ns".to_owned(),
        source: None,
        label: None,
        unit: "ns".to_owned(),
        kind: MetricKind::Additive,
        direction: Direction::HigherIsWorse,
        estimated_in: 0,
    }
}

fn metas(first: u8, count: usize) -> Vec<RunMeta> {
    let meta = |index: usize| {
        let mut meta = RunMeta::new("sort", "trace");
        meta.id = RunId([first + u8::try_from(index).unwrap(); 16]);
        meta
    };
    (0..count).map(meta).collect()
}

fn side<'a>(name: &str, metas: &'a [RunMeta]) -> DiffSide<'a> {
    DiffSide {
        name: name.to_owned(),
        runs: metas.iter().collect(),
    }
}

fn definition(name: &str) -> DefinitionId {
    DefinitionId::new("task", name, 0)
}

/// A group of one context; NaN stands for absent, infinity for not measured.
fn group(name: &str, a: &[f64], b: &[f64]) -> DiffGroup {
    let measurement = |value: &f64| match *value {
        value if value.is_nan() => Measurement::Absent,
        value if value.is_infinite() => Measurement::NotMeasured,
        value => Measurement::Value(value),
    };
    let measurements = [a, b].map(|values| values.iter().map(measurement).collect::<Vec<_>>());
    DiffGroup {
        id: name.to_owned(),
        paths: [(); 2].map(|()| vec![name.to_owned()]),
        lines: [None; 2],
        definition: None,
        is_outside: false,
        incomparable: None,
        inclusive: measurements.clone(),
        exclusive: measurements,
    }
}

fn contexts(groups: &[DiffGroup]) -> Vec<DiffContext> {
    let context = |(index, group): (usize, &DiffGroup)| DiffContext {
        definition: index,
        parent: None,
        group: Some(index),
        runs: group
            .exclusive
            .each_ref()
            .map(|side| side.iter().filter(|r| r.is_present()).count()),
        grains: [None; 2],
        places: [None; 2],
        iterations: [None; 2],
        work: group.exclusive.each_ref().map(|side| {
            let sum: f64 = side.iter().map(|measurement| measurement.or_zero()).sum();
            sum / side.len().max(1) as f64
        }),
    };
    groups.iter().enumerate().map(context).collect()
}

/// A definition per group, named as its id.
fn definitions(groups: &[DiffGroup]) -> Vec<DiffDefinition> {
    groups.iter().map(|group| defined(&group.id)).collect()
}

fn defined(name: &str) -> DiffDefinition {
    DiffDefinition {
        id: definition(name),
        kind: "task".into(),
        names: [(); 2].map(|()| name.into()),
        lines: [None; 2],
        function: None,
        file: None,
        ordinal: 0,
    }
}

fn compare(groups: Vec<DiffGroup>, metric: Metric, metas: [&[RunMeta]; 2]) -> Diff {
    comparison(groups, metric, metas).answer
}

fn comparison(groups: Vec<DiffGroup>, metric: Metric, metas: [&[RunMeta]; 2]) -> Comparison {
    let input = DiffInput {
        sides: [side("before", metas[0]), side("after", metas[1])],
        metric,
        contexts: contexts(&groups),
        definitions: definitions(&groups),
        mapping: Mapping::default(),
        groups,
    };
    diff(input, &DiffOptions::default())
}

/// Compares groups in runs that are all different.
fn run(groups: Vec<DiffGroup>) -> Diff {
    comparison_of(groups).answer
}

fn comparison_of(groups: Vec<DiffGroup>) -> Comparison {
    let sizes = groups.first().map_or([0, 0], |group| {
        [0, 1].map(|side: usize| group.exclusive[side].len())
    });
    let (a, b) = (metas(1, sizes[0]), metas(100, sizes[1]));
    comparison(groups, metric(), [&a, &b])
}

fn row<'a>(answer: &'a Diff, name: &str) -> &'a DiffRow {
    answer.rows.iter().find(|row| row.group == name).unwrap()
}

/// Paths in the baseline and in the candidate.
fn paths(row: &DiffRow) -> [&[String]; 2] {
    [&row.path_a, &row.path_b].map(|path| path.as_deref().unwrap_or(&row.path))
}

const fn inclusive(row: &DiffRow) -> [Option<f64>; 2] {
    [row.inclusive_a, row.inclusive_b]
}

/// Kind and names of a change.
fn named(change: &StructuralChange) -> String {
    let names = [&change.definition_a, &change.definition_b];
    let [a, b] = names.map(|name| name.as_deref().unwrap_or("-"));
    format!("{:?} {a} {b}", change.kind)
}

/// Groups of awkward sizes: tiny beside huge, fractions, some absent or not measured.
fn random_groups(random: &mut Random, count: usize, runs: [usize; 2]) -> Vec<DiffGroup> {
    let mut values = |runs: usize, scale: f64| -> Vec<f64> {
        let value = |random: &mut Random| match random.below(12) {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => 0.1 * random.unit(),
            _ => (random.unit() * scale).round() / 3.0,
        };
        (0..runs).map(|_| value(random)).collect()
    };
    (0..count)
        .map(|index| {
            let scale = 10.0_f64.powi(i32::try_from(index % 13).unwrap());
            let (a, b) = (values(runs[0], scale), values(runs[1], scale));
            group(&format!("g{index}"), &a, &b)
        })
        .collect()
}

#[test]
fn deltas_add_up_to_the_total_in_any_order() {
    let mut random = Random::new(1);
    for runs in [[1, 1], [3, 7], [5, 5], [6, 1]] {
        let groups = random_groups(&mut random, 200, runs);
        // Naively: means over runs in which a group was measured or absent, of groups known on both sides.
        let mean = |measurements: &[Measurement]| -> Option<f64> {
            let told = measurements
                .iter()
                .filter(|it| **it != Measurement::NotMeasured);
            let is_measured = measurements.iter().any(|it| it.value().is_some());
            let is_known = is_measured || !measurements.contains(&Measurement::NotMeasured);
            let sum: f64 = told.clone().map(|it| it.or_zero()).sum();
            is_known.then(|| sum / told.count() as f64)
        };
        let is_known = |group: &&DiffGroup| group.exclusive.iter().all(|side| mean(side).is_some());
        let known: Vec<String> = groups
            .iter()
            .filter(is_known)
            .map(|it| it.id.clone())
            .collect();
        let total = |side: usize| -> f64 {
            let groups = groups.iter().filter(is_known);
            groups
                .filter_map(|group| mean(&group.exclusive[side]))
                .sum()
        };
        let expected = [total(0), total(1)];
        let answer = run(groups);
        let totals = answer.totals.unwrap();
        let mut deltas: Vec<f64> = answer.rows.iter().filter_map(|row| row.delta).collect();
        assert_eq!(exact_sum(&deltas), totals.delta);
        deltas.sort_by(f64::total_cmp);
        assert_eq!(exact_sum(&deltas), totals.delta);
        let sums = [0, 1].map(|side| {
            let rows = answer.rows.iter().filter(|row| known.contains(&row.group));
            let means = rows.filter_map(|row| row.means()[side]);
            exact_sum(&means.collect::<Vec<_>>())
        });
        assert_eq!(sums, [totals.a, totals.b]);
        // The delta of each row is rounded once.
        let rounded: f64 = deltas.iter().map(|delta| delta.abs() * f64::EPSILON).sum();
        assert!((totals.b - totals.a - totals.delta).abs() <= rounded + totals.a * f64::EPSILON);
        for (ours, naive) in [totals.a, totals.b].into_iter().zip(expected) {
            assert!((ours - naive).abs() <= naive * 1e-13, "{ours} {naive}");
        }
        for row in &answer.rows {
            let [a, b] = row.means().map(|mean| mean.unwrap_or(0.0));
            let delta = known.contains(&row.group).then_some(b - a);
            assert_eq!(delta, row.delta);
        }
    }
}

#[test]
fn means_of_integers_are_exact() {
    // Three days in ns beside one of a few ns.
    let days = 3.0 * 86_400e9;
    let answer = run(vec![
        group("long", &[days, days + 2.0], &[days + 1.0, days + 4.0]),
        group("short", &[1.0, 2.0], &[7.0, 8.0]),
    ]);
    assert_eq!(
        row(&answer, "long").means(),
        [Some(days + 1.0), Some(days + 2.5)]
    );
    assert_eq!(row(&answer, "short").means(), [Some(1.5), Some(7.5)]);
    assert_eq!(answer.totals.unwrap().delta, 7.5);
}

#[test]
fn swapped_sides_negate() {
    let mut random = Random::new(2);
    for runs in [[1, 4], [5, 5], [8, 6]] {
        let groups = random_groups(&mut random, 60, runs);
        let mut swapped = groups.clone();
        for group in &mut swapped {
            group.exclusive.swap(0, 1);
            group.inclusive.swap(0, 1);
        }
        let (there, back) = (run(groups), run(swapped));
        assert_eq!(there.totals.unwrap().delta, -back.totals.unwrap().delta);
        assert_eq!(there.structure.appeared, back.structure.vanished);
        for (x, y) in there.rows.iter().zip(&back.rows) {
            assert_eq!(x.group, y.group);
            assert_eq!(
                x.delta.map(|it| (it + 0.0).to_bits()),
                y.delta.map(|it| (-it + 0.0).to_bits())
            );
            assert_eq!(x.means(), [y.means()[1], y.means()[0]]);
            assert_eq!((x.p, x.q), (y.p, y.q));
            assert_eq!(x.cliffs_delta, y.cliffs_delta.map(|delta| 0.0 - delta));
            assert_eq!(x.verdict, swap(y.verdict));
            if let (Some(ratio), Some(back)) = (x.ratio, y.ratio) {
                assert!((ratio * back - 1.0).abs() < 1e-12);
            }
        }
    }
}

fn swap(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Appeared => Verdict::Vanished,
        Verdict::Vanished => Verdict::Appeared,
        Verdict::Faster => Verdict::Slower,
        Verdict::Slower => Verdict::Faster,
        other => other,
    }
}

#[test]
fn a_diff_with_itself_is_nil() {
    let mut random = Random::new(3);
    for runs in [1, 2, 6] {
        let mut groups = random_groups(&mut random, 40, [runs, runs]);
        for group in &mut groups {
            group.exclusive[1] = group.exclusive[0].clone();
            group.inclusive[1] = group.inclusive[0].clone();
        }
        groups.retain(|group| {
            group.exclusive[0]
                .iter()
                .any(|measurement| measurement.is_present())
        });
        let metas = metas(1, runs);
        let answer = compare(groups, metric(), [&metas, &metas]);
        assert_eq!(answer.totals.unwrap().delta, 0.0);
        assert!(answer.environment.is_empty());
        assert!((answer.structure.matched_work.context - 1.0).abs() < 1e-12);
        for row in &answer.rows {
            // A group without values has no difference.
            let delta = row.means()[0].map(|_| 0.0);
            assert_eq!((row.delta, row.verdict), (delta, Verdict::Unchanged));
            assert!(row.q.is_none_or(|q| q == 1.0));
            assert!(row.ratio.is_none_or(|ratio| (ratio - 1.0).abs() < 1e-12));
        }
    }
}

#[test]
fn the_order_of_runs_does_not_matter() {
    let mut random = Random::new(4);
    let groups = random_groups(&mut random, 50, [7, 6]);
    let mut reversed = groups.clone();
    for group in &mut reversed {
        for measurements in group.exclusive.iter_mut().chain(&mut group.inclusive) {
            measurements.reverse();
        }
    }
    let (a, b) = (metas(1, 7), metas(100, 6));
    let (mut back_a, mut back_b) = (a.clone(), b.clone());
    back_a.reverse();
    back_b.reverse();
    let straight = compare(groups, metric(), [&a, &b]);
    let reversed = compare(reversed, metric(), [&back_a, &back_b]);
    assert_eq!(straight.rows, reversed.rows);
    assert_eq!(straight.totals, reversed.totals);
}

#[test]
fn totals_are_judged_like_a_group() {
    let slower = run(vec![
        group(
            "x",
            &[10.0, 11.0, 10.0, 12.0, 11.0],
            &[20.0, 22.0, 21.0, 20.0, 23.0],
        ),
        group("y", &[1.0, 1.0, 2.0, 1.0, 1.0], &[1.0, 1.0, 1.0, 2.0, 1.0]),
    ]);
    let total = slower.total.unwrap();
    assert_eq!(
        (total.verdict, total.n_a, total.n_b),
        (Verdict::Slower, 5, 5)
    );
    let [low, high] = total.ci.unwrap();
    // Totals are 11, 12, 12, 13, 12 and 21, 23, 22, 22, 24.
    assert!(
        low > 1.6 && total.ratio == Some(22.0 / 12.0) && high < 2.2,
        "{total:?}"
    );
    // Complete separation of 5 and 5 runs: 2 of 252 orders.
    assert!((total.p.unwrap() - 2.0 / 252.0).abs() < 0.004, "{total:?}");

    // Work that moves from one group to another changes no total.
    let moved = run(vec![
        group("x", &[10.0; 5], &[4.0; 5]),
        group("y", &[2.0; 5], &[8.0; 5]),
    ]);
    assert_eq!(moved.total.unwrap().verdict, Verdict::Unchanged);

    // A run in which a group was not measured has no total.
    let gap = run(vec![
        group("x", &[10.0, 11.0], &[20.0, 22.0]),
        group("y", &[1.0, f64::INFINITY], &[1.0, 1.0]),
    ]);
    let total = gap.total.unwrap();
    assert_eq!(
        (total.verdict, total.n_a, total.n_b),
        (Verdict::Untestable, 1, 2)
    );
}

#[test]
fn the_verdict_on_totals_is_antisymmetric() {
    let mut random = Random::new(7);
    for runs in [[5, 5], [4, 7], [1, 3]] {
        for _ in 0..20 {
            let groups = random_groups(&mut random, 6, runs);
            let swapped = groups.iter().cloned().map(|group| DiffGroup {
                exclusive: [group.exclusive[1].clone(), group.exclusive[0].clone()],
                inclusive: [group.inclusive[1].clone(), group.inclusive[0].clone()],
                ..group
            });
            let (there, back) = (run(groups.clone()).total, run(swapped.collect()).total);
            let Some((there, back)) = there.zip(back) else {
                continue;
            };
            let turned = match there.verdict {
                Verdict::Slower => Verdict::Faster,
                Verdict::Faster => Verdict::Slower,
                other => other,
            };
            assert_eq!((back.verdict, back.p), (turned, there.p));
            // Midpoints of two differences are rounded.
            if let Some((there, back)) = there.shift.zip(back.shift) {
                assert!(
                    (there + back).abs() <= 1e-9 * there.abs().max(1.0),
                    "{there} {back}"
                );
            }
        }
    }
}
