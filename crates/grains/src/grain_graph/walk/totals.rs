//! Edges, work and span of a graph.

use sheaf_model::{Cancelled, Progress, RunTables};

use super::super::graph::GrainGraph;
use super::super::structure::Structure;
use super::super::{GraphFault, PathLengths};
use super::lengths::Lengths;
use super::{walk, walkable};

/// Edges, work and span of a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GraphTotals {
    /// Edges by kind: creation, synchronisation, continuation, dependence.
    pub edges: [u64; 4],
    /// Work and span.
    pub lengths: PathLengths,
}

impl GraphTotals {
    /// Those of a graph.
    ///
    /// # Errors
    /// [`GraphFault::Cycle`].
    pub fn of(graph: &GrainGraph) -> Result<Self, GraphFault> {
        Ok(Self {
            lengths: PathLengths::of(graph)?,
            edges: graph.count_edges(),
        })
    }

    /// Those of the unreduced graph of a run with fragments, of which no node or edge is kept. Linear in time but for
    /// sorting what each grain does. `None` if the graph has a cycle, if the run has no fragments, or if tasks are the
    /// book-keeping of loops.
    ///
    /// # Errors
    /// When `progress` was stopped.
    pub fn unreduced(
        run: &RunTables,
        structure: &Structure,
        progress: &Progress,
    ) -> Result<Option<Self>, Cancelled> {
        let Some(timelines) = walkable(run, structure) else {
            return Ok(None);
        };
        let walked = walk(&timelines, Lengths::<1, _>::new(|_| 0), progress)?;
        Ok(walked.map(|(ways, edges)| Self {
            edges,
            lengths: ways.lengths()[0],
        }))
    }
}
