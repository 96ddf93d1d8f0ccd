//! Arguments of `runs`, `info`, `stats`, `diff` and `match`, and their lenses.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use sheaf_answers::LocationKind;
use sheaf_ensemble::GrainMatch;
use sheaf_model::{Compare, Expression, Lens, Level, LocationAggregate, RunSelector, Scope};

use super::values::{Measured, Why, trimmed};
use crate::failure::Failure;

/// Which runs to list.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Examples:
  grainsheaf runs
  grainsheaf runs --where \"threads >= 4 and host like 'node*'\"
  grainsheaf runs --where 'started > 2026-01-31 and not exists exit_status'
  grainsheaf runs --columns threads,OMP_PLACES,commit
  grainsheaf runs --csv > runs.csv")]
pub(crate) struct RunsArguments {
    /// Use only runs for which this expression is true.
    #[arg(
        long = "where", value_name = "EXPRESSION", conflicts_with = "lens",
        value_parser = super::pointed::<Expression>
    )]
    pub(crate) filter: Option<Expression>,
    /// Parameters to show as columns, or `all` that vary [default: those that distinguish runs]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) columns: Vec<String>,
    /// The whole question as a lens.
    #[arg(long, value_name = "TEXT", value_parser = super::pointed::<Lens>)]
    pub(crate) lens: Option<Lens>,
}

/// Which run to show.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
--csv has the messages between ranks of MPI.

Examples:
  grainsheaf info 3f2a91c0
  grainsheaf info sort-t8-r1 --json
  grainsheaf info 3f2a91c0 --csv > messages.csv")]
pub(crate) struct InfoArguments {
    /// Run id, unique prefix of one, or name.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
}

/// Which distributions to show.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Each run is one value; quantiles are of type 7. Outliers are outside of Tukey's fences (1.5 interquartile
ranges) and deviate by more than 1 % from the median. Modes are two clusters of runs with a wide gap between
them. --json also has the runs of outliers, quantiles at 5 and 95 %, the interval of the median, and histograms
with the same bins for all cohorts of a group.

Examples:
  grainsheaf stats --by threads
  grainsheaf stats --where 'threads == 8' --level context --metric all --csv
  grainsheaf stats --by version --scope exclusive --over workers=max
  grainsheaf stats --by threads --over grains
  grainsheaf stats --where 'ranks == 64' --by-location ranks --scope exclusive
  grainsheaf stats --lens 'where threads >= 4 | by threads | level module'")]
pub(crate) struct StatsArguments {
    /// Use only runs for which this expression is true.
    #[arg(long = "where", value_name = "EXPRESSION", value_parser = super::pointed::<Expression>)]
    pub(crate) filter: Option<Expression>,
    /// Parameters whose values form cohorts, outermost first.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) by: Vec<String>,
    /// `module`, `definition` or `context` [default: definition]
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<Level>,
    /// Metric, by its name or the name in the source; `all` for every metric [default: `work_ns`; for
    /// call profiles the time that most of them have]
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<String>,
    /// `inclusive` or `exclusive` [default: inclusive]
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Option<Scope>,
    /// How ranks or workers become one value per run: `ranks=mean`, `ranks=max`, `ranks=sum`,
    /// `ranks=median`, `workers=mean`, `workers=max` or `workers=median`. `grains` shows the values of
    /// single tasks and chunks, which are never tested [default: ranks=mean]
    #[arg(long, value_name = "HOW")]
    pub(crate) over: Option<StatsOver>,
    /// Compare the ranks or workers of each run: which of them need more time than the others, and in which
    /// group.
    #[arg(long, value_name = "WHICH", value_enum, conflicts_with_all = ["over", "by"])]
    pub(crate) by_location: Option<ByLocation>,
    /// Show at most this many rows per table, or groups with `--by-location`; 0 for all [default: 30 in
    /// text, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Skip this many rows, or groups.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) offset: usize,
    /// The whole question as a lens.
    #[arg(
        long, value_name = "TEXT",
        conflicts_with_all = ["filter", "by", "level", "metric", "scope", "over"]
    )]
    pub(crate) lens: Option<Lens>,
}

