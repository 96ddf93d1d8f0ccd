//! From slices and arrows to the tables of a run.

use std::collections::BTreeMap;

use sheaf_model::table::{FragmentEnd, GrainKind, flags};
use sheaf_model::{ParamValue, Report, RunMeta};

use super::collect::{NONE, Slice, Trace};
use super::event::Key;
use super::grains::{self, Task, TaskInterval, Tasks};
use super::occurrence::occurrences;
use super::parents::{self, Rule};
use crate::profile::{Frame, LocationIdx};
use crate::program::{ConstructIdx, Grain, GrainIdx, Program};
use crate::program_name::named;
use crate::reader::Read;
use crate::{Error, Format, Input};

/// Makes a run of a trace that has slices.
pub(super) fn build(mut trace: Trace, input: &Input<'_>) -> Result<Read, Error> {
    trace.close_slices();
    let mut tasks = Tasks::new(&mut trace);
    let lanes = grains::lanes(&trace);
    let asked = input.hints.parentage;
    let (rule, dependences) = parents::find(&mut trace, &mut tasks, &lanes, asked);
    let stretches = grains::stretches(&lanes, &tasks, &mut trace.report);
    drop(lanes);
    let places = places(&trace);
    let mut program = Program::new(meta(&trace, rule, input, &stretches, &places));
    let locations: Vec<Option<LocationIdx>> = places
        .iter()
        .map(|place| place.map(|(rank, thread)| program.location(rank, thread, None)))
        .collect();
    let location = |thread: u32| locations.get(thread as usize).copied().flatten();
    let origin = origin(&trace, &tasks);
    let constructs = constructs(&mut program, &trace);
    let ranks: Vec<i32> = places.iter().map(|it| it.map_or(0, |it| it.0)).collect();
    let numbers = occurrences(&trace, &tasks, &ranks, rule == Rule::Nesting);
    let has_dependence = with_dependence(&dependences, tasks.list.len());
    for (at, task) in tasks.list.iter().enumerate() {
        let Some(slice) = trace.slices.get(task.slice as usize) else {
            continue;
        };
        let mut grain = grain(task, slice, origin, &constructs);
        let number = numbers.get(at).copied().unwrap_or_default();
        grain.index = number.index;
        grain.flags |= number.flags;
        if has_dependence.get(at) == Some(&true) {
            grain.flags |= flags::HAS_DEPENDENCES;
        }
        if slice.is_async || slice.end < slice.start {
            grain.location = location(slice.thread);
        }
        program.grain(grain);
    }
    link(&mut program, &tasks, &dependences);
    add_fragments(&mut program, &tasks, &stretches, origin, location);
    let mut report = trace.report;
    report.add("read_grains", tasks.list.len() as u64, || None);
    let place = |grain: GrainIdx| format!("task {}", grain.0);
    let tables = program
        .finish(None)
        .map_err(|error| error.refusal(Format::Chrome, place))?;
    Ok((tables, report))
}

fn grain(task: &Task, slice: &Slice, origin: i64, constructs: &[ConstructIdx]) -> Grain {
    let definition = constructs.get(slice.name as usize).copied();
    Grain {
        definition: definition.unwrap_or(ConstructIdx(0)),
        kind: GrainKind::Task,
        flags: if task.is_unfinished {
            flags::INCOMPLETE
        } else {
            0
        },
        sequence: None,
        index: 0,
        joined_by: None,
        first_iteration: None,
        iterations: None,
        location: None,
        created: task.created.map(|time| time - origin),
        start: Some(task.start - origin),
        end: task.end.map(|time| time - origin),
        work: None,
        creation: None,
        waiting: None,
    }
}

fn with_dependence(dependences: &[(u32, u32)], len: usize) -> Vec<bool> {
    let mut found = vec![false; len];
    for &(before, after) in dependences {
        for end in [before, after] {
            if let Some(slot) = found.get_mut(end as usize) {
                *slot = true;
            }
        }
    }
    found
}

