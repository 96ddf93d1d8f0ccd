//! Rows: means, deltas, ratios, tests.

use std::collections::BTreeMap;

use super::DiffOptions;
use super::environment::Design;
use super::matching::MatchedGroup;
use super::naming::both_paths;
use super::verdict::{self, Evidence};
use sheaf_analysis::Measurement;
use sheaf_analysis::Metric;
use sheaf_answers::{DiffRow, DiffTotals, TotalChange};
use sheaf_statistics::{
    Estimate, RankSumNull, Sample, benjamini_hochberg, cliffs_delta, exact_sum,
    hodges_lehmann_ratio, hodges_lehmann_shift, rank_sum,
};

/// Means of one row over the runs of each side in which it was measured, those without the group counting as
/// zero for additive metrics.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Means {
    /// Absent where nothing is known: of additive metrics, where the group occurs but was never measured.
    sides: [Option<f64>; 2],
    /// The second less the first, rounded once; 0 where one of them is not known.
    delta: f64,
}

impl Means {
    /// Whether both sides are known, so that the row takes part in totals.
    fn is_known(&self) -> bool {
        self.sides.iter().all(Option::is_some)
    }
}

/// A row, with the runs of either side that have the metric and in which the group occurs without a value of its own.
pub(super) type Row = (DiffRow, [usize; 2]);

/// Sums over the rows.
pub(super) struct Sums {
    /// All values.
    pub(super) totals: Option<DiffTotals>,
    /// Values inside of regions.
    pub(super) inside: Option<DiffTotals>,
    /// The verdict on all values.
    pub(super) total: Option<TotalChange>,
}

/// Rows in order of the size of their change, then path and group; and their sums.
pub(super) fn rows(
    groups: &[MatchedGroup],
    metric: &Metric,
    design: &Design,
    options: &DiffOptions,
) -> (Vec<Row>, Sums) {
    let means: Vec<Means> = groups
        .iter()
        .map(|matched| group_means(matched, metric, design))
        .collect();
    let of = |means: &[Means]| metric.kind.adds_up().then(|| totals(means)).flatten();
    let both = groups.iter().zip(&means);
    let inside = both.filter(|(matched, _)| !matched.group.is_outside);
    let inside: Vec<Means> = inside.map(|(_, means)| *means).collect();
    let (totals, inside) = (of(&means), of(&inside));
    let mut comparer = Comparer {
        design,
        options,
        nulls: BTreeMap::new(),
    };
    let evidence: Vec<Evidence> = groups
        .iter()
        .zip(&means)
        .map(|(matched, means)| comparer.evidence(matched, means, metric, inside.as_ref()))
        .collect();
    let p: Vec<f64> = evidence
        .iter()
        .map(|row| row.p.unwrap_or(f64::NAN))
        .collect();
    let q = benjamini_hochberg(&p);
    let mut rows: Vec<Row> = groups
        .iter()
        .zip(means)
        .zip(evidence.into_iter().zip(q))
        .map(|((matched, means), (mut evidence, q))| {
            evidence.q = evidence.p.map(|_| q);
            row(matched, means, &evidence, metric, design, options)
        })
        .collect();
    rows.sort_by(|(x, _), (y, _)| {
        let size = |row: &DiffRow| row.delta.unwrap_or(0.0).abs();
        let sizes = size(y).total_cmp(&size(x));
        sizes.then_with(|| (&x.path, &x.group).cmp(&(&y.path, &y.group)))
    });
    let total = totals.map(|totals| comparer.total(groups, &totals, metric));
    let sums = Sums {
        totals,
        inside,
        total,
    };
    (rows, sums)
}

fn row(
    matched: &MatchedGroup,
    means: Means,
    evidence: &Evidence,
    metric: &Metric,
    design: &Design,
    options: &DiffOptions,
) -> Row {
    let (verdict, reason) = verdict::judge(evidence, metric, design, options);
    let is_present = evidence.present.map(|runs| runs > 0);
    let group = &matched.group;
    let [inclusive_a, inclusive_b] = [0, 1].map(|side| {
        let values = values(&group.inclusive[side], &design.has_metric[side], metric);
        let is_measured = |measurement: &Measurement| measurement.value().is_some();
        let occurs = group.inclusive[side].iter().any(is_measured);
        Sample::new(values).mean().filter(|_| occurs)
    });
    let (ratio, shift) = (evidence.ratio.as_ref(), evidence.shift.as_ref());
    let [path_a, path_b] = &group.paths;
    let is_one = path_a == path_b;
    let row = DiffRow {
        path: both_paths(path_a, path_b),
        group: group.id.clone(),
        path_a: (!is_one).then(|| path_a.clone()),
        path_b: (!is_one).then(|| path_b.clone()),
        line_a: group.lines[0],
        line_b: group.lines[1],
        group_a: matched.baseline.clone(),
        metric: metric.name.clone(),
        a: means.sides[0].filter(|_| is_present[0]),
        b: means.sides[1].filter(|_| is_present[1]),
        delta: means.is_known().then_some(means.delta),
        outside: group.is_outside,
        impact: evidence.impact.filter(|_| !group.is_outside),
        ratio: ratio.map(|ratio| ratio.value),
        ci: ratio.and_then(ends),
        shift: shift.map(|shift| shift.value),
        shift_ci: shift.and_then(ends),
        p: evidence.p,
        q: evidence.q,
        cliffs_delta: evidence.cliffs_delta,
        verdict,
        reason,
        structure: matched.structure.iter().copied().collect(),
        matched_by: matched.matched_by,
        match_score: matched.score,
        runs_a: evidence.present[0] as u64,
        runs_b: evidence.present[1] as u64,
        n_a: evidence.sizes[0] as u64,
        n_b: evidence.sizes[1] as u64,
        inclusive_a,
        inclusive_b,
    };
    let not_measured = [0, 1].map(|side: usize| {
        let measurements = group.exclusive[side].iter();
        let kept = measurements.zip(&design.has_metric[side]);
        kept.filter(|(measurement, has)| **has && !is_known(**measurement))
            .count()
    });
    (row, not_measured)
}

