//! Explanations add up, whatever the runs are; planted changes are found.

#![expect(
    clippy::float_cmp,
    reason = "a swap of the sides negates every value exactly"
)]

use proptest::prelude::*;
use sheaf_answers::Locations;
use sheaf_grains::grain_graph::{ElapsedPath, GrainGraph, Structure};
use sheaf_grains::timeline::Timeline;
use sheaf_model::table::{CounterRow, MetricRow};
use sheaf_model::{PartRules, Progress, RunTables, names};
use sheaf_synthetic::{Numbers, Program};

use super::*;
use crate::grain_diff::GrainColumns;
use crate::renaming::Renaming;

/// The time of a run, with an id of its own.
fn time(number: u8, run: &RunTables) -> RunTime {
    let structure = Structure::of(run);
    let graph = GrainGraph::unreduced(run, &structure);
    let timeline = Timeline::stoppable(run, &structure, &Progress::silent()).unwrap();
    let grains = GrainColumns::of(run);
    let path = ElapsedPath::of(run, &graph).map(|path| PathTime::of(run, &path));
    let path = path.map_err(|fault| fault.to_string());
    let workers = timeline
        .map_err(|absent| absent.to_string())
        .map(|timeline| WorkerTime::of(run, timeline.balance(), &Renaming::default()));
    RunTime {
        id: RunId([number; 16]),
        parents: run.grains.parent.to_arrow(),
        structure: RunStructure::of(run, &grains),
        grains,
        workers,
        path,
    }
}

fn views(a: &[RunTables], b: &[RunTables]) -> Vec<FoundView> {
    let times = |first: u8, side: &[RunTables]| -> Vec<RunTime> {
        let numbered = (first..).zip(side);
        numbered.map(|(number, run)| time(number, run)).collect()
    };
    explained(&[times(1, a), times(101, b)])
}

fn explained(sides: &[Vec<RunTime>; 2]) -> Vec<FoundView> {
    let mut notes = Vec::new();
    let options = ExplainOptions::default();
    let views = explain(
        sides,
        &UnrecordedLoops::default(),
        &options,
        &Progress::silent(),
        &mut notes,
    )
    .unwrap();
    assert_eq!(notes, []);
    views
}

/// Views of text: kind, name of what it concerns, whole part, verdict.
fn shown(view: &FoundView) -> Vec<String> {
    let of = |cause: &FoundCause| match &cause.concern {
        Concern::Run => "run".to_owned(),
        Concern::Definition(id) => {
            let known = ["main", "work"].into_iter();
            let mut named = known.map(|name| (name, DefinitionId::new("task", name, 0)));
            let found = named.find(|(_, known)| known == id);
            found.map_or_else(|| id.to_string(), |(name, _)| name.to_owned())
        }
        Concern::Context(place) => format!("context {place}"),
    };
    let line = |cause: &FoundCause| {
        let (kind, delta) = (cause.kind, cause.delta);
        format!("{kind} of {}: {delta} {}", of(cause), cause.verdict)
    };
    view.causes.iter().map(line).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The causes of each view add up to the difference, and a swap of the sides negates them.
    #[test]
    fn causes_add_up_and_are_antisymmetric(
        seeds in prop::array::uniform3(0..1_000_u64),
        tasks in 1..60_u32,
        workers in prop::array::uniform2(1..5_u32),
    ) {
        let run = |seed: u64, side: usize| Program::random(seed, tasks).run(workers[side]);
        let a = [run(seeds[0], 0), run(seeds[1], 0)];
        let b = [run(seeds[2], 1)];
        let (there, back) = (views(&a, &b), views(&b, &a));
        prop_assert_eq!(there.len(), 2);
        for (there, back) in there.iter().zip(&back) {
            let sum: i128 = there.causes.iter().filter_map(|cause| cause.exact).sum();
            let divisor = there.divisor.unwrap();
            let elapsed = |runs: &[RunTables]| -> i128 {
                runs.iter().map(|run| i128::from(run.summary.meta.elapsed.unwrap())).sum()
            };
            // One run of B, two of A.
            prop_assert_eq!(sum * 2, (2 * elapsed(&b) - elapsed(&a)) * divisor);
            prop_assert_eq!(there.delta, -back.delta);
            let is_rest = |cause: &&FoundCause| cause.kind == CauseKind::NotExplained;
            prop_assert_eq!(there.causes.iter().find(is_rest), None);
            for cause in &there.causes {
                let kind = match cause.kind {
                    CauseKind::New => CauseKind::Vanished,
                    CauseKind::Vanished => CauseKind::New,
                    kind => kind,
                };
                let other = back.causes.iter().find(|other| {
                    other.kind == kind && other.concern == cause.concern
                });
                let other = other.expect("a swap keeps every cause");
                prop_assert_eq!(other.exact.unwrap(), -cause.exact.unwrap());
                prop_assert_eq!(other.delta, -cause.delta);
            }
        }
    }

    /// A slower definition gets what it was made slower by, divided by the workers, to the last unit.
    #[test]
    fn a_slower_definition_is_found(seed in 0..10_000_u64, tasks in 2..60_u32, workers in 1..4_u32) {
        let program = Program::random(seed, tasks);
        let slower = program.clone().slower(3, |task| task > 0);
        let (a, b) = (program.run(workers), slower.run(workers));
        let work = |run: &RunTables| run.grains.work.values().iter().skip(1).sum::<i64>();
        let planted = i128::from(work(&b) - work(&a));
        let views = views(&[a], &[b]);
        let id = Concern::Definition(DefinitionId::new("task", "work", 0));
        let found = views[0].causes.iter().find(|cause| {
            cause.kind == CauseKind::Inflation && cause.concern == id
        });
        let found = found.map_or(0, |cause| cause.exact.unwrap());
        prop_assert_eq!(found * i128::from(workers), planted * views[0].divisor.unwrap());
    }
}

