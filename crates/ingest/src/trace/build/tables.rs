//! Rows of the tables of a run, in their order.

use std::collections::BTreeMap;

use sheaf_model::PathKey;
use sheaf_model::table::{
    CounterRow, Counters, FragmentRow, Fragments, FragmentsBuilder, GrainKind, GrainRow, Grains,
    GrainsBuilder, LocationRow, Locations, WaitRow, Waits,
};

use super::by_row::{ByRow, fragments_by_row};
use super::contexts::{Placement, parent_in, parent_of};
use super::fragment_list::FragmentList;
use super::pauses::measures_of_grains;
use super::records::{Fragment, Grain, NEVER, NONE, Records, Wait, Worker};
use super::sites::Site;
use super::values::{Measure, Rows, counters_by_grain};
use crate::ahead::take_all;
use crate::run_tables::{FinishedContexts, GrainRows, MetricRows};

/// The order of grains: context, parent, sequence, index.
pub(super) fn grain_rows(
    records: &Records,
    placement: &Placement,
    contexts: &FinishedContexts,
) -> GrainRows {
    let parent = |slot| Some(parent_of(records, slot));
    GrainRows::new(&placement.grains, contexts, parent, |slot, parent| {
        let grain = records.grain(slot);
        // Absent parents and sequences come first.
        let parent = parent.unwrap_or(-1);
        (parent, grain.sequence.wrapping_add(1), grain.index)
    })
}

/// Takes the grains out of `records`, so that their memory shrinks while the table grows.
pub(super) fn grains(
    records: &mut Records,
    placement: &Placement,
    order: &GrainRows,
    rows: &Rows<'_>,
    keys: &[PathKey],
) -> Grains {
    let mut all = std::mem::take(&mut records.grains);
    for (slot, grain) in (0..).zip(&mut all) {
        // None lives any more.
        grain.live = slot;
    }
    let records = &*records;
    let row = |grain: &Grain| u32::try_from(order.row(grain.live)?).ok();
    let all = ByRow::new(all, order.grains.len(), row).items();
    let mut rows = all.map(|grain| {
        let slot = grain.live as usize;
        let is_ranged = matches!(grain.kind, GrainKind::Chunk | GrainKind::TaskloopChunk);
        let range = records
            .ranges
            .get(grain.range as usize)
            .filter(|_| is_ranged);
        let context = placement.grains[slot] as usize;
        let location = rows.locations.get(grain.location as usize).copied();
        GrainRow {
            path_key: keys[slot].0,
            context: rows.contexts.get(context).copied().unwrap_or(0),
            parent: order.row(parent_in(&records.regions, &grain)),
            kind: grain.kind as i32,
            flags: grain.flags(),
            sequence: (grain.sequence < NONE - 1).then_some(i64::from(grain.sequence)),
            index: i64::from(grain.index),
            first_iteration: range.map(|range| range.first),
            iterations: range.and_then(|range| i64::try_from(range.iterations).ok()),
            location: location.filter(|&row| row >= 0),
            created: time(grain.created),
            start: time(grain.start),
            end: time(grain.end),
            joined_by: None,
            work: Some(grain.work),
            creation: None,
            waiting: records.waiting(&grain),
        }
    });
    let mut table = GrainsBuilder::default();
    take_all(&mut rows, |row| table.push(row));
    table.finish()
}

fn time(time: i64) -> Option<i64> {
    (time != NEVER).then_some(time)
}

/// The list gives its memory back while the table grows; `each` sees the fragments in the order of the table.
pub(super) fn fragments(
    list: FragmentList,
    order: &GrainRows,
    locations: &[i32],
    mut each: impl FnMut(&Fragment),
) -> Fragments {
    let mut table = FragmentsBuilder::default();
    take_all(&mut fragments_by_row(list, order), |fragment| {
        each(&fragment);
        let location = locations.get(fragment.location as usize).copied();
        table.push(FragmentRow {
            grain: order.row(fragment.grain).unwrap_or(0),
            location: location.unwrap_or(0),
            start: fragment.start,
            duration: fragment.duration,
            ended_by: fragment.ended_by as i32,
        });
    });
    table.finish()
}

pub(super) fn waits(records: &Records, order: &GrainRows, sites: &[Site]) -> Waits {
    let grain = |wait: &Wait| wait.grain;
    order.waits(&records.waits, grain, |wait| {
        let site = sites
            .get(wait.site.0 as usize)
            .filter(|site| !site.is_in_runtime);
        WaitRow {
            grain: 0,
            kind: wait.kind as i32,
            start: wait.start,
            duration: wait.duration.max(0),
            line: site.and_then(|site| i32::try_from(site.code.line?).ok()),
        }
    })
}

pub(super) fn counters(
    records: &Records,
    placement: &Placement,
    order: &GrainRows,
    metrics: &MetricRows<Measure>,
) -> Counters {
    let mut rows: Vec<CounterRow> = counters_by_grain(records)
        .into_iter()
        .filter_map(|((slot, counter), value)| {
            let metric = metrics.row(Measure::Counter(counter))?;
            Some(CounterRow {
                grain: order.row(slot)?,
                metric,
                value: Some(value),
                value_float: None,
            })
        })
        .collect();
    let measures = measures_of_grains(records, placement).into_iter();
    rows.extend(measures.filter_map(|((slot, measure), value)| {
        Some(CounterRow {
            grain: order.row(slot)?,
            metric: metrics.row(measure)?,
            value: Some(value),
            value_float: None,
        })
    }));
    rows.sort_by_key(|row| (row.grain, row.metric));
    rows.into_iter().collect()
}

/// The workers that did something, numbered per rank in the order of processes and streams, behind them the helpers
/// that did; returns the row of each worker, -1 for those that did nothing. `numa_nodes` are those of the processors, by process.
pub(super) fn locations(
    records: &Records,
    ranks: &[i32],
    numa_nodes: &[BTreeMap<usize, i32>],
) -> (Locations, Vec<i32>) {
    let mut order: Vec<usize> = (0..records.workers.len())
        .filter(|&worker| records.workers[worker].has_worked)
        .collect();
    let rank = |worker: usize| {
        ranks
            .get(records.workers[worker].process as usize)
            .copied()
            .unwrap_or(0)
    };
    let is_helper = |worker: usize| records.workers[worker].is_helper;
    order.sort_by_key(|&worker| (rank(worker), is_helper(worker), worker));
    let mut rows = vec![-1; records.workers.len()];
    let mut list: Vec<LocationRow> = Vec::with_capacity(order.len());
    for worker in order {
        let before = list.last().filter(|before| before.rank == rank(worker));
        let thread = match before {
            Some(before) if before.is_helper() => before.thread - 1,
            _ if is_helper(worker) => -1,
            Some(before) => before.thread + 1,
            None => 0,
        };
        rows[worker] = i32::try_from(list.len()).unwrap_or(i32::MAX);
        let Worker { process, cpu, .. } = &records.workers[worker];
        let nodes = numa_nodes.get(*process as usize);
        let node_of = |cpu: u32| nodes?.get(&(cpu as usize)).copied();
        list.push(LocationRow {
            rank: rank(worker),
            thread,
            core: cpu.and_then(|cpu| i32::try_from(cpu).ok()),
            numa_node: cpu.and_then(node_of),
        });
    }
    (list.into_iter().collect(), rows)
}

/// Whether a grain is a task or chunk that ran to its end.
pub(super) fn is_finished_grain(grain: &Grain) -> bool {
    grain.kind.is_grain() && grain.end != NEVER
}
