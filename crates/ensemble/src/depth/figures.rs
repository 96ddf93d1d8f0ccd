//! What the grain graph of a run says of it as a whole.

use std::fmt;
use std::str::FromStr;

use arrow::array::Array;
use sheaf_grains::grain_graph::{GrainGraph, LogicalFragments, Paths, Structure};
use sheaf_model::{Cancelled, Progress, RunTables};

use super::locks::{bounded_parallelism, longest_held};

/// Form of a grain graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GraphForm {
    /// A node per fragment, also where only the lengths of fragments are known.
    Unreduced,
    /// A node per grain.
    #[default]
    Reduced,
}

impl GraphForm {
    /// What users read.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unreduced => "unreduced",
            Self::Reduced => "reduced",
        }
    }
}

impl fmt::Display for GraphForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for GraphForm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "reduced" => Ok(Self::Reduced),
            "unreduced" => Ok(Self::Unreduced),
            _ => Err(format!("no form `{text}`; use reduced or unreduced")),
        }
    }
}

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

/// Edges, work and span of a grain graph.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphFigures {
    /// Form of the graph: unreduced where the run has fragments.
    pub form: GraphForm,
    /// Edges by kind: creation, synchronisation, continuation, dependence.
    pub edges: [u64; 4],
    /// Weight of all nodes: of the unreduced graph of a source that measures execution, that includes what
    /// the runtime system did within grains.
    pub work: i64,
    /// Weight of the critical path in the run's time unit; absent where grains have no work.
    pub span: Option<i64>,
    /// Work by span, or by the time for which a lock was held where that is longer.
    pub parallelism: Option<f64>,
}

impl GraphFigures {
    /// Builds the graph and lets go of it. Linear.
    ///
    /// # Errors
    /// Why there are none: the tables hold a cycle of dependences.
    pub(super) fn of(
        run: &RunTables,
        structure: &Structure,
        progress: &Progress,
    ) -> Result<Result<Self, String>, Cancelled> {
        let (form, graph) = most_detailed(run, structure);
        progress.check()?;
        let paths = match Paths::of(&graph) {
            Ok(paths) => paths,
            Err(fault) => return Ok(Err(fault.to_string())),
        };
        let has_work = has_work(run, form);
        let lock = longest_held(&run.summary);
        Ok(Ok(Self {
            form,
            edges: graph.count_edges(),
            work: paths.work(),
            span: has_work.then(|| paths.span()),
            parallelism: bounded_parallelism(&paths, lock.as_ref()).filter(|_| has_work),
        }))
    }
}