fn link(program: &mut Program, tasks: &Tasks, dependences: &[(u32, u32)]) {
    for (at, task) in (0..).zip(&tasks.list) {
        if task.parent != NONE {
            program.set_parent(GrainIdx(at), GrainIdx(task.parent));
        }
    }
    for &(before, after) in dependences {
        program.dependence(GrainIdx(before), GrainIdx(after));
    }
}

fn add_fragments(
    program: &mut Program,
    tasks: &Tasks,
    stretches: &[TaskInterval],
    origin: i64,
    location: impl Fn(u32) -> Option<LocationIdx>,
) {
    for of_task in stretches.chunk_by(|a, b| a.task == b.task) {
        for (at, stretch) in of_task.iter().enumerate() {
            let is_unfinished = |task: &Task| task.is_unfinished;
            let ended_by = if at + 1 < of_task.len() {
                FragmentEnd::Switch
            } else if tasks.get(stretch.task).is_some_and(is_unfinished) {
                FragmentEnd::TraceEnd
            } else {
                FragmentEnd::GrainEnd
            };
            let Some(location) = location(stretch.thread) else {
                continue;
            };
            let (start, grain) = (stretch.start - origin, GrainIdx(stretch.task));
            program.fragment(grain, location, start, stretch.duration, ended_by);
        }
    }
}

/// The run begins with its first slice.
fn origin(trace: &Trace, tasks: &Tasks) -> i64 {
    let starts = trace.slices.iter().map(|slice| slice.start);
    let created = tasks.list.iter().filter_map(|task| task.created);
    starts.chain(created).min().unwrap_or(0)
}

/// One definition per name; category and source line are those of the first slice of the name.
fn constructs(program: &mut Program, trace: &Trace) -> Vec<ConstructIdx> {
    let mut found: Vec<Option<ConstructIdx>> = Vec::new();
    for slice in &trace.slices {
        let at = slice.name as usize;
        if found.len() <= at {
            found.resize(at + 1, None);
        }
        let Some(slot @ None) = found.get_mut(at) else {
            continue;
        };
        let name = trace.names.get(slice.name);
        let category = trace.names.get(slice.category);
        let category = category.split(',').next().map(str::trim);
        let (file, line) = source(trace.names.get(slice.source));
        let (kind, name) = if name.is_empty() {
            ("unnamed task", "unnamed slice")
        } else {
            ("task", name)
        };
        *slot = Some(program.definition(Frame {
            kind,
            name,
            module: category.filter(|it| !it.is_empty()),
            file,
            line,
            ..Frame::default()
        }));
    }
    let nothing = ConstructIdx(0);
    found.into_iter().map(|it| it.unwrap_or(nothing)).collect()
}

/// File and line of `file:line`.
fn source(text: &str) -> (Option<&str>, Option<i32>) {
    match text.rsplit_once(':') {
        Some((file, line)) if !file.is_empty() => match line.parse::<i32>() {
            Ok(line) if line > 0 => (Some(file), Some(line)),
            _ => (Some(text), None),
        },
        _ => (Some(text).filter(|text| !text.is_empty()), None),
    }
}

/// Rank and thread of each thread that has slices: processes and threads in the order of their
/// numbers, numbers before texts; threads with a sort index by that first.
fn places(trace: &Trace) -> Vec<Option<(i32, i32)>> {
    let mut is_used = vec![false; trace.threads.len()];
    for slice in &trace.slices {
        if let Some(is_used) = is_used.get_mut(slice.thread as usize) {
            *is_used = true;
        }
    }
    let text = |key: Key| match key {
        Key::Number(number) => (0, number, ""),
        Key::Text(text) => (1, 0, trace.names.get(text)),
    };
    let mut order: Vec<_> = (0..)
        .zip(&trace.threads)
        .zip(&is_used)
        .filter(|(_, is_used)| **is_used)
        .map(|((at, thread), _)| (text(thread.process), thread.sort_index, text(thread.id), at))
        .collect();
    order.sort_unstable();
    let mut found = vec![None; trace.threads.len()];
    let processes = order.chunk_by(|a, b| a.0 == b.0);
    for (rank, threads) in (0..).zip(processes) {
        for (thread, &(.., at)) in (0..).zip(threads) {
            let at: usize = at;
            if let Some(slot) = found.get_mut(at) {
                *slot = Some((rank, thread));
            }
        }
    }
    found
}

