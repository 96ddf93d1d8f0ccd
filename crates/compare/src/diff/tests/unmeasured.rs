//! A group that occurs without having been measured has an unknown value there, never zero.

use super::*;
use sheaf_answers::Note;

/// Infinity stands for not measured, NaN for absent.
const MISSING: f64 = f64::INFINITY;
const G: [f64; 4] = [10.0, 10.1, 10.2, 10.3];

fn not_measured(found: &Comparison, name: &str) -> [usize; 2] {
    let mut rows = found.answer.rows.iter().zip(&found.not_measured);
    *rows.find(|(row, _)| row.group == name).unwrap().1
}

#[test]
fn means_are_over_the_runs_in_which_it_was_measured() {
    let found = comparison_of(vec![
        group("g", &G, &G),
        group("nm", &[7.0, 7.5, MISSING, MISSING], &[7.0, 7.5, 8.0, 8.5]),
        group("part", &[4.0, 4.0, f64::NAN, MISSING], &[4.0; 4]),
    ]);
    let answer = &found.answer;
    let nm = row(answer, "nm");
    assert_eq!(
        (nm.means(), nm.delta),
        ([Some(7.25), Some(7.75)], Some(0.5))
    );
    assert_eq!(inclusive(nm), nm.means());
    assert_eq!([nm.runs_a, nm.runs_b, nm.n_a, nm.n_b], [4, 4, 2, 4]);
    assert_eq!(not_measured(&found, "nm"), [2, 0]);
    // Absent is zero, not measured is left out: (4 + 4 + 0) / 3.
    let part = row(answer, "part");
    assert_eq!(part.means(), [Some(8.0 / 3.0), Some(4.0)]);
    assert_eq!(not_measured(&found, "part"), [1, 0]);
    let totals = answer.totals.unwrap();
    let deltas: Vec<f64> = answer.rows.iter().filter_map(|row| row.delta).collect();
    assert_eq!(totals.delta, exact_sum(&deltas));
    assert_eq!(totals.a, exact_sum(&[10.15, 7.25, 8.0 / 3.0]));
    assert!(
        Note::texts(&answer.notes).contains(
            &"`work_ns` was not measured everywhere: nm in 2 runs of the baseline, part in 1 run of the baseline; \
              means are over runs in which it was, totals are of what was measured"
                .to_owned()
        ),
        "{:?}",
        answer.notes
    );
}

#[test]
fn what_a_side_never_measured_is_in_no_total() {
    let groups = vec![
        group("g", &G, &G),
        group("nm", &[MISSING; 4], &[7.0, 7.5, 8.0, 8.5]),
        // Zeros of runs without it say nothing of those that have it.
        group("rare", &[MISSING, MISSING, f64::NAN, f64::NAN], &[3.0; 4]),
        group("new", &[f64::NAN; 4], &[MISSING; 4]),
    ];
    let mut swapped = groups.clone();
    for group in &mut swapped {
        group.exclusive.swap(0, 1);
        group.inclusive.swap(0, 1);
    }
    let answer = run(groups);
    for (name, mean) in [("nm", 7.75), ("rare", 3.0)] {
        let row = row(&answer, name);
        assert_eq!((row.means(), row.delta), ([None, Some(mean)], None));
        assert_eq!((row.impact, row.p, row.ratio), (None, None, None));
        assert_eq!(row.verdict, Verdict::Untestable);
        assert_eq!(
            row.reason.text(),
            "`work_ns` was not measured in the baseline"
        );
    }
    let new = row(&answer, "new");
    assert_eq!((new.means(), new.delta), ([None, None], None));
    assert_eq!(new.verdict, Verdict::Appeared);
    assert_eq!(
        new.reason.text(),
        "in none of 4 runs before, in 4 of 4 now; `work_ns` was not measured there"
    );
    let totals = answer.totals.unwrap();
    assert_eq!((totals.a, totals.b, totals.delta), (10.15, 10.15, 0.0));
    let note = &answer.notes.last().unwrap().text;
    assert!(
        note.ends_with("totals are of what was measured, without 2 that a side never measured"),
        "{note}"
    );
    let back = run(swapped);
    let nm = row(&back, "nm");
    assert_eq!((nm.means(), nm.delta), ([Some(7.75), None], None));
    assert_eq!(
        nm.reason.text(),
        "`work_ns` was not measured in the candidate"
    );
    assert_eq!(back.totals.unwrap().delta, 0.0);
}

#[test]
fn what_was_measured_in_no_run_changes_nothing() {
    let plain = run(vec![group("g", &G, &G)]);
    let answer = run(vec![
        group("g", &G, &G),
        group("idle", &[MISSING; 4], &[MISSING; 4]),
    ]);
    assert_eq!(answer.totals, plain.totals);
    assert_eq!(answer.notes, plain.notes);
    // The whole run is judged as before.
    assert!(plain.total.as_ref().is_some_and(|total| total.p.is_some()));
    assert_eq!(answer.total, plain.total);
    assert_eq!(row(&answer, "idle").means(), [None, None]);
}

#[test]
fn there_are_no_totals_of_what_one_side_never_measured() {
    let answer = run(vec![group("x", &[MISSING; 4], &G)]);
    assert_eq!(answer.totals, None);
    assert!(
        Note::texts(&answer.notes).contains(
            &"there are no totals, and no shares of them: no group has `work_ns` on both sides"
                .to_owned()
        ),
        "{:?}",
        answer.notes
    );
}

/// A profiler that samples keeps no zeros: `main` has samples of its own in some runs only, and calls what was
/// measured in all.
#[test]
fn nothing_beside_what_is_below_is_zero() {
    let told = |own: [[f64; 2]; 2]| {
        let mut main = group("main", &own[0], &own[1]);
        main.inclusive = group("all", &[14.0; 2], &[14.0; 2]).inclusive;
        let found = comparison_of(vec![main, group("solve", &[10.0; 2], &[10.0; 2])]);
        let (row, totals) = (row(&found.answer, "main"), found.answer.totals.unwrap());
        let not_measured = not_measured(&found, "main");
        (row.means(), row.delta, not_measured, [totals.a, totals.b])
    };
    let [none, some] = [[MISSING; 2], [4.0; 2]];
    let known = |a, b| [Some(a), Some(b)];
    assert_eq!(
        told([none, some]),
        (known(0.0, 4.0), Some(4.0), [0, 0], [10.0, 14.0])
    );
    assert_eq!(
        told([[4.0, MISSING], none]),
        (known(2.0, 0.0), Some(-2.0), [0, 0], [12.0, 10.0])
    );
    // What is in no run of its own is as before.
    assert_eq!(told([none, none]).2, [2, 2]);
}
