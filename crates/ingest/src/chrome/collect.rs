//! What is kept of the events of a trace, in the order in which they stand.

use std::collections::{BTreeMap, HashMap};

use sheaf_model::{ParamValue, Report};

use super::event::{Event, Key, Names, Time};
use super::restore::Own;
use crate::lossy;

/// No row, no text, no number.
pub(super) const NONE: u32 = u32::MAX;

/// End of a slice of which it is not known.
pub(super) const UNKNOWN: i64 = i64::MIN;

/// An interval of a thread, or an asynchronous interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slice {
    /// Of an asynchronous interval that of its end.
    pub(super) thread: u32,
    pub(super) name: u32,
    pub(super) category: u32,
    pub(super) source: u32,
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) id: Option<Key>,
    pub(super) parent: Option<Key>,
    /// Whether it states nothing about its thread's time: of asynchronous intervals, and of slices without
    /// a duration, only begin and end are known.
    pub(super) is_async: bool,
    /// Whether its end is not in the trace.
    pub(super) is_unfinished: bool,
}

/// The begin or end of a slice on its thread, or of an asynchronous interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    /// Thread, or number of what asynchronous events match by.
    pub(super) stack: u32,
    pub(super) time: i64,
    /// The slice that begins; [`NONE`] at ends.
    pub(super) slice: u32,
    /// [`NONE`] where there is none.
    pub(super) name: u32,
    pub(super) thread: u32,
}

/// Start, step or finish of an arrow.
#[derive(Debug, Clone, Copy)]
pub(super) struct FlowMark {
    /// Number of what arrows match by.
    pub(super) flow: u32,
    pub(super) time: i64,
    pub(super) thread: u32,
    pub(super) phase: FlowPhase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FlowPhase {
    Start,
    Step,
    /// Bound to the slice around it.
    Finish,
    /// Bound to the next slice.
    FinishNext,
}

/// A thread by process and thread as the trace numbers them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Thread {
    pub(super) process: Key,
    pub(super) id: Key,
    pub(super) name: u32,
    pub(super) sort_index: i64,
}

/// What asynchronous events and arrows match by: kind of event, process where the id is local,
/// category, name where it counts, id.
type Match = (u8, Option<Key>, u32, u32, Key);

/// A trace.
#[derive(Debug, Default)]
pub(super) struct Trace {
    pub(super) names: Names,
    pub(super) slices: Vec<Slice>,
    pub(super) marks: Vec<Mark>,
    pub(super) async_marks: Vec<Mark>,
    pub(super) flows: Vec<FlowMark>,
    pub(super) threads: Vec<Thread>,
    pub(super) process_names: HashMap<Key, u32>,
    pub(super) params: BTreeMap<String, ParamValue>,
    pub(super) report: Report,
    /// Whether something is missing at the end.
    pub(super) is_truncated: bool,
    /// Whether what was read last was a whole event.
    pub(super) is_cut_between: bool,
    /// What an export of ours states besides its events.
    pub(super) own: Option<Own>,
    /// Events that name processes and threads.
    num_metadata: u64,
    matches: HashMap<Match, u32>,
    thread_rows: HashMap<(Key, Key), u32>,
    recent: Option<((Key, Key), u32)>,
}

/// Kinds of findings that count events without a duration, and how one and several are called.
const WITHOUT_DURATION: [(&str, [&str; 2]); 7] = [
    ("skipped_counters", ["counter", "counters"]),
    ("skipped_instants", ["instant", "instants"]),
    ("skipped_totals", ["total", "totals"]),
    (
        "skipped_events",
        ["event of another kind", "events of other kinds"],
    ),
    ("skipped_broken_events", ["broken event", "broken events"]),
    (
        "skipped_negative_durations",
        ["event of negative duration", "events of negative duration"],
    ),
    (
        "skipped_times",
        ["event of unusable time", "events of unusable time"],
    ),
];

impl Trace {
    /// Counts the events of a trace without durations: `3 counters, 2 instants`.
    pub(super) fn contents(&self) -> String {
        let mut counts: Vec<(u64, [&str; 2])> = WITHOUT_DURATION
            .iter()
            .map(|(kind, name)| (self.report.count(kind), *name))
            .collect();
        counts.push((
            self.flows.len() as u64,
            ["end of an arrow", "ends of arrows"],
        ));
        counts.push((
            self.num_metadata,
            [
                "name of a process or thread",
                "names of processes and threads",
            ],
        ));
        counts.retain(|(count, _)| *count > 0);
        let parts: Vec<String> = counts
            .iter()
            .map(|(count, [one, several])| {
                format!("{count} {}", if *count == 1 { one } else { several })
            })
            .collect();
        if parts.is_empty() {
            return "no event".to_owned();
        }
        parts.join(", ")
    }