/// Events that end before they begin are none of a program's tasks; their time is missing in sums.
fn of_negative_durations(report: &Report) -> Option<String> {
    let kind = "skipped_negative_durations";
    let finding = report.findings.iter().find(|found| found.kind == kind)?;
    let first = finding.first.as_deref().unwrap_or_default();
    Some(match finding.count {
        1 => {
            format!("an event of negative duration was left out as an error of the clock: {first}")
        }
        count => format!(
            "{count} events of negative duration were left out as errors of the clock, the first: \
             {first}"
        ),
    })
}

fn meta(
    trace: &Trace,
    rule: Rule,
    input: &Input<'_>,
    stretches: &[TaskInterval],
    places: &[Option<(i32, i32)>],
) -> RunMeta {
    let processes = process_names(trace, places);
    let program = match processes.as_slice() {
        [first, rest @ ..] if rest.iter().all(|name| name == first) => Some(first.as_str()),
        _ => None,
    };
    let mut meta = named(program, input.file_name(), Format::Chrome);
    meta.is_complete = trace.is_whole();
    meta.workers = input.hints.workers;
    meta.params.clone_from(&trace.params);
    meta.warnings.extend(of_negative_durations(&trace.report));
    let mut note = |name: &str, text: String| {
        if !text.is_empty() {
            meta.params.insert(name.to_owned(), ParamValue::Text(text));
        }
    };
    note("parentage", rule.names().0.to_owned());
    if processes.iter().any(|name| !name.is_empty()) {
        note("process_names", processes.join(", "));
    }
    note("thread_names", thread_names(trace, places));
    let mut lacks = |what: &str, why: &str| {
        meta.lacks.insert(what.to_owned(), why.to_owned());
    };
    lacks("waits", "trace events do not state when tasks waited");
    if rule == Rule::None {
        lacks(
            "parent",
            "no event names its parent, and no arrow leads to a slice",
        );
    }
    if trace.flows.is_empty() {
        lacks("created", "no arrow states when tasks were created");
        lacks("edges", "no arrow states what waited for what");
    }
    if stretches.is_empty() {
        let why = "asynchronous intervals do not state when tasks ran";
        lacks("work", why);
        lacks("fragments", why);
    }
    meta
}

/// Names of processes by rank.
fn process_names(trace: &Trace, places: &[Option<(i32, i32)>]) -> Vec<String> {
    let mut names: BTreeMap<i32, String> = BTreeMap::new();
    for (thread, place) in trace.threads.iter().zip(places) {
        let Some((rank, _)) = place else { continue };
        let process = trace.process_names.get(&thread.process);
        let process = process.map_or("", |&name| trace.names.get(name));
        names.entry(*rank).or_insert_with(|| process.to_owned());
    }
    names.into_values().collect()
}

/// Names of threads by rank and thread; nothing where none has one, or they are too many.
fn thread_names(trace: &Trace, places: &[Option<(i32, i32)>]) -> String {
    const LEN: usize = 1000;
    let threads = trace.threads.iter().zip(places);
    let mut by_place: Vec<((i32, i32), &str)> = threads
        .filter_map(|(thread, place)| Some(((*place)?, trace.names.get(thread.name))))
        .collect();
    by_place.sort_unstable();
    let names: Vec<&str> = by_place.iter().map(|(_, name)| *name).collect();
    let len: usize = names.iter().map(|name| name.len() + 2).sum();
    if names.iter().all(|name| name.is_empty()) || len > LEN {
        return String::new();
    }
    names.join(", ")
}
