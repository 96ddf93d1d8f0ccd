//! What the grain graph of a run says of it as a whole.

use sheaf_answers::{Edges, GraphForm};
use sheaf_grains::grain_graph::{GrainGraph, GraphTotals, LogicalFragments, Structure};
use sheaf_model::{Cancelled, Progress, RunTables};

use super::locks::{bound, bounded_parallelism, longest_held};

/// The graph in the form that says most: unreduced where the run has fragments. Linear.
pub(super) fn most_detailed<'a>(
    run: &'a RunTables,
    structure: &'a Structure,
) -> (GraphForm, GrainGraph) {
    let has_fragments = |run| LogicalFragments::of(run, structure).is_some();
    if !run.fragments.is_empty() || has_fragments(run) {
        (GraphForm::Unreduced, GrainGraph::unreduced(run, structure))
    } else {
        (GraphForm::Reduced, GrainGraph::reduced(run, structure))
    }
}

/// The graph in a form; unreduced graphs of runs without fragments are reduced ones.
pub(super) fn graph_of<'a>(
    run: &'a RunTables,
    structure: &'a Structure,
    form: Option<GraphForm>,
) -> (GraphForm, GrainGraph) {
    match form {
        Some(GraphForm::Reduced) => (GraphForm::Reduced, GrainGraph::reduced(run, structure)),
        Some(GraphForm::Unreduced) | None => most_detailed(run, structure),
    }
}

/// Whether the weights of a graph's nodes are known.
pub(super) fn has_work(run: &RunTables, form: GraphForm) -> bool {
    let work = &run.grains.work;
    form == GraphForm::Unreduced || work.null_count() < work.len()
}

/// Why there is no span, if the source does not state what waited for what: all grains could then run at once.
pub(crate) fn lacks_edges(run: &RunTables) -> Option<&str> {
    let lacks = &run.summary.meta.lacks;
    lacks.get("edges").map(String::as_str)
}

/// Edges, work and span of a grain graph.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GraphFigures {
    /// Form of the graph: unreduced where the run has fragments.
    pub form: GraphForm,
    /// Edges by kind.
    pub edges: Edges,
    /// Weight of all nodes: of the unreduced graph of a source that measures execution, that includes what
    /// the runtime system did within grains.
    pub work: i64,
    /// Weight of the critical path in the run's time unit; absent where grains have no work, or nothing is known of what
    /// waited for what.
    pub span: Option<i64>,
    /// The span, or the time for which a lock was held where that is longer: no number of workers takes less.
    pub bound: Option<i64>,
    /// Work by span, or by the time for which a lock was held where that is longer.
    pub parallelism: Option<f64>,
}

impl GraphFigures {
    /// Those of the graph that says most, which is only built if its totals need it. Linear.
    ///
    /// # Errors
    /// Why there are none: the tables hold a cycle of dependences.
    pub(super) fn of(
        run: &RunTables,
        structure: &Structure,
        progress: &Progress,
    ) -> Result<Result<Self, String>, Cancelled> {
        let walked = GraphTotals::unreduced(run, structure, progress)?;
        let totals = if let Some(totals) = walked {
            Ok((GraphForm::Unreduced, totals))
        } else {
            let (form, graph) = most_detailed(run, structure);
            progress.check()?;
            GraphTotals::of(&graph).map(|totals| (form, totals))
        };
        let (form, totals) = match totals {
            Ok(totals) => totals,
            Err(fault) => return Ok(Err(fault.to_string())),
        };
        let has_span = has_work(run, form) && lacks_edges(run).is_none();
        let lock = longest_held(&run.summary);
        let paths = totals.lengths;
        let [creation, synchronisation, continuation, dependence] = totals.edges;
        Ok(Ok(Self {
            form,
            edges: Edges {
                creation,
                synchronisation,
                continuation,
                dependence,
            },
            work: paths.work,
            span: has_span.then_some(paths.span),
            bound: has_span.then(|| bound(paths, lock.as_ref())),
            parallelism: bounded_parallelism(paths, lock.as_ref()).filter(|_| has_span),
        }))
    }
}
