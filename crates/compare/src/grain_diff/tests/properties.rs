//! Any runs: conserved, antisymmetric, whatever the order of rows and runs and the number of threads.

#![expect(
    clippy::float_cmp,
    reason = "the values are exact, or rounded in the same way"
)]

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

fn grain() -> impl Strategy<Value = Grain> {
    let measure = || prop_oneof![1 => Just(None), 6 => (0..1_000_i64).prop_map(Some)];
    // Few keys, so that runs share most and have some twice.
    (
        0..30_i64,
        measure(),
        measure(),
        measure(),
        prop::bool::weighted(0.1),
    )
        .prop_map(|(key, work, lifetime, delay, is_dependent)| {
            (key, definition_of(key), work, lifetime, delay, is_dependent)
        })
}

/// A key follows from a path of definitions.
fn definition_of(key: i64) -> usize {
    usize::try_from(key.rem_euclid(3)).unwrap()
}

fn whole_number(count: usize) -> i64 {
    i64::try_from(count).unwrap()
}

fn cohort() -> impl Strategy<Value = Vec<Vec<Grain>>> {
    prop::collection::vec(prop::collection::vec(grain(), 0..40), 1..4)
}

fn build(a: &[Vec<Grain>], b: &[Vec<Grain>], is_swapped: bool) -> Vec<(GrainColumns, [bool; 2])> {
    let sides = if is_swapped { [B, A] } else { [A, B] };
    let a = a.iter().map(|run| (run, sides[0]));
    let runs = a.chain(b.iter().map(|run| (run, sides[1])));
    let with_number = (1..).zip(runs);
    with_number
        .map(|(number, (run, sides))| (columns(number, run), sides))
        .collect()
}

fn counts(a: &[Vec<Grain>], b: &[Vec<Grain>]) -> [usize; 2] {
    [a.len(), b.len()]
}

/// All that an answer says but rows of owners, which follow the order of rows.
fn all(answer: &GrainDiff) -> String {
    format!(
        "{:?} {:?} {:?}",
        text(answer, GrainMatch::All),
        answer.definitions(),
        answer.total()
    )
}

/// Runs, sum of work, and runs with work.
type Side = (u32, i64, u32);

