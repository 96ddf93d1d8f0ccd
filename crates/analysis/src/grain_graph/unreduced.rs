//! The unreduced form: fragments, forks and joins in program order.

use std::ops::Range;

use arrow::array::Array;
use sheaf_model::RunTables;
use sheaf_model::table::{Fragments, GrainKind};

use super::NONE;
use super::graph::{Builder, EdgeKind, GrainGraph, NodeKind};
use super::structure::{SetKind, Structure, to_u32};

/// One thing that a grain does, in the order of its timeline.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    time: i64,
    step: Step,
}

/// Steps at one time follow each other in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// Creates a task.
    Fork(u32),
    /// Begins a parallel region: a sibling set.
    Region(u32),
    /// Runs a chunk itself.
    Chunk(u32),
    /// Waits for a sibling set.
    Join(u32),
    /// Runs: a row of the fragments' table.
    Run(u32),
}

/// Nodes of every grain, and of every set's join.
struct Nodes {
    first: Vec<u32>,
    last: Vec<u32>,
    joins: Vec<u32>,
}

pub(super) fn build(run: &RunTables, structure: &Structure) -> GrainGraph {
    let timelines = Timelines::new(run, structure);
    let mut builder = Builder::default();
    let grains = structure.num_grains();
    let mut nodes = Nodes {
        first: vec![NONE; grains + 1],
        last: vec![NONE; grains + 1],
        joins: vec![NONE; structure.sets().len()],
    };
    // What the run begins with comes first, then every grain by row.
    let owners = std::iter::once(grains).chain(0..grains);
    let mut items = Vec::new();
    let mut placed: Vec<(u32, Vec<(Item, u32)>)> = Vec::with_capacity(grains + 1);
    for owner in owners {
        timelines.items(owner, &mut items);
        let list = place_items(&mut builder, &mut nodes, run, owner, &items);
        placed.push((to_u32(owner), list));
    }
    for (owner, list) in &placed {
        connect(&mut builder, &nodes, structure, *owner, list);
    }
    for row in 0..run.dependences.len() {
        let node = |nodes: &[u32], grain: i32| {
            let grain = usize::try_from(grain).ok()?;
            nodes.get(grain).copied().filter(|&node| node != NONE)
        };
        let from = node(&nodes.last, run.dependences.predecessor.value(row));
        let to = node(&nodes.first, run.dependences.successor.value(row));
        if let (Some(from), Some(to)) = (from, to) {
            builder.edge(from, to, EdgeKind::Dependence);
        }
    }
    builder.finish()
}

/// Makes the nodes of a grain; chunks have their own.
fn place_items(
    builder: &mut Builder,
    nodes: &mut Nodes,
    run: &RunTables,
    owner: usize,
    items: &[Item],
) -> Vec<(Item, u32)> {
    let grain = if owner < run.grains.len() {
        to_u32(owner)
    } else {
        NONE
    };
    let mut list = Vec::with_capacity(items.len());
    for &item in items {
        let node = match item.step {
            Step::Run(row) => {
                let weight = run.fragments.duration.value(row as usize);
                builder.node(NodeKind::Fragment, grain, row, weight)
            }
            Step::Fork(child) => builder.node(NodeKind::Fork, grain, child, 0),
            Step::Region(set) => builder.node(NodeKind::Fork, grain, set, 0),
            Step::Join(set) => {
                let node = builder.node(NodeKind::Join, grain, set, 0);
                if let Some(join) = nodes.joins.get_mut(set as usize) {
                    *join = node;
                }
                node
            }
            Step::Chunk(_) => NONE,
        };
        list.push((item, node));
    }
    if list.iter().all(|(_, node)| *node == NONE) && grain != NONE {
        // A grain that never ran still stands between its fork and its join.
        let node = builder.node(NodeKind::Fragment, grain, NONE, 0);
        let step = Step::Run(NONE);
        list.insert(0, (Item { time: 0, step }, node));
    }
    let own = |node: &&(Item, u32)| node.1 != NONE;
    if let Some((_, node)) = list.iter().find(own) {
        nodes.first[owner] = *node;
    }
    if let Some((_, node)) = list.iter().rev().find(own) {
        nodes.last[owner] = *node;
    }
    list
}

/// Edges along a grain's timeline, to what it creates, and to what collects it.
fn connect(
    builder: &mut Builder,
    nodes: &Nodes,
    structure: &Structure,
    owner: u32,
    list: &[(Item, u32)],
) {
    let mut before = NONE;
    let get = |nodes: &[u32], at: u32| nodes.get(at as usize).copied().unwrap_or(NONE);
    for &(item, node) in list {
        let (into, out) = match item.step {
            Step::Chunk(chunk) => (get(&nodes.first, chunk), get(&nodes.last, chunk)),
            _ => (node, node),
        };
        if into == NONE {
            continue;
        }
        // Outside any grain nothing runs between the fork and the join.
        let is_outside = structure.num_grains() == owner as usize;
        if before != NONE && !(is_outside && matches!(item.step, Step::Join(_))) {
            builder.edge(before, into, EdgeKind::Continuation);
        }
        before = out;
        match item.step {
            Step::Fork(child) => builder.edge(node, get(&nodes.first, child), EdgeKind::Creation),
            Step::Region(set) => {
                let set = structure.sets().get(set as usize);
                for &member in set.map(|set| structure.members(set)).unwrap_or_default() {
                    builder.edge(node, get(&nodes.first, member), EdgeKind::Creation);
                }
            }
            Step::Chunk(_) | Step::Join(_) | Step::Run(_) => {}
        }
    }
    // Chunks of a work-sharing loop have no join: their member goes on behind each.
    let join = structure
        .set_of(owner)
        .map_or(NONE, |set| get(&nodes.joins, set));
    if join != NONE && before != NONE {
        builder.edge(before, join, EdgeKind::Synchronisation);
    }
}

