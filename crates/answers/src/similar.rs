//! How alike runs are.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::choice::choice;
use crate::{Format, Note, ParamValue};

choice! {
    /// Property in which runs are compared.
    Measure {
        /// Share of sub-trees in common: sum of smaller by sum of larger counts (Jaccard of multisets).
        Structure = "structure",
        /// The same of the labels of all rounds of Weisfeiler and Lehman (Shervashidze et al. 2011).
        Wl = "wl",
        /// The same of each context's share of the work.
        Work = "work",
        /// 1 / (1 + distance) of the metrics of groups, in standard deviations.
        Metrics = "metrics",
    }
}

#[expect(
    clippy::derivable_impls,
    reason = "the macro of choices derives no default"
)]
impl Default for Measure {
    fn default() -> Self {
        Self::Structure
    }
}

impl Measure {
    /// Whether it compares trees, which are those of grains for programs that have grains.
    pub const fn is_of_trees(self) -> bool {
        matches!(self, Self::Structure | Self::Wl)
    }
}

choice! {
    /// How repetition counts in structures.
    StructureForm {
        /// The number of repetitions of equal things counts.
        Counted = "counted",
        /// Equal neighbours count as one.
        Shape = "shape",
    }
}

impl From<StructureForm> for sheaf_model::StructureForm {
    fn from(form: StructureForm) -> Self {
        match form {
            StructureForm::Counted => Self::Unordered,
            StructureForm::Shape => Self::Shape,
        }
    }
}

choice! {
    /// The tree whose structure is compared.
    StructureBasis {
        /// The aggregation tree of the grains.
        Aggregation = "aggregation_tree",
        /// The tree of the tasks, without members of teams and chunks of loops.
        Grains = "grain_tree",
        /// The tree of the contexts, under one root.
        Contexts = "context_tree",
    }
}

choice! {
    /// Kind of property that distinguishes a cluster.
    TraitKind {
        /// A parameter, or one of its values.
        Parameter = "parameter",
        /// That a group occurs.
        Group = "group",
        /// A metric of a group.
        Metric = "metric",
    }
}

/// Which runs are compared, and how.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct SimilarQuery {
    /// Text form of the lens: `where` selects runs, `level` the groups whose metrics are compared.
    pub lens: Option<String>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// What makes runs alike; `structure` when missing.
    pub measure: Option<Measure>,
    /// Metric of `work` and `metrics`; the main one, and all, when missing.
    pub metric: Option<String>,
    /// How repetition counts; when missing it counts where all runs have as many workers.
    pub form: Option<StructureForm>,
    /// Similarity at which runs belong together, 0..1; chosen when missing.
    pub threshold: Option<f64>,
    /// Clusters of k-means in a projection; chosen when missing.
    pub clusters: Option<usize>,
    /// Where random numbers begin; 0 when missing.
    pub seed: Option<u64>,
    /// Form of the table.
    pub format: Option<Format>,
}

/// Answer of `similar`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Similar {
    /// `similar/1`
    pub schema: String,
    /// The lens that was answered, in text.
    pub lens: String,
    /// What makes runs alike.
    pub measure: Measure,
    /// The tree whose structure is compared.
    pub basis: StructureBasis,
    /// How repetition counts in structures.
    pub form: StructureForm,
    /// Runs, cluster by cluster.
    pub runs: Vec<SimilarRun>,
    /// Similarity of each run to each, in the order of the runs, 0..1; null where two runs have nothing that
    /// could be compared.
    pub matrix: Vec<Vec<Option<f64>>>,
    /// Cosine of the same labels, for compatibility with the literature; of measure `wl` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cosine: Option<Vec<Vec<f64>>>,
    /// Runs that belong together.
    pub clusters: Vec<RunCluster>,
    /// Similarity at which runs were put together; absent where all are in one cluster for want of better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// Mean silhouette of the clusters, −1..1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silhouette: Option<f64>,
    /// Different structures among the runs.
    pub structures: u64,
    /// Metrics of groups that were compared, or that distinguish clusters.
    pub compared: u64,
    /// How much of the distances each parameter that varies explains, most first.
    pub parameters: Vec<ParameterImportance>,
    /// Permutations behind each p.
    pub permutations: u64,
    /// Where random numbers began.
    pub seed: u64,
    /// What a reader must know.
    pub notes: Vec<Note>,
}

