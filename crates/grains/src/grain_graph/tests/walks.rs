//! Paths that are found without the graph are those of the graph, on made-up programs, on recordings, and on recordings in
//! which something was changed at random.

use proptest::prelude::*;
use sheaf_model::table::{ContextRow, GrainRow};
use sheaf_model::{Progress, RunTables};
use sheaf_synthetic::{Numbers, Program};

use super::super::{
    GrainGraph, GrainGroup, GraphFault, PathQuestion, RunPaths, SetKind, Structure,
};
use super::recorded::{names, recorded};
use super::teams::teams;
use super::totals::{change, changed_recording};

/// More definitions than one walk finds spans of.
const DEFINITIONS: u32 = 12;

/// Gives the grains definitions.
fn define(run: &mut RunTables, numbers: &mut Numbers) {
    run.summary.contexts = (0..DEFINITIONS)
        .map(|definition| ContextRow {
            id: [u8::try_from(definition).unwrap(); 16],
            parent: None,
            definition: i32::try_from(definition).unwrap(),
            depth: 0,
        })
        .collect();
    let mut rows: Vec<GrainRow> = run.grains.rows().collect();
    for row in &mut rows {
        row.context = i32::try_from(numbers.below(DEFINITIONS)).unwrap();
    }
    run.grains = rows.into_iter().collect();
}

/// All paths are those of the graph; whether there are any.
fn check(run: &RunTables, seed: u64) -> bool {
    let mut numbers = Numbers::new(seed);
    let mut run = run.clone();
    define(&mut run, &mut numbers);
    let structure = Structure::of(&run);
    let graph = GrainGraph::unreduced(&run, &structure);
    let grains = u32::try_from(run.grains.len()).unwrap();
    let half = GrainGroup::new(run.grains.len(), |_| numbers.below(2) == 0);
    let groups = [
        GrainGroup::subtree(&structure, numbers.below(grains)),
        GrainGroup::definition(&run, 3),
        half,
    ];
    let definitions: Vec<u32> = (0..DEFINITIONS).collect();
    let progress = Progress::silent();
    let mut is_found = true;
    for group in std::iter::once(None).chain(groups.iter().map(Some)) {
        let question = PathQuestion {
            group,
            definitions: &definitions,
        };
        let walked = RunPaths::of(&run, &structure, question, &progress).unwrap();
        let expected = RunPaths::on_graph(&run, &graph, question, &progress).unwrap();
        is_found = expected.is_ok();
        assert_eq!(walked.ok_or(()), expected.map_err(|_: GraphFault| ()));
    }
    is_found
}

#[test]
fn paths_of_recordings_need_no_graph() {
    for name in names() {
        assert!(check(&recorded(&name), 1), "{name}");
    }
}

#[test]
fn made_up_teams_have_what_graphs_are_made_of() {
    let (mut barriers, mut escaped, mut undeferred, mut regions) = (0, 0, 0, 0);
    let (mut found, mut dependences) = (0, 0);
    for seed in 0..200 {
        let run = teams(seed, 40);
        let structure = Structure::of(&run);
        let grains = 0..u32::try_from(run.grains.len()).unwrap();
        let sets = structure.sets().iter();
        regions += sets.filter(|set| set.kind == SetKind::Members).count();
        escaped += structure.num_escaped();
        undeferred += grains.filter(|&it| structure.is_undeferred(it)).count();
        barriers += (0..run.waits.len())
            .filter(|&wait| run.waits.kind.value(wait) == 2)
            .count();
        dependences += run.dependences.len();
        found += usize::from(check(&run, seed));
    }
    let all = [barriers, escaped, undeferred, regions, dependences];
    assert!(all.iter().all(|&count| count > 100), "{all:?}");
    assert!(found > 150, "{found} of 200 runs have paths");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn paths_of_any_program(seed: u64, tasks in 1..60_u32, workers in 1..5_u32) {
        check(&Program::random(seed, tasks).run(workers), seed);
    }

    #[test]
    fn paths_of_any_teams(seed: u64, grains in 1..80_u32) {
        check(&teams(seed, grains), seed);
    }

    #[test]
    fn paths_of_changed_teams(seed: u64, changes in 1..6) {
        let mut numbers = Numbers::new(seed);
        let mut run = teams(seed, 40);
        for _ in 0..changes {
            change(&mut run, &mut numbers);
        }
        check(&run, seed);
    }

    #[test]
    fn paths_of_changed_recordings(seed: u64, changes in 1..6_u32) {
        check(&changed_recording(seed, changes), seed);
    }
}
