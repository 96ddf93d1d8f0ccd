//! Arguments of `scale`.

use clap::{Args, ValueEnum};
use sheaf_answers::ScaleTable;
use sheaf_ensemble::{Law, ScaleQuestion, ScalingKind};
use sheaf_model::Lens;

use super::values::{Values, Why, trimmed};

/// The parameter that grows, and the runs.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Runs that differ only in the parameter P and in incidental parameters form one series. Values, speedups and laws
use the median over the runs with the same P. Work, efficiencies, bounds and losses are those of the one run
closest to the median, so that their parts add up exactly. Laws are fitted to at least three values of P (USL:
four), because any law fits two. Without --metric, points are elapsed times if runs have them, and groups show
their work.

Examples:
  grainsheaf scale --by threads
  grainsheaf scale --by threads --where \"program = 'sort'\" --fit amdahl,usl_free
  grainsheaf scale --by workers --series program,runtime
  grainsheaf scale --by threads --level context --limit 10
  grainsheaf scale --by ranks --metric 'Total time' --over ranks=max --scaling weak
  grainsheaf scale --by threads --csv --table loss > loss.csv")]
pub(crate) struct ScaleArguments {
    /// Parameter that grows: `threads`, `ranks`, `workers` or a problem size.
    #[arg(long, value_name = "P")]
    pub(crate) by: String,
    /// Parameters whose values separate series [default: those that differ between runs of the same P]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) series: Option<Vec<String>>,
    #[command(flatten)]
    pub(crate) values: Values,
    /// Laws to fit: `amdahl`, `usl`, `usl_free`, `gustafson`, `log2`, `power`, `pmnf` [default: those that
    /// suit strong or weak scaling]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) fit: Vec<Law>,
    /// `strong` or `weak` [default: found from the total work]
    #[arg(long, value_name = "KIND")]
    pub(crate) scaling: Option<ScalingKind>,
    /// Which table `--csv` prints.
    #[arg(long, value_name = "TABLE", value_enum, default_value_t = Table::Points)]
    pub(crate) table: Table,
    /// Show at most this many groups of each point; 0 for all [default: 5 in text, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    #[command(flatten)]
    pub(crate) why: Why,
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
    /// The same choice in answers.
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

    /// The question, except for its lens.
    pub(crate) fn question(&self) -> ScaleQuestion {
        ScaleQuestion {
            series: self.series.as_deref().map(trimmed),
            fit: self.fit.clone(),
            kind: self.scaling,
            ..ScaleQuestion::new(self.by.trim())
        }
    }
}
