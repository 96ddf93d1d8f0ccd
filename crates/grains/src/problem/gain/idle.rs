//! For how long workers idle while some grains run.

use std::collections::BTreeMap;

use arrow::array::BooleanBufferBuilder;
use arrow::buffer::BooleanBuffer;
use sheaf_model::Cancelled;
use sheaf_model::table::{Fragments, Locations};

use super::Costs;
use crate::grain_graph::to_u32;
use crate::grain_metric::Evaluation;
use crate::ordering::{Ordered, time_key};
use crate::stopping::CHECKED_EVERY;

/// Time in which grains ran without a break: fragments of a grain, each of which begins when the one before ends. Each
/// stretch that has a length is a bit at its first fragment and a bit at its last.
struct Stretches {
    begins: BooleanBuffer,
    ends: BooleanBuffer,
    /// Whether a helper of the runtime ran the stretch that begins or ends with a fragment; absent without helpers.
    on_helper: Option<BooleanBuffer>,
}

impl Stretches {
    fn of(table: &Fragments, places: &Locations) -> Self {
        let none = || {
            let mut bits = BooleanBufferBuilder::new(table.len());
            bits.append_n(table.len(), false);
            bits
        };
        let (mut begins, mut ends) = (none(), none());
        let mut on_helper = places.have_helpers().then(none);
        let mut first = 0;
        for row in 0..table.len() {
            let end = end(table, row);
            let next = row + 1;
            let goes_on = next < table.len()
                && table.grain.value(next) == table.grain.value(row)
                && table.start.value(next) == end;
            if goes_on {
                continue;
            }
            if table.start.value(first) < end {
                begins.set_bit(first, true);
                ends.set_bit(row, true);
                if let Some(on_helper) = &mut on_helper
                    && places.is_helper(table.location.value(first))
                {
                    on_helper.set_bit(first, true);
                    on_helper.set_bit(row, true);
                }
            }
            first = next;
        }
        Self {
            begins: begins.finish(),
            ends: ends.finish(),
            on_helper: on_helper.map(|mut bits| bits.finish()),
        }
    }

    fn is_on_helper(&self, row: u32) -> bool {
        let bits = self.on_helper.as_ref();
        bits.is_some_and(|bits| bits.value(row as usize))
    }
}

fn end(table: &Fragments, row: usize) -> i64 {
    let (start, duration) = (table.start.value(row), table.duration.value(row));
    start.saturating_add(duration)
}

fn rows(bits: &BooleanBuffer) -> impl Iterator<Item = u32> + Clone + '_ {
    (0..to_u32(bits.len())).filter(|&row| bits.value(row as usize))
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

/// A set of grains, and the idle time while they run.
struct Asked<'a> {
    /// Whether each grain is in the set.
    grains: &'a BooleanBuffer,
    all: Covered,
    by_definition: BTreeMap<i32, Covered>,
}

/// Workers along a run. A worker idles while it runs no fragment; idle time is a sum over the workers.
struct Workers {
    number: i64,
    running: i64,
    idle: i64,
    now: Option<u64>,
}

impl Workers {
    /// Goes on to a time, from which `more` fragments run; returns the idle time before it.
    fn change(&mut self, time: u64, more: i64) -> i64 {
        if let Some(before) = self.now.replace(time) {
            let length = i64::try_from(time - before).unwrap_or(i64::MAX);
            let idling = (self.number - self.running).max(0);
            self.idle = self.idle.saturating_add(idling.saturating_mul(length));
        }
        self.running += more;
        self.idle
    }
}

/// Per set of grains, the time for which workers idle while any of them runs, and while any of those of each definition
/// does, -1 for those without one; by the number of workers. Nothing if there are no fragments, or the number of
/// workers is not known. Linear in the fragments for all sets together, in four bytes per stretch and end.
///
/// # Errors
/// When the evaluation was stopped.
pub(super) fn while_running(
    evaluation: &Evaluation<'_>,
    sets: &[BooleanBuffer],
) -> Result<Option<Vec<Costs>>, Cancelled> {
    let run = evaluation.run();
    let Some(number) = evaluation.workers().filter(|_| !run.fragments.is_empty()) else {
        return Ok(None);
    };
    let table = &run.fragments;
    let stretches = Stretches::of(table, &run.summary.locations);
    evaluation.progress().check()?;
    let start = |row: u32| time_key(table.start.value(row as usize));
    let end = |row: u32| time_key(end(table, row as usize));
    let (begins, ends) = rayon::join(
        || Ordered::of(rows(&stretches.begins), start),
        || Ordered::of(rows(&stretches.ends), end),
    );
    let mut asked: Vec<Asked> = sets.iter().map(Asked::of).collect();
    let mut workers = Workers {
        number,
        running: 0,
        idle: 0,
        now: None,
    };
    let mut change = |time: u64, row: u32, more: i64| {
        // A helper of the runtime that runs something leaves as many workers idle.
        let of_workers = if stretches.is_on_helper(row) { 0 } else { more };
        let idle = workers.change(time, of_workers);
        let grain = usize::try_from(table.grain.value(row as usize));
        if let Ok(grain) = grain {
            for asked in &mut asked {
                asked.change(evaluation, grain, more, idle);
            }
        }
    };
    let mut ends = ends.iter().peekable();
    for (number, (begin, row)) in begins.iter().enumerate() {
        if number.is_multiple_of(CHECKED_EVERY) {
            evaluation.progress().check()?;
        }
        while let Some((end, ended)) = ends.next_if(|&(end, _)| end <= begin) {
            change(end, ended, -1);
        }
        change(begin, row, 1);
    }
    for (end, ended) in ends {
        change(end, ended, -1);
    }
    Ok(Some(
        asked.into_iter().map(|asked| asked.costs(number)).collect(),
    ))
}

impl<'a> Asked<'a> {
    fn of(grains: &'a BooleanBuffer) -> Self {
        Self {
            grains,
            all: Covered::default(),
            by_definition: BTreeMap::new(),
        }
    }

    fn change(&mut self, evaluation: &Evaluation<'_>, grain: usize, more: i64, idle: i64) {
        if grain >= self.grains.len() || !self.grains.value(grain) {
            return;
        }
        self.all.change(more, idle);
        let definition = evaluation.definition(grain).unwrap_or(-1);
        let covered = self.by_definition.entry(definition).or_default();
        covered.change(more, idle);
    }

    fn costs(self, workers: i64) -> Costs {
        let mean = |covered: Covered| covered.sum as f64 / workers as f64;
        let sums = self.by_definition.into_iter();
        (
            mean(self.all),
            sums.map(|(at, covered)| (at, mean(covered))).collect(),
        )
    }
}
