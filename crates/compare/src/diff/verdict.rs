//! The verdict on a group, and its reason.

use sheaf_model::Direction;

use super::DiffOptions;
use super::environment::Design;
use sheaf_analysis::Metric;
use sheaf_answers::{Reason, TypicalChange, Verdict, WhichSide, Why};
use sheaf_statistics::Estimate;

/// All that a verdict rests on.
#[derive(Debug, Clone, Default)]
pub(super) struct Evidence {
    /// Runs of each side in which the group occurs.
    pub(super) present: [usize; 2],
    /// Values of each side that are compared.
    pub(super) sizes: [usize; 2],
    /// The greater of the two means.
    pub(super) scale: f64,
    /// Share of the work of both sides.
    pub(super) share: Option<f64>,
    /// Change as a share of the baseline's total.
    pub(super) impact: Option<f64>,
    /// Size of the change as a share of the larger total: the size of the impact on whichever side makes it less,
    /// so that swapped sides agree on what matters.
    pub(super) least_impact: Option<f64>,
    pub(super) ratio: Option<Estimate>,
    /// Difference; verdicts rest on it where a value is not positive and there is no ratio.
    pub(super) shift: Option<Estimate>,
    /// Whether all values of both sides are equal.
    pub(super) is_constant: bool,
    pub(super) cliffs_delta: Option<f64>,
    pub(super) p: Option<f64>,
    pub(super) q: Option<f64>,
    /// Why the values are not compared, if they are not.
    pub(super) incomparable: Option<Reason>,
}

/// A change in relative terms: by how much, and between which ends.
#[derive(Clone, Copy)]
struct Change {
    value: f64,
    ends: Option<[f64; 2]>,
    /// Where changes begin to matter, downwards and upwards.
    limits: [f64; 2],
}

impl Change {
    fn is_inside(&self) -> bool {
        let [low, high] = self.limits;
        self.ends
            .is_some_and(|ends| low <= ends[0] && ends[1] <= high)
    }

    fn excludes_none(&self) -> bool {
        self.ends.is_some_and(|ends| ends[0] > 0.0 || ends[1] < 0.0)
    }

    fn exceeds(&self) -> bool {
        self.value < self.limits[0] || self.value > self.limits[1]
    }
}

impl Evidence {
    /// The change of the typical ratio; of the typical difference where there is no ratio, as a
    /// share of the larger mean.
    fn change(&self, threshold: f64) -> Option<Change> {
        if let Some(ratio) = &self.ratio {
            return Some(Change {
                value: ratio.value - 1.0,
                ends: ratio.interval.map(|ends| [ends.low - 1.0, ends.high - 1.0]),
                // Symmetric on the logarithmic scale, so that swapped sides agree.
                limits: [1.0 / (1.0 + threshold) - 1.0, threshold],
            });
        }
        let shift = self.shift.as_ref().filter(|_| self.scale > 0.0)?;
        Some(Change {
            value: shift.value / self.scale,
            ends: shift
                .interval
                .map(|ends| [ends.low / self.scale, ends.high / self.scale]),
            limits: [-threshold, threshold],
        })
    }
}

/// The verdict and its reason.
pub(super) fn judge(
    evidence: &Evidence,
    metric: &Metric,
    design: &Design,
    options: &DiffOptions,
) -> (Verdict, Reason) {
    let [in_a, in_b] = evidence.present;
    if let (true, Some(reason)) = (in_a == 0 || in_b == 0, &evidence.incomparable) {
        return (Verdict::Untestable, reason.clone());
    }
    if let Some((verdict, why)) = occurrence(evidence, metric, design) {
        return (verdict, why.into());
    }
    if design.is_same {
        return (Verdict::Unchanged, Why::SameRuns.into());
    }
    let [size_a, size_b] = evidence.sizes;
    if size_a == 0 || size_b == 0 {
        let side = (size_a != size_b).then(|| WhichSide::of(usize::from(size_a > 0)));
        let metric = metric.name.clone();
        return (
            Verdict::Untestable,
            Why::NotMeasured { metric, side }.into(),
        );
    }
    if let Some(reason) = &evidence.incomparable {
        return (Verdict::Untestable, reason.clone());
    }
    let untestable = if size_a == 1 || size_b == 1 {
        Some(Why::SingleRun {
            runs_a: size_a as u64,
            runs_b: size_b as u64,
        })
    } else if design.num_shared > 0 {
        let runs = design.num_shared as u64;
        Some(Why::RunsOnBothSides { runs })
    } else {
        design
            .has_different_worker_counts
            .then_some(Why::OtherWidth)
    };
    if let Some(why) = untestable {
        return (Verdict::Untestable, why.into());
    }
    if evidence.is_constant {
        let values = (size_a + size_b) as u64;
        return (Verdict::Unchanged, Why::AllEqual { values }.into());
    }
    if !design.can_reach(options.alpha) {
        return (Verdict::Untestable, design.limit(options.alpha));
    }
    let (verdict, why) = judge_change(evidence, metric, options);
    (verdict, why.into())
}

