//! The ensemble-Sankey: super graph, distributions per node, and geometry.

mod evaluated;
mod picture;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use sheaf_answers::{GroupFact, Note, RunFact, Sankey};
use sheaf_model::{Lens, Progress, RunSummary};

use crate::error::Error;
use crate::groups::{Grouping, Reentry};
use crate::kernel::{State, UnifiedRuns, partial};
use crate::layout::LayoutOptions;
use crate::measurement::Measurement;
use crate::super_graph::SuperGraph;
use evaluated::Evaluated;
use picture::Picture;

/// Answers `lens` about `runs` with the ensemble-Sankey. The runs are taken as they are: whoever
/// calls selects them with the lens's `where`.
///
/// Takes time linear in the runs' contexts, in parallel over runs.
///
/// ```
/// use sheaf_analysis::{LayoutOptions, sankey};
/// use sheaf_model::{Lens, Progress};
/// let error = sankey(&Lens::default(), &[], &LayoutOptions::default(), &Progress::silent());
/// assert!(error.unwrap_err().to_string().starts_with("the ensemble has no runs"));
/// ```
///
/// # Errors
/// When there are no runs, none has the metric, the metric does not add up over contexts, an
/// operation names what is not there, or `progress` was cancelled.
pub fn sankey(
    lens: &Lens,
    runs: &[Arc<RunSummary>],
    options: &LayoutOptions,
    progress: &Progress,
) -> Result<Sankey, Error> {
    finish_sankey(lens, partial(lens, runs, progress)?, options, progress)
}

/// Finishes the answer of [`sankey`] from the merged state of all runs.
///
/// # Errors
/// As for [`sankey`].
pub fn finish_sankey(
    lens: &Lens,
    state: State,
    options: &LayoutOptions,
    progress: &Progress,
) -> Result<Sankey, Error> {
    let ensemble = UnifiedRuns::new(state)?;
    let question = ensemble.question(&lens.metric)?;
    UnifiedRuns::require_additive(&question)?;
    progress.report("grouping contexts", 0, None);
    let grouping = Grouping::new(&ensemble.tree, lens, Reentry::Separate)?;
    let graph = SuperGraph::new(&ensemble, &question, &grouping, lens, progress)?;
    progress.report("evaluating groups", 0, None);
    let evaluated = Evaluated::new(&ensemble, &question, &graph, lens, progress)?;
    progress.report("laying out", 0, None);
    let mut notes = [question.notes.clone(), grouping.notes.clone()].concat();
    notes.extend(warnings(&ensemble, &graph, evaluated.common_share));
    let picture = Picture::draw(&graph, &evaluated, &grouping, &ensemble.tree, lens, options);
    let bins = picture.nodes.iter().flat_map(|node| &node.histogram.counts);
    Ok(Sankey {
        schema: "sankey/1".to_owned(),
        lens: lens.to_string(),
        runs: ensemble.run_names(),
        unit: question.metric.unit,
        metric: question.metric.name,
        direction: question.metric.direction,
        over: lens.over,
        grouped_by: grouping.grouped_by,
        levels: picture
            .nodes
            .iter()
            .map(|node| node.level + 1)
            .max()
            .unwrap_or(0),
        max_bin_count: bins.copied().max().unwrap_or(0),
        max_exclusive: picture
            .nodes
            .iter()
            .map(|node| node.max_exclusive)
            .fold(0.0, f64::max),
        nodes: picture.nodes,
        edges: picture.edges,
        width: options.width,
        height: options.height,
        common_share: evaluated.common_share,
        hidden: graph.hidden,
        notes,
    })
}

fn warnings(ensemble: &UnifiedRuns, graph: &SuperGraph, common_share: f64) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
    if common_share < 0.5 {
        let share = common_share;
        notes.push(RunFact::FewCommonContexts { share }.into());
    }
    if ensemble.num_runs() == 1 {
        notes.push(RunFact::OneRun.into());
    }
    let without = ensemble
        .runs()
        .iter()
        .filter(|run| run.contexts.is_empty())
        .count();
    if without > 0 {
        let runs = without as u64;
        notes.push(RunFact::RunsWithoutContexts { runs }.into());
    }
    if graph
        .edges
        .iter()
        .any(|edge| edge.is_visible && !edge.is_forward)
    {
        notes.push(GroupFact::CallsToCallers.into());
    }
    notes
}

pub(crate) fn values_of(measurements: &[Measurement]) -> Vec<Option<f64>> {
    measurements
        .iter()
        .map(|measurement| measurement.value())
        .collect()
}

pub(crate) fn count_present(measurements: &[Measurement]) -> u64 {
    measurements
        .iter()
        .filter(|measurement| measurement.is_present())
        .count() as u64
}
