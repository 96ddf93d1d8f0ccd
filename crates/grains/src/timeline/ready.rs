//! When each fragment became ready, and by what.

use std::ops::Range;

use sheaf_answers::ReadyBy;
use sheaf_model::RunTables;
use sheaf_model::table::GrainKind;

use super::intervals::{Interval, Intervals};
use super::links::{Link, creation_order};
use crate::grain_graph::NONE;
use crate::grain_graph::to_u32;

/// Nothing is known of a fragment.
const UNKNOWN: u8 = u8::MAX;

/// When each fragment became ready, by what edge, and from which fragment.
pub(super) struct Ready {
    time: Vec<i64>,
    by: Vec<u8>,
    source: Vec<u32>,
    /// The fragment that begins the run, which no edge made ready.
    root: Option<usize>,
    doubts: Doubts,
}

/// The times at which fragments became ready, listed or computed.
pub(super) trait ReadyTimes: Sync {
    /// Calls `visit` for each fragment of a range, with its time and the kind of edge that made it ready, if both are known.
    fn each(
        &self,
        intervals: &Intervals,
        rows: Range<u32>,
        visit: impl FnMut(Interval, Option<(i64, ReadyBy)>),
    );
    /// The first of all times.
    fn earliest(&self) -> Option<i64>;
    /// Numbers of times that are unsure.
    fn doubts(&self) -> Doubts;
}

/// Fragments of which the time at which they became ready is unsure.
#[derive(Clone, Copy, Default)]
pub(super) struct Doubts {
    /// Fragments of which nothing says when they became ready.
    pub(super) num_unknown: u64,
    /// Fragments that started before they were ready: clocks of workers differ.
    pub(super) num_early: u64,
}

impl Doubts {
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            num_unknown: self.num_unknown + other.num_unknown,
            num_early: self.num_early + other.num_early,
        }
    }
}

impl Ready {
    pub(super) fn new(run: &RunTables) -> Self {
        let count = run.fragments.len();
        Self {
            time: vec![i64::MIN; count],
            by: vec![UNKNOWN; count],
            source: vec![NONE; count],
            root: None,
            doubts: Doubts::default(),
        }
    }

    /// A fragment is ready when the last of its predecessors ends; of several at one time the first
    /// counts, of several grains that of the grain created first.
    #[inline]
    pub(super) fn add(&mut self, run: &RunTables, link: Link) {
        let at = link.target as usize;
        if at >= self.time.len() {
            return;
        }
        let is_first = self.by[at] == UNKNOWN;
        let is_later = link.time > self.time[at];
        if is_first || is_later || self.is_created_before(run, link) {
            self.time[at] = link.time;
            self.by[at] = link.kind as u8;
            self.source[at] = link.source;
        }
    }

    fn is_created_before(&self, run: &RunTables, link: Link) -> bool {
        let at = link.target as usize;
        let is_tie = link.time == self.time[at]
            && link.kind as u8 == self.by[at]
            && matches!(link.kind, ReadyBy::Synchronisation | ReadyBy::Dependence);
        let order = |fragment: u32| {
            let grain = run.fragments.grain.values().get(fragment as usize)?;
            Some(creation_order(run, u32::try_from(grain).ok()?))
        };
        is_tie && order(link.source) < order(self.source[at])
    }

    /// What begins the run is ready when it begins; what else nothing is known of is when it starts.
    pub(super) fn finish(&mut self, run: &RunTables) {
        let (fragments, grains) = (&run.fragments, &run.grains);
        let starts = fragments.start.values();
        let mut initial = grains.kind.values().iter().enumerate();
        let mut initial = initial
            .by_ref()
            .filter(|(_, kind)| *kind == GrainKind::Initial as i32);
        let root = initial.next().map(|(row, _)| row);
        let is_only_root = initial.next().is_none();
        for (at, start) in starts.iter().enumerate() {
            if self.by[at] == UNKNOWN {
                let grain = usize::try_from(fragments.grain.value(at)).unwrap_or(usize::MAX);
                let created = grains.created.len() > grain && grains.created.is_valid(grain);
                self.time[at] = if created {
                    self.by[at] = ReadyBy::Creation as u8;
                    grains.created.value(grain)
                } else if is_only_root && root == Some(grain) {
                    self.root = Some(at);
                    self.by[at] = ReadyBy::Creation as u8;
                    start.min(0)
                } else {
                    self.doubts.num_unknown += 1;
                    start
                };
            }
            self.doubts.num_early += u64::from(self.time[at] > start);
        }
    }

    /// When a fragment became ready and by what; `None` where nothing says it.
    #[inline]
    pub(super) fn get(&self, fragment: u32) -> Option<(i64, ReadyBy)> {
        let at = fragment as usize;
        let by = *ReadyBy::ALL.get(usize::from(*self.by.get(at)?))?;
        Some((*self.time.get(at)?, by))
    }

    /// The fragment from which the edge came.
    #[inline]
    pub(super) fn source(&self, fragment: u32) -> Option<u32> {
        let source = self.source.get(fragment as usize).copied();
        source.filter(|&source| source != NONE)
    }

    /// The fragment that begins the run: it is ready when the run begins, by no edge.
    pub(super) fn root(&self) -> Option<u32> {
        self.root.map(to_u32)
    }

    /// Every fragment whose way to be ready is known: row, time, edge.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, i64, ReadyBy)> {
        (0..to_u32(self.time.len())).filter_map(|fragment| {
            let (time, by) = self.get(fragment)?;
            Some((fragment, time, by))
        })
    }
}

impl ReadyTimes for Ready {
    fn each(
        &self,
        intervals: &Intervals,
        rows: Range<u32>,
        mut visit: impl FnMut(Interval, Option<(i64, ReadyBy)>),
    ) {
        let all = intervals.iter(rows);
        all.for_each(|ran| visit(ran, self.get(ran.fragment)));
    }

    fn earliest(&self) -> Option<i64> {
        self.iter().map(|(_, time, _)| time).min()
    }

    fn doubts(&self) -> Doubts {
        self.doubts
    }
}
