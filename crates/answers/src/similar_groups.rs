//! Groups of runs that look like a group.

use serde::{Deserialize, Serialize};
use sheaf_model::TimeUnit;
use utoipa::{IntoParams, ToSchema};

use crate::Group;

/// Answer of `groups/similar`: groups that look like a group of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SimilarGroups {
    /// `similar-groups/1`
    pub schema: String,
    /// Id of the run of the rows.
    pub run: String,
    /// Unit of its times.
    pub unit: TimeUnit,
    /// The group that the rows are compared with.
    pub of: Group,
    /// Structures that were compared.
    pub structures: u64,
    /// Groups that were not compared, since they have less than half as many nodes or more than twice as many.
    pub other_size: u64,
    /// Groups that were not compared, since the others took as many nodes as one answer may.
    pub skipped: u64,
    /// Structures, the most similar first; 100 at most.
    pub rows: Vec<SimilarGroup>,
}

/// Groups of one structure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SimilarGroup {
    /// Id of the structure: equal in every run if the structures are.
    pub structure: String,
    /// Labels of all rounds of Weisfeiler and Lehman, shared by all: 1 for the same structure.
    pub similarity: f64,
    /// Groups of the run with this structure.
    pub groups: u64,
    /// The one with most work.
    pub group: Group,
}

/// Which group, and in which run to look.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct SimilarGroupsQuery {
    /// The group, by its number without a problem.
    pub group: u32,
    /// Run whose groups are compared with it; the same when missing.
    pub other: Option<String>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
}
