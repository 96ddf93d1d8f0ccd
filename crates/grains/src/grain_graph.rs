//! The grain graph of one run: which grains a fork creates, which join collects them, and the graph
//! of nodes and edges that follows.
//!
//! [`Structure`] is computed from the tables of any source; [`GrainGraph::reduced`] and
//! [`GrainGraph::unreduced`] are the two forms of the graph ("Grain Graphs", 2016, section 3.1;
//! "Towards Aggregated Grain Graphs", 2017, section 3).

mod absent;
mod barriers;
pub(crate) mod by_grain;
mod elapsed;
mod fault;
mod graph;
mod group;
mod joins;
mod logical;
mod names;
mod paths;
mod reduced;
mod run_paths;
mod sets;
mod structure;
#[cfg(test)]
mod tests;
mod timeline;
mod unreduced;
mod walk;

pub use absent::{Absence, FIGURES, Figure};
pub(crate) use elapsed::num_workers;
pub use elapsed::{DELAY_KINDS, DelayKind, ElapsedPath, PathFault, PathGap};
pub use fault::GraphFault;
pub use graph::{Edge, EdgeKind, GrainGraph, NodeKind};
pub use group::GrainGroup;
pub use logical::LogicalFragments;
pub use names::grain_name;
pub use paths::{LengthFinder, PathLengths, Paths};
pub(crate) use reduced::critical_grains;
pub use run_paths::{PathPart, PathQuestion, RunPaths};
pub use sets::{SetKind, SiblingSet};
pub use structure::{JoinRule, Structure};
pub use walk::GraphTotals;

/// Stands for no row in arrays of row numbers.
pub(crate) const NONE: u32 = u32::MAX;

/// A row number of the model's tables, which have at most 2³² − 1 rows.
pub(crate) fn to_u32(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(NONE)
}