/// What each grain does, from the tables.
struct Timelines<'a> {
    run: &'a RunTables,
    structure: &'a Structure,
    fragments: Vec<u32>,
    /// Children by parent.
    children: Vec<u32>,
    first_child: Vec<u32>,
}

impl<'a> Timelines<'a> {
    fn new(run: &'a RunTables, structure: &'a Structure) -> Self {
        let grains = run.grains.len();
        let (first_child, children) = group(grains + 1, grains, |row| {
            structure
                .parent(to_u32(row))
                .map_or(grains, |parent| parent as usize)
        });
        Self {
            run,
            structure,
            fragments: starts(&run.fragments, grains),
            children,
            first_child,
        }
    }

    /// The items of a grain, or of the run where `owner` is the number of grains, in order.
    fn items(&self, owner: usize, items: &mut Vec<Item>) {
        items.clear();
        for row in bounds(&self.fragments, owner) {
            let time = self.run.fragments.start.value(row as usize);
            items.push(Item {
                time,
                step: Step::Run(row),
            });
        }
        for at in bounds(&self.first_child, owner) {
            if let Some(&child) = self.children.get(at as usize) {
                items.extend(self.child(child));
            }
        }
        let grain = (owner < self.run.grains.len()).then(|| to_u32(owner));
        for set in self.structure.sets_of(grain) {
            items.extend(self.set(set));
        }
        items.sort_unstable();
    }

    fn child(&self, child: u32) -> Option<Item> {
        let at = child as usize;
        let grains = &self.run.grains;
        let step = match GrainKind::from_code(grains.kind.value(at))? {
            GrainKind::Chunk => Step::Chunk(child),
            GrainKind::Implicit => return None,
            GrainKind::Initial | GrainKind::Task | GrainKind::TaskloopChunk => Step::Fork(child),
        };
        let get = |array: &arrow::array::Int64Array| array.is_valid(at).then(|| array.value(at));
        let time = match step {
            Step::Chunk(_) => get(&grains.start),
            _ => get(&grains.created).or_else(|| get(&grains.start)),
        };
        let time = time.unwrap_or_else(|| grains.index.value(at));
        Some(Item { time, step })
    }

    /// When a set is forked, where it is forked as a whole, and when it is joined.
    fn set(&self, number: u32) -> impl Iterator<Item = Item> {
        let set = self.structure.sets().get(number as usize);
        let members = set
            .map(|set| self.structure.members(set))
            .unwrap_or_default();
        let grains = &self.run.grains;
        let times = |array: &arrow::array::Int64Array| -> Vec<i64> {
            let valid = members.iter().map(|&row| row as usize);
            valid
                .filter(|&row| array.is_valid(row))
                .map(|row| array.value(row))
                .collect()
        };
        let kind = set.map(|set| set.kind);
        let fork = (kind == Some(SetKind::Members)).then(|| Item {
            time: times(&grains.start).into_iter().min().unwrap_or(i64::MIN),
            step: Step::Region(number),
        });
        let wait = set.and_then(|set| set.wait);
        let join = kind
            .filter(|kind| *kind != SetKind::Chunks || self.is_taskloop(members))
            .map(|_| Item {
                time: wait.map_or_else(
                    || times(&grains.end).into_iter().max().unwrap_or(i64::MAX),
                    |wait| self.run.waits.start.value(wait as usize),
                ),
                step: Step::Join(number),
            });
        fork.into_iter().chain(join)
    }

    fn is_taskloop(&self, members: &[u32]) -> bool {
        members.first().is_some_and(|&row| {
            self.run.grains.kind.value(row as usize) == GrainKind::TaskloopChunk as i32
        })
    }
}

/// First fragment of each grain, and behind them their number; fragments are sorted by grain.
fn starts(fragments: &Fragments, grains: usize) -> Vec<u32> {
    let rows = fragments.grain.values();
    let mut first = Vec::with_capacity(grains + 2);
    let mut row = 0;
    for grain in 0..=grains {
        while rows
            .get(row)
            .is_some_and(|&at| usize::try_from(at).unwrap_or(0) < grain)
        {
            row += 1;
        }
        first.push(to_u32(row));
    }
    first.push(to_u32(row));
    first
}

/// Items by slot: the first of each slot, and the items sorted by slot, else as they are.
fn group(slots: usize, items: usize, slot: impl Fn(usize) -> usize) -> (Vec<u32>, Vec<u32>) {
    let mut first = vec![0_u32; slots + 1];
    for item in 0..items {
        if let Some(count) = first.get_mut(slot(item) + 1) {
            *count += 1;
        }
    }
    let mut sum = 0;
    for count in &mut first {
        sum += *count;
        *count = sum;
    }
    let mut next = first.clone();
    let mut sorted = vec![0; items];
    for item in 0..items {
        if let Some(place) = next.get_mut(slot(item)) {
            if let Some(entry) = sorted.get_mut(*place as usize) {
                *entry = to_u32(item);
            }
            *place += 1;
        }
    }
    (first, sorted)
}

fn bounds(first: &[u32], slot: usize) -> Range<u32> {
    let at = |slot: usize| first.get(slot).copied().unwrap_or(0);
    at(slot)..at(slot + 1)
}
