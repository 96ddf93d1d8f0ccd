//! The whole run in a gate.

use sheaf_model::Direction;
use sheaf_statistics::{RankSumNull, Sample, hodges_lehmann_ratio, rank_sum, runs_needed};

use super::GateOptions;
use super::check::share;
use crate::diff::{Comparison, is_in_part};
use sheaf_answers::{DiffRow, GateElapsed, GateState, GateTotal, Reason, Why};

/// Judges whole runs, however small their groups are; nothing where there is nothing to judge: metrics that do not
/// add up or of which neither way is worse, and totals that are all zero.
///
/// # Errors
/// Why they cannot be judged, in a clause.
pub(super) fn total(
    diff: &Comparison,
    totals: &[Vec<f64>; 2],
    options: &GateOptions,
) -> Result<Option<GateTotal>, Box<Reason>> {
    let is_additive = diff.metric.kind.adds_up();
    if !is_additive || diff.metric.direction == Direction::Neutral {
        return Ok(None);
    }
    if let Some(untested) = &diff.untested {
        return Err(Box::new(untested.clone()));
    }
    if let Some(unmeasured) = unmeasured(diff, options) {
        return Err(Box::new(unmeasured));
    }
    if diff.answer.totals.is_none() {
        return Err(Box::new(Why::NoTotals.into()));
    }
    let samples = totals
        .each_ref()
        .map(|side| Sample::new(side.iter().copied()));
    let [a, b] = &samples;
    if a.len() < 2 || b.len() < 2 {
        let why = Why::TooFewRuns {
            runs_a: a.len() as u64,
            runs_b: b.len() as u64,
            alpha: options.alpha,
            smallest_p: None,
            needed: runs_needed(options.alpha).map(|runs| runs as u64),
        };
        return Err(Box::new(why.into()));
    }
    let ends = samples.iter().flat_map(|side| [side.min(), side.max()]);
    if ends.flatten().all(|value| value == 0.0) {
        return Ok(None);
    }
    let total = judged(diff.metric.direction, &samples, options);
    total
        .map(Some)
        .ok_or_else(|| Box::new(Why::NoTypicalRatio.into()))
}

/// Judges the elapsed time, which can be longer with the same work: what ran side by side runs in turn. Nothing where the
/// metric is not work, the sides may not be tested, or one has fewer than two elapsed times.
pub(super) fn elapsed(diff: &Comparison, options: &GateOptions) -> Option<GateElapsed> {
    let samples = diff
        .elapsed
        .each_ref()
        .map(|side| Sample::new(side.iter().copied()));
    let [a, b] = &samples;
    if diff.untested.is_some() || a.len() < 2 || b.len() < 2 {
        return None;
    }
    Some(GateElapsed {
        a: a.mean()?,
        b: b.mean()?,
        change: judged(Direction::HigherIsWorse, &samples, options)?,
    })
}

/// Total and elapsed time are one family of two tests: if only one of them is significant, it must be at half of alpha
/// (Hochberg 1988).
pub(super) fn share_alpha(
    total: Option<&mut GateTotal>,
    elapsed: Option<&mut GateTotal>,
    options: &GateOptions,
) {
    let (Some(total), Some(elapsed)) = (total, elapsed) else {
        return;
    };
    if total.p.max(elapsed.p) <= options.alpha {
        return;
    }
    for change in [total, elapsed] {
        if change.state == GateState::Failed && change.p > options.alpha / 2.0 {
            change.state = GateState::Undecided;
        }
    }
}

/// What was not measured in a run is missing from its total, which says nothing of how long it took.
fn unmeasured(diff: &Comparison, options: &GateOptions) -> Option<Reason> {
    let matters = |(row, not_measured): &(&DiffRow, &[usize; 2])| {
        let share = share(diff, row);
        is_in_part(row, **not_measured) && share.is_none_or(|share| share >= options.min_share)
    };
    let rows = diff.answer.rows.iter().zip(&diff.not_measured);
    let names = rows.filter(matters).map(|(row, _)| row.path.join(" / "));
    let groups: Vec<String> = names.collect();
    let metric = diff.metric.name.clone();
    (!groups.is_empty()).then(|| Why::NotMeasuredInAllRuns { metric, groups }.into())
}

fn judged(direction: Direction, [a, b]: &[Sample; 2], options: &GateOptions) -> Option<GateTotal> {
    let null = RankSumNull::new(a.len(), b.len());
    let ratio = hodges_lehmann_ratio(a, b, &null, options.alpha)?;
    let p = rank_sum(a, b, &null)?.p;
    let turn = |ratio: f64| match direction {
        Direction::HigherIsWorse => Some(ratio - 1.0),
        Direction::HigherIsBetter => Some(1.0 / ratio - 1.0),
        Direction::Neutral => None,
    };
    let regression = turn(ratio.value)?;
    let ends = match ratio.interval {
        Some(ends) => {
            let (one, other) = (turn(ends.low)?, turn(ends.high)?);
            Some([one.min(other), one.max(other)])
        }
        None => None,
    };
    let limit = options.max_regression;
    let state = match ends {
        _ if !options.fails_on_slower => GateState::NotAsked,
        Some([best, _]) if p <= options.alpha && best > 0.0 && regression > limit => {
            GateState::Failed
        }
        // Surely better is no regression, however wide the interval.
        Some([_, worst]) if worst <= limit || worst < 0.0 => GateState::Passed,
        _ => GateState::Undecided,
    };
    Some(GateTotal {
        state,
        regression,
        ratio: ratio.value,
        ci: ratio.interval.map(|ends| [ends.low, ends.high]),
        p,
    })
}
