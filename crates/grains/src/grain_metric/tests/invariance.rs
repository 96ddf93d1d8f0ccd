//! What must not change metrics: the order of rows, the numbers of workers.

use std::fmt::Write as _;

use proptest::prelude::*;
use sheaf_model::RunTables;
use sheaf_model::table::{FragmentRow, GrainRow, LocationRow};

use super::super::testing::Written;
use super::super::{Basis, Evaluation, Width, by_name, metrics, work_deviation};
use crate::grain_graph::Structure;
use sheaf_synthetic::Program;

/// What is drawn of a grain: parent, join, worker, work, creation, an instant.
type Drawn = (u32, i64, i32, i64, i64, i64);

/// Random runs in the manner of a task-stats table, or of a trace.
fn runs() -> impl Strategy<Value = Written> {
    let grain = (
        any::<u32>(),
        0..3_i64,
        0..4_i32,
        1..90_i64,
        0..9_i64,
        0..30_i64,
    );
    let grains = prop::collection::vec(grain, 1..40);
    (any::<bool>(), grains).prop_map(|(is_trace, grains)| {
        let location = |thread| LocationRow {
            rank: 0,
            thread,
            core: Some(3 * thread),
            numa_node: Some(thread / 2),
        };
        let mut run = Written {
            locations: (0..4).map(location).collect(),
            definitions: vec!["a".to_owned(), "b".to_owned()],
            ..Written::default()
        };
        let mut children = vec![0; grains.len()];
        for (row, drawn) in grains.into_iter().enumerate() {
            let parent = (row > 0).then(|| drawn.0 as usize % row);
            let index = parent.map_or(0, |parent| {
                children[parent] += 1;
                children[parent] - 1
            });
            add(&mut run, is_trace, parent, index, drawn);
        }
        run
    })
}

fn add(run: &mut Written, is_trace: bool, parent: Option<usize>, index: i64, drawn: Drawn) {
    let (_, joined, on, work, creation, instant) = drawn;
    let row = run.grains.len();
    let at = i64::try_from(row).unwrap();
    let start = 10 * at + instant;
    run.grains.push(GrainRow {
        path_key: at * 7919 % 1009,
        context: on % 2,
        parent: parent.map(|parent| i32::try_from(parent).unwrap()),
        kind: 2,
        index,
        joined_by: Some(joined),
        location: Some(on),
        created: is_trace.then_some(start),
        start: is_trace.then_some(start + creation),
        end: Some(start + creation + work),
        work: Some(work),
        creation: Some(creation),
        waiting: is_trace.then_some(instant),
        ..GrainRow::default()
    });
    if is_trace {
        run.fragments.push(FragmentRow {
            grain: i32::try_from(row).unwrap(),
            location: on,
            start: start + creation,
            duration: work,
            ended_by: 0,
        });
        return;
    }
    let measures = [
        ("exec_cycles", work + 20),
        ("overhead_cycles", 20),
        ("PAPI_RES_STL_sum", creation),
        ("create_instant", instant),
        ("join_instant", 40 + joined),
    ];
    for (name, value) in measures {
        run.measures.push((row, name.to_owned(), value));
    }
}

/// Every value of every metric, by path.
fn by_path(run: &Written) -> String {
    let tables = run.tables();
    tables.validate().unwrap();
    let structure = Structure::of(&tables);
    let evaluation = Evaluation::of(&tables, &structure)
        .with_references(&[&tables])
        .with_cores_per_socket(4);
    let mut text = String::new();
    for metric in metrics() {
        let line = match evaluation.evaluate(metric) {
            Err(absent) => absent.to_string(),
            Ok(column) => {
                let keys = tables.grains.path_key.values().iter();
                let mut values: Vec<(i64, String)> = keys
                    .zip(column.values.iter())
                    .map(|(key, value)| (key, format!("{value:?}")))
                    .collect();
                values.sort();
                format!("{values:?}")
            }
        };
        writeln!(text, "{}: {line}", metric.id).unwrap();
    }
    text
}

