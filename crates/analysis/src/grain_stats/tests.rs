//! Distributions over grains: against sorting, whatever the parts and the threads, and by hand.

use arrow::array::{ArrayRef, Int32Array, Int64Array, RecordBatch};
use proptest::prelude::*;
use sheaf_model::RunTables;

use super::group::GrainStatistics;
use super::*;
use sheaf_synthetic::Program;

fn packed(values: &[i64]) -> GrainValues {
    let column = Int64Array::from(values.to_vec());
    GrainValues::of(&vec![0; values.len()], &column, &[0])
}

fn of(parts: &[GrainValues], bins: u32) -> Option<GrainStatistics> {
    let slices: Vec<Slice<'_>> = parts
        .iter()
        .flat_map(|part| part.stretches.iter().map(|it| part.slice(it)))
        .collect();
    GrainStatistics::of(&slices, bins)
}

/// Type 7 by its definition, in integers of a quarter.
fn quartile(sorted: &[i64], quarter: usize) -> f64 {
    let place = (sorted.len() - 1) * quarter;
    let [low, high] = [place / 4, place.div_ceil(4)].map(|at| i128::from(sorted[at]));
    (4 * low + (high - low) * i128::try_from(place % 4).unwrap()) as f64 / 4.0
}

/// All of it by sorting.
fn plain(values: &[i64], bins: u32) -> GrainStatistics {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let (min, max) = (sorted[0], sorted[sorted.len() - 1]);
    let range = i128::from(max) - i128::from(min);
    let bins = if range == 0 { 1 } else { bins };
    let mut counts = vec![0; bins as usize];
    for &value in values {
        let offset = i128::from(value) - i128::from(min);
        let bin = (offset * i128::from(bins)).checked_div(range).unwrap_or(0);
        counts[usize::try_from(bin.min(i128::from(bins) - 1)).unwrap()] += 1;
    }
    GrainStatistics {
        count: values.len() as u64,
        sum: values.iter().map(|&it| i128::from(it)).sum(),
        sum_squares: values
            .iter()
            .map(|&it| u128::from(it.unsigned_abs()).pow(2))
            .sum(),
        min,
        max,
        quartiles: [1, 2, 3].map(|quarter| quartile(&sorted, quarter)),
        bins: counts,
    }
}

