//! Problems of grains: those whose metrics are beyond a threshold, worst first.
//!
//! Thresholds are those of the paper ("Grain Graphs", 2016, section 3.2), those of its prototype, or
//! one's own, written as `work_deviation > 1.2` or `inst_par < cores / 2`. Problems stand in the order of the elapsed
//! time that could be won at most without them.

mod diagnosis;
mod gain;
mod limit;
mod summary;
#[cfg(test)]
mod tests;
mod threshold;

pub use diagnosis::{Diagnosis, LOCK_WAITING, NotChecked, Problem, ProblemGrain, diagnose};
pub use gain::MIN_IMBALANCE;
pub use limit::Limit;
pub use summary::DefinitionSummary;
pub use threshold::{LOCKS, PAPER, Preset, Relation, TOOL, Threshold};