/// The rows in another order, parents first.
fn shuffled(run: &Written, seed: u64) -> Written {
    let count = run.grains.len();
    let mut state = seed;
    let mut placed: Vec<usize> = Vec::new();
    let mut new_row = vec![usize::MAX; count];
    while placed.len() < count {
        let free: Vec<usize> = (0..count)
            .filter(|&row| new_row[row] == usize::MAX)
            .filter(|&row| {
                let parent = run.grains[row].parent;
                parent.is_none_or(|parent| new_row[usize::try_from(parent).unwrap()] != usize::MAX)
            })
            .collect();
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let row = free[usize::try_from(state >> 33).unwrap() % free.len()];
        new_row[row] = placed.len();
        placed.push(row);
    }
    let row_of = |row: i32| i32::try_from(new_row[usize::try_from(row).unwrap()]).unwrap();
    let mut other = run.clone();
    other.grains = placed.iter().map(|&row| run.grains[row].clone()).collect();
    for grain in &mut other.grains {
        grain.parent = grain.parent.map(row_of);
    }
    for fragment in &mut other.fragments {
        fragment.grain = row_of(fragment.grain);
    }
    other
        .fragments
        .sort_by_key(|fragment| (fragment.grain, fragment.start));
    for measure in &mut other.measures {
        measure.0 = new_row[measure.0];
    }
    other
}

/// Programs run by a made-up scheduler.
fn programs() -> impl Strategy<Value = (u32, RunTables)> {
    let drawn = (any::<u64>(), 1..60_u32, 1..6_u32);
    let programs = drawn.prop_map(|(seed, tasks, workers)| {
        let run = Program::random(seed, tasks).run(workers);
        (workers, run)
    });
    programs.prop_filter("something takes time", |(_, run)| {
        run.fragments.duration.values().iter().any(|time| time > 0)
    })
}

proptest! {
    #[test]
    fn no_more_grains_run_at_once_than_there_are_workers((workers, run) in programs()) {
        let structure = Structure::of(&run);
        let evaluation = Evaluation::of(&run, &structure);
        let real = evaluation.parallelism(Basis::Real, Width::Instant).unwrap();
        prop_assert!(real.steps.iter().all(|step| step.count <= workers));
        // Both count every unit of time that something ran, once.
        let logical = evaluation.parallelism(Basis::Logical, Width::Instant).unwrap();
        let ran: i64 = run.fragments.duration.values().iter().sum();
        for along in [&real, &logical] {
            let counts = along.counts().map(i64::from);
            prop_assert_eq!(counts.sum::<i64>(), ran);
        }
        // Nothing can run earlier than at its earliest, so that the logical run is no longer.
        prop_assert!(logical.intervals <= real.intervals + 1);
    }

    #[test]
    fn wider_intervals_and_looser_overlap_see_no_less((_, run) in programs()) {
        let structure = Structure::of(&run);
        let evaluation = Evaluation::of(&run, &structure);
        let values = |id: &str| {
            let column = evaluation.evaluate(by_name(id).unwrap()).ok()?;
            Some(column.values.iter().collect::<Vec<_>>())
        };
        let exact = values("inst_par_real_instant_max").unwrap();
        for width in ["shortest", "gap", "median"] {
            let strict = values(&format!("inst_par_real_conservative_{width}_max"));
            let loose = values(&format!("inst_par_real_optimistic_{width}_max"));
            let (Some(strict), Some(loose)) = (strict, loose) else {
                // A single stretch has no gap to another.
                prop_assert_eq!(width, "gap");
                continue;
            };
            for ((strict, exact), loose) in strict.iter().zip(&exact).zip(&loose) {
                // What runs all through an interval runs at each of its instants.
                prop_assert!(strict.is_none() || strict <= exact);
                prop_assert!(exact <= loose);
            }
        }
    }

    #[test]
    fn the_order_of_rows_changes_nothing(run in runs(), seed in any::<u64>()) {
        prop_assert_eq!(by_path(&shuffled(&run, seed)), by_path(&run));
    }

    #[test]
    fn the_numbers_of_workers_change_nothing(run in runs(), shift in 1..4_i32) {
        let mut other = run.clone();
        let moved = |on: i32| (on + shift) % 4;
        for location in &run.locations {
            let at = usize::try_from(moved(location.thread)).unwrap();
            other.locations[at] = LocationRow { thread: moved(location.thread), ..location.clone() };
        }
        for grain in &mut other.grains {
            grain.location = grain.location.map(moved);
        }
        for fragment in &mut other.fragments {
            fragment.location = moved(fragment.location);
        }
        prop_assert_eq!(by_path(&other), by_path(&run));
    }

    #[test]
    fn a_run_deviates_from_itself_by_one(run in runs()) {
        let tables = run.tables();
        let deviation = work_deviation(&tables, &[&tables, &tables]);
        let keys: Vec<i64> = run.grains.iter().map(|grain| grain.path_key).collect();
        for (value, key) in deviation.values.iter().zip(&keys) {
            let is_single = keys.iter().filter(|other| *other == key).count() == 1;
            prop_assert_eq!(value, is_single.then_some(1.0));
        }
    }
}
