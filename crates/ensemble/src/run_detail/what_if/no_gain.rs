//! Gains from less work, and the reason where there are none.

use sheaf_answers::{NoGain, WhatIfFact};

use super::prepared::{MILLION, Prepared, Scheduled};

/// Part of the predicted time below which a gain is none.
const NONE: f64 = 0.001;

/// Work that falls away.
#[derive(Debug, Clone, Copy)]
pub(super) struct Less {
    pub(super) work: f64,
    /// Part of it on the critical path.
    pub(super) critical: f64,
}

/// Difference of schedules before and after a change.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gain {
    pub(super) mean: f64,
    /// The least and the largest of the seeds.
    pub(super) range: [i64; 2],
}

impl Gain {
    /// Compares the elapsed times before and after a change; both lists have one time for each seed, in the same order.
    pub(super) fn of(before: &[i64], after: &[i64]) -> Self {
        let seeds = before.iter().zip(after);
        let seeds = seeds.map(|(before, after)| before - after);
        let sum: i128 = seeds.clone().map(i128::from).sum();
        Self {
            mean: sum as f64 / before.len().max(1) as f64,
            range: [seeds.clone().min().unwrap_or(0), seeds.max().unwrap_or(0)],
        }
    }

    /// Reason why less work gains nothing of the elapsed time; absent if it gains something, or if schedules differ by
    /// more from seed to seed. `less` is the work that falls away; it is computed only if the gain is small.
    pub(super) fn reason_of_none(
        self,
        less: impl FnOnce() -> Less,
        workers: u32,
        elapsed: f64,
    ) -> Option<NoGain> {
        let none = elapsed * NONE;
        if self.mean >= none {
            return None;
        }
        let less = less();
        let is_small = (less.work / f64::from(workers)).max(less.critical) < none;
        let is_none_of_all = self.range.iter().all(|&seed| (seed as f64).abs() < none);
        if !(is_small || is_none_of_all) {
            return None;
        }
        Some(if self.mean <= -none {
            NoGain::Chance
        } else if less.work > 0.0 && less.critical == 0.0 {
            NoGain::OffCriticalPath
        } else if is_small {
            NoGain::LittleWork
        } else {
            NoGain::OtherWork
        })
    }
}

impl Prepared {
    /// Reason why changes of work alone gain nothing; absent if they gain something.
    pub(super) fn no_gain(
        &self,
        workers: u32,
        unchanged: &Scheduled,
        changed: &Scheduled,
    ) -> Option<NoGain> {
        let gain = Gain::of(&unchanged.elapsed, &changed.elapsed);
        gain.reason_of_none(|| self.less_work(), workers, unchanged.times.mean)
    }

    /// A fact for each reason why predictions gain nothing, with all numbers of workers that it is the reason for.
    pub(super) fn facts_of_no_gain(&self, found: &[(u32, NoGain)]) -> Vec<WhatIfFact> {
        let mut by_reason: Vec<(NoGain, Vec<u64>)> = Vec::new();
        for &(workers, reason) in found {
            match by_reason.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, all)) => all.push(workers.into()),
                None => by_reason.push((reason, vec![workers.into()])),
            }
        }
        let fact = |(reason, workers)| WhatIfFact::FasterGainsNothing {
            run: self.meta.name.clone(),
            workers,
            reason,
        };
        by_reason.into_iter().map(fact).collect()
    }

    /// Work that falls away. Linear in the nodes of the graph.
    fn less_work(&self) -> Less {
        let graph = &self.recorded;
        let less = |node: u32| {
            let weight = graph.weights().get(node as usize).copied().unwrap_or(0);
            let kept = graph
                .grain(node)
                .map_or(MILLION, |grain| self.kept(grain as usize));
            weight as f64 * (1.0 - f64::from(kept) / f64::from(MILLION))
        };
        let nodes = (0..).take(graph.weights().len());
        Less {
            work: nodes.map(less).sum(),
            critical: graph
                .extent(graph.weights())
                .path
                .into_iter()
                .map(less)
                .sum(),
        }
    }
}
