//! The work of grains, compared with what the other side has for the same path.
//!
//! A grain whose path the other side has too is compared with the mean of its work over the runs of both sides. The same
//! mean for all runs keeps the values of runs exchangeable: with the mean of the other side, the sides would differ by
//! twice their noise. A grain whose path depends on the schedule, or is not the only one of its run, is compared with the
//! mean grain of its definition. So are the grains of a definition that have other paths on both sides, as all behind a
//! region that was inserted before them. If their numbers differ, as those of chunks of loops do, the difference of their
//! times is one part. A region of which one side recorded no loops is one part with its loops. The rest is only on one
//! side.
//!
//! A grain can have children of its own definition that only one side has: a changed cut-off moves work between a task
//! and such children. The excess of that grain counts with these children. Otherwise one change would be two large
//! causes of opposite signs.

use std::collections::{BTreeMap, BTreeSet};

use sheaf_answers::CauseKind;
use sheaf_model::DefinitionId;

use super::{Concern, Parts, RunTime};
use crate::grain_diff::{KeyIndex, Mapped, NONE};
use crate::unrecorded_loops::UnrecordedLoops;

/// Sum and number.
#[derive(Debug, Clone, Copy, Default)]
struct Mean {
    sum: i64,
    count: u32,
}

impl Mean {
    fn add(&mut self, value: i64) {
        self.sum = self.sum.saturating_add(value);
        self.count += 1;
    }
}

/// The work of all grains of both sides.
pub(super) struct Works<'a> {
    /// By run of each side, the place of each row's path; [`NONE`] where it cannot be matched.
    places: [Vec<Vec<u32>>; 2],
    /// By place.
    of_path: [Vec<Mean>; 2],
    /// The work of grains that cannot be matched.
    of_definition: [BTreeMap<DefinitionId, Mean>; 2],
    /// By place, the kind of its children of the same definition that only one side has.
    divided: Vec<Option<CauseKind>>,
    /// Definitions of which both sides have grains with paths of their own, in different numbers.
    regrouped: BTreeSet<DefinitionId>,
    unrecorded: &'a UnrecordedLoops,
}

/// The definition of a grain whose context is not in the tables.
const UNKNOWN: DefinitionId = DefinitionId([0; 16]);

/// The kind of what only one side has.
const ONLY: [CauseKind; 2] = [CauseKind::Vanished, CauseKind::New];

impl<'a> Works<'a> {
    pub(super) fn of(sides: &[Vec<RunTime>; 2], unrecorded: &'a UnrecordedLoops) -> Self {
        let mut index = KeyIndex::default();
        let mut works = Self {
            places: [Vec::new(), Vec::new()],
            of_path: [Vec::new(), Vec::new()],
            of_definition: [BTreeMap::new(), BTreeMap::new()],
            divided: Vec::new(),
            regrouped: BTreeSet::new(),
            unrecorded,
        };
        for (side, runs) in sides.iter().enumerate() {
            for run in runs {
                works.places[side].push(places(&mut index, run));
            }
        }
        for (side, runs) in sides.iter().enumerate() {
            works.of_path[side] = vec![Mean::default(); index.len()];
            for (run, places) in runs.iter().zip(&works.places[side]) {
                let values = run.grains.work.values().iter().zip(places);
                for (row, (&work, &place)) in (0..).zip(values) {
                    if let Some(mean) = works.of_path[side].get_mut(place as usize) {
                        mean.add(work);
                    } else {
                        let of = run.grains.definition(row).unwrap_or(UNKNOWN);
                        works.of_definition[side].entry(of).or_default().add(work);
                    }
                }
            }
        }
        works.find_moved(sides);
        works.find_divided(sides);
        works
    }

    /// Finds definitions with grains on both sides whose paths only that side has. If they are as many on both sides, their
    /// places are taken, so that they are compared with their mean. Else their number is what changed.
    fn find_moved(&mut self, sides: &[Vec<RunTime>; 2]) {
        let is_only = |of_other: &[Mean], place: u32| {
            let mean = of_other.get(place as usize);
            mean.is_some_and(|mean| mean.count == 0)
        };
        let mut unmatched: [BTreeMap<DefinitionId, usize>; 2] = Default::default();
        for (side, runs) in sides.iter().enumerate() {
            for (run, places) in runs.iter().zip(&self.places[side]) {
                for (row, &place) in (0..).zip(places) {
                    if is_only(&self.of_path[1 - side], place) {
                        let of = run.grains.definition(row).unwrap_or(UNKNOWN);
                        *unmatched[side].entry(of).or_default() += 1;
                    }
                }
            }
        }
        let [unmatched_a, unmatched_b] = unmatched;
        let mut moved = BTreeSet::new();
        for (of, in_a) in unmatched_a {
            let Some(in_b) = unmatched_b.get(&of) else {
                continue;
            };
            if in_a * sides[1].len() == in_b * sides[0].len() {
                moved.insert(of);
            } else {
                self.regrouped.insert(of);
            }
        }
        for (side, runs) in sides.iter().enumerate().filter(|_| !moved.is_empty()) {
            for (run, places) in runs.iter().zip(&mut self.places[side]) {
                for (row, place) in (0..).zip(places.iter_mut()) {
                    let of = run.grains.definition(row).unwrap_or(UNKNOWN);
                    if !is_only(&self.of_path[1 - side], *place) || !moved.contains(&of) {
                        continue;
                    }
                    *place = NONE;
                    if let Some(&work) = run.grains.work.values().get(row as usize) {
                        self.of_definition[side].entry(of).or_default().add(work);
                    }
                }
            }
        }
    }

