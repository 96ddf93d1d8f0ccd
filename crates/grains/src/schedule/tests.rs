//! Schedules by hand, and their properties over made-up programs.

use std::fmt::Write as _;

use proptest::prelude::*;
use sheaf_model::{Progress, RunTables};
use sheaf_synthetic::Program;

use super::{Costs, Extent, Machine, Outcome, ScheduleCost, ScheduleGraph, SchedulePolicy, Shape};
use super::{graph::MILLION, schedule};
use crate::grain_graph::{GrainGraph, Paths, Structure};

const POLICIES: [SchedulePolicy; 3] = SchedulePolicy::ALL;

pub(super) fn graph_of(run: &RunTables, shape: Shape) -> ScheduleGraph {
    let structure = Structure::of(run);
    let graph = GrainGraph::unreduced(run, &structure);
    ScheduleGraph::of(run, &structure, &graph, &shape).unwrap()
}

pub(super) fn on(graph: &ScheduleGraph, weights: &[i64], machine: &Machine<'_>) -> Outcome {
    schedule(graph, weights, machine, &Progress::silent()).unwrap()
}

/// Schedules by policy and whether tasks are tied.
fn outcomes(run: &RunTables, workers: u32, costs: &Costs) -> Vec<Outcome> {
    let graph = graph_of(
        run,
        Shape {
            workers,
            ..Shape::default()
        },
    );
    let mut all = Vec::new();
    for policy in POLICIES {
        for has_tied_tasks in [false, true] {
            let machine = Machine {
                workers,
                policy,
                has_tied_tasks,
                costs,
                seed: 1,
            };
            all.push(on(&graph, graph.weights(), &machine));
        }
    }
    all
}

/// Elapsed time without costs, by policy and whether tasks are tied.
fn elapsed(run: &RunTables, workers: u32) -> Vec<i64> {
    let all = outcomes(run, workers, &Costs::default());
    all.iter().map(|outcome| outcome.elapsed).collect()
}

#[test]
fn a_fork_of_equal_tasks_takes_turns() {
    // The creator: 10, then 1 behind each of two creations, then 2; the tasks: 11 and 12.
    let run = Program::fork(2).run(1);
    assert_eq!(elapsed(&run, 1), [37; 6]);
    // The second task is created at 11 by a creator that continues, and at 11 where a thief takes the creator.
    let two = elapsed(&run, 2);
    assert!(two.iter().all(|&time| time == 26 || time == 25), "{two:?}");
}

#[test]
fn costs_are_drawn_from_those_that_were_measured() {
    let run = Program::fork(2).run(1);
    let graph = graph_of(
        &run,
        Shape {
            workers: 1,
            ..Shape::default()
        },
    );
    let mut values: [Vec<i64>; ScheduleCost::ALL.len()] = Default::default();
    values[ScheduleCost::Creation as usize] = vec![100];
    values[ScheduleCost::Start as usize] = vec![1000];
    let costs = Costs::from_values(values);
    let machine = Machine {
        workers: 1,
        policy: SchedulePolicy::HelpFirst,
        has_tied_tasks: true,
        costs: &costs,
        seed: 1,
    };
    let outcome = on(&graph, graph.weights(), &machine);
    assert_eq!((outcome.elapsed, outcome.costs), (37 + 200 + 2000, 2200));
    let without = costs.clone().without(&[ScheduleCost::Creation]);
    let machine = Machine {
        costs: &without,
        ..machine
    };
    assert_eq!(on(&graph, graph.weights(), &machine).elapsed, 37 + 2000);
}

/// The creator runs for 10, creates a task of 20, waits for it at once, and runs for 5.
#[test]
fn a_creation_directly_before_a_wait_has_its_cost() {
    let run = crate::grain_metric::testing::run(
        "task - start=0 end=35 run=0+10 run=30+5\n\
         task 0 created=10 start=10 end=30 run=10+20 joined=0\n",
    );
    let mut values: [Vec<i64>; ScheduleCost::ALL.len()] = Default::default();
    values[ScheduleCost::Creation as usize] = vec![100];
    let costs = Costs::from_values(values);
    for outcome in outcomes(&run, 1, &costs) {
        assert_eq!((outcome.elapsed, outcome.costs), (135, 100));
    }
    // Another worker may run the task while the creator is still busy with the creation.
    for outcome in outcomes(&run, 2, &costs) {
        assert_eq!(outcome.costs, 100);
        assert!((110..=135).contains(&outcome.elapsed), "{outcome:?}");
    }
}

