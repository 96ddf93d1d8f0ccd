#![doc = include_str!("../README.md")]

mod absent;
pub mod aggregation;
pub mod bin_packing;
pub mod grain_graph;
pub mod grain_metric;
mod ordering;
pub mod problem;
pub mod schedule;
mod spans;
mod stopping;
mod threads;
pub mod timeline;
mod windows;

pub use absent::AbsenceReason;
pub use threads::map_on_threads;