/// A join without an index: grains that can be matched, by key.
fn plain_join(side: &[Vec<Grain>]) -> BTreeMap<i64, Side> {
    let mut found: BTreeMap<i64, Side> = BTreeMap::new();
    for run in side {
        let matchable = |grain: &&Grain| {
            !grain.5 && run.iter().filter(|it| it.0 == grain.0 && !it.5).count() == 1
        };
        for grain in run.iter().filter(matchable) {
            let sums = found.entry(grain.0).or_default();
            sums.0 += 1;
            sums.1 += grain.2.unwrap_or(0);
            sums.2 += u32::from(grain.2.is_some());
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn rows_are_those_of_a_plain_join(a in cohort(), b in cohort()) {
        let answer = of(counts(&a, &b), &build(&a, &b, false));
        let expected = [plain_join(&a), plain_join(&b)];
        let mut keys: Vec<i64> = expected.iter().flat_map(|side| side.keys().copied()).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut rows = answer.page(GrainMatch::All, 0, usize::MAX);
        rows.sort_by_key(|row| row.path_key);
        prop_assert_eq!(rows.iter().map(|row| row.path_key.0).collect::<Vec<_>>(), keys);
        for row in rows {
            for side in [0, 1] {
                let (runs, sum, known) = expected[side].get(&row.path_key.0).copied().unwrap_or_default();
                prop_assert_eq!(row.runs[side], runs);
                let mean = (known > 0).then(|| sum as f64 / f64::from(known));
                prop_assert_eq!(row.work[side], mean);
            }
        }
    }

    #[test]
    fn work_is_conserved(a in cohort(), b in cohort()) {
        let answer = of(counts(&a, &b), &build(&a, &b, false));
        let total = answer.total();
        let sum = |side: &[Vec<Grain>]| -> i64 {
            side.iter().flatten().filter_map(|grain| grain.2).sum()
        };
        // One division of exact sums on either side.
        prop_assert_eq!(total.a.unwrap_or(0.0), sum(&a) as f64 / a.len() as f64);
        prop_assert_eq!(total.b.unwrap_or(0.0), sum(&b) as f64 / b.len() as f64);
        let exact = |sums: [i64; 2]| sums[1] * whole_number(a.len()) - sums[0] * whole_number(b.len());
        let by = (a.len() * b.len()) as f64;
        prop_assert_eq!(total.delta, exact([sum(&a), sum(&b)]) as f64 / by);
        // Of six runs at most, times this all changes are whole numbers.
        let whole = |delta: f64| (delta * by).round();
        let definitions: f64 = answer.definitions().iter().map(|it| whole(it.grains.delta)).sum();
        prop_assert_eq!(definitions, whole(total.delta));
        let rows = answer.page(GrainMatch::All, 0, usize::MAX);
        let rows: f64 = rows.iter().map(|row| whole(row.delta.unwrap_or(0.0))).sum();
        let unmatchable = (total.unmatchable_work_b - total.unmatchable_work_a) * by;
        prop_assert_eq!(rows + unmatchable.round(), whole(total.delta));
    }

    #[test]
    fn swapped_sides_negate_every_change(a in cohort(), b in cohort()) {
        let answer = of(counts(&a, &b), &build(&a, &b, false));
        let swapped = of([b.len(), a.len()], &build(&a, &b, true));
        let [total, other] = [answer.total(), swapped.total()];
        prop_assert_eq!(total.delta, -other.delta);
        prop_assert_eq!(([total.only_a, total.only_b], other.matched), ([other.only_b, other.only_a], total.matched));
        prop_assert_eq!(total.delay_change.map(|it| -it + 0.0), other.delay_change.map(|it| it + 0.0));
        let [rows, others] = [&answer, &swapped].map(|it| it.page(GrainMatch::All, 0, usize::MAX));
        prop_assert_eq!(rows.len(), others.len());
        for (row, other) in rows.iter().zip(&others) {
            prop_assert_eq!(row.path_key, other.path_key);
            prop_assert_eq!(row.owner, other.owner);
            prop_assert_eq!(row.delta.map(|it| 0.0 - it), other.delta.map(|it| it + 0.0));
            prop_assert_eq!([row.work[1], row.work[0]], other.work);
            if let (Some(one), Some(two)) = (row.work_deviation, other.work_deviation) {
                prop_assert!(one == 0.0 || (one * two - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn order_and_threads_do_not_matter(a in cohort(), b in cohort(), seed in any::<u64>()) {
        let runs = build(&a, &b, false);
        let expected = all(&of(counts(&a, &b), &runs));
        let mut numbers = sheaf_synthetic::Numbers::new(seed);
        let mut shuffle = |run: &[Grain]| {
            let mut run = run.to_vec();
            for last in (1..run.len()).rev() {
                let other = numbers.below(u32::try_from(last).unwrap() + 1) as usize;
                run.swap(last, other);
            }
            run
        };
        let shuffled = [&a, &b].map(|side| side.iter().map(|run| shuffle(run)).collect::<Vec<_>>());
        let rows = build(&shuffled[0], &shuffled[1], false);
        prop_assert_eq!(all(&of(counts(&a, &b), &rows)), expected.clone());
        let mut backwards = runs.clone();
        backwards.reverse();
        prop_assert_eq!(all(&of(counts(&a, &b), &backwards)), expected.clone());
        // One after the other, as a caller with little memory does.
        let mut differ = GrainDiffer::new(counts(&a, &b));
        for run in runs.chunks(1) {
            differ.add(run);
        }
        prop_assert_eq!(all(&differ.finish()), expected);
    }
}

#[test]
fn threads_do_not_matter() {
    let mut numbers = sheaf_synthetic::Numbers::new(7);
    let mut run = |number: u8| {
        let mut grains: Vec<Grain> = Vec::new();
        for key in 0..200_000_i64 {
            let work = i64::from(numbers.below(1_000_000));
            // A tenth of the grains is not in this run.
            if work % 10 == 0 {
                continue;
            }
            let key = key.wrapping_mul(0x1234_5678_9ABC_DEF1);
            let delay = Some(work % 17);
            grains.push((
                key,
                definition_of(key),
                Some(work),
                Some(work + 3),
                delay,
                false,
            ));
        }
        columns(number, &grains)
    };
    let runs: Vec<_> = [(1, A), (2, A), (3, B)]
        .map(|(at, side)| (run(at), side))
        .into();
    let answers = [1, 2, 8].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let answer = of([2, 1], &runs);
            let page = answer.page(GrainMatch::All, 0, 5_000);
            format!("{page:?} {:?} {:?}", answer.definitions(), answer.total())
        })
    });
    assert!(answers[0].len() > 1_000_000);
    assert!(answers[0] == answers[1] && answers[1] == answers[2]);
}
