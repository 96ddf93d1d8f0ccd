//! Replays calls of MPI on a network without latency and with unlimited bandwidth.
//!
//! Between its calls a rank takes as long as it took. A call ends when it has begun and all that it needs has arrived
//! (Dimemas: Labarta, Girona, Pillet, Cortes & Gregoris 1996; POP's transfer efficiency: Rosas, Giménez & Labarta
//! 2014). No call ends later than it did: that could only be where clocks differ, or where the library does not wait for
//! what the standard lets it wait for.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

/// Calls of all ranks, with what they need of each other.
#[derive(Debug, Default)]
pub(super) struct Network {
    pub(super) timelines: Vec<Timeline>,
    /// Number of places at which calls arrive.
    pub(super) places: usize,
    /// Number of members of each meeting.
    pub(super) meetings: Vec<usize>,
}

/// Calls of one rank, in order.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    pub(super) calls: Vec<Interval>,
    /// The row of a call, and where its begin is an arrival; in the order of calls.
    pub(super) arrivals: Vec<(usize, Arrival)>,
    /// The row of a call, and what must have arrived before it ends; in the order of calls.
    pub(super) needs: Vec<(usize, Need)>,
    /// When the rank ended.
    pub(super) end: i64,
}

/// One call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Interval {
    pub(super) begin: i64,
    pub(super) end: i64,
    /// It is not known what it needs: it takes as long as it took.
    pub(super) is_kept: bool,
}

/// A place, and the meeting that it belongs to, if any waits for the whole of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival {
    pub(super) place: usize,
    pub(super) meeting: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Need {
    /// One arrival.
    Place(usize),
    /// Arrivals at this number of places, beginning with the first.
    Places(usize, usize),
    /// All members of a meeting.
    Meeting(usize),
}

/// A rank on its way.
#[derive(Debug, Clone, Copy, Default)]
struct Rank {
    call: usize,
    arrival: usize,
    need: usize,
    /// When its last call ended in the replay; meaningless before the first.
    now: i64,
    has_begun: bool,
}

struct Replay<'a> {
    network: &'a Network,
    ranks: Vec<Rank>,
    places: Vec<Option<i64>>,
    /// Members that are missing, and the latest arrival.
    meetings: Vec<(usize, i64)>,
    /// Ranks that wait, by what for.
    waiting: FxHashMap<Need, Vec<usize>>,
    ready: VecDeque<usize>,
}

impl Network {
    /// When each rank ends. Linear in calls, arrivals and needs, but for calls whose needs do not fit each other: to
    /// each of those all ranks are searched.
    pub(super) fn replay(&self) -> Vec<i64> {
        let count = self.timelines.len();
        let mut replay = Replay {
            network: self,
            ranks: vec![Rank::default(); count],
            places: vec![None; self.places],
            meetings: self.meetings.iter().map(|&size| (size, i64::MIN)).collect(),
            waiting: FxHashMap::default(),
            ready: (0..count).collect(),
        };
        loop {
            while let Some(rank) = replay.ready.pop_front() {
                while replay.step(rank) {}
            }
            if !replay.free_one() {
                break;
            }
        }
        let ends = replay.ranks.iter().zip(&self.timelines);
        ends.map(|(rank, timeline)| match timeline.calls.last() {
            Some(last) => rank
                .now
                .saturating_add(timeline.end.saturating_sub(last.end)),
            None => timeline.end,
        })
        .collect()
    }
}

impl Replay<'_> {
    /// Ends the next call of a rank, if it can; whether it did.
    fn step(&mut self, number: usize) -> bool {
        let timeline = &self.network.timelines[number];
        let rank = self.ranks[number];
        let Some(&interval) = timeline.calls.get(rank.call) else {
            return false;
        };
        let begin = self.begin(number);
        self.arrive(number, begin);
        let needs = timeline.needs[rank.need..].iter();
        let needs = needs.take_while(|(call, _)| *call == rank.call);
        let (mut end, mut count) = (begin, 0);
        for &(_, need) in needs {
            count += 1;
            match self.met(need) {
                Ok(at) => end = end.max(at),
                // A call of unknown length waits for nobody.
                Err(_) if interval.is_kept => {}
                Err(missing) => {
                    self.waiting.entry(missing).or_default().push(number);
                    return false;
                }
            }
        }
        if interval.is_kept {
            end = begin.saturating_add(interval.end.saturating_sub(interval.begin));
        }
        self.finish(number, end.min(interval.end), count);
        true
    }

    /// When the next call of a rank begins.
    fn begin(&self, number: usize) -> i64 {
        let calls = &self.network.timelines[number].calls;
        let rank = self.ranks[number];
        let begin = calls[rank.call].begin;
        match rank.call.checked_sub(1) {
            Some(before) => rank
                .now
                .saturating_add(begin.saturating_sub(calls[before].end)),
            None => begin,
        }
    }

    fn arrive(&mut self, number: usize, begin: i64) {
        let timeline = &self.network.timelines[number];
        let rank = &mut self.ranks[number];
        if rank.has_begun {
            return;
        }
        rank.has_begun = true;
        while let Some(&(call, arrival)) = timeline.arrivals.get(rank.arrival)
            && call == rank.call
        {
            rank.arrival += 1;
            self.places[arrival.place] = Some(begin);
            let free = self.waiting.remove(&Need::Place(arrival.place));
            self.ready.extend(free.into_iter().flatten());
            if let Some(meeting) = arrival.meeting {
                let (missing, latest) = &mut self.meetings[meeting];
                *missing = missing.saturating_sub(1);
                *latest = begin.max(*latest);
                if *missing == 0 {
                    let free = self.waiting.remove(&Need::Meeting(meeting));
                    self.ready.extend(free.into_iter().flatten());
                }
            }
        }
    }

    /// When all that is needed had arrived, or what is missing first.
    fn met(&self, need: Need) -> Result<i64, Need> {
        match need {
            Need::Place(place) => self.places[place].ok_or(need),
            Need::Places(first, count) => {
                let mut latest = i64::MIN;
                for place in first..first + count {
                    latest = latest.max(self.met(Need::Place(place))?);
                }
                Ok(latest)
            }
            Need::Meeting(meeting) => match self.meetings[meeting] {
                (0, latest) => Ok(latest),
                _ => Err(need),
            },
        }
    }

    fn finish(&mut self, number: usize, end: i64, needs: usize) {
        let rank = &mut self.ranks[number];
        rank.now = end;
        rank.call += 1;
        rank.need += needs;
        rank.has_begun = false;
    }

    /// Lets one call take as long as it took, of those that wait for each other in a circle, the one that ended first:
    /// its rank did not wait for the others. Whether any waited.
    fn free_one(&mut self) -> bool {
        let waiting = self.ranks.iter().enumerate().filter_map(|(number, rank)| {
            let call = self.network.timelines[number].calls.get(rank.call)?;
            Some((call.end, number))
        });
        let Some((_, number)) = waiting.min() else {
            return false;
        };
        let timeline = &self.network.timelines[number];
        let rank = self.ranks[number];
        let interval = timeline.calls[rank.call];
        let needs = timeline.needs[rank.need..].iter();
        let needs = needs.take_while(|(call, _)| *call == rank.call).count();
        let took = interval.end.saturating_sub(interval.begin);
        let end = self.begin(number).saturating_add(took);
        for ranks in self.waiting.values_mut() {
            ranks.retain(|&waiting| waiting != number);
        }
        self.finish(number, end.min(interval.end), needs);
        self.ready.push_back(number);
        true
    }
}
