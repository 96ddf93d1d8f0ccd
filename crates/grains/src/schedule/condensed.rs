//! A smaller graph in place of a large one: small tasks run as one node each, with all tasks below them.

mod regions;
mod runs;
#[cfg(test)]
mod tests;

use sheaf_answers::{ScheduleCost, SchedulePolicy};
use sheaf_model::{Cancelled, Progress};

use super::draft::{Link, mark};
use super::engine::{Machine, Outcome, schedule};
use super::graph::ScheduleGraph;
use super::paths::Extent;
use crate::grain_graph::{EdgeKind, NONE, Structure, to_u32};
use regions::Regions;
use runs::Runs;

/// The span may grow by the lower bound of the elapsed time, divided by this.
const GROWTH_DIVISOR: i64 = 1000;
/// The elapsed time may differ from that of the whole graph by that time, divided by this.
const DIFFERENCE_DIVISOR: i64 = 100;
/// Bounds of the work of a node that are tried, each a quarter of the one before.
const MAX_TRIES: u32 = 4;
/// A condensed graph has at most one node in place of so many.
const MIN_GAIN: usize = 2;

/// A graph in which small tasks, with all tasks below them, run as one node on one worker. So do neighbours of them
/// that one task creates, and neighbouring chunks of a loop.
///
/// Only a task whose creation alone leads into it, and which only waits follow, runs as one node. Its work and costs are
/// at most a part of the elapsed time, so that the span grows by at most 0.1 % of max(span, work with costs / workers). The
/// graph depends on the recorded work only: schedules with and without a change use the same one.
#[derive(Debug)]
pub struct Condensed {
    graph: ScheduleGraph,
    /// Node of the condensed graph that each node is in.
    into: Vec<u32>,
    /// Costs inside nodes.
    inside: Vec<Inside>,
    /// Difference of the elapsed time from that of the whole graph, as a part of it.
    difference: f64,
}

/// How much runs as one node.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// Work and costs of a task with those below it, and of neighbouring chunks.
    most: i64,
    /// Work and costs of neighbours that one task creates.
    most_created: i64,
    /// Costs of a task.
    per_task: i64,
}

/// A cost of scheduling inside a node of a condensed graph.
#[derive(Clone, Copy, Debug)]
struct Inside {
    node: u32,
    /// The node of the whole graph that has the cost.
    of: u32,
    kind: ScheduleCost,
    /// Whether one worker that runs each task where it is created has this cost too.
    is_work_first: bool,
}

impl Condensed {
    /// Condenses a graph for a machine. Absent if no graph with at most half of the nodes has an elapsed time on this
    /// machine that differs by at most 1 % from that of the whole graph.
    ///
    /// Takes a schedule of the whole graph, and is linear in grains, nodes and edges otherwise.
    ///
    /// # Errors
    /// When it was stopped.
    pub fn of(
        graph: &ScheduleGraph,
        structure: &Structure,
        machine: &Machine<'_>,
        progress: &Progress,
    ) -> Result<Option<Self>, Cancelled> {
        let (workers, costs) = (machine.workers, machine.costs);
        let mean = |kind| costs.mean(kind).unwrap_or(0.0);
        #[expect(clippy::cast_possible_truncation, reason = "far below the range")]
        let per_task = (mean(ScheduleCost::Creation) + mean(ScheduleCost::Start)).max(0.0) as i64;
        let regions = Regions::new(graph, structure, per_task);
        let extent = graph.extent(&graph.weights);
        let tasks = graph.marks.iter().filter(|&it| it & mark::TASK != 0);
        let costs_of_tasks = per_task.saturating_mul(i64::from(to_u32(tasks.count())));
        let whole = Extent {
            work: extent.work.saturating_add(costs_of_tasks),
            span: extent.span,
            path: Vec::new(),
        };
        let growth = whole.lower(workers) / GROWTH_DIVISOR;
        // Each of many tasks that one task creates can be stolen, but only one of a node.
        let median = |kind| costs.median(kind).unwrap_or(0);
        let is_stealing_dear = median(ScheduleCost::Steal) > median(ScheduleCost::Start);
        let mut elapsed = None;
        let mut most = growth;
        for _ in 0..MAX_TRIES {
            progress.check()?;
            let bounds = Bounds {
                most,
                most_created: if is_stealing_dear { 0 } else { most },
                per_task,
            };
            let into = merged(graph, structure, &regions, bounds);
            let mut found = Self::merged(graph, &into);
            if found.num_nodes() * MIN_GAIN > graph.num_nodes() {
                return Ok(None);
            }
            let work = found.sums(&graph.weights);
            let span = found.graph.extent(&work).span;
            if span <= extent.span.saturating_add(growth) && found.graph.check_order().is_ok() {
                let expected = match elapsed {
                    Some(elapsed) => elapsed,
                    None => schedule(graph, &graph.weights, machine, progress)?.elapsed,
                };
                elapsed = Some(expected);
                let inside = found.costs_inside(machine);
                let outcome = found.schedule(&work, &inside, machine, progress)?;
                let difference = outcome.elapsed.saturating_sub(expected);
                if difference.abs() <= expected / DIFFERENCE_DIVISOR {
                    found.difference = difference as f64 / expected.max(1) as f64;
                    return Ok(Some(found));
                }
            }
            most /= 4;
        }
        Ok(None)
    }

