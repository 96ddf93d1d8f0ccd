//! One group of a gate: whether it fails, passes, or cannot be told.

use sheaf_model::Direction;

use super::GateOptions;
use crate::diff::{DiffAnswer, DiffRow, Verdict};

/// What a gate says of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GateState {
    /// Surely and noticeably worse.
    Failed,
    /// It could be worse than its limit; these runs cannot tell.
    Undecided,
    /// It is not worse than its limit.
    Passed,
    /// Too small to matter, whatever its change.
    Small,
    /// The gate does not ask what is slower.
    NotAsked,
}

/// One group of a gate.
#[derive(Debug, Clone, PartialEq)]
pub struct GateCheck {
    /// Place of its row in the diff.
    pub row: usize,
    /// What the gate says.
    pub state: GateState,
    /// Relative change for the worse above which it fails.
    pub limit: f64,
    /// Relative change for the worse: 0.1 is a tenth slower, negative is better. Absent when the
    /// group is on one side only or no typical change can be given.
    pub worsening: Option<f64>,
    /// Greater of its two means as a share of the greater total; absent for metrics that do not add up.
    pub share: Option<f64>,
    /// Why, in one sentence.
    pub reason: String,
}

/// Checks of all groups, what fails first.
pub(super) fn checks(diff: &DiffAnswer, options: &GateOptions) -> Vec<GateCheck> {
    let rows = diff.rows.iter().enumerate();
    let mut checks: Vec<GateCheck> = rows
        .map(|(place, row)| check(diff, place, row, options))
        .collect();
    // Rows come with the greatest change first; that order stays among equals.
    checks.sort_by_key(|check| (check.state, check.row));
    checks
}

fn check(diff: &DiffAnswer, place: usize, row: &DiffRow, options: &GateOptions) -> GateCheck {
    let limit = options.limit(&row.group);
    let direction = diff.metric.direction;
    let share = share(diff, row);
    let worsening = worsening(row, direction);
    let (state, reason) = state(row, direction, limit, worsening, share, options);
    GateCheck {
        row: place,
        state,
        limit,
        worsening,
        share,
        reason,
    }
}

fn state(
    row: &DiffRow,
    direction: Direction,
    limit: f64,
    worsening: Option<f64>,
    share: Option<f64>,
    options: &GateOptions,
) -> (GateState, String) {
    let because = |state: GateState, why: &str| (state, format!("{why}: {}", row.reason));
    if !options.fails_on_slower {
        return because(GateState::NotAsked, "not asked");
    }
    match row.verdict {
        Verdict::Slower if worsening.is_some_and(|worsening| worsening <= limit) => {
            because(GateState::Passed, "slower within its own limit")
        }
        Verdict::Slower => (GateState::Failed, row.reason.clone()),
        Verdict::Appeared | Verdict::Vanished | Verdict::Faster | Verdict::Unchanged => {
            (GateState::Passed, row.reason.clone())
        }
        Verdict::Inconclusive | Verdict::Untestable => {
            if share.is_some_and(|share| share < options.min_share) {
                return because(GateState::Small, "too small to matter");
            }
            let worst = worst_end(row, direction);
            if worst.is_some_and(|worst| worst <= limit) {
                return because(GateState::Passed, "a regression is excluded");
            }
            let most = worst.zip(share).map(|(worst, share)| worst * share);
            if most.is_some_and(|most| most < options.min_share) {
                return because(GateState::Passed, "too little of the run");
            }
            (GateState::Undecided, row.reason.clone())
        }
    }
}

/// The ratio turned so that more is worse.
fn turned(ratio: f64, direction: Direction) -> Option<f64> {
    match direction {
        Direction::HigherIsWorse => Some(ratio),
        Direction::HigherIsBetter => Some(1.0 / ratio),
        Direction::Neutral => None,
    }
}

fn worsening(row: &DiffRow, direction: Direction) -> Option<f64> {
    if let Some(ratio) = row.ratio {
        return Some(turned(ratio, direction)? - 1.0);
    }
    // Where a value is not positive there is no ratio: the change as a share of the greater mean.
    let [a, b] = row.means;
    let greater = a?.abs().max(b?.abs());
    if greater <= 0.0 {
        return None;
    }
    let change = row.delta? / greater;
    match direction {
        Direction::HigherIsWorse => Some(change),
        Direction::HigherIsBetter => Some(-change),
        Direction::Neutral => None,
    }
}

/// The end of the interval that is worse for the candidate, as a relative change.
fn worst_end(row: &DiffRow, direction: Direction) -> Option<f64> {
    let ends = row.interval?;
    let [low, high] = [turned(ends[0], direction)?, turned(ends[1], direction)?];
    Some(low.max(high) - 1.0)
}

/// Greater of the means of a group as a share of the greater total.
pub(super) fn share(diff: &DiffAnswer, row: &DiffRow) -> Option<f64> {
    let totals = diff.inside.as_ref()?;
    let total = totals.a.abs().max(totals.b.abs());
    let [a, b] = row.means.map(|mean| mean.unwrap_or(0.0).abs());
    (total > 0.0).then(|| a.max(b) / total)
}