    /// Takes what a trace states about itself as parameters.
    pub(super) fn about(&mut self, raw: &[u8]) {
        const TEXT_LEN: usize = 1000;
        let Ok(serde_json::Value::Object(about)) = serde_json::from_slice(raw) else {
            self.report.add("skipped_metadata", 1, || None);
            return;
        };
        if about.get("exporter").and_then(|it| it.as_str()) == Some("grainsheaf") {
            self.own = Some(Own::default());
            return;
        }
        for (name, value) in about {
            let value = match value {
                serde_json::Value::Bool(value) => ParamValue::Boolean(value),
                serde_json::Value::Number(value) => match ParamValue::of_number(&value.to_string())
                {
                    Some(value) => value,
                    None => continue,
                },
                serde_json::Value::String(value) if value.len() <= TEXT_LEN => {
                    ParamValue::infer(&value)
                }
                _ => continue,
            };
            self.params.insert(name, value);
        }
    }

    /// Takes an event, which stands at byte `at`.
    pub(super) fn add(&mut self, event: &Event, at: u64) {
        if let Some(own) = &mut self.own
            && own.take(event)
        {
            return;
        }
        let place = || Some(format!("byte {at}"));
        if event.phase == b'M' {
            self.num_metadata += 1;
            self.add_metadata(event);
            return;
        }
        let skipped = match event.phase {
            b'X' | b'B' | b'E' | b'b' | b'e' | b'S' | b'F' | b's' | b't' | b'f' => None,
            b'n' | b'i' | b'I' | b'T' | b'p' => Some("skipped_instants"),
            b'C' => Some("skipped_counters"),
            _ => Some("skipped_events"),
        };
        if let Some(kind) = skipped {
            self.report.add(kind, 1, place);
            return;
        }
        let Time::At(time) = event.time else {
            self.report.add("skipped_times", 1, place);
            return;
        };
        if is_total(event) {
            self.report.add("skipped_totals", 1, || {
                Some(lossy::decode(&event.name).into_owned())
            });
            return;
        }
        self.add_bound_flow(event, time);
        match event.phase {
            b'X' => self.add_complete(event, time, at),
            b'B' => self.add_begin(event, time),
            b'E' => self.add_end(event, time),
            b's' | b't' | b'f' => self.add_flow(event, time, at),
            _ => self.add_async(event, time, at),
        }
    }

    fn add_complete(&mut self, event: &Event, time: i64, at: u64) {
        let place = || Some(format!("byte {at}"));
        let end = match event.duration {
            Time::At(duration) if duration >= 0 => time + duration,
            Time::At(_) => {
                self.report.add("skipped_negative_durations", 1, place);
                return;
            }
            Time::Unusable => {
                self.report.add("skipped_times", 1, place);
                return;
            }
            Time::Absent => {
                self.report.add("repaired_missing_durations", 1, place);
                UNKNOWN
            }
        };
        // Without a duration nothing states how long it had its thread.
        self.add_slice(event, time, end, end == UNKNOWN);
    }

    /// Adds a slice; its number.
    fn add_slice(&mut self, event: &Event, start: i64, end: i64, is_async: bool) -> u32 {
        let at = u32::try_from(self.slices.len()).unwrap_or(NONE);
        let (id, parent, source) = match &self.own {
            Some(own) => (own.id, own.parent, own.source.as_bytes()),
            None => (
                event.args.id,
                event.args.parent,
                event.args.source.as_slice(),
            ),
        };
        let source = if source.is_empty() {
            NONE
        } else {
            self.names.add(source)
        };
        let slice = Slice {
            thread: self.thread(event),
            name: self.names.add(&event.name),
            category: self.names.add(&event.category),
            source,
            start,
            end,
            id,
            parent,
            is_async,
            is_unfinished: false,
        };
        self.slices.push(slice);
        at
    }

    fn add_begin(&mut self, event: &Event, time: i64) {
        let slice = self.add_slice(event, time, UNKNOWN, false);
        let thread = self.thread(event);
        self.marks.push(Mark {
            stack: thread,
            time,
            slice,
            name: NONE,
            thread,
        });
    }

    fn add_end(&mut self, event: &Event, time: i64) {
        let thread = self.thread(event);
        let name = self.name_of(event);
        self.marks.push(Mark {
            stack: thread,
            time,
            slice: NONE,
            name,
            thread,
        });
    }

