//! Recordings of DAG Recorder: the hierarchy of tasks, sections and leaves of a task-parallel
//! program, and its statistics.
//!
//! [`Dag::read`] reads a recording as a stream into 48 bytes per node; [`statistics()`] computes
//! what the recorder itself and `DAGViz` compute, exactly.

mod dag;
mod edges;
mod layout;
mod names;
mod read;
mod statistics;
mod tables;

pub use dag::{Dag, EdgeKind, NodeKind, NodeView};
pub use layout::Totals;
pub(crate) use tables::READER;

pub use statistics::{
    EdgeMatrix, GapSummary, Gaps, LastFinish, LayerSample, Profile, Spine, Statistics, layers,
    statistics,
};
