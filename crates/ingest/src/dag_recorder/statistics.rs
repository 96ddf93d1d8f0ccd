//! What a recording says as a whole: the figures of the recorder's own statistics, the
//! parallelism profile, critical paths and gaps. Integers are exact.
//!
//! Definitions: Huynh, Thain, Pericàs, Taura: “`DAGViz`: a DAG visualization tool for analyzing
//! task-parallel program traces”. VPA 2015.

mod gaps;
mod last_finish;
mod layers;
mod profile;
mod sweep;
mod text;

use std::collections::BTreeMap;

use super::dag::{Dag, EdgeKind, NodeIdx, NodeKind};
use super::edges::Ends;
use rustc_hash::FxHashMap;

pub use gaps::{GapSummary, Gaps, Spine};
pub use last_finish::LastFinish;
pub use layers::{LayerSample, layers};
pub use profile::Profile;

/// Edges from worker to worker; -1 stands for several workers.
pub type EdgeMatrix = BTreeMap<(i32, i32), i64>;

/// The figures of one recording. Times are ticks.
#[derive(Debug, Clone)]
pub struct Statistics {
    /// Nodes of the graph by kind, in the order of [`NodeKind`].
    pub kinds: [u64; 6],
    /// Leaves of the graph: collapsed nodes are leaves too.
    pub leaves: u64,
    /// Nodes that stand for a subgraph.
    pub collapsed: u64,
    /// Nodes that the recorder says it kept.
    pub materialized: i64,
    /// Leaves by kind, those of collapsed subgraphs included.
    pub logical_nodes: [i64; 4],
    /// Edges by kind, those of collapsed subgraphs included.
    pub logical_edges: [i64; 5],
    /// Edges of the graph by kind.
    pub edges: [u64; 5],
    /// Edges whose ends ran on different workers; without those of which an end ran on several.
    pub worker_changes: [u64; 5],
    /// Edges by kind from worker to worker; those inside of a collapsed node are from its worker
    /// to itself.
    pub matrices: [EdgeMatrix; 5],
    /// Workers.
    pub workers: i64,
    /// Sum of the work of leaves.
    pub work: i64,
    /// Ready leaves times time while there were workers for them.
    pub delay: i64,
    /// Part of `delay` inside of collapsed nodes: their length less their work.
    pub inner_delay: i64,
    /// Workers times time for which there was nothing ready.
    pub no_work: i64,
    /// Running leaves times time; a collapsed leaf runs from its begin to its end.
    pub running: i64,
    /// Time with more running leaves than workers.
    pub oversubscribed: i64,
    /// Time of the last event.
    pub elapsed: i64,
    /// Critical path as the recorder computed it.
    pub span: i64,
    /// Longest path over the edges.
    pub span_by_edges: i64,
    /// Waiting for a worker as the recorder summed it, by the kind of edge that made ready.
    pub ready: [i64; 5],
    /// The path back from the last leaf over predecessors that ended last.
    pub last_finish: LastFinish,
    /// Time between leaves.
    pub gaps: Gaps,
    /// Running and ready leaves over time.
    pub profile: Profile,
}

/// Computes everything, in time linear in the nodes but for sorting.
pub fn statistics(dag: &Dag) -> Statistics {
    let ends = Ends::of(dag);
    let span_by_edges = span(dag);
    let mut joined = Joined::of(dag, &ends);
    drop(ends);
    let last_finish = LastFinish::of(dag, &joined.predecessors);
    let (sweep, last_finish) = sweep::sweep(dag, &joined.predecessors, last_finish);
    joined.predecessors = Predecessors::default();
    let mut statistics = Statistics {
        kinds: [0; 6],
        leaves: 0,
        collapsed: 0,
        materialized: dag.root.kept,
        logical_nodes: dag.root.nodes,
        logical_edges: dag.root.edges,
        edges: joined.edges,
        worker_changes: joined.worker_changes,
        matrices: [const { BTreeMap::new() }; 5],
        workers: dag.workers,
        work: 0,
        delay: sweep.delay,
        inner_delay: 0,
        no_work: sweep.no_work,
        running: sweep.running,
        oversubscribed: sweep.oversubscribed,
        elapsed: sweep.elapsed,
        span: dag.root.span,
        span_by_edges,
        ready: dag.root.ready,
        last_finish,
        gaps: joined.gaps,
        profile: Profile::of(dag, sweep.elapsed),
    };
    statistics.count_nodes(dag);
    joined.counts.add_collapsed(dag);
    statistics.matrices = joined.counts.matrices();
    statistics
}