/// What to compare.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
A and B are run ids, names of runs, or expressions that select runs. A is the baseline; differences are B - A.
Column n has the number of runs compared. A group is slower or faster if all of these hold: q is at most 5 %
(exact rank-sum test, Benjamini-Hochberg over all tested groups), the interval of the ratio excludes 1, the
change exceeds 5 %, and it is at least 1 % of the larger total. It is unchanged if the interval is within 5 %.
A renamed definition is one row with both names; `grainsheaf match` corrects wrong matches. @new, or
`run = @new` in an expression, selects the runs of your last `add` or `record`; @ID selects those of the import
with this id.

Examples:
  grainsheaf diff 'version == 1' 'version == 2'
  grainsheaf diff 3f2a91c0 91c03f2a --level context
  grainsheaf diff 'branch == main' 'branch == mine' --fail-on slower,structure
  grainsheaf diff 'version == 1' 'version == 2' --html versions.html
  grainsheaf diff 'branch = main' @new
  grainsheaf diff 'threads == 1' 'threads == 8' --level grain --limit 20
  grainsheaf diff 3f2a91c0 91c03f2a --level grain --grains unmatched --csv
  grainsheaf diff --lens 'level module | diff \"threads == 4\" to \"threads == 8\"'")]
pub(crate) struct DiffArguments {
    /// Baseline.
    #[arg(value_name = "A", required_unless_present = "lens")]
    pub(crate) a: Option<String>,
    /// Candidate.
    #[arg(value_name = "B", required_unless_present = "lens")]
    pub(crate) b: Option<String>,
    /// `module`, `definition`, `context`, or `grain`: tasks and chunks, matched by path and never tested
    /// [default: definition]
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<DiffLevel>,
    /// With `--level grain`, which grains to show.
    #[arg(long, value_name = "WHICH", value_enum)]
    pub(crate) grains: Option<GrainChoice>,
    /// With `--level grain`, write the grains as an Arrow IPC stream.
    #[arg(long)]
    pub(crate) arrow: bool,
    #[command(flatten)]
    pub(crate) measured: Measured,
    /// End with status 1 if any group has one of these verdicts, or the structure changed.
    #[arg(long, value_name = "VERDICTS", value_enum, value_delimiter = ',')]
    pub(crate) fail_on: Vec<FailOn>,
    /// Show at most this many groups; 0 for all [default: 30 in text, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    #[command(flatten)]
    pub(crate) why: Why,
    /// Write a report to this file as well: one HTML file with pictures and tables, for readers without a store or
    /// a network. An existing file is replaced; `-` writes the report to standard output instead of the answer.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// The whole question as a lens, with its `diff` clause.
    #[arg(
        long, value_name = "TEXT",
        conflicts_with_all = ["a", "b", "level", "metric", "over"]
    )]
    pub(crate) lens: Option<Lens>,
}

/// Kind of location.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ByLocation {
    /// Processes.
    Ranks,
    /// Threads of all processes.
    Workers,
}

impl ByLocation {
    /// The same choice in answers.
    pub(crate) const fn wire(self) -> LocationKind {
        match self {
            Self::Ranks => LocationKind::Ranks,
            Self::Workers => LocationKind::Workers,
        }
    }
}

/// Values of a distribution: one per run, from its ranks or workers, or one per grain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatsOver {
    /// Over runs.
    Locations(LocationAggregate),
    /// Over grains.
    Grains,
}

impl FromStr for StatsOver {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "grains" {
            return Ok(Self::Grains);
        }
        let over: Result<LocationAggregate, String> = text.parse();
        over.map(Self::Locations)
            .map_err(|reason| format!("{reason}, grains"))
    }
}

/// What a row of a comparison represents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiffLevel {
    /// A group of contexts.
    Group(Level),
    /// A task or chunk.
    Grain,
}

impl FromStr for DiffLevel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "grain" {
            return Ok(Self::Grain);
        }
        let level: Result<Level, String> = text.parse();
        level
            .map(Self::Group)
            .map_err(|reason| format!("{reason}, grain"))
    }
}

/// Which grains of a comparison to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GrainChoice {
    /// All.
    All,
    /// Grains on both sides.
    Matched,
    /// Grains on one side only.
    Unmatched,
}

impl From<GrainChoice> for GrainMatch {
    fn from(choice: GrainChoice) -> Self {
        match choice {
            GrainChoice::All => Self::All,
            GrainChoice::Matched => Self::Matched,
            GrainChoice::Unmatched => Self::Unmatched,
        }
    }
}

