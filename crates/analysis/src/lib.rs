#![doc = include_str!("../README.md")]

mod box_plot;
mod cohort;
mod context_sums;
mod distribution;
mod entry_functions;
mod error;
pub mod grain_stats;
mod group_values;
mod groups;
mod hierarchy;
mod histogram;
mod kernel;
pub mod layout;
mod limits;
mod locations;
mod measurement;
mod measurements;
mod metric;
mod nearest;
mod partition;
mod sankey;
pub mod scaling;
mod selection;
mod source;
mod stats;
mod super_graph;
#[cfg(test)]
mod tests;
mod tree;
mod unrecorded_loops;
mod whole_runs;

pub use box_plot::MIN_DEVIATION;
pub use cohort::{Cohort, cohorts, cohorts_of, note_arguments, parameter_of, unknown_parameter};
pub use distribution::{DistributionQuestion, distribution, finish_distribution};
pub use error::{Error, ErrorKind};
pub use group_values::{GroupValues, Grouped, finish_groups};
pub use groups::{Group, GroupId, Grouping, Label, Reentry};
pub use hierarchy::{finish_hierarchy, hierarchy};
pub use histogram::histogram;
pub use kernel::{
    ALL_METRICS, Question, State, UnifiedRuns, grains_of, needs_values, partial, work_of,
};
pub use layout::LayoutOptions;
pub use limits::{check_alpha, check_share};
pub use locations::{LocationsQuestion, finish_locations, locations};
pub use measurement::Measurement;
pub use metric::{Metric, main_metric, runs_text};
pub use nearest::{did_you_mean, nearest};
pub use partition::Partition;
pub use sankey::{finish_sankey, sankey};
pub use sheaf_answers::DistributionMode;
pub use source::{SourceQuestion, source};
pub use stats::{finish_stats, stats};
pub use tree::lines::around_lines;
pub use tree::{Definition, EnsembleTree, NONE};
pub use unrecorded_loops::{LOOPS, may_lack_loops};
pub use whole_runs::WholeRuns;
