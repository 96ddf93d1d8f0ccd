//! Two runs or cohorts compared grain by grain: the same grain has the same path key in every run.
//!
//! A path key is the hash of a grain's path of definitions and steps, which does not depend on the
//! schedule. Grains of a definition that was renamed have other keys, and so have all below them: where it is
//! known or inferred which definition is which, they are found under the newest name. Grains whose path depends on the schedule, or is not the only one of its
//! run, match nothing; their work counts all the same. Every row of the table of grains takes part,
//! implicit and initial tasks too, so that the work of a side is the work of its runs.
//!
//! What is summed is integers: work of rows, of definitions and of the whole conserve exactly, swapping
//! the sides negates every change, and neither the order of runs and rows nor the number of threads
//! matters. Means and ratios are rounded once, at the end. Grains of one run share the machine's state,
//! so nothing here is tested.

mod columns;
mod index;
mod per_definition;
mod renamed;
mod rows;
mod sums;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use sheaf_answers::GrainDiffGroup;
use sheaf_model::{DefinitionId, RunId, RunSummary};

pub use columns::GrainColumns;
pub(crate) use index::{KeyIndex, Mapped, NONE};
pub use per_definition::DefinitionDelta;
pub use renamed::Through;
pub use rows::GrainDelta;
use sums::{SideSums, Unmatchable};

use crate::diff::{IterationCounts, Mapping, number_as_newest, rename_links};
use crate::renaming::{Renaming, RunSet};
use sheaf_analysis::EnsembleTree;

/// Compares grains of runs that are added one after the other, so that not all must be in memory at
/// once.
///
/// Time linear in the grains of all runs (grains in the order of the first run cost a comparison, others
/// a look into a hash table), memory about 110 bytes per distinct grain.
///
/// ```
/// use sheaf_answers::GrainMatch;
/// use sheaf_compare::grain_diff::{GrainColumns, GrainDiffer};
/// use sheaf_synthetic::Program;
/// let runs = [Program::recursion(4).run(1), Program::recursion(3).run(2)];
/// let [a, b] = runs.each_ref().map(GrainColumns::of);
/// let mut differ = GrainDiffer::new([1, 1]);
/// differ.add(&[(a, [true, false]), (b, [false, true])]);
/// let answer = differ.finish();
/// assert_eq!((answer.total().matched, answer.total().only_a), (7, 8));
/// assert_eq!(answer.page(GrainMatch::Unmatched, 0, 10).len(), 8);
/// ```
#[derive(Debug)]
pub struct GrainDiffer {
    runs: [usize; 2],
    index: KeyIndex,
    /// Of each distinct grain.
    about: Vec<About>,
    owners: Vec<RunId>,
    definitions: Vec<DefinitionId>,
    number_of: BTreeMap<DefinitionId, u32>,
    sides: [SideSums; 2],
    /// By definition.
    unmatchable: Vec<[Unmatchable; 2]>,
    /// How paths are found under other names.
    through: Vec<Through>,
}

/// What is known of a grain besides its measures: the first run that has it, and where.
#[derive(Debug, Clone, Copy)]
struct About {
    owner: u32,
    row: u32,
    definition: u32,
    kind: i32,
    /// Number of what its path goes through; `NONE` where all names are the same.
    through: u32,
}

/// The comparison of two sides, grain by grain.
#[derive(Debug)]
pub struct GrainDiff {
    runs: [usize; 2],
    keys: Vec<i64>,
    about: Vec<About>,
    owners: Vec<RunId>,
    definition_ids: Vec<DefinitionId>,
    sides: [SideSums; 2],
    definitions: Vec<DefinitionDelta>,
    total: GrainDiffGroup,
    orders: rows::Orders,
    through: Vec<Through>,
}

impl GrainDiffer {
    /// Sides of the given numbers of runs.
    pub fn new(runs: [usize; 2]) -> Self {
        Self {
            runs,
            index: KeyIndex::default(),
            about: Vec::new(),
            owners: Vec::new(),
            definitions: Vec::new(),
            number_of: BTreeMap::new(),
            sides: [SideSums::default(), SideSums::default()],
            unmatchable: Vec::new(),
            through: Vec::new(),
        }
    }

