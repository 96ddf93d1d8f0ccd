//! What can be said of the structure of two sides, apart from their times.

use sheaf_model::DefinitionId;

/// Differences of structure.
#[derive(Debug, Clone, PartialEq)]
pub struct StructureChange {
    /// What can be said of the structure as a whole, apart from any time.
    pub verdict: StructureVerdict,
    /// Why, in one sentence, with numbers.
    pub reason: String,
    /// Groups only in the candidate.
    pub appeared: usize,
    /// Groups only in the baseline.
    pub vanished: usize,
    /// Groups in both.
    pub common: usize,
    /// Share of the exclusive work of both sides, by how its contexts were matched.
    pub matched_work: MatchedWork,
}

/// What can be said of the structure of two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StructureVerdict {
    /// Every run has the same contexts with the same numbers of grains.
    Same,
    /// The sides differ no more than runs of one side do.
    Varies,
    /// The same definitions in other contexts or numbers, on other numbers of threads.
    ThreadCountDependent,
    /// The program changed.
    Changed,
    /// Hardly any work is in common: these are different programs.
    Different,
}

impl StructureVerdict {
    /// Whether the program itself changed, rather than how it was run.
    pub const fn is_change(self) -> bool {
        matches!(self, Self::Changed | Self::Different)
    }
}

/// Share of work per way of matching; the parts add up to 1 unless there is no work at all.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MatchedWork {
    /// Same context.
    pub context: f64,
    /// Same definition, in other contexts.
    pub definition: f64,
    /// Not matched.
    pub unmatched: f64,
}

/// How a group was found on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchedBy {
    /// A context of it occurs on both sides.
    Context,
    /// It occurs on both sides, in different contexts.
    Definition,
}

/// A context, for how the work of both sides was matched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiffContext {
    /// Definition that it ends in.
    pub definition: DefinitionId,
    /// Index of its group, when it counts for one.
    pub group: Option<usize>,
    /// Runs of the baseline and of the candidate in which it occurs.
    pub runs: [usize; 2],
    /// Least and most grains in a run of the baseline and of the candidate that has it; absent
    /// where grains are not counted, or where their number is the number of threads.
    pub grains: [Option<[i64; 2]>; 2],
    /// Exclusive work in a mean run of the baseline and of the candidate.
    pub work: [f64; 2],
}

impl DiffContext {
    /// Whether it occurs on the baseline's side and on the candidate's.
    pub fn is_present(&self) -> [bool; 2] {
        self.runs.map(|runs| runs > 0)
    }
}