/// Statements about pairs of definitions.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Without options, this lists the pairs of the store's mapping. Names are those that `diff` prints, or ids. The
mapping is the file `notes/mapping.toml` of the store, which may also be edited by hand.

Contradictions are refused: A is B and A is C although one run has both B and C; or A is not C although A is B
and B is C. Pairs without an effect are listed in notes, also of a `diff` that they could affect: a definition
that no run has, or one that is in every run together with the other.

Examples:
  grainsheaf match
  grainsheaf match --confirm 'sort_range (task) = sort_block:139 (task)'
  grainsheaf match --reject 'copy (task) = flush (task)'
  grainsheaf match --pin 'solve (loop) = solve_blocked (loop)'
  grainsheaf match --forget 'copy (task) = flush (task)'")]
pub(crate) struct MatchArguments {
    /// These two definitions are the same; confirms what `diff` inferred.
    #[arg(long, value_name = "A = B", value_parser = pair)]
    pub(crate) confirm: Vec<(String, String)>,
    /// These two definitions are the same, although `diff` does not match them.
    #[arg(long, value_name = "A = B", value_parser = pair)]
    pub(crate) pin: Vec<(String, String)>,
    /// These two definitions are not the same, although `diff` matched them.
    #[arg(long, value_name = "A = B", value_parser = pair)]
    pub(crate) reject: Vec<(String, String)>,
    /// Remove this pair from the mapping.
    #[arg(long, value_name = "A = B", value_parser = pair)]
    pub(crate) forget: Vec<(String, String)>,
}

/// Parses `A = B`; names may contain `=` without blanks around it.
fn pair(text: &str) -> Result<(String, String), String> {
    let split = text.split_once(" = ").or_else(|| text.split_once('='));
    match split.map(|(a, b)| (a.trim(), b.trim())) {
        Some((a, b)) if !a.is_empty() && !b.is_empty() && a != b => {
            Ok((a.to_owned(), b.to_owned()))
        }
        _ => Err("expected the names of two definitions: 'A = B'".to_owned()),
    }
}

/// Verdicts that can fail a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// A group is significantly and noticeably slower.
    Slower,
    /// A group appeared.
    Appeared,
    /// A group vanished.
    Vanished,
    /// The structure of the program changed, apart from parts that depend on threads or vary between runs.
    Structure,
}

impl RunsArguments {
    /// The question.
    pub(crate) fn lens(&self) -> Lens {
        self.lens.clone().unwrap_or_else(|| Lens {
            runs: self.filter.clone(),
            ..Lens::default()
        })
    }
}

impl StatsArguments {
    /// The question.
    pub(crate) fn lens(&self) -> Lens {
        if let Some(lens) = &self.lens {
            return lens.clone();
        }
        let default = Lens::default();
        Lens {
            runs: self.filter.clone(),
            by: trimmed(&self.by),
            level: self.level.unwrap_or(default.level),
            metric: self.metric.clone().unwrap_or(default.metric),
            scope: self.scope.unwrap_or(default.scope),
            over: match self.over {
                Some(StatsOver::Locations(over)) => over,
                _ => default.over,
            },
            ..Lens::default()
        }
    }
}

/// A lens that compares two sides.
///
/// # Errors
/// When it has no `diff` clause.
pub(crate) fn comparing(lens: &Lens) -> Result<Lens, Failure> {
    match lens.compare {
        Compare::Diff { .. } => Ok(lens.clone()),
        _ => Err(
            Failure::usage(format!("the lens `{lens}` compares nothing"))
                .with_hint("end it with `| diff \"A\" to \"B\"`"),
        ),
    }
}

impl DiffArguments {
    /// The question.
    ///
    /// # Errors
    /// When a lens without a `diff` clause was given.
    pub(crate) fn lens(&self) -> Result<Lens, Failure> {
        if let Some(lens) = &self.lens {
            return comparing(lens);
        }
        let selector = |side: &Option<String>| RunSelector(side.clone().unwrap_or_default());
        let default = Lens::default();
        Ok(Lens {
            level: match self.level {
                Some(DiffLevel::Group(level)) => level,
                _ => default.level,
            },
            // Only exclusive values conserve, so only these are compared.
            scope: Scope::Exclusive,
            compare: Compare::Diff {
                a: selector(&self.a),
                b: selector(&self.b),
            },
            ..self.measured.lens()
        })
    }
}
