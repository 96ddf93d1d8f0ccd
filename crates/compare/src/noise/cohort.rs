//! Noise of one cohort.

use std::collections::BTreeMap;

use rayon::prelude::*;
use sheaf_answers::{GateOutcome, NoiseCohort, NoiseGroup, SplitCheck};
use sheaf_model::{Lens, Level, ParamValue, Progress, RunMeta, Scope};
use sheaf_statistics::{MAD_TO_SIGMA, Sample, halves, smallest_p};

use super::shifts::Shifts;
use super::{NOISE_RUNS, NoiseOptions, judged};
use crate::diff::{DiffGroup, DiffInput, DiffSide, Mapping, diff, names_among, path_with};
use crate::gate::gate;
use sheaf_analysis::Cohort;
use sheaf_analysis::Error;
use sheaf_analysis::GroupId;
use sheaf_analysis::Grouped;
use sheaf_analysis::Measurement;

/// What turns an interquartile range of normal data into a standard deviation: 2 Φ⁻¹(¾).
const IQR_OF_SIGMA: f64 = 1.348_979_500_392_163_5;

pub(super) fn cohort_noise(
    lens: &Lens,
    grouped: &Grouped,
    cohort: &Cohort,
    options: &NoiseOptions,
    shifts: &mut Shifts,
    progress: &Progress,
) -> Result<NoiseCohort, Error> {
    let repeats = Repeats::new(lens, grouped, cohort);
    let (check, seen) = repeats.splits(options, progress)?;
    let mut groups = repeats.rows(options, shifts, &seen);
    groups.sort_by(|x, y| {
        let shares = y.share.unwrap_or(0.0).total_cmp(&x.share.unwrap_or(0.0));
        shares.then_with(|| (&x.path, &x.group).cmp(&(&y.path, &y.group)))
    });
    Ok(NoiseCohort {
        name: cohort.name.clone(),
        values: cohort.values.clone(),
        runs: repeats.runs.iter().map(|run| run.id.to_string()).collect(),
        groups,
        check,
        preempted_share: preempted(&repeats.runs),
    })
}

/// Median of the shares that recorded runs have as a parameter.
fn preempted(runs: &[&RunMeta]) -> Option<f64> {
    let share = |run: &&RunMeta| match run.params.get("preempted_share") {
        Some(ParamValue::Number(share)) => Some(*share),
        _ => None,
    };
    let mut shares: Vec<f64> = runs.iter().filter_map(share).collect();
    shares.sort_by(f64::total_cmp);
    let upper = shares.get(shares.len() / 2)?;
    let lower = shares.get((shares.len() - 1) / 2)?;
    Some(f64::midpoint(*lower, *upper))
}

/// The runs of a cohort that have the metric, with the values of every group that occurs in any.
struct Repeats<'a> {
    grouped: &'a Grouped,
    runs: Vec<&'a RunMeta>,
    groups: Vec<Repeated>,
    totals: Vec<f64>,
}

struct Repeated {
    id: String,
    path: Vec<String>,
    is_outside: bool,
    exclusive: Vec<Measurement>,
    inclusive: Vec<Measurement>,
}

impl Repeated {
    /// Values as a diff takes them: zero where an additive metric is absent.
    fn values(&self, is_additive: bool) -> Sample {
        let value = |(own, all): (&Measurement, &Measurement)| match own
            .or_zero_if_callees_measured(*all)
        {
            Measurement::Value(value) => Some(value),
            Measurement::NotMeasured => None,
            Measurement::Absent => is_additive.then_some(0.0),
        };
        let both = self.exclusive.iter().zip(&self.inclusive);
        Sample::new(both.filter_map(value))
    }

    /// Values of the runs in which it was measured, as `stats` has them.
    fn measured(&self) -> Sample {
        Sample::new(
            self.exclusive
                .iter()
                .filter_map(|measurement| measurement.value()),
        )
    }
}