#[test]
fn a_million_nested_tasks_take_no_stack() {
    let run = Program::chain(100_000).run(1);
    let graph = graph_of(
        &run,
        Shape {
            workers: 2,
            ..Shape::default()
        },
    );
    let extent = graph.extent(graph.weights());
    // Creators run for 1 after each creation.
    assert_eq!(extent.work - extent.span, 99_999);
    assert!(elapsed(&run, 2).iter().all(|&time| time <= extent.upper(2)));
    let cut = graph_of(
        &run,
        Shape {
            workers: 2,
            cut_off: Some(3),
            chunk_size: None,
        },
    );
    assert_eq!(cut.extent(cut.weights()).work, extent.work);
}

#[test]
fn measured_costs_of_a_run_without_any_are_zero() {
    let run = Program::recursion(6).run(3);
    let structure = Structure::of(&run);
    let graph = GrainGraph::unreduced(&run, &structure);
    let costs = Costs::of(&run, &structure, &graph).unwrap();
    for kind in [ScheduleCost::Start, ScheduleCost::Steal] {
        assert!(costs.count(kind) > 0, "{kind}");
        assert_eq!(costs.median(kind), Some(0), "{kind}");
    }
    // One event per creation shows no cost of it.
    for kind in [ScheduleCost::Creation, ScheduleCost::Region] {
        assert_eq!(costs.count(kind), 0, "{kind}");
        assert_eq!(costs.median(kind), None, "{kind}");
    }
}

