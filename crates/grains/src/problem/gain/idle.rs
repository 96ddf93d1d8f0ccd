//! For how long workers idle while some grains run.

use std::collections::BTreeMap;

use sheaf_model::table::Fragments;

use crate::grain_graph::to_u32;
use crate::grain_metric::Evaluation;
use crate::ordering::{Ordered, time_key};

/// When workers idle along a run. Idle time is a sum over the workers.
pub(super) struct Idle<'a> {
    stretches: Stretches<'a>,
    workers: i64,
    /// Stretches by begin, and by end.
    begins: Ordered,
    ends: Ordered,
    /// Whether a helper of the runtime ran each stretch; empty without helpers.
    is_helper: Vec<bool>,
}

/// Time in which grains ran without a break: fragments of a grain, each of which begins when the one before ends.
struct Stretches<'a> {
    table: &'a Fragments,
    /// First fragment of each stretch that has a length.
    firsts: Vec<u32>,
}

impl<'a> Stretches<'a> {
    fn of(table: &'a Fragments) -> Self {
        let mut stretches = Self {
            table,
            firsts: Vec::new(),
        };
        let rows = 0..table.len();
        let firsts = rows.filter(|&row| {
            let goes_on = row
                .checked_sub(1)
                .is_some_and(|before| stretches.goes_on(before));
            !goes_on && table.start.value(row) < stretches.end_from(row)
        });
        stretches.firsts = firsts.map(to_u32).collect();
        stretches
    }

    fn end_of_fragment(&self, row: usize) -> i64 {
        let start = self.table.start.value(row);
        start.saturating_add(self.table.duration.value(row))
    }

    /// Whether the next fragment is of the same stretch.
    fn goes_on(&self, row: usize) -> bool {
        self.table.grain.get(row + 1) == self.table.grain.get(row)
            && self.table.start.get(row + 1) == Some(self.end_of_fragment(row))
    }

    /// End of the stretch that a fragment is of.
    fn end_from(&self, mut row: usize) -> i64 {
        while self.goes_on(row) {
            row += 1;
        }
        self.end_of_fragment(row)
    }

    fn first(&self, stretch: u32) -> usize {
        self.firsts[stretch as usize] as usize
    }

    fn grain(&self, stretch: u32) -> Option<u32> {
        u32::try_from(self.table.grain.value(self.first(stretch))).ok()
    }

    fn start(&self, stretch: u32) -> i64 {
        self.table.start.value(self.first(stretch))
    }

    fn end(&self, stretch: u32) -> i64 {
        self.end_from(self.first(stretch))
    }
}

/// The idle time while any of a set of grains runs.
#[derive(Clone, Copy, Default)]
struct Covered {
    /// Number of grains of the set that run.
    running: i64,
    /// Idle time of the run before the first of these began.
    since: i64,
    sum: i64,
}

impl Covered {
    /// `more` grains begin, or end if it is negative, when workers have idled for `idle` since the run began.
    fn change(&mut self, more: i64, idle: i64) {
        if self.running == 0 {
            self.since = idle;
        }
        self.running += more;
        if self.running == 0 {
            self.sum += idle - self.since;
        }
    }
}

impl<'a> Idle<'a> {
    /// A worker idles while it runs no fragment. Linear in the fragments; nothing where there are none, or the number
    /// of workers is not known.
    pub(super) fn of(evaluation: &Evaluation<'a>) -> Option<Self> {
        let workers = evaluation.workers()?;
        let table = &evaluation.run().fragments;
        if table.is_empty() {
            return None;
        }
        let stretches = Stretches::of(table);
        let len = to_u32(stretches.firsts.len());
        let (begins, ends) = Ordered::both(
            || Ordered::by(len, |at| time_key(stretches.start(at))),
            || Ordered::by(len, |at| time_key(stretches.end(at))),
        );
        let (places, locations) = (&evaluation.run().summary.locations, &table.location);
        let is_helper = |at: u32| places.is_helper(locations.value(stretches.first(at)));
        let helpers = if places.have_helpers() {
            (0..len).map(is_helper).collect()
        } else {
            Vec::new()
        };
        Some(Self {
            stretches,
            workers,
            begins,
            ends,
            is_helper: helpers,
        })
    }

    /// Time for which workers idle while any of the grains runs that have a definition, and while any of those of
    /// each definition does; by the number of workers. Linear in the fragments.
    pub(super) fn while_running(
        &self,
        definition: impl Fn(u32) -> Option<i32>,
    ) -> (f64, BTreeMap<i32, f64>) {
        let mut all = Covered::default();
        let mut each: BTreeMap<i32, Covered> = BTreeMap::new();
        let (mut running, mut idle, mut now) = (0, 0_i64, None);
        let mut change = |time: u64, at: u32, more: i64| {
            if let Some(before) = now.replace(time) {
                let length = i64::try_from(time - before).unwrap_or(i64::MAX);
                let idling = (self.workers - running).max(0);
                idle = idle.saturating_add(idling.saturating_mul(length));
            }
            // A helper of the runtime that runs something leaves as many workers idle.
            if self.is_helper.get(at as usize) != Some(&true) {
                running += more;
            }
            if let Some(definition) = self.stretches.grain(at).and_then(&definition) {
                all.change(more, idle);
                each.entry(definition).or_default().change(more, idle);
            }
        };
        let mut ends = self.ends.iter().peekable();
        for (begin, at) in self.begins.iter() {
            while let Some((end, ended)) = ends.next_if(|&(end, _)| end <= begin) {
                change(end, ended, -1);
            }
            change(begin, at, 1);
        }
        for (end, ended) in ends {
            change(end, ended, -1);
        }
        let mean = |covered: Covered| covered.sum as f64 / self.workers as f64;
        let sums = each.into_iter();
        (
            mean(all),
            sums.map(|(at, covered)| (at, mean(covered))).collect(),
        )
    }
}
