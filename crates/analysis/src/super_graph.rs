//! The super graph: groups as nodes, flows from caller to callee as edges, levels without cycles.

mod levels;

use std::sync::Arc;

use rayon::prelude::*;
use sheaf_model::{Lens, Progress};

use crate::error::Error;
use crate::groups::{Group, GroupId, Grouping};
use crate::kernel::{Question, UnifiedRuns};
use crate::measurement::Measurement;
use crate::partition::{Partition, Relations};
use crate::tree::EnsembleTree;

/// A super graph of which small groups are collected, level by level.
#[derive(Debug)]
pub(crate) struct SuperGraph {
    pub(crate) nodes: Vec<Node>,
    pub(crate) edges: Vec<Edge>,
    /// Contexts by node, flows by edge; for nodes that are not shown as well.
    pub(crate) partition: Partition,
    /// Groups that were collected in others-nodes.
    pub(crate) hidden: u64,
}

/// A node of a super graph.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) group: Group,
    /// Longest path from a root.
    pub(crate) level: u32,
    pub(crate) is_recursive: bool,
    /// Numbers of the groups that an others-node collects, by name.
    pub(crate) members: Vec<usize>,
}

/// An edge of a super graph, as numbers of nodes.
#[derive(Debug)]
pub(crate) struct Edge {
    pub(crate) source: usize,
    pub(crate) target: usize,
    /// Whether it leads to a higher level; the others were removed to break cycles.
    pub(crate) is_forward: bool,
    pub(crate) is_visible: bool,
}

/// Sizes of groups, from one pass over all runs.
struct Survey {
    max_inclusive: Vec<f64>,
    is_large: Vec<bool>,
}

impl SuperGraph {
    /// Builds the super graph of a grouping; a pass over the runs finds the groups that are small.
    pub(crate) fn new(
        ensemble: &UnifiedRuns,
        question: &Question,
        grouping: &Grouping,
        lens: &Lens,
        progress: &Progress,
    ) -> Result<Self, Error> {
        let tree = &ensemble.tree;
        let (partition, relations) =
            Partition::with_flows(tree, grouping.group_of.clone(), grouping.len());
        let survey = Survey::new(ensemble, question, &partition, lens, progress)?;
        let order = levels::descending(&grouping.groups, &survey.max_inclusive);
        let levels = levels::assign(&order, &roots(tree, grouping), &relations.edges);
        let is_small = |group: usize| {
            let own = &grouping.groups[group];
            !survey.is_large[group] && own.is_visible && !own.is_outside
        };
        if !(0..grouping.len()).any(is_small) {
            return Ok(Self::assemble(
                tree,
                grouping,
                nodes_of(grouping, &levels),
                partition,
                relations,
            ));
        }
        let (nodes, node_of_group) = collect_small(grouping, &levels, is_small);
        let group_of = grouping
            .group_of
            .iter()
            .map(|&group| node_of_group[group as usize])
            .collect();
        let (partition, relations) = Partition::with_flows(tree, group_of, nodes.len());
        Ok(Self::assemble(tree, grouping, nodes, partition, relations))
    }

    fn assemble(
        tree: &EnsembleTree,
        grouping: &Grouping,
        mut nodes: Vec<Node>,
        partition: Partition,
        relations: Relations,
    ) -> Self {
        for (node, is_recursive) in nodes.iter_mut().zip(relations.is_recursive) {
            node.is_recursive = is_recursive;
        }
        let mut edges: Vec<Edge> = relations
            .edges
            .into_iter()
            .map(|(source, target)| (source as usize, target as usize))
            .map(|(source, target)| Edge {
                source,
                target,
                is_forward: nodes[source].level < nodes[target].level,
                is_visible: false,
            })
            .collect();
        for (node, &flow) in partition.flow_of.iter().enumerate() {
            if let Some(edge) = edges.get_mut(flow as usize) {
                let is_on_path = grouping.is_on_path[node]
                    && tree
                        .parent(node)
                        .is_some_and(|caller| grouping.is_on_path[caller]);
                let are_shown =
                    nodes[edge.source].group.is_visible && nodes[edge.target].group.is_visible;
                edge.is_visible |= is_on_path && are_shown;
            }
        }
        let hidden = nodes.iter().map(|node| node.members.len() as u64).sum();
        Self {
            nodes,
            edges,
            partition,
            hidden,
        }
    }
}

