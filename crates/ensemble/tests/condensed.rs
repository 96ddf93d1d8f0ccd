//! The table of what to optimise first for a run that is large enough to be condensed.

#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::path::Path;

use sheaf_answers::{Fact, Note, WhatFirst, WhatIfFact};
use sheaf_ensemble::{Ensemble, WhatIfQuestion};
use sheaf_model::Progress;
use sheaf_store::Store;
use sheaf_synthetic::Program;

const WORKERS: [u32; 2] = [2, 8];

fn recursion(folder: &Path, levels: u32) -> Ensemble {
    let store = Store::create_or_open(folder).unwrap();
    let mut import = store.import().unwrap();
    let mut run = Program::recursion(levels).run(2);
    "recursion".clone_into(&mut run.summary.meta_mut().name);
    import.add(run).unwrap();
    import.publish().unwrap();
    Ensemble::open(folder).unwrap()
}

fn what_first(ensemble: &Ensemble) -> WhatFirst {
    let question = WhatIfQuestion {
        runs: vec!["recursion".to_owned()],
        workers: WORKERS.to_vec(),
        ..WhatIfQuestion::default()
    };
    let view = ensemble.view(&Progress::silent()).unwrap();
    view.what_first(&question).unwrap()
}

/// Workers, fragments, nodes and difference of each condensed graph.
fn condensed(answer: &WhatFirst) -> Vec<(u64, u64, u64, f64)> {
    let stated = |note: &Note| match &note.fact {
        Fact::Prediction(WhatIfFact::Condensed {
            workers,
            fragments,
            nodes,
            difference,
            ..
        }) => Some((*workers, *fragments, *nodes, *difference)),
        _ => None,
    };
    answer.notes.iter().filter_map(stated).collect()
}

#[test]
fn a_large_run_is_condensed_and_a_note_states_how_far() {
    let folder = tempfile::tempdir().unwrap();
    let ensemble = recursion(folder.path(), 15);
    let answer = what_first(&ensemble);
    let found = condensed(&answer);
    let workers: Vec<u64> = found.iter().map(|&(workers, ..)| workers).collect();
    assert_eq!(workers, WORKERS.map(u64::from), "{:?}", answer.notes);
    for (_, fragments, nodes, difference) in found {
        assert!(fragments >= 50_000 && 2 * nodes <= fragments);
        assert!(difference.abs() <= 0.01, "{difference}");
    }
    // Another number of threads computes the same bits.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1);
    let alone = pool.build().unwrap().install(|| what_first(&ensemble));
    assert!(alone == answer);
}

#[test]
fn a_small_run_is_scheduled_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let answer = what_first(&recursion(folder.path(), 12));
    assert_eq!(condensed(&answer), []);
    assert!(!answer.rows.is_empty());
}
