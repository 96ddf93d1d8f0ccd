//! What can be said of a group, and why.

use sheaf_model::Direction;

use super::DiffOptions;
use super::environment::Design;
use sheaf_analysis::Metric;
use sheaf_answers::Verdict;
use sheaf_answers::text::{change as signed, number, percent};
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
    /// Size of the change as a share of the greater total: the size of the impact on whichever side makes it less,
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
    pub(super) incomparable: Option<String>,
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
    /// share of the greater mean.
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

/// The verdict and one sentence of reason.
pub(super) fn judge(
    evidence: &Evidence,
    metric: &Metric,
    design: &Design,
    options: &DiffOptions,
) -> (Verdict, String) {
    let [in_a, in_b] = evidence.present;
    let [runs_a, runs_b] = design.has_metric.each_ref().map(Vec::len);
    let [size_a, size_b] = evidence.sizes;
    let unmeasured = |size: usize| match size {
        0 => format!("; `{}` was not measured there", metric.name),
        _ => String::new(),
    };
    if let (true, Some(reason)) = (in_a == 0 || in_b == 0, &evidence.incomparable) {
        return (Verdict::Untestable, reason.clone());
    }
    match (in_a, in_b) {
        (0, 0) => return (Verdict::Untestable, "occurs in no run".to_owned()),
        (0, _) => {
            let reason = format!("in none of {runs_a} runs before, in {in_b} of {runs_b} now");
            return (Verdict::Appeared, reason + &unmeasured(size_b));
        }
        (_, 0) => {
            let reason = format!("in {in_a} of {runs_a} runs before, in none of {runs_b} now");
            return (Verdict::Vanished, reason + &unmeasured(size_a));
        }
        _ => {}
    }
    if design.is_same {
        return (
            Verdict::Unchanged,
            "both sides are the same runs".to_owned(),
        );
    }
    let place = match (size_a, size_b) {
        (0, 0) => Some("here"),
        (0, _) => Some("in the baseline"),
        (_, 0) => Some("in the candidate"),
        _ => None,
    };
    if let Some(place) = place {
        let reason = format!("`{}` was not measured {place}", metric.name);
        return (Verdict::Untestable, reason);
    }
    if let Some(reason) = &evidence.incomparable {
        return (Verdict::Untestable, reason.clone());
    }
    if size_a == 1 || size_b == 1 {
        let reason = format!("not testable: {size_a} against {size_b} runs (n = 1)");
        return (Verdict::Untestable, reason);
    }
    if design.num_shared > 0 {
        let reason = format!("{} runs are on both sides", design.num_shared);
        return (Verdict::Untestable, reason);
    }
    if design.is_other_width {
        let reason = "times with different numbers of workers are not tested".to_owned();
        return (Verdict::Untestable, reason);
    }
    if evidence.is_constant {
        let reason = format!("all {} values are equal", size_a + size_b);
        return (Verdict::Unchanged, reason);
    }
    if !design.can_reach(options.alpha) {
        return (Verdict::Untestable, design.limit(options.alpha));
    }
    judge_change(evidence, metric, options)
}

fn judge_change(evidence: &Evidence, metric: &Metric, options: &DiffOptions) -> (Verdict, String) {
    let Some(change) = evidence.change(options.threshold) else {
        return (
            Verdict::Inconclusive,
            "no typical change can be given".to_owned(),
        );
    };
    let text = describe(evidence, &change);
    let threshold = percent(options.threshold);
    if change.is_inside() {
        return (Verdict::Unchanged, format!("{text}: within {threshold}"));
    }
    let Some(q) = evidence.q else {
        let share = percent(evidence.share.unwrap_or(0.0));
        let least = percent(options.least_share);
        let reason = format!("{text}; not tested: {share} of the work, below {least}");
        return (Verdict::Inconclusive, reason);
    };
    let inconclusive = |why: String| (Verdict::Inconclusive, format!("{text}: {why}"));
    if q > options.alpha {
        return inconclusive(format!("q above {}", percent(options.alpha)));
    }
    if !change.excludes_none() {
        return inconclusive("the interval contains no change".to_owned());
    }
    if !change.exceeds() {
        return inconclusive(format!("significant, not above {threshold}"));
    }
    if let Some(why) = too_little(evidence.least_impact, options.least_impact) {
        return inconclusive(why);
    }
    let verdict = match (metric.direction, change.value > 0.0) {
        (Direction::HigherIsWorse, true) | (Direction::HigherIsBetter, false) => Verdict::Slower,
        (Direction::HigherIsWorse, false) | (Direction::HigherIsBetter, true) => Verdict::Faster,
        (Direction::Neutral, _) => {
            return inconclusive("changed, but neither way is worse for this metric".to_owned());
        }
    };
    (verdict, text)
}

/// Size of a change as a share of the greater of the totals before and after it; absent where both are zero.
pub(crate) fn share_of_greater(delta: f64, totals: [f64; 2]) -> Option<f64> {
    let greater = totals[0].abs().max(totals[1].abs());
    (greater > 0.0).then(|| delta.abs() / greater)
}

/// Why a sure change does not matter: it is below the share `least` of the greater total.
pub(crate) fn too_little(share: Option<f64>, least: f64) -> Option<String> {
    share.filter(|share| *share < least)?;
    let least = percent(least);
    Some(format!(
        "significant, but below {least} of the greater total"
    ))
}

/// `+12.3 % (95.9 % interval +8.1 % to +15 %), 6 against 6 runs, q = 0.012, +4.2 % of the baseline's total`.
fn describe(evidence: &Evidence, change: &Change) -> String {
    let mut size = signed(change.value);
    if evidence.ratio.is_none() {
        size.push_str(" of the greater mean");
    }
    let estimate = evidence.ratio.as_ref().or(evidence.shift.as_ref());
    let interval = estimate.and_then(|estimate| estimate.interval);
    let interval = change.ends.zip(interval).map(|([low, high], interval)| {
        let coverage = percent(interval.coverage);
        format!(" ({coverage} interval {} to {})", signed(low), signed(high))
    });
    let [a, b] = evidence.sizes;
    let mut parts = vec![
        size + interval.as_deref().unwrap_or_default(),
        format!("{a} against {b} runs"),
    ];
    if evidence.ratio.is_none() {
        parts.push("by differences as not all values are positive".to_owned());
    }
    parts.extend(evidence.q.map(|q| format!("q = {}", number(q))));
    parts.extend(
        evidence
            .impact
            .map(|impact| format!("{} of the baseline's total", signed(impact))),
    );
    parts.join(", ")
}
