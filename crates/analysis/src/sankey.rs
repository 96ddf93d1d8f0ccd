//! The ensemble-Sankey: super graph, distributions per node, and geometry.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use sheaf_model::{Lens, Progress, RunSummary, Scope};

use crate::answer::{EdgeKind, NodeKind, SankeyAnswer, SankeyEdge, SankeyNode};
use crate::entry_functions::{self, Entries};
use crate::error::Error;
use crate::group_values::{GroupValues, rows, transpose};
use crate::groups::{Group, GroupId, Grouping, Label, Reentry};
use crate::histogram::Histogram;
use crate::kernel::{Ensemble, Question, State, partial};
use crate::layout::{Layout, LayoutEdge, LayoutNode, LayoutOptions, layout_sankey};
use crate::metric::of_runs;
use crate::partition::Partition;
use crate::reading::{Reading, greatest};
use crate::super_graph::SuperGraph;
use crate::tree::EnsembleTree;

/// Answers `lens` about `runs` with the ensemble-Sankey. The runs are taken as they are: whoever
/// calls selects them with the lens's `where`.
///
/// Takes time linear in the runs' contexts, in parallel over runs.
///
/// ```
/// use sheaf_analysis::{LayoutOptions, sankey};
/// use sheaf_model::{Lens, Progress};
/// let error = sankey(&Lens::default(), &[], &LayoutOptions::default(), &Progress::silent());
/// assert!(error.unwrap_err().to_string().starts_with("the ensemble has no runs"));
/// ```
///
/// # Errors
/// When there are no runs, none has the metric, the metric does not add up over contexts, an
/// operation names what is not there, or `progress` was cancelled.
pub fn sankey(
    lens: &Lens,
    runs: &[Arc<RunSummary>],
    options: &LayoutOptions,
    progress: &Progress,
) -> Result<SankeyAnswer, Error> {
    finish_sankey(lens, partial(lens, runs, progress)?, options, progress)
}

/// Finishes the answer of [`sankey`] from the merged state of all runs.
///
/// # Errors
/// As for [`sankey`].
pub fn finish_sankey(
    lens: &Lens,
    state: State,
    options: &LayoutOptions,
    progress: &Progress,
) -> Result<SankeyAnswer, Error> {
    let ensemble = Ensemble::new(state)?;
    let question = ensemble.question(&lens.metric)?;
    Ensemble::require_additive(&question)?;
    progress.report("grouping contexts", 0, None);
    let grouping = Grouping::new(&ensemble.tree, lens, Reentry::Separate)?;
    let graph = SuperGraph::new(&ensemble, &question, &grouping, lens, progress)?;
    progress.report("evaluating groups", 0, None);
    let evaluated = Evaluated::new(&ensemble, &question, &graph, lens, progress)?;
    let common_share = common_share(&ensemble, &question, lens, progress)?;
    progress.report("laying out", 0, None);
    let mut notes = [question.notes.clone(), grouping.notes.clone()].concat();
    notes.extend(warnings(&ensemble, &graph, common_share));
    let picture = Picture::draw(&graph, &evaluated, &grouping, &ensemble.tree, lens, options);
    let bins = picture.nodes.iter().flat_map(|node| &node.histogram.counts);
    Ok(SankeyAnswer {
        lens: lens.clone(),
        runs: ensemble.run_ids(),
        unit: question.metric.unit,
        metric: question.metric.name,
        direction: question.metric.direction,
        over: lens.over,
        grouped_by: grouping.grouped_by,
        levels: picture
            .nodes
            .iter()
            .map(|node| node.level + 1)
            .max()
            .unwrap_or(0),
        max_bin_count: bins.copied().max().unwrap_or(0),
        max_exclusive: picture
            .nodes
            .iter()
            .map(|node| node.max_exclusive)
            .fold(0.0, f64::max),
        nodes: picture.nodes,
        edges: picture.edges,
        width: options.width,
        height: options.height,
        common_share,
        hidden: graph.hidden,
        notes,
    })
}

/// Values of a super graph's nodes and edges.
struct Evaluated {
    values: GroupValues,
    flows: Vec<Reading>,
    counts: Vec<u64>,
    entries: Vec<Entries>,
}

impl Evaluated {
    fn new(
        ensemble: &Ensemble,
        question: &Question,
        graph: &SuperGraph,
        lens: &Lens,
        progress: &Progress,
    ) -> Result<Self, Error> {
        let partition = &graph.partition;
        let mut rows = rows(ensemble, question, partition, lens.over, progress)?;
        let observed: Vec<Vec<i64>> = rows
            .iter_mut()
            .map(|row| std::mem::take(&mut row.counts))
            .collect();
        Ok(Self {
            values: GroupValues::from_rows(&rows, partition.groups),
            flows: transpose(&rows, partition.flows, |row| &row.flows),
            counts: ensemble.grains(&partition.group_of, partition.groups, &observed),
            entries: entry_functions::of(ensemble, question, partition, lens, progress)?,
        })
    }

