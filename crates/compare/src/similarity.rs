//! How alike runs are, which of them belong together, what distinguishes those, and how much parameters
//! have to do with it.
//!
//! A [`Measure`] gives every pair of runs a similarity and a distance; clusters, projections and shares of
//! parameters are computed from the distances. Runs are in canonical order throughout, so that neither
//! the order of import nor the number of threads changes an answer.

mod clusters;
mod compared;
mod context_tree;
mod grain_tree;
mod metrics;
mod parameters;
mod projection;
mod renames;
#[cfg(test)]
mod tests;
mod traits;

use std::sync::Arc;

use sheaf_answers::{Measure, Similar, StructureBasis, StructureForm};
use sheaf_model::{Lens, ParameterRules, Progress, RunSummary, StructureId};
use sheaf_structure::LabelledTree;
use sheaf_structure::similarity::Features;

pub use context_tree::context_tree;
pub use grain_tree::grain_tree;
pub use projection::project;
pub use renames::{number_alike, renaming};

use clusters::cluster;
use compared::Compared;
use sheaf_analysis::Error;

/// Rounds of Weisfeiler and Lehman.
pub const ROUNDS: u32 = 3;

/// The structure of one run, as much of it as comparisons need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunStructure {
    /// Id of the whole tree: equal where structures are.
    pub root: StructureId,
    /// Nodes of the tree.
    pub nodes: usize,
    /// What is compared; empty where only the root is.
    pub features: Features,
}

impl RunStructure {
    /// What a measure compares of a tree, in a form; Weisfeiler and Lehman know one form only.
    pub fn of(tree: &LabelledTree, measure: Measure, form: StructureForm) -> Self {
        let form = form.into();
        let ids = tree.structure_ids(form);
        Self {
            root: ids.first().copied().unwrap_or(StructureId([0; 16])),
            nodes: tree.len(),
            features: match measure {
                Measure::Structure => tree.features_of(&ids, form),
                Measure::Wl => Features::merged(&tree.weisfeiler_lehman(ROUNDS)),
                Measure::Work | Measure::Metrics => Features::default(),
            },
        }
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        64 + size_of_val(self.features.counts())
    }
}

/// Structures of the runs of a question, in its order.
#[derive(Debug, Clone)]
pub struct Structures {
    /// Of what they are the structure.
    pub basis: StructureBasis,
    /// How repetition counts.
    pub form: StructureForm,
    /// One for each run.
    pub of_run: Vec<Arc<RunStructure>>,
}

/// What is asked about the likeness of runs.
#[derive(Debug, Clone)]
pub struct SimilarityQuestion {
    /// Level of groups, metric, aggregate over locations, and the share below which groups are left out.
    pub lens: Lens,
    /// What makes runs alike.
    pub measure: Measure,
    /// Runs belong together whose similarity is at least this, on average over pairs of clusters; chosen by
    /// silhouette when absent.
    pub threshold: Option<f64>,
    /// Clusters of k-means; chosen by silhouette when absent.
    pub clusters: Option<usize>,
    /// Where random numbers begin.
    pub seed: u64,
    /// Rules of the store about its parameters.
    pub rules: ParameterRules,
}

/// Compares every two runs. The runs must be in order of name and id, without repetition, and the structures
/// in theirs.
///
/// Quadratic in the runs and linear in what is compared of two. Runs of equal structure are compared
/// once.
///
/// # Errors
/// When there are no runs, none has the metric, or the work was stopped.
pub fn similar(
    question: &SimilarityQuestion,
    runs: &[Arc<RunSummary>],
    structures: &Structures,
    progress: &Progress,
) -> Result<Similar, Error> {
    let compared = Compared::new(question, runs, structures, progress)?;
    Ok(cluster(question, compared, structures))
}
