//! Properties that hold for every ensemble and lens.

use std::fmt::Write as _;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use sheaf_answers::{LocatedValues, LocationKind};
use sheaf_model::{Lens, Progress, RunSummary, Scope};

use crate::group_values::rows;
use crate::kernel::UnifiedRuns;
use crate::partition::Partition;
use crate::{
    DistributionMode, DistributionQuestion, GroupValues, Grouping, LayoutOptions,
    LocationsQuestion, Reentry, State, WholeRuns, finish_distribution, finish_groups,
    finish_hierarchy, finish_locations, finish_sankey, finish_stats, partial,
};
use sheaf_synthetic::testing;

const DEFINITIONS: &str = "
    def a module=x file=1
    def b module=x file=2
    def c module=y file=2
    def d module=z kind=task
";

const LENSES: &[&str] = &[
    "below 0",
    "level module | below 0",
    "level context | over ranks=max",
    "level module | over workers=median | scope exclusive | bins 3",
    "below 0.3 | over ranks=median | by p",
    "level module | below 0.2 | over ranks=sum | by p",
    "metric t | below 0.1",
    "metric t | level context | over workers=mean",
];

/// Contexts of a run: a path, a rank, a thread and a value.
type Rows = Vec<(Vec<u8>, u8, u8, u32)>;

fn ensemble() -> impl Strategy<Value = Vec<Rows>> {
    let row = (vec(0..4_u8, 0..5), 0..3_u8, 0..2_u8, 0..1000_u32);
    vec(vec(row, 1..12), 1..6)
}

fn build(ensemble: &[Rows]) -> Vec<Arc<RunSummary>> {
    let mut text = DEFINITIONS.to_owned();
    text.push_str("metric t s inclusive float\n");
    for (run, rows) in ensemble.iter().enumerate() {
        writeln!(text, "run r{run} p={}", run % 2).unwrap();
        for (path, rank, thread, value) in rows {
            text.push('a');
            for step in path {
                write!(text, "/{}", ["a", "b", "c", "d"][usize::from(*step)]).unwrap();
            }
            let float = f64::from(*value) / 7.0;
            writeln!(
                text,
                " work_ns {value}@{rank}.{thread} ; t {float}@{rank}.{thread}"
            )
            .unwrap();
        }
    }
    testing::runs(&text)
}

/// The answers to every question about a state, as text that shows every bit of a float.
fn answers(lens: &Lens, state: &State) -> String {
    let progress = Progress::silent();
    let group = "a";
    let mut text = String::new();
    let sankey = finish_sankey(lens, state.clone(), &LayoutOptions::default(), &progress);
    writeln!(text, "{sankey:?}").unwrap();
    writeln!(text, "{:?}", finish_stats(lens, state.clone(), &progress)).unwrap();
    writeln!(
        text,
        "{:?}",
        finish_hierarchy(lens, group, state.clone(), &progress)
    )
    .unwrap();
    for mode in [
        DistributionMode::Runs,
        DistributionMode::CallSites,
        DistributionMode::Ranks,
        DistributionMode::Workers,
    ] {
        let question = DistributionQuestion::new(group, mode);
        let answer = finish_distribution(lens, &question, state.clone(), &progress);
        writeln!(text, "{answer:?}").unwrap();
    }
    let question = LocationsQuestion::default();
    let answer = finish_locations(lens, &question, state.clone(), &progress);
    writeln!(text, "{answer:?}").unwrap();
    text
}

fn merged(lens: &Lens, slices: &[&[Arc<RunSummary>]]) -> State {
    let mut state = State::default();
    for slice in slices {
        state.merge(partial(lens, slice, &Progress::silent()).unwrap());
    }
    state
}

