//! Grains of a comparison, definition by definition and all together.

use rayon::prelude::*;
use sheaf_answers::GrainDiffGroup;
use sheaf_model::DefinitionId;
use sheaf_statistics::median;

use super::{GrainDiffer, change, per_run, ratio};

/// Places that one task sums.
const PART: usize = 1 << 16;

/// The grains of one definition.
#[derive(Debug, Clone, PartialEq)]
pub struct DefinitionDelta {
    /// The definition.
    pub definition: DefinitionId,
    /// Its grains.
    pub grains: GrainDiffGroup,
}

/// Integer sums behind a group.
#[derive(Debug, Clone, Default)]
struct Sums {
    matched: u64,
    only: [u64; 2],
    unmatchable: [u64; 2],
    matched_work: [i128; 2],
    only_work: [i128; 2],
    unmatchable_work: [i128; 2],
    /// Whether the work of any grain is known.
    is_known: [bool; 2],
    /// Sums over runs of grains of which both sides know the work.
    both_work: [i128; 2],
    /// In parts of 2⁻¹⁶.
    lifetime: [i128; 2],
    delay: [i128; 2],
    delays: u64,
    deviations: Vec<f64>,
    stretches: Vec<f64>,
}

/// Definitions by descending change, and all together.
pub(super) fn list_definitions(differ: &GrainDiffer) -> (Vec<DefinitionDelta>, GrainDiffGroup) {
    let definitions = differ.definitions.len();
    let slots = differ.about.len();
    let parts: Vec<Vec<Sums>> = (0..slots.div_ceil(PART))
        .into_par_iter()
        .map(|part| {
            let mut sums = vec![Sums::default(); definitions];
            for slot in part * PART..((part + 1) * PART).min(slots) {
                if let Some(sums) = sums.get_mut(differ.about[slot].definition as usize) {
                    sums.add(differ, slot);
                }
            }
            sums
        })
        .collect();
    let mut sums = vec![Sums::default(); definitions];
    for part in parts {
        for (sum, part) in sums.iter_mut().zip(part) {
            sum.merge(part);
        }
    }
    for (sum, unmatchable) in sums.iter_mut().zip(&differ.unmatchable) {
        for side in [0, 1] {
            sum.unmatchable[side] = unmatchable[side].grains;
            sum.unmatchable_work[side] = unmatchable[side].work;
            sum.is_known[side] |= unmatchable[side].is_known;
        }
    }
    let mut whole = Sums::default();
    for sum in &sums {
        whole.merge(sum.clone());
    }
    let groups: Vec<GrainDiffGroup> = sums
        .into_par_iter()
        .map(|sums| sums.finish(differ.runs))
        .collect();
    let with_id = differ.definitions.iter().zip(groups);
    let mut found: Vec<DefinitionDelta> = with_id
        .filter(|(_, grains)| !is_empty(grains))
        .map(|(definition, grains)| DefinitionDelta {
            definition: *definition,
            grains,
        })
        .collect();
    found.sort_by(|x, y| {
        let sizes = y.grains.delta.abs().total_cmp(&x.grains.delta.abs());
        sizes.then_with(|| x.definition.cmp(&y.definition))
    });
    (found, whole.finish(differ.runs))
}

fn is_empty(grains: &GrainDiffGroup) -> bool {
    let one_sided = grains.only_a + grains.only_b;
    grains.matched + one_sided + grains.unmatchable_a + grains.unmatchable_b == 0
}

impl Sums {
    fn add(&mut self, differ: &GrainDiffer, slot: usize) {
        let sides = differ.sides.each_ref();
        let work = sides.map(|side| side.work.sum(slot));
        for (is_known, work) in self.is_known.iter_mut().zip(work) {
            *is_known |= work.is_some();
        }
        let add = |sums: &mut [i128; 2]| {
            for (sum, work) in sums.iter_mut().zip(work) {
                *sum += i128::from(work.unwrap_or(0));
            }
        };
        match sides.map(|side| side.runs[slot] > 0) {
            [true, true] => {
                self.matched += 1;
                add(&mut self.matched_work);
            }
            [false, false] => return,
            [is_a, _] => {
                self.only[usize::from(!is_a)] += 1;
                add(&mut self.only_work);
                return;
            }
        }
        if let [Some(a), Some(b)] = work {
            self.both_work[0] += i128::from(a);
            self.both_work[1] += i128::from(b);
        }
        self.deviations
            .extend(ratio(sides.map(|side| side.work.mean(slot))));
        self.stretches
            .extend(ratio(sides.map(|side| side.lifetime.mean(slot))));
        if let [Some(a), Some(b)] = sides.map(|side| side.lifetime.fine_mean(slot)) {
            self.lifetime[0] += a;
            self.lifetime[1] += b;
        }
        if let [Some(a), Some(b)] = sides.map(|side| side.delay.fine_mean(slot)) {
            self.delay[0] += a;
            self.delay[1] += b;
            self.delays += 1;
        }
    }

    fn merge(&mut self, mut other: Self) {
        self.matched += other.matched;
        self.delays += other.delays;
        for side in [0, 1] {
            self.only[side] += other.only[side];
            self.unmatchable[side] += other.unmatchable[side];
            self.matched_work[side] += other.matched_work[side];
            self.only_work[side] += other.only_work[side];
            self.unmatchable_work[side] += other.unmatchable_work[side];
            self.is_known[side] |= other.is_known[side];
            self.both_work[side] += other.both_work[side];
            self.lifetime[side] += other.lifetime[side];
            self.delay[side] += other.delay[side];
        }
        self.deviations.append(&mut other.deviations);
        self.stretches.append(&mut other.stretches);
    }

    fn finish(self, runs: [usize; 2]) -> GrainDiffGroup {
        let both = |sums: [i128; 2]| [0, 1].map(|side| per_run(sums[side], runs[side]));
        let fine = |sum: i128| sum as f64 / 65_536.0;
        let work = [0, 1].map(|side| {
            self.matched_work[side] + self.only_work[side] + self.unmatchable_work[side]
        });
        let [a, b] = both(work);
        let [matched_work_a, matched_work_b] = both(self.matched_work);
        let [only_work_a, only_work_b] = both(self.only_work);
        let [unmatchable_work_a, unmatchable_work_b] = both(self.unmatchable_work);
        GrainDiffGroup {
            matched: self.matched,
            only_a: self.only[0],
            only_b: self.only[1],
            unmatchable_a: self.unmatchable[0],
            unmatchable_b: self.unmatchable[1],
            a: self.is_known[0].then_some(a),
            b: self.is_known[1].then_some(b),
            delta: change(work, runs),
            matched_work_a,
            matched_work_b,
            only_work_a,
            only_work_b,
            unmatchable_work_a,
            unmatchable_work_b,
            work_deviation: ratio(both(self.both_work).map(Some)),
            median_work_deviation: median(&self.deviations),
            stretch: ratio(self.lifetime.map(fine).map(Some)),
            median_stretch: median(&self.stretches),
            delay_change: (self.delays > 0).then(|| fine(self.delay[1] - self.delay[0])),
        }
    }
}