/// Values of a group in the runs that have the metric and say something about it, as means and tests take them:
/// zero where an additive metric is absent. None where the group occurs and was never measured, since zeros of
/// the other runs say nothing about how much it takes.
fn values(measurements: &[Measurement], has_metric: &[bool], metric: &Metric) -> Vec<f64> {
    let kept = || {
        let kept = measurements.iter().zip(has_metric).filter(|(_, has)| **has);
        kept.map(|(measurement, _)| *measurement)
    };
    let is_measured = |measurement: Measurement| measurement.value().is_some_and(f64::is_finite);
    if !kept().all(is_known) && !kept().any(is_measured) {
        return Vec::new();
    }
    let known = kept().filter(|measurement| is_known(*measurement));
    let absent = metric.kind.adds_up().then_some(0.0);
    known
        .filter_map(|measurement| measurement.value().or(absent))
        .collect()
}

/// Whether a run has a value of the group, or is known to lack the group.
fn is_known(measurement: Measurement) -> bool {
    match measurement {
        Measurement::Value(value) => value.is_finite(),
        Measurement::NotMeasured => false,
        Measurement::Absent => true,
    }
}

fn ends(estimate: &Estimate) -> Option<[f64; 2]> {
    estimate.interval.map(|ends| [ends.low, ends.high])
}

/// Totals of the runs of a side that have the metric: sums of the exclusive values, each rounded once. A run in which a
/// group was not measured has none, unless the group was measured nowhere, as a program that only stands above others.
fn run_totals(groups: &[MatchedGroup], side: usize, design: &Design) -> Vec<f64> {
    let is_measured = |matched: &&MatchedGroup| {
        let mut all = matched.group.exclusive.iter().flatten();
        all.any(|it| it.value().is_some())
    };
    let groups: Vec<&MatchedGroup> = groups.iter().filter(is_measured).collect();
    let total = |run: usize| {
        let values = groups.iter().map(|matched| {
            let measurement = *matched.group.exclusive[side].get(run)?;
            is_known(measurement).then(|| measurement.value().unwrap_or(0.0))
        });
        let sum = exact_sum(&values.collect::<Option<Vec<f64>>>()?);
        sum.is_finite().then_some(sum)
    };
    let has_metric = design.has_metric[side].iter().enumerate();
    let runs = has_metric.filter(|(_, has)| **has);
    runs.filter_map(|(run, _)| total(run)).collect()
}

fn group_means(matched: &MatchedGroup, metric: &Metric, design: &Design) -> Means {
    let [a, b] = [0, 1].map(|side| {
        let measurements = &matched.group.exclusive[side];
        Sample::new(values(measurements, &design.has_metric[side], metric)).mean()
    });
    let delta = |(a, b): (f64, f64)| (b - a).clamp(f64::MIN, f64::MAX);
    Means {
        sides: [a, b],
        delta: a.zip(b).map_or(0.0, delta),
    }
}

/// Exact sums of the rows that are known on both sides, each rounded once. Absent where there are rows and none is
/// known, and where a sum is beyond the range of floats.
fn totals(means: &[Means]) -> Option<DiffTotals> {
    let known: Vec<&Means> = means.iter().filter(|row| row.is_known()).collect();
    if known.is_empty() && !means.is_empty() {
        return None;
    }
    let sum = |of: &dyn Fn(&Means) -> f64| {
        exact_sum(&known.iter().map(|row| of(row)).collect::<Vec<_>>())
    };
    let totals = DiffTotals {
        a: sum(&|row| row.sides[0].unwrap_or(0.0)),
        b: sum(&|row| row.sides[1].unwrap_or(0.0)),
        delta: sum(&|row| row.delta),
    };
    [totals.a, totals.b, totals.delta]
        .iter()
        .all(|total| total.is_finite())
        .then_some(totals)
}

/// Compares groups; null distributions are shared between groups of the same sizes.
struct Comparer<'a> {
    design: &'a Design,
    options: &'a DiffOptions,
    nulls: BTreeMap<(usize, usize), RankSumNull>,
}

