//! Facts about histories in English.

use std::fmt;

use super::{Runs, quoted};
use crate::HistoryFact;

impl fmt::Display for HistoryFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::VersionsWithoutRun { versions, listed } => {
                write!(f, "{versions} of {listed} listed versions have no run")
            }
            Self::FollowsFromAxis { by, parameters } => write!(
                f,
                "what follows from `{by}` does not part series: {}",
                quoted(parameters)
            ),
            Self::NumbersDiffer { by } => write!(
                f,
                "times of versions with different numbers of workers, threads or ranks are not tested; a scaling study \
                 by `{by}` compares efficiency and work inflation"
            ),
            Self::WholeRunUnknown {
                metric,
                versions,
                groups,
            } => write!(
                f,
                "the whole run of {versions} is not compared: `{metric}` was not measured in all runs of {groups}"
            ),
            Self::RunsWithoutPlace { by, runs } => write!(
                f,
                "left out for having no place in the order of `{by}`: {}",
                Runs(*runs)
            ),
            Self::SeriesTooShort {
                short,
                series,
                needed,
            } => {
                write!(
                    f,
                    "{short} of {series} series are too short to show a change"
                )?;
                match needed {
                    Some(runs) => write!(f, "; {runs} runs on either side of a change can"),
                    None => Ok(()),
                }
            }
            Self::ChangesShown { shown, of } => write!(
                f,
                "changes are shown for {shown} of {of} places: those that count, then the newest"
            ),
            Self::NotCommits {
                versions,
                of,
                first,
            } => write!(
                f,
                "{versions} of {of} versions are no commits of the repository and are left out, such as `{first}`"
            ),
            Self::BetweenBranches { steps, of } => write!(
                f,
                "{steps} of {of} steps are between branches: neither commit is the other's ancestor"
            ),
        }
    }
}
