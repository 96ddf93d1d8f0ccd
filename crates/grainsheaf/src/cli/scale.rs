//! Arguments of `scale`.

use clap::{Args, ValueEnum};
use sheaf_answers::ScaleTable;
use sheaf_ensemble::{Law, ScaleQuestion, ScalingKind};
use sheaf_model::Lens;

use super::values::{Values, trimmed};

/// What grows, over which runs.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Runs that differ in nothing that matters but the parameter are one series. Values, speedups and laws are of the
median of the runs at each of its values; work, efficiencies, bounds and loss are of the one run nearest to that
median, so that parts add up exactly. Laws are fitted to three values and more (USL: four), as two fit anything.
Without --metric, points are elapsed times where runs have these, and groups are told by their work.

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
    /// Parameters that divide the runs into series [default: those in which runs of one P differ]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) series: Option<Vec<String>>,
    #[command(flatten)]
    pub(crate) values: Values,
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
        Lens {
            by: vec![self.by.trim().to_owned()],
            ..self.values.lens()
        }
    }

    /// What is asked beyond the lens.
    pub(crate) fn question(&self) -> ScaleQuestion {
        ScaleQuestion {
            series: self.series.as_deref().map(trimmed),
            fit: self.fit.clone(),
            kind: self.scaling,
            ..ScaleQuestion::new(self.by.trim())
        }
    }
}
