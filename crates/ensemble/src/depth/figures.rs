//! What the grain graph of a run says of it as a whole.

use std::fmt;
use std::str::FromStr;

use arrow::array::Array;
use sheaf_analysis::grain_graph::{GrainGraph, LogicalFragments, Paths, Structure};
use sheaf_model::RunTables;

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

/// Edges, work and span of a grain graph.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphFigures {
    /// Form of the graph: unreduced where the run has fragments.
    pub form: GraphForm,
    /// Edges by kind: creation, synchronisation, continuation, dependence.
    pub edges: [u64; 4],
    /// Weight of the critical path in the run's time unit; absent where grains have no work.
    pub span: Option<i64>,
    /// Work by span.
    pub parallelism: Option<f64>,
}

impl GraphFigures {
    /// Builds the graph and lets go of it. Linear.
    ///
    /// # Errors
    /// Why there are none: the tables hold a cycle of dependences.
    pub(super) fn of(run: &RunTables, structure: &Structure) -> Result<Self, String> {
        let has_fragments = |run| LogicalFragments::of(run, structure).is_some();
        let form = if !run.fragments.is_empty() || has_fragments(run) {
            GraphForm::Unreduced
        } else {
            GraphForm::Reduced
        };
        let graph = match form {
            GraphForm::Unreduced => GrainGraph::unreduced(run, structure),
            GraphForm::Reduced => GrainGraph::reduced(run, structure),
        };
        let paths = Paths::of(&graph).map_err(|fault| fault.to_string())?;
        let work = &run.grains.work;
        let has_work = form == GraphForm::Unreduced || work.null_count() < work.len();
        Ok(Self {
            form,
            edges: graph.count_edges(),
            span: has_work.then(|| paths.span()),
            parallelism: paths.parallelism().filter(|_| has_work),
        })
    }
}
