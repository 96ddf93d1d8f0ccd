//! Arguments of `similar`.

use clap::{Args, ValueEnum};
use sheaf_ensemble::{Measure, SimilarQuestion};
use sheaf_model::{Expression, Lens, Level, StructureForm};

/// Which runs to compare, and how.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Measures:
  structure  share of sub-trees in common, of grains or of contexts; 100 is the same structure
  wl         share of labels of three rounds of Weisfeiler and Lehman in common
  work       share of the work that is spent in the same contexts
  metrics    1 / (1 + distance), in standard deviations of the metrics of groups

Runs are in clusters by average linkage; the division with the best silhouette is taken, or that of
--threshold. Cells are per cent, rounded down.

Where runs had different numbers of workers, members of teams and chunks of loops, of which there are as many
as workers take part, count as one each, as in `diff`; --form compares every grain. Definitions that the
mapping file says are the same (`grainsheaf match`), or that the matching of runs finds to be renamed, count as
one; the notes say which.

Examples:
  grainsheaf similar
  grainsheaf similar --where 'threads >= 4' --measure work
  grainsheaf similar --measure metrics --level module --threshold 0.6
  grainsheaf similar 'version == 1' 'version == 2' --form counted
  grainsheaf similar --measure metrics --projection
  grainsheaf similar --csv > matrix.csv")]
pub(crate) struct SimilarArguments {
    /// Runs, or expressions that choose some [default: all]
    #[arg(value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    /// Only runs for which this holds.
    #[arg(long = "where", value_name = "EXPRESSION", value_parser = super::pointed::<Expression>)]
    pub(crate) filter: Option<Expression>,
    /// What makes runs alike.
    #[arg(long, value_name = "MEASURE", value_enum, default_value_t = MeasureName::Structure)]
    pub(crate) measure: MeasureName,
    /// Metric of `work` and `metrics` [default: the main one, and all]
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<String>,
    /// Groups whose metrics are compared, and tell clusters apart: `module`, `definition` or `context` [default: definition]
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<Level>,
    /// Compare every grain, and say how repetition counts [default: `counted`, without what follows from the
    /// number of workers where that differs]
    #[arg(long, value_name = "FORM", value_enum)]
    pub(crate) form: Option<FormName>,
    /// Similarity at which runs belong together, 0 to 1 [default: chosen]
    #[arg(long, value_name = "SIMILARITY")]
    pub(crate) threshold: Option<f64>,
    /// Show where runs lie in two dimensions, by what they do and by their parameters.
    #[arg(long)]
    pub(crate) projection: bool,
    /// Clusters of k-means in the projection [default: chosen]
    #[arg(long, value_name = "K", requires = "projection")]
    pub(crate) clusters: Option<usize>,
    /// Where random numbers begin.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Memory that comparing every two runs may take, such as `4G` [default: 1G]
    #[arg(long, value_name = "SIZE", value_parser = super::store::size)]
    pub(crate) memory: Option<u64>,
    /// Show at most this many runs one by one; 0 for all [default: 30 in text, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

/// What makes runs alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeasureName {
    /// Sub-trees in common.
    Structure,
    /// Labels of Weisfeiler and Lehman's rounds in common.
    Wl,
    /// Work in common.
    Work,
    /// Metrics of groups.
    Metrics,
}

/// How repetition counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormName {
    /// How often something is repeated counts.
    Counted,
    /// Equal things beside each other count as one or more.
    Shape,
}

impl SimilarArguments {
    /// The question.
    pub(crate) fn question(&self) -> SimilarQuestion {
        let measure = match self.measure {
            MeasureName::Structure => Measure::Structure,
            MeasureName::Wl => Measure::WeisfeilerLehman,
            MeasureName::Work => Measure::Work,
            MeasureName::Metrics => Measure::Metrics,
        };
        let default = Lens::default();
        let chosen = SimilarQuestion::new(measure);
        SimilarQuestion {
            lens: Lens {
                runs: self.filter.clone(),
                level: self.level.unwrap_or(default.level),
                ..default
            },
            runs: self.runs.clone(),
            metric: self.metric.clone(),
            form: self.form.map(|form| match form {
                FormName::Counted => StructureForm::Unordered,
                FormName::Shape => StructureForm::Shape,
            }),
            threshold: self.threshold,
            clusters: self.clusters,
            seed: self.seed,
            most_bytes: self.memory.unwrap_or(chosen.most_bytes),
            ..chosen
        }
    }
}
