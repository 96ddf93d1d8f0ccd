//! Figures of whole runs that are computed without the graph and without a list of ready times, on recordings and on
//! recordings in which something was changed at random.

use proptest::prelude::*;
use sheaf_model::table::{DependenceRow, FragmentRow, GrainRow, WaitRow};
use sheaf_model::{Progress, RunTables};
use sheaf_synthetic::{Numbers, Program};

use super::super::{GrainGraph, GraphTotals, Structure};
use super::recorded::{names, recorded};
use crate::timeline::Timeline;

/// The figures are those of the graph and of the time line.
fn check(run: &RunTables) {
    let structure = Structure::of(run);
    let progress = Progress::silent();
    let totals = GraphTotals::unreduced(run, &structure, &progress).unwrap();
    let graph = GrainGraph::unreduced(run, &structure);
    assert_eq!(totals, GraphTotals::of(&graph).ok());
    let timeline = Timeline::of(run, &structure);
    let balance = Timeline::balance_of(run, &structure, &progress).unwrap();
    assert_eq!(balance.as_ref(), timeline.as_ref().map(Timeline::balance));
}

/// Changes a fact of a grain, a fragment or a wait, or adds a dependence.
pub(super) fn change(run: &mut RunTables, numbers: &mut Numbers) {
    let grains = u32::try_from(run.grains.len()).unwrap();
    let row = numbers.below(grains) as usize;
    let time = i64::from(numbers.below(100));
    let code = i32::try_from(numbers.below(5)).unwrap();
    let mut rows: Vec<GrainRow> = run.grains.rows().collect();
    let grain = &mut rows[row];
    match numbers.below(10) {
        0 => grain.kind = code,
        1 => grain.flags ^= 1,
        2 => grain.created = (time > 20).then_some(time),
        3 => grain.start = Some(time),
        4 => grain.joined_by = Some(i64::from(code)),
        5 => grain.sequence = Some(i64::from(code)),
        6 if !run.waits.is_empty() => {
            let mut waits: Vec<WaitRow> = run.waits.rows().collect();
            let wait = row % waits.len();
            (waits[wait].kind, waits[wait].start) = (code, time);
            run.waits = waits.into_iter().collect();
        }
        7 => {
            let mut dependences: Vec<DependenceRow> = run.dependences.rows().collect();
            dependences.push(DependenceRow {
                predecessor: i32::try_from(row).unwrap(),
                successor: i32::try_from(numbers.below(grains)).unwrap(),
            });
            run.dependences = dependences.into_iter().collect();
        }
        _ => {
            let mut fragments: Vec<FragmentRow> = run.fragments.rows().collect();
            let at = numbers.below(u32::try_from(fragments.len()).unwrap()) as usize;
            (fragments[at].duration, fragments[at].ended_by) = (time, code);
            run.fragments = fragments.into_iter().collect();
        }
    }
    run.grains = rows.into_iter().collect();
}

/// One of the recordings with some changes.
pub(super) fn changed_recording(seed: u64, changes: u32) -> RunTables {
    let mut numbers = Numbers::new(seed);
    let names = names();
    let name = numbers.below(u32::try_from(names.len()).unwrap()) as usize;
    let mut run = recorded(&names[name]);
    for _ in 0..changes {
        change(&mut run, &mut numbers);
    }
    run
}

#[test]
fn figures_of_recordings_need_no_graph() {
    for name in names() {
        let run = recorded(&name);
        check(&run);
        let structure = Structure::of(&run);
        let totals = GraphTotals::unreduced(&run, &structure, &Progress::silent());
        assert!(totals.unwrap().is_some(), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn figures_of_any_program(seed: u64, tasks in 1..60_u32, workers in 1..5_u32) {
        check(&Program::random(seed, tasks).run(workers));
    }

    #[test]
    fn figures_of_changed_recordings(seed: u64, changes in 1..6_u32) {
        check(&changed_recording(seed, changes));
    }
}
