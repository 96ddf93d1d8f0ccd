//! Query parameters of the routes.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::DistributionMode;

/// Form of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// JSON, as described.
    #[default]
    Json,
    /// Comma-separated values with a header line.
    Csv,
    /// Arrow IPC stream; also chosen by `Accept: application/vnd.apache.arrow.stream`.
    Arrow,
    /// Arrow IPC stream for data frames: integers of 64 bits, and texts as they are.
    ArrowExact,
}

/// Which store, which lens, which form.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct LensQuery {
    /// Text form of the lens; the default lens when missing.
    pub lens: Option<String>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// Form of a table.
    pub format: Option<Format>,
}

/// A question about distributions.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct StatsQuery {
    /// Text form of the lens; the default lens when missing.
    pub lens: Option<String>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// Form of a table.
    pub format: Option<Format>,
    /// Rows left out before the first.
    pub offset: Option<usize>,
    /// Rows at most; all when missing.
    pub limit: Option<usize>,
}

/// Which store.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct StoreQuery {
    /// Name of the store; the first when missing.
    pub store: Option<String>,
}

/// A text to be read as a lens.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct LensTextQuery {
    /// The text.
    pub text: Option<String>,
}

/// A picture: lens and extent.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct SankeyQuery {
    /// Text form of the lens.
    pub lens: Option<String>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// Width of the picture, 100 to 20,000; 1,000 when missing.
    pub width: Option<f64>,
    /// Height of the picture, 100 to 20,000; 600 when missing.
    pub height: Option<f64>,
    /// `json` or `arrow`. An Arrow stream has the values of runs as one column of 32-bit floats, and the rest of the
    /// answer as JSON in the metadata `answer` of its schema.
    pub format: Option<Format>,
    /// Number of values that an Arrow stream has at most; with more it has none of them. No limit when missing.
    pub values: Option<u64>,
}

/// One group under a lens.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct GroupQuery {
    /// Text form of the lens.
    pub lens: Option<String>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// Group id or unambiguous name.
    pub group: String,
    /// What is counted; `runs` when missing. Only for distributions.
    pub mode: Option<DistributionMode>,
    /// `json` or `arrow`; see the Sankey's.
    pub format: Option<Format>,
    /// Number of values that an Arrow stream has at most; with more it has none of them. No limit when missing.
    pub values: Option<u64>,
}
