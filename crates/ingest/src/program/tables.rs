//! Rows of the tables of grains, in their order.

use std::collections::BTreeMap;

use sheaf_model::table::{
    CompactColumn, CounterRow, Counters, FragmentRow, Fragments, FragmentsBuilder, GrainKind,
    Grains, LocationRow, Locations, WaitRow, Waits,
};

use super::columns::{Column, FragmentColumns, GrainColumns, Wait};
use super::contexts::Placement;
use super::metrics::Measured;
use crate::buckets::Buckets;
use crate::measure::Value;
use crate::run_tables::{GrainRows, NONE};

/// Rows of what grains refer to.
pub(super) struct Rows<'a> {
    pub(super) contexts: &'a [i32],
    pub(super) locations: &'a [i32],
}

/// The table. Columns are gathered one by one, and what each came from is given back before the
/// next, because runs may be large.
pub(super) fn grains(
    grains: GrainColumns,
    placement: Placement,
    order: &GrainRows,
    rows: &Rows<'_>,
) -> Grains {
    let Placement { contexts, keys, .. } = placement;
    let by_row = || order.grains.iter().map(|&grain| grain as usize);
    let optional =
        |column: Column| -> CompactColumn<i64> { by_row().map(|at| column.get(at)).collect() };
    let parent = by_row().map(|at| order.row(*grains.parent.get(at)?));
    let context = by_row().map(|at| {
        let context = contexts.get(at).copied().unwrap_or(0);
        rows.contexts.get(context as usize).copied().unwrap_or(0)
    });
    let location = by_row().map(|at| location_row(rows.locations, *grains.location.get(at)?));
    Grains {
        path_key: by_row().map(|at| gathered(&keys, at)).collect(),
        context: context.collect(),
        parent: parent.collect(),
        kind: by_row()
            .map(|at| grains.kind.get(at).map_or(0, |&kind| kind as i32))
            .collect(),
        flags: by_row().map(|at| gathered(&grains.flags, at)).collect(),
        location: location.collect(),
        index: by_row().map(|at| gathered(&grains.index, at)).collect(),
        sequence: optional(grains.sequence),
        joined_by: optional(grains.joined_by),
        first_iteration: optional(grains.first_iteration),
        iterations: optional(grains.iterations),
        created: optional(grains.created),
        start: optional(grains.start),
        end: optional(grains.end),
        work: optional(grains.work),
        creation: optional(grains.creation),
        waiting: optional(grains.waiting),
    }
}

/// The row of a location.
pub(super) fn location_row(rows: &[i32], location: u32) -> Option<i32> {
    if location == NONE {
        return None;
    }
    rows.get(location as usize).copied()
}

fn gathered<T: Copy + Default>(values: &[T], at: usize) -> T {
    values.get(at).copied().unwrap_or_default()
}

/// The rows of the table; `sorted` are the fragments by grain.
pub(super) fn fragments(
    fragments: &FragmentColumns,
    order: &GrainRows,
    sorted: &Buckets,
    locations: &[i32],
) -> Fragments {
    let mut table = FragmentsBuilder::default();
    for &at in sorted.items() {
        let at = at as usize;
        let location = location_row(locations, gathered(&fragments.location, at));
        table.push(FragmentRow {
            grain: order.row(gathered(&fragments.grain, at)).unwrap_or(0),
            location: location.unwrap_or(0),
            start: gathered(&fragments.start, at),
            duration: gathered(&fragments.duration, at),
            ended_by: fragments.ended_by.get(at).map_or(0, |&end| end as i32),
        });
    }
    table.finish()
}

pub(super) fn waits(waits: &[Wait], order: &GrainRows) -> Waits {
    let grain = |wait: &Wait| wait.grain;
    order.waits(waits, grain, |wait| WaitRow {
        grain: 0,
        kind: wait.kind as i32,
        start: wait.start,
        duration: wait.duration,
        line: wait.line,
    })
}

pub(super) fn counters(measured: &[Measured]) -> Counters {
    let row = |measured: &Measured| {
        let (value, value_float) = match measured.value() {
            Value::Integer(value) => (Some(value), None),
            Value::Float(value) => (None, Some(value)),
        };
        CounterRow {
            grain: measured.grain,
            metric: measured.metric,
            value,
            value_float,
        }
    };
    measured.iter().map(row).collect()
}

/// The table by rank and thread with the row of each location in the order of their turn.
pub(super) fn locations(
    known: &BTreeMap<(i32, i32), u32>,
    cores: &[Option<i32>],
) -> (Locations, Vec<i32>) {
    let mut rows = vec![0; cores.len()];
    let list = known.iter().enumerate();
    let table = list
        .map(|(row, (&(rank, thread), &at))| {
            if let Some(slot) = rows.get_mut(at as usize) {
                *slot = i32::try_from(row).unwrap_or(i32::MAX);
            }
            LocationRow {
                rank,
                thread,
                core: cores.get(at as usize).copied().flatten(),
                numa_node: None,
            }
        })
        .collect();
    (table, rows)
}

/// Tasks and chunks.
pub(super) fn count_grains(grains: &GrainColumns) -> i64 {
    let count = grains
        .kind
        .iter()
        .filter(|kind| GrainKind::is_grain(**kind));
    i64::try_from(count.count()).unwrap_or(i64::MAX)
}
