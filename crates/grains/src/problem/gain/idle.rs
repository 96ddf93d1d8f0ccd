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
    /// The definition that began or ended last, which is not in the map: the next is the same, mostly.
    last: Option<(i32, Covered)>,
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
            last: None,
        }
    }

    fn change(&mut self, evaluation: &Evaluation<'_>, grain: usize, more: i64, idle: i64) {
        if grain >= self.grains.len() || !self.grains.value(grain) {
            return;
        }
        self.all.change(more, idle);
        let definition = evaluation.definition(grain).unwrap_or(-1);
        if let Some((last, covered)) = &mut self.last
            && *last == definition
        {
            covered.change(more, idle);
            return;
        }
        let mut covered = self.by_definition.remove(&definition).unwrap_or_default();
        covered.change(more, idle);
        self.by_definition
            .extend(self.last.replace((definition, covered)));
    }

    fn costs(self, workers: i64) -> Costs {
        let mean = |covered: Covered| covered.sum as f64 / workers as f64;
        let sums = self.by_definition.into_iter().chain(self.last);
        (
            mean(self.all),
            sums.map(|(at, covered)| (at, mean(covered))).collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sheaf_model::table::{FragmentRow, LocationRow};

    use super::*;
    use crate::grain_graph::Structure;
    use crate::grain_metric::testing::{Written, written};

    /// Grain, time after the fragment before, duration, and whether a helper ran it.
    type Fragment = (usize, i64, i64, bool);

    fn run(fragments: &[Fragment]) -> Written {
        let mut run =
            written("workers 3\ncore 0\ntask - def=a\ntask 0 def=b\ntask 0 def=a\ntask 0");
        run.locations.push(LocationRow {
            rank: 0,
            thread: -1,
            core: None,
            numa_node: None,
        });
        run.grains.last_mut().unwrap().context = 9;
        let mut fragments = fragments.to_vec();
        fragments.sort_by_key(|fragment| fragment.0);
        let (mut now, mut last) = (-40, 0);
        for (grain, gap, duration, is_on_helper) in fragments {
            now = if grain == last { now + gap } else { gap - 40 };
            last = grain;
            run.fragments.push(FragmentRow {
                grain: i32::try_from(grain).unwrap(),
                location: i32::from(is_on_helper),
                start: now,
                duration,
                ended_by: 0,
            });
            now += duration;
        }
        run
    }

    /// Grain, begin, end, and whether a helper ran it.
    fn stretches(rows: &[FragmentRow]) -> Vec<(usize, i64, i64, bool)> {
        let is_next = |a: &FragmentRow, b: &FragmentRow| {
            a.grain == b.grain && a.start + a.duration == b.start
        };
        let stretches = rows.chunk_by(is_next).map(|rows| {
            let last = rows.last().unwrap();
            (
                usize::try_from(rows[0].grain).unwrap(),
                rows[0].start,
                last.start + last.duration,
                rows[0].location == 1,
            )
        });
        stretches.filter(|stretch| stretch.1 < stretch.2).collect()
    }

    /// Instant by instant.
    fn one_by_one(run: &Written, set: &[bool]) -> Costs {
        let (mut all, mut each) = (0, BTreeMap::new());
        let stretches = stretches(&run.fragments);
        for time in -100..900 {
            let now = stretches.iter().filter(|it| it.1 <= time && time < it.2);
            let busy = now.clone().filter(|it| !it.3).count();
            let idle = (3 - i64::try_from(busy).unwrap()).max(0);
            let wanted = now.filter(|it| set[it.0]);
            let mut definitions: Vec<i32> = wanted.map(|it| [0, 1, 0, -1][it.0]).collect();
            definitions.sort_unstable();
            definitions.dedup();
            if !definitions.is_empty() {
                all += idle;
            }
            for definition in definitions {
                *each.entry(definition).or_insert(0) += idle;
            }
        }
        let mean = |sum: i64| sum as f64 / 3.0;
        let each = each.into_iter();
        (mean(all), each.map(|(at, sum)| (at, mean(sum))).collect())
    }

    proptest! {
        #[test]
        fn idle_time_is_that_of_each_instant(
            fragments in prop::collection::vec(
                (0..4_usize, prop_oneof![Just(0), 0..20_i64], -3..20_i64, any::<bool>()),
                1..30,
            ),
            sets in prop::collection::vec(prop::collection::vec(any::<bool>(), 4), 1..3),
        ) {
            let written = run(&fragments);
            let tables = written.tables();
            let structure = Structure::of(&tables);
            let evaluation = Evaluation::of(&tables, &structure);
            let bits: Vec<BooleanBuffer> =
                sets.iter().map(|set| BooleanBuffer::from(set.as_slice())).collect();
            let found = while_running(&evaluation, &bits).unwrap().unwrap();
            let expected: Vec<Costs> = sets.iter().map(|set| one_by_one(&written, set)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
