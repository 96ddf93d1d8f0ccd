//! Parents of tasks: by arguments, by arrows, or by nesting where the user asks for it.

use std::collections::HashMap;

use super::collect::{FlowMark, FlowPhase, NONE, Trace};
use super::event::Key;
use super::grains::{Lane, Tasks, process};
use crate::Parentage;
use crate::nested_intervals;

/// What parents were found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    Args,
    Flows,
    Nesting,
    None,
}

impl Rule {
    /// Name of the rule, and of its count in the report.
    pub(super) const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Args => ("args", "read_parents_by_args"),
            Self::Flows => ("flows", "read_parents_by_flows"),
            Self::Nesting => ("nesting", "read_parents_by_nesting"),
            Self::None => ("none", "read_parents"),
        }
    }
}

/// An arrow from task to task, and when it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Arrow {
    to: u32,
    time: i64,
    from: u32,
}

/// Gives tasks their parents and times of creation; returns the rule, and the arrows between
/// siblings as dependences.
pub(super) fn find(
    trace: &mut Trace,
    tasks: &mut Tasks,
    lanes: &[Lane],
    asked: Parentage,
) -> (Rule, Vec<(u32, u32)>) {
    let arrows = arrows(trace, tasks, lanes);
    let rule = if asked == Parentage::Nesting {
        by_nesting(tasks, lanes);
        Rule::Nesting
    } else if by_args(trace, tasks) {
        Rule::Args
    } else if by_arrows(tasks, &arrows) {
        Rule::Flows
    } else {
        Rule::None
    };
    cut_cycles(trace, tasks);
    let has_parent = tasks.list.iter().filter(|task| task.parent != NONE);
    let count = has_parent.count() as u64;
    trace.report.add(rule.names().1, count, || None);
    let dependences = rest_of(trace, tasks, &arrows);
    (rule, dependences)
}

/// `args.parent` is the `args.id` of a task of the same process, else of the only one that has it.
fn by_args(trace: &mut Trace, tasks: &mut Tasks) -> bool {
    let mut of_process: HashMap<(Key, Key), u32> = HashMap::new();
    let mut of_all: HashMap<Key, u32> = HashMap::new();
    for (at, slice) in (0..).zip(&trace.slices) {
        let Some(id) = slice.id else { continue };
        let task = tasks.of(at);
        let first = *of_process
            .entry((process(trace, slice), id))
            .or_insert(task);
        let known = of_all.entry(id).or_insert(first);
        if *known != first {
            *known = NONE;
        }
    }
    let mut is_found = false;
    for (at, slice) in (0..).zip(&trace.slices) {
        let Some(parent) = slice.parent else { continue };
        let found = of_process.get(&(process(trace, slice), parent));
        let found = found.or_else(|| of_all.get(&parent)).copied();
        let child = tasks.of(at);
        let found = found.filter(|&found| found != NONE && found != child);
        let Some(task) = tasks.list.get_mut(child as usize) else {
            continue;
        };
        if let Some(found) = found {
            is_found = true;
            if task.parent == NONE {
                task.parent = found;
            }
        } else {
            let name = trace.names.get(slice.name);
            let place = || Some(name.to_owned());
            trace.report.add("skipped_unknown_parents", 1, place);
            task.is_orphan = true;
        }
    }
    is_found
}

/// The first arrow to a task comes from its parent.
fn by_arrows(tasks: &mut Tasks, arrows: &[Arrow]) -> bool {
    for of_child in arrows.chunk_by(|a, b| a.to == b.to) {
        let Some(first) = of_child.first() else {
            continue;
        };
        if let Some(task) = tasks.list.get_mut(first.to as usize) {
            task.parent = first.from;
        }
    }
    !arrows.is_empty()
}

/// The slice around a task's first one is its parent.
fn by_nesting(tasks: &mut Tasks, lanes: &[Lane]) {
    for lane in lanes {
        let outer = nested_intervals::outer_owners(&lane.intervals);
        for (interval, outer) in lane.intervals.iter().zip(outer) {
            let child = tasks.of(interval.owner);
            let Some(outer) = outer.map(|outer| tasks.of(outer)) else {
                continue;
            };
            if let Some(task) = tasks.list.get_mut(child as usize)
                && task.slice == interval.owner
                && outer != child
            {
                task.parent = outer;
            }
        }
    }
}

