//! Exports of our own: what they state beyond other traces gives the run back as it was.
//!
//! Arguments of events hold the rows of grains, fragments and waits; the tables that views are
//! computed from come after the events. The run's id, a hash of all tables, shows whether
//! everything is there unchanged; a trace that was cut or edited is read like any other.

mod tables;

use std::collections::HashMap;

use serde::Deserialize;
use sheaf_model::RunTables;
use sheaf_model::table::{CounterRow, DependenceRow, FragmentRow, GrainRow, WaitRow};

use super::event::{Event, Key, Time};

/// What is kept of an export.
#[derive(Debug, Default)]
pub(super) struct Own {
    /// The tables that follow the events, unchanged.
    pub(super) tables: Vec<u8>,
    /// Of the last event: id and parent of its grain, and source line.
    pub(super) id: Option<Key>,
    pub(super) parent: Option<Key>,
    pub(super) source: String,
    grains: Vec<(i64, GrainRow)>,
    counters: Vec<CounterRow>,
    /// With the thread in place of the location.
    fragments: Vec<(Place, FragmentRow)>,
    waits: Vec<WaitRow>,
    dependences: Vec<DependenceRow>,
}

/// Rank and thread.
type Place = (i32, i32);

/// Arguments of an event.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Args {
    id: Option<i64>,
    parent: Option<i64>,
    src: Option<String>,
    /// What ended a fragment.
    end: Option<i32>,
    /// Row of the grain, at its first event.
    grain: Option<GrainArgs>,
    /// Grain that waits.
    waiter: Option<i32>,
    wait: Option<i32>,
    line: Option<i32>,
    predecessor: Option<i32>,
    successor: Option<i32>,
}

/// Columns of a grain that its events do not have.
#[derive(Debug, Deserialize)]
struct GrainArgs {
    key: String,
    context: i32,
    kind: i32,
    #[serde(default)]
    flags: i32,
    sequence: Option<i64>,
    index: i64,
    joined_by: Option<i64>,
    first_iteration: Option<i64>,
    iterations: Option<i64>,
    location: Option<i32>,
    created: Option<i64>,
    start: Option<i64>,
    end: Option<i64>,
    work: Option<i64>,
    creation: Option<i64>,
    waiting: Option<i64>,
    /// Metric with an integer, or with a float as text.
    #[serde(default)]
    counters: Vec<(i32, Number)>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Number {
    Integer(i64),
    Float(String),
}

impl Own {
    /// Takes what an event states; whether that is all it is for.
    pub(super) fn take(&mut self, event: &Event) -> bool {
        (self.id, self.parent) = (None, None);
        self.source.clear();
        if event.own_args.is_empty() {
            return false;
        }
        let Ok(args) = serde_json::from_slice::<Args>(&event.own_args) else {
            return false;
        };
        (self.id, self.parent) = (args.id.map(Key::Number), args.parent.map(Key::Number));
        self.source = args.src.unwrap_or_default();
        if let (Some(predecessor), Some(successor)) = (args.predecessor, args.successor) {
            self.dependences.push(DependenceRow {
                predecessor,
                successor,
            });
            return event.phase == b'i';
        }
        let stretch = match (event.time, event.duration) {
            (Time::At(start), Time::At(duration)) => Some((start, duration)),
            _ => None,
        };
        if let (Some(grain), Some(kind)) = (args.waiter, args.wait) {
            if let Some((start, duration)) = stretch {
                self.waits.push(WaitRow {
                    grain,
                    kind,
                    start,
                    duration,
                    line: args.line,
                });
            }
            return true;
        }
        let Some(id) = args.id else { return false };
        if let Some(grain) = args.grain {
            self.take_grain(id, args.parent, grain);
        }
        let (Some((start, duration)), Some(place), Ok(grain)) =
            (stretch, place(event), i32::try_from(id))
        else {
            return event.phase == b'i';
        };
        let fragment = FragmentRow {
            grain,
            location: 0,
            start,
            duration,
            ended_by: args.end.unwrap_or(0),
        };
        self.fragments.push((place, fragment));
        false
    }

    fn take_grain(&mut self, id: i64, parent: Option<i64>, args: GrainArgs) {
        let (Ok(path_key), Ok(grain)) = (args.key.parse(), i32::try_from(id)) else {
            return;
        };
        let row = GrainRow {
            path_key,
            context: args.context,
            parent: parent.and_then(|parent| i32::try_from(parent).ok()),
            kind: args.kind,
            flags: args.flags,
            sequence: args.sequence,
            index: args.index,
            joined_by: args.joined_by,
            first_iteration: args.first_iteration,
            iterations: args.iterations,
            location: args.location,
            created: args.created,
            start: args.start,
            end: args.end,
            work: args.work,
            creation: args.creation,
            waiting: args.waiting,
        };
        self.grains.push((id, row));
        for (metric, number) in args.counters {
            let (value, value_float) = match number {
                Number::Integer(value) => (Some(value), None),
                Number::Float(text) => (None, text.parse::<f64>().ok()),
            };
            self.counters.push(CounterRow {
                grain,
                metric,
                value,
                value_float,
            });
        }
    }

    /// The run, where everything is there unchanged.
    pub(super) fn restore(mut self) -> Option<RunTables> {
        let (summary, id) = tables::summary(&self.tables)?;
        let locations: HashMap<Place, i32> = (0..)
            .zip(summary.locations.rows())
            .map(|(row, location)| ((location.rank, location.thread), row))
            .collect();
        for (place, fragment) in &mut self.fragments {
            fragment.location = *locations.get(place)?;
        }
        self.fragments
            .sort_by_key(|(_, row)| (row.grain, row.start));
        self.waits.sort_by_key(|row| (row.grain, row.start));
        self.dependences
            .sort_by_key(|row| (row.successor, row.predecessor));
        self.counters.sort_by_key(|row| (row.grain, row.metric));
        self.grains.sort_by_key(|(id, _)| *id);
        if (0..).zip(&self.grains).any(|(row, (id, _))| row != *id) {
            return None;
        }
        let tables = RunTables {
            grains: self.grains.into_iter().map(|(_, row)| row).collect(),
            fragments: self.fragments.into_iter().map(|(_, row)| row).collect(),
            waits: self.waits.into_iter().collect(),
            dependences: self.dependences.into_iter().collect(),
            counters: self.counters.into_iter().collect(),
            summary,
        };
        let is_same = tables.validate().is_ok() && tables.content_id() == id;
        is_same.then_some(tables)
    }
}

fn place(event: &Event) -> Option<Place> {
    match (event.process?, event.thread?) {
        (Key::Number(rank), Key::Number(thread)) => {
            Some((i32::try_from(rank).ok()?, i32::try_from(thread).ok()?))
        }
        _ => None,
    }
}