impl Survey {
    fn new(
        ensemble: &UnifiedRuns,
        question: &Question,
        partition: &Partition,
        lens: &Lens,
        progress: &Progress,
    ) -> Result<Self, Error> {
        let groups = partition.groups;
        (0..ensemble.num_runs())
            .into_par_iter()
            .map(|run| {
                progress.check()?;
                let values = ensemble.view(question, run).values(lens.over);
                let (inclusive, total) = values.inclusive(partition);
                Ok(Self::of_run(&inclusive, total, lens.hide_below))
            })
            .try_reduce(|| Self::nothing(groups), |a, b| Ok(a.merge(&b)))
    }

    fn nothing(groups: usize) -> Self {
        Self {
            max_inclusive: vec![0.0; groups],
            is_large: vec![false; groups],
        }
    }

    fn of_run(inclusive: &[Measurement], total: Measurement, hide_below: f64) -> Self {
        let least = total.or_zero() * hide_below;
        let is_large = |measurement: &Measurement| match measurement.value() {
            Some(value) => value >= least,
            None => hide_below <= 0.0,
        };
        Self {
            max_inclusive: inclusive
                .iter()
                .map(|measurement| measurement.or_zero())
                .collect(),
            is_large: inclusive.iter().map(is_large).collect(),
        }
    }

    /// Both operations give the same in any order.
    fn merge(mut self, other: &Self) -> Self {
        for (a, b) in self.max_inclusive.iter_mut().zip(&other.max_inclusive) {
            *a = a.max(*b);
        }
        for (a, b) in self.is_large.iter_mut().zip(&other.is_large) {
            *a |= b;
        }
        self
    }
}

/// Groups of contexts without caller, ascending.
fn roots(tree: &EnsembleTree, grouping: &Grouping) -> Vec<usize> {
    let is_root = |&node: &usize| tree.parent(node).is_none();
    let mut roots: Vec<usize> = (0..tree.len())
        .filter(is_root)
        .map(|node| grouping.group_of(node))
        .collect();
    roots.sort_unstable();
    roots.dedup();
    roots
}

fn nodes_of(grouping: &Grouping, levels: &[u32]) -> Vec<Node> {
    grouping
        .groups
        .iter()
        .zip(levels)
        .map(|(group, &level)| node(group.clone(), level))
        .collect()
}

fn node(group: Group, level: u32) -> Node {
    Node {
        group,
        level,
        is_recursive: false,
        members: Vec::new(),
    }
}

/// Nodes with the small groups of each level in one; the node of each group.
fn collect_small(
    grouping: &Grouping,
    levels: &[u32],
    is_small: impl Fn(usize) -> bool,
) -> (Vec<Node>, Vec<u32>) {
    let mut nodes = Vec::new();
    let mut node_of_group = Vec::with_capacity(grouping.len());
    let num_levels = levels.iter().max().map_or(0, |&level| level as usize + 1);
    let mut others: Vec<Option<u32>> = vec![None; num_levels];
    for (number, group) in grouping.groups.iter().enumerate() {
        let level = levels[number];
        let next = u32::try_from(nodes.len()).unwrap_or(u32::MAX);
        if !is_small(number) {
            node_of_group.push(next);
            nodes.push(node(group.clone(), level));
            continue;
        }
        let at = *others[level as usize].get_or_insert(next);
        if at == next {
            let id = GroupId::Others(level);
            nodes.push(node(
                Group {
                    id,
                    definition: None,
                    ..group.clone()
                },
                level,
            ));
        }
        nodes[at as usize].members.push(number);
        node_of_group.push(at);
    }
    for node in &mut nodes {
        let groups = &grouping.groups;
        node.members
            .sort_by_key(|&member| (groups[member].name.clone(), groups[member].id.clone()));
        if !node.members.is_empty() {
            node.group.name = Arc::from(format!("others ({})", node.members.len()));
        }
    }
    (nodes, node_of_group)
}
