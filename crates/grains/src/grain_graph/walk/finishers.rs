//! Finds the stretch that finished last before each node.

use std::collections::BTreeMap;

use sheaf_model::RunTables;
use sheaf_model::table::GrainKind;

use super::super::NONE;
use super::super::elapsed::{After, Arrival, Member, Stretch, TeamEnds};
use super::super::graph::EdgeKind;
use super::Trace;
use super::origins::kind;
use super::ways::{Origin, Place, Ways, Winners};

/// The stretches that finished last, without the nodes of a graph.
pub(in super::super) struct Finishers<'a> {
    run: &'a RunTables,
    ends: TeamEnds,
    /// By grain, of those that are members of a team; empty if no team waits at the end of its region.
    members: BTreeMap<u32, Member>,
    winners: Winners,
}

impl<'a> Finishers<'a> {
    pub(in super::super) fn new(run: &'a RunTables, winners: Winners) -> Self {
        Self {
            run,
            ends: TeamEnds::of(run),
            members: BTreeMap::new(),
            winners,
        }
    }

    /// What the way back follows from: the edges that count, and the stretches that follow the last arrival of a team.
    pub(in super::super) fn into_path(self) -> (Winners, BTreeMap<u32, u32>) {
        let latest = self.ends.latest_arrivals(self.run, self.members);
        (self.winners, latest)
    }

    fn member(&mut self, grain: u32) -> Option<&mut Member> {
        let is_member = kind(self.run, grain) == Some(GrainKind::Implicit);
        (is_member && !self.ends.is_empty()).then(|| self.members.entry(grain).or_default())
    }
}

/// The latest stretch among edges to a node, with the edge.
#[derive(Clone, Copy)]
pub(in super::super) struct Latest {
    arrival: Arrival,
    origin: Origin,
}

impl Ways for Finishers<'_> {
    type Way = Arrival;
    type Arrivals = Latest;

    fn start(&self) -> Arrival {
        Arrival::NOTHING
    }

    fn run(&mut self, way: Arrival, grain: u32, row: u32, duration: i64) -> Arrival {
        let start = self.run.fragments.start.value(row as usize);
        if self.ends.is_after(grain, start)
            && let Some(member) = self.member(grain)
            && member.after.is_none()
        {
            member.after = Some(After {
                row,
                start,
                before: way,
            });
        }
        Arrival {
            stretch: Stretch {
                row,
                end: start.saturating_add(duration),
            },
            kind: EdgeKind::Continuation,
        }
    }

    fn follow(&self, way: Arrival, kind: EdgeKind) -> Arrival {
        way.along(kind)
    }

    fn arrive(&self, way: Arrival, from: u32, kind: EdgeKind) -> Latest {
        Latest {
            arrival: way.along(kind),
            origin: Origin::new(from, kind),
        }
    }

    fn add(&self, arrivals: &mut Latest, other: Latest) {
        if other.arrival.counts_before(arrivals.arrival) {
            *arrivals = other;
        }
    }

    fn leave(&mut self, arrivals: Latest, place: Place) -> Arrival {
        self.winners.set(place, arrivals.origin.winner());
        arrivals.arrival
    }

    fn end(&mut self, grain: u32, way: Arrival, _is_sink: bool) {
        if let Some(member) = self.member(grain) {
            member.last = way.stretch;
        }
    }
}

/// The stretches that finished last, from one back to the beginning, with the kind of the way from each to the next. The
/// kind of the first has no meaning.
pub(in super::super) struct Chain<'a> {
    trace: Trace<'a>,
    latest: BTreeMap<u32, u32>,
    last: Option<u32>,
    is_begun: bool,
}

impl<'a> Chain<'a> {
    pub(in super::super) fn new(
        trace: Trace<'a>,
        latest: BTreeMap<u32, u32>,
        last: Option<u32>,
    ) -> Self {
        Self {
            trace,
            latest,
            last,
            is_begun: false,
        }
    }

    /// The stretch before one, by the edges of the graph.
    fn before(&mut self) -> Option<(u32, EdgeKind)> {
        let mut kind = EdgeKind::Continuation;
        loop {
            let node = self.trace.next()?;
            if kind == EdgeKind::Continuation {
                kind = node.edge;
            }
            if node.row != NONE {
                return Some((node.row, kind));
            }
        }
    }
}

impl Iterator for Chain<'_> {
    type Item = (u32, EdgeKind);

    fn next(&mut self) -> Option<Self::Item> {
        let last = self.last?;
        let found = if !std::mem::replace(&mut self.is_begun, true) {
            self.trace.go_to(last);
            Some((last, EdgeKind::Continuation))
        } else if let Some(&latest) = self.latest.get(&last) {
            self.trace.go_to(latest);
            Some((latest, EdgeKind::Synchronisation))
        } else {
            self.before()
        };
        self.last = found.map(|(row, _)| row);
        found
    }
}
