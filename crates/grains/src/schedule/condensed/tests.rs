//! Condensed graphs next to the whole ones.

use proptest::prelude::*;
use sheaf_model::{Progress, RunTables};
use sheaf_synthetic::Program;

use super::super::costs::Costs;
use super::super::tests::{graph_of, on};
use super::*;

const POLICIES: [SchedulePolicy; 3] = SchedulePolicy::ALL;

/// A graph in which tasks with at most so much work run as one node, whatever that does to the span.
fn bounded(graph: &ScheduleGraph, run: &RunTables, most: i64) -> Condensed {
    let structure = Structure::of(run);
    let regions = Regions::new(graph, &structure, 0);
    let bounds = Bounds {
        most,
        most_created: most,
        per_task: 0,
    };
    Condensed::merged(graph, &merged(graph, &structure, &regions, bounds))
}

fn machine(workers: u32, policy: SchedulePolicy, costs: &Costs) -> Machine<'_> {
    Machine {
        workers,
        policy,
        has_tied_tasks: true,
        costs,
        seed: 1,
    }
}

fn of(graph: &ScheduleGraph, structure: &Structure, machine: &Machine<'_>) -> Option<Condensed> {
    Condensed::of(graph, structure, machine, &Progress::silent()).unwrap()
}

fn elapsed(condensed: &Condensed, weights: &[i64], machine: &Machine<'_>) -> Outcome {
    let inside = condensed.costs_inside(machine);
    let sums = condensed.sums(weights);
    condensed
        .schedule(&sums, &inside, machine, &Progress::silent())
        .unwrap()
}

fn shape(workers: u32) -> super::super::Shape {
    super::super::Shape {
        workers,
        ..Default::default()
    }
}

fn some_costs() -> Costs {
    Costs::from_values(std::array::from_fn(|kind| {
        let kind = i64::try_from(kind).unwrap();
        vec![kind, 3, 2 * kind]
    }))
}

#[test]
fn tasks_below_a_bound_run_as_one_node() {
    // Each task has 10 to 16, 1 to 3 after each of two creations, and 2 at the end.
    let run = Program::recursion(3).run(1);
    let graph = graph_of(&run, shape(2));
    let whole = bounded(&graph, &run, 0);
    assert_eq!(whole.num_nodes(), graph.num_nodes());
    let condensed = bounded(&graph, &run, 60);
    // Begin and end of the run, four fragments of the initial task, and two halves.
    assert_eq!(condensed.num_nodes(), 8, "{condensed:?}");
    let sums = condensed.sums(graph.weights());
    let work = [&sums[..], graph.weights()].map(|weights| weights.iter().sum::<i64>());
    assert_eq!(work[0], work[1]);
}

#[test]
fn neighbours_that_one_task_creates_run_as_one_node() {
    let run = Program::fork(1000).run(1);
    let graph = graph_of(&run, shape(2));
    let condensed = bounded(&graph, &run, 150);
    assert!(condensed.num_nodes() < 300, "{}", condensed.num_nodes());
    let (whole, extent) = (
        graph.extent(graph.weights()),
        condensed.extent(&condensed.sums(graph.weights())),
    );
    assert_eq!(extent.work, whole.work);
    assert!((whole.span..=whole.span + 150).contains(&extent.span));
}

#[test]
fn a_large_recursion_is_predicted_as_by_the_whole_graph() {
    let run = Program::recursion(17).run(2);
    let structure = Structure::of(&run);
    for workers in [1, 2, 8, 64] {
        let graph = graph_of(&run, shape(workers));
        let costs = some_costs();
        for policy in POLICIES {
            let machine = machine(workers, policy, &costs);
            let Some(condensed) = of(&graph, &structure, &machine) else {
                assert_eq!(workers, 64);
                continue;
            };
            assert!(condensed.num_nodes() * 2 <= graph.num_nodes());
            let whole = on(&graph, graph.weights(), &machine).elapsed;
            let found = elapsed(&condensed, graph.weights(), &machine).elapsed;
            let difference = (found - whole) as f64 / whole as f64;
            assert!(
                difference.abs() <= 0.01,
                "{workers} {policy}: {found} for {whole}"
            );
            assert!((difference - condensed.difference()).abs() < 1e-12);
        }
    }
}

