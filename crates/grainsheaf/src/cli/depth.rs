//! Arguments of the commands about one run in depth: `grains`, `problems`, `tree`.

use clap::{Args, ValueEnum};
use sheaf_ensemble::{ThresholdSet, TreeChoice};
use sheaf_model::Expression;

/// Which grains to show.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
A path names definitions from the outermost, each with the steps that lead on from it: `fib (task)[0.1]`
is the second child of the first child, `for (loop)[2:5]` chunk 5 of the parent's loop 2. Paths do not
depend on the schedule.

Expressions and --sort name metrics (`--json` tells all, with what they mean), and definition, function,
file, line, kind (task, chunk, taskloop_chunk), path, path_key, grain, parent, sequence, index, rank, thread,
created, start, end, first_iteration, iterations.

Examples:
  grainsheaf grains sort-t8-r1 --sort work_ns
  grainsheaf grains sort-t8-r1 --where \"kind = 'chunk' and iterations > 1\" --sort delay_ns
  grainsheaf grains sort-t8-r1 --where 'parallel_benefit_of_creation < 1' --metrics work_ns,creation_estimate_ns --limit 10
  grainsheaf grains sort-t8-r1 --reference sort-t1-r1 --sort work_deviation
  grainsheaf grains 3f2a91c0 --arrow > grains.arrows")]
pub(crate) struct GrainsArguments {
    /// Run id, unique beginning of one, or name.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Only grains for which this holds.
    #[arg(long = "where", value_name = "EXPRESSION", value_parser = super::pointed::<Expression>)]
    pub(crate) filter: Option<Expression>,
    /// Metric to sort by, worst first, or attribute; the other way around with `-` before it
    /// [default: context by context]
    #[arg(long, value_name = "METRIC", allow_hyphen_values = true)]
    pub(crate) sort: Option<String>,
    /// Show at most this many grains; 0 for all [default: 50 in text, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Metrics to show [default: times, and what --where and --sort name, in text, else all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) metrics: Vec<String>,
    /// Show implicit and initial tasks too, which carry the rest of the program's work.
    #[arg(long)]
    pub(crate) all: bool,
    /// Compare grains with those of this run, or of the runs that an expression selects, by path:
    /// `work_deviation` is from their median.
    #[arg(long, value_name = "RUNS")]
    pub(crate) reference: Option<String>,
    /// Write the grains as an Arrow IPC stream.
    #[arg(long)]
    pub(crate) arrow: bool,
}

/// Which problems to look for.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
A threshold is a metric, `<`, `<=`, `>` or `>=`, and a limit: numbers, `cores`, `workers`, `cores_per_socket`,
`+ - * /` and parentheses. Thresholds given replace those of the preset.

Problems stand in the order of the elapsed time that could be won at most without them, an upper bound: the smaller
of what their grains cost (creation of grains; work beyond the reference) and of idle time plus that cost by the number
of workers (the work law); of parallelism and balance, the time for which workers idle while the grains run; of loops,
largest less mean work of the members of the team. What scatter and use of memory cost is not known. Chunks count with
the thresholds of presets only if their loop's imbalance costs at least 5 % of its time. The critical path is that of the
reduced graph (`grainsheaf paths RUN --form reduced`). `cores` are the cores that the run had, `workers` its workers.

Examples:
  grainsheaf problems sort-t8-r1
  grainsheaf problems sort-t8-r1 --preset prototype --json
  grainsheaf problems sort-t8-r1 --reference 'threads = 1' --threshold 'work_deviation > 1.2'
  grainsheaf problems 3f2a91c0 --threshold 'parallel_benefit_of_creation < 2' --threshold 'sibling_scatter > cores / 4'")]
pub(crate) struct ProblemsArguments {
    /// Run id, unique beginning of one, or name.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// A condition under which a grain is a problem; may be given several times.
    #[arg(long = "threshold", value_name = "CONDITION")]
    pub(crate) thresholds: Vec<String>,
    /// Whose thresholds to take.
    #[arg(long, value_name = "WHOSE", value_enum, default_value_t = PresetName::Paper)]
    pub(crate) preset: PresetName,
    /// Compare grains with those of this run, or of the runs that an expression selects, by path:
    /// `work_deviation` is from their median.
    #[arg(long, value_name = "RUNS")]
    pub(crate) reference: Option<String>,
}

/// Thresholds that come with us.
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
Groups: fork-join (FJ), linear (L), sibling (S), unstructured (U). `--separate` puts aside what has no
problem, so that the way to what has one is short. `critical` groups are on the critical path of the reduced graph.

Examples:
  grainsheaf tree sort-t8-r1
  grainsheaf tree sort-t8-r1 --problem load_balance --separate
  grainsheaf tree sort-t8-r1 --reference 'threads = 1' --problem 'work_deviation > 1.2' --depth 4
  grainsheaf tree 3f2a91c0 --text | head -c 2000")]
pub(crate) struct TreeArguments {
    /// Run id, unique beginning of one, or name.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Mark what has this problem: one of `grainsheaf problems`, or a condition.
    #[arg(long, value_name = "PROBLEM")]
    pub(crate) problem: Option<String>,
    /// Put aside what has no problem; without --problem, what has none of the paper's.
    #[arg(long)]
    pub(crate) separate: bool,
    /// Levels below the root to open in full [default: 3 in text, all with --text; with --json what a first picture
    /// shows]
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<u32>,
    /// Compare grains with those of this run, or of the runs that an expression selects, by path:
    /// `work_deviation` is from their median.
    #[arg(long, value_name = "RUNS")]
    pub(crate) reference: Option<String>,
    /// Print the whole tree: `FJ[...]`, `L[...]`, `S[...]`, `U[...]` and names of grains.
    #[arg(long)]
    pub(crate) text: bool,
}

impl TreeArguments {
    /// Which tree is meant.
    pub(crate) fn choice(&self) -> TreeChoice {
        TreeChoice {
            problem: self.problem.clone(),
            is_separated: self.separate,
            reference: self.reference.clone(),
        }
    }
}
