//! Answers as plain data. Lists called `…_by_run` run parallel to the answer's runs; `None` is
//! absent or not measured there, never zero.

use std::collections::BTreeMap;

use sheaf_model::{ContextId, Direction, Lens, Over, ParamValue, RunId, Scope};

use sheaf_statistics::Dip;

use crate::box_plot::{BoxPlot, Modes};
use crate::groups::GroupId;
use crate::histogram::Histogram;
use crate::layout::{BandPoint, Rect};
use crate::name_path::NamePath;

/// Answer of [`sankey`](crate::sankey): super graph, distributions and geometry.
#[derive(Debug, Clone, PartialEq)]
pub struct SankeyAnswer {
    /// The lens that was answered.
    pub lens: Lens,
    /// The runs, in order of name, then id.
    pub runs: Vec<RunId>,
    /// Name of the metric.
    pub metric: String,
    /// Unit of every value.
    pub unit: String,
    /// Which way is worse.
    pub direction: Direction,
    /// How locations became one value per run.
    pub over: Over,
    /// `module`, `file`, `name_prefix`, `definition` or `context`: what the groups stand for.
    pub grouped_by: &'static str,
    /// Nodes, by level, then from top to bottom.
    pub nodes: Vec<SankeyNode>,
    /// Edges, by source, then target.
    pub edges: Vec<SankeyEdge>,
    /// Number of levels.
    pub levels: u32,
    /// Greatest histogram count of any node.
    pub max_bin_count: u64,
    /// Greatest exclusive value of any node and run.
    pub max_exclusive: f64,
    /// Width of the picture, in the unit of the geometry.
    pub width: f64,
    /// Height of the picture, in the unit of the geometry.
    pub height: f64,
    /// Share of the weight in contexts that all runs have, 0..1, mean over runs; below 0.5 the
    /// runs look like different programs.
    pub common_share: f64,
    /// Groups that were below the lens's share in every run.
    pub hidden: u64,
    /// Things a reader of the picture must know.
    pub notes: Vec<String>,
}

/// What a node stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeKind {
    /// A library or executable, or a beginning of names.
    Module,
    /// A source file.
    File,
    /// A construct in the source.
    Definition,
    /// A calling context.
    Context,
    /// Groups below the share, collected per level.
    Others,
}

/// A supernode.
#[derive(Debug, Clone, PartialEq)]
pub struct SankeyNode {
    /// Group id.
    pub id: GroupId,
    /// Name for people.
    pub name: String,
    /// What it stands for.
    pub kind: NodeKind,
    /// Kind of construct, of definitions and contexts.
    pub definition_kind: Option<String>,
    /// Module.
    pub module: Option<String>,
    /// `file:line`.
    pub source: Option<String>,
    /// Column.
    pub level: u32,
    /// Inclusive value per run.
    pub inclusive_by_run: Vec<Option<f64>>,
    /// Exclusive value per run.
    pub exclusive_by_run: Vec<Option<f64>>,
    /// Greatest inclusive value over runs; 0 when there is none.
    pub max_inclusive: f64,
    /// Greatest exclusive value over runs; 0 when there is none.
    pub max_exclusive: f64,
    /// Runs in which the group occurs.
    pub present: u64,
    /// Grains in the group's own contexts over all runs; observations of the metric in runs that
    /// count no grains.
    pub count: u64,
    /// Histogram of the lens's metric and scope over runs.
    pub histogram: Histogram,
    /// Functions through which the group is entered, by inclusive value, at most 20.
    pub entry_functions: Vec<EntryFunction>,
    /// Entry functions in all.
    pub entry_function_count: u64,
    /// Whether a definition of the group calls itself within it.
    pub is_recursive: bool,
    /// Names of the groups in an others-node, ascending.
    pub members: Vec<String>,
    /// Rectangle.
    pub geometry: Rect,
}

/// A function through which a group is entered from another one.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryFunction {
    /// Name.
    pub name: String,
    /// Greatest inclusive value over runs of the contexts through which it enters.
    pub max_inclusive: f64,
}

/// Direction of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// Caller to callee.
    Forward,
    /// Removed to break a cycle.
    Back,
}