impl<'a> Repeats<'a> {
    fn new(lens: &Lens, grouped: &'a Grouped, cohort: &Cohort) -> Self {
        let (tree, values) = (&grouped.tree, &grouped.values);
        let has_metric = |run: &&usize| values.totals()[**run].value().is_some();
        let places: Vec<usize> = cohort.runs.iter().filter(has_metric).copied().collect();
        let pick = |measurements: &[Measurement]| -> Vec<Measurement> {
            places.iter().map(|&place| measurements[place]).collect()
        };
        // A cohort has its own names, whatever the others call its definitions.
        let names = names_among(tree, &cohort.runs);
        let groups = grouped.grouping.groups.iter().enumerate();
        let repeated = groups.map(|(index, group)| Repeated {
            id: group.id.to_string(),
            path: match (lens.level, &group.id, group.definition) {
                (Level::Context, _, _) => path_with(tree, group.first_node, &names),
                (_, GroupId::Definition(_), Some(own)) => vec![names[own].name.to_string()],
                _ => vec![group.name.to_string()],
            },
            is_outside: group.is_outside,
            exclusive: pick(values.of(Scope::Exclusive, index)),
            inclusive: pick(values.of(Scope::Inclusive, index)),
        });
        let occurs = |group: &Repeated| {
            let mut both = group.exclusive.iter().chain(&group.inclusive);
            both.any(|measurement| measurement.is_present())
        };
        Self {
            grouped,
            groups: repeated.filter(occurs).collect(),
            totals: places
                .iter()
                .map(|&place| values.totals()[place].or_zero())
                .collect(),
            runs: places
                .iter()
                .map(|&place| &*tree.runs()[place].meta)
                .collect(),
        }
    }

    /// Gates between halves; and for each group by how much halves differed, as logarithms.
    fn splits(
        &self,
        options: &NoiseOptions,
        progress: &Progress,
    ) -> Result<(Option<SplitCheck>, BTreeMap<String, Sample>), Error> {
        let count = self.runs.len();
        if count < 2 {
            return Ok((None, BTreeMap::new()));
        }
        let ways = halves(count, options.most_splits, options.seed);
        let gates: Vec<Judged> = ways
            .first
            .par_iter()
            .map(|first| {
                progress.check()?;
                let rest = (0..count).filter(|place| first.binary_search(place).is_err());
                Ok(self.judge([first, &rest.collect::<Vec<_>>()], options))
            })
            .collect::<Result<_, Error>>()?;
        let sizes = [count / 2, count - count / 2];
        let check = SplitCheck {
            splits: gates.len() as u64,
            is_all: ways.is_all,
            can_fail: smallest_p(sizes[0], sizes[1]) <= options.gate.alpha,
            gates: 2 * gates.len() as u64,
            failed: gates.iter().map(|one| one.failed).sum(),
            ..SplitCheck::default()
        };
        let check = judged(check, options.gate.alpha);
        let mut changes: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for (group, change) in gates.into_iter().flat_map(|one| one.changes) {
            changes.entry(group).or_default().push(change);
        }
        let samples = changes.into_iter();
        let samples = samples.map(|(group, changes)| (group, Sample::new(changes)));
        Ok((Some(check), samples.collect()))
    }

