//! The reduced form: a node per grain, a fork and a join per sibling set.

use std::cmp::Reverse;

use sheaf_model::RunTables;
use sheaf_model::table::CompactColumn;

use super::graph::{EdgeKind, Edges, GrainGraph, NodeKind, Nodes};
use super::structure::Structure;
use super::timeline::book_keeping;
use super::{NONE, SiblingSet};
use crate::grain_graph::to_u32;

/// Start, grains by row, fork and join of each set, end.
pub(super) fn build(run: &RunTables, structure: &Structure) -> GrainGraph {
    let num_grains = to_u32(structure.num_grains());
    let mut nodes = Nodes::default();
    nodes.reserve(structure.num_grains() + 2 * structure.sets().len() + 2);
    nodes.push(NodeKind::Start, NONE, NONE, 0);
    let grouped = Grouped::of(run, structure);
    let work = &run.grains.work;
    for grain in 0..num_grains {
        let at = grain as usize;
        let weight = if work.is_valid(at) { work.value(at) } else { 0 };
        match grouped.first(grain) {
            Some(first) if first != grain => nodes.add_weight(grouped.node(first), weight),
            _ => nodes.push(NodeKind::Grain, grain, NONE, weight),
        }
    }
    let first_fork = nodes.len();
    for (number, set) in (0..).zip(structure.sets()) {
        let owner = set.owner().unwrap_or(NONE);
        nodes.push(NodeKind::Fork, owner, number, 0);
        nodes.push(NodeKind::Join, owner, number, 0);
    }
    let end = nodes.len();
    nodes.push(NodeKind::End, NONE, NONE, 0);
    nodes.connect(&Reduced {
        structure,
        grouped,
        num_grains,
        first_fork,
        end,
    })
}

/// The grains on the critical path of the reduced graph, by row: the same as [`Paths`](super::Paths) finds, without
/// the graph. Sibling sets are nested, so the longest way through a grain is its work and, for each set that it
/// forks, the longest way through a member. Linear, in twelve bytes per set.
pub(crate) fn critical_grains(run: &RunTables, structure: &Structure) -> Vec<u32> {
    let grouped = Grouped::of(run, structure);
    let weights = Weights::of(run, &grouped);
    let mut on_path = vec![NONE; structure.sets().len()];
    let mut longest = vec![0_i64; structure.sets().len()];
    let mut choose = |number: usize, set: &SiblingSet| {
        let members = structure.members(set).iter().copied();
        let best = members
            .filter(|&member| grouped.has_node(member))
            .map(|member| {
                let sets = structure.sets_of(Some(member));
                let is_leaf = sets.is_empty();
                let ways = sets.rev().filter_map(|set| longest.get(set as usize));
                let way = ways.fold(weights.get(member), |sum, way| sum.saturating_add(*way));
                // If ways are equally long, the smallest number of their last node decides. Grains have smaller
                // numbers than joins.
                (way, Reverse((!is_leaf, member)))
            })
            .max();
        let Some((way, Reverse((_, member)))) = best else {
            return;
        };
        if let (Some(on_path), Some(longest)) = (on_path.get_mut(number), longest.get_mut(number)) {
            (*on_path, *longest) = (member, way);
        }
    };
    // Owners stand before what they fork, and sets in the order of their owners; those without one come last.
    let without_owner = structure.sets_of(None);
    let (owned, roots) = structure.sets().split_at(without_owner.start as usize);
    for (number, set) in owned.iter().enumerate().rev() {
        choose(number, set);
    }
    for (number, set) in (owned.len()..).zip(roots) {
        choose(number, set);
    }
    let mut critical = Vec::new();
    let mut open = vec![without_owner];
    while let Some(sets) = open.pop() {
        let sets = sets.start as usize..sets.end as usize;
        let members = on_path.get(sets).unwrap_or_default();
        for &member in members.iter().filter(|&&member| member != NONE) {
            critical.push(member);
            open.push(structure.sets_of(Some(member)));
        }
    }
    critical.sort_unstable();
    critical
}

/// Work of each grain; the first of a group has that of all.
struct Weights<'a> {
    work: &'a CompactColumn<i64>,
    /// By grain; empty if there is no group.
    of_groups: Vec<i64>,
}

impl<'a> Weights<'a> {
    fn of(run: &'a RunTables, grouped: &Grouped) -> Self {
        let mut weights = Self {
            work: &run.grains.work,
            of_groups: Vec::new(),
        };
        let rows = 0..to_u32(grouped.first.len());
        let mut sums: Vec<i64> = rows.map(|grain| weights.get(grain)).collect();
        for (grain, &first) in (0..).zip(&grouped.first) {
            if first != grain
                && let Some(sum) = sums.get_mut(first as usize)
            {
                *sum = sum.saturating_add(weights.get(grain));
            }
        }
        weights.of_groups = sums;
        weights
    }

