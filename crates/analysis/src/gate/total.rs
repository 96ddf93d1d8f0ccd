//! The whole run in a gate.

use sheaf_model::Direction;
use sheaf_statistics::{Estimate, RankSumNull, Sample, hodges_lehmann_ratio, rank_sum};

use super::check::share;
use super::{GateOptions, GateState};
use crate::diff::{DiffAnswer, DiffRow, is_in_part, named};

/// The whole run of candidate against baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct GateTotal {
    /// What the gate says.
    pub state: GateState,
    /// Relative change for the worse.
    pub worsening: f64,
    /// Typical ratio and its interval.
    pub ratio: Estimate,
    /// Two-sided p of the exact, tie-aware rank-sum test.
    pub p: f64,
}

/// Judges whole runs, where groups were tested: sides whose times cannot be compared have none. Otherwise why they
/// cannot be judged: what was not measured in a run is missing from its total, which says nothing of how long it
/// took.
pub(super) fn judge(
    diff: &DiffAnswer,
    totals: &[Vec<f64>; 2],
    options: &GateOptions,
) -> Result<Option<GateTotal>, String> {
    let Some(total) = total(diff, totals, options) else {
        return Ok(None);
    };
    let matters = |row: &&DiffRow| {
        let share = share(diff, row);
        is_in_part(row) && share.is_none_or(|share| share >= options.min_share)
    };
    let in_part: Vec<&DiffRow> = diff.rows.iter().filter(matters).collect();
    if in_part.is_empty() || !options.fails_on_slower {
        return Ok(Some(total));
    }
    Err(format!(
        "the whole run is not judged: `{}` was not measured in all runs of {}",
        diff.metric.name,
        named(&in_part, |row| row.path.join(" / "))
    ))
}

fn total(diff: &DiffAnswer, totals: &[Vec<f64>; 2], options: &GateOptions) -> Option<GateTotal> {
    diff.totals.filter(|_| diff.tested > 0)?;
    let [a, b] = totals
        .each_ref()
        .map(|side| Sample::new(side.iter().copied()));
    let null = RankSumNull::new(a.len(), b.len());
    let ratio = hodges_lehmann_ratio(&a, &b, &null, options.alpha)?;
    let p = rank_sum(&a, &b, &null)?.p;
    let turn = |ratio: f64| match diff.metric.direction {
        Direction::HigherIsWorse => Some(ratio - 1.0),
        Direction::HigherIsBetter => Some(1.0 / ratio - 1.0),
        Direction::Neutral => None,
    };
    let worsening = turn(ratio.value)?;
    let ends = match ratio.interval {
        Some(ends) => {
            let (one, other) = (turn(ends.low)?, turn(ends.high)?);
            Some([one.min(other), one.max(other)])
        }
        None => None,
    };
    let limit = options.max_regression;
    let state = match ends {
        _ if !options.fails_on_slower => GateState::Passed,
        Some([best, _]) if p <= options.alpha && best > 0.0 && worsening > limit => {
            GateState::Failed
        }
        // Surely better is no regression, however wide the interval.
        Some([_, worst]) if worst <= limit || worst < 0.0 => GateState::Passed,
        _ => GateState::Undecided,
    };
    Some(GateTotal {
        state,
        worsening,
        ratio,
        p,
    })
}
