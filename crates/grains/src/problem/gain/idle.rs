//! For how long workers idle while some grains run.

use std::ops::Range;

use arrow::buffer::BooleanBuffer;
use rayon::prelude::*;
use sheaf_model::Cancelled;

use super::Costs;
use crate::grain_metric::Evaluation;
use crate::ordering::sort_above;
use crate::windows::{Stretch, Windows};

/// Maximum number of sets of grains that one pass is for.
const MAX_SETS: usize = 16;

/// The idle time while any of a set of grains runs.
#[derive(Clone, Copy, Default)]
struct Covered {
    /// Number of grains of the set that run.
    running: i64,
    /// Idle time in the window before the first of these began.
    since: i64,
    sum: i64,
    /// Whether any grain began.
    is_there: bool,
}

impl Covered {
    /// `more` grains begin, or end if it is negative, when workers have idled for `idle` since the window began.
    #[inline]
    fn change(&mut self, more: i64, idle: i64) {
        if self.running == 0 {
            self.since = idle;
            self.is_there = true;
        }
        self.running += more;
        if self.running == 0 {
            self.sum += idle - self.since;
        }
    }

    fn add(&mut self, other: &Self) {
        self.sum += other.sum;
        self.is_there |= other.is_there;
    }
}

/// Workers along a window of time. A worker idles while it runs no fragment; idle time is a sum over the workers.
#[derive(Default)]
struct Workers {
    running: i64,
    idle: i64,
    now: u64,
}

impl Workers {
    /// Goes on to a time, from which `more` of `number` workers run fragments; returns the idle time before it.
    #[inline]
    fn change(&mut self, time: u64, more: i64, number: i64) -> i64 {
        let length = time - std::mem::replace(&mut self.now, time);
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        let idling = (number - self.running).max(0);
        self.idle = self.idle.saturating_add(idling.saturating_mul(length));
        self.running += more;
        self.idle
    }
}

/// Per set of grains, the time for which workers idle while any of them runs, and while any of those of each definition
/// does, -1 for those without one; by the number of workers. Nothing if there are no fragments, or the number of
/// workers is not known. Windows of time are swept side by side. Linear in the fragments for up to 16 sets together.
///
/// # Errors
/// When the evaluation was stopped.
pub(super) fn while_running(
    evaluation: &Evaluation<'_>,
    sets: &[BooleanBuffer],
) -> Result<Option<Vec<Costs>>, Cancelled> {
    let (run, progress) = (evaluation.run(), evaluation.progress());
    let Some(workers) = evaluation.workers().filter(|_| !run.fragments.is_empty()) else {
        return Ok(None);
    };
    let windows = Windows::of(run, &[], progress)?;
    let mut costs = Vec::with_capacity(sets.len());
    for sets in sets.chunks(MAX_SETS) {
        let codes = Codes::of(evaluation, sets);
        let sums = (windows.all.par_iter()).try_fold(
            || Sums::of(&codes),
            |mut sums, window| {
                let events = Events::of(&windows, window, &codes, evaluation)?;
                events.sweep(&codes, workers, &mut sums);
                Ok::<_, Cancelled>(sums)
            },
        );
        let sums = sums.try_reduce(|| Sums::of(&codes), |a, b| Ok(a.with(&b)))?;
        costs.extend(sums.0.iter().map(|covered| costs_of(covered, workers)));
    }
    Ok(Some(costs))
}

/// How a number states what begins or ends: from the highest bit the definition, from 1, then a bit per set that the
/// grain is in, whether a worker runs it, and whether it begins.
struct Codes<'a> {
    sets: &'a [BooleanBuffer],
    num_definitions: usize,
    bits: u32,
}

impl<'a> Codes<'a> {
    fn of(evaluation: &Evaluation<'_>, sets: &'a [BooleanBuffer]) -> Self {
        let num_definitions = evaluation.run().summary.definitions.len();
        let definition_bits = usize::BITS - num_definitions.leading_zeros();
        Self {
            sets,
            num_definitions,
            bits: definition_bits + bits_of(sets) + 2,
        }
    }

    /// The code of the end of a stretch.
    #[inline]
    fn end(&self, evaluation: &Evaluation<'_>, stretch: &Stretch) -> u64 {
        let row = stretch.grain as usize;
        let sets = self.sets.iter().rev();
        let within = sets.fold(0, |within, set| {
            within << 1 | u64::from(row < set.len() && set.value(row))
        });
        let mut definition = 0;
        if within != 0 {
            let known = evaluation
                .definition(row)
                .and_then(|at| usize::try_from(at).ok());
            let known = known.filter(|&at| at < self.num_definitions);
            definition = known.map_or(0, |at| at as u64 + 1);
        }
        (definition << bits_of(self.sets) | within) << 2 | u64::from(!stretch.is_on_helper) << 1
    }
}

fn bits_of(sets: &[BooleanBuffer]) -> u32 {
    sets.iter().map(|_| 1).sum()
}

/// The begins and ends of stretches in a window, in order. Each has a time, from the begin of the window, and a code.
enum Events {
    /// The code in the lowest bits.
    Packed(Vec<u64>),
    /// Those of windows too long for that.
    Pairs(Vec<(u64, u64)>),
}

