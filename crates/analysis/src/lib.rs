#![doc = include_str!("../README.md")]

mod answer;
mod box_plot;
mod cells;
mod cohort;
pub mod diff;
mod distribution;
mod entry_functions;
mod error;
pub mod gate;
pub mod grain_diff;
pub mod grain_stats;
mod group_values;
mod groups;
mod hierarchy;
mod histogram;
pub mod history;
mod kernel;
pub mod layout;
mod limits;
mod metric;
mod name_path;
pub mod noise;
mod partition;
mod reading;
mod readings;
pub mod renaming;
mod sankey;
pub mod scaling;
mod selection;
pub mod similarity;
mod stats;
mod super_graph;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tree;
mod whole_runs;

pub use answer::{
    Bin, DistributionAnswer, DistributionMode, EdgeKind, EntryFunction, HierarchyAnswer, NodeKind,
    SankeyAnswer, SankeyEdge, SankeyNode, SharedBins, Site, SiteId, StatsAnswer, StatsRow,
};
pub use box_plot::{BoxPlot, LEAST_DEVIATION, Mode, Modes, Outlier};
pub use cohort::{Cohort, cohorts, cohorts_of};
pub use distribution::{DistributionQuestion, distribution, finish_distribution};
pub use error::{Error, ErrorKind};
pub use group_values::{GroupValues, Grouped, finish_groups};
pub use groups::{Group, GroupId, Grouping, Label, Reentry};
pub use hierarchy::{finish_hierarchy, hierarchy};
pub use histogram::Histogram;
pub use kernel::{State, needs_values, partial};
pub use layout::LayoutOptions;
pub use metric::{Metric, main_metric};
pub use name_path::NamePath;
pub use reading::Reading;
pub use sankey::{finish_sankey, sankey};
pub use stats::{finish_stats, stats};
pub use tree::{Definition, EnsembleTree};
pub use whole_runs::WholeRuns;