/// A cost of each steal is not lost.
#[test]
fn tasks_of_one_creator_stay_apart_if_stealing_is_dear() {
    let run = Program::fork(60_000).run(2);
    let structure = Structure::of(&run);
    let graph = graph_of(&run, shape(2));
    let found = |costs: &Costs| {
        let machine = machine(2, SchedulePolicy::HelpFirst, costs);
        of(&graph, &structure, &machine)
    };
    assert!(found(&Costs::default()).is_some());
    let mut values: [Vec<i64>; ScheduleCost::ALL.len()] = Default::default();
    values[ScheduleCost::Steal as usize] = vec![1000];
    assert!(found(&Costs::from_values(values)).is_none());
}

/// Each of many phases is short, so that no task of one may run after another of the same phase.
#[test]
fn phases_stay_as_they_are() {
    let run = Program::phases(30_000).run(2);
    let structure = Structure::of(&run);
    let graph = graph_of(&run, shape(2));
    for policy in POLICIES {
        let found = of(&graph, &structure, &machine(2, policy, &Costs::default()));
        assert!(found.is_none());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn one_worker_never_idles_as_in_the_whole_graph(
        seed in any::<u64>(),
        tasks in 1_u32..80,
        most in 0_i64..300,
    ) {
        let run = Program::random(seed, tasks).run(2);
        let graph = graph_of(&run, shape(1));
        let condensed = bounded(&graph, &run, most);
        prop_assert!(condensed.num_nodes() <= graph.num_nodes());
        let costs = some_costs();
        for policy in POLICIES {
            let machine = machine(1, policy, &costs);
            let whole = on(&graph, graph.weights(), &machine);
            let found = elapsed(&condensed, graph.weights(), &machine);
            prop_assert_eq!((found.elapsed, found.costs), (whole.elapsed, whole.costs), "{}", policy);
        }
    }

    #[test]
    fn schedules_are_within_the_bounds_of_the_condensed_graph(
        seed in any::<u64>(),
        tasks in 1_u32..80,
        most in 0_i64..300,
        workers in 1_u32..6,
    ) {
        let run = Program::random(seed, tasks).run(2);
        let graph = graph_of(&run, shape(workers));
        let condensed = bounded(&graph, &run, most);
        let whole = graph.extent(graph.weights());
        let extent = condensed.extent(&condensed.sums(graph.weights()));
        prop_assert_eq!(extent.work, whole.work);
        prop_assert!(extent.span >= whole.span);
        let costs = Costs::default();
        for policy in POLICIES {
            let machine = Machine { has_tied_tasks: false, ..machine(workers, policy, &costs) };
            let found = elapsed(&condensed, graph.weights(), &machine).elapsed;
            prop_assert!(found >= extent.lower(workers) && found <= extent.upper(workers));
        }
    }

    #[test]
    fn classes_scale_as_grains_do(
        seed in any::<u64>(),
        tasks in 1_u32..80,
        kept in 0_u32..2_000_000,
    ) {
        let run = Program::random(seed, tasks).run(2);
        let graph = graph_of(&run, shape(2));
        let classes: Vec<u32> = (0..tasks).map(|grain| grain % 3).collect();
        let by_grain = graph.scaled(|grain| if grain % 3 == 0 { kept } else { 1_000_000 });
        prop_assert_eq!(&graph.scaled_by(&classes, &[kept]), &by_grain);
        let condensed = bounded(&graph, &run, 100);
        prop_assert_eq!(condensed.scaled_by(&graph, &classes, &[kept]), condensed.sums(&by_grain));
    }
}
