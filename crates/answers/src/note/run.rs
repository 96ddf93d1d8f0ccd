//! Facts about the runs of an answer.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Reason, WhichSide};

/// The first names of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FirstNames {
    /// The first names.
    pub names: Vec<String>,
    /// Number of names after these.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl FirstNames {
    /// At most `max` of `names`.
    pub fn new<S: Into<String>>(names: impl IntoIterator<Item = S>, max: usize) -> Self {
        let mut names = names.into_iter();
        let first = names.by_ref().take(max).map(Into::into).collect();
        Self {
            names: first,
            more: names.count() as u64,
        }
    }
}

/// Code of a fact about the runs of an answer, with its values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "code", content = "values", rename_all = "snake_case")]
pub enum RunFact {
    /// Incomplete runs are left out.
    IncompleteRunsLeftOut {
        /// Number of these runs.
        reason: Reason,
        /// Their names.
        runs: FirstNames,
    },
    /// A side has incomplete runs only. They decide nothing.
    OnlyIncompleteRuns {
        /// Number of these runs.
        reason: Reason,
        /// Their names.
        runs: FirstNames,
    },
    /// Threads of runs waited for processors.
    DisturbedRuns {
        /// Number of disturbed runs.
        disturbed: u64,
        /// Number of runs.
        of: u64,
        /// The side; absent if there are no sides.
        #[serde(skip_serializing_if = "Option::is_none")]
        side: Option<WhichSide>,
        /// Largest share of the time in which threads could run.
        max_share: f64,
        /// Names of the disturbed runs.
        runs: FirstNames,
    },
    /// Sources of runs ended early.
    EndedEarly {
        /// Number of these runs.
        runs: u64,
    },
    /// Runs that count as repeats were started with different arguments.
    ArgumentsDiffer {
        /// Number of these runs.
        runs: u64,
    },
    /// Runs have no context.
    RunsWithoutContexts {
        /// Number of these runs.
        runs: u64,
    },
    /// The runs look like different programs.
    FewCommonContexts {
        /// Share of their weight in common contexts.
        share: f64,
    },
    /// There is one run.
    OneRun,
    /// The first runs by name are shown.
    FirstRunsShown {
        /// Number of runs that are shown.
        shown: u64,
        /// Number of runs.
        of: u64,
    },
}