    /// Difference of the elapsed time without a change from that of the whole graph, as a part of it.
    pub const fn difference(&self) -> f64 {
        self.difference
    }

    /// Number of nodes.
    pub fn num_nodes(&self) -> usize {
        self.graph.num_nodes()
    }

    /// Work of each node if nodes of the whole graph have these weights.
    pub fn sums(&self, weights: &[i64]) -> Vec<i64> {
        self.sums_of(weights.iter().copied())
    }

    /// Work of each node if that of each grain of the whole graph is multiplied by the millionths of its class.
    pub fn scaled_by(&self, graph: &ScheduleGraph, classes: &[u32], kept: &[u32]) -> Vec<i64> {
        self.sums_of(graph.iter_scaled(classes, kept))
    }

    fn sums_of(&self, weights: impl Iterator<Item = i64>) -> Vec<i64> {
        let mut sums = vec![0_i64; self.graph.num_nodes()];
        for (weight, &node) in weights.zip(&self.into) {
            if let Some(sum) = sums.get_mut(node as usize) {
                *sum = sum.saturating_add(weight);
            }
        }
        sums
    }

    /// Costs inside each node on a machine: those of one worker that runs the tasks one after the other.
    pub fn costs_inside(&self, machine: &Machine<'_>) -> Vec<i64> {
        let mut sums = vec![0_i64; self.graph.num_nodes()];
        let is_work_first = machine.policy == SchedulePolicy::WorkFirst;
        for inside in &self.inside {
            if is_work_first && !inside.is_work_first {
                continue;
            }
            let cost = machine.costs.draw(inside.kind, inside.of, machine.seed);
            if let Some(sum) = sums.get_mut(inside.node as usize) {
                *sum = sum.saturating_add(cost);
            }
        }
        sums
    }

    /// Schedules the graph, if its nodes have the work of [`Self::sums`] and the costs of [`Self::costs_inside`].
    ///
    /// # Errors
    /// When it was stopped.
    pub fn schedule(
        &self,
        sums: &[i64],
        costs_inside: &[i64],
        machine: &Machine<'_>,
        progress: &Progress,
    ) -> Result<Outcome, Cancelled> {
        let weights = sums.iter().zip(costs_inside);
        let weights: Vec<i64> = weights
            .map(|(&work, &costs)| work.saturating_add(costs))
            .collect();
        let mut outcome = schedule(&self.graph, &weights, machine, progress)?;
        let costs = costs_inside
            .iter()
            .fold(0, |a: i64, &b| a.saturating_add(b));
        outcome.costs = outcome.costs.saturating_add(costs);
        Ok(outcome)
    }

    /// Work and span under the weights of nodes.
    pub fn extent(&self, sums: &[i64]) -> Extent {
        self.graph.extent(sums)
    }

    /// The graph in which nodes run inside others. Nodes keep their order.
    fn merged(graph: &ScheduleGraph, into: &[u32]) -> Self {
        let inside = costs_inside(graph, into);
        let mut number = vec![NONE; into.len()];
        let mut found = ScheduleGraph::empty();
        for node in 0..into.len() {
            if into[node] as usize == node {
                number[node] = to_u32(found.grains.len());
                found.grains.push(graph.grains[node]);
                found.marks.push(graph.marks[node]);
                found.keys.push(to_u32(node));
            }
        }
        // A node in which others run has work.
        for (node, &inside) in into.iter().enumerate() {
            let place = number[inside as usize] as usize;
            if inside as usize != node
                && let Some(marks) = found.marks.get_mut(place)
            {
                *marks &= !mark::PASSAGE;
            }
        }
        let into: Vec<u32> = into.iter().map(|&node| number[node as usize]).collect();
        found.weights = vec![0; found.grains.len()];
        found.bound = graph
            .bound
            .iter()
            .map(|&(node, worker)| (into[node as usize], worker))
            .collect();
        found.connect(links(graph, &into));
        found.drop_parallel_edges();
        let inside = inside.into_iter().map(|cost| Inside {
            node: number[cost.node as usize],
            ..cost
        });
        Self {
            graph: found,
            inside: inside.collect(),
            into,
            difference: 0.0,
        }
    }
}

