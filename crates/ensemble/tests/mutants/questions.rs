//! Every question on one run.

use sheaf_ensemble::{
    Ensemble, ExportFormat, GrainDiffQuestion, GrainsQuestion, GraphForm, GroupsQuestion,
    LayoutOptions, PathScope, ThresholdSet, TreeChoice, TreeExtent, View, Window,
};
use sheaf_model::{Lens, Progress, RunId};

/// Asks everything, errors being answers too; returns how many questions there were.
pub(crate) fn ask(ensemble: &Ensemble, run: RunId) -> u64 {
    let mut count = 0;
    let view = ensemble.view(&Progress::silent()).unwrap();
    ask_tables(&view, run, &mut count);
    ask_grains(&view, &run.to_string(), &mut count);
    for &format in ExportFormat::ALL {
        for form in [GraphForm::Reduced, GraphForm::Unreduced] {
            let mut out = std::io::sink();
            let exported = view.export(&run.to_string(), format, form, &mut out);
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

fn ask_tables(view: &View<'_>, run: RunId, count: &mut u64) {
    for lens in [
        format!("where run = '{run}'"),
        format!("where run = '{run}' | metric all"),
        format!("where run = '{run}' | level context"),
        format!("diff \"{run}\" to \"{run}\""),
    ] {
        let lens: Lens = lens.parse().unwrap();
        note(count, view.runs(&lens));
        note(count, view.stats(&lens));
        note(count, view.grain_stats(&lens));
        note(count, view.sankey(&lens, &LayoutOptions::default()));
        note(count, view.diff(&lens));
        note(count, view.grain_diff(&lens, &GrainDiffQuestion::default()));
    }
}

fn ask_grains(view: &View<'_>, run: &str, count: &mut u64) {
    let window = Window {
        start: None,
        end: None,
        parts: 100,
    };
    note(count, view.grains(run, &GrainsQuestion::default()));
    note(count, view.loops(run));
    note(count, view.paths(run, &PathScope::default(), None));
    note(
        count,
        view.problems(run, &[], ThresholdSet::default(), None),
    );
    note(count, view.timeline(run, &window));
    note(count, view.parallelism(run, &window));
    note(count, view.scheduling(run));
    let choice = TreeChoice::default();
    note(count, view.tree(run, &choice, None, TreeExtent::default()));
    note(count, view.groups(run, &GroupsQuestion::default()));
    note(
        count,
        view.tree_text(run, &choice, None, &mut std::io::sink()),
    );
}
