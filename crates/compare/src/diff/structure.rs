//! Structure of two sides: definitions, contexts, and what the user says of them.

use std::sync::Arc;

use sheaf_model::DefinitionId;

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
