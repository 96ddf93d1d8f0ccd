//! Values of any size beside each other: none takes digits from another, and none becomes infinite.

use proptest::prelude::*;
use sheaf_model::{Lens, Progress};

use super::*;
use sheaf_synthetic::testing;

/// A value from 1e-300 to near the greatest float, of either sign, or none.
fn value() -> impl Strategy<Value = f64> {
    let any = (1.0..10.0_f64, -300..=307_i32, prop::bool::weighted(0.1));
    let any = any.prop_map(|(digits, exponent, is_negative)| {
        let size = digits * 10.0_f64.powi(exponent);
        if is_negative { -size } else { size }
    });
    prop_oneof![8 => any, 1 => Just(f64::NAN), 1 => Just(0.0)]
}

/// Values of so many groups on either side.
fn sides() -> impl Strategy<Value = Vec<[Vec<f64>; 2]>> {
    (1..6_usize, 1..6_usize).prop_flat_map(|(a, b)| {
        let both = [
            prop::collection::vec(value(), a),
            prop::collection::vec(value(), b),
        ];
        prop::collection::vec(both, 1..12)
    })
}

fn groups(values: &[[Vec<f64>; 2]], is_swapped: bool) -> Vec<DiffGroup> {
    let side = usize::from(is_swapped);
    let numbered = values.iter().enumerate();
    numbered
        .map(|(at, sides)| group(&format!("g{at:02}"), &sides[side], &sides[1 - side]))
        .collect()
}

fn is_finite(row: &DiffRow) -> bool {
    let numbers = [row.delta, row.means()[0], row.means()[1], row.impact];
    numbers.into_iter().flatten().all(f64::is_finite)
}

proptest! {
    #[test]
    fn any_values_conserve_and_swap(values in sides()) {
        let (there, back) = (run(groups(&values, false)), run(groups(&values, true)));
        let deltas: Vec<f64> = there.rows.iter().filter_map(|row| row.delta).collect();
        prop_assert_eq!(there.totals.is_some(), back.totals.is_some());
        match (there.totals, back.totals) {
            (Some(totals), Some(turned)) => {
                prop_assert_eq!(totals.delta, exact_sum(&deltas));
                prop_assert_eq!((totals.a, totals.b), (turned.b, turned.a));
                prop_assert_eq!(totals.delta, -turned.delta);
            }
            _ => prop_assert!(there.notes.iter().any(|note| note.text.contains("there are no totals"))),
        }
        for ours in &there.rows {
            let turned = row(&back, &ours.group);
            prop_assert!(is_finite(ours), "{:?}", ours);
            prop_assert_eq!(ours.delta, turned.delta.map(|delta| -delta));
            prop_assert_eq!(ours.means(), [turned.means()[1], turned.means()[0]]);
            // Runs that lack a group count as zero; runs without any value are left out.
            let at: usize = ours.group[1..].parse().unwrap();
            for side in [0, 1] {
                let runs = 0..values[at][side].len();
                let has = |run: &usize| values.iter().any(|sides| !sides[side][*run].is_nan());
                let own = runs.filter(has).map(|run| values[at][side][run]);
                let own = Sample::new(own.map(|value| if value.is_nan() { 0.0 } else { value }));
                if let Some(mean) = ours.means()[side] {
                    prop_assert_eq!(Some(mean), own.mean());
                }
            }
        }
        let work = there.structure.matched_work;
        prop_assert!(work.context.is_finite() && work.unmatched.is_finite());
        prop_assert!(there.structure.changes.iter().all(|change| change.share.is_finite()));
    }
}

#[test]
fn means_are_those_of_stats() {
    for great in ["3", "1e15", "1e22", "1e308"] {
        let side = |name: &str, factor: f64| -> String {
            let run = |at: usize| {
                let small = 0.1 * factor * (1.0 + at as f64 / 7.0);
                format!("run {name}{at}\n main t {great}\n main/f t {small}\n main/g t 1e-9\n")
            };
            (0..5).map(run).collect()
        };
        let text = format!("metric t s float\n{}{}", side("a", 1.0), side("b", 1.3));
        let runs = testing::runs(&text);
        let lens: Lens = "metric t | scope exclusive".parse().unwrap();
        let state = sheaf_analysis::partial(&lens, &runs, &Progress::silent()).unwrap();
        let select = |name: &str, runs: &[std::sync::Arc<sheaf_model::RunSummary>]| {
            DiffSelection::new(name, runs.iter().map(|run| run.meta.id).collect())
        };
        let is_first =
            |run: &&std::sync::Arc<sheaf_model::RunSummary>| run.meta.name.starts_with('a');
        let (a, b): (Vec<_>, Vec<_>) = runs.iter().cloned().partition(|run| is_first(&run));
        let sides = [select("a", &a), select("b", &b)];
        let (options, mapping) = (DiffOptions::default(), Mapping::default());
        let answer = finish_diff(&lens, state, &sides, &options, mapping, &Progress::silent())
            .unwrap()
            .answer;
        for (side, runs) in [a, b].iter().enumerate() {
            let theirs = sheaf_analysis::stats(&lens, runs, &Progress::silent()).unwrap();
            for own in &answer.rows {
                let same = theirs
                    .rows
                    .iter()
                    .find(|row| row.path.names() == own.path)
                    .unwrap();
                assert_eq!(own.means()[side], same.mean, "{great} {:?}", own.path);
                assert!(own.means()[side].unwrap().is_finite());
            }
        }
        let small = answer.rows.iter().find(|row| row.path == ["f"]).unwrap();
        assert!((small.ratio.unwrap() - 1.3).abs() < 1e-12);
    }
}