    /// Both halves as the candidate of a gate.
    fn judge(&self, halves: [&[usize]; 2], options: &NoiseOptions) -> Judged {
        let mut judged = Judged::default();
        for sides in [halves, [halves[1], halves[0]]] {
            let side = |side: usize| DiffSide {
                name: String::new(),
                runs: sides[side].iter().map(|&place| self.runs[place]).collect(),
            };
            let pick = |measurements: &[Measurement]| {
                sides.map(|side| side.iter().map(|&place| measurements[place]).collect())
            };
            let group = |group: &Repeated| DiffGroup {
                id: group.id.clone(),
                paths: [Vec::new(), Vec::new()],
                lines: [None; 2],
                definition: None,
                is_outside: group.is_outside,
                incomparable: None,
                exclusive: pick(&group.exclusive),
                inclusive: pick(&group.inclusive),
            };
            let input = DiffInput {
                sides: [side(0), side(1)],
                metric: self.grouped.metric.clone(),
                groups: self.groups.iter().map(group).collect(),
                contexts: Vec::new(),
                definitions: Vec::new(),
                mapping: Mapping::default(),
            };
            let totals = sides.map(|side| side.iter().map(|&place| self.totals[place]).collect());
            let answer = gate(
                diff(input, &options.gate.diff_options()),
                &totals,
                &options.gate,
            );
            judged.failed += u64::from(answer.outcome == GateOutcome::Failed);
            if judged.changes.is_empty() {
                let changes = answer.diff.rows.into_iter();
                judged.changes = changes
                    .filter_map(|row| Some((row.group, row.ratio?.ln().abs())))
                    .collect();
            }
        }
        judged
    }

    fn rows(
        &self,
        options: &NoiseOptions,
        shifts: &mut Shifts,
        seen: &BTreeMap<String, Sample>,
    ) -> Vec<NoiseGroup> {
        let gate = &options.gate;
        let mean_total = Sample::new(self.totals.iter().copied()).mean();
        let samples: Vec<(&Repeated, Sample)> = self
            .groups
            .iter()
            .filter(|group| !group.measured().is_empty())
            .map(|group| (group, group.values(self.grouped.metric.kind.adds_up())))
            .collect();
        let share = |sample: &Sample| {
            let total =
                mean_total.filter(|&total| total > 0.0 && self.grouped.metric.kind.adds_up())?;
            Some(sample.mean()? / total)
        };
        // As many tests as a gate makes: a change that is alone must pass them all.
        let is_tested = |sample: &Sample| {
            share(sample).is_none_or(|share| share >= gate.diff_options().least_share)
        };
        let tested = samples
            .iter()
            .filter(|(_, sample)| is_tested(sample))
            .count();
        let alpha = gate.alpha / tested.max(1) as f64;
        let mut shift = |runs| shifts.of(runs, alpha, options);
        let (own, others) = (shift(self.runs.len()), NOISE_RUNS.map(shift));
        let row = |(group, sample): (&Repeated, Sample)| {
            let measured = group.measured();
            // A gate compares runs without it as well, which have none of it.
            let compared = spread(&sample);
            let visible = |shift: Option<f64>| Some((compared? * shift?).exp_m1());
            let half = seen
                .get(&group.id)
                .and_then(|sample| sample.quantile(1.0 - gate.alpha));
            let seen = half.map(f64::exp_m1);
            let both = [visible(own), seen];
            NoiseGroup {
                group: group.id.clone(),
                path: group.path.clone(),
                runs: measured.len() as u64,
                median: measured.median().unwrap_or(0.0),
                share: share(&sample),
                spread: spread(&measured),
                visible: visible(own),
                visible_with: NOISE_RUNS
                    .iter()
                    .zip(others)
                    .filter_map(|(runs, shift)| Some((runs.to_string(), visible(shift)?)))
                    .collect(),
                seen,
                threshold: both.into_iter().flatten().reduce(f64::max),
            }
        };
        samples.into_iter().map(row).collect()
    }
}

#[derive(Default)]
struct Judged {
    /// Gates that failed, of two.
    failed: u64,
    /// Size of the typical change of each group, as a logarithm.
    changes: Vec<(String, f64)>,
}

/// Robust standard deviation of the logarithms.
fn spread(sample: &Sample) -> Option<f64> {
    if sample.len() < 3 || sample.min()? <= 0.0 {
        return None;
    }
    let logarithms = Sample::new(sample.values().iter().map(|value| value.ln()));
    let deviation = MAD_TO_SIGMA * logarithms.median_absolute_deviation()?;
    Some(deviation.max(logarithms.interquartile_range()? / IQR_OF_SIGMA))
}