    fn get(&self, grain: u32) -> i64 {
        let at = grain as usize;
        let of_group = self.of_groups.get(at).copied();
        of_group.unwrap_or_else(|| self.work.get(at).unwrap_or(0))
    }
}

/// Book-keeping that one thread did for a loop in several grains: the first of them stands for all.
struct Grouped {
    /// By grain, the first of its group; empty where there is no such group.
    first: Vec<u32>,
    /// By grain, grains before it that have no node; empty likewise.
    skipped: Vec<u32>,
}

impl Grouped {
    fn of(run: &RunTables, structure: &Structure) -> Self {
        let mut grouped = Self {
            first: Vec::new(),
            skipped: Vec::new(),
        };
        let is_book_keeping = book_keeping(run);
        if !is_book_keeping.contains(&true) {
            return grouped;
        }
        let is_grouped = |grain: u32| {
            let context = usize::try_from(run.grains.context.value(grain as usize)).ok();
            let found = context.and_then(|context| is_book_keeping.get(context));
            // What has sets of its own is no leaf.
            found == Some(&true) && structure.sets_of(Some(grain)).is_empty()
        };
        grouped.first = (0..to_u32(structure.num_grains())).collect();
        let location = &run.grains.location;
        for set in structure.sets() {
            let members = structure.members(set).iter().copied();
            let mut own: Vec<(i32, u32)> = members
                .filter(|&member| is_grouped(member) && location.is_valid(member as usize))
                .map(|member| (location.value(member as usize), member))
                .collect();
            own.sort_unstable();
            for thread in own.chunk_by(|a, b| a.0 == b.0) {
                for &(_, member) in thread {
                    if let (Some(slot), Some(&(_, first))) =
                        (grouped.first.get_mut(member as usize), thread.first())
                    {
                        *slot = first;
                    }
                }
            }
        }
        let mut skipped = 0;
        for (grain, &first) in (0..).zip(&grouped.first) {
            grouped.skipped.push(skipped);
            skipped += u32::from(first != grain);
        }
        grouped
    }

    fn first(&self, grain: u32) -> Option<u32> {
        self.first.get(grain as usize).copied()
    }

    fn has_node(&self, grain: u32) -> bool {
        self.first(grain).is_none_or(|first| first == grain)
    }

    fn node(&self, grain: u32) -> u32 {
        1 + grain - self.skipped.get(grain as usize).copied().unwrap_or(0)
    }
}

/// What edges follow from.
struct Reduced<'a> {
    structure: &'a Structure,
    grouped: Grouped,
    num_grains: u32,
    first_fork: u32,
    end: u32,
}

impl Reduced<'_> {
    fn fork(&self, set: u32) -> u32 {
        self.first_fork + 2 * set
    }

    fn join(&self, set: u32) -> u32 {
        self.fork(set) + 1
    }

    /// The way from a grain through its sets to what collects it.
    fn chain(
        &self,
        owner: Option<u32>,
        from: u32,
        to: u32,
        edge: &mut impl FnMut(u32, u32, EdgeKind),
    ) {
        let mut last = from;
        for set in self.structure.sets_of(owner) {
            edge(last, self.fork(set), EdgeKind::Continuation);
            last = self.join(set);
        }
        let is_leaf = last == from && owner.is_some();
        let kind = if is_leaf && to != self.end {
            EdgeKind::Synchronisation
        } else {
            EdgeKind::Continuation
        };
        edge(last, to, kind);
    }
}

impl Edges for Reduced<'_> {
    fn each(&self, _: &Nodes, edge: &mut impl FnMut(u32, u32, EdgeKind)) {
        self.chain(None, 0, self.end, edge);
        for grain in (0..self.num_grains).filter(|&grain| self.grouped.has_node(grain)) {
            let set = self.structure.set_of(grain);
            let join = set.map_or(self.end, |set| self.join(set));
            self.chain(Some(grain), self.grouped.node(grain), join, edge);
        }
        for (number, set) in (0..).zip(self.structure.sets()) {
            let members = self.structure.members(set).iter();
            for &member in members.filter(|&&member| self.grouped.has_node(member)) {
                edge(
                    self.fork(number),
                    self.grouped.node(member),
                    EdgeKind::Creation,
                );
            }
        }
    }
}
