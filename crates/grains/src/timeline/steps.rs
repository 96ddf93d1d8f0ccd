//! Running and ready fragments over time: an exact step function that is resampled at any zoom
//! without touching all of it.

use super::AbsenceReason;
use super::intervals::Intervals;
use super::pyramid::{Extremes, Pyramid};
use super::ready::Ready;
use crate::ordering;
pub(super) use events::{Cut, Events, Stretch};

mod events;

/// Layers: running fragments, then ready ones by the kind of edge that made them so, in the order
/// of [`super::ReadyBy`].
pub const LAYERS: usize = 7;

/// Values of the layers at one time.
pub(super) type Values = [u32; LAYERS];

/// Events of one block of the lowest level.
const BLOCK: usize = 64;
/// Bits of an event's code, below its time.
const CODE_BITS: u32 = 4;
const CODES: u64 = (1 << CODE_BITS) - 1;

/// What happens at a time: one that did not wait starts; one becomes ready, by kind of edge; one of
/// those starts; one ends. In this order nothing is taken away that is not there.
mod code {
    pub(super) const START: u64 = 1;
    pub(super) const READY: u64 = 2;
    pub(super) const START_READY: u64 = 8;
    pub(super) const END: u64 = 14;
}

/// The step functions r(t) and q(t) of a run, all layers together.
///
/// Eight bytes per event, at most three events per fragment, and about three bytes per event for
/// the levels above.
pub struct Steps {
    /// Time of an event, from `base`, and its code; sorted.
    events: Vec<u64>,
    base: i64,
    blocks: Vec<Block>,
    pyramid: Pyramid,
    /// State and areas behind the last event.
    last: Block,
    has_ready: bool,
}

/// The change by an event: running, ready.
#[inline]
fn change_of(event: u64) -> (i64, i64) {
    match event & CODES {
        code::END => (-1, 0),
        code::START => (1, 0),
        ready if ready < code::START_READY => (0, 1),
        _ => (1, -1),
    }
}

/// State before the first event of a block.
#[derive(Clone, Copy, Default)]
struct Block {
    values: Values,
    /// Areas up to the time of its first event.
    areas: [i128; LAYERS],
}

/// A part of a resampled stretch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Least value of each layer.
    pub min: [u32; LAYERS],
    /// Greatest value of each layer.
    pub max: [u32; LAYERS],
    /// Area of each layer times the number of parts, so that it is an integer.
    pub scaled_area: [i128; LAYERS],
}

/// A stretch of time cut into equal parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resampled {
    /// Begin of the first part.
    pub start: i64,
    /// End of the last part.
    pub end: i64,
    /// The parts, in order. Their bounds need not be whole numbers.
    pub parts: Vec<Part>,
}

impl Resampled {
    /// Time-weighted mean of a layer over a part: exact up to one rounding.
    pub fn mean(&self, part: &Part, layer: usize) -> f64 {
        let area = part.scaled_area.get(layer).copied().unwrap_or(0);
        let length = i128::from(self.end) - i128::from(self.start);
        area as f64 / length as f64
    }
}

impl Steps {
    pub(super) fn of(intervals: &Intervals, ready: Option<&Ready>) -> Result<Self, AbsenceReason> {
        let all = Events::of(intervals, ready)?;
        let mut events = Vec::with_capacity(all.len() * if ready.is_some() { 3 } else { 2 });
        all.of_fragments(0..all.len(), |event| events.push(event));
        ordering::sort(&mut events);
        Ok(Self::with_events(events, all.base, ready.is_some()))
    }

