//! The aggregation tree of one run, opened group by group.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sheaf_model::TimeUnit;
use utoipa::{IntoParams, ToSchema};

use crate::choice::choice;
use crate::{Format, GrainMetric, MetricValue};

choice! {
    /// Kind of a node of an aggregation tree.
    GroupKind {
        /// A grain.
        Grain = "grain",
        /// The grains that a fork creates and its join collects.
        ForkJoin = "fork_join",
        /// Grains and groups that run one after the other, in that order.
        Linear = "linear",
        /// Grains and groups that run at the same time, without a fork and join of their own.
        Sibling = "sibling",
        /// As a fork-join group, of grains that depend on each other in a way that no nesting shows.
        Unstructured = "unstructured",
    }
}

/// Answer of `tree`: figures of the tree, and as much of it as a first picture shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Tree {
    /// `tree/1`
    pub schema: String,
    /// Run id.
    pub run: String,
    /// Unit of times.
    pub unit: TimeUnit,
    /// Conditions that are looked for.
    pub conditions: Vec<String>,
    /// Conditions that could not be checked, with the reason.
    pub not_checked: BTreeMap<String, String>,
    /// Whether what has no problem is put aside.
    pub is_separated: bool,
    /// Grains and team members: tasks and chunks, implicit tasks and the initial task.
    pub grains: u64,
    /// Grains that have a problem; missing where none is looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem_grains: Option<u64>,
    /// Fork-join groups.
    pub fork_joins: u64,
    /// Linear groups.
    pub linears: u64,
    /// Sibling groups.
    pub siblings: u64,
    /// Groups of grains that depend on each other in a way that no nesting shows.
    pub unstructured: u64,
    /// Groups and grains.
    pub nodes: u64,
    /// Edges from the root to the deepest node.
    pub depth: u64,
    /// Nodes of the graph that are visible at most while one looks at a grain.
    pub max_open_nodes: u64,
    /// The same of grains that have a problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_theta: Option<u64>,
    /// Share of the graph's nodes that never need to be looked at to see any grain with a problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub savings: Option<f64>,
    /// Metrics of the groups.
    pub metrics: Vec<GrainMetric>,
    /// Metrics that the run has no values of, with the reason.
    pub absent: BTreeMap<String, String>,
    /// Metrics of the whole run: those of the root.
    pub root: BTreeMap<String, MetricValue>,
    /// The root and what is below it, breadth first. Without a depth groups with more than 50 children stay
    /// closed, and all when 500 groups are there; with one, all when 100,000 are.
    pub groups: Vec<Group>,
    /// Whether groups within the levels were left out.
    pub is_cut: bool,
}

/// Answer of `groups`: one page of the children of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Groups {
    /// `groups/1`
    pub schema: String,
    /// Run id.
    pub run: String,
    /// Unit of times.
    pub unit: TimeUnit,
    /// The group.
    pub group: Group,
    /// Its children, on all pages.
    pub total: u64,
    /// Children left out before the first row.
    pub offset: u64,
    /// Metrics of the rows.
    pub metrics: Vec<GrainMetric>,
    /// Metrics that the run has no values of, with the reason.
    pub absent: BTreeMap<String, String>,
    /// The children, in program order.
    pub rows: Vec<Group>,
}

/// A group or grain, with its metrics as further keys; a metric without a value is missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Group {
    /// Number of the node in pre-order, 0 for the root; valid for this run, problem and separation.
    pub group: u32,
    /// The group around it; missing for the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// Edges from the root.
    pub depth: u32,
    /// Kind of group.
    pub kind: GroupKind,
    /// Definition of its grain, or of all grains that its fork creates when it is the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// Row of the grain that it is, or is with all that it forks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grain: Option<u32>,
    /// Key of that grain's path: 16 hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_key: Option<String>,
    /// Grains and team members in it.
    pub grains: u32,
    /// Children.
    pub children: u32,
    /// Nodes of the sub-tree, itself included.
    pub nodes: u32,
    /// Whether a grain in it has the problem; missing where none is looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_problem: Option<bool>,
    /// Whether a grain in it is on the critical path.
    pub is_critical: bool,
    /// Whether it is joined by another grain than its parent, and stands where it is joined.
    pub is_restructured: bool,
    /// Id of the structure below it, equal in every run: 32 hexadecimal digits; missing unless asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structure: Option<String>,
    /// Values by metric.
    #[serde(flatten)]
    #[schema(value_type = BTreeMap<String, MetricValue>)]
    pub metrics: GroupMetrics,
}

/// Values of metrics by name. Groups of one answer share the names, so that a page of 100,000 groups has no map per row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GroupMetrics {
    names: Arc<[String]>,
    values: Box<[Option<MetricValue>]>,
}

impl GroupMetrics {
    /// The values of metrics with these names, each in its place; absent values are left out of JSON.
    pub fn new(names: &Arc<[String]>, values: impl Iterator<Item = Option<MetricValue>>) -> Self {
        Self {
            names: Arc::clone(names),
            values: values.collect(),
        }
    }

    /// The value of a metric.
    pub fn get(&self, name: &str) -> Option<MetricValue> {
        let mut values = self.iter();
        values
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    /// Names and values that are there, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, MetricValue)> {
        let both = self.names.iter().zip(&self.values);
        both.filter_map(|(name, value)| Some((name.as_str(), (*value)?)))
    }
}

impl FromIterator<(String, MetricValue)> for GroupMetrics {
    fn from_iter<I: IntoIterator<Item = (String, MetricValue)>>(all: I) -> Self {
        let (names, values): (Vec<String>, Vec<_>) = all.into_iter().unzip();
        Self::new(&names.into(), values.into_iter().map(Some))
    }
}

impl Serialize for GroupMetrics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for GroupMetrics {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let all = BTreeMap::<String, MetricValue>::deserialize(deserializer)?;
        Ok(all.into_iter().collect())
    }
}

/// Which tree.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct TreeQuery {
    /// Problem that marks groups: a name such as `parallel_benefit`, or a condition.
    pub problem: Option<String>,
    /// Whether what has no problem is put aside.
    pub separate: Option<bool>,
    /// Runs that work deviation is from: a run, or an expression that selects some.
    pub reference: Option<String>,
    /// Metrics to return, separated by commas, or `all`; work when missing.
    pub metrics: Option<String>,
    /// Levels below the root at most.
    pub depth: Option<u32>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// Form of the table of groups.
    pub format: Option<Format>,
}

/// Which group, and which of its children.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct GroupsQuery {
    /// Number of the group, as answered for the same problem and separation; the root when missing.
    pub group: Option<u32>,
    /// Problem that marks groups: a name such as `parallel_benefit`, or a condition.
    pub problem: Option<String>,
    /// Whether what has no problem is put aside.
    pub separate: Option<bool>,
    /// Runs that work deviation is from: a run, or an expression that selects some.
    pub reference: Option<String>,
    /// Children left out before the first; 0 when missing.
    pub offset: Option<usize>,
    /// Children at most, 1 to 100,000; 1,000 when missing.
    pub limit: Option<usize>,
    /// Metrics to return, separated by commas, or `all`; work when missing.
    pub metrics: Option<String>,
    /// Whether the answer has ids of structures.
    pub structures: Option<bool>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// Form of a table.
    pub format: Option<Format>,
}