impl Comparer<'_> {
    fn evidence(
        &mut self,
        matched: &MatchedGroup,
        means: &Means,
        metric: &Metric,
        totals: Option<&DiffTotals>,
    ) -> Evidence {
        let group = &matched.group;
        let samples = [0, 1].map(|side| {
            let has_metric = &self.design.has_metric[side];
            Sample::new(values(&group.exclusive[side], has_metric, metric))
        });
        let present = [0, 1].map(|side: usize| {
            let both = group.exclusive[side].iter().zip(&group.inclusive[side]);
            both.filter(|(own, all)| own.is_present() || all.is_present())
                .count()
        });
        let sizes = means.sides.map(|mean| mean.unwrap_or(0.0).abs());
        let share = totals.and_then(|totals| {
            // Halves, so that no sum of two is beyond the range of floats.
            let all = totals.a.abs() / 2.0 + totals.b.abs() / 2.0;
            (all > 0.0).then(|| (sizes[0] / 2.0 + sizes[1] / 2.0) / all)
        });
        let baseline = totals.map(|totals| totals.a).filter(|&total| total != 0.0);
        let least_impact =
            totals.and_then(|totals| verdict::share_of_greater(means.delta, [totals.a, totals.b]));
        let mut evidence = Evidence {
            present,
            sizes: [samples[0].len(), samples[1].len()],
            scale: sizes[0].max(sizes[1]),
            share,
            impact: baseline
                .filter(|_| means.is_known())
                .map(|total| means.delta / total)
                .filter(|impact| impact.is_finite()),
            least_impact,
            incomparable: group.incomparable.clone(),
            ..Evidence::default()
        };
        if present[0] > 0 && present[1] > 0 && group.incomparable.is_none() {
            self.compare(&samples, &mut evidence);
            // What is estimated can be equal by chance.
            evidence.is_constant &= metric.estimated_in == 0;
        }
        evidence
    }

    /// Judges the totals of the runs as it judges a group.
    fn total(
        &mut self,
        groups: &[MatchedGroup],
        totals: &DiffTotals,
        metric: &Metric,
    ) -> TotalChange {
        let samples = [0, 1].map(|side| Sample::new(run_totals(groups, side, self.design)));
        let sizes = samples.each_ref().map(Sample::len);
        let means = samples
            .each_ref()
            .map(|sample| sample.mean().unwrap_or(0.0));
        let impact = Some(totals.delta / totals.a);
        let mut evidence = Evidence {
            present: self.design.runs,
            sizes,
            scale: means[0].abs().max(means[1].abs()),
            share: Some(1.0),
            impact: impact.filter(|impact| impact.is_finite()),
            least_impact: verdict::share_of_greater(totals.delta, [totals.a, totals.b]),
            ..Evidence::default()
        };
        if sizes[0] > 0 && sizes[1] > 0 {
            self.compare(&samples, &mut evidence);
            // Estimates can be equal by chance.
            evidence.is_constant &= metric.estimated_in == 0;
        }
        // There is one test.
        evidence.q = evidence.p;
        let (verdict, reason) = verdict::judge(&evidence, metric, self.design, self.options);
        let (ratio, shift) = (evidence.ratio.as_ref(), evidence.shift.as_ref());
        TotalChange {
            verdict,
            reason,
            ratio: ratio.map(|ratio| ratio.value),
            ci: ratio.and_then(ends),
            shift: shift.map(|shift| shift.value),
            shift_ci: shift.and_then(ends),
            p: evidence.p,
            n_a: sizes[0] as u64,
            n_b: sizes[1] as u64,
        }
    }

    fn compare(&mut self, samples: &[Sample; 2], evidence: &mut Evidence) {
        let [a, b] = samples;
        let alpha = self.options.alpha;
        let sizes = (a.len().min(b.len()), a.len().max(b.len()));
        let null = self
            .nulls
            .entry(sizes)
            .or_insert_with(|| RankSumNull::new(sizes.0, sizes.1));
        let is_single = a.len() < 2 || b.len() < 2;
        let is_refused = self.design.has_different_worker_counts || self.design.num_shared > 0;
        // Point estimates stay where an interval would claim too much.
        let bare = |estimate: Estimate| Estimate {
            interval: estimate.interval.filter(|_| !is_single && !is_refused),
            ..estimate
        };
        evidence.ratio = hodges_lehmann_ratio(a, b, null, alpha).map(bare);
        evidence.shift = hodges_lehmann_shift(a, b, null, alpha).map(bare);
        evidence.is_constant = a.min().is_some()
            && [a.min(), a.max(), b.max()]
                .iter()
                .all(|value| *value == b.min());
        if is_single {
            return;
        }
        evidence.cliffs_delta = cliffs_delta(a, b);
        let is_small = evidence
            .share
            .is_some_and(|share| share < self.options.least_share);
        if !is_refused && !is_small {
            evidence.p = rank_sum(a, b, null).map(|test| test.p);
        }
    }
}
