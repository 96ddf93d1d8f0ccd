//! For how long workers idle while some grains run.

use std::collections::BTreeMap;

use sheaf_model::table::Fragments;

use crate::grain_graph::to_u32;
use crate::grain_metric::Evaluation;
use crate::ordering::{Ordered, time_key};

/// Idle time along a run, at the begin and the end of each stretch of a grain. Idle time is a sum over the workers.
pub(super) struct Idle<'a> {
    stretches: Stretches<'a>,
    workers: i64,
    /// Stretches by begin.
    order: Vec<u32>,
    /// Idle time from the begin of the run to the begin of each stretch.
    before: Vec<i64>,
    /// The same to its end.
    until: Vec<i64>,
}

/// Time in which grains ran without a break: fragments of a grain, each of which begins when the one before ends.
struct Stretches<'a> {
    grains: &'a [i32],
    starts: &'a [i64],
    durations: &'a [i64],
    /// First fragment of each stretch that has a length.
    firsts: Vec<u32>,
}

impl<'a> Stretches<'a> {
    fn of(table: &'a Fragments) -> Self {
        let mut stretches = Self {
            grains: table.grain.values(),
            starts: table.start.values(),
            durations: table.duration.values(),
            firsts: Vec::new(),
        };
        let rows = 0..stretches.starts.len();
        let firsts = rows.filter(|&row| {
            let goes_on = row
                .checked_sub(1)
                .is_some_and(|before| stretches.goes_on(before));
            !goes_on && stretches.starts[row] < stretches.end_from(row)
        });
        stretches.firsts = firsts.map(to_u32).collect();
        stretches
    }

    fn end_of_fragment(&self, row: usize) -> i64 {
        self.starts[row].saturating_add(self.durations[row])
    }

    /// Whether the next fragment is of the same stretch.
    fn goes_on(&self, row: usize) -> bool {
        self.grains.get(row + 1) == Some(&self.grains[row])
            && self.starts[row + 1] == self.end_of_fragment(row)
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
        u32::try_from(self.grains[self.first(stretch)]).ok()
    }

    fn start(&self, stretch: u32) -> i64 {
        self.starts[self.first(stretch)]
    }

    fn end(&self, stretch: u32) -> i64 {
        self.end_from(self.first(stretch))
    }
}

/// How far a set of grains has been followed.
#[derive(Clone, Copy)]
struct Followed {
    end: i64,
    until: i64,
    sum: i64,
}

impl Followed {
    const NOTHING: Self = Self {
        end: i64::MIN,
        until: 0,
        sum: 0,
    };

    fn add(&mut self, (start, end): (i64, i64), before: i64, until: i64) {
        if end <= self.end {
            return;
        }
        let from = if start >= self.end {
            before
        } else {
            self.until
        };
        self.sum += until - from;
        (self.end, self.until) = (end, until);
    }
}

impl<'a> Idle<'a> {
    /// A worker idles while it runs no fragment. n log n in the fragments; nothing where there are none, or the
    /// number of workers is not known.
    pub(super) fn of(evaluation: &Evaluation<'a>) -> Option<Self> {
        let workers = evaluation.workers()?;
        let table = &evaluation.run().fragments;
        if table.is_empty() {
            return None;
        }
        let stretches = Stretches::of(table);
        let len = stretches.firsts.len();
        let by_start = Ordered::by(to_u32(len), |at| time_key(stretches.start(at)));
        let order: Vec<u32> = by_start.iter().map(|(_, at)| at).collect();
        drop(by_start);
        let ends = Ordered::by(to_u32(len), |at| time_key(stretches.end(at)));
        let (mut before, mut until) = (vec![0; len], vec![0; len]);
        let (places, locations) = (&evaluation.run().summary.locations, table.location.values());
        let is_helper = |at: u32| places.is_helper(locations[stretches.first(at)]);
        // A helper of the runtime that runs something leaves as many workers idle.
        let of_workers = |at: u32| i64::from(!is_helper(at));
        let (mut running, mut idle, mut now) = (0, 0_i64, i64::MIN);
        let mut ending = ends.iter().peekable();
        let mut pass = |time: i64, running: i64| {
            if now != i64::MIN {
                let length = time.saturating_sub(now);
                idle = idle.saturating_add((workers - running).max(0).saturating_mul(length));
            }
            now = time;
            idle
        };
        for &at in &order {
            let start = stretches.start(at);
            let begun = time_key(start);
            while let Some((_, ended)) = ending.next_if(|&(end, _)| end <= begun) {
                until[ended as usize] = pass(stretches.end(ended), running);
                running -= of_workers(ended);
            }
            before[at as usize] = pass(start, running);
            running += of_workers(at);
        }
        for (_, ended) in ending {
            until[ended as usize] = pass(stretches.end(ended), running);
            running -= of_workers(ended);
        }
        Some(Self {
            stretches,
            workers,
            order,
            before,
            until,
        })
    }

    /// Time for which workers idle while any of the grains runs that have a definition, and while any of those of
    /// each definition does; by the number of workers. Linear in the fragments.
    pub(super) fn while_running(
        &self,
        definition: impl Fn(u32) -> Option<i32>,
    ) -> (f64, BTreeMap<i32, f64>) {
        let mut all = Followed::NOTHING;
        let mut each: BTreeMap<i32, Followed> = BTreeMap::new();
        for &at in &self.order {
            let Some(definition) = self.stretches.grain(at).and_then(&definition) else {
                continue;
            };
            let own = each.entry(definition).or_insert(Followed::NOTHING);
            let span = (self.stretches.start(at), self.stretches.end(at));
            for followed in [&mut all, own] {
                followed.add(span, self.before[at as usize], self.until[at as usize]);
            }
        }
        let mean = |followed: Followed| followed.sum as f64 / self.workers as f64;
        let sums = each.into_iter();
        (
            mean(all),
            sums.map(|(at, followed)| (at, mean(followed))).collect(),
        )
    }
}
