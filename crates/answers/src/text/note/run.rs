//! Facts about runs in English.

use std::fmt;

use super::Runs;
use crate::RunFact;

/// How a lens includes incomplete runs.
const WAY_OUT: &str = "`and exists incomplete` in the expression includes them";

impl fmt::Display for RunFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IncompleteRunsLeftOut { reason, runs } => {
                write!(f, "{reason} and left out: {runs}; {WAY_OUT}")
            }
            Self::OnlyIncompleteRuns { reason, runs } => write!(
                f,
                "{reason}: {runs}; figures of this side are theirs and decide nothing; {WAY_OUT}"
            ),
            Self::DisturbedRuns {
                disturbed,
                of,
                side,
                max_share,
                runs,
            } => {
                write!(f, "{disturbed} of {of} ")?;
                if let Some(side) = side {
                    write!(f, "{side} ")?;
                }
                write!(
                    f,
                    "{} {} disturbed: threads had no processor for up to {:.0} % of the time in which they could run, \
                     so times are longer for that: {runs}",
                    if *of == 1 { "run" } else { "runs" },
                    if *disturbed == 1 { "was" } else { "were" },
                    100.0 * max_share,
                )
            }
            Self::EndedEarly { runs } => write!(
                f,
                "the source of {} ended early, so values are too low",
                Runs(*runs)
            ),
            Self::ArgumentsDiffer { runs } => write!(
                f,
                "{} that count as repeats have different `arguments`: if these are different inputs, \
                 `grainsheaf set --configuration arguments` separates them",
                Runs(*runs)
            ),
            Self::RunsWithoutContexts { runs } => {
                write!(f, "{} without any context", Runs(*runs))
            }
            Self::FewCommonContexts { share } => write!(
                f,
                "the runs have only {:.0} % of their weight in common contexts: they look like different programs or \
                 versions; a comparison matches renamed definitions",
                share * 100.0
            ),
            Self::OneRun => f.write_str("distributions need two runs"),
            Self::FirstRunsShown { shown, of } => {
                write!(f, "shows {shown} of {of} runs, the first by name")
            }
        }
    }
}