/// The causes of definition `work` by workers.
fn of_work(a: &RunTables, b: &RunTables) -> Vec<(CauseKind, f64)> {
    let view = views(std::slice::from_ref(a), std::slice::from_ref(b)).swap_remove(0);
    let id = Concern::Definition(DefinitionId::new("task", "work", 0));
    let causes = view.causes.into_iter();
    let causes = causes.filter(|cause| cause.concern == id);
    causes.map(|cause| (cause.kind, cause.delta)).collect()
}

/// Leaves that are divided into more tasks: what they hand on is no cause of its own.
#[test]
fn work_that_moves_to_new_children_is_not_inflation() {
    let coarse = Program::recursion(4).slower(20, |task| task >= 7).run(2);
    let fine = Program::recursion(5).slower(11, |task| task >= 15).run(2);
    let work = |run: &RunTables| run.grains.work.values().iter().skip(1).sum::<i64>();
    let more = work(&fine) - work(&coarse);
    assert!(more > 0);
    // Half of it, on two workers.
    let half = more as f64 / 2.0;
    assert_eq!(of_work(&coarse, &fine), [(CauseKind::New, half)]);
    assert_eq!(of_work(&fine, &coarse), [(CauseKind::Vanished, -half)]);
}

/// The same run behind a region that was inserted before its tasks: they have other paths.
fn moved(mut run: RunTables) -> RunTables {
    let keys = run.grains.path_key.values().iter().enumerate();
    let keys = keys.map(|(row, key)| if row == 0 { key } else { key.wrapping_add(77) });
    run.grains.path_key = keys.collect::<Vec<i64>>().into();
    run
}

#[test]
fn grains_with_other_paths_on_both_sides_are_neither_new_nor_vanished() {
    let work = |run: &RunTables| run.grains.work.values().iter().skip(1).sum::<i64>() as f64;
    let program = Program::fork(40);
    let plain = program.run(2);
    assert_eq!(of_work(&plain, &moved(plain.clone())), []);
    // A slower grain is inflation. Each of the two workers has half of it.
    let slower = moved(program.slower(2, |task| task == 7).run(2));
    let more = (work(&slower) - work(&plain)) / 2.0;
    assert_eq!(of_work(&plain, &slower), [(CauseKind::Inflation, more)]);
    // Other numbers of grains are one cause.
    let many = moved(Program::fork(41).run(2));
    let more = (work(&many) - work(&plain)) / 2.0;
    assert_eq!(of_work(&plain, &many), [(CauseKind::Grains, more)]);
    assert_eq!(of_work(&many, &plain), [(CauseKind::Grains, -more)]);
}

