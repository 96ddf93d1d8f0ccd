//! What was not measured, and what that means for totals.

use super::DiffGroup;
use super::environment::Design;
use super::rows::Row;
use sheaf_analysis::{Metric, runs_text};
use sheaf_answers::{DiffRow, DiffTotals};

/// Groups that are told by name, at most.
const MOST_NAMED: usize = 3;

/// Puts zeros where a group has no value of its own and something below it was measured, if it has one in any run: a
/// profiler that samples keeps no zeros.
pub(super) fn complete(group: &mut DiffGroup) {
    let mut own = group.exclusive.iter().flatten();
    if !own.any(|reading| reading.value().is_some()) {
        return;
    }
    for (own, all) in group.exclusive.iter_mut().zip(&group.inclusive) {
        for (own, all) in own.iter_mut().zip(all) {
            *own = own.beside(*all);
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
    notes: &mut Vec<String>,
    rows: &[Row],
    totals: Option<&DiffTotals>,
    metric: &Metric,
    design: &Design,
) {
    if !metric.kind.adds_up() {
        return;
    }
    let name = &metric.name;
    if totals.is_none() {
        let is_beyond = rows.iter().any(|row| !is_unknown(row, design));
        let why = if is_beyond {
            format!("sums of `{name}` over the groups are beyond {:e}", f64::MAX)
        } else {
            format!("no group has `{name}` on both sides")
        };
        notes.push(format!("there are no totals, and no shares of them: {why}"));
        return;
    }
    let is_told = |(row, not_measured): &&Row| is_in_part(row, *not_measured);
    let mut in_part: Vec<&Row> = rows.iter().filter(is_told).collect();
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
    let names = named(&in_part, |(row, not_measured)| {
        let sides = ["baseline", "candidate"].into_iter().zip(*not_measured);
        let missing = sides.filter(|(_, runs)| *runs > 0);
        let missing: Vec<String> = missing
            .map(|(side, runs)| format!("{} of the {side}", runs_text(runs)))
            .collect();
        format!("{} in {}", row.path.join(" / "), missing.join(" and "))
    });
    let left_out = in_part.iter().filter(|row| is_unknown(row, design)).count();
    let left_out = match left_out {
        0 => "totals are of what was measured".to_owned(),
        _ => format!(
            "totals are of what was measured, without {left_out} that a side never measured"
        ),
    };
    notes.push(format!(
        "`{name}` was not measured everywhere: {names}; means are over runs in which it was, {left_out}"
    ));
}

/// `nm in 2 runs of the baseline, x in …, y in … and 4 more`.
pub(crate) fn named<T>(all: &[T], name: impl Fn(&T) -> String) -> String {
    let names: Vec<String> = all.iter().take(MOST_NAMED).map(name).collect();
    match all.len().saturating_sub(MOST_NAMED) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}
