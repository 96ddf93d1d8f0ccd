//! One group of a gate: whether it fails, passes, or is undecided.

use sheaf_model::Direction;

use super::GateOptions;
use crate::diff::Comparison;
use sheaf_answers::{DiffRow, GateGroup, GateState, Reason, Verdict, Why};

/// Checks all groups; those that fail come first.
pub(super) fn groups(diff: &Comparison, options: &GateOptions) -> Vec<GateGroup> {
    let rows = diff.answer.rows.iter().enumerate();
    let mut groups: Vec<GateGroup> = rows
        .map(|(place, row)| group(diff, place, row, options))
        .collect();
    // Rows come with the largest change first; that order stays among equals.
    groups.sort_by_key(|group| (group.state, group.row));
    groups
}

fn group(diff: &Comparison, place: usize, row: &DiffRow, options: &GateOptions) -> GateGroup {
    let limit = options.limit(&row.group);
    let direction = diff.metric.direction;
    let share = share(diff, row);
    let regression = regression(row, direction);
    let (state, reason) = state(row, direction, limit, regression, share, options);
    GateGroup {
        path: row.path.clone(),
        group: row.group.clone(),
        row: place as u64,
        state,
        limit,
        regression,
        share,
        reason,
    }
}

fn state(
    row: &DiffRow,
    direction: Direction,
    limit: f64,
    regression: Option<f64>,
    share: Option<f64>,
    options: &GateOptions,
) -> (GateState, Reason) {
    let reason = Box::new(row.reason.clone());
    if !options.fails_on_slower {
        return (GateState::NotAsked, Why::NotAsked { reason }.into());
    }
    match row.verdict {
        Verdict::Slower if regression.is_some_and(|regression| regression <= limit) => {
            (GateState::Passed, Why::WithinOwnLimit { reason }.into())
        }
        Verdict::Slower => (GateState::Failed, *reason),
        Verdict::Appeared | Verdict::Vanished | Verdict::Faster | Verdict::Unchanged => {
            (GateState::Passed, *reason)
        }
        Verdict::Inconclusive | Verdict::Untestable => {
            if share.is_some_and(|share| share < options.min_share) {
                return (GateState::Small, Why::TooSmallToMatter { reason }.into());
            }
            let worst = worst_end(row, direction);
            if worst.is_some_and(|worst| worst <= limit) {
                return (GateState::Passed, Why::RegressionExcluded { reason }.into());
            }
            let most = worst.zip(share).map(|(worst, share)| worst * share);
            if most.is_some_and(|most| most < options.min_share) {
                return (GateState::Passed, Why::TooLittleOfRun { reason }.into());
            }
            (GateState::Undecided, *reason)
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

fn regression(row: &DiffRow, direction: Direction) -> Option<f64> {
    if let Some(ratio) = row.ratio {
        return Some(turned(ratio, direction)? - 1.0);
    }
    // A value that is not positive has no ratio. The change is then a share of the larger mean.
    let [a, b] = row.means();
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
    let ends = row.ci?;
    let [low, high] = [turned(ends[0], direction)?, turned(ends[1], direction)?];
    Some(low.max(high) - 1.0)
}

/// Greater of the means of a group as a share of the larger total; absent of a group that is not part of the totals, as
/// only one side measured it.
pub(super) fn share(diff: &Comparison, row: &DiffRow) -> Option<f64> {
    let totals = diff.inside.as_ref()?;
    let total = totals.a.abs().max(totals.b.abs());
    let [a, b] = row.means().map(|mean| mean.unwrap_or(0.0).abs());
    let share = (total > 0.0).then(|| a.max(b) / total);
    share.filter(|share| *share <= 1.0 + f64::EPSILON)
}