    fn flow(&self, edge: usize) -> &[Reading] {
        let runs = self.values.num_runs();
        &self.flows[edge * runs..(edge + 1) * runs]
    }
}

/// Mean over runs of the share of a run's exclusive values in contexts that all runs have; by
/// contexts where nothing has weight.
fn common_share(
    ensemble: &Ensemble,
    question: &Question,
    lens: &Lens,
    progress: &Progress,
) -> Result<f64, Error> {
    let tree = &ensemble.tree;
    let is_common = |node: usize| tree.num_present(node) >= ensemble.num_runs();
    let common = (0..tree.len()).filter(|&node| is_common(node)).count();
    if common == tree.len() {
        return Ok(1.0);
    }
    let group_of = (0..tree.len())
        .map(|node| u32::from(!is_common(node)))
        .collect();
    let partition = Partition::new(tree, group_of, 2);
    let values = GroupValues::new(ensemble, question, &partition, lens.over, progress)?;
    let mut shares = Vec::with_capacity(values.num_runs());
    for (common, own) in values
        .of(Scope::Exclusive, 0)
        .iter()
        .zip(values.of(Scope::Exclusive, 1))
    {
        let (common, own) = (common.or_zero(), own.or_zero());
        if common + own > 0.0 {
            shares.push(common / (common + own));
        }
    }
    if shares.is_empty() {
        return Ok(common as f64 / tree.len() as f64);
    }
    Ok(shares.iter().sum::<f64>() / shares.len() as f64)
}

fn warnings(ensemble: &Ensemble, graph: &SuperGraph, common_share: f64) -> Vec<String> {
    let mut notes = Vec::new();
    if common_share < 0.5 {
        notes.push(format!(
            "the runs have only {:.0} % of their weight in common contexts: they look like different programs",
            common_share * 100.0
        ));
    }
    if ensemble.num_runs() == 1 {
        notes.push("distributions need two runs".to_owned());
    }
    let without = ensemble
        .runs()
        .iter()
        .filter(|run| run.contexts.is_empty())
        .count();
    if without > 0 {
        notes.push(format!("{} without any context", of_runs(without)));
    }
    if graph
        .edges
        .iter()
        .any(|edge| edge.is_visible && !edge.is_forward)
    {
        notes.push(
            "some groups call each other; calls back to a caller are drawn as arcs".to_owned(),
        );
    }
    notes
}

/// Nodes and edges in their final order, with places.
struct Picture {
    nodes: Vec<SankeyNode>,
    edges: Vec<SankeyEdge>,
}

impl Picture {
    fn draw(
        graph: &SuperGraph,
        evaluated: &Evaluated,
        grouping: &Grouping,
        tree: &EnsembleTree,
        lens: &Lens,
        options: &LayoutOptions,
    ) -> Self {
        let shown: Vec<usize> = (0..graph.nodes.len())
            .filter(|&node| graph.nodes[node].group.is_visible)
            .collect();
        let mut nodes: Vec<SankeyNode> = shown
            .iter()
            .map(|&node| sankey_node(graph, node, evaluated, grouping, tree, lens))
            .collect();
        let mut place: Vec<usize> = vec![usize::MAX; graph.nodes.len()];
        for (at, &node) in shown.iter().enumerate() {
            place[node] = at;
        }
        let shown_edges: Vec<usize> = (0..graph.edges.len())
            .filter(|&edge| graph.edges[edge].is_visible)
            .collect();
        let mut edges: Vec<SankeyEdge> = shown_edges
            .iter()
            .map(|&edge| sankey_edge(graph, edge, &place, evaluated))
            .collect();
        let layout = lay_out(&nodes, &edges, options);
        for (node, rect) in nodes.iter_mut().zip(&layout.nodes) {
            node.geometry = *rect;
        }
        for (edge, band) in edges.iter_mut().zip(layout.bands) {
            edge.band = band;
        }
        Self { nodes, edges }.in_order()
    }