impl Statistics {
    fn count_nodes(&mut self, dag: &Dag) {
        for (at, node) in dag
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| node.is_used)
        {
            self.kinds[node.kind as usize] += 1;
            if !node.is_leaf() {
                continue;
            }
            self.leaves += 1;
            self.collapsed += u64::from(node.is_collapsed());
            let work = dag.work(at);
            self.work = self.work.saturating_add(work);
            let inner_delay = node.len().saturating_sub(work);
            self.inner_delay = self.inner_delay.saturating_add(inner_delay);
        }
        self.delay = self.delay.saturating_add(self.inner_delay);
    }

    /// Leaves, waits and creations, and the root: a section per wait and a task per creation.
    pub fn logical_size(&self) -> i64 {
        let [creates, waits, ..] = self.logical_nodes;
        let intervals: i64 = self.logical_nodes.iter().sum();
        intervals + waits + creates + 1
    }
}

/// Longest path over the edges, of leaves weighted with their own critical path. The graph is
/// series-parallel: a section is as long as the longest way through it, one of its creations
/// taken or none.
fn span(dag: &Dag) -> i64 {
    let mut spans = vec![0_i64; dag.nodes.len()];
    for at in (0..dag.nodes.len()).rev() {
        let children = dag.children(at);
        if children.is_empty() {
            spans[at] = dag
                .totals(at)
                .map_or(dag.nodes[at].len(), |totals| totals.span);
            continue;
        }
        let (mut serial, mut longest) = (0_i64, 0);
        for child in children {
            serial = serial.saturating_add(spans[child]);
            if let Some(task) = dag.created(child) {
                longest = i64::max(longest, serial.saturating_add(spans[task]));
            }
        }
        spans[at] = serial.max(longest);
    }
    spans.first().copied().unwrap_or(0)
}

/// Of each leaf the predecessor that ended last, and the kind of the edge from it.
#[derive(Debug, Default)]
struct Predecessors {
    nodes: Vec<u32>,
}

impl Predecessors {
    const NONE: u32 = u32::MAX;

    fn get(&self, leaf: NodeIdx) -> Option<NodeIdx> {
        let node = self.nodes.get(leaf).copied()?;
        (node != Self::NONE).then_some(node as usize)
    }

    /// When a leaf becomes ready: the end of its last predecessor.
    fn ready(&self, dag: &Dag, leaf: NodeIdx) -> i64 {
        self.get(leaf).map_or(0, |node| dag.nodes[node].end)
    }
}

/// What one pass over the edges gives.
struct Joined {
    predecessors: Predecessors,
    edges: [u64; 5],
    worker_changes: [u64; 5],
    counts: EdgeCounts,
    gaps: Gaps,
}

impl Joined {
    fn of(dag: &Dag, ends: &Ends) -> Self {
        let mut predecessors = vec![Predecessors::NONE; dag.nodes.len()];
        let mut edges = [0; 5];
        let mut worker_changes = [0; 5];
        let mut counts = EdgeCounts::default();
        let mut gaps = gaps::Collector::new(dag);
        dag.visit_edges(ends, |edge| {
            let (source, target) = (&dag.nodes[edge.source], &dag.nodes[edge.target]);
            let known = &mut predecessors[edge.target];
            if *known == Predecessors::NONE || source.end > dag.nodes[*known as usize].end {
                *known = u32::try_from(edge.source).unwrap_or(Predecessors::NONE);
            }
            edges[edge.kind as usize] += 1;
            let is_single = source.worker != -1 && target.worker != -1;
            let is_change = is_single && source.worker != target.worker;
            worker_changes[edge.kind as usize] += u64::from(is_change);
            counts.add(edge.kind, (source.worker, target.worker), 1);
            gaps.add(edge, source, target, is_change);
        });
        let nodes = predecessors;
        Self {
            predecessors: Predecessors { nodes },
            edges,
            worker_changes,
            counts,
            gaps: gaps.finish(dag),
        }
    }
}

/// Edges by kind and workers.
#[derive(Debug, Default)]
struct EdgeCounts {
    counts: FxHashMap<(u8, i32, i32), i64>,
}

impl EdgeCounts {
    fn add(&mut self, kind: EdgeKind, (source, target): (i32, i32), count: i64) {
        let count_of = self.counts.entry((kind as u8, source, target)).or_default();
        *count_of = count_of.saturating_add(count);
    }

    fn add_collapsed(&mut self, dag: &Dag) {
        for (at, node) in dag.leaves() {
            let Some(totals) = dag.totals(at) else {
                continue;
            };
            for (kind, &count) in EdgeKind::ALL.iter().zip(&totals.edges) {
                if count > 0 {
                    self.add(*kind, (node.worker, node.worker), count);
                }
            }
        }
    }

    fn matrices(self) -> [EdgeMatrix; 5] {
        let mut matrices = [const { BTreeMap::new() }; 5];
        for ((kind, source, target), count) in self.counts {
            if let Some(matrix) = matrices.get_mut(usize::from(kind)) {
                matrix.insert((source, target), count);
            }
        }
        matrices
    }
}

/// Whether a leaf of the graph is one that the recorder kept as it was.
fn is_real(kind: NodeKind) -> bool {
    !kind.is_collective()
}
