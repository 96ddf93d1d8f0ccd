//! Schedules the grain graph of a run again: on other numbers of workers, with other work, without costs.
//!
//! [`ScheduleGraph`] is the recorded graph in the form that is scheduled: forks and joins are merged into the fragments
//! around them, chunks of loops are free of the worker that ran them. [`schedule`] is a list scheduler: it executes the
//! graph event by event on made-up workers, under a [`Machine`]. The greedy bounds
//! max(span, work / workers) ≤ elapsed ≤ work / workers + span hold for schedules without costs in which every worker
//! may continue every fragment (Graham 1969; Blumofe and Leiserson 1999).

mod condensed;
mod costs;
mod cut_off;
mod draft;
mod engine;
mod graph;
mod loops;
mod paths;
mod queues;
#[cfg(test)]
mod tests;

pub use condensed::Condensed;
pub use costs::Costs;
pub use engine::{Machine, Outcome, schedule};
pub use graph::{ScheduleGraph, Shape};
pub use paths::Extent;
pub use sheaf_answers::{ScheduleCost, SchedulePolicy};