    /// The kind of grains that only one side has.
    fn only(&self, side: usize, of: DefinitionId) -> CauseKind {
        if self.regrouped.contains(&of) {
            CauseKind::Grains
        } else {
            ONLY[side]
        }
    }

    /// Finds the grains that have children of their own definition on one side only.
    fn find_divided(&mut self, sides: &[Vec<RunTime>; 2]) {
        let mut divided = vec![None; self.of_path[0].len()];
        for (side, runs) in sides.iter().enumerate() {
            for (number, (run, places)) in runs.iter().zip(&self.places[side]).enumerate() {
                for (row, parent) in (0..).zip(&run.parents) {
                    let Some(parent) = parent.and_then(|it| u32::try_from(it).ok()) else {
                        continue;
                    };
                    let of = run.grains.definition(row);
                    if of != run.grains.definition(parent)
                        || self
                            .mean((side, number), row, of.unwrap_or(UNKNOWN))
                            .is_some()
                    {
                        continue;
                    }
                    let place = places.get(parent as usize);
                    if let Some(kind) = place.and_then(|&it| divided.get_mut(it as usize)) {
                        let own = self.only(side, of.unwrap_or(UNKNOWN));
                        *kind = match *kind {
                            Some(known) if known != own => Some(CauseKind::Grains),
                            _ => Some(own),
                        };
                    }
                }
            }
        }
        self.divided = divided;
    }

    /// The kind of the children that only one side has of a grain that both have.
    fn divided(&self, (side, run): (usize, usize), row: u32) -> Option<CauseKind> {
        let place = *self.places[side].get(run)?.get(row as usize)?;
        *self.divided.get(place as usize)?
    }

    /// Adds the times of some grains of a run, multiplied by `factor`, as inflation, as other grains, and as new or
    /// vanished grains. The time of these grains without a processor is a part of its own, and of none of these.
    pub(super) fn add_times(
        &self,
        parts: &mut Parts,
        run: &RunTime,
        (side, number): (usize, usize),
        times: impl Iterator<Item = (u32, i64)>,
        off_cpu: &[(u32, i64)],
        factor: i128,
    ) {
        let mut values: BTreeMap<(CauseKind, DefinitionId), i128> = BTreeMap::new();
        let mut add = |kind, of, value| *values.entry((kind, of)).or_default() += value;
        let at = (side, number);
        for (row, time) in times {
            let of = run.grains.definition(row).unwrap_or(UNKNOWN);
            if let Some(region) = self.unrecorded.region(of) {
                add(CauseKind::Grains, region, time.into());
                continue;
            }
            let Some(mean) = self.mean(at, row, of) else {
                add(self.only(side, of), of, time.into());
                continue;
            };
            let own = run.grains.work.values().get(row as usize).copied();
            let excess = excess(time, own.unwrap_or(0), mean);
            let kind = self.divided(at, row).unwrap_or(CauseKind::Inflation);
            add(kind, of, excess);
            add(CauseKind::Grains, of, i128::from(time) - excess);
        }
        for &(row, off) in off_cpu {
            let of = run.grains.definition(row).unwrap_or(UNKNOWN);
            let region = self.unrecorded.region(of);
            let (of, is_part) = (region.unwrap_or(of), region.is_some());
            let kind = match self.mean(at, row, of) {
                _ if is_part => CauseKind::Grains,
                None => self.only(side, of),
                Some(_) => self.divided(at, row).unwrap_or(CauseKind::Inflation),
            };
            add(CauseKind::OffCpu, of, off.into());
            add(kind, of, -i128::from(off));
        }
        for ((kind, of), value) in values.into_iter().filter(|(_, value)| *value != 0) {
            parts.add(kind, Concern::Definition(of), at, value * factor);
        }
    }

    /// The mean work of a grain over the runs of both sides; `None` where the other side does not have it.
    fn mean(&self, (side, run): (usize, usize), row: u32, of: DefinitionId) -> Option<Mean> {
        let place = *self.places[side].get(run)?.get(row as usize)?;
        let of_side = |side: usize| match self.of_path[side].get(place as usize) {
            Some(mean) => *mean,
            None => self.of_definition[side]
                .get(&of)
                .copied()
                .unwrap_or_default(),
        };
        let (own, other) = (of_side(side), of_side(1 - side));
        (other.count > 0).then(|| Mean {
            sum: own.sum.saturating_add(other.sum),
            count: own.count + other.count,
        })
    }
}

/// The excess of a time over the same share of the mean work, rounded to the nearest whole number.
fn excess(time: i64, own: i64, mean: Mean) -> i128 {
    if own <= 0 {
        return 0;
    }
    let divisor = i128::from(own) * i128::from(mean.count.max(1));
    let product = i128::from(time) * i128::from(mean.sum);
    i128::from(time) - (2 * product + divisor).div_euclid(2 * divisor)
}

fn places(index: &mut KeyIndex, run: &RunTime) -> Vec<u32> {
    let grains = &run.grains;
    let keys = grains.path_key.values();
    let mut mapped: Mapped = index.map(keys, grains.flags.values());
    let new_rows = std::mem::take(&mut mapped.new_rows);
    index.reserve(new_rows.len());
    for row in new_rows {
        if let Some(&key) = keys.get(row as usize) {
            let (place, _) = index.insert(key);
            mapped.see(row as usize, place);
        }
    }
    mapped.leave_out_doubles();
    debug_assert!(
        mapped
            .slots
            .iter()
            .all(|&slot| slot == NONE || (slot as usize) < index.len())
    );
    mapped.slots
}
