//! The time between fragments that follow each other.

use sheaf_answers::ReadyBy;
use sheaf_model::RunTables;
use sheaf_model::table::FragmentEnd;

use super::intervals::{Intervals, is_end};
use super::ready::Ready;
use super::summary::Summary;

/// Gaps by what is between. Negative where clocks of workers differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gaps {
    /// From a creation to what its grain does next.
    pub creation_continuation: Option<Summary>,
    /// Those of them where the worker changed.
    pub creation_continuation_migrated: Option<Summary>,
    /// From a creation to the begin of the grain.
    pub creation: Option<Summary>,
    /// Those of them where the worker changed.
    pub creation_migrated: Option<Summary>,
    /// From the last end before the end of a wait to what is done next.
    pub synchronisation: Option<Summary>,
    /// The grain that goes on after most creations.
    pub spine: Option<Spine>,
}

/// The spine: the grain that goes on after most creations. Its gaps are what its scheduling costs the
/// run, since all it creates waits for it (`DAGViz`, figure 11).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spine {
    /// Row of the grain; the first of several.
    pub grain: u32,
    /// From its creations to what it does next.
    pub gaps: Summary,
    /// Those of them where the worker changed.
    pub migrated: Option<Summary>,
}

/// Gaps, and those where the worker changed.
#[derive(Default)]
struct Pair {
    all: Vec<i64>,
    migrated: Vec<i64>,
}

impl Pair {
    fn add(&mut self, gap: i64, is_migrated: bool) {
        self.all.push(gap);
        if is_migrated {
            self.migrated.push(gap);
        }
    }
}

impl Gaps {
    pub(super) fn of(run: &RunTables, intervals: &Intervals, ready: &Ready) -> Self {
        let starts = run.fragments.start.values();
        let start = |fragment: u32| starts.get(fragment as usize).unwrap_or(0);
        let (mut creation, mut synchronisation) = (Pair::default(), Vec::new());
        for (fragment, time, by) in ready.iter() {
            let gap = start(fragment).saturating_sub(time);
            if intervals.follows_wait(fragment) {
                synchronisation.push(gap);
            } else if by == ReadyBy::Creation
                && let Some(source) = ready.source(fragment)
            {
                creation.add(gap, has_moved(run, source, fragment));
            }
        }
        let mut continuation = Pair::default();
        let mut spine = (0, 0);
        for grain in 0..intervals.num_grains() {
            let before = continuation.all.len();
            continuations(run, intervals, grain, &mut continuation);
            let count = continuation.all.len() - before;
            if count > spine.1 {
                spine = (grain, count);
            }
        }
        let of_spine = (spine.1 > 0).then(|| {
            let mut pair = Pair::default();
            continuations(run, intervals, spine.0, &mut pair);
            pair
        });
        Self {
            creation_continuation: Summary::of(continuation.all),
            creation_continuation_migrated: Summary::of(continuation.migrated),
            creation: Summary::of(creation.all),
            creation_migrated: Summary::of(creation.migrated),
            synchronisation: Summary::of(synchronisation),
            spine: of_spine.and_then(|pair| {
                Some(Spine {
                    grain: spine.0,
                    gaps: Summary::of(pair.all)?,
                    migrated: Summary::of(pair.migrated),
                })
            }),
        }
    }
}

/// Gaps from the creations of a grain to what it does next.
fn continuations(run: &RunTables, intervals: &Intervals, grain: u32, pair: &mut Pair) {
    let fragments = intervals.fragments(grain);
    let rows = &run.fragments;
    for (source, target) in fragments.clone().zip(fragments.skip(1)) {
        let ended_by = rows.ended_by.value(source as usize);
        if is_end(ended_by, FragmentEnd::Creation) && !intervals.follows_wait(target) {
            let start = rows.start.value(target as usize);
            let gap = start.saturating_sub(intervals.end(source));
            pair.add(gap, has_moved(run, source, target));
        }
    }
}

fn has_moved(run: &RunTables, source: u32, target: u32) -> bool {
    let location = |fragment: u32| run.fragments.location.values().get(fragment as usize);
    location(source) != location(target)
}