/// A superedge.
#[derive(Debug, Clone, PartialEq)]
pub struct SankeyEdge {
    /// Index of the caller's node.
    pub source: u32,
    /// Index of the callee's node.
    pub target: u32,
    /// Direction.
    pub kind: EdgeKind,
    /// Inclusive value that flows along it, per run. Flow that crosses the edge again further
    /// down the same path counts once.
    pub inclusive_by_run: Vec<Option<f64>>,
    /// Greatest of them; 0 when there is none.
    pub max_inclusive: f64,
    /// Runs in which it occurs.
    pub present: u64,
    /// Band from source to target; empty for back edges.
    pub band: Vec<BandPoint>,
}

/// Answer of [`stats`](crate::stats).
#[derive(Debug, Clone, PartialEq)]
pub struct StatsAnswer {
    /// The lens that was answered.
    pub lens: Lens,
    /// The runs, in order of name, then id.
    pub runs: Vec<RunId>,
    /// What the groups stand for, as in [`SankeyAnswer::grouped_by`].
    pub grouped_by: &'static str,
    /// One row per metric, group and cohort, in that order: metrics by name, groups by descending
    /// value (contexts in pre-order), cohorts by their values.
    pub rows: Vec<StatsRow>,
    /// Things a reader must know.
    pub notes: Vec<String>,
}

/// The distribution of one group's values over the runs of one cohort: one value per run.
#[derive(Debug, Clone, PartialEq)]
pub struct StatsRow {
    /// Names from the outermost group; one element except at context level.
    pub path: NamePath,
    /// Group id.
    pub group: GroupId,
    /// Parameter values of the cohort.
    pub cohort: BTreeMap<String, ParamValue>,
    /// Metric.
    pub metric: String,
    /// The name that the source used.
    pub source_metric: Option<String>,
    /// Label or name that the source shows, if it differs from ours.
    pub label: Option<String>,
    /// Whether values of any run are estimates.
    pub is_estimated: bool,
    /// Scope: the lens's.
    pub scope: Scope,
    /// Unit.
    pub unit: String,
    /// Runs in which the group has a value.
    pub runs: u64,
    /// Runs of the cohort in which the group does not occur.
    pub absent: u64,
    /// Runs of the cohort in which the group occurs but the metric was not measured.
    pub not_measured: u64,
    /// Observations (grains, samples) behind the values, over all runs.
    pub count: u64,
    /// Mean over runs.
    pub mean: Option<f64>,
    /// Median over runs.
    pub median: Option<f64>,
    /// Standard deviation over runs, n − 1; absent below two runs.
    pub std: Option<f64>,
    /// Least run.
    pub min: Option<f64>,
    /// Greatest run.
    pub max: Option<f64>,
    /// First quartile, type 7.
    pub q1: Option<f64>,
    /// Third quartile, type 7.
    pub q3: Option<f64>,
    /// Quantile at 5 %, type 7.
    pub p05: Option<f64>,
    /// Quantile at 95 %, type 7.
    pub p95: Option<f64>,
    /// Median absolute deviation from the median.
    pub mad: Option<f64>,
    /// Interval of the median with an error of at most 5 %, between runs; it needs at least six.
    pub median_interval: Option<[f64; 2]>,
    /// Box plot over the runs.
    pub box_plot: Option<BoxPlot<RunId>>,
    /// Two clusters of runs, where there are two.
    pub modes: Option<Modes>,
    /// Histogram over the runs, in the same bins for all cohorts of the group.
    pub histogram: Option<SharedBins>,
    /// Mean worker divided by greatest worker, mean over runs: 1 is balanced. Absent where the
    /// values are not known by worker, or the metric does not add up.
    pub load_balance: Option<f64>,
    /// Mean share of the values inside of regions, over the runs that have a value; absent if the metric
    /// does not add up, and for groups outside of every region.
    pub share: Option<f64>,
    /// Whether it was measured outside of every region.
    pub is_outside: bool,
}

/// Numbers of values in bins of equal width that several distributions share.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedBins {
    /// Lower end of the first bin.
    pub lo: f64,
    /// Upper end of the last, which includes it.
    pub hi: f64,
    /// Values per bin; one bin when all values of all distributions are equal.
    pub counts: Vec<u64>,
}

