//! Values of groups over runs, as numbers that can be compared.

use sheaf_answers::Note;
use sheaf_model::{Lens, MetricKind, Progress, Scope};

use sheaf_analysis::Error;
use sheaf_analysis::GroupValues;
use sheaf_analysis::Measurement;
use sheaf_analysis::Metric;
use sheaf_analysis::Partition;
use sheaf_analysis::UnifiedRuns;
use sheaf_analysis::{Grouping, Reentry};

/// One metric of one group, or whether the group occurs, over runs.
#[derive(Debug, Clone)]
pub(super) struct Feature {
    pub(super) group: String,
    /// Absent where the numbers say whether the group occurs.
    pub(super) metric: Option<Metric>,
    /// One for each run; not a number where the run has none.
    pub(super) values: Vec<f64>,
}

/// Values of the groups of a level, by run.
#[derive(Debug, Default)]
pub(super) struct Features {
    /// Exclusive values that differ between runs.
    pub(super) metrics: Vec<Feature>,
    /// Groups that some runs have and others not.
    pub(super) groups: Vec<Feature>,
    /// Pairs of group and metric that were left out for being small.
    pub(super) small: usize,
    pub(super) notes: Vec<Note>,
}

impl Features {
    /// Of the groups at the lens's level the values of `wanted` metrics. Values of additive metrics that are
    /// below the lens's share of the run in every run are left out: their noise would count as much as what
    /// matters.
    pub(super) fn new(
        lens: &Lens,
        ensemble: &UnifiedRuns,
        wanted: &[String],
        progress: &Progress,
    ) -> Result<Self, Error> {
        let grouping = Grouping::new(&ensemble.tree, lens, Reentry::Merged)?;
        let partition = Partition::new(&ensemble.tree, grouping.group_of.clone(), grouping.len());
        let mut features = Self {
            notes: grouping.notes.clone(),
            ..Self::default()
        };
        for (number, wanted) in wanted.iter().enumerate() {
            progress.report("measurement metrics", number as u64, None);
            let question = ensemble.question(wanted)?;
            let values = GroupValues::new(ensemble, &question, &partition, lens.over, progress)?;
            features.notes.extend(question.notes);
            for (group, place) in grouping.groups.iter().zip(0..) {
                let measurements = values.of(Scope::Exclusive, place);
                if number == 0 {
                    features
                        .groups
                        .extend(occurrence(&group.name, measurements));
                }
                let is_large = question.metric.kind == MetricKind::Intensive
                    || group.is_outside
                    || is_large(measurements, values.inside(), lens.hide_below);
                let column = column(measurements);
                if !varies(&column) {
                    continue;
                }
                if is_large {
                    features.metrics.push(Feature {
                        group: group.name.to_string(),
                        metric: Some(question.metric.clone()),
                        values: column,
                    });
                } else {
                    features.small += 1;
                }
            }
        }
        Ok(features)
    }
}

fn column(measurements: &[Measurement]) -> Vec<f64> {
    let value = |measurement: &Measurement| measurement.value().filter(|value| value.is_finite());
    measurements
        .iter()
        .map(|measurement| value(measurement).unwrap_or(f64::NAN))
        .collect()
}

fn occurrence(group: &str, measurements: &[Measurement]) -> Option<Feature> {
    let values: Vec<f64> = measurements
        .iter()
        .map(|measurement| f64::from(u8::from(measurement.is_present())))
        .collect();
    varies(&values).then(|| Feature {
        group: group.to_owned(),
        metric: None,
        values,
    })
}

fn is_large(measurements: &[Measurement], totals: &[Measurement], share: f64) -> bool {
    measurements.iter().zip(totals).any(|(measurement, total)| {
        let (value, total) = (measurement.or_zero().abs(), total.or_zero().abs());
        value > 0.0 && value >= share * total
    })
}

/// Whether two runs have different values.
fn varies(values: &[f64]) -> bool {
    let mut known = values.iter().filter(|value| !value.is_nan());
    let first = known.next();
    known.any(|value| Some(value) != first)
}

/// Mean and standard deviation of the values that there are.
pub(super) fn moments(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let known = values.filter(|value| !value.is_nan());
    let count = known.clone().count() as f64;
    let mean = known.clone().sum::<f64>() / count.max(1.0);
    let squares: f64 = known.map(|value| (value - mean) * (value - mean)).sum();
    (mean, (squares / (count - 1.0).max(1.0)).sqrt())
}

/// Columns of values in standard deviations from their mean.
pub(super) fn standardised(features: &[Feature]) -> Vec<Vec<f64>> {
    let standard = |feature: &Feature| {
        let (mean, deviation) = moments(feature.values.iter().copied());
        feature
            .values
            .iter()
            .map(|value| (value - mean) / deviation)
            .collect()
    };
    features.iter().map(standard).collect()
}