fn check_bounds(extent: &Extent, workers: u32, elapsed: i64) -> Result<(), TestCaseError> {
    prop_assert!(
        elapsed >= extent.lower(workers),
        "{elapsed} below {}",
        extent.lower(workers)
    );
    prop_assert!(
        elapsed <= extent.upper(workers),
        "{elapsed} above {}",
        extent.upper(workers)
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn greedy_schedules_are_within_the_bounds(
        seed in any::<u64>(),
        tasks in 1_u32..60,
        recorded in 1_u32..4,
        workers in 1_u32..6,
    ) {
        let run = Program::random(seed, tasks).run(recorded);
        let graph = graph_of(&run, Shape { workers, ..Shape::default() });
        let extent = graph.extent(graph.weights());
        let structure = Structure::of(&run);
        let paths = Paths::of(&GrainGraph::unreduced(&run, &structure)).unwrap();
        prop_assert_eq!((extent.work, extent.span), (paths.work(), paths.span()));
        let costs = Costs::default();
        for policy in POLICIES {
            let machine = Machine { workers, policy, has_tied_tasks: false, costs: &costs, seed };
            let outcome = on(&graph, graph.weights(), &machine);
            check_bounds(&extent, workers, outcome.elapsed)?;
            let tied = Machine { has_tied_tasks: true, ..machine };
            let tied = on(&graph, graph.weights(), &tied);
            prop_assert!(tied.elapsed >= extent.lower(workers));
            prop_assert!(tied.elapsed <= extent.work);
            let many = Machine { workers: tasks + 1, ..machine };
            prop_assert_eq!(on(&graph, graph.weights(), &many).elapsed, extent.span);
            let alone = Machine { workers: 1, ..machine };
            prop_assert_eq!(on(&graph, graph.weights(), &alone).elapsed, extent.work);
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_bits_and_no_change_changes_nothing(
        seed in any::<u64>(),
        tasks in 1_u32..60,
        workers in 1_u32..6,
        cost in 0_i64..9,
    ) {
        let run = Program::random(seed, tasks).run(2);
        let graph = graph_of(&run, Shape { workers, ..Shape::default() });
        let costs = Costs::from_values(std::array::from_fn(|_| vec![0, cost, 2 * cost]));
        let unchanged = graph.scaled(|_| MILLION);
        prop_assert_eq!(&unchanged, graph.weights());
        for policy in POLICIES {
            let machine = Machine { workers, policy, has_tied_tasks: true, costs: &costs, seed };
            let first = on(&graph, graph.weights(), &machine);
            prop_assert_eq!(first, on(&graph, &unchanged, &machine));
            prop_assert!(first.elapsed >= graph.extent(graph.weights()).lower(workers));
        }
    }

    #[test]
    fn cut_off_conserves_work(
        seed in any::<u64>(),
        tasks in 1_u32..60,
        workers in 1_u32..6,
        depth in 0_u32..5,
    ) {
        let run = Program::random(seed, tasks).run(2);
        let whole = graph_of(&run, Shape { workers, ..Shape::default() });
        let cut = graph_of(&run, Shape { workers, cut_off: Some(depth), chunk_size: None });
        let (whole, extent) = (whole.extent(whole.weights()), cut.extent(cut.weights()));
        prop_assert_eq!(whole.work, extent.work);
        prop_assert!(extent.span >= whole.span);
        if depth == 0 {
            prop_assert_eq!(extent.span, extent.work);
        }
        let costs = Costs::default();
        for policy in POLICIES {
            let machine = Machine { workers, policy, has_tied_tasks: false, costs: &costs, seed };
            check_bounds(&extent, workers, on(&cut, cut.weights(), &machine).elapsed)?;
        }
    }
}

/// A team of two: chunks of 10, 20 and 70 for one member, one of 60 for the other. Iterations are 0 to 9.
fn team_loop(chunks: &[(u32, i64, i64, i64)]) -> RunTables {
    let mut text = "workers 2\ncore 0 1\n\
         initial - def=main start=0 end=205 work=15 run=0+10 run=200+5\n\
         member 0 def=team sequence=0 index=0 start=10 end=200 work=0 run=10+0 run=200+0\n\
         member 0 def=team sequence=0 index=1 start=10 end=200 work=0 run=10+0 run=200+0\n"
        .to_owned();
    let mut times = [10, 10];
    for (at, (member, first, iterations, work)) in chunks.iter().enumerate() {
        let time = &mut times[*member as usize - 1];
        let (start, end) = (*time, *time + work);
        *time = end;
        writeln!(
            text,
            "chunk {member} def=loop sequence=0 index={at} first={first} iterations={iterations} \
             start={start} end={end} work={work} run={start}+{work}"
        )
        .unwrap();
    }
    crate::grain_metric::testing::run(&text)
}

#[test]
fn chunks_of_a_loop_are_free_of_the_member_that_ran_them() {
    let run = team_loop(&[(1, 0, 1, 10), (1, 1, 2, 20), (1, 3, 4, 70), (2, 7, 3, 60)]);
    let graph = graph_of(
        &run,
        Shape {
            workers: 2,
            ..Shape::default()
        },
    );
    assert_eq!(
        (graph.num_static_loops(), graph.num_dynamic_loops()),
        (0, 1)
    );
    let extent = graph.extent(graph.weights());
    // The longest chunk between what the initial task does.
    assert_eq!((extent.work, extent.span), (175, 85));
    // 10 and 70 on one worker, 20 and 60 on the other.
    assert_eq!(elapsed(&run, 2), [95; 6]);
    assert_eq!(elapsed(&run, 1), [175; 6]);
    assert_eq!(elapsed(&run, 4), [85; 6]);
}

#[test]
fn loops_are_cut_into_chunks_of_another_size() {
    let run = team_loop(&[(1, 0, 5, 100), (2, 5, 5, 50)]);
    // A chunk per member: static, and cut in as many parts as there are workers.
    let graph = graph_of(
        &run,
        Shape {
            workers: 2,
            ..Shape::default()
        },
    );
    assert_eq!((graph.num_static_loops(), graph.num_uncut_loops()), (1, 0));
    assert_eq!(elapsed(&run, 2), [115; 6]);
    assert_eq!(elapsed(&run, 1), [165; 6]);
    // Five chunks of 40, 40, 20 + 10, 20, 20.
    let graph = graph_of(
        &run,
        Shape {
            workers: 5,
            ..Shape::default()
        },
    );
    let extent = graph.extent(graph.weights());
    assert_eq!((extent.work, extent.span), (165, 55));
    assert_eq!(elapsed(&run, 5), [55; 6]);
    // Chunks of 3 iterations: 60, 40 + 10, 30, 10.
    let size = Shape {
        workers: 2,
        cut_off: None,
        chunk_size: Some(3),
    };
    let graph = graph_of(&run, size);
    let costs = Costs::default();
    let machine = Machine {
        workers: 2,
        policy: SchedulePolicy::HelpFirst,
        has_tied_tasks: true,
        costs: &costs,
        seed: 1,
    };
    assert_eq!(on(&graph, graph.weights(), &machine).elapsed, 15 + 80);
}
