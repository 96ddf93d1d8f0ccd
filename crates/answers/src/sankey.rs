//! The ensemble-Sankey: super graph, distributions and geometry.
//!
//! Arrays called `…_by_run` run parallel to [`Sankey::runs`]; `null` is absent.

use serde::{Deserialize, Serialize};
use sheaf_model::{Direction, LocationAggregate};
use utoipa::ToSchema;

use crate::Note;
use crate::choice::choice;

/// Answer of `sankey`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Sankey {
    /// `sankey/1`
    pub schema: String,
    /// The lens that was answered, in text.
    pub lens: String,
    /// Ids of the runs, in order of name, then id.
    pub runs: Vec<String>,
    /// Metric.
    pub metric: String,
    /// Unit of every value.
    pub unit: String,
    /// Which values are better.
    pub direction: Direction,
    /// How locations became one value per run: `ranks=mean`, ….
    pub over: LocationAggregate,
    /// The kind of thing that the groups represent; `file` if the level is `module` and all code is in one module.
    pub grouped_by: GroupedBy,
    /// Nodes, by level, then from top to bottom.
    pub nodes: Vec<SankeyNode>,
    /// Edges; indices into `nodes`.
    pub edges: Vec<SankeyEdge>,
    /// Number of levels.
    pub levels: u32,
    /// Greatest histogram count of any node: the domain of the gradient's colours.
    pub max_bin_count: u64,
    /// Greatest exclusive value of any node and run: the domain of the borders' colours.
    pub max_exclusive: f64,
    /// Extent of the picture, in the units of the geometry.
    pub width: f64,
    /// Extent of the picture, in the units of the geometry.
    pub height: f64,
    /// Share of the weight that all runs have in common, 0..1; below 0.5 the runs look like
    /// different programs.
    pub common_share: f64,
    /// Groups left out because they were below the lens's share.
    pub hidden: u64,
    /// Things a reader of the picture must know.
    pub notes: Vec<Note>,
}

choice! {
    /// The kind of thing that each group represents.
    GroupedBy {
        /// Libraries and executables.
        Module = "module",
        /// Source files.
        File = "file",
        /// Beginnings of names.
        NamePrefix = "name_prefix",
        /// Constructs in the source.
        Definition = "definition",
        /// Calling contexts.
        Context = "context",
    }
}

/// What a node stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// A library or executable.
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SankeyNode {
    /// Group id, stable over runs and stores; what lens operations and other routes take.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// What it stands for.
    pub kind: NodeKind,
    /// Kind of construct, at definition and context level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition_kind: Option<String>,
    /// Module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    /// `file:line`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Column.
    pub level: u32,
    /// Inclusive value per run.
    pub inclusive_by_run: Vec<Option<f64>>,
    /// Exclusive value per run.
    pub exclusive_by_run: Vec<Option<f64>>,
    /// Greatest inclusive value over runs.
    pub max_inclusive: f64,
    /// Greatest exclusive value over runs.
    pub max_exclusive: f64,
    /// Runs in which the group occurs.
    pub present: u64,
    /// Grains, or calls where the profile has them, over all runs.
    pub count: u64,
    /// Histogram of the lens's metric and scope over runs.
    pub histogram: Histogram,
    /// Entry functions by inclusive value, at most 20.
    pub entry_functions: Vec<EntryFunction>,
    /// Entry functions in all.
    pub entry_function_count: u64,
    /// Whether the group calls itself.
    pub is_recursive: bool,
    /// Groups collected in an others-node, by name.
    pub members: Vec<String>,
    /// Rectangle.
    pub geometry: Geometry,
}

/// A function through which a group is entered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EntryFunction {
    /// Name.
    pub name: String,
    /// Greatest inclusive value over runs.
    pub max_inclusive: f64,
}

/// Histogram with equal bins over the range of its own values.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Histogram {
    /// Lower end of the first bin.
    pub min: f64,
    /// Upper end of the last bin, which includes it.
    pub max: f64,
    /// Values per bin; empty when there are no values, one bin when all are equal.
    pub counts: Vec<u64>,
    /// Bin of each value, parallel to the runs (or to the answer's members); `null` is absent.
    pub bin_of: Vec<Option<u32>>,
}

/// A rectangle; y grows downwards.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Geometry {
    /// Left.
    pub x: f64,
    /// Top.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// Direction of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// Caller to callee.
    Forward,
    /// Removed to break a cycle; drawn as an arc.
    Back,
}

/// A superedge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SankeyEdge {
    /// Index of the caller's node.
    pub source: u32,
    /// Index of the callee's node.
    pub target: u32,
    /// Direction.
    pub kind: EdgeKind,
    /// Inclusive value that flows along it, per run.
    pub inclusive_by_run: Vec<Option<f64>>,
    /// Greatest of them.
    pub max_inclusive: f64,
    /// Runs in which it occurs.
    pub present: u64,
    /// The band from source to target: one point per crossed column, both ends included; empty
    /// for back edges.
    pub band: Vec<Point>,
}

/// A cross-section of a band.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Point {
    /// Position.
    pub x: f64,
    /// Upper border.
    pub y: f64,
    /// Height of the band here.
    pub height: f64,
}