/// Values of groups as they are computed, and run by run.
fn both_ways(lens: &Lens, runs: &[Arc<RunSummary>]) -> [GroupValues; 2] {
    let progress = Progress::silent();
    let ensemble = UnifiedRuns::new(merged(lens, &[runs])).unwrap();
    let question = ensemble.question(&lens.metric).unwrap();
    let grouping = Grouping::new(&ensemble.tree, lens, Reentry::Merged).unwrap();
    let groups = grouping.len();
    let partition = Partition::new(&ensemble.tree, grouping.group_of, groups);
    let rows = rows(&ensemble, &question, &partition, lens.over, &progress).unwrap();
    let values = GroupValues::new(&ensemble, &question, &partition, lens.over, &progress).unwrap();
    [values, GroupValues::from_rows(&rows, groups)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn runs_side_by_side_have_the_values_of_each_alone(
        rows in vec((vec(0..4_u8, 0..5), 0..3_u8, 0..2_u8, 0..1000_u32), 1..12),
        factors in vec(0..50_u32, 1..70),
    ) {
        let scaled = |factor: &u32| {
            let of_row = |(path, rank, thread, value): &(Vec<u8>, u8, u8, u32)| {
                (path.clone(), *rank, *thread, value * factor)
            };
            rows.iter().map(of_row).collect()
        };
        let runs = build(&factors.iter().map(scaled).collect::<Vec<Rows>>());
        for lens in LENSES {
            let [values, alone] = both_ways(&lens.parse().unwrap(), &runs);
            prop_assert_eq!(values, alone, "{}", lens);
        }
    }

    /// A table of runs takes the total of each run without a union of their contexts.
    #[test]
    fn totals_of_whole_runs_are_those_of_the_union(ensemble in ensemble()) {
        let runs = build(&ensemble);
        for lens in LENSES {
            let lens: Lens = lens.parse().unwrap();
            let [values, _] = both_ways(&lens, &runs);
            let state = merged(&lens, &[&runs]);
            let union = UnifiedRuns::new(state).unwrap();
            let metrics = || union.runs().iter().map(|run| &run.metrics);
            let whole = WholeRuns::new(&lens.metric, lens.over, metrics());
            for (at, run) in union.runs().iter().enumerate() {
                let bits = |value: Option<f64>| value.map(f64::to_bits);
                let (alone, united) = (whole.total(at, run), values.totals()[at].value());
                prop_assert_eq!(bits(alone), bits(united), "{}", lens);
                if let Some(row) = whole.row_to_add_up(at) {
                    let rows = run.totals.rows().filter(|total| total.metric == row);
                    let sums: Vec<i64> = rows.filter_map(|total| total.sum).collect();
                    let sum: i128 = sums.iter().copied().map(i128::from).sum();
                    let added = (!sums.is_empty())
                        .then(|| whole.of_sum(sum, run.locations.rank.values()));
                    prop_assert_eq!(bits(added), bits(united), "{}", lens);
                }
            }
        }
    }

    #[test]
    fn answers_do_not_depend_on_order_or_partition(ensemble in ensemble(), cut in 0..6_usize) {
        let runs = build(&ensemble);
        let mut reversed = runs.clone();
        reversed.reverse();
        let (front, back) = reversed.split_at(cut.min(runs.len()));
        for lens in LENSES {
            let lens: Lens = lens.parse().unwrap();
            let whole = answers(&lens, &merged(&lens, &[&runs]));
            prop_assert_eq!(&whole, &answers(&lens, &merged(&lens, &[back, front])));
            let one_by_one: Vec<_> = reversed.chunks(1).collect();
            prop_assert_eq!(&whole, &answers(&lens, &merged(&lens, &one_by_one)));
            // A run that comes twice is one run.
            prop_assert_eq!(&whole, &answers(&lens, &merged(&lens, &[front, &runs])));
        }
    }

    #[test]
    fn exclusive_values_add_up_to_the_total(ensemble in ensemble()) {
        let runs = build(&ensemble);
        for (level, operation) in [
            ("definition", ""), ("context", ""), ("module", ""), ("module", "| split x entries"),
            ("module", "| split x callees"), ("definition", "| hide a"),
        ] {
            let lens: Lens = format!("level {level} | over ranks=sum {operation}").parse().unwrap();
            for reentry in [Reentry::Merged, Reentry::Separate] {
                let state = merged(&lens, &[&runs]);
                let grouped = match finish_groups(&lens, state, reentry, &Progress::silent()) {
                    Ok(grouped) => grouped,
                    // Where all are in one module, there is no module to split.
                    Err(error) => {
                        prop_assert!(error.to_string().starts_with("group `x` is not"));
                        continue;
                    }
                };
                let values = &grouped.values;
                for run in 0..values.num_runs() {
                    let exclusive = |group| values.of(Scope::Exclusive, group)[run].or_zero();
                    let inclusive = |group| values.of(Scope::Inclusive, group)[run].or_zero();
                    let sum: f64 = (0..values.num_groups()).map(exclusive).sum();
                    prop_assert_eq!(sum.to_bits(), values.totals()[run].or_zero().to_bits());
                    for group in 0..values.num_groups() {
                        prop_assert!(inclusive(group) >= exclusive(group));
                    }
                }
            }
        }
    }

    /// Values by rank or worker add up to the group's total, to the bit, and so do values of shared columns.
    #[test]
    fn locations_add_up_to_the_groups(ensemble in ensemble(), columns in 1..4_usize) {
        let runs = build(&ensemble);
        for (lens, by) in [
            ("scope exclusive", LocationKind::Ranks), ("scope inclusive", LocationKind::Workers),
            ("level module | scope inclusive", LocationKind::Ranks),
            ("level context | scope exclusive", LocationKind::Workers),
        ] {
            let lens: Lens = format!("{lens} | over ranks=sum").parse().unwrap();
            let progress = Progress::silent();
            let question = LocationsQuestion { by, ..LocationsQuestion::default() };
            let state = merged(&lens, &[&runs]);
            let answer = finish_locations(&lens, &question, state.clone(), &progress).unwrap();
            let stats = finish_stats(&lens, state.clone(), &progress).unwrap();
            prop_assert_eq!(answer.groups.len(), stats.rows.iter().filter(|row| row.runs > 0).count());
            for group in &answer.groups {
                let sum = |values: &LocatedValues| values.values.iter().flatten().sum::<f64>();
                for values in &group.runs {
                    let total = values.total.unwrap();
                    prop_assert_eq!(sum(values).to_bits(), total.to_bits());
                    let places = values.values.len() as f64;
                    prop_assert!((values.spread.mean.unwrap() * places - total).abs() <= 1e-9 * total);
                    prop_assert!(values.excess >= 0.0 && values.imbalance.unwrap() >= 0.0);
                }
                // Totals of runs are what the distribution over runs is made of.
                let row = stats.rows.iter().find(|row| row.group == group.group).unwrap();
                let totals = group.runs.iter().map(|values| values.total.unwrap());
                let most = totals.fold(0.0, f64::max);
                prop_assert_eq!(most.to_bits(), row.max.unwrap().to_bits());
            }
            let shared = LocationsQuestion { columns: Some(columns), ..question };
            let shared = finish_locations(&lens, &shared, state, &progress).unwrap();
            for (shared, whole) in shared.groups.iter().zip(&answer.groups) {
                for (shared, whole) in shared.runs.iter().zip(&whole.runs) {
                    prop_assert!(shared.values.len() <= columns);
                    prop_assert_eq!(shared.total, whole.total);
                    prop_assert_eq!(&shared.spread, &whole.spread);
                }
            }
        }
    }

    #[test]
    fn what_flows_in_does_not_exceed_the_group(ensemble in ensemble()) {
        let runs = build(&ensemble);
        let lens: Lens = "below 0.05 | over ranks=sum".parse().unwrap();
        let state = merged(&lens, &[&runs]);
        let answer = finish_sankey(&lens, state, &LayoutOptions::default(), &Progress::silent()).unwrap();
        for edge in &answer.edges {
            for node in [edge.source, edge.target] {
                let node = &answer.nodes[node as usize].inclusive_by_run;
                for (flow, value) in edge.inclusive_by_run.iter().zip(node) {
                    prop_assert!(flow.unwrap_or(0.0) <= value.unwrap_or(0.0));
                }
            }
        }
    }
}

#[test]
fn answers_do_not_depend_on_the_number_of_threads() {
    let rows = |seed: u32| -> Rows {
        let number = |at: u32| seed.wrapping_mul(2_654_435_761).rotate_left(at) % 997;
        let step = |at: u32| u8::try_from(number(at) % 4).unwrap();
        (0..40)
            .map(|at| {
                (
                    (0..at % 5).map(|depth| step(at + depth)).collect(),
                    step(at) % 3,
                    0,
                    number(at),
                )
            })
            .collect()
    };
    let runs = build(&(1..60).map(rows).collect::<Vec<_>>());
    for lens in LENSES {
        let lens: Lens = lens.parse().unwrap();
        let in_pool = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| answers(&lens, &merged(&lens, &[&runs])))
        };
        let alone = in_pool(1);
        assert_eq!(alone, in_pool(2));
        assert_eq!(alone, in_pool(8));
    }
}
