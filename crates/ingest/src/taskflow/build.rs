//! From segments to the tables of a run.

use std::collections::BTreeMap;

use sheaf_model::table::{FragmentEnd, GrainKind, flags};
use sheaf_model::{Direction, MetricKind, ParamValue, Report, RunMeta, Unit};

use super::edges::{Edges, edges};
use super::{Profile, Segment};
use crate::measure::{MetricSpec, Value};
use crate::nested_intervals::{self, Interval};
use crate::profile::{Frame, LocationIdx};
use crate::program::{Grain, GrainIdx, Program};
use crate::program_name::named_after;
use crate::reader::Read;
use crate::{Error, Format, Input};

/// Nanoseconds of the source's unit.
const NANOS: i64 = 1000;

/// Latest time that is believed.
const LATEST: i64 = i64::MAX / 4;

/// Kinds of findings of the report that mean that segments are left out.
const LOST: [&str; 3] = ["skipped_segments", "skipped_times", "skipped_workers"];

/// Executor and worker with the thread that stands for them.
type Lanes = BTreeMap<(u32, u32), (i32, Option<LocationIdx>)>;

/// Makes a run of a profile: one grain per segment, one definition per name.
pub(super) fn build(mut profile: Profile, input: &Input<'_>) -> Result<Read, Error> {
    let mut report = std::mem::take(&mut profile.report);
    to_nanos(&mut profile, &mut report);
    let mut lanes = number_lanes(&mut profile, &mut report);
    let segments = profile.segments.as_slice();
    report.add("read_grains", segments.len() as u64, || None);
    let edges = edges(&profile, input.hints.task_graph.as_deref(), &mut report);
    let mut meta = meta(&profile, input, &edges);
    meta.is_complete &= LOST.iter().all(|kind| report.count(kind) == 0);
    let mut program = Program::new(meta);
    for (thread, location) in lanes.values_mut() {
        *location = Some(program.location(0, *thread, None));
    }
    let level = program.metric(level());
    for (segment, mut occurrence) in segments.iter().zip(occurrences(segments)) {
        if edges.is_connected(occurrence.segment) {
            occurrence.flags |= flags::HAS_DEPENDENCES;
        }
        let grain = add_grain(&mut program, segment, &occurrence, &lanes);
        program.measure(grain, level, Value::Integer(i64::from(segment.level)));
    }
    for (before, after) in edges.pairs() {
        program.dependence(GrainIdx(before), GrainIdx(after));
    }
    add_fragments(&mut program, segments, &lanes, &mut report);
    let place = |grain: GrainIdx| format!("segment {}", grain.0);
    let tables = program
        .finish(None)
        .map_err(|error| error.refusal(Format::Taskflow, place))?;
    Ok((tables, report))
}

/// Converts times, on one clock where the file states when each executor began. Segments whose
/// times make no sense are left out.
fn to_nanos(profile: &mut Profile, report: &mut Report) {
    let has_origins = profile.origins.len() as u64 >= u64::from(profile.executors);
    let first = profile.origins.iter().min().copied().unwrap_or(0);
    let shift = |executor: u32| {
        let origin = profile.origins.get(executor as usize);
        origin.map_or(Some(0), |origin| origin.checked_sub(first))
    };
    let convert = |executor: u32, time: i64| {
        let time = time.checked_add(shift(executor)?)?.checked_mul(NANOS)?;
        (0..LATEST).contains(&time).then_some(time)
    };
    profile.segments.retain_mut(|segment| {
        let begin = convert(segment.executor, segment.begin);
        let end = convert(segment.executor, segment.end);
        let (Some(begin), Some(end)) = (begin, end) else {
            let place = || Some(format!("executor {}", segment.executor));
            report.add("skipped_times", 1, place);
            return false;
        };
        (segment.begin, segment.end) = (begin, end);
        true
    });
    if !has_origins {
        let mut executors: Vec<u32> = profile.segments.iter().map(|it| it.executor).collect();
        executors.dedup();
        let unaligned = executors.len().saturating_sub(1) as u64;
        report.add("read_unaligned_executors", unaligned, || None);
    }
}