    /// Takes in the grains of runs, each with whether it is on the baseline's side and on the
    /// candidate's. A run must be added once; the first that has a grain is the one that the grain is
    /// shown from.
    pub fn add(&mut self, runs: &[(GrainColumns, [bool; 2])]) {
        // The others find their grains in the order of the first.
        let alone = usize::from(self.index.is_empty()).min(runs.len());
        let (first, others) = runs.split_at(alone);
        self.add_together(first);
        self.add_together(others);
    }

    fn add_together(&mut self, runs: &[(GrainColumns, [bool; 2])]) {
        let numbers: Vec<Vec<u32>> = runs.iter().map(|(run, _)| self.number(run)).collect();
        let index = &self.index;
        let mut mapped: Vec<Mapped> = runs
            .par_iter()
            .map(|(run, _)| index.map(run.path_key.values(), run.flags.values()))
            .collect();
        for ((mapped, (run, _)), numbers) in mapped.iter_mut().zip(runs).zip(&numbers) {
            self.insert_new(mapped, run, numbers);
        }
        let slots = self.index.len();
        let of_side = |side: usize| {
            let both = mapped.iter().zip(runs);
            both.filter(move |(_, (_, sides))| sides[side])
                .map(|(mapped, (run, _))| (mapped.slots.as_slice(), run))
                .collect::<Vec<_>>()
        };
        let members = [of_side(0), of_side(1)];
        let [a, b] = &mut self.sides;
        rayon::join(|| a.add(slots, &members[0]), || b.add(slots, &members[1]));
        self.unmatchable
            .resize_with(self.definitions.len(), Default::default);
        for ((mapped, (run, sides)), numbers) in mapped.iter().zip(runs).zip(&numbers) {
            if mapped.unmatchable > 0 {
                sums::add_unmatchable(&mut self.unmatchable, &mapped.slots, run, numbers, *sides);
            }
        }
    }

    /// The number of the definition of each context of a run.
    fn number(&mut self, run: &GrainColumns) -> Vec<u32> {
        let number = |id: &DefinitionId| {
            let next = u32::try_from(self.definitions.len()).unwrap_or(NONE);
            *self.number_of.entry(*id).or_insert_with(|| {
                self.definitions.push(*id);
                next
            })
        };
        run.definitions.iter().map(number).collect()
    }

    /// Gives grains that no run before had a place.
    fn insert_new(&mut self, mapped: &mut Mapped, run: &GrainColumns, numbers: &[u32]) {
        let owner = u32::try_from(self.owners.len()).unwrap_or(NONE);
        self.owners.push(run.run);
        let keys = run.path_key.values();
        self.index.reserve(mapped.new_rows.len());
        for row in std::mem::take(&mut mapped.new_rows) {
            let at = row as usize;
            let (slot, is_new) = self.index.insert(keys[at]);
            if is_new {
                let through = self.number_of_through(run.through(at));
                self.about.push(About {
                    owner,
                    row,
                    definition: run.definition_number(at, numbers),
                    kind: run.kind.values()[at],
                    through,
                });
            }
            mapped.see(at, slot);
        }
        mapped.leave_out_doubles();
    }

    /// There are as many as renames, at most.
    fn number_of_through(&mut self, through: Option<Through>) -> u32 {
        let Some(through) = through else {
            return NONE;
        };
        let known = self.through.iter().position(|one| *one == through);
        let number = known.unwrap_or_else(|| {
            self.through.push(through);
            self.through.len() - 1
        });
        u32::try_from(number).unwrap_or(NONE)
    }

    /// The comparison of all runs that were added.
    pub fn finish(self) -> GrainDiff {
        let (definitions, total) = per_definition::list_definitions(&self);
        GrainDiff {
            runs: self.runs,
            keys: self.index.into_keys(),
            about: self.about,
            owners: self.owners,
            definition_ids: self.definitions,
            sides: self.sides,
            definitions,
            total,
            orders: rows::Orders::default(),
            through: self.through,
        }
    }
}

impl GrainDiff {
    /// Number of runs of baseline and candidate.
    pub fn runs(&self) -> [usize; 2] {
        self.runs
    }

    /// Definitions of which there are grains, greatest change of work first, then by id.
    pub fn definitions(&self) -> &[DefinitionDelta] {
        &self.definitions
    }

    /// All grains together.
    pub fn total(&self) -> &GrainDiffGroup {
        &self.total
    }
}

