//! Arguments shared by several commands about many runs: selection, metric, significance.

use clap::Args;
use sheaf_model::{Expression, Lens, Level, LocationAggregate, Scope};

/// Which runs, and which of their values.
#[derive(Debug, Clone, Args)]
pub(crate) struct Values {
    #[command(flatten)]
    pub(crate) selected: Selected,
    #[command(flatten)]
    pub(crate) measured: Measured,
}

/// Which runs, in which groups.
#[derive(Debug, Clone, Args)]
pub(crate) struct Selected {
    /// Use only runs for which this expression is true.
    #[arg(long = "where", value_name = "EXPRESSION", value_parser = super::pointed::<Expression>)]
    pub(crate) filter: Option<Expression>,
    /// `module`, `definition` or `context` [default: definition]
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<Level>,
}

/// What was measured, and how it becomes one value per run.
#[derive(Debug, Clone, Args)]
pub(crate) struct Measured {
    /// Metric, by its name or the name in the source [default: `work_ns`; for call profiles the time
    /// that most of them have]
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<String>,
    #[command(flatten)]
    pub(crate) locations: Locations,
}

/// How values of ranks or workers become one value per run.
#[derive(Debug, Clone, Args)]
pub(crate) struct Locations {
    /// How ranks or workers become one value per run [default: ranks=mean]
    #[arg(long, value_name = "HOW")]
    pub(crate) over: Option<LocationAggregate>,
}

/// Whether an answer ends with the causes of the difference.
#[derive(Debug, Clone, Args)]
pub(crate) struct Why {
    /// Do not end with the three largest causes of the difference (see `grainsheaf explain`). Runs with more than a
    /// million grains have no such end.
    #[arg(long)]
    pub(crate) no_why: bool,
}

/// Level of significance.
#[derive(Debug, Clone, Args)]
pub(crate) struct Significance {
    /// Accepted share of false alarms: the maximum q of a change, above 0 % and below 100 %.
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = super::decision::part)]
    pub(crate) alpha: f64,
}

impl Values {
    /// The question about exclusive values.
    pub(crate) fn lens(&self) -> Lens {
        let measured = self.measured.lens();
        Lens {
            metric: measured.metric,
            over: measured.over,
            ..self.selected.lens()
        }
    }
}

impl Selected {
    /// The question about exclusive values, the only ones that add up to the total.
    pub(crate) fn lens(&self) -> Lens {
        Lens {
            runs: self.filter.clone(),
            level: self.level.unwrap_or(Lens::default().level),
            scope: Scope::Exclusive,
            ..Lens::default()
        }
    }
}

impl Measured {
    /// The question, with defaults for the rest.
    pub(crate) fn lens(&self) -> Lens {
        let default = Lens::default();
        Lens {
            metric: self.metric.clone().unwrap_or(default.metric),
            over: self.locations.over.unwrap_or(default.over),
            ..Lens::default()
        }
    }
}

/// Names from a comma-separated list, without blanks around them.
pub(crate) fn trimmed(names: &[String]) -> Vec<String> {
    names.iter().map(|name| name.trim().to_owned()).collect()
}
