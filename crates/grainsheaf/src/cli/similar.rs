//! Arguments of `similar`.

use clap::{Args, ValueEnum};
use sheaf_answers::{Measure, StructureForm};
use sheaf_ensemble::SimilarQuestion;
use sheaf_model::{Expression, Lens, Level};

/// Which runs to compare, and how.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Measures:
  structure  share of common sub-trees of grains or contexts; 100 is the same structure
  wl         share of common labels after three rounds of Weisfeiler and Lehman
  work       share of the work that is spent in the same contexts
  metrics    1 / (1 + distance) of the metrics of groups, in standard deviations

Runs are clustered by average linkage. The number of clusters is the one with the best silhouette, or follows
from --threshold. Cells are in per cent, rounded down.

If runs have different numbers of workers, the members of a team count as one, and so do the chunks of a loop,
as in `diff`; --form compares every grain. Definitions that the mapping file identifies (`grainsheaf match`), or
that were inferred to be renamed, count as one; notes list them.

Examples:
  grainsheaf similar
  grainsheaf similar --where 'threads >= 4' --measure work
  grainsheaf similar --measure metrics --level module --threshold 0.6
  grainsheaf similar 'version == 1' 'version == 2' --form counted
  grainsheaf similar --measure metrics --projection
  grainsheaf similar --csv > matrix.csv")]
pub(crate) struct SimilarArguments {
    /// Runs, or expressions that select runs [default: all]
    #[arg(value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    /// Use only runs for which this expression is true.
    #[arg(long = "where", value_name = "EXPRESSION", value_parser = super::pointed::<Expression>)]
    pub(crate) filter: Option<Expression>,
    /// Measure of similarity.
    #[arg(long, value_name = "MEASURE", value_enum, default_value_t = MeasureName::Structure)]
    pub(crate) measure: MeasureName,
    /// Metric for `work` [default: the main one] and `metrics` [default: all]
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<String>,
    /// Level of the groups whose metrics are compared and characterise clusters: `module`, `definition` or
    /// `context` [default: definition]
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<Level>,
    /// Compare every grain, and set how repetition counts [default: `counted`; grains that depend on the
    /// number of workers count once if it differs]
    #[arg(long, value_name = "FORM", value_enum)]
    pub(crate) form: Option<FormName>,
    /// Minimum similarity within a cluster, 0 to 1 [default: chosen by silhouette]
    #[arg(long, value_name = "SIMILARITY")]
    pub(crate) threshold: Option<f64>,
    /// Show the runs as points in two dimensions, by behaviour and by parameters.
    #[arg(long)]
    pub(crate) projection: bool,
    /// Number of k-means clusters in the projection [default: chosen by silhouette]
    #[arg(long, value_name = "K", requires = "projection")]
    pub(crate) clusters: Option<usize>,
    /// Seed of random numbers.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Memory limit for comparing all pairs of runs, such as `4G` [default: 1G]
    #[arg(long, value_name = "SIZE", value_parser = super::store::size)]
    pub(crate) memory: Option<u64>,
    /// Show at most this many runs; 0 for all [default: 30 in text, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

/// Measures of similarity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeasureName {
    /// Common sub-trees.
    Structure,
    /// Common labels of the rounds of Weisfeiler and Lehman.
    Wl,
    /// Work in common contexts.
    Work,
    /// Metrics of groups.
    Metrics,
}

/// How repetition counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormName {
    /// Repetitions count.
    Counted,
    /// Equal neighbours count as one.
    Shape,
}

impl SimilarArguments {
    /// The question.
    pub(crate) fn question(&self) -> SimilarQuestion {
        let measure = match self.measure {
            MeasureName::Structure => Measure::Structure,
            MeasureName::Wl => Measure::Wl,
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
                FormName::Counted => StructureForm::Counted,
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
