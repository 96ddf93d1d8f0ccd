//! For how long workers idle while some grains run.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::grain_metric::Evaluation;

/// Idle time along a run, at the begin and the end of each fragment.
pub(super) struct Idle {
    /// Fragments by begin.
    order: Vec<u32>,
    /// Idle time by the number of workers, from the begin of the run to the begin of each fragment.
    before: Vec<f64>,
    /// The same to its end.
    until: Vec<f64>,
    grains: Vec<i32>,
    spans: Vec<(i64, i64)>,
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

impl Idle {
    /// A worker idles while it runs no fragment. n log n in the fragments; nothing where there are none, or the
    /// number of workers is not known.
    pub(super) fn of(evaluation: &Evaluation<'_>) -> Option<Self> {
        let workers = evaluation.workers()?;
        let fragments = &evaluation.run().fragments;
        let both = fragments
            .start
            .values()
            .iter()
            .zip(fragments.duration.values());
        let spans: Vec<(i64, i64)> = both
            .map(|(&start, &duration)| (start, start.saturating_add(duration)))
            .collect();
        if spans.is_empty() {
            return None;
        }
        let sorted = |key: &(dyn Fn(u32) -> i64 + Sync)| {
            let mut order: Vec<u32> = (0..u32::try_from(spans.len()).unwrap_or(u32::MAX)).collect();
            order.par_sort_unstable_by_key(|&at| (key(at), at));
            order
        };
        let order = sorted(&|at| spans[at as usize].0);
        let ends = sorted(&|at| spans[at as usize].1);
        let (mut before, mut until) = (vec![0.0; spans.len()], vec![0.0; spans.len()]);
        let (mut running, mut idle, mut now) = (0_i64, 0.0, i64::MIN);
        let mut ending = ends.iter().copied().peekable();
        let mut pass = |time: i64, running: i64| {
            if now != i64::MIN && time > now {
                let free = (workers - running).max(0) as f64 / workers as f64;
                idle += free * time.saturating_sub(now) as f64;
            }
            now = now.max(time);
            idle
        };
        for &at in &order {
            let start = spans[at as usize].0;
            while let Some(ended) = ending.next_if(|&ended| spans[ended as usize].1 <= start) {
                // A fragment without length has not begun when it ends.
                if spans[ended as usize].0 < spans[ended as usize].1 {
                    until[ended as usize] = pass(spans[ended as usize].1, running);
                    running -= 1;
                }
            }
            before[at as usize] = pass(start, running);
            if spans[at as usize].0 < spans[at as usize].1 {
                running += 1;
            } else {
                until[at as usize] = before[at as usize];
            }
        }
        for ended in ending {
            if spans[ended as usize].0 < spans[ended as usize].1 {
                until[ended as usize] = pass(spans[ended as usize].1, running);
                running -= 1;
            }
        }
        Some(Self {
            order,
            before,
            until,
            grains: fragments.grain.values().to_vec(),
            spans,
        })
    }

    /// Time for which workers idle while any of the grains runs that have a definition, and while any of those of
    /// each definition does; by the number of workers. Linear in the fragments.
    pub(super) fn while_running(&self, definitions: &[Option<i32>]) -> (f64, BTreeMap<i32, f64>) {
        let mut all = Followed::NOTHING;
        let mut each: BTreeMap<i32, Followed> = BTreeMap::new();
        for &at in &self.order {
            let at = at as usize;
            let row = usize::try_from(self.grains[at]).unwrap_or(usize::MAX);
            let Some(definition) = definitions.get(row).copied().flatten() else {
                continue;
            };
            let own = each.entry(definition).or_insert(Followed::NOTHING);
            for followed in [&mut all, own] {
                followed.add(self.spans[at], self.before[at], self.until[at]);
            }
        }
        let sums = each.into_iter();
        (
            all.sum,
            sums.map(|(at, followed)| (at, followed.sum)).collect(),
        )
    }
}
