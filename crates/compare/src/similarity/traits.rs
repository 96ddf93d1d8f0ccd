//! What distinguishes runs that belong together from the others.

use sheaf_answers::{ClusterTrait, TraitKind};

use super::compared::Compared;
use super::metrics::{Feature, moments};

/// Maximum number of traits of a cluster.
const MOST: usize = 10;

/// Differences below this many standard deviations distinguish nothing.
const LEAST: f64 = 0.5;

/// What distinguishes the members from all other runs: the greatest differences of means, in standard
/// deviations over all runs. Nothing where all runs are members.
pub(super) fn traits(compared: &Compared, members: &[usize]) -> Vec<ClusterTrait> {
    let mut is_inside = vec![false; compared.len()];
    for &run in members {
        is_inside[run] = true;
    }
    let mut traits = Vec::new();
    for parameter in compared
        .parameters
        .iter()
        .filter(|parameter| !parameter.is_incidental)
    {
        let is_either = parameter.numbers.is_none() && parameter.values.len() == 2;
        traits.extend(parameter.columns().into_iter().filter_map(|column| {
            let unit = if column.value.is_some() { "ratio" } else { "" };
            let (kind, name) = (TraitKind::Parameter, column.parameter);
            let found = difference(&column.numbers, &is_inside, kind, name, unit)?;
            // Of two values one says it all.
            if is_either && found.difference < 0.0 {
                return None;
            }
            Some(ClusterTrait {
                value: column.value,
                ..found
            })
        }));
    }
    let features = &compared.features;
    traits.extend(
        features
            .groups
            .iter()
            .chain(&features.metrics)
            .filter_map(|feature| {
                let kind = feature
                    .metric
                    .as_ref()
                    .map_or(TraitKind::Group, |_| TraitKind::Metric);
                of_feature(feature, &is_inside, kind)
            }),
    );
    traits.retain(|found| found.difference.abs() >= LEAST);
    // Steps of 1e-9, so that the last bits do not order what is as different.
    let rank = |found: &ClusterTrait| (found.difference.abs() * 1e9).round();
    traits.sort_by(|a, b| {
        let by_size = rank(b).total_cmp(&rank(a));
        by_size.then_with(|| key(a).cmp(&key(b)))
    });
    traits.truncate(MOST);
    traits
}

fn key(found: &ClusterTrait) -> (TraitKind, &str, Option<&str>, Option<&str>) {
    (
        found.kind,
        &found.name,
        found.metric.as_deref(),
        found.value.as_deref(),
    )
}

fn of_feature(feature: &Feature, is_inside: &[bool], kind: TraitKind) -> Option<ClusterTrait> {
    let unit = feature
        .metric
        .as_ref()
        .map_or("ratio", |metric| metric.unit.as_str());
    let found = difference(
        &feature.values,
        is_inside,
        kind,
        feature.group.clone(),
        unit,
    )?;
    Some(ClusterTrait {
        metric: feature.metric.as_ref().map(|metric| metric.name.clone()),
        ..found
    })
}

/// The trait that values have; none where they are the same or one side has none.
fn difference(
    values: &[f64],
    is_inside: &[bool],
    kind: TraitKind,
    name: String,
    unit: &str,
) -> Option<ClusterTrait> {
    let side = |wanted: bool| {
        let pairs = values.iter().zip(is_inside);
        pairs
            .filter(move |(value, inside)| **inside == wanted && !value.is_nan())
            .map(|(value, _)| *value)
    };
    if side(true).next().is_none() || side(false).next().is_none() {
        return None;
    }
    let (_, deviation) = moments(values.iter().copied());
    let (inside, outside) = (moments(side(true)).0, moments(side(false)).0);
    (deviation > 0.0).then(|| ClusterTrait {
        kind,
        name,
        value: None,
        metric: None,
        unit: unit.to_owned(),
        inside,
        outside,
        difference: (inside - outside) / deviation,
    })
}
