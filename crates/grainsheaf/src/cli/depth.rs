//! Arguments of the commands about the grains of one run: `grains`, `problems`, `tree`.

use clap::{Args, ValueEnum};
use sheaf_ensemble::{ThresholdSet, TreeChoice};
use sheaf_model::Expression;

/// Which grains to show.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
A path lists definitions from the outermost one, each with the steps that lead to the next: `fib (task)[0.1]`
is the second child of the first child, `for (loop)[2:5]` is chunk 5 of the parent's loop 2. Paths do not
depend on the schedule.

Expressions and --sort may use every metric (`--json` lists them with their definitions), and definition,
function, file, line, kind (task, chunk, taskloop_chunk), path, path_key, grain, parent, sequence, index, rank,
thread, created, start, end, first_iteration, iterations.

Examples:
  grainsheaf grains sort-t8-r1 --sort work_ns
  grainsheaf grains sort-t8-r1 --where \"kind = 'chunk' and iterations > 1\" --sort delay_ns
  grainsheaf grains sort-t8-r1 --where 'parallel_benefit_of_creation < 1' --metrics work_ns,creation_estimate_ns --limit 10
  grainsheaf grains sort-t8-r1 --reference sort-t1-r1 --sort work_deviation
  grainsheaf grains 3f2a91c0 --arrow > grains.arrows")]
pub(crate) struct GrainsArguments {
    /// Run id, unique prefix of one, or name.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Show only grains for which this expression is true.
    #[arg(long = "where", value_name = "EXPRESSION", value_parser = super::pointed::<Expression>)]
    pub(crate) filter: Option<Expression>,
    /// Metric to sort by, worst first, or attribute, ascending; `-` before the name reverses the order
    /// [default: by context]
    #[arg(long, value_name = "METRIC", allow_hyphen_values = true)]
    pub(crate) sort: Option<String>,
    /// Show at most this many grains; 0 for all [default: 50 in text, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Metrics to show [default: all; in text times, and metrics of --where and --sort]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) metrics: Vec<String>,
    /// Also show implicit and initial tasks, which have the rest of the program's work.
    #[arg(long)]
    pub(crate) all: bool,
    /// Run, or expression that selects runs, with whose grains to compare, by path; `work_deviation` is
    /// relative to their median.
    #[arg(long, value_name = "RUNS")]
    pub(crate) reference: Option<String>,
    /// Write the grains as an Arrow IPC stream.
    #[arg(long)]
    pub(crate) arrow: bool,
}

/// Which problems to look for.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
A threshold is a metric, `<`, `<=`, `>` or `>=`, and a limit of numbers, `cores`, `workers`, `cores_per_socket`,
`+ - * /` and parentheses. `cores` is the number of cores that the run could use, `workers` its number of
workers. Thresholds replace those of the preset.

Problems are sorted by an upper bound of the elapsed time that could be saved without them. For grains that
cost too much (creation, or work beyond the reference), the bound is the smaller of two times: the cost itself,
and idle time plus cost divided by the number of workers (the work law). For low parallelism and balance, it is
the time for which workers idle while the grains run. For loops, it is the largest minus the mean work of the
members of the team. The cost of scatter and of memory use is not known. With the thresholds of a preset, chunks
count only if the imbalance of their loop costs at least 5 % of its time. The critical path is that of the
reduced graph (`grainsheaf paths RUN --form reduced`).

Examples:
  grainsheaf problems sort-t8-r1
  grainsheaf problems sort-t8-r1 --preset prototype --json
  grainsheaf problems sort-t8-r1 --reference 'threads = 1' --threshold 'work_deviation > 1.2'
  grainsheaf problems 3f2a91c0 --threshold 'parallel_benefit_of_creation < 2' --threshold 'sibling_scatter > cores / 4'")]
pub(crate) struct ProblemsArguments {
    /// Run id, unique prefix of one, or name.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Condition under which a grain is a problem; may be repeated.
    #[arg(long = "threshold", value_name = "CONDITION")]
    pub(crate) thresholds: Vec<String>,
    /// Set of thresholds to use.
    #[arg(long, value_name = "WHOSE", value_enum, default_value_t = PresetName::Paper)]
    pub(crate) preset: PresetName,
    /// Run, or expression that selects runs, with whose grains to compare, by path; `work_deviation` is
    /// relative to their median.
    #[arg(long, value_name = "RUNS")]
    pub(crate) reference: Option<String>,
}

/// Built-in sets of thresholds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PresetName {
    /// Those of the paper on grain graphs.
    Paper,
    /// Those of its prototype.
    Prototype,
}

impl From<PresetName> for ThresholdSet {
    fn from(name: PresetName) -> Self {
        match name {
            PresetName::Paper => Self::Paper,
            PresetName::Prototype => Self::Prototype,
        }
    }
}

/// Which tree to show.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Groups: fork-join (FJ), linear (L), sibling (S), unstructured (U). `--separate` collects grains without a
problem in groups of their own, so that fewer groups must be opened to reach a problem. `critical` groups are on
the critical path of the reduced graph.

Examples:
  grainsheaf tree sort-t8-r1
  grainsheaf tree sort-t8-r1 --problem load_balance --separate
  grainsheaf tree sort-t8-r1 --reference 'threads = 1' --problem 'work_deviation > 1.2' --depth 4
  grainsheaf tree 3f2a91c0 --text | head -c 2000")]
pub(crate) struct TreeArguments {
    /// Run id, unique prefix of one, or name.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Problem to mark: one of `grainsheaf problems`, or a condition.
    #[arg(long, value_name = "PROBLEM")]
    pub(crate) problem: Option<String>,
    /// Collect grains without --problem (or without any problem of the paper) in groups of their own.
    #[arg(long)]
    pub(crate) separate: bool,
    /// Levels below the root to open [default: 3 in text, all with --text; with --json as many as a first
    /// picture needs]
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<u32>,
    /// Run, or expression that selects runs, with whose grains to compare, by path; `work_deviation` is
    /// relative to their median.
    #[arg(long, value_name = "RUNS")]
    pub(crate) reference: Option<String>,
    /// Print the whole tree: `FJ[...]`, `L[...]`, `S[...]`, `U[...]` and names of grains.
    #[arg(long)]
    pub(crate) text: bool,
}

impl TreeArguments {
    /// The tree to show.
    pub(crate) fn choice(&self) -> TreeChoice {
        TreeChoice {
            problem: self.problem.clone(),
            is_separated: self.separate,
            reference: self.reference.clone(),
        }
    }
}
