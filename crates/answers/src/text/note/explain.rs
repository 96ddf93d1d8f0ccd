//! Facts about explanations in English.

use std::fmt;

use crate::{ExplainFact, ExplainedBy};

impl fmt::Display for ExplainFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MetricIgnored { metric } => write!(
                f,
                "runs with grains are explained by their elapsed time; metric `{metric}` does not matter"
            ),
            Self::RunWithoutMetric { run, metric } => {
                write!(f, "run `{run}` is left out: it has no `{metric}`")
            }
            Self::NoExplanation { by, reason } => match by {
                ExplainedBy::Path => write!(f, "no explanation along paths: {reason}"),
                by => write!(f, "no explanation by {by}: {reason}"),
            },
            Self::WorkersDiffer { a, b } => write!(
                f,
                "no explanation by workers: runs of one side have {a} and {b} workers"
            ),
            Self::NoValuesByRank => {
                f.write_str("no explanation by ranks: a side has no run with values by rank")
            }
        }
    }
}