/// Numbers workers: those of a further executor are further threads. Segments of workers beyond
/// all numbers are left out.
fn number_lanes(profile: &mut Profile, report: &mut Report) -> Lanes {
    let mut last: BTreeMap<u32, i64> = BTreeMap::new();
    for segment in &profile.segments {
        let last = last.entry(segment.executor).or_default();
        *last = (*last).max(i64::from(segment.worker));
    }
    let mut next = 0_i64;
    let firsts: BTreeMap<u32, i64> = last
        .into_iter()
        .map(|(executor, last)| {
            let first = next;
            next += last + 1;
            (executor, first)
        })
        .collect();
    let mut lanes = Lanes::new();
    profile.segments.retain(|segment| {
        let first = firsts.get(&segment.executor).copied().unwrap_or(0);
        let thread = i32::try_from(first + i64::from(segment.worker));
        if let Ok(thread) = thread {
            lanes.insert((segment.executor, segment.worker), (thread, None));
        } else {
            let place = || Some(format!("worker {}", segment.worker));
            report.add("skipped_workers", 1, place);
        }
        thread.is_ok()
    });
    lanes
}

/// What distinguishes a segment from others of its name.
#[derive(Debug, Clone, Copy)]
struct Occurrence {
    segment: usize,
    /// Place in time among the segments of its name.
    number: i64,
    flags: i32,
}

/// By segment. Which occurrence of a repeated name is which depends on the schedule.
fn occurrences(segments: &[Segment]) -> Vec<Occurrence> {
    let key = |at: &usize| {
        let segment = segments.get(*at);
        segment.map(|it| {
            (
                it.identity(),
                it.begin,
                it.executor,
                it.worker,
                it.level,
                it.index,
            )
        })
    };
    let mut order: Vec<usize> = (0..segments.len()).collect();
    order.sort_by(|a, b| key(a).cmp(&key(b)));
    let identity = |at: &usize| segments.get(*at).map(Segment::identity);
    let mut found = Vec::with_capacity(segments.len());
    for group in order.chunk_by(|a, b| identity(a) == identity(b)) {
        let is_unnamed = identity(&group[0]).is_some_and(|(name, _)| name.is_none());
        let is_dependent = is_unnamed || group.len() > 1;
        let flags = if is_dependent {
            flags::SCHEDULE_DEPENDENT
        } else {
            0
        };
        found.extend((0..).zip(group).map(|(number, &segment)| Occurrence {
            segment,
            number,
            flags,
        }));
    }
    found.sort_by_key(|occurrence| occurrence.segment);
    found
}

impl Segment {
    /// Name; of unnamed ones the kind.
    fn identity(&self) -> (Option<&str>, &str) {
        match &self.name {
            Some(name) => (Some(name), ""),
            None => (None, &self.kind),
        }
    }
}

fn add_grain(
    program: &mut Program,
    segment: &Segment,
    occurrence: &Occurrence,
    lanes: &Lanes,
) -> GrainIdx {
    let unnamed = format!("unnamed {} task", segment.kind);
    let (kind, name) = match &segment.name {
        Some(name) => ("task", name.as_str()),
        None => ("unnamed task", unnamed.as_str()),
    };
    let definition = program.definition(Frame {
        kind,
        name,
        module: Some(segment.kind.as_str()).filter(|kind| !kind.is_empty()),
        ..Frame::default()
    });
    program.grain(Grain {
        definition,
        kind: GrainKind::Task,
        flags: occurrence.flags,
        sequence: None,
        index: occurrence.number,
        joined_by: None,
        first_iteration: None,
        iterations: None,
        location: lanes
            .get(&(segment.executor, segment.worker))
            .and_then(|(_, location)| *location),
        created: None,
        start: Some(segment.begin),
        end: Some(segment.end),
        work: None,
        creation: None,
        waiting: None,
    })
}

