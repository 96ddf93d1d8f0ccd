//! The grain graph with what is written of its nodes and edges.

use std::collections::BTreeSet;
use std::io;

use sheaf_answers::Values;
use sheaf_grains::grain_graph::{Edge, EdgeKind, GrainGraph, NodeKind, Paths};

use super::run::Source;
use crate::GraphForm;

/// A graph that is exported.
pub(super) struct GraphView<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) form: GraphForm,
    pub(super) graph: GrainGraph,
    /// Numbers of tasks by grain.
    tasks: Vec<i64>,
    /// Longest paths; none where nothing is known of work.
    paths: Option<Paths>,
    is_critical: Vec<bool>,
    depths: Vec<u32>,
}

impl<'a> GraphView<'a> {
    /// # Errors
    /// The work was cancelled.
    pub(super) fn new(source: &'a Source<'a>, form: GraphForm) -> io::Result<Self> {
        let tables = source.tables;
        let graph = match form {
            GraphForm::Reduced => GrainGraph::reduced(tables, &source.structure),
            GraphForm::Unreduced => GrainGraph::unreduced(tables, &source.structure),
        };
        source.check()?;
        let work = &tables.grains.work;
        let is_weighted = form == GraphForm::Unreduced || work.null_count() < work.len();
        let paths = Paths::of(&graph).ok().filter(|_| is_weighted);
        source.check()?;
        let mut is_critical = Vec::new();
        if let Some(paths) = &paths {
            is_critical = vec![false; graph.num_nodes()];
            for node in paths.critical_path() {
                if let Some(slot) = is_critical.get_mut(node as usize) {
                    *slot = true;
                }
            }
        }
        Ok(Self {
            source,
            form,
            tasks: tasks(source),
            paths,
            is_critical,
            depths: depths(&graph),
            graph,
        })
    }

    /// The nodes with their names, in order.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (u32, String)> + '_ {
        let mut names = Names {
            graph: self,
            owner: None,
            fragments: 0,
            forks: 0,
            barriers: 0,
        };
        (0..super::grain_rows::number(self.graph.num_nodes()))
            .map(move |node| (node, names.next(node)))
    }

    /// The grain that a node is, or is part of; none of forks and joins.
    pub(super) fn grain(&self, node: u32) -> Option<usize> {
        let is_stretch = self.graph.kind(node).is_some_and(NodeKind::is_stretch);
        let grain = self.graph.grain(node).filter(|_| is_stretch)?;
        Some(grain as usize)
    }

    /// `start`, `end`, `task`, `fragment`, `fork` or `join`.
    pub(super) fn node_type(&self, node: u32) -> &'static str {
        match self.graph.kind(node) {
            Some(NodeKind::Start) => "start",
            Some(NodeKind::End) => "end",
            Some(NodeKind::Fork) => "fork",
            Some(NodeKind::Join) => "join",
            Some(NodeKind::Grain) => "task",
            _ => "fragment",
        }
    }

    /// Why an edge is there: `create`, `sync`, `continue`, `scope` (into the first fork of a task, in
    /// the reduced form) or `dependence`.
    pub(super) fn edge_type(&self, source: u32, edge: Edge) -> &'static str {
        let is_reduced = self.form == GraphForm::Reduced;
        match edge.kind {
            EdgeKind::Creation => "create",
            EdgeKind::Synchronisation => "sync",
            EdgeKind::Dependence => "dependence",
            EdgeKind::Continuation if is_reduced && !self.is_join(source) => "scope",
            EdgeKind::Continuation => "continue",
        }
    }

    fn is_join(&self, node: u32) -> bool {
        self.graph.kind(node) == Some(NodeKind::Join)
    }

    /// The weight of the edge's source: negative in the reduced form, so that what finds shortest paths finds
    /// the longest, as the prototype writes it; absent where the work is.
    pub(super) fn weight(&self, source: u32) -> Option<i64> {
        let weight = self.graph.weight(source);
        if self.form == GraphForm::Unreduced {
            return Some(weight);
        }
        let work = &self.source.tables.grains.work;
        match self.grain(source) {
            Some(grain) if work.is_null(grain) => None,
            _ => Some(weight.saturating_neg()),
        }
    }

    /// When a node starts at the earliest, in the run's time unit.
    pub(super) fn root_distance(&self, node: u32) -> Option<i64> {
        Some(self.paths.as_ref()?.earliest_start(node))
    }

    /// Most edges from the start to a node.
    pub(super) fn depth(&self, node: u32) -> Option<i64> {
        self.depths.get(node as usize).map(|&depth| depth.into())
    }

    /// 1 on the critical path, else 0.
    pub(super) fn critical(&self, node: u32) -> Option<i64> {
        self.is_critical.get(node as usize).map(|&is| is.into())
    }

    pub(super) fn is_critical(&self, node: u32) -> bool {
        self.is_critical.get(node as usize) == Some(&true)
    }

    /// Number of the task that a grain is, from 1; 0 of none.
    pub(super) fn task(&self, grain: Option<usize>) -> i64 {
        let task = grain.and_then(|grain| self.tasks.get(grain));
        task.copied().unwrap_or(0)
    }
}

