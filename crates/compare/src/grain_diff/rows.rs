//! Rows of a comparison of grains: which, in which order, with which values.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use sheaf_answers::GrainMatch;
use sheaf_model::table::GrainKind;
use sheaf_model::{DefinitionId, PathKey, RunId};

use super::{GrainDiff, Through, change, ratio};

/// A grain on both sides. Values are means over the runs of a side that have them.
#[derive(Debug, Clone, PartialEq)]
pub struct GrainDelta {
    /// Key of the path.
    pub path_key: PathKey,
    /// Definition.
    pub definition: DefinitionId,
    /// What it is; absent for numbers that stand for nothing.
    pub kind: Option<GrainKind>,
    /// The first run that has it, and its row there.
    pub owner: (RunId, u32),
    /// Runs of each side that have it.
    pub runs: [u32; 2],
    /// Work.
    pub work: [Option<f64>; 2],
    /// Change of the work of a mean run, B − A: runs that have not the grain count as zero, so that
    /// changes add up to that of the whole. Absent where neither side knows work.
    pub delta: Option<f64>,
    /// Work in B by work in A.
    pub work_deviation: Option<f64>,
    /// Time from first begin to end.
    pub lifetime: [Option<f64>; 2],
    /// Lifetime in B by lifetime in A.
    pub stretch: Option<f64>,
    /// Time from when it could run to its first begin.
    pub delay: [Option<f64>; 2],
    /// Delay in B less delay in A.
    pub delay_change: Option<f64>,
    /// How it was found on the other side where its path goes through another name, and how sure that is;
    /// absent where the path is the same, or only one side has it.
    pub through: Option<Through>,
}

/// Orders that were asked for.
#[derive(Debug, Default)]
pub(super) struct Orders(Mutex<[Option<Arc<Vec<u32>>>; 3]>);

impl GrainDiff {
    /// Distinct grains that are selected.
    pub fn len(&self, selection: GrainMatch) -> usize {
        let [matched, a, b] = [self.total.matched, self.total.only_a, self.total.only_b];
        let count = match selection {
            GrainMatch::All => matched + a + b,
            GrainMatch::Matched => matched,
            GrainMatch::Unmatched => a + b,
        };
        usize::try_from(count).unwrap_or(usize::MAX)
    }

    /// Whether neither side has grains that can be matched.
    pub fn is_empty(&self) -> bool {
        self.len(GrainMatch::All) == 0
    }

    /// Bytes that it takes, closely enough for a bound.
    pub fn bytes(&self) -> usize {
        self.keys.len() * 128
    }

    /// Selected grains from `offset` on, `limit` at most: greatest change of work first, then by key.
    /// Sorts once per selection.
    pub fn page(&self, selection: GrainMatch, offset: usize, limit: usize) -> Vec<GrainDelta> {
        let order = self.order(selection);
        let begin = offset.min(order.len());
        let end = begin.saturating_add(limit).min(order.len());
        order[begin..end]
            .iter()
            .map(|&slot| self.row(slot as usize))
            .collect()
    }

    fn order(&self, selection: GrainMatch) -> Arc<Vec<u32>> {
        let mut orders = self.orders.0.lock().unwrap_or_else(PoisonError::into_inner);
        let order = &mut orders[selection as usize];
        Arc::clone(order.get_or_insert_with(|| Arc::new(self.sorted(selection))))
    }

    fn sorted(&self, selection: GrainMatch) -> Vec<u32> {
        let is_selected = |slot: &u32| {
            let [a, b] = self.sides.each_ref().map(|it| it.runs[*slot as usize] > 0);
            match selection {
                GrainMatch::All => a || b,
                GrainMatch::Matched => a && b,
                GrainMatch::Unmatched => a != b,
            }
        };
        let slots = 0..u32::try_from(self.keys.len()).unwrap_or(u32::MAX);
        let mut keyed: Vec<(u128, i64, u32)> = slots
            .into_par_iter()
            .filter(is_selected)
            .map(|slot| {
                let at = slot as usize;
                (u128::MAX - self.size_of_change(at), self.keys[at], slot)
            })
            .collect();
        keyed.par_sort_unstable();
        keyed.into_iter().map(|(_, _, slot)| slot).collect()
    }

    /// Size of the change of work, in parts of a unit that are the same for all grains.
    fn size_of_change(&self, slot: usize) -> u128 {
        let [a, b] = self.work_sums(slot);
        let [runs_a, runs_b] = self
            .runs
            .map(|runs| i128::try_from(runs.max(1)).unwrap_or(1));
        (b * runs_a - a * runs_b).unsigned_abs()
    }

    fn work_sums(&self, slot: usize) -> [i128; 2] {
        let sides = self.sides.each_ref();
        sides.map(|side| i128::from(side.work.sum(slot).unwrap_or(0)))
    }

    fn row(&self, slot: usize) -> GrainDelta {
        let about = self.about[slot];
        let sides = self.sides.each_ref();
        let work = sides.map(|side| side.work.mean(slot));
        let lifetime = sides.map(|side| side.lifetime.mean(slot));
        let delay = sides.map(|side| side.delay.mean(slot));
        let is_known = work != [None, None];
        let is_matched = sides.iter().all(|side| side.runs[slot] > 0);
        let both = |[a, b]: [Option<f64>; 2]| a.zip(b).map(|(a, b)| b - a);
        let definition = self.definition_ids.get(about.definition as usize);
        let owner = self.owners.get(about.owner as usize);
        GrainDelta {
            path_key: PathKey(self.keys[slot]),
            definition: definition.copied().unwrap_or(DefinitionId([0; 16])),
            kind: GrainKind::from_code(about.kind),
            owner: (owner.copied().unwrap_or(RunId([0; 16])), about.row),
            runs: sides.map(|side| side.runs[slot]),
            work,
            delta: is_known.then(|| change(self.work_sums(slot), self.runs)),
            work_deviation: ratio(work),
            lifetime,
            stretch: ratio(lifetime),
            delay,
            delay_change: both(delay),
            through: is_matched
                .then(|| self.through.get(about.through as usize).copied())
                .flatten(),
        }
    }
}