/// Fragments of each worker: a segment's time less that of the segments inside it.
fn add_fragments(program: &mut Program, segments: &[Segment], lanes: &Lanes, report: &mut Report) {
    let mut by_lane: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
    for (at, segment) in (0..).zip(segments) {
        let lane = by_lane.entry((segment.executor, segment.worker));
        lane.or_default().push(at);
    }
    for (lane, mut order) in by_lane {
        let Some((_, Some(location))) = lanes.get(&lane) else {
            continue;
        };
        // Segments of one level follow each other, also where they are shorter than the clock.
        order.sort_by_key(|&at| {
            let segment = segments.get(at as usize);
            segment.map(|it| (it.begin, it.level, it.end, it.index))
        });
        let intervals: Vec<Interval> = order
            .iter()
            .filter_map(|&owner| {
                let segment = segments.get(owner as usize)?;
                Some(Interval {
                    owner,
                    start: segment.begin,
                    end: segment.end,
                })
            })
            .collect();
        let overlaps = nested_intervals::cut_around_inner(&intervals, |piece| {
            let ended_by = if piece.is_last {
                FragmentEnd::GrainEnd
            } else {
                FragmentEnd::Switch
            };
            let grain = GrainIdx(piece.owner);
            program.fragment(grain, *location, piece.start, piece.duration, ended_by);
        });
        let place = || Some(format!("worker {}", lane.1));
        report.add("repaired_overlapping_segments", overlaps.count, place);
    }
}

fn level() -> MetricSpec {
    MetricSpec {
        name: "level".to_owned(),
        unit: Unit::Count,
        kind: MetricKind::Intensive,
        direction: Direction::Neutral,
        is_integer: true,
        source: Some("level".to_owned()),
    }
}

fn meta(profile: &Profile, input: &Input<'_>, edges: &Edges) -> RunMeta {
    let mut meta = named_after(input.file_name(), Format::Taskflow);
    meta.is_complete = !profile.is_truncated;
    meta.workers = input.hints.workers;
    let number = |value: f64| ParamValue::Number(value);
    let mut params = vec![
        (
            "runtime".to_owned(),
            ParamValue::Text("Taskflow".to_owned()),
        ),
        ("executors".to_owned(), number(f64::from(profile.executors))),
    ];
    params.extend(
        profile
            .version
            .map(|version| ("profile_version".to_owned(), number(f64::from(version)))),
    );
    params.extend(
        input
            .hints
            .workers
            .map(|workers| ("threads".to_owned(), number(workers as f64))),
    );
    let mut kinds: BTreeMap<&str, u32> = BTreeMap::new();
    for segment in &profile.segments {
        *kinds.entry(segment.kind.as_str()).or_default() += 1;
    }
    params.extend(
        kinds
            .into_iter()
            .map(|(kind, count)| (format!("{kind}_tasks"), number(f64::from(count)))),
    );
    meta.params.extend(params);
    let mut lacks = vec![
        (
            "parent",
            "a profile does not state which task created another",
        ),
        (
            "created",
            "a profile does not state when tasks were created",
        ),
        ("waits", "a profile does not state when tasks waited"),
    ];
    if !edges.is_known {
        lacks.push((
            "edges",
            "a profile holds no dependences; give the text of Taskflow::dump to have them",
        ));
    }
    let lacks = lacks.into_iter();
    meta.lacks
        .extend(lacks.map(|(what, why)| (what.to_owned(), why.to_owned())));
    meta
}

#[cfg(test)]
mod tests {
    use sheaf_model::Progress;

    use crate::{Input, NoModules, Symbols};

    #[test]
    fn a_segment_that_is_left_out_makes_the_run_incomplete() {
        let is_complete = |span: &str| {
            let text = format!(
                r#"[{{"executor":"0","data":[{{"worker":0,"level":0,"data":[{{"span":[1,5],"name":"a","type":"static"}},{{"span":{span},"name":"b","type":"static"}}]}}]}}]"#
            );
            let content = text.into_bytes();
            let inputs = [Input::new("t.json", &content)];
            let symbols = Symbols::new(NoModules);
            let mut read = crate::read(&inputs, &symbols, &Progress::silent()).unwrap();
            read.runs.pop().unwrap().tables.summary.meta.is_complete
        };
        assert!(is_complete("[6,9]"));
        assert!(!is_complete("[9,6]"));
        assert!(!is_complete("[9]"));
    }
}