    fn with_events(events: Vec<u64>, base: i64, has_ready: bool) -> Self {
        let mut steps = Self {
            blocks: Vec::with_capacity(events.len() / BLOCK + 1),
            events,
            base,
            pyramid: Pyramid::default(),
            last: Block::default(),
            has_ready,
        };
        let mut extremes = Vec::with_capacity(steps.events.len() / BLOCK + 1);
        let mut now = Block::default();
        let mut time = steps.events.first().map_or(0, |event| event >> CODE_BITS);
        for at in (0..steps.events.len()).step_by(BLOCK) {
            let events = &steps.events[at..(at + BLOCK).min(steps.events.len())];
            let mut seen = Extremes::NONE;
            for (number, &event) in events.iter().enumerate() {
                let next = event >> CODE_BITS;
                if next > time {
                    now.pass(i128::from(next - time));
                    if number > 0 {
                        seen.add(&now.values);
                    }
                    time = next;
                }
                if number == 0 {
                    steps.blocks.push(now);
                }
                now.apply(event & CODES);
            }
            let behind = steps.events.get(at + BLOCK);
            if behind.is_none_or(|&event| event >> CODE_BITS > time) {
                seen.add(&now.values);
            }
            extremes.push(seen);
        }
        steps.last = now;
        steps.pyramid = Pyramid::of(extremes);
        steps
    }

    /// Whether ready fragments are known; else their layers are 0 and mean nothing.
    pub fn has_ready(&self) -> bool {
        self.has_ready
    }

    /// Bytes that it takes, closely enough.
    pub(super) fn bytes(&self) -> usize {
        self.events.capacity() * 8 + self.blocks.len() * (size_of::<Block>() + 64)
    }

    /// Time of the first event.
    pub fn start(&self) -> i64 {
        self.events.first().map_or(0, |&event| self.time(event))
    }

    /// Time of the last event.
    pub fn end(&self) -> i64 {
        self.events.last().map_or(0, |&event| self.time(event))
    }

    /// Area under a layer, in fragments times time; of running ones it is the work, and for folded
    /// subgraphs what their workers did not compute in them.
    pub fn area(&self, layer: usize) -> i128 {
        self.last.areas.get(layer).copied().unwrap_or(0)
    }

    /// Values of all layers from a time on. Every time at which something happens is there once, in
    /// order, also where nothing changes in the end.
    pub fn iter(&self) -> impl Iterator<Item = (i64, [u32; LAYERS])> {
        let mut now = Block::default();
        let at_once = self
            .events
            .chunk_by(|a, b| a >> CODE_BITS == b >> CODE_BITS);
        at_once.map(move |events| {
            for event in events {
                now.apply(event & CODES);
            }
            let time = events.first().map_or(0, |&event| self.time(event));
            (time, now.values)
        })
    }

    /// Values of all layers at a time.
    pub fn at(&self, time: i64) -> [u32; LAYERS] {
        let count = self.count_until(i128::from(time), 1, true);
        self.state(count).values
    }

    /// Minimum, maximum and mean of every layer over equal parts of a stretch of time, in
    /// O(parts · log events).
    ///
    /// Nothing runs outside of the run. A stretch that does not end after it starts has no parts.
    pub fn resample(&self, start: i64, end: i64, parts: u32) -> Resampled {
        let mut resampled = Resampled {
            start,
            end,
            parts: Vec::new(),
        };
        if end <= start {
            return resampled;
        }
        let count = i128::from(parts);
        let length = i128::from(end) - i128::from(start);
        let bound = |part: u32| i128::from(start) * count + i128::from(part) * length;
        let mut areas = self.areas(bound(0), count);
        for part in 0..parts {
            let until = self.areas(bound(part + 1), count);
            let mut seen = self.extremes(bound(part), bound(part + 1), count);
            seen.fill();
            resampled.parts.push(Part {
                min: seen.min,
                max: seen.max,
                scaled_area: std::array::from_fn(|layer| until[layer] - areas[layer]),
            });
            areas = until;
        }
        resampled
    }

    /// Events in order of time, with what they change: running, ready.
    #[inline]
    pub(super) fn changes(&self) -> impl Iterator<Item = (i64, i64, i64)> {
        let change = |&event: &u64| {
            let (running, ready) = change_of(event);
            (self.time(event), running, ready)
        };
        self.events.iter().map(change)
    }

