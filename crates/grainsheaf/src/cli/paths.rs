//! Arguments of the commands about the time of one run: `paths`, `loops`, `scheduling`, `parallelism`.

use clap::Args;
use sheaf_ensemble::{GraphForm, PathScope, Window};

/// Which paths to show.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
The critical path is the chain of most work: no number of workers is faster. The path of last finishers goes
from the end back, always to what finished last. What runs after a barrier or a parallel region follows the
member that arrived there last. The work of this path, the time in which all workers were busy with something
else, and its delays, by the kind of edge that it waited at, add up to the elapsed time. With --definition, --grain or --group both are local: what counts is what
that group ran.

Examples:
  grainsheaf paths sort-t8-r1
  grainsheaf paths sort-t8-r1 --definition 'sort_range (task)'
  grainsheaf paths sort-t8-r1 --form reduced
  grainsheaf paths sort-t8-r1 --group 12 --json")]
pub(crate) struct PathsArguments {
    /// Run id, unique beginning of one, or name.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Local to the grains of this definition, by its name or function.
    #[arg(long, value_name = "NAME", group = "scope")]
    pub(crate) definition: Option<String>,
    /// Local to this grain and all below it; `grains --json` tells its number.
    #[arg(long, value_name = "N", group = "scope")]
    pub(crate) grain: Option<u32>,
    /// Local to this group of the aggregation tree; `tree --json` tells its number.
    #[arg(long, value_name = "N", group = "scope")]
    pub(crate) group: Option<u32>,
    /// Form of the grain graph: `unreduced`, with a node per fragment, or `reduced`, with one per grain,
    /// as `problems` and `tree` have it [default: unreduced where there are fragments]
    #[arg(long, value_name = "FORM")]
    pub(crate) form: Option<GraphForm>,
    /// Show at most this many definitions and steps; 0 for all [default: 30 in text, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

impl PathsArguments {
    /// What paths are local to.
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
For every execution of a work-sharing loop the least number of workers that keeps its makespan, by packing its
chunks: where it is less than the workers that ran it, those did no more than wait. It is exact where
the bounds agree or the search ends; else both bounds are told.

Examples:
  grainsheaf loops sort-t8-r1
  grainsheaf loops 3f2a91c0 --csv")]
pub(crate) struct LoopsArguments {
    /// Run id, unique beginning of one, or name.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Show at most this many loops, those that took longest; 0 for all [default: 30 in text, else all in
    /// the order of the program]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

/// Which run's scheduling to show.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Work, delay (idle although something was ready) and no work (idle, nothing ready) add up to workers x elapsed
time. Edges say what made fragments ready, how long they then waited, and how many went to another worker, a
steal; from those follows whether the runtime runs the new task first or goes on with its parent.

Examples:
  grainsheaf scheduling sort-t8-r1
  grainsheaf scheduling 3f2a91c0 --json")]
pub(crate) struct SchedulingArguments {
    /// Run id, unique beginning of one, or name.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
}

/// Which stretch of time to show.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Running and ready fragments over time: least, mean and most in each part.

Examples:
  grainsheaf parallelism sort-t8-r1
  grainsheaf parallelism sort-t8-r1 --start 0 --end 2000000 --parts 100 --csv")]
pub(crate) struct ParallelismArguments {
    /// Run id, unique beginning of one, or name.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Begin, in the run's unit of time from its start [default: the run's]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) start: Option<i64>,
    /// End [default: the run's]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) end: Option<i64>,
    /// Parts that the stretch is cut into.
    #[arg(long, value_name = "N", default_value_t = 40,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) parts: u32,
}

impl ParallelismArguments {
    /// The stretch of time.
    pub(crate) fn window(&self) -> Window {
        Window {
            start: self.start,
            end: self.end,
            parts: self.parts,
        }
    }
}
