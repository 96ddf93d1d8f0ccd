//! What can be said of the structure of two sides, apart from their times.

use std::sync::Arc;

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
    /// What happened, by definition; what concerns the greatest share of the work first.
    pub changes: Vec<StructuralChange>,
    /// What is on one side only and may be what is on the other side only, most alike first.
    pub possible_matches: Vec<PossibleMatch>,
}

/// Two contexts in the same place, on one side each, that are more alike than not: what must be edited to
/// make one of the other, with all that is below.
#[derive(Debug, Clone, PartialEq)]
pub struct PossibleMatch {
    /// Paths in the baseline and in the candidate.
    pub paths: [Vec<String>; 2],
    /// Contexts of each, with all below.
    pub contexts: [usize; 2],
    /// Contexts to delete, insert or rename, at least.
    pub edits: usize,
    /// One less the edits by the contexts of both, 0..1.
    pub similarity: f64,
    /// Names of the baseline's contexts that are gone.
    pub deleted: Vec<Arc<str>>,
    /// Names of the candidate's contexts that are new.
    pub inserted: Vec<Arc<str>>,
    /// Names of both that stand for each other.
    pub renamed: Vec<[Arc<str>; 2]>,
}

/// What happened to the contexts of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// Only in the candidate, with all that is called there. Where both definitions are given, the baseline has
    /// the definition as well, and the candidate has it in more contexts.
    Appeared,
    /// Only in the baseline, with all that is called there. Where both definitions are given, the candidate has
    /// the definition as well, and in fewer contexts.
    Vanished,
    /// Another definition in the same place, with mostly the same below it.
    Renamed,
    /// A context more around what was there.
    Wrapped,
    /// A context less around what is still there.
    Unwrapped,
    /// Called from elsewhere.
    Moved,
    /// More or fewer grains in each run.
    Multiplied,
    /// Created before or after others below the same parent than it was; known of programs with grains only.
    Reordered,
    /// Other contexts or numbers of grains on other numbers of threads.
    ThreadCountDependent,
    /// Other contexts or numbers of grains from run to run.
    Varies,
}

/// One thing that happened, to all contexts of a definition that it happened to.
#[derive(Debug, Clone, PartialEq)]
pub struct StructuralChange {
    /// What happened.
    pub kind: ChangeKind,
    /// Names of the definition in the baseline and in the candidate; absent where it is not.
    pub definitions: [Option<Arc<str>>; 2],
    /// Ids of the same.
    pub ids: [Option<DefinitionId>; 2],
    /// Its lines there, where it has some.
    pub lines: [Option<i32>; 2],
    /// Of the contexts that it happened to, the path of the one with most work on either side.
    pub paths: [Option<Vec<String>>; 2],
    /// Contexts on either side, those below one that appeared or vanished included.
    pub contexts: [usize; 2],
    /// Their exclusive work in a mean run of either side.
    pub work: [f64; 2],
    /// Share of it in the work of both sides.
    pub share: f64,
    /// Least and most grains of them in a run of either side, where these are counted.
    pub grains: [Option<[i64; 2]>; 2],
    /// Runs of either side that have any of them.
    pub runs: [usize; 2],
    /// How the two definitions were found to be the same, where they differ.
    pub matched_by: Option<MatchedBy>,
    /// How sure that is, 0..1: twice the contexts that are paired by those of either definition (Dice), 1 where
    /// it was not inferred. It says nothing of names.
    pub score: Option<f64>,
    /// How alike the names of the two definitions are, 0..1, where they are two.
    pub name_similarity: Option<f64>,
}

/// What can be said of the structure of two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StructureVerdict {
    /// Every run has the same contexts, with the same numbers of grains where these are counted: not of call
    /// profiles, nor members of teams and chunks of loops, whose number is that of threads.
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

/// Share of work per way of matching, strictest first; the parts add up to 1 unless there is no work at all.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MatchedWork {
    /// Same context.
    pub context: f64,
    /// Same definition, in other contexts.
    pub definition: f64,
    /// Definitions that differ only in what compilers add to names.
    pub normalised: f64,
    /// Definitions that differ, besides, only in template arguments.
    pub template: f64,
    /// Definitions that the user said are the same.
    pub confirmed: f64,
    /// Definitions that were found to be the same by where they stand and what is below them.
    pub inferred: f64,
    /// Not matched.
    pub unmatched: f64,
}

/// How a group was found on both sides, strictest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchedBy {
    /// A context of it occurs on both sides.
    Context,
    /// It occurs on both sides, in different contexts.
    Definition,
    /// Its names differ in what compilers add to them.
    Normalised,
    /// Its names differ in template arguments, and neither side has another such name.
    Template,
    /// The user said so.
    Confirmed,
    /// Where it stands and what is below it say so.
    Inferred,
}

/// A definition of either side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffDefinition {
    /// Stable identity.
    pub id: DefinitionId,
    /// What it is: `task`, `loop`, `function`, ….
    pub kind: Arc<str>,
    /// Names for people, in the baseline and in the candidate; the other side's where one has not got it.
    pub names: [Arc<str>; 2],
    /// Lines there.
    pub lines: [Option<i32>; 2],
    /// Function that contains it.
    pub function: Option<Arc<str>>,
    /// Source file.
    pub file: Option<Arc<str>>,
    /// Place among the constructs of this kind in the function, from 0.
    pub ordinal: i32,
}

/// A context of either side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiffContext {
    /// Index of the definition that it ends in.
    pub definition: usize,
    /// Index of the context around it, which stands before it.
    pub parent: Option<usize>,
    /// Index of its group, when it counts for one.
    pub group: Option<usize>,
    /// Runs of the baseline and of the candidate in which it occurs.
    pub runs: [usize; 2],
    /// Least and most grains in a run of the baseline and of the candidate that has it; absent
    /// where grains are not counted, or where their number is that of threads.
    pub grains: [Option<[i64; 2]>; 2],
    /// Place among the contexts with the same parent, in the order in which runs of the baseline and of the
    /// candidate create them; absent where that is not known or not always the same.
    pub places: [Option<u32>; 2],
    /// Least and most iterations in a run of the baseline and of the candidate, all executions together; absent where
    /// chunks have no ranges.
    pub iterations: [Option<[i64; 2]>; 2],
    /// Exclusive work in a mean run of the baseline and of the candidate.
    pub work: [f64; 2],
}

/// What the user says of definitions of the baseline and of the candidate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mapping {
    /// Correspondences, in the order of the file; the last one on a pair counts.
    pub entries: Vec<Correspondence>,
}

/// What the user says of two definitions, by name or id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correspondence {
    /// Definition of the one version.
    pub a: String,
    /// Definition of the other version.
    pub b: String,
    /// Whether they are the same.
    pub is_same: bool,
}

impl DiffContext {
    /// Whether it occurs on the baseline's side and on the candidate's.
    pub fn is_present(&self) -> [bool; 2] {
        self.runs.map(|runs| runs > 0)
    }
}