/// The same run, in which grains of the given rows had no processor for 4 of their time.
fn without_processor(mut run: RunTables, rows: std::ops::Range<i32>) -> RunTables {
    let metrics = &run.summary.metrics;
    let metric = i32::try_from(metrics.len()).unwrap();
    let off_cpu = MetricRow {
        name: names::OFF_CPU.to_owned(),
        unit: "ns".to_owned(),
        kind: "additive".to_owned(),
        direction: "higher_is_worse".to_owned(),
        is_integer: true,
        source: None,
        alias: None,
    };
    run.summary.metrics = metrics.rows().chain([off_cpu]).collect();
    let counter = |grain| CounterRow {
        grain,
        metric,
        value: Some(4),
        value_float: None,
    };
    run.counters = rows.map(counter).collect();
    run
}

/// Time without a processor is taken from the grains that had none, not from others of their definition.
#[test]
fn new_grains_without_a_processor_are_no_inflation_of_others() {
    let (few, many) = (Program::fork(4).run(2), Program::fork(8).run(2));
    let work: i64 = many.grains.work.values().iter().skip(5).sum();
    let many = without_processor(many, 5..9);
    let view = &views(std::slice::from_ref(&few), &[many])[0];
    let id = Concern::Definition(DefinitionId::new("task", "work", 0));
    let causes = view.causes.iter().filter(|cause| cause.concern == id);
    let found: Vec<(CauseKind, f64)> = causes.map(|cause| (cause.kind, cause.delta)).collect();
    let new = (work - 16) as f64 / 2.0;
    assert_eq!(found, [(CauseKind::New, new), (CauseKind::OffCpu, 8.0)]);

    let slower = without_processor(few.clone(), 1..5);
    let view = &views(&[few], &[slower])[0];
    let causes = view.causes.iter().filter(|cause| cause.concern == id);
    let found: Vec<(CauseKind, f64)> = causes.map(|cause| (cause.kind, cause.delta)).collect();
    assert_eq!(
        found,
        [(CauseKind::Inflation, -8.0), (CauseKind::OffCpu, 8.0)]
    );
}

#[test]
fn a_run_against_itself_has_no_cause() {
    let run = time(1, &Program::random(5, 40).run(3));
    for view in explained(&[vec![run.clone()], vec![run]]) {
        assert_eq!((view.delta, view.causes), (0.0, Vec::new()));
    }
}

/// Repeats of a program whose stretches vary.
fn repeats(program: &Program, seed: u64) -> Vec<RunTables> {
    let mut numbers = Numbers::new(seed);
    let mut repeat = || {
        let shift = numbers.below(40);
        let is_longer = |task: u32| (task + shift).is_multiple_of(40);
        program.clone().slower(2, is_longer).run(2)
    };
    (0..6).map(|_| repeat()).collect()
}

#[test]
fn planted_changes_exceed_noise_and_repeats_do_not() {
    let program = Program::fork(400);
    let slower = program
        .clone()
        .slower(2, |task| task > 0 && task.is_multiple_of(4));
    let view = &views(&repeats(&program, 1), &repeats(&slower, 2))[0];
    // Every fourth task takes its own time once more, on two workers.
    let planted: i32 = (4..=400).step_by(4).map(|task| 10 + task % 7).sum();
    let largest = &view.causes[0];
    let found = (largest.kind, largest.verdict);
    assert_eq!(found, (CauseKind::Inflation, Verdict::Slower));
    let part = largest.delta / (f64::from(planted) / 2.0);
    assert!((0.9..1.1).contains(&part), "{:#?}", shown(view));
    let real = |view: &FoundView| {
        let is_real =
            |cause: &&FoundCause| matches!(cause.verdict, Verdict::Slower | Verdict::Faster);
        view.causes.iter().filter(is_real).count()
    };
    assert_eq!(real(view), 1, "{:#?}", shown(view));
    let alike = (0..20_u64).filter(|&pair| {
        let (a, b) = (
            repeats(&program, 10 + 2 * pair),
            repeats(&program, 11 + 2 * pair),
        );
        real(&views(&a, &b)[0]) > 0
    });
    assert_eq!(alike.count(), 0);
}

#[test]
fn two_runs_are_too_few_to_test() {
    let program = Program::recursion(5);
    let slower = program.clone().slower(2, |_| true);
    let view = &views(&[program.run(2)], &[slower.run(2)])[0];
    assert!(
        view.causes
            .iter()
            .all(|cause| cause.verdict == Verdict::Untestable)
    );
    let reason = view.causes[0].reason.text();
    assert_eq!(reason, "not testable: 1 against 1 runs (n = 1)");
}