/// Verdict on a group that does not occur on both sides.
fn occurrence(evidence: &Evidence, metric: &Metric, design: &Design) -> Option<(Verdict, Why)> {
    let [in_a, in_b] = evidence.present.map(|runs| runs as u64);
    let [runs_a, runs_b] = design.has_metric.each_ref().map(|runs| runs.len() as u64);
    let [size_a, size_b] = evidence.sizes;
    let unmeasured = |size: usize| (size == 0).then(|| metric.name.clone());
    match (in_a, in_b) {
        (0, 0) => Some((Verdict::Untestable, Why::InNoRun)),
        (0, _) => {
            let why = Why::Appeared {
                runs_a,
                in_b,
                runs_b,
                unmeasured: unmeasured(size_b),
            };
            Some((Verdict::Appeared, why))
        }
        (_, 0) => {
            let why = Why::Vanished {
                in_a,
                runs_a,
                runs_b,
                unmeasured: unmeasured(size_a),
            };
            Some((Verdict::Vanished, why))
        }
        _ => None,
    }
}

fn judge_change(evidence: &Evidence, metric: &Metric, options: &DiffOptions) -> (Verdict, Why) {
    let threshold = options.threshold;
    let Some(found) = evidence.change(threshold) else {
        return (Verdict::Inconclusive, Why::NoTypicalChange);
    };
    let change = typical(evidence, &found);
    if found.is_inside() {
        return (
            Verdict::Unchanged,
            Why::WithinThreshold { change, threshold },
        );
    }
    let Some(q) = evidence.q else {
        let why = Why::TooSmallToTest {
            change,
            share: evidence.share.unwrap_or(0.0),
            min_share: options.least_share,
        };
        return (Verdict::Inconclusive, why);
    };
    let alpha = options.alpha;
    if q > alpha {
        return (Verdict::Inconclusive, Why::NotSignificant { change, alpha });
    }
    if !found.excludes_none() {
        return (Verdict::Inconclusive, Why::IntervalContainsNone { change });
    }
    if !found.exceeds() {
        let change = Some(change);
        return (
            Verdict::Inconclusive,
            Why::BelowThreshold { change, threshold },
        );
    }
    if is_too_little(evidence.least_impact, options.least_impact) {
        let (change, min_share) = (Some(change), options.least_impact);
        return (
            Verdict::Inconclusive,
            Why::TooLittleOfTotal { change, min_share },
        );
    }
    match (metric.direction, found.value > 0.0) {
        (Direction::HigherIsWorse, true) | (Direction::HigherIsBetter, false) => {
            (Verdict::Slower, Why::Changed { change })
        }
        (Direction::HigherIsWorse, false) | (Direction::HigherIsBetter, true) => {
            (Verdict::Faster, Why::Changed { change })
        }
        (Direction::Neutral, _) => {
            let change = Some(change);
            (Verdict::Inconclusive, Why::NeitherWayIsWorse { change })
        }
    }
}

/// Size of a change as a share of the greater of the totals before and after it; absent where both are zero.
pub(crate) fn share_of_greater(delta: f64, totals: [f64; 2]) -> Option<f64> {
    let greater = totals[0].abs().max(totals[1].abs());
    (greater > 0.0).then(|| delta.abs() / greater)
}

/// Whether a sure change does not matter, because it is below the share `least` of the larger total.
pub(crate) fn is_too_little(share: Option<f64>, least: f64) -> bool {
    share.is_some_and(|share| share < least)
}

fn typical(evidence: &Evidence, change: &Change) -> TypicalChange {
    let estimate = evidence.ratio.as_ref().or(evidence.shift.as_ref());
    let interval = estimate.and_then(|estimate| estimate.interval);
    TypicalChange {
        change: change.value,
        of_larger_mean: evidence.ratio.is_none(),
        of_elapsed: false,
        interval: change.ends,
        coverage: interval.map(|interval| interval.coverage),
        runs_a: evidence.sizes[0] as u64,
        runs_b: evidence.sizes[1] as u64,
        q: evidence.q,
        impact: evidence.impact,
    }
}
