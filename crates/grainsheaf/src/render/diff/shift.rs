//! Rows that are compared by differences instead of ratios.

use super::super::or_absent;
use sheaf_answers::DiffRow;

use crate::render::table::Layout;
use crate::render::{legend, path};
use sheaf_answers::text::difference;

/// Whether a row is compared by differences, because a ratio needs positive values.
fn is_by_difference(row: &DiffRow) -> bool {
    let has_any = [row.a, row.b]
        .iter()
        .any(|mean| mean.is_some_and(|mean| mean != 0.0));
    row.ratio.is_none() && row.shift.is_some() && has_any
}

/// Typical difference and its interval, with their unit, of a row that is compared by differences.
pub(in crate::render) fn shift(row: &DiffRow, unit: &str) -> Option<[String; 2]> {
    let shift = row.shift.filter(|_| is_by_difference(row))?;
    let interval = or_absent(row.shift_ci, |[low, high]| {
        format!("{} … {}", difference(unit, low), difference(unit, high))
    });
    Some([difference(unit, shift), interval])
}

/// Names the rows that were compared by differences, because a ratio needs positive values.
pub(in crate::render) fn by_differences<'a>(
    rows: impl Iterator<Item = &'a DiffRow>,
    layout: Layout,
) -> String {
    const NAMED: usize = 3;
    let names: Vec<String> = rows
        .filter(|row| is_by_difference(row))
        .map(|row| path(&row.path))
        .collect();
    if names.is_empty() {
        return String::new();
    }
    let shown = names.get(..NAMED).unwrap_or(&names).join(", ");
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    legend(
        &format!("by differences, as not all values are positive: {shown}{more}"),
        layout,
    )
}
