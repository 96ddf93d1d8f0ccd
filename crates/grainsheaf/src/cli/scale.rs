//! Arguments of `scale`.

use clap::{Args, ValueEnum};
use sheaf_api::ScaleTable;
use sheaf_ensemble::{Law, ScaleQuestion, ScalingKind};
use sheaf_model::{Expression, Lens, Level, Over, Scope};

/// What grows, over which runs.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Runs that differ in nothing that matters but the parameter are one series. Values, speedups and laws are of the
median of the runs at each of its values; work, efficiencies, bounds and loss are of the one run nearest to that
median, so that parts add up exactly. Laws are fitted to three values and more (USL: four), as two fit anything.

Examples:
  grainsheaf scale --by threads
  grainsheaf scale --by threads --where \"program = 'sort'\" --fit amdahl,usl_free
  grainsheaf scale --by workers --series program,runtime
  grainsheaf scale --by threads --level context --limit 10
  grainsheaf scale --by ranks --metric 'Total time' --over ranks=max --scaling weak
  grainsheaf scale --by threads --csv --table loss > loss.csv")]
pub(crate) struct ScaleArguments {
    /// The parameter that grows: `threads`, `ranks`, `workers`, the size of a problem.
    #[arg(long, value_name = "P")]
    pub(crate) by: String,
    /// Only runs for which this holds.
    #[arg(long = "where", value_name = "EXPRESSION", value_parser = super::pointed::<Expression>)]
    pub(crate) filter: Option<Expression>,
    /// Parameters that divide the runs into series [default: those in which runs of one P differ]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) series: Option<Vec<String>>,
    /// `module`, `definition` or `context` [default: definition]
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<Level>,
    /// Metric, by its name or the name that the source used [default: the elapsed time, and
    /// `work_ns` of groups; of call profiles the time that most have]
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<String>,
    /// How ranks or workers become one value per run [default: ranks=mean]
    #[arg(long, value_name = "HOW")]
    pub(crate) over: Option<Over>,
    /// Laws to fit: `amdahl`, `usl`, `usl_free`, `gustafson`, `log2`, `power`, `pmnf` [default: those
    /// that suit]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) fit: Vec<Law>,
    /// `strong` or `weak` [default: told from the total work]
    #[arg(long, value_name = "KIND")]
    pub(crate) scaling: Option<ScalingKind>,
    /// Which table `--csv` prints.
    #[arg(long, value_name = "TABLE", value_enum, default_value_t = Table::Points)]
    pub(crate) table: Table,
    /// Show at most this many groups of each point; 0 for all [default: 5 in text, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

/// A table of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Table {
    /// A row per series and value of the parameter.
    Points,
    /// A row per law and group.
    Models,
    /// A row per point and group.
    Loss,
    /// A row per inversion and group.
    OutOfOrder,
}

impl Table {
    /// As the wire has it.
    pub(crate) const fn wire(self) -> ScaleTable {
        match self {
            Self::Points => ScaleTable::Points,
            Self::Models => ScaleTable::Models,
            Self::Loss => ScaleTable::Loss,
            Self::OutOfOrder => ScaleTable::OutOfOrder,
        }
    }
}

impl ScaleArguments {
    /// The lens.
    pub(crate) fn lens(&self) -> Lens {
        let default = Lens::default();
        Lens {
            runs: self.filter.clone(),
            by: vec![self.by.trim().to_owned()],
            level: self.level.unwrap_or(default.level),
            metric: self.metric.clone().unwrap_or(default.metric),
            // Only exclusive values add up.
            scope: Scope::Exclusive,
            over: self.over.unwrap_or(default.over),
            ..Lens::default()
        }
    }

    /// What is asked beyond the lens.
    pub(crate) fn question(&self) -> ScaleQuestion {
        let trimmed = |names: &Vec<String>| names.iter().map(|it| it.trim().to_owned()).collect();
        ScaleQuestion {
            series: self.series.as_ref().map(trimmed),
            fit: self.fit.clone(),
            kind: self.scaling,
            ..ScaleQuestion::new(self.by.trim())
        }
    }
}
