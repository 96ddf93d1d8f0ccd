//! Facts about the groups of an answer.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::GroupedBy;

/// Code of a fact about the groups of an answer, with its values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "code", content = "values", rename_all = "snake_case")]
pub enum GroupFact {
    /// All definitions have the same label, or none.
    SameLabel {
        /// The label: module or file.
        label: GroupedBy,
        /// Its name; absent if no definition has one.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// The label that forms groups instead; absent if another note names it.
        #[serde(skip_serializing_if = "Option::is_none")]
        instead: Option<GroupedBy>,
    },
    /// A group cannot be split.
    NotAModule {
        /// The group.
        group: String,
    },
    /// A group cannot be hidden in its caller.
    NoCaller {
        /// The group.
        group: String,
    },
    /// There is nothing outside of regions to hide.
    NothingOutside,
    /// All loops of a region were recorded in some runs only.
    LoopsInSomeRuns {
        /// The region.
        region: String,
        /// Runs with all loops.
        runs: u64,
        /// Runs with the region.
        of: u64,
    },
    /// Contexts are left out.
    ContextsLeftOut {
        /// Number of these contexts.
        contexts: u64,
    },
    /// Groups call each other.
    CallsToCallers,
}