    #[inline]
    fn time(&self, event: u64) -> i64 {
        self.base.saturating_add_unsigned(event >> CODE_BITS)
    }

    /// Events before a time that is given in parts of a unit, `inclusive` at it.
    fn count_until(&self, scaled: i128, scale: i128, inclusive: bool) -> usize {
        self.events.partition_point(|&event| {
            let time = i128::from(self.time(event)) * scale;
            time < scaled || inclusive && time == scaled
        })
    }

    /// State after a number of events, with areas up to the last of them.
    fn state(&self, count: usize) -> Block {
        if count == 0 {
            return Block::default();
        }
        let at = (count - 1) / BLOCK;
        let Some(&block) = self.blocks.get(at) else {
            return self.last;
        };
        let mut now = block;
        let events = self.events.get(at * BLOCK..count).unwrap_or_default();
        let mut time = events.first().map_or(0, |event| event >> CODE_BITS);
        for event in events {
            now.pass(i128::from((event >> CODE_BITS) - time));
            time = event >> CODE_BITS;
            now.apply(event & CODES);
        }
        now
    }

    /// Areas up to a time, both times `scale`.
    fn areas(&self, scaled: i128, scale: i128) -> [i128; LAYERS] {
        let count = self.count_until(scaled, scale, true);
        let state = self.state(count);
        let last = count.checked_sub(1).and_then(|at| self.events.get(at));
        let behind = last.map_or(0, |&event| scaled - i128::from(self.time(event)) * scale);
        std::array::from_fn(|layer| {
            state.areas[layer] * scale + i128::from(state.values[layer]) * behind
        })
    }

    /// Extremes of the values that hold somewhere between two times.
    fn extremes(&self, start: i128, end: i128, scale: i128) -> Extremes {
        let first = self.count_until(start, scale, true);
        let last = self.count_until(end, scale, false);
        let mut state = self.state(first);
        let mut seen = Extremes::NONE;
        seen.add(&state.values);
        let mut at = first;
        while at < last {
            if at.is_multiple_of(BLOCK) && at + BLOCK <= last {
                // The last state of the last whole block holds until the next event or the end.
                let blocks = at / BLOCK..last / BLOCK;
                seen.merge(&self.pyramid.extremes(blocks.clone()));
                at = blocks.end * BLOCK;
                state = self.state(at);
                continue;
            }
            let Some(&event) = self.events.get(at) else {
                break;
            };
            state.apply(event & CODES);
            at += 1;
            let next = self.events.get(at).map(|event| event >> CODE_BITS);
            if at == last || next != Some(event >> CODE_BITS) {
                seen.add(&state.values);
            }
        }
        seen
    }
}

impl Block {
    #[inline]
    fn pass(&mut self, length: i128) {
        for (area, value) in self.areas.iter_mut().zip(&self.values) {
            *area += i128::from(*value) * length;
        }
    }

    #[inline]
    fn apply(&mut self, code: u64) {
        let add = |values: &mut Values, layer: u64, change: i32| {
            let layer = usize::try_from(layer).unwrap_or(LAYERS);
            if let Some(value) = values.get_mut(layer) {
                *value = value.wrapping_add_signed(change);
            }
        };
        match code {
            code::END => add(&mut self.values, 0, -1),
            code::START => add(&mut self.values, 0, 1),
            ready if ready < code::START_READY => {
                add(&mut self.values, 1 + ready - code::READY, 1);
            }
            start => {
                add(&mut self.values, 0, 1);
                add(&mut self.values, 1 + start - code::START_READY, -1);
            }
        }
    }
}

impl std::fmt::Debug for Steps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = f.debug_struct("Steps");
        text.field("events", &self.events.len())
            .finish_non_exhaustive()
    }
}
