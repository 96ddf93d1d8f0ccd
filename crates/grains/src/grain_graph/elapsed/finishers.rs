//! Finds the stretch that finished last before each node of a graph.

use std::collections::BTreeMap;

use sheaf_model::RunTables;
use sheaf_model::table::GrainKind;

use super::super::graph::{EdgeKind, GrainGraph, NodeKind};
use super::super::{GraphFault, NONE, to_u32};
use super::arrival::{Arrival, Stretch};
use super::region_ends::{After, Member, TeamEnds};

/// For each node the stretch before it that finished last. Stretches are named by their nodes.
pub(super) struct Finishers<'a> {
    run: &'a RunTables,
    graph: &'a GrainGraph,
    /// By node, the stretch.
    stretch: Vec<u32>,
    /// By node, the kind of the way from there.
    kinds: Vec<EdgeKind>,
}

impl<'a> Finishers<'a> {
    pub(super) fn of(run: &'a RunTables, graph: &'a GrainGraph) -> Result<Self, GraphFault> {
        let nodes = graph.num_nodes();
        let mut finishers = Self {
            run,
            graph,
            stretch: vec![NONE; nodes],
            kinds: vec![EdgeKind::Continuation; nodes],
        };
        for &node in graph.forward()? {
            finishers.pass_on(node);
        }
        finishers.follow_last_arrivals();
        Ok(finishers)
    }

    /// The stretches of the path, from a node back, as rows of their fragments, with the kind of the way from each to the
    /// next. The kind of the first has no meaning.
    pub(super) fn chain(&self, last: Option<u32>) -> impl Iterator<Item = (u32, EdgeKind)> + '_ {
        let first = last.map(|node| (node, EdgeKind::Continuation));
        let nodes = std::iter::successors(first, |&(node, _)| {
            let before = self.before(node);
            (!before.stretch.is_nothing()).then_some((before.stretch.row, before.kind))
        });
        nodes.filter_map(|(node, kind)| Some((self.row(node)?, kind)))
    }

    /// Passes on to the nodes behind a node what finished last before them: the node itself, if something runs there.
    fn pass_on(&mut self, node: u32) {
        let arrival = if self.row(node).is_some() {
            Arrival {
                stretch: self.named(node),
                kind: EdgeKind::Continuation,
            }
        } else {
            // Nothing runs at forks and joins: what came before them comes before what is behind.
            self.before(node)
        };
        if arrival.stretch.is_nothing() {
            return;
        }
        let graph = self.graph;
        for edge in graph.edges(node) {
            let arrival = arrival.along(edge.kind);
            if arrival.counts_before(self.before(edge.target)) {
                self.set(edge.target, arrival.stretch.row, arrival.kind);
            }
        }
    }

    fn set(&mut self, node: u32, stretch: u32, kind: EdgeKind) {
        let at = node as usize;
        if let (Some(slot), Some(way)) = (self.stretch.get_mut(at), self.kinds.get_mut(at)) {
            (*slot, *way) = (stretch, kind);
        }
    }

    /// Makes the first stretch of each member behind the end of its region follow the last arrival of all members.
    fn follow_last_arrivals(&mut self) {
        let ends = TeamEnds::of(self.run);
        if ends.is_empty() {
            return;
        }
        let kinds = &self.run.grains.kind;
        let is_member = |grain: u32| kinds.value(grain as usize) == GrainKind::Implicit as i32;
        let mut members: BTreeMap<u32, Member> = BTreeMap::new();
        for node in 0..to_u32(self.graph.num_nodes()) {
            let Some(grain) = self.graph.grain(node).filter(|&grain| is_member(grain)) else {
                continue;
            };
            if self.is_barrier(node) {
                continue;
            }
            let member = members.entry(grain).or_default();
            let before = self.before(node);
            if self.row(node).is_none() {
                member.last = before.stretch;
                continue;
            }
            member.last = self.named(node);
            let start = self.start(node);
            if member.after.is_none() && ends.is_after(grain, start) {
                member.after = Some(After {
                    row: node,
                    start,
                    before,
                });
            }
        }
        for (node, latest) in ends.latest_arrivals(self.run, members) {
            self.set(node, latest, EdgeKind::Synchronisation);
        }
    }

    /// Nodes of a barrier name the grain that began the region, and are not part of what it does.
    fn is_barrier(&self, node: u32) -> bool {
        let is_stretch = self.graph.kind(node).is_some_and(NodeKind::is_stretch);
        !is_stretch && self.graph.item(node).is_none()
    }

    /// Row of the fragment of a node that has one.
    fn row(&self, node: u32) -> Option<u32> {
        let is_stretch = self.graph.kind(node).is_some_and(NodeKind::is_stretch);
        self.graph.item(node).filter(|_| is_stretch)
    }

    fn start(&self, node: u32) -> i64 {
        let starts = &self.run.fragments.start;
        let row = self.row(node).map(|row| row as usize);
        row.filter(|&row| row < starts.len())
            .map_or(0, |row| starts.value(row))
    }

    /// The stretch of a node.
    fn named(&self, node: u32) -> Stretch {
        let lengths = &self.run.fragments.duration;
        let row = self.row(node).map(|row| row as usize);
        let length = row
            .filter(|&row| row < lengths.len())
            .map_or(0, |row| lengths.value(row));
        Stretch {
            row: node,
            end: self.start(node).saturating_add(length),
        }
    }

    /// The stretch before a node that finished last.
    fn before(&self, node: u32) -> Arrival {
        let at = node as usize;
        match (self.stretch.get(at), self.kinds.get(at)) {
            (Some(&stretch), Some(&kind)) if stretch != NONE => Arrival {
                stretch: self.named(stretch),
                kind,
            },
            _ => Arrival::NOTHING,
        }
    }

    /// Of some stretches the one that finished last; of several the node with the smallest number.
    pub(super) fn last(&self, is_member: impl Fn(u32) -> bool) -> Option<u32> {
        let mut latest = Stretch::NOTHING;
        for node in 0..to_u32(self.graph.num_nodes()) {
            let of_member = || self.graph.grain(node).is_some_and(&is_member);
            if self.row(node).is_some() && of_member() {
                let stretch = self.named(node);
                if stretch.is_later(latest) {
                    latest = stretch;
                }
            }
        }
        (!latest.is_nothing()).then_some(latest.row)
    }
}