/// Numbers of tasks as the source gives them, where it gives each another; else rows from 1.
fn tasks(source: &Source<'_>) -> Vec<i64> {
    let count = source.num_grains();
    let mut measures = source.measures().iter();
    let measure = measures.find(|measure| measure.source.as_deref() == Some("task"));
    if let Some(Values::Integer(task_of)) = measure.map(|measure| source.measured(measure)) {
        let given: Vec<i64> = (0..count)
            .filter_map(task_of)
            .filter(|&task| task > 0)
            .collect();
        let distinct: BTreeSet<i64> = given.iter().copied().collect();
        if distinct.len() == count && given.len() == count {
            return given;
        }
    }
    (1..).take(count).collect()
}

/// Most edges from a node without any before it.
fn depths(graph: &GrainGraph) -> Vec<u32> {
    let Ok(order) = graph.topological_order() else {
        return Vec::new();
    };
    let mut depths = vec![0; graph.num_nodes()];
    for node in order {
        let below = depths.get(node as usize).map_or(0, |depth: &u32| depth + 1);
        for edge in graph.edges(node) {
            if let Some(depth) = depths.get_mut(edge.target as usize) {
                *depth = below.max(*depth);
            }
        }
    }
    depths
}

/// Names as the prototype gives them; nodes of one grain are neighbours, in program order.
struct Names<'a> {
    graph: &'a GraphView<'a>,
    owner: Option<u32>,
    fragments: u32,
    forks: u32,
    barriers: u32,
}

impl Names<'_> {
    fn next(&mut self, node: u32) -> String {
        let graph = &self.graph.graph;
        let owner = graph.grain(node);
        if owner != self.owner {
            (self.owner, self.fragments, self.forks) = (owner, 0, 0);
        }
        let task = self.graph.task(owner.map(|owner| owner as usize));
        let place = || {
            let set = graph.item(node)? as usize;
            Some(self.graph.source.structure.sets().get(set)?.place)
        };
        match graph.kind(node) {
            Some(NodeKind::Start) => "0".to_owned(),
            Some(NodeKind::End) => "E".to_owned(),
            Some(NodeKind::Grain) => task.to_string(),
            Some(NodeKind::Fork) if self.graph.form == GraphForm::Reduced => {
                format!("f.{task}.{}", place().unwrap_or(0))
            }
            Some(NodeKind::Fork) => {
                self.forks += 1;
                format!("f.{task}.{}", self.forks)
            }
            Some(NodeKind::Join) => {
                if let Some(place) = place() {
                    return format!("j.{task}.{place}");
                }
                self.barriers += 1;
                format!("b.{task}.{}", self.barriers)
            }
            _ => {
                self.fragments += 1;
                format!("{task}.{}", self.fragments)
            }
        }
    }
}
