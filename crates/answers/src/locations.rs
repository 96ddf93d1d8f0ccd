//! Values of groups by rank or worker: where a run is imbalanced.

use serde::{Deserialize, Serialize};
use sheaf_model::Scope;
use utoipa::{IntoParams, ToSchema};

use crate::choice::choice;
use crate::{BoxPlot, Format, NamePath, Note};

choice! {
    /// Kind of location.
    LocationKind {
        /// A process.
        Ranks = "ranks",
        /// A thread of a process.
        Workers = "workers",
    }
}

choice! {
    /// Order of groups.
    LocationOrder {
        /// The largest excess first: the maximum over locations less the mean.
        Imbalance = "imbalance",
        /// The largest value first, as in `stats`.
        Value = "value",
    }
}

/// Answer of `locations`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Locations {
    /// `locations/1`
    pub schema: String,
    /// The lens that was answered, in text.
    pub lens: String,
    /// Metric.
    pub metric: String,
    /// Label, else name, that the source shows; missing if that is `metric`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Scope of the values.
    pub scope: Scope,
    /// Unit of every value.
    pub unit: String,
    /// Kind of location.
    pub by: LocationKind,
    /// Runs that the lens selects, by name.
    pub runs: Vec<LocatedRun>,
    /// Groups in the order asked for.
    pub groups: Vec<LocatedGroup>,
    /// Groups with values by location, including those before `offset` and beyond `limit`.
    pub num_groups: u64,
    /// Things a reader must know.
    pub notes: Vec<Note>,
}

/// A run and its locations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LocatedRun {
    /// Run id.
    pub run: String,
    /// Short name.
    pub name: String,
    /// Number of locations.
    pub locations: u64,
    /// Columns of the values, in the order of ranks, then threads. A column is one location, or several neighbours if
    /// there are more locations than columns were asked for.
    pub columns: Vec<LocationColumn>,
}

/// A rank, or a worker of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Location {
    /// Rank.
    pub rank: i32,
    /// Thread; absent if locations are ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<i32>,
}

impl Location {
    /// The rank, or rank and thread as `3.1`.
    pub fn text(self) -> String {
        let Self { rank, thread } = self;
        thread.map_or_else(|| rank.to_string(), |thread| format!("{rank}.{thread}"))
    }
}

/// Neighbouring locations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LocationColumn {
    /// The first.
    #[serde(flatten)]
    pub first: Location,
    /// The last, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Location>,
    /// NUMA node of all of them; absent if they are on several, or if the source names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<i32>,
}

/// One group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LocatedGroup {
    /// Names from the outermost group; one element except at context level.
    #[schema(value_type = Vec<String>)]
    pub path: NamePath,
    /// Group id, stable over runs and stores.
    pub group: String,
    /// Distribution over the locations of all runs.
    pub all: LocationSpread,
    /// Runs in which the group has values by location.
    pub runs: Vec<LocatedValues>,
}

/// One group in one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LocatedValues {
    /// Place of the run in `runs`.
    pub run: u64,
    /// Sum over the locations; absent if the metric does not add up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// Locations without the group. They count as 0 in `spread` if the metric adds up.
    pub absent: u64,
    /// Distribution over the locations of the run.
    pub spread: LocationSpread,
    /// Maximum less mean: what the location with the maximum has beyond its share.
    pub excess: f64,
    /// The same divided by the maximum: 0 is balanced. Absent if a value is negative.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imbalance: Option<f64>,
    /// The first location with the maximum.
    pub max_at: Location,
    /// The first location with the minimum.
    pub min_at: Location,
    /// Value of each column of the run: of a location, or the mean of those in which the group occurs. Absent where
    /// the group does not occur.
    pub values: Vec<Option<f64>>,
}

/// How values distribute over locations. Quartiles are of type 7; `std` divides by n − 1.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct LocationSpread {
    /// Locations that count.
    pub locations: u64,
    /// Mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Standard deviation; absent below two locations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub std: Option<f64>,
    /// Minimum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// First quartile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q1: Option<f64>,
    /// Median.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median: Option<f64>,
    /// Third quartile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q3: Option<f64>,
    /// Maximum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Box plot; its outliers are ranks or workers, with their run if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub box_plot: Option<BoxPlot>,
}

/// A question about ranks or workers.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct LocationsQuery {
    /// Text form of the lens; the default lens when missing. Its `over` and `by` do not matter.
    pub lens: Option<String>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// Form of a table.
    pub format: Option<Format>,
    /// `ranks` or `workers`; `ranks` when missing.
    pub by: Option<LocationKind>,
    /// Order of groups: `imbalance` or `value`; `imbalance` when missing.
    pub order: Option<LocationOrder>,
    /// Runs at most, the first by name; all when missing. A note has the number of those left out.
    pub runs: Option<usize>,
    /// Groups left out before the first.
    pub offset: Option<usize>,
    /// Groups at most; all when missing.
    pub limit: Option<usize>,
    /// Columns of a run at most: neighbouring locations share one if there are more. All locations when missing.
    pub columns: Option<usize>,
}