/// Edges between the nodes that others run inside.
fn links<'a>(graph: &'a ScheduleGraph, into: &'a [u32]) -> impl Iterator<Item = Link> + Clone + 'a {
    (0..to_u32(graph.num_nodes())).flat_map(move |node| {
        let source = into[node as usize];
        let edges = graph.edges(node).iter();
        edges.filter_map(move |edge| {
            let target = into[edge.target as usize];
            (source != target).then_some(Link {
                source,
                target,
                kind: edge.kind,
            })
        })
    })
}

/// The node that each runs inside, if at most so much work runs as one.
fn merged(
    graph: &ScheduleGraph,
    structure: &Structure,
    regions: &Regions,
    bounds: Bounds,
) -> Vec<u32> {
    let owners = regions.owners(structure, bounds.most);
    let nodes = (0..to_u32(graph.num_nodes())).zip(&graph.grains);
    let inside = |(node, &grain): (u32, &u32)| match owners.get(grain as usize) {
        Some(&owner) if owner != NONE => regions.entry(owner),
        _ => node,
    };
    let mut into: Vec<u32> = nodes.map(inside).collect();
    let runs = Runs::new(graph, &into, bounds);
    runs.merge_chunks(&mut into);
    runs.merge_created(&mut into);
    // The other nodes of a task that joined its neighbours go with it.
    for node in 0..into.len() {
        into[node] = into[into[node] as usize];
    }
    into
}

/// Costs of scheduling that arise inside the nodes that others run inside.
fn costs_inside(graph: &ScheduleGraph, into: &[u32]) -> Vec<Inside> {
    let is_left = waits_at_creations(graph);
    let mut costs = Vec::new();
    let mut has_waited = vec![false; into.len()];
    for source in 0..to_u32(into.len()) {
        let creator = into[source as usize];
        for edge in graph.edges(source) {
            let of = edge.target;
            let node = into[of as usize];
            let mut push = |node, kind, is_work_first| {
                costs.push(Inside {
                    node,
                    of,
                    kind,
                    is_work_first,
                });
            };
            match edge.kind {
                EdgeKind::Creation if node != of || node == creator => {
                    if graph.has(of, mark::TASK) {
                        push(creator, ScheduleCost::Creation, true);
                    }
                    if let Some(kind) = super::engine::own_start_cost(graph, of) {
                        push(node, kind, true);
                    }
                }
                EdgeKind::Synchronisation
                    if node == creator
                        && !std::mem::replace(&mut has_waited[of as usize], true) =>
                {
                    push(node, ScheduleCost::Synchronisation, is_left[of as usize]);
                }
                _ => {}
            }
        }
    }
    costs
}

/// By node, whether it waits for a task that is created directly before it. A worker that runs each task where it is
/// created finds all other waits over.
fn waits_at_creations(graph: &ScheduleGraph) -> Vec<bool> {
    let nodes = 0..to_u32(graph.num_nodes());
    let edges = |kind| {
        let of_node = move |node| graph.edges(node).iter().map(move |edge| (node, *edge));
        let all = nodes.clone().flat_map(of_node);
        all.filter(move |(_, edge)| edge.kind == kind)
    };
    let grain_of = |node: u32| graph.grains[node as usize];
    let grains = graph.grains.iter().filter(|&&grain| grain != NONE).max();
    let mut creators = vec![NONE; grains.map_or(0, |&last| last as usize + 1)];
    for (creator, edge) in edges(EdgeKind::Creation) {
        if let Some(slot) = creators.get_mut(grain_of(edge.target) as usize) {
            *slot = creator;
        }
    }
    let mut before = vec![NONE; graph.num_nodes()];
    for (node, edge) in edges(EdgeKind::Continuation) {
        before[edge.target as usize] = node;
    }
    let mut found = vec![false; graph.num_nodes()];
    for (node, edge) in edges(EdgeKind::Synchronisation) {
        let creator = creators.get(grain_of(node) as usize).copied();
        let before = before[edge.target as usize];
        found[edge.target as usize] |= before != NONE && creator == Some(before);
    }
    found
}
