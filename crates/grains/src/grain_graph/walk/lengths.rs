//! Lengths of the longest ways: of the whole graph, of groups of grains, of several groups at once.

use super::super::graph::EdgeKind;
use super::super::{GrainGroup, PathLengths};
use super::ways::{Origin, Place, Ways, Winners};

/// The longest ways, counting for each of `N` lanes only what the lane's grains run.
pub(in super::super) struct Lengths<const N: usize, F> {
    /// Lane of a grain; `N` or more if it is in none.
    lane: F,
    work: [i64; N],
    span: Option<[i64; N]>,
}

impl<const N: usize, F: Fn(u32) -> usize> Lengths<N, F> {
    pub(in super::super) fn new(lane: F) -> Self {
        Self {
            lane,
            work: [0; N],
            span: None,
        }
    }

    /// Work and span of each lane.
    pub(in super::super) fn lengths(&self) -> [PathLengths; N] {
        let spans = self.span.unwrap_or([0; N]);
        std::array::from_fn(|lane| PathLengths {
            work: self.work.get(lane).copied().unwrap_or(0),
            span: spans.get(lane).copied().unwrap_or(0),
        })
    }
}

impl<const N: usize, F: Fn(u32) -> usize> Ways for Lengths<N, F> {
    type Way = [i64; N];
    type Arrivals = [i64; N];

    fn start(&self) -> [i64; N] {
        [0; N]
    }

    fn run(&mut self, mut way: [i64; N], grain: u32, _row: u32, duration: i64) -> [i64; N] {
        let lane = (self.lane)(grain);
        if let (Some(length), Some(work)) = (way.get_mut(lane), self.work.get_mut(lane)) {
            *length = length.saturating_add(duration);
            *work = work.saturating_add(duration);
        }
        way
    }

    fn follow(&self, way: [i64; N], _kind: EdgeKind) -> [i64; N] {
        way
    }

    fn arrive(&self, way: [i64; N], _from: u32, _kind: EdgeKind) -> [i64; N] {
        way
    }

    fn add(&self, arrivals: &mut [i64; N], others: [i64; N]) {
        for (known, other) in arrivals.iter_mut().zip(others) {
            *known = other.max(*known);
        }
    }

    fn leave(&mut self, arrivals: [i64; N], _place: Place) -> [i64; N] {
        arrivals
    }

    fn end(&mut self, _grain: u32, way: [i64; N], is_sink: bool) {
        if is_sink {
            let mut span = self.span.unwrap_or(way);
            self.add(&mut span, way);
            self.span = Some(span);
        }
    }
}

/// The longest way of all grains or of a group, and where it comes from.
pub(in super::super) struct Critical<'a> {
    group: Option<&'a GrainGroup>,
    work: i64,
    /// Length of the longest way, and the grain with its last node.
    longest: Option<(i64, u32)>,
    winners: Winners,
}

impl<'a> Critical<'a> {
    pub(in super::super) fn new(group: Option<&'a GrainGroup>, winners: Winners) -> Self {
        Self {
            group,
            work: 0,
            longest: None,
            winners,
        }
    }

    /// Work and span.
    pub(in super::super) fn lengths(&self) -> PathLengths {
        PathLengths {
            work: self.work,
            span: self.longest.map_or(0, |(span, _)| span),
        }
    }

    /// The grain with the last node of the longest way ([`super::NONE`] for the run itself), and what the way back follows
    /// from.
    pub(in super::super) fn into_path(self) -> (Option<u32>, Winners) {
        (self.longest.map(|(_, grain)| grain), self.winners)
    }
}

/// Longest of the ways along some edges to a node, and its edge.
#[derive(Clone, Copy)]
pub(in super::super) struct Longest {
    length: i64,
    origin: Origin,
}

impl Ways for Critical<'_> {
    type Way = i64;
    type Arrivals = Longest;

    fn start(&self) -> i64 {
        0
    }

    fn run(&mut self, way: i64, grain: u32, _row: u32, duration: i64) -> i64 {
        if self.group.is_some_and(|group| !group.contains(grain)) {
            return way;
        }
        self.work = self.work.saturating_add(duration);
        way.saturating_add(duration)
    }

    fn follow(&self, way: i64, _kind: EdgeKind) -> i64 {
        way
    }

    fn arrive(&self, way: i64, from: u32, kind: EdgeKind) -> Longest {
        Longest {
            length: way,
            origin: Origin::new(from, kind),
        }
    }

    fn add(&self, arrivals: &mut Longest, other: Longest) {
        let is_longer = other.length > arrivals.length
            || other.length == arrivals.length && other.origin.order() < arrivals.origin.order();
        if is_longer {
            *arrivals = other;
        }
    }

    fn leave(&mut self, arrivals: Longest, place: Place) -> i64 {
        self.winners.set(place, arrivals.origin.winner());
        arrivals.length
    }

    fn end(&mut self, grain: u32, way: i64, is_sink: bool) {
        // Of equally long ways the one to the node with the smaller number counts.
        let is_longer = self.longest.is_none_or(|(length, last)| {
            way > length || way == length && grain.wrapping_add(1) < last.wrapping_add(1)
        });
        if is_sink && is_longer {
            self.longest = Some((way, grain));
        }
    }
}
