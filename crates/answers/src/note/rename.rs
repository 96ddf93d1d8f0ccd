//! Facts about definitions that have several names, and about the mapping of the store.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::MatchedBy;

/// Names of one definition in several versions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JoinedNames {
    /// The names, oldest first.
    pub names: Vec<String>,
    /// The least certain of the matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched_by: Option<MatchedBy>,
    /// Score of that match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// Reason why two definitions cannot be one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "code", content = "values", rename_all = "snake_case")]
pub enum RenameConflict {
    /// The mapping states that they are different.
    StatedDifferent {
        /// A definition.
        a: String,
        /// Another definition.
        b: String,
    },
    /// A version or run has both.
    BothOccur {
        /// The version or run.
        run_set: String,
        /// A definition.
        a: String,
        /// Another definition.
        b: String,
    },
}

/// A statement of the mapping.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StatedPair {
    /// A definition.
    pub a: String,
    /// Another definition.
    pub b: String,
    /// Whether they are stated to be the same.
    pub same: bool,
}

/// Reason why a statement of the mapping has no effect, or contradicts others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "code", content = "values", rename_all = "snake_case")]
pub enum MappingFault {
    /// No run has one of the definitions.
    NoSuchDefinition {
        /// The statement.
        stated: StatedPair,
        /// The unknown definition.
        name: String,
    },
    /// Both names are names of one definition.
    OneDefinition {
        /// The statement.
        stated: StatedPair,
    },
    /// Every run with one of the definitions has the other one too.
    AlwaysTogether {
        /// The statement.
        stated: StatedPair,
        /// The definition that never occurs alone.
        always: String,
        /// The other definition.
        other: String,
    },
    /// The definitions are stated to be the same and to be different.
    StatedTwice {
        /// A definition.
        a: String,
        /// Another definition.
        b: String,
    },
    /// Statements make two definitions of one run the same.
    BothInRun {
        /// A definition.
        a: String,
        /// Another definition.
        b: String,
        /// The run.
        run: String,
    },
    /// Definitions are stated to be different, and to be the same as a third one.
    SameByAnother {
        /// A definition.
        a: String,
        /// Another definition.
        b: String,
    },
}

/// Code of a fact about definitions of several names, with its values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "code", content = "values", rename_all = "snake_case")]
pub enum RenameFact {
    /// Two definitions look like one, but are not treated as one.
    NotFollowed {
        /// A definition.
        a: String,
        /// Another definition.
        b: String,
        /// Whether the mapping states that they are the same.
        stated: bool,
        /// Why they are not.
        conflict: RenameConflict,
    },
    /// Definitions of several names are treated as one.
    ComparedAsOne {
        /// The first of them.
        definitions: Vec<JoinedNames>,
        /// Number of further ones.
        more: u64,
    },
    /// Renames were not inferred, because there are too many sets of definitions.
    TooManyDefinitionSets {
        /// Number of sets.
        sets: u64,
    },
    /// A statement of the mapping does not change a comparison.
    StatementUnused {
        /// The statement.
        stated: StatedPair,
        /// The definition that both sides have.
        name: String,
    },
    /// The mapping has a fault.
    MappingFault {
        /// The fault.
        fault: MappingFault,
        /// The statement that ends the fault if it is taken back.
        #[serde(skip_serializing_if = "Option::is_none")]
        take_back: Option<StatedPair>,
        /// Whether the answer is a comparison, which does not list the mapping.
        in_comparison: bool,
    },
}
