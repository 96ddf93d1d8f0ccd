//! Times are tested between the same numbers of workers and ranks in the same proportions.

use super::*;
use sheaf_answers::Note;

/// Runs on so many workers and ranks each.
fn on(from: u8, worker_counts: &[(Option<i64>, i64)]) -> Vec<RunMeta> {
    let mut all = metas(from, worker_counts.len());
    for (meta, &(workers, ranks)) in all.iter_mut().zip(worker_counts) {
        (meta.workers, meta.ranks) = (workers, ranks);
    }
    all
}

/// Why times of so many workers and ranks on either side are not tested.
fn untested(a: &[(Option<i64>, i64)], b: &[(Option<i64>, i64)]) -> Option<String> {
    let [first, second] = [a.len(), b.len()].map(|runs| {
        let values = (0_u8..).map(|at| 100.0 + f64::from(at)).take(runs);
        values.collect::<Vec<f64>>()
    });
    let values = group("x", &first, &second);
    let Comparison {
        answer, untested, ..
    } = comparison(vec![values], metric(), [&on(1, a), &on(100, b)]);
    assert_eq!(answer.rows[0].p.is_none(), untested.is_some());
    let is_noted = |note: &Note| {
        untested
            .as_ref()
            .is_some_and(|why| note.text.starts_with(why.text()))
    };
    assert_eq!(answer.notes.iter().any(is_noted), untested.is_some());
    untested.map(|reason| reason.text().to_owned())
}

fn workers(numbers: &[i64]) -> Vec<(Option<i64>, i64)> {
    numbers.iter().map(|&number| (Some(number), 1)).collect()
}

#[test]
fn other_proportions_are_not_tested() {
    let found = untested(&workers(&[1, 1, 1, 1, 8]), &workers(&[1, 8, 8, 8, 8]));
    assert_eq!(
        found.as_deref(),
        Some(
            "times are not tested because the sides ran with different numbers of workers (1 in 4 runs, 8 in 1 run \
             against 1 in 1 run, 8 in 4 runs)"
        )
    );
    let found = untested(&workers(&[4; 5]), &workers(&[4, 4, 4, 4, 2]));
    assert!(
        found
            .unwrap()
            .ends_with("(4 in 5 runs against 2 in 1 run, 4 in 4 runs)")
    );
    let found = untested(&workers(&[4; 5]), &workers(&[8; 5]));
    assert!(found.unwrap().ends_with("of workers (4 against 8)"));
    let ranks = |numbers: [i64; 4]| numbers.map(|number| (None, number));
    let found = untested(&ranks([1, 1, 1, 2]), &ranks([1, 2, 2, 2]));
    assert!(found.unwrap().contains("numbers of ranks (1 in 3 runs"));
}

#[test]
fn the_same_proportions_are_tested_however_many_runs_there_are() {
    assert_eq!(untested(&workers(&[1, 8, 8]), &workers(&[8, 1, 8])), None);
    assert_eq!(
        untested(&workers(&[1, 8, 8]), &workers(&[8, 8, 1, 8, 8, 1])),
        None
    );
    assert_eq!(untested(&workers(&[3; 4]), &workers(&[3; 7])), None);
    // Unknown numbers are no other numbers.
    assert_eq!(untested(&[(None, 1); 4], &workers(&[3; 7])), None);
}

#[test]
fn workers_and_ranks_count_together() {
    let a = [(Some(1), 4), (Some(4), 1), (Some(1), 4), (Some(4), 1)];
    let b = [(Some(1), 1), (Some(4), 4), (Some(1), 1), (Some(4), 4)];
    assert_eq!(
        untested(&a, &b).as_deref(),
        Some(
            "times are not tested because the sides ran with different numbers of workers and ranks (1 in 4 ranks in 2 \
             runs, 4 in 1 rank in 2 runs against 1 in 1 rank in 2 runs, 4 in 4 ranks in 2 runs)"
        )
    );
    assert_eq!(untested(&a, &a), None);
}