    /// Nodes by level, then from top to bottom; edges by their ends.
    fn in_order(mut self) -> Self {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = (&self.nodes[a], &self.nodes[b]);
            a.level
                .cmp(&b.level)
                .then(a.geometry.y.total_cmp(&b.geometry.y))
                .then_with(|| a.id.cmp(&b.id))
        });
        let mut place = vec![0_u32; order.len()];
        for (at, &node) in (0..).zip(&order) {
            place[node] = at;
        }
        let mut nodes: Vec<Option<SankeyNode>> = self.nodes.into_iter().map(Some).collect();
        let nodes = order
            .into_iter()
            .filter_map(|node| nodes[node].take())
            .collect();
        for edge in &mut self.edges {
            edge.source = place[edge.source as usize];
            edge.target = place[edge.target as usize];
        }
        self.edges.sort_by_key(|edge| (edge.source, edge.target));
        Self {
            nodes,
            edges: self.edges,
        }
    }
}

fn sankey_node(
    graph: &SuperGraph,
    number: usize,
    evaluated: &Evaluated,
    grouping: &Grouping,
    tree: &EnsembleTree,
    lens: &Lens,
) -> SankeyNode {
    let node = &graph.nodes[number];
    let inclusive = evaluated.values.of(Scope::Inclusive, number);
    let exclusive = evaluated.values.of(Scope::Exclusive, number);
    let values = evaluated
        .values
        .of(lens.scope, number)
        .iter()
        .map(|reading| reading.value());
    let definition = node.group.definition.map(|at| &tree.definitions()[at]);
    let entries = &evaluated.entries[number];
    SankeyNode {
        kind: kind(&node.group),
        definition_kind: definition.map(|definition| definition.kind.to_string()),
        module: match (&node.group.id, definition) {
            (
                GroupId::Labelled {
                    label: Label::Module,
                    name,
                    ..
                },
                _,
            ) => Some(name.to_string()),
            (_, definition) => definition
                .and_then(|d| d.module.as_ref())
                .map(ToString::to_string),
        },
        source: match (&node.group.id, definition) {
            (
                GroupId::Labelled {
                    label: Label::File,
                    name,
                    ..
                },
                _,
            ) => Some(name.to_string()),
            (_, definition) => definition.and_then(crate::Definition::source),
        },
        id: node.group.id.clone(),
        name: node.group.name.to_string(),
        level: node.level,
        max_inclusive: greatest(inclusive.iter().copied()),
        max_exclusive: greatest(exclusive.iter().copied()),
        present: count_present(inclusive),
        inclusive_by_run: values_of(inclusive),
        exclusive_by_run: values_of(exclusive),
        count: evaluated.counts[number],
        histogram: Histogram::new(values, lens.bins),
        entry_functions: entries.first.clone(),
        entry_function_count: entries.count,
        is_recursive: node.is_recursive,
        members: node
            .members
            .iter()
            .map(|&group| grouping.groups[group].name.to_string())
            .collect(),
        geometry: crate::layout::Rect::default(),
    }
}

fn sankey_edge(
    graph: &SuperGraph,
    number: usize,
    place: &[usize],
    evaluated: &Evaluated,
) -> SankeyEdge {
    let edge = &graph.edges[number];
    let flow = evaluated.flow(number);
    let index = |node: usize| u32::try_from(place[node]).unwrap_or(u32::MAX);
    SankeyEdge {
        source: index(edge.source),
        target: index(edge.target),
        kind: if edge.is_forward {
            EdgeKind::Forward
        } else {
            EdgeKind::Back
        },
        max_inclusive: greatest(flow.iter().copied()),
        present: count_present(flow),
        inclusive_by_run: values_of(flow),
        band: Vec::new(),
    }
}

fn lay_out(nodes: &[SankeyNode], edges: &[SankeyEdge], options: &LayoutOptions) -> Layout {
    let nodes: Vec<LayoutNode> = nodes
        .iter()
        .map(|node| LayoutNode {
            level: node.level,
            weight: node.max_inclusive,
            name: node.name.clone(),
        })
        .collect();
    let edges: Vec<LayoutEdge> = edges
        .iter()
        .map(|edge| LayoutEdge {
            source: edge.source as usize,
            target: edge.target as usize,
            weight: edge.max_inclusive,
        })
        .collect();
    layout_sankey(&nodes, &edges, options)
}

fn kind(group: &Group) -> NodeKind {
    match &group.id {
        GroupId::Labelled {
            label: Label::File, ..
        } => NodeKind::File,
        GroupId::Labelled { .. } => NodeKind::Module,
        GroupId::Definition(_) => NodeKind::Definition,
        GroupId::Context(_) => NodeKind::Context,
        GroupId::Others(_) => NodeKind::Others,
    }
}

pub(crate) fn values_of(readings: &[Reading]) -> Vec<Option<f64>> {
    readings.iter().map(|reading| reading.value()).collect()
}

pub(crate) fn count_present(readings: &[Reading]) -> u64 {
    readings
        .iter()
        .filter(|reading| reading.is_present())
        .count() as u64
}
