//! What was not measured, and what that means for totals.

use super::DiffGroup;
use super::environment::Design;
use super::rows::Row;
use sheaf_analysis::Metric;
use sheaf_answers::{DiffFact, DiffRow, DiffTotals, Note, PartlyMeasured};

/// Maximum number of groups that are named.
pub(crate) const MAX_NAMED: usize = 3;

/// Puts zeros where a group has no value of its own and something below it was measured, if it has one in any run: a
/// profiler that samples keeps no zeros.
pub(super) fn complete(group: &mut DiffGroup) {
    let mut own = group.exclusive.iter().flatten();
    if !own.any(|measurement| measurement.value().is_some()) {
        return;
    }
    for (own, all) in group.exclusive.iter_mut().zip(&group.inclusive) {
        for (own, all) in own.iter_mut().zip(all) {
            *own = own.or_zero_if_callees_measured(*all);
        }
    }
}

/// Whether a group was measured in some runs but not in all in which it occurs. What was measured in none is as if
/// it had nothing of the metric everywhere.
pub(crate) fn is_in_part(row: &DiffRow, not_measured: [usize; 2]) -> bool {
    not_measured != [0, 0] && row.means().iter().any(Option::is_some)
}

/// Whether it occurs on a side without being measured there.
fn is_unknown((row, not_measured): &Row, design: &Design) -> bool {
    let means = row.means();
    let is_side =
        |side: usize| design.runs[side] == 0 || means[side].is_none() && not_measured[side] > 0;
    is_side(0) || is_side(1)
}

/// Says why there are no totals, or what they are of where groups were not measured in all runs.
pub(super) fn note(
    notes: &mut Vec<Note>,
    rows: &[Row],
    totals: Option<&DiffTotals>,
    metric: &Metric,
    design: &Design,
) {
    if !metric.kind.adds_up() {
        return;
    }
    let metric = metric.name.clone();
    if totals.is_none() {
        let missing = DiffFact::TotalsMissing {
            metric,
            beyond_range: rows.iter().any(|row| !is_unknown(row, design)),
        };
        notes.push(missing.into());
        return;
    }
    let is_partial = |(row, not_measured): &&Row| is_in_part(row, *not_measured);
    let mut in_part: Vec<&Row> = rows.iter().filter(is_partial).collect();
    if in_part.is_empty() {
        return;
    }
    in_part.sort_by(|x, y| {
        let size = |(row, _): &Row| {
            row.means()
                .iter()
                .flatten()
                .fold(0.0_f64, |a, b| a.max(b.abs()))
        };
        size(y).total_cmp(&size(x))
    });
    let groups = in_part.iter().take(MAX_NAMED);
    let groups = groups.map(|(row, [baseline, candidate])| PartlyMeasured {
        group: row.path.join(" / "),
        baseline: *baseline as u64,
        candidate: *candidate as u64,
    });
    let fact = DiffFact::MeasuredInPart {
        metric,
        groups: groups.collect(),
        more: in_part.len().saturating_sub(MAX_NAMED) as u64,
        left_out: in_part.iter().filter(|row| is_unknown(row, design)).count() as u64,
    };
    notes.push(fact.into());
}