/// Answer of [`hierarchy`](crate::hierarchy): contexts in pre-order.
#[derive(Debug, Clone, PartialEq)]
pub struct HierarchyAnswer {
    /// The lens that was answered.
    pub lens: Lens,
    /// The group whose inside this is.
    pub group: GroupId,
    /// Its name.
    pub name: String,
    /// The runs, in order of name, then id.
    pub runs: Vec<RunId>,
    /// Unit of every value.
    pub unit: String,
    /// Contexts, parents first; an artificial root stands first when several enter the group.
    pub sites: Vec<Site>,
    /// Contexts left out because the tree is larger than 5,000.
    pub omitted: u64,
    /// Contexts cut to make a tree: none, since contexts are a tree.
    pub recursive_edges_cut: u64,
    /// Greatest histogram count of any site.
    pub max_bin_count: u64,
    /// Greatest exclusive value of any site and run.
    pub max_exclusive: f64,
    /// Things a reader must know.
    pub notes: Vec<String>,
}

/// A call site: one context of the ensemble, or several with the same path below a definition.
#[derive(Debug, Clone, PartialEq)]
pub struct Site {
    /// What it stands for.
    pub id: SiteId,
    /// Index of the parent in the answer; absent for the first.
    pub parent: Option<u32>,
    /// Name of its definition; of the group for the artificial root.
    pub name: String,
    /// Kind of its definition; `group` for the artificial root.
    pub kind: String,
    /// `file:line`.
    pub source: Option<String>,
    /// Rows below the top, from 0.
    pub depth: u32,
    /// Inclusive value per run, with what is below it outside of the group.
    pub inclusive_by_run: Vec<Option<f64>>,
    /// Exclusive value per run.
    pub exclusive_by_run: Vec<Option<f64>>,
    /// Greatest inclusive value over runs; 0 when there is none.
    pub max_inclusive: f64,
    /// Greatest exclusive value over runs; 0 when there is none.
    pub max_exclusive: f64,
    /// Runs in which it occurs.
    pub present: u64,
    /// Histogram of the lens's metric and scope over runs.
    pub histogram: Histogram,
}

/// Identity of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SiteId {
    /// One context.
    Context(ContextId),
    /// Several contexts with the same path below their group: the id of that path.
    Path(ContextId),
    /// The group itself: an artificial root.
    Group(GroupId),
}

/// What a distribution counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DistributionMode {
    /// One value per run.
    Runs,
    /// One value per call site: its mean over runs.
    CallSites,
    /// One value per rank and run.
    Ranks,
    /// One value per worker and run.
    Workers,
}

/// Answer of [`distribution`](crate::distribution).
#[derive(Debug, Clone, PartialEq)]
pub struct DistributionAnswer {
    /// The lens that was answered.
    pub lens: Lens,
    /// Group id.
    pub group: GroupId,
    /// Its name.
    pub name: String,
    /// Metric.
    pub metric: String,
    /// Scope: the lens's.
    pub scope: Scope,
    /// Unit of every value.
    pub unit: String,
    /// What is counted.
    pub mode: DistributionMode,
    /// Bins in ascending order; one when all values are equal.
    pub bins: Vec<Bin>,
    /// Values in all.
    pub count: u64,
    /// Runs in which the group does not occur.
    pub absent: u64,
    /// Quantiles of type 7 at 5, 25, 50, 75 and 95 %; absent when there are no values.
    pub quantiles: Option<[f64; 5]>,
    /// Box plot, outliers with who they are.
    pub box_plot: Option<BoxPlot<String>>,
    /// Two clusters of values, where there are two.
    pub modes: Option<Modes>,
    /// Hartigan's dip and its p; absent below four values. Values over ranks or workers of one run
    /// are not independent, so that p is a hint.
    pub dip: Option<Dip>,
    /// The values themselves when there are at most 50, ascending.
    pub values: Vec<f64>,
    /// Things a reader must know.
    pub notes: Vec<String>,
}

/// One bin; the last includes its upper end.
#[derive(Debug, Clone, PartialEq)]
pub struct Bin {
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
    /// Values in it.
    pub count: u64,
    /// Values in it of the target's runs, or of side B of a diff.
    pub target_count: u64,
    /// Values in it of side A of a diff.
    pub baseline_count: u64,
    /// Who is in it: names of runs or call sites, ranges of ranks (`0-15, 18`) or of workers
    /// (`0.0-3, 1.2` are workers 0 to 3 of rank 0 and worker 2 of rank 1); the first 20.
    pub members: Vec<String>,
    /// Runs in it, in mode runs.
    pub runs: Vec<RunId>,
}
