//! Change points: the reference series, ties, points of several values, false alarms.

use super::reference::shared;
use crate::random::Random;
use crate::*;

const C1: &[f64] = &[
    10.1, 9.9, 10.0, 10.2, 9.8, 10.1, 10.0, 12.1, 11.9, 12.0, 12.2, 11.8, 12.1, 12.0,
];
const C2: &[f64] = &[
    100.0, 101.0, 99.0, 100.0, 102.0, 98.0, 100.0, 101.0, 110.0, 111.0, 109.0, 110.0, 112.0, 108.0,
    110.0, 111.0, 105.0, 104.0, 106.0, 105.0, 103.0, 107.0, 105.0, 104.0,
];
const C3: &[f64] = &[
    50.0, 50.5, 49.5, 50.2, 49.8, 50.1, 75.0, 50.3, 49.7, 50.0, 50.4, 49.6, 50.1, 49.9,
];

fn singles(values: &[f64]) -> Series {
    Series::new(values.iter().map(|&value| [value]))
}

fn points(series: &Series) -> Vec<usize> {
    let found = change_points(series, &ChangePointOptions::default());
    found.points.iter().map(|change| change.point).collect()
}

#[track_caller]
fn check_series(values: &[f64], max_q: f64, split: usize, changes: &[usize]) {
    let series = singles(values);
    let best = series.best_split(0, series.len()).unwrap();
    assert!(
        (best.statistic - max_q).abs() < 5e-7,
        "{best:?}, reference {max_q}"
    );
    assert_eq!(best.point, split);
    assert_eq!(points(&series), changes);
}

#[test]
fn reference_series_split_where_others_split_them() {
    check_series(C1, 12.866_667, 7, &[7]);
    check_series(C2, 52.279_365, 8, &[8, 16]);
    // A least-squares method reports 6 and 8 here: it takes one outlier for two changes.
    check_series(C3, 0.002_857, 11, &[]);
}

#[test]
fn change_points_match_the_reference_data() {
    let path = shared().map(|folder| folder.join("oracle/statistics.json"));
    let Some(json) = path.and_then(|path| std::fs::read_to_string(path).ok()) else {
        println!(
            "The reference data `oracle/statistics.json` is not here; only the values in this file are checked."
        );
        return;
    };
    let data: serde_json::Value = serde_json::from_str(&json).unwrap();
    let series = data["changepoint"].as_object().unwrap();
    let mut compared = 0;
    for case in series.values().filter(|case| case.is_object()) {
        let list = |key: &str| case[key].as_array().unwrap().iter();
        let values: Vec<f64> = list("x").map(|value| value.as_f64().unwrap()).collect();
        let at = |value: &serde_json::Value| usize::try_from(value.as_u64().unwrap()).unwrap();
        let changes: Vec<usize> = list("changepoints").map(at).collect();
        let max_q = case["maxQ"].as_f64().unwrap();
        check_series(&values, max_q, at(&case["split"]), &changes);
        compared += 1;
    }
    assert_eq!(compared, 3);
}

#[test]
fn few_values_cannot_show_a_change() {
    let separated = |n: usize| {
        let value = |at: usize| at as f64 * 0.001 + if at >= n / 2 { 10.0 } else { 0.0 };
        singles(&(0..n).map(value).collect::<Vec<f64>>())
    };
    for n in 0..8 {
        let series = separated(n);
        let found = change_points(&series, &ChangePointOptions::default());
        assert_eq!(found.points, [], "{n}");
        assert_eq!(found.whole.is_some(), n >= 4, "{n}");
        assert!(found.smallest_p > 0.05, "{n}: {}", found.smallest_p);
    }
    // Eight are enough: p is exactly 2 / C(8, 4).
    let found = change_points(&separated(8), &ChangePointOptions::default());
    assert_eq!(found.points.len(), 1);
    assert!((found.points[0].p - 2.0 / 70.0).abs() < 1e-12);
    assert!((found.smallest_p - 2.0 / 70.0).abs() < 1e-12);
}

#[test]
fn equal_values_never_change() {
    for n in [4, 8, 9, 30] {
        let found = change_points(&singles(&vec![7.25; n]), &ChangePointOptions::default());
        assert_eq!(found.points, [], "{n}");
        assert_eq!(found.whole.map(|split| split.p), Some(1.0), "{n}");
    }
}

