//! Which slices are one grain, and what of its thread's time each has.

use std::collections::HashMap;

use sheaf_model::Report;

use super::collect::{NONE, Slice, Trace};
use super::event::Key;
use super::slices::CROSSING;
use crate::nested_intervals::{self, Interval, Overlaps, Piece};

/// Slices may overlap by one part in so many of the time of all: writers round times.
const ROUNDED: i64 = 1_000;

/// A task: one slice, or all slices with its id.
#[derive(Debug, Clone, Copy)]
pub(super) struct Task {
    /// Its first slice in the order of the trace.
    pub(super) slice: u32,
    pub(super) start: i64,
    /// `None` where no end is known.
    pub(super) end: Option<i64>,
    pub(super) is_unfinished: bool,
    pub(super) parent: u32,
    /// Whether it has a parent that is not known.
    pub(super) is_orphan: bool,
    pub(super) created: Option<i64>,
}

/// An interval of a task on a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TaskInterval {
    pub(super) task: u32,
    pub(super) start: i64,
    pub(super) duration: i64,
    pub(super) thread: u32,
}

/// Tasks, and the task of each slice.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    pub(super) list: Vec<Task>,
    pub(super) of_slice: Vec<u32>,
}

impl Tasks {
    /// Puts slices with one id and name together, if ids are those of tasks: if any slice names
    /// its parent. Else every slice is a task.
    pub(super) fn new(trace: &mut Trace) -> Self {
        let has_ids = trace.slices.iter().any(|slice| slice.parent.is_some());
        let mut tasks = Self::default();
        let mut known: HashMap<(Key, Key), u32> = HashMap::new();
        for (at, slice) in (0..).zip(&trace.slices) {
            let next = u32::try_from(tasks.list.len()).unwrap_or(NONE);
            let key = slice.id.filter(|_| has_ids);
            let key = key.map(|id| (process(trace, slice), id));
            let mut task = key.map_or(next, |key| *known.entry(key).or_insert(next));
            if task != next && !is_same_name(trace, &tasks, task, slice) {
                task = next;
                let name = trace.names.get(slice.name);
                let place = || Some(name.to_owned());
                trace.report.add("repaired_colliding_ids", 1, place);
            }
            tasks.add(task, at, slice);
        }
        tasks
    }

    fn add(&mut self, task: u32, at: u32, slice: &Slice) {
        self.of_slice.push(task);
        let end = (slice.end >= slice.start).then_some(slice.end);
        match self.list.get_mut(task as usize) {
            Some(known) => {
                known.start = known.start.min(slice.start);
                known.end = known.end.max(end);
                known.is_unfinished |= slice.is_unfinished;
            }
            None => self.list.push(Task {
                slice: at,
                start: slice.start,
                end,
                is_unfinished: slice.is_unfinished,
                parent: NONE,
                is_orphan: false,
                created: None,
            }),
        }
    }

    pub(super) fn get(&self, task: u32) -> Option<&Task> {
        self.list.get(task as usize)
    }

    /// The task of a slice.
    pub(super) fn of(&self, slice: u32) -> u32 {
        self.of_slice.get(slice as usize).copied().unwrap_or(NONE)
    }
}

fn is_same_name(trace: &Trace, tasks: &Tasks, task: u32, slice: &Slice) -> bool {
    let first = tasks.get(task).map(|task| task.slice as usize);
    let first = first.and_then(|first| trace.slices.get(first));
    first.is_some_and(|first| first.name == slice.name)
}

/// Process of a slice.
pub(super) fn process(trace: &Trace, slice: &Slice) -> Key {
    let thread = trace.threads.get(slice.thread as usize);
    thread.map_or(Key::Number(0), |thread| thread.process)
}

/// The slices of one thread by start, outer before inner. Asynchronous intervals are on no thread.
pub(super) struct Lane {
    pub(super) thread: u32,
    /// Owners are slices.
    pub(super) intervals: Vec<Interval>,
}

/// The lanes of a trace, by thread.
pub(super) fn lanes(trace: &Trace) -> Vec<Lane> {
    let mut lanes: Vec<Lane> = (0..)
        .take(trace.threads.len())
        .map(|thread| Lane {
            thread,
            intervals: Vec::new(),
        })
        .collect();
    for (owner, slice) in (0..).zip(&trace.slices) {
        if slice.is_async {
            continue;
        }
        if let Some(lane) = lanes.get_mut(slice.thread as usize) {
            lane.intervals.push(Interval {
                owner,
                start: slice.start,
                end: slice.end.max(slice.start),
            });
        }
    }
    for lane in &mut lanes {
        let key = |interval: &Interval| (interval.start, -interval.end, interval.owner);
        if !lane.intervals.is_sorted_by_key(key) {
            lane.intervals.sort_by_key(key);
        }
    }
    lanes
}

/// The intervals of all tasks, by task and time: slices less what ran inside them. Times that writers round overlap a
/// little; slices that overlap by more lose time, and the trace is not whole.
pub(super) fn stretches(lanes: &[Lane], tasks: &Tasks, report: &mut Report) -> Vec<TaskInterval> {
    let mut found = Vec::new();
    let mut overlaps = Overlaps::default();
    for lane in lanes {
        let of_lane = nested_intervals::cut_around_inner(&lane.intervals, |piece: Piece| {
            found.push(TaskInterval {
                task: tasks.of(piece.owner),
                start: piece.start,
                duration: piece.duration,
                thread: lane.thread,
            });
        });
        overlaps.count += of_lane.count;
        overlaps.time = overlaps.time.saturating_add(of_lane.time);
    }
    let time = found
        .iter()
        .fold(0, |sum: i64, it| sum.saturating_add(it.duration));
    let kind = if overlaps.time > time / ROUNDED {
        CROSSING
    } else {
        "repaired_overlapping_slices"
    };
    report.add(kind, overlaps.count, || None);
    found.sort_unstable();
    found
}
