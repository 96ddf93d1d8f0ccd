//! Answers to questions of likeness.

use std::collections::BTreeMap;

use sheaf_model::{Lens, ParamValue, RunId, StructureForm, StructureId};

use super::{Basis, Measure};

/// Answer to "how alike are the runs, and which belong together?".
#[derive(Debug, Clone)]
pub struct SimilarAnswer {
    /// The question's lens, with the metric that was compared.
    pub lens: Lens,
    /// What makes runs alike.
    pub measure: Measure,
    /// Of which tree structures are told.
    pub basis: Basis,
    /// How repetition counts in structures.
    pub form: StructureForm,
    /// Runs, cluster by cluster.
    pub runs: Vec<SimilarRun>,
    /// Similarity of each run to each, in their order, row by row, 0..1; absent where two runs have nothing
    /// that could be compared.
    pub matrix: Vec<Option<f64>>,
    /// The cosine of the same features, for compatibility; of Weisfeiler and Lehman's labels only.
    pub cosine: Option<Vec<f64>>,
    /// Clusters, in the order of the runs.
    pub clusters: Vec<Cluster>,
    /// Similarity at which runs belong together: given, or chosen.
    pub threshold: Option<f64>,
    /// Mean silhouette of the clusters, −1..1; absent with one cluster or with runs that stand all alone.
    pub silhouette: Option<f64>,
    /// Structures among the runs.
    pub structures: usize,
    /// Groups with their metrics that were compared, or that tell clusters apart.
    pub compared: usize,
    /// How much of the distances each parameter that varies explains, most first.
    pub parameters: Vec<Importance>,
    /// Permutations behind each p.
    pub permutations: usize,
    /// Where random numbers began.
    pub seed: u64,
    /// Things that a reader must know.
    pub notes: Vec<String>,
}

/// One run.
#[derive(Debug, Clone)]
pub struct SimilarRun {
    /// Id.
    pub run: RunId,
    /// Name.
    pub name: String,
    /// Its parameters.
    pub params: BTreeMap<String, ParamValue>,
    /// Cluster, from 0.
    pub cluster: usize,
    /// Id of its structure.
    pub structure: StructureId,
    /// Nodes of the tree.
    pub nodes: usize,
    /// Whether its structure is another than that of most runs; absent where no two runs have the same.
    pub differs: Option<bool>,
}

/// Runs that belong together.
#[derive(Debug, Clone)]
pub struct Cluster {
    /// Places among the runs of the answer, ascending.
    pub runs: Vec<usize>,
    /// Its run that is nearest to all others of it.
    pub medoid: usize,
    /// Structures among its runs.
    pub structures: usize,
    /// Mean similarity of its pairs; absent with one run.
    pub mean: Option<f64>,
    /// Least similarity of its pairs; absent with one run.
    pub least: Option<f64>,
    /// The cluster that is most similar on average, with that similarity; absent when it is alone.
    pub nearest: Option<(usize, f64)>,
    /// What distinguishes it from all other runs, greatest difference first.
    pub traits: Vec<Trait>,
}

/// What kind of thing distinguishes a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TraitKind {
    /// A parameter, or one of its values.
    Parameter,
    /// That a group occurs.
    Group,
    /// A metric of a group.
    Metric,
}

impl TraitKind {
    /// Its name in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Parameter => "parameter",
            Self::Group => "group",
            Self::Metric => "metric",
        }
    }
}

/// One thing in which the runs of a cluster differ from the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Trait {
    /// What it is.
    pub kind: TraitKind,
    /// Name of the parameter or group.
    pub name: String,
    /// The parameter's value whose share of runs is told; absent where its mean is.
    pub value: Option<String>,
    /// The metric of the group.
    pub metric: Option<String>,
    /// Unit of the means; `ratio` of shares of runs.
    pub unit: String,
    /// Mean over the cluster's runs that have it, or share of them.
    pub inside: f64,
    /// The same of all other runs.
    pub outside: f64,
    /// Difference of the means in standard deviations over all runs.
    pub difference: f64,
}

/// How much of the distances a parameter explains.
#[derive(Debug, Clone, PartialEq)]
pub struct Importance {
    /// Parameter.
    pub parameter: String,
    /// Parameters that divide the runs in the same way.
    pub same: Vec<String>,
    /// Distinct values, runs without the parameter as one.
    pub values: usize,
    /// Share of the sum of squared distances (`McArdle` and Anderson 2001).
    pub r_squared: f64,
    /// The same, less what chance explains with as many values.
    pub adjusted: Option<f64>,
    /// Degrees of freedom.
    pub degrees: usize,
    /// Share of permutations of the runs that explain as much.
    pub p: Option<f64>,
}

/// Answer to "where do the runs lie, by what they do and by their parameters?".
#[derive(Debug, Clone)]
pub struct ProjectionAnswer {
    /// The question's lens, with the metric that was compared.
    pub lens: Lens,
    /// What makes runs alike.
    pub measure: Measure,
    /// Runs, by name, then id.
    pub runs: Vec<ProjectedRun>,
    /// What they do.
    pub behaviour: Picture,
    /// Their parameters.
    pub parameters: Picture,
    /// Parameters that make up the second picture.
    pub used: Vec<String>,
    /// Parameters against the directions of the first picture.
    pub arrows: Vec<Arrow>,
    /// Adjusted Rand index of both ways to put the runs in clusters: 1 the same, 0 as by chance; absent where
    /// parameters do not vary.
    pub agreement: Option<f64>,
    /// Where random numbers began.
    pub seed: u64,
    /// Things that a reader must know.
    pub notes: Vec<String>,
}

/// A place in a picture.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Coordinates {
    /// To the right.
    pub x: f64,
    /// Upwards.
    pub y: f64,
    /// Cluster of k-means, from 0.
    pub cluster: usize,
}

/// One run in both pictures.
#[derive(Debug, Clone)]
pub struct ProjectedRun {
    /// Id.
    pub run: RunId,
    /// Name.
    pub name: String,
    /// Its parameters.
    pub params: BTreeMap<String, ParamValue>,
    /// By what it does.
    pub behaviour: Coordinates,
    /// By its parameters.
    pub parameters: Coordinates,
}

/// How good a picture is.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Directions in which the runs differ, at most two.
    pub dimensions: usize,
    /// Eigenvalues of the directions.
    pub eigenvalues: Vec<f64>,
    /// Share of the squared eigenvalues (Mardia 1978).
    pub fit: Option<f64>,
    /// Kruskal's stress 1.
    pub stress: Option<f64>,
    /// Clusters of k-means.
    pub clusters: usize,
    /// Their mean silhouette.
    pub silhouette: Option<f64>,
}

/// Correlation of a parameter with the directions of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrow {
    /// Parameter.
    pub parameter: String,
    /// The value that runs have or have not; absent for numbers.
    pub value: Option<String>,
    /// Correlation with the direction to the right, −1..1.
    pub x: f64,
    /// Correlation with the direction upwards.
    pub y: f64,
}