#[test]
fn runs_of_a_version_stay_together() {
    // Two versions of seven runs each: one place to split.
    let series = Series::new([super::S1.0, super::S1.1].map(|side| side.iter().copied()));
    assert_eq!(points(&series), [1]);
    // The largest jump is inside a version, where nothing is split.
    let mixed = [1.0, 1.0, 1.0, 9.0, 9.0];
    let series = Series::new([mixed, mixed, mixed, mixed]);
    assert!(points(&series).is_empty());
    // A version without runs is no place of its own: the change is at the one that has runs.
    let none: &[f64] = &[];
    let series = Series::new([super::S1.0, none, super::S1.1].map(|side| side.iter().copied()));
    assert_eq!(points(&series), [2]);
    let not_finite = Series::new([[f64::NAN, 1.0], [f64::INFINITY, 2.0]]);
    assert_eq!((not_finite.num_values(), not_finite.rejected()), (2, 2));
    assert_eq!(not_finite.best_split(0, 2), None);
}

#[test]
fn the_order_of_runs_within_a_version_does_not_matter() {
    let forth = Series::new([
        [1.0, 2.0, 3.0, 2.5],
        [5.0, 4.0, 6.0, 5.5],
        [5.1, 4.4, 6.1, 5.2],
    ]);
    let back = Series::new([
        [2.5, 3.0, 1.0, 2.0],
        [6.0, 5.5, 5.0, 4.0],
        [5.2, 6.1, 4.4, 5.1],
    ]);
    let options = ChangePointOptions::default();
    assert_eq!(
        change_points(&forth, &options),
        change_points(&back, &options)
    );
    assert_eq!(points(&forth), [1]);
}

#[test]
fn the_last_version_is_checked_at_once() {
    let series =
        Series::new([super::S1.0, super::S1.0, super::S1.1].map(|side| side.iter().copied()));
    let last = last_point(&series, 0, 0.05).unwrap();
    assert_eq!(last.sizes, [14, 7]);
    assert!(last.p <= last.smallest_p * (1.0 + 1e-12), "{last:?}");
    assert!((last.smallest_p - 2.0 / 116_280.0).abs() < 1e-15);
    // Against the version before alone it is sample S1 of the reference.
    let last = last_point(&series, 1, 0.05).unwrap();
    assert!((last.p - 2.0 / 3432.0).abs() < 1e-12);
    assert!((last.shift.unwrap().value - 1.0).abs() < 1e-12);
    let interval = last.shift.unwrap().interval.unwrap();
    assert!((interval.low - 0.7).abs() < 1e-9 && (interval.high - 1.3).abs() < 1e-9);
    // With one run, nothing can be said of the last of few versions.
    let last = last_point(&singles(&[1.0, 1.1, 1.2, 9.0]), 0, 0.05).unwrap();
    assert!((last.p - 0.5).abs() < 1e-12 && (last.smallest_p - 0.5).abs() < 1e-12);
    assert_eq!(last_point(&Series::new([[1.0]]), 0, 0.05), None);
    assert_eq!(last_point(&Series::default(), 0, 0.05), None);
}

#[test]
fn false_alarms_stay_below_alpha_and_steps_are_found() {
    let mut random = Random::new(11);
    let mut noise = move || {
        // A sum of twelve uniform numbers: near enough to normal, and skewed by its square.
        let sum: f64 = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
        sum + 0.2 * sum * sum
    };
    let trials = 400;
    let options = |seed| ChangePointOptions {
        permutations: 199,
        seed,
        ..ChangePointOptions::default()
    };
    let (mut alarms, mut found, mut near) = (0, 0, 0);
    for seed in 0..trials {
        let still = Series::new((0..20).map(|_| [noise()]));
        alarms += usize::from(!change_points(&still, &options(seed)).points.is_empty());
        let step = Series::new((0..20).map(|at| [noise() + if at < 10 { 0.0 } else { 3.0 }]));
        let changes = change_points(&step, &options(seed)).points;
        found += usize::from(!changes.is_empty());
        near += usize::from(changes.iter().any(|change| change.point.abs_diff(10) <= 1));
    }
    // 5 % of 400 is 20; three deviations of a binomial count more are 33.
    assert!(alarms <= 33, "{alarms} of {trials}");
    assert!(found >= 390 && near >= 380, "{found}, {near} of {trials}");
}