/// Takes the parent from one task of each circle.
fn cut_cycles(trace: &mut Trace, tasks: &mut Tasks) {
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut state = vec![0; tasks.list.len()];
    let mut way = Vec::new();
    for task in 0..tasks.list.len() {
        let mut next = task;
        while let Some(found) = state.get_mut(next) {
            if *found == OPEN {
                if let Some(task) = tasks.list.get_mut(next) {
                    (task.parent, task.is_orphan) = (NONE, true);
                }
                let place = || Some(format!("task {next}"));
                trace.report.add("repaired_parent_cycles", 1, place);
            }
            if *found != 0 {
                break;
            }
            *found = OPEN;
            way.push(next);
            next = tasks
                .list
                .get(next)
                .map_or(usize::MAX, |task| task.parent as usize);
        }
        for passed in way.drain(..) {
            if let Some(state) = state.get_mut(passed) {
                *state = DONE;
            }
        }
    }
}

/// The arrows between different tasks, by their end, then time. An arrow starts where the last
/// start or step of its kind was.
fn arrows(trace: &mut Trace, tasks: &Tasks, lanes: &[Lane]) -> Vec<Arrow> {
    if trace.flows.is_empty() {
        return Vec::new();
    }
    let ends = bound(trace, tasks, lanes);
    let mut order: Vec<usize> = (0..trace.flows.len()).collect();
    let mark = |at: usize| trace.flows.get(at);
    order.sort_by_key(|&at| mark(at).map(|mark| (mark.flow, mark.time, mark.phase, at)));
    let mut found = Vec::new();
    let (mut loose, mut flow, mut from, mut is_used) = (0, NONE, None, true);
    for at in order {
        let (Some(mark), Some(&task)) = (mark(at), ends.get(at)) else {
            continue;
        };
        let is_new = mark.flow != flow || mark.phase == FlowPhase::Start;
        if is_new {
            loose += u64::from(!is_used);
            (flow, from, is_used) = (mark.flow, None, true);
        }
        if mark.phase == FlowPhase::Start {
            (from, is_used) = (Some((task, mark.time)), false);
            continue;
        }
        match from {
            Some((source, time)) if source != NONE && task != NONE => {
                is_used = true;
                if source != task {
                    found.push(Arrow {
                        to: task,
                        time,
                        from: source,
                    });
                }
            }
            _ => loose += 1,
        }
        if mark.phase == FlowPhase::Step {
            from = Some((task, mark.time));
        }
    }
    loose += u64::from(!is_used);
    trace.report.add("skipped_loose_flows", loose, || None);
    found.sort_unstable();
    found.dedup();
    found
}

/// The task that each start, step or finish is bound to.
fn bound(trace: &Trace, tasks: &Tasks, lanes: &[Lane]) -> Vec<u32> {
    let mut by_thread: Vec<Vec<usize>> = vec![Vec::new(); lanes.len()];
    for (at, mark) in trace.flows.iter().enumerate() {
        if let Some(marks) = by_thread.get_mut(mark.thread as usize) {
            marks.push(at);
        }
    }
    let mut found = vec![NONE; trace.flows.len()];
    let mark = |at: &usize| trace.flows.get(*at);
    let time = |at: &usize| mark(at).map_or(0, |mark: &FlowMark| mark.time);
    for (lane, mut marks) in lanes.iter().zip(by_thread) {
        marks.sort_by_key(|at| (time(at), *at));
        let times: Vec<i64> = marks.iter().map(time).collect();
        let around = nested_intervals::owners_at(&lane.intervals, &times);
        for (at, around) in marks.into_iter().zip(around) {
            let is_next = mark(&at).is_some_and(|mark| mark.phase == FlowPhase::FinishNext);
            let slice = if is_next {
                let time = time(&at);
                let intervals = &lane.intervals;
                let next = intervals.partition_point(|interval| interval.start < time);
                intervals.get(next).map(|interval| interval.owner)
            } else {
                around
            };
            if let (Some(slot), Some(slice)) = (found.get_mut(at), slice) {
                *slot = tasks.of(slice);
            }
        }
    }
    found
}

/// Arrows from parents are creations; those between siblings are dependences.
fn rest_of(trace: &mut Trace, tasks: &mut Tasks, arrows: &[Arrow]) -> Vec<(u32, u32)> {
    let mut dependences = Vec::new();
    let mut skipped = 0;
    for arrow in arrows {
        let before = tasks.get(arrow.from).map(|task| task.parent);
        let Some(task) = tasks.list.get_mut(arrow.to as usize) else {
            continue;
        };
        if task.parent == arrow.from {
            task.created = task.created.or(Some(arrow.time));
        } else if before == Some(task.parent) {
            dependences.push((arrow.from, arrow.to));
        } else {
            skipped += 1;
        }
    }
    dependences.sort_unstable();
    dependences.dedup();
    let count = dependences.len() as u64;
    trace.report.add("read_dependences", count, || None);
    trace.report.add("skipped_flows", skipped, || None);
    dependences
}
