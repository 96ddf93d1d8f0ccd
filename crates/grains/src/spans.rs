//! When fragments ran.

use std::ops::Range;

use sheaf_model::table::Fragments;

/// A grain, and start and end of a part of it.
pub(crate) type Span = (u32, i64, i64);

/// The grain, start and end of some fragments.
pub(crate) fn spans(fragments: &Fragments, rows: Range<usize>) -> impl Iterator<Item = Span> + '_ {
    let grains = fragments.grain.values().slice(rows.clone()).into_iter();
    let starts = fragments.start.values().slice(rows.clone()).into_iter();
    let durations = fragments.duration.values().slice(rows).into_iter();
    let columns = grains.zip(starts).zip(durations);
    columns.map(|((grain, start), duration)| {
        let grain = u32::try_from(grain).unwrap_or(u32::MAX);
        (grain, start, start.saturating_add(duration))
    })
}
