//! Arguments of `explain`.

use clap::Args;
use sheaf_model::{Compare, Lens, RunSelector, Scope};

use crate::failure::Failure;

/// The two sides to explain.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
A and B are run ids, names of runs, or expressions that select runs. A is the baseline; differences are B - A.

The elapsed time of each run is divided into parts, and the difference of each part is a cause. The causes of a
view add up to the difference exactly. Views:
  workers  workers times elapsed time: work of each definition, waits for locks, MPI, idle time; divided by the
           number of workers, so that causes are parts of the elapsed time
  path     the path of last finishers: what ran on it, and why the path waited
  ranks    call profiles: the slowest rank is the mean rank plus what the slowest has beyond it
Work of a definition is divided by what the other side has for the same grains: inflation (the same grains take
longer), grains (more, fewer or other ones), new and vanished. A cause is real (slower, faster) if all of these
hold: q is at most 5 % (exact rank-sum test, Benjamini-Hochberg over the causes of a view), the interval from
2,000 resamples of the runs excludes 0, and it is at least 1 % of the longer elapsed time. Parameters that differ
are associated with the difference; this does not show that they cause it.

Examples:
  grainsheaf explain 'version == 1' 'version == 2'
  grainsheaf explain 'threads == 1' 'threads == 4' --limit 5
  grainsheaf explain 3f2a91c0 91c03f2a --json
  grainsheaf explain 'version == 1' 'version == 2' --csv > causes.csv")]
pub(crate) struct ExplainArguments {
    /// Baseline.
    #[arg(value_name = "A", required_unless_present = "lens")]
    a: Option<String>,
    /// Candidate.
    #[arg(value_name = "B", required_unless_present = "lens")]
    b: Option<String>,
    /// Metric of call profiles, by its name or the name in the source [default: the time that most of them have]
    #[arg(long, value_name = "METRIC")]
    metric: Option<String>,
    /// Show at most this many causes of a view; 0 for all [default: 10 in text, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// The whole question as a lens, with its `diff` clause.
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["a", "b", "metric"])]
    lens: Option<Lens>,
}

impl ExplainArguments {
    /// The question.
    ///
    /// # Errors
    /// When a lens without a `diff` clause was given.
    pub(crate) fn lens(&self) -> Result<Lens, Failure> {
        if let Some(lens) = &self.lens {
            return super::question::comparing(lens);
        }
        let selector = |side: &Option<String>| RunSelector(side.clone().unwrap_or_default());
        let default = Lens::default();
        Ok(Lens {
            metric: self.metric.clone().unwrap_or(default.metric),
            scope: Scope::Exclusive,
            compare: Compare::Diff {
                a: selector(&self.a),
                b: selector(&self.b),
            },
            ..Lens::default()
        })
    }
}
