//! Facts about explanations in English.

use std::fmt;

use crate::text::{count, number};
use crate::{ExplainFact, ExplainedBy};

impl fmt::Display for ExplainFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MetricIgnored { metric } => write!(
                f,
                "runs with grains are explained by their elapsed time; metric `{metric}` does not matter"
            ),
            Self::ClausesIgnored { clauses } => write!(
                f,
                "an explanation is about whole runs; {} of the lens {} not matter",
                quoted(clauses, ", "),
                if clauses.len() == 1 { "does" } else { "do" }
            ),
            Self::CausesNotShown { causes, of } => write!(
                f,
                "{} of {} causes are not shown; those that are shown do not add up to the difference",
                count(*causes),
                count(*of)
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
            Self::OtherGrains { a, b } => {
                write!(f, "{} → {} grains in a run", mean_count(*a), mean_count(*b))
            }
            Self::OtherNames { names, matched_by } => {
                write!(f, "renamed: {}", quoted(names, " → "))?;
                matched_by.map_or(Ok(()), |by| write!(f, " (matched by: {by})"))
            }
            Self::OtherParents { a, b } => match (a.as_slice(), b.as_slice()) {
                ([], added) => write!(f, "created in {} too", quoted(added, ", ")),
                (gone, []) => write!(f, "no longer created in {}", quoted(gone, ", ")),
                (gone, added) => {
                    let (gone, added) = (quoted(gone, ", "), quoted(added, ", "));
                    write!(f, "created in {added} instead of {gone}")
                }
            },
            Self::NoValuesByRank => {
                f.write_str("no explanation by ranks: a side has no run with values by rank")
            }
        }
    }
}

/// A mean of counts: a whole number without decimals.
fn mean_count(mean: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole count"
    )]
    let whole = mean as u64;
    if mean.fract() == 0.0 {
        count(whole)
    } else {
        number(mean)
    }
}

fn quoted(names: &[String], separator: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(separator)
}
