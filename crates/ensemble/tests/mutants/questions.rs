//! Every question on one run.

use sheaf_ensemble::{
    Ensemble, ExportFormat, GrainDiffQuestion, GrainsQuestion, GraphForm, GroupsQuestion,
    LayoutOptions, PathScope, ThresholdSet, TreeChoice, TreeExtent, Window,
};
use sheaf_model::{Lens, Progress, RunId};

/// Asks everything, errors being answers too; returns how many questions there were.
pub(crate) fn ask(ensemble: &Ensemble, run: RunId) -> u64 {
    let mut count = 0;
    ask_tables(ensemble, run, &mut count);
    ask_grains(ensemble, &run.to_string(), &mut count);
    for &format in ExportFormat::ALL {
        for form in [GraphForm::Reduced, GraphForm::Unreduced] {
            let mut out = std::io::sink();
            let progress = Progress::silent();
            let exported = ensemble.export(&run.to_string(), format, form, &progress, &mut out);
            note(&mut count, exported);
        }
    }
    count
}

/// An answer and an error are both fine.
fn note<T, E: std::error::Error>(count: &mut u64, answer: Result<T, E>) {
    *count += 1;
    if let Err(error) = answer {
        assert!(!error.to_string().is_empty());
    }
}

fn ask_tables(ensemble: &Ensemble, run: RunId, count: &mut u64) {
    let progress = Progress::silent();
    for lens in [
        format!("where run = '{run}'"),
        format!("where run = '{run}' | metric all"),
        format!("where run = '{run}' | level context"),
        format!("diff \"{run}\" to \"{run}\""),
    ] {
        let lens: Lens = lens.parse().unwrap();
        note(count, ensemble.runs(&lens));
        note(count, ensemble.stats(&lens, &progress));
        note(count, ensemble.grain_stats(&lens, &progress));
        note(
            count,
            ensemble.sankey(&lens, &LayoutOptions::default(), &progress),
        );
        note(count, ensemble.diff(&lens, &progress));
        note(
            count,
            ensemble.grain_diff(&lens, &GrainDiffQuestion::default(), &progress),
        );
    }
}

fn ask_grains(ensemble: &Ensemble, run: &str, count: &mut u64) {
    let window = Window {
        start: None,
        end: None,
        parts: 100,
    };
    note(count, ensemble.grains(run, &GrainsQuestion::default()));
    note(count, ensemble.loops(run));
    note(count, ensemble.paths(run, &PathScope::default(), None));
    note(
        count,
        ensemble.problems(run, &[], ThresholdSet::default(), None),
    );
    note(count, ensemble.timeline(run, &window));
    note(count, ensemble.parallelism(run, &window));
    note(count, ensemble.scheduling(run));
    let choice = TreeChoice::default();
    note(
        count,
        ensemble.tree(run, &choice, None, TreeExtent::default()),
    );
    note(count, ensemble.groups(run, &GroupsQuestion::default()));
    note(
        count,
        ensemble.tree_text(run, &choice, None, &mut std::io::sink()),
    );
}