fn values() -> impl Strategy<Value = Vec<i64>> {
    let value = prop_oneof![
        4 => 0..50_i64,
        4 => 0..2_000_000_i64,
        2 => 1_000_000..1_000_100_i64,
        1 => any::<i64>().prop_map(|it| it >> 3),
        1 => Just(i64::from(u32::MAX)),
    ];
    let narrow = prop_oneof![0..10_i64, 0..5_000_000_i64];
    prop_oneof![
        prop::collection::vec(value, 1..6_000),
        prop::collection::vec(narrow, 1..6_000),
        (0..9_i64, 1..5_000_usize).prop_map(|(value, count)| vec![value; count]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn statistics_are_those_of_sorting(values in values(), parts in 1..7_usize, bins in 1..40_u32) {
        let len = values.len().div_ceil(parts);
        let parts: Vec<GrainValues> = values.chunks(len).map(packed).collect();
        prop_assert_eq!(of(&parts, bins), Some(plain(&values, bins)));
    }
}

#[test]
fn threads_and_order_do_not_matter() {
    let mut numbers = sheaf_synthetic::Numbers::new(3);
    let all: Vec<i64> = (0..1_500_000)
        .map(|_| i64::from(numbers.below(1 << 20)) * i64::from(numbers.below(1 << 9)))
        .collect();
    let expected = plain(&all, 32);
    let mut parts: Vec<GrainValues> = all.chunks(70_001).map(packed).collect();
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        assert_eq!(pool.install(|| of(&parts, 32)).as_ref(), Some(&expected));
        parts.reverse();
    }
}

#[test]
fn spread_is_of_n_less_one_and_absent_of_one_value() {
    let statistics = |values: &[i64]| of(&[packed(values)], 4).unwrap();
    let four = statistics(&[2, 4, 4, 6]);
    assert_eq!(
        format!("{:?}", four.standard_deviation()),
        "Some(1.632993161855452)"
    );
    assert_eq!(
        (four.quartiles, four.bins),
        ([3.5, 4.0, 4.5], vec![1, 0, 2, 1])
    );
    assert_eq!(statistics(&[7]).standard_deviation(), None);
    assert!(of(&[packed(&[])], 4).is_none());
}

fn batch(run: &RunTables) -> RecordBatch {
    let columns: [(&str, ArrayRef); 2] = [
        ("context", Arc::new(run.grains.context.to_arrow())),
        ("work", Arc::new(run.grains.work.to_arrow())),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// A program's run with totals of work, without which no question is about work.
fn with_totals(name: &str, workers: u32) -> RunTables {
    let mut run = Program::recursion(6).run(workers);
    name.clone_into(&mut run.summary.meta_mut().name);
    let mut id = [0; 16];
    id[0] = u8::try_from(workers).unwrap();
    run.summary.meta_mut().id = RunId(id);
    let metric = sheaf_model::table::MetricRow {
        name: "work_ns".into(),
        unit: "ns".into(),
        kind: "additive".into(),
        direction: "higher_is_worse".into(),
        is_integer: true,
        source: None,
        alias: None,
    };
    run.summary.metrics = std::iter::once(metric).collect();
    run
}

#[test]
fn groups_and_cohorts_have_the_grains_of_their_runs() {
    let names = [("a", 1), ("b", 2), ("c", 4)];
    let runs: Vec<RunTables> = names
        .map(|(name, workers)| with_totals(name, workers))
        .into();
    let summaries: Vec<_> = runs.iter().map(|it| Arc::new(it.summary.clone())).collect();
    let ask = |lens: &str, pieces: usize| {
        let lens: Lens = lens.parse().unwrap();
        let question = GrainStats::new(&lens, &summaries, &Progress::silent()).unwrap();
        let mut parts = Vec::new();
        for (place, run) in runs.iter().enumerate() {
            let batch = batch(run);
            let len = batch.num_rows().div_ceil(pieces);
            for first in (0..batch.num_rows()).step_by(len) {
                let rows = batch.slice(first, len.min(batch.num_rows() - first));
                parts.push((place, question.part(place, &rows)));
            }
        }
        question.finish(&parts, &Progress::silent()).unwrap()
    };
    let answer = ask("bins 32", 1);
    assert_eq!(answer, ask("bins 32", 5));
    let text: Vec<String> = answer
        .rows
        .iter()
        .map(|row| {
            format!(
                "{} runs {} count {} absent {}",
                row.path.names()[0],
                row.runs,
                row.count,
                row.absent
            )
        })
        .collect();
    assert_eq!(
        text,
        [
            "work (task) runs 3 count 186 absent 0",
            "main (task) runs 3 count 3 absent 0"
        ]
    );
    let works: Vec<i64> = runs
        .iter()
        .flat_map(|run| run.grains.work.iter().flatten().skip(1))
        .collect();
    let expected = plain(&works, 32);
    let row = &answer.rows[0];
    assert_eq!(
        (row.mean, row.q1, row.median, row.q3),
        (
            Some(expected.mean()),
            Some(expected.quartiles[0]),
            Some(expected.quartiles[1]),
            Some(expected.quartiles[2])
        )
    );
    let histogram = row.histogram.as_ref().map(|it| it.counts.clone());
    assert_eq!(histogram, Some(expected.bins));
    let shares: f64 = answer.rows.iter().filter_map(|row| row.share).sum();
    assert!((shares - 1.0).abs() < 1e-12);
    let by_workers = ask("by workers", 2);
    assert_eq!(by_workers.rows.len(), 6);
    assert!(by_workers.rows.iter().all(|row| row.runs == 1));
}

#[test]
fn nulls_and_contexts_of_no_group_count_for_nothing() {
    let contexts = Int32Array::from(vec![0, 0, 1, 1, 2, 9, -1]);
    let values = Int64Array::from(vec![
        Some(1),
        None,
        Some(5),
        Some(6),
        Some(7),
        Some(8),
        Some(9),
    ]);
    let found = GrainValues::of(contexts.values(), &values, &[3, NONE, 3]);
    let stretches: Vec<_> = found
        .stretches
        .iter()
        .map(|it| (it.group, it.start, it.len))
        .collect();
    assert_eq!(stretches, [(3, 0, 2)]);
    assert_eq!(of(&[found], 4).unwrap().sum, 8);
}