impl Events {
    fn of(
        windows: &Windows<'_>,
        window: &Range<u64>,
        codes: &Codes<'_>,
        evaluation: &Evaluation<'_>,
    ) -> Result<Self, Cancelled> {
        let mut packed = Vec::new();
        let mut pairs = Vec::new();
        windows.each_within(window, evaluation.progress(), |stretch| {
            let end = codes.end(evaluation, &stretch);
            for (time, code) in [(stretch.start, end | 1), (stretch.end, end)] {
                let time = time - window.start;
                if time.leading_zeros() >= codes.bits && pairs.is_empty() {
                    packed.push(time << codes.bits | code);
                } else {
                    pairs.push((time, code));
                }
            }
        })?;
        if pairs.is_empty() {
            // The order of what happens at the same time does not matter.
            sort_above(&mut packed, codes.bits);
            return Ok(Self::Packed(packed));
        }
        pairs.extend(packed.into_iter().map(|event| codes.unpacked(event)));
        pairs.sort_unstable();
        Ok(Self::Pairs(pairs))
    }

    /// Adds the idle time in the window.
    fn sweep(&self, codes: &Codes<'_>, workers: i64, sums: &mut Sums) {
        let mut along = Workers::default();
        let mut change = |(time, code): (u64, u64)| {
            let more = if code & 1 == 1 { 1 } else { -1 };
            // A helper of the runtime that runs something leaves as many workers idle.
            let of_workers = if code & 2 == 0 { 0 } else { more };
            let idle = along.change(time, of_workers, workers);
            let mut within = code >> 2 & ((1 << codes.sets.len()) - 1);
            let definition = usize::try_from(code >> 2 >> codes.sets.len()).unwrap_or(0);
            while within != 0 {
                sums.change(within.trailing_zeros() as usize, definition, more, idle);
                within &= within - 1;
            }
        };
        match self {
            Self::Packed(events) => events.iter().for_each(|&it| change(codes.unpacked(it))),
            Self::Pairs(events) => events.iter().for_each(|&it| change(it)),
        }
    }
}

impl Codes<'_> {
    #[inline]
    fn unpacked(&self, event: u64) -> (u64, u64) {
        (event >> self.bits, event & ((1 << self.bits) - 1))
    }
}

/// Per set, the idle time while any grain of it runs, while any without a definition does, and any of each definition.
struct Sums(Vec<Vec<Covered>>);

impl Sums {
    fn of(codes: &Codes<'_>) -> Self {
        let none = vec![Covered::default(); codes.num_definitions + 2];
        Self(vec![none; codes.sets.len()])
    }

    #[inline]
    fn change(&mut self, set: usize, definition: usize, more: i64, idle: i64) {
        if let Some(covered) = self.0.get_mut(set) {
            for at in [0, definition + 1] {
                if let Some(covered) = covered.get_mut(at) {
                    covered.change(more, idle);
                }
            }
        }
    }

    fn with(mut self, other: &Self) -> Self {
        let both = self.0.iter_mut().flatten().zip(other.0.iter().flatten());
        both.for_each(|(covered, other)| covered.add(other));
        self
    }
}

fn costs_of(covered: &[Covered], workers: i64) -> Costs {
    let mean = |covered: &Covered| covered.sum as f64 / workers as f64;
    let of_definitions = (-1..).zip(covered.iter().skip(1));
    let of_definitions = of_definitions.filter(|(_, covered)| covered.is_there);
    (
        covered.first().map_or(0.0, mean),
        of_definitions
            .map(|(at, covered)| (at, mean(covered)))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use sheaf_model::table::{FragmentRow, LocationRow};

    use super::*;
    use crate::grain_graph::Structure;
    use crate::grain_metric::testing::{Written, written};
    use crate::windows::BLOCK;

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
            (a.grain, a.location, a.start + a.duration) == (b.grain, b.location, b.start)
        };
        let blocks = rows.chunks(BLOCK);
        let stretches = blocks.flat_map(|rows| rows.chunk_by(is_next)).map(|rows| {
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

    /// The first fragment ends before any begins, at another time than that at which the next begins.
    #[test]
    fn fragments_that_end_before_they_begin_do_not_touch_others() {
        let written = run(&[(0, 0, -2, true), (0, 1, 1, true)]);
        let tables = written.tables();
        let structure = Structure::of(&tables);
        let evaluation = Evaluation::of(&tables, &structure);
        let set = [true, false, false, false];
        let found = while_running(&evaluation, &[BooleanBuffer::from(set.as_slice())]);
        assert_eq!(found.unwrap().unwrap(), [one_by_one(&written, &set)]);
    }

    proptest! {
        #[test]
        fn idle_time_is_that_of_each_instant(
            fragments in prop::collection::vec(
                (0..4_usize, prop_oneof![Just(0), 0..20_i64], -3..20_i64, any::<bool>()),
                1..60,
            ),
            sets in prop::collection::vec(prop::collection::vec(any::<bool>(), 4), 1..20),
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