    fn name_of(&mut self, event: &Event) -> u32 {
        if event.name.is_empty() {
            NONE
        } else {
            self.names.add(&event.name)
        }
    }

    /// Begin or end of an asynchronous interval. Those of the older kind match by name, too.
    fn add_async(&mut self, event: &Event, time: i64, at: u64) {
        let is_old = matches!(event.phase, b'S' | b'F');
        let name = self.name_of(event);
        let kind = if is_old { b'S' } else { b'b' };
        let Some(stack) = self.matched(event, kind, if is_old { name } else { NONE }) else {
            let place = || Some(format!("byte {at}"));
            self.report.add("skipped_events_without_id", 1, place);
            return;
        };
        let thread = self.thread(event);
        let is_begin = matches!(event.phase, b'b' | b'S');
        let slice = if is_begin {
            self.add_slice(event, time, UNKNOWN, true)
        } else {
            NONE
        };
        self.async_marks.push(Mark {
            stack,
            time,
            slice,
            name: if is_begin { NONE } else { name },
            thread,
        });
    }

    fn add_flow(&mut self, event: &Event, time: i64, at: u64) {
        let name = self.name_of(event);
        let Some(flow) = self.matched(event, b's', name) else {
            let place = || Some(format!("byte {at}"));
            self.report.add("skipped_events_without_id", 1, place);
            return;
        };
        let phase = match event.phase {
            b's' => FlowPhase::Start,
            b't' => FlowPhase::Step,
            _ if event.binds_around => FlowPhase::Finish,
            _ => FlowPhase::FinishNext,
        };
        self.mark_flow(event, time, flow, phase);
    }

    fn mark_flow(&mut self, event: &Event, time: i64, flow: u32, phase: FlowPhase) {
        let thread = self.thread(event);
        self.flows.push(FlowMark {
            flow,
            time,
            thread,
            phase,
        });
    }

    /// Adds an arrow that an event states as a member. Such arrows match by their id alone, without name and category.
    fn add_bound_flow(&mut self, event: &Event, time: i64) {
        let Some(id) = event.bind.filter(|_| matches!(event.phase, b'X' | b'B')) else {
            return;
        };
        let phase = match event.flow {
            [false, false] => return,
            [false, true] => FlowPhase::Start,
            [true, true] => FlowPhase::Step,
            [true, false] => FlowPhase::FinishNext,
        };
        let flow = self.match_number((b'b', None, NONE, NONE, id));
        self.mark_flow(event, time, flow, phase);
    }

    fn matched(&mut self, event: &Event, kind: u8, name: u32) -> Option<u32> {
        let id = event.id?;
        let process = event.is_local.then(|| process_of(event));
        let category = self.names.add(&event.category);
        Some(self.match_number((kind, process, category, name, id)))
    }

    fn match_number(&mut self, key: Match) -> u32 {
        let next = u32::try_from(self.matches.len()).unwrap_or(NONE);
        *self.matches.entry(key).or_insert(next)
    }

    fn thread(&mut self, event: &Event) -> u32 {
        let key = (process_of(event), event.thread.unwrap_or(Key::Number(0)));
        if let Some((known, row)) = self.recent
            && known == key
        {
            return row;
        }
        let next = u32::try_from(self.threads.len()).unwrap_or(NONE);
        let row = *self.thread_rows.entry(key).or_insert(next);
        if row == next {
            self.threads.push(Thread {
                process: key.0,
                id: key.1,
                name: NONE,
                sort_index: 0,
            });
        }
        self.recent = Some((key, row));
        row
    }

    fn add_metadata(&mut self, event: &Event) {
        match event.name.as_slice() {
            b"process_name" if !event.args.name.is_empty() => {
                let name = self.names.add(&event.args.name);
                self.process_names.insert(process_of(event), name);
            }
            b"thread_name" if !event.args.name.is_empty() => {
                let name = self.names.add(&event.args.name);
                let row = self.thread(event) as usize;
                if let Some(thread) = self.threads.get_mut(row) {
                    thread.name = name;
                }
            }
            b"thread_sort_index" => {
                let row = self.thread(event) as usize;
                let index = event.args.sort_index.unwrap_or(0);
                if let Some(thread) = self.threads.get_mut(row) {
                    thread.sort_index = index;
                }
            }
            _ => {}
        }
    }
}

/// Whether it is the sum of other events, which clang's `-ftime-trace` writes as an event of a thread of its own.
fn is_total(event: &Event) -> bool {
    event.phase == b'X' && event.args.has_mean && event.name.starts_with(b"Total ")
}

fn process_of(event: &Event) -> Key {
    event.process.unwrap_or(Key::Number(0))
}