#[test]
fn other_numbers_of_workers_are_a_cause() {
    let program = Program::fork(100);
    let view = &views(&[program.run(1)], &[program.run(2)])[0];
    let [a, b] = view.means;
    let ideal = view
        .causes
        .iter()
        .find(|cause| cause.kind == CauseKind::Workers)
        .unwrap();
    // Half of the mean of all worker time: 1/2 − 1/1 times (a + 2 b) / 2.
    assert_eq!(ideal.delta, -0.5 * f64::midpoint(a, 2.0 * b));
}

/// Values by rank of two contexts in two runs.
fn located() -> Locations {
    let runs = sheaf_synthetic::testing::runs(
        "
        run a ~ranks=0,1
          main/solve time_s 4@0 4@1
          main/solve/MPI_Wait time_s 1@0 1@1
        run b ~ranks=0,1
          main/solve time_s 4@0 8@1
          main/solve/MPI_Wait time_s 3@0 1@1
        ",
    );
    let lens = "level context | scope exclusive | metric time_s | below 0%";
    let question = sheaf_analysis::LocationsQuestion::default();
    sheaf_analysis::locations(
        &lens.parse().unwrap(),
        &question,
        &runs,
        &Progress::silent(),
    )
    .unwrap()
}

#[test]
fn the_slowest_rank_is_the_mean_and_the_imbalance() {
    let located = located();
    let [a, b] = rank_times(&located).try_into().unwrap();
    let options = ExplainOptions::default();
    let sides = [vec![a], vec![b]];
    let view = rank_causes(
        &located,
        &sides,
        &PartRules::default(),
        &options,
        &Progress::silent(),
    )
    .unwrap()
    .unwrap();
    assert_eq!((view.means, view.delta), ([5.0, 9.0], 4.0));
    let line = |cause: &FoundCause| {
        let Concern::Context(place) = cause.concern else {
            panic!("{cause:?}")
        };
        let path = located.groups[place].path.names().join("/");
        let part = cause.part.unwrap();
        format!("{} of {path} ({part}): {}", cause.kind, cause.delta)
    };
    assert_eq!(
        view.causes.iter().map(line).collect::<Vec<_>>(),
        [
            "mean of main/solve (computation): 2",
            "imbalance of main/solve (computation): 2",
            "mean of main/solve/MPI_Wait (mpi): 1",
            "imbalance of main/solve/MPI_Wait (mpi): -1",
        ]
    );
}

#[test]
fn a_stopped_question_ends() {
    let located = located();
    let [a, b] = rank_times(&located).try_into().unwrap();
    let sides = [vec![a], vec![b]];
    let progress = Progress::silent();
    progress.cancel();
    let stopped = rank_causes(
        &located,
        &sides,
        &PartRules::default(),
        &ExplainOptions::default(),
        &progress,
    );
    assert!(stopped.is_err());
}

#[test]
fn other_numbers_of_grains_and_other_parents_are_structure() {
    let small = [Program::fork(10), Program::fork(12)].map(|it| it.run(2));
    let large = [Program::fork(20), Program::fork(30)].map(|it| it.run(2));
    let mixed = [Program::fork(11), Program::fork(20)].map(|it| it.run(2));
    let of = |a: &[RunTables], b: &[RunTables]| {
        let side = |runs: &[RunTables]| runs.iter().map(|run| time(1, run)).collect();
        structure_changes(&[side(a), side(b)])
    };
    let work = DefinitionId::new("task", "work", 0);
    assert_eq!(of(&small, &large)[&work].grains, Some([11.0, 25.0]));
    assert_eq!(of(&large, &small)[&work].grains, Some([25.0, 11.0]));
    // Ranges that overlap are no difference.
    assert!(of(&small, &mixed).is_empty());

    let nested = Program::fork(7).run(2);
    let mut alone = nested.clone();
    let roots = vec![None; alone.summary.contexts.len()];
    alone.summary.contexts.parent = roots.into();
    let main = DefinitionId::new("task", "main", 0);
    let change = &of(&[nested], &[alone])[&work];
    assert_eq!(change.parents, [[main].into(), [].into()]);
    assert_eq!(change.grains, None);
}