/// A run among others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SimilarRun {
    /// Id.
    pub run: String,
    /// Name.
    pub name: String,
    /// Parameters.
    pub params: BTreeMap<String, ParamValue>,
    /// Cluster, from 0.
    pub cluster: u64,
    /// Id of its structure: equal where structures are.
    pub structure: String,
    /// Nodes of the tree.
    pub nodes: u64,
    /// Whether its structure is another than that of most runs; absent where no two have the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differs: Option<bool>,
}

/// Runs that belong together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunCluster {
    /// Ids of its runs.
    pub runs: Vec<String>,
    /// The run that is nearest to all others of it.
    pub medoid: String,
    /// Different structures among its runs.
    pub structures: u64,
    /// Mean similarity of its pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Least similarity of its pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<f64>,
    /// The cluster that is most similar on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<u64>,
    /// Mean similarity to that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest_similarity: Option<f64>,
    /// What distinguishes it from all other runs, greatest difference first.
    pub traits: Vec<ClusterTrait>,
}

/// One thing in which the runs of a cluster differ from the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ClusterTrait {
    /// Kind of property.
    pub kind: TraitKind,
    /// Name of the parameter or group.
    pub name: String,
    /// The parameter's value whose share of runs is given; absent for numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The metric of the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// Unit of the means; `ratio` of shares of runs, empty for parameters.
    pub unit: String,
    /// Mean over the cluster's runs that have it, or share of its runs.
    pub inside: f64,
    /// The same of all other runs.
    pub outside: f64,
    /// Difference of the means in standard deviations over all runs.
    pub difference: f64,
}

/// How much of the distances between runs a parameter explains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ParameterImportance {
    /// Parameter.
    pub parameter: String,
    /// Parameters that divide the runs in the same way.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub same: Vec<String>,
    /// Distinct values; runs without it count as one more.
    pub values: u64,
    /// Share of the sum of squared distances (PERMANOVA's R²).
    pub r_squared: f64,
    /// The same, less what chance explains with as many values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjusted: Option<f64>,
    /// Degrees of freedom.
    pub degrees: u64,
    /// Share of permutations of the runs that explain as much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
}

/// Answer of `projection`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Projection {
    /// `projection/1`
    pub schema: String,
    /// The lens that was answered, in text.
    pub lens: String,
    /// What makes runs alike.
    pub measure: Measure,
    /// Runs, by name, then id.
    pub runs: Vec<ProjectedRun>,
    /// Runs by what they do.
    pub behaviour: Picture,
    /// Runs by their parameters.
    pub parameters: Picture,
    /// Parameters that make up the second picture.
    pub used: Vec<String>,
    /// Correlations of parameters with the directions of the first picture, strongest first.
    pub arrows: Vec<Arrow>,
    /// Adjusted Rand index of both ways to put runs in clusters: 1 the same, 0 as by chance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreement: Option<f64>,
    /// Where random numbers began.
    pub seed: u64,
    /// What a reader must know.
    pub notes: Vec<Note>,
}

/// A run in both pictures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProjectedRun {
    /// Id.
    pub run: String,
    /// Name.
    pub name: String,
    /// Parameters.
    pub params: BTreeMap<String, ParamValue>,
    /// By what it does.
    pub behaviour: Place,
    /// By its parameters.
    pub parameters: Place,
}

/// A place in a picture.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Place {
    /// To the right.
    pub x: f64,
    /// Upwards.
    pub y: f64,
    /// Cluster of k-means, from 0.
    pub cluster: u64,
}

/// How good a picture is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Picture {
    /// Directions in which runs differ, at most two.
    pub dimensions: u64,
    /// Eigenvalues of the directions.
    pub eigenvalues: Vec<f64>,
    /// Share of the squares of all eigenvalues that the drawn directions have, 0..1 (Mardia, Kent and Bibby 1979, 14.4).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<f64>,
    /// Kruskal's stress 1: 0 is exact, above 0.2 misleads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stress: Option<f64>,
    /// Clusters of k-means.
    pub clusters: u64,
    /// Their mean silhouette.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silhouette: Option<f64>,
}

/// Correlation of a parameter with the directions of a picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Arrow {
    /// Parameter.
    pub parameter: String,
    /// The value that runs have or have not; absent for numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Correlation with the direction to the right, −1..1.
    pub x: f64,
    /// Correlation with the direction upwards.
    pub y: f64,
}
