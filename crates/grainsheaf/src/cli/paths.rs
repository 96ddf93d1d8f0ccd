//! Arguments of the commands about the time of one run: `paths`, `loops`, `scheduling`, `parallelism`.

use clap::Args;
use sheaf_ensemble::{GraphForm, PathScope, Window};

/// Which paths to show.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
The critical path is the chain of dependent fragments with most work; no number of workers can be faster. The
path of last finishers starts at the end of the run and goes back, each time to the predecessor that finished
last. After a barrier or a parallel region, that is the member of the team that arrived last. Three times add up to the
elapsed time: the work on this path, the time in which all workers were busy with other work, and the delays by
kind of edge. With --definition, --grain or --group, both paths consider only what that group ran.

Examples:
  grainsheaf paths sort-t8-r1
  grainsheaf paths sort-t8-r1 --definition 'sort_range (task)'
  grainsheaf paths sort-t8-r1 --form reduced
  grainsheaf paths sort-t8-r1 --group 12 --json")]
pub(crate) struct PathsArguments {
    /// Run id, unique prefix of one, or name.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Consider the grains of this definition only, by its name or function.
    #[arg(long, value_name = "NAME", group = "scope")]
    pub(crate) definition: Option<String>,
    /// Consider this grain and all grains below it only; `grains --json` prints its number.
    #[arg(long, value_name = "N", group = "scope")]
    pub(crate) grain: Option<u32>,
    /// Consider this group of the aggregation tree only; `tree --json` prints its number.
    #[arg(long, value_name = "N", group = "scope")]
    pub(crate) group: Option<u32>,
    /// Form of the grain graph: `unreduced` has a node per fragment, `reduced` one per grain, as `problems`
    /// and `tree` use it [default: unreduced if there are fragments]
    #[arg(long, value_name = "FORM")]
    pub(crate) form: Option<GraphForm>,
    /// Show at most this many definitions and steps; 0 for all [default: 30 in text, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

impl PathsArguments {
    /// The part of the run to consider.
    pub(crate) fn scope(&self) -> PathScope {
        match (&self.definition, self.grain, self.group) {
            (Some(name), ..) => PathScope::Definition(name.clone()),
            (_, Some(grain), _) => PathScope::Grain(grain),
            (_, _, Some(group)) => PathScope::Group(group),
            (None, None, None) => PathScope::Run,
        }
    }
}

/// Which loops to show.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
For every execution of a work-sharing loop, this prints the minimum number of workers that can run its chunks in
the same makespan (bin packing). If fewer are needed than ran the loop, the others mainly waited. The number is exact
if the bounds agree or the search ends; otherwise both bounds are printed.

Examples:
  grainsheaf loops sort-t8-r1
  grainsheaf loops 3f2a91c0 --csv")]
pub(crate) struct LoopsArguments {
    /// Run id, unique prefix of one, or name.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Show at most this many loops, longest first; 0 for all [default: 30 in text, else all in program
    /// order]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

/// Which run's scheduling to show.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Work, delay (idle while a fragment was ready) and no work (idle, nothing ready) add up to workers x elapsed time.
For each kind of edge that made fragments ready, the table has how long they waited and how many were stolen by
another worker. Steals show whether the runtime runs a new task first or continues its parent.

Examples:
  grainsheaf scheduling sort-t8-r1
  grainsheaf scheduling 3f2a91c0 --json")]
pub(crate) struct SchedulingArguments {
    /// Run id, unique prefix of one, or name.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
}

/// Which interval to show.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Running and ready fragments over time: minimum, mean and maximum in each part.

Examples:
  grainsheaf parallelism sort-t8-r1
  grainsheaf parallelism sort-t8-r1 --start 0 --end 2000000 --parts 100 --csv")]
pub(crate) struct ParallelismArguments {
    /// Run id, unique prefix of one, or name.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Start of the interval, in the run's unit of time from its start [default: 0]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) start: Option<i64>,
    /// End of the interval [default: the end of the run]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) end: Option<i64>,
    /// Number of equal parts of the interval.
    #[arg(long, value_name = "N", default_value_t = 40,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) parts: u32,
}

impl ParallelismArguments {
    /// The interval.
    pub(crate) fn window(&self) -> Window {
        Window {
            start: self.start,
            end: self.end,
            parts: self.parts,
        }
    }
}
