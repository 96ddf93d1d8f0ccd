//! Versions whose whole run is not known, because groups that matter were not measured there.

use std::collections::{BTreeMap, BTreeSet};

use sheaf_model::Scope;
use sheaf_statistics::Sample;

use super::structure::{Point, VersionSequence};
use crate::diff::MAX_NAMED;
use sheaf_analysis::Grouped;
use sheaf_analysis::Measurement;
use sheaf_analysis::Metric;
use sheaf_answers::{FirstNames, HistoryFact, HistoryGroup, Note};

/// Names of the groups that were not measured, by place of the point.
pub(super) struct Unmeasured(BTreeMap<usize, Vec<String>>);

impl Unmeasured {
    /// Of `groups`, with their places in the grouping, those that have at least the share `least` of the greatest
    /// mean total in the runs in which they were measured. What was measured in no run of the series is none of them;
    /// nor is anything where values do not add up to one of the whole run.
    pub(super) fn new<'a>(
        grouped: &Grouped,
        points: &[Point],
        totals: &[Vec<f64>],
        groups: impl Iterator<Item = (usize, &'a HistoryGroup)>,
        least: f64,
    ) -> Self {
        let mean = |values: &[f64]| Sample::new(values.iter().copied()).mean();
        let totals = totals.iter().filter_map(|values| mean(values));
        let greatest = totals.map(f64::abs).fold(0.0, f64::max);
        let mut found: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (index, row) in groups.filter(|_| grouped.metric.kind.adds_up()) {
            let measurements = grouped.values.of(Scope::Exclusive, index);
            let below = grouped.values.of(Scope::Inclusive, index);
            let is_missing = |run: &usize| {
                measurements[*run].or_zero_if_callees_measured(below[*run])
                    == Measurement::NotMeasured
            };
            let lacks = |(_, runs): &&Point| runs.iter().any(is_missing);
            if !points.iter().any(|point| lacks(&point)) {
                continue;
            }
            let runs = points.iter().flat_map(|(_, runs)| runs);
            let measured: Vec<f64> = runs.filter_map(|&run| measurements[run].value()).collect();
            let size = mean(&measured).unwrap_or(0.0).abs();
            if size < least * greatest {
                continue;
            }
            for (at, point) in points.iter().enumerate() {
                if lacks(&point) {
                    found.entry(at).or_default().push(row.path.join(" / "));
                }
            }
        }
        Self(found)
    }

    /// Totals of the points of which the whole run is known; of the others none.
    pub(super) fn without(&self, mut totals: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
        for (at, values) in totals.iter_mut().enumerate() {
            if self.0.contains_key(&at) {
                values.clear();
            }
        }
        totals
    }

    /// What is not compared, and why.
    pub(super) fn note(
        &self,
        metric: &Metric,
        line: &VersionSequence<'_>,
        points: &[Point],
    ) -> Option<Note> {
        if self.0.is_empty() {
            return None;
        }
        let places: Vec<usize> = self.0.keys().map(|&at| points[at].0).collect();
        let versions = places.iter().map(|&place| line.versions[place].to_string());
        let groups: BTreeSet<&String> = self.0.values().flatten().collect();
        let fact = HistoryFact::WholeRunUnknown {
            metric: metric.name.clone(),
            versions: FirstNames::new(versions, MAX_NAMED),
            groups: FirstNames::new(groups, MAX_NAMED),
        };
        Some(fact.into())
    }
}
