//! Totals per context: one observation per grain that ran, and one per member's way through a construct that
//! has no chunks.

use sheaf_model::table::Totals;

use super::contexts::Placement;
use super::pauses::pauses;
use super::records::{NONE, Records, Slot};
use super::values::{Measure, Rows, counters_by_grain};
use crate::Error;
use crate::measure::Value;
use crate::run_tables::{GrainRows, TotalColumns};
use rustc_hash::FxHashMap;

/// The totals, in the order of contexts and metrics. Grains are observed context by context and metric by
/// metric, so that not more than one value of each is held.
///
/// # Errors
/// Those of [`TotalColumns::finish`].
pub(super) fn totals(
    records: &Records,
    placement: &Placement,
    order: &GrainRows,
    rows: &Rows<'_>,
) -> Result<Totals, Error> {
    let mut others = Vec::new();
    let apart = observe_others(records, placement, rows, &mut others);
    others.sort_unstable();
    let mut table = TotalColumns::default();
    let measures = rows.metrics.measures();
    let mut others = others.into_iter().peekable();
    for (context, bounds) in (0..).zip(order.starts.windows(2)) {
        let slots = &order.grains[bounds[0]..bounds[1]];
        for &(metric, measure) in &measures {
            for &slot in slots {
                if let Some(value) = apart.own(records, slot, measure) {
                    table.observe(Value::Integer(value));
                }
            }
            let key = (context, metric);
            while let Some(other) = others.next_if(|other| (other.0, other.1) == key) {
                table.observe(Value::Integer(other.2));
            }
            table.end_row(context, metric);
        }
    }
    table.finish()
}

/// Observations that are not of whole grains: context, metric, value. Returns what they take from grains.
fn observe_others(
    records: &Records,
    placement: &Placement,
    rows: &Rows<'_>,
    others: &mut Vec<(i32, i32, i64)>,
) -> Apart {
    let mut observe = |context: u32, measure: Measure, value: i64| {
        let context = rows.contexts.get(context as usize).copied();
        if let (Some(context), Some(metric)) = (context, rows.metrics.row(measure)) {
            others.push((context, metric, value));
        }
    };
    let (work, mut waiting) = work_apart(records, placement, &mut observe);
    for pause in pauses(records, placement) {
        for (measure, value) in pause.measured() {
            observe(pause.context, measure, value);
        }
        let apart = waiting.entry(pause.grain).or_default();
        *apart = apart.saturating_add(pause.waiting);
    }
    for off in &records.off_cpu {
        let context = placement.context(off.grain, off.pass);
        observe(context, Measure::OffCpu, off.duration);
    }
    for ((slot, counter), value) in counters_by_grain(records) {
        observe(
            placement.grains[slot as usize],
            Measure::Counter(counter),
            value,
        );
    }
    Apart { work, waiting }
}

type BySlot = FxHashMap<u32, i64>;

/// Work and waiting of members that belongs to a construct's context and not to their own.
fn work_apart(
    records: &Records,
    placement: &Placement,
    observe: &mut impl FnMut(u32, Measure, i64),
) -> (BySlot, BySlot) {
    let (mut work, mut waiting) = (BySlot::default(), BySlot::default());
    for (pass, row) in records.passes.iter().enumerate() {
        let context = placement.passes[pass];
        if context == placement.grains[row.grain as usize] {
            continue;
        }
        observe(context, Measure::Work, row.work);
        *work.entry(row.grain).or_default() += row.work;
        if row.waiting >= 0 {
            observe(context, Measure::Waiting, row.waiting);
            *waiting.entry(row.grain).or_default() += row.waiting;
        }
    }
    (work, waiting)
}

/// Work and waiting of grains that belong to other contexts than theirs.
struct Apart {
    work: BySlot,
    waiting: BySlot,
}

impl Apart {
    /// The observation of a grain itself.
    fn own(&self, records: &Records, slot: Slot, measure: Measure) -> Option<i64> {
        let grain = records.grain(slot);
        // Dropped or never started: absent, not zero.
        if grain.location == NONE {
            return None;
        }
        match measure {
            Measure::Work => Some(grain.work - self.work.get(&slot).copied().unwrap_or(0)),
            Measure::Waiting => {
                let apart = self.waiting.get(&slot).copied();
                let own = records.waiting(grain)? - apart.unwrap_or(0);
                (own > 0 || (own == 0 && apart.is_none())).then_some(own)
            }
            Measure::Grains => grain.kind.is_grain().then_some(1),
            _ => None,
        }
    }
}
