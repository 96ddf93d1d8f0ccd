//! Facts about histories.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::FirstNames;

/// Code of a fact about a history, with its values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "code", content = "values", rename_all = "snake_case")]
pub enum HistoryFact {
    /// Listed versions have no run.
    VersionsWithoutRun {
        /// Number of these versions.
        versions: u64,
        /// Number of listed versions.
        listed: u64,
    },
    /// Parameters that follow from the axis do not divide runs into series.
    FollowsFromAxis {
        /// The axis.
        by: String,
        /// The parameters.
        parameters: Vec<String>,
    },
    /// Times with different numbers of workers, threads or ranks are not tested.
    NumbersDiffer {
        /// The parameter by which a scaling study compares them.
        by: String,
    },
    /// The whole run of some versions is not compared.
    WholeRunUnknown {
        /// The metric.
        metric: String,
        /// The versions.
        versions: FirstNames,
        /// Groups that were not measured in all runs.
        groups: FirstNames,
    },
    /// Runs without a place in the order of versions are left out.
    RunsWithoutPlace {
        /// The parameter that distinguishes versions.
        by: String,
        /// Number of these runs.
        runs: u64,
    },
    /// Series are too short to show a change.
    SeriesTooShort {
        /// Number of these series.
        short: u64,
        /// Number of series.
        series: u64,
        /// Runs on either side of a change that can show it.
        #[serde(skip_serializing_if = "Option::is_none")]
        needed: Option<u64>,
    },
    /// Not all changes have a diff.
    ChangesShown {
        /// Number of diffs.
        shown: u64,
        /// Number of changes.
        of: u64,
    },
    /// Versions that are not commits are left out.
    NotCommits {
        /// Number of these versions.
        versions: u64,
        /// Number of versions.
        of: u64,
        /// The first of them.
        first: String,
    },
    /// Steps are between branches.
    BetweenBranches {
        /// Number of these steps.
        steps: u64,
        /// Number of steps.
        of: u64,
    },
}
