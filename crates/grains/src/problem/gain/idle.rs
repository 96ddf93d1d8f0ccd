//! For how long workers idle while some grains run.

use std::collections::BTreeMap;

use crate::grain_metric::Evaluation;
use crate::ordering::{Ordered, time_key};

/// Idle time along a run, at the begin and the end of each fragment.
pub(super) struct Idle<'a> {
    fragments: Spans<'a>,
    /// Fragments by begin.
    order: Vec<u32>,
    /// Idle time by the number of workers, from the begin of the run to the begin of each fragment.
    before: Vec<f64>,
    /// The same to its end.
    until: Vec<f64>,
}

/// Fragments with their times.
struct Spans<'a> {
    grains: &'a [i32],
    starts: &'a [i64],
    durations: &'a [i64],
}

impl Spans<'_> {
    fn start(&self, at: u32) -> i64 {
        self.starts[at as usize]
    }

    fn end(&self, at: u32) -> i64 {
        self.start(at).saturating_add(self.durations[at as usize])
    }

    fn has_length(&self, at: u32) -> bool {
        self.start(at) < self.end(at)
    }
}

/// How far a set of grains has been followed.
#[derive(Clone, Copy)]
struct Followed {
    end: i64,
    until: f64,
    sum: f64,
}

impl Followed {
    const NOTHING: Self = Self {
        end: i64::MIN,
        until: 0.0,
        sum: 0.0,
    };

    fn add(&mut self, (start, end): (i64, i64), before: f64, until: f64) {
        if end <= self.end {
            return;
        }
        let from = if start >= self.end {
            before
        } else {
            self.until
        };
        self.sum += (until - from).max(0.0);
        (self.end, self.until) = (end, until);
    }
}

impl<'a> Idle<'a> {
    /// A worker idles while it runs no fragment. n log n in the fragments; nothing where there are none, or the
    /// number of workers is not known.
    pub(super) fn of(evaluation: &Evaluation<'a>) -> Option<Self> {
        let workers = evaluation.workers()?;
        let table = &evaluation.run().fragments;
        let fragments = Spans {
            grains: table.grain.values(),
            starts: table.start.values(),
            durations: table.duration.values(),
        };
        let len = fragments.starts.len();
        if len == 0 {
            return None;
        }
        let rows = u32::try_from(len).unwrap_or(u32::MAX);
        let by_start = Ordered::by(rows, |at| time_key(fragments.start(at)));
        let order: Vec<u32> = by_start.iter().map(|(_, at)| at).collect();
        drop(by_start);
        let ends = Ordered::by(rows, |at| time_key(fragments.end(at)));
        let (mut before, mut until) = (vec![0.0; len], vec![0.0; len]);
        let (mut running, mut idle, mut now) = (0_i64, 0.0, i64::MIN);
        let mut ending = ends.iter().peekable();
        let mut pass = |time: i64, running: i64| {
            if now != i64::MIN && time > now {
                let free = (workers - running).max(0) as f64 / workers as f64;
                idle += free * time.saturating_sub(now) as f64;
            }
            now = now.max(time);
            idle
        };
        for &at in &order {
            let start = fragments.start(at);
            let begun = time_key(start);
            while let Some((_, ended)) = ending.next_if(|&(end, _)| end <= begun) {
                // A fragment without length has not begun when it ends.
                if fragments.has_length(ended) {
                    until[ended as usize] = pass(fragments.end(ended), running);
                    running -= 1;
                }
            }
            before[at as usize] = pass(start, running);
            if fragments.has_length(at) {
                running += 1;
            } else {
                until[at as usize] = before[at as usize];
            }
        }
        for (_, ended) in ending {
            if fragments.has_length(ended) {
                until[ended as usize] = pass(fragments.end(ended), running);
                running -= 1;
            }
        }
        Some(Self {
            fragments,
            order,
            before,
            until,
        })
    }

    /// Time for which workers idle while any of the grains runs that have a definition, and while any of those of
    /// each definition does; by the number of workers. Linear in the fragments.
    pub(super) fn while_running(&self, definitions: &[Option<i32>]) -> (f64, BTreeMap<i32, f64>) {
        let mut all = Followed::NOTHING;
        let mut each: BTreeMap<i32, Followed> = BTreeMap::new();
        for &at in &self.order {
            let grain = self.fragments.grains[at as usize];
            let row = usize::try_from(grain).unwrap_or(usize::MAX);
            let Some(definition) = definitions.get(row).copied().flatten() else {
                continue;
            };
            let own = each.entry(definition).or_insert(Followed::NOTHING);
            let span = (self.fragments.start(at), self.fragments.end(at));
            for followed in [&mut all, own] {
                followed.add(span, self.before[at as usize], self.until[at as usize]);
            }
        }
        let sums = each.into_iter();
        (
            all.sum,
            sums.map(|(at, followed)| (at, followed.sum)).collect(),
        )
    }
}