/// The runs of two sides whose definitions are followed from one to the other.
#[derive(Debug, Clone)]
pub struct Followed {
    /// The runs, with the constructs of the baseline numbered as in the candidate.
    pub runs: Vec<Arc<RunSummary>>,
    /// Definitions that are one. The first refers to the stored tables of the baseline, the second to those of the candidate.
    pub renaming: [Renaming; 2],
}

/// Follows the definitions of the two sides: constructs that have the number of another one since some before them were
/// added or removed, and definitions that were renamed, as [`renaming`] finds. Linear in the contexts but for sorting.
pub fn follow(
    runs: &[Arc<RunSummary>],
    sides: [&[RunId]; 2],
    counts: [&IterationCounts; 2],
    mapping: &Mapping,
) -> Followed {
    let side = |side: usize| -> Vec<Arc<RunSummary>> {
        let own = runs.iter().filter(|run| sides[side].contains(&run.meta.id));
        own.cloned().collect()
    };
    let mut versions = [side(0), side(1)];
    let all = counts.map(IterationCounts::clone);
    let [mut all, newer] = all;
    all.extend(newer);
    let notes = number_as_newest(&mut versions, &all);
    let mut numbers = BTreeMap::new();
    let numbered = |run: &Arc<RunSummary>| {
        let mut baseline = versions[0].iter();
        let Some(new) = baseline.find(|new| new.meta.id == run.meta.id) else {
            return Arc::clone(run);
        };
        let ids = [run, new].map(|run| run.definitions.id.iter().flatten());
        let [before, after] = ids;
        for (before, after) in before.zip(after).filter(|(before, after)| before != after) {
            let ids = [before, after].map(|id| DefinitionId(id.try_into().unwrap_or_default()));
            numbers.insert(ids[0], ids[1]);
        }
        Arc::clone(new)
    };
    let runs: Vec<Arc<RunSummary>> = runs.iter().map(numbered).collect();
    let renaming = renaming(&runs, sides, counts, mapping);
    Followed {
        renaming: renaming.numbered(numbers, notes),
        runs,
    }
}

/// Which definitions of the two sides are one: as a diff of their contexts finds, and as the user says. Nothing
/// is looked for where one side has every definition of the other. `counts` has the iterations of some runs of each side.
/// Linear in the contexts but for sorting.
pub fn renaming(
    runs: &[Arc<RunSummary>],
    sides: [&[RunId]; 2],
    counts: [&IterationCounts; 2],
    mapping: &Mapping,
) -> Renaming {
    let tree = EnsembleTree::union(runs.iter().cloned());
    let places = sides.map(|side| {
        let is_on = |place: &usize| side.contains(&tree.runs()[*place].meta.id);
        (0..tree.runs().len()).filter(is_on).collect::<Vec<_>>()
    });
    let run_set = |side: usize| RunSet {
        name: ["A", "B"][side].to_owned(),
        runs: places[side]
            .iter()
            .map(|&place| tree.runs()[place].as_ref())
            .collect(),
    };
    let run_sets = [run_set(0), run_set(1)];
    let [a, b] = run_sets.each_ref().map(|run_set| {
        let ids = run_set
            .runs
            .iter()
            .flat_map(|run| run.definitions.id.iter());
        ids.flatten().collect::<BTreeSet<&[u8]>>()
    });
    if a.is_subset(&b) || b.is_subset(&a) {
        return Renaming::default();
    }
    let links = rename_links(&tree, &places, counts, mapping);
    Renaming::new(&links, mapping, &run_sets)
}

/// Sum of one side over runs as a mean run has it.
fn per_run(sum: i128, runs: usize) -> f64 {
    sum as f64 / runs.max(1) as f64
}

/// Change of the mean over runs, exact up to one rounding.
fn change(sums: [i128; 2], runs: [usize; 2]) -> f64 {
    let [a, b] = runs.map(|runs| i128::try_from(runs.max(1)).unwrap_or(i128::MAX));
    let difference = sums[1]
        .saturating_mul(a)
        .saturating_sub(sums[0].saturating_mul(b));
    difference as f64 / a.saturating_mul(b) as f64
}

/// B by A, where both are known and A is not zero.
fn ratio(sides: [Option<f64>; 2]) -> Option<f64> {
    let [a, b] = sides;
    a.filter(|&a| a > 0.0).zip(b).map(|(a, b)| b / a)
}
