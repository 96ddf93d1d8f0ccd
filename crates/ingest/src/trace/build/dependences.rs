//! Dependence edges between sibling tasks, from their depend clauses.
//!
//! Runtimes report an edge only where the predecessor was still running, so edges are computed:
//! per parent and address, in creation order. Tasks that may run together (readers, members of
//! a `mutexinoutset` or `inoutset`) form a group, and each task depends on all of the group
//! before its own. Edges that follow from others are left out, as runtimes do.

use std::collections::BTreeSet;

use sheaf_model::table::GrainKind;

use super::records::{DependItem, NONE, Records, Slot, mark};
use super::tally::Tally;
use crate::trace::DependenceKind;
use rustc_hash::FxHashMap;

/// Tasks that last used an address.
#[derive(Debug, Default, Clone)]
struct Uses {
    group: Vec<Slot>,
    before: Vec<Slot>,
    kind: Option<Group>,
}

/// How tasks of a group may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Group {
    Together(DependenceKind),
    Alone,
}

#[derive(Debug, Default)]
struct Siblings {
    addresses: FxHashMap<u64, Uses>,
    /// The last task that depends on all memory.
    all_memory: Option<Slot>,
}

/// (predecessor, successor), sorted by successor.
pub(super) fn edges(records: &Records, tally: &mut Tally) -> Vec<(Slot, Slot)> {
    let items = &records.depends;
    // Two large groups after each other have edges from all to all: a damaged or odd trace
    // must not take all memory.
    let most_edges = items.len().saturating_mul(16).saturating_add(1 << 20);
    let mut parents: FxHashMap<Slot, Siblings> = FxHashMap::default();
    let mut edges: Vec<(Slot, Slot)> = Vec::new();
    for clause in items.chunk_by(|a, b| a.task == b.task) {
        let Some(first) = clause.first() else {
            continue;
        };
        let slot = successor_of(records, first.task);
        let Some(task) = records.grains.get(slot as usize) else {
            continue;
        };
        if task.is(mark::FOLDED) || task.parent == NONE {
            continue;
        }
        let siblings = parents.entry(task.parent).or_default();
        let predecessors = siblings.add(slot, clause);
        for predecessor in predecessors {
            if edges.len() >= most_edges || records.grain(predecessor).created > task.created {
                tally.dropped_dependences += 1;
            } else if predecessor != slot {
                edges.push((predecessor, slot));
            }
        }
    }
    edges.sort_unstable_by_key(|&(predecessor, successor)| (successor, predecessor));
    edges.dedup();
    count_unmatched(records, &edges, tally);
    edges
}

/// The task that the dependences reported for a task are of: of the empty task before an undeferred one, the latter.
fn successor_of(records: &Records, task: Slot) -> Slot {
    let grain = records.grain(task);
    if grain.is(mark::FOLDED) && grain.kind == GrainKind::Task {
        grain.origin
    } else {
        task
    }
}

impl Siblings {
    /// Takes in a task's clause and returns what it depends on.
    fn add(&mut self, task: Slot, clause: &[DependItem]) -> BTreeSet<Slot> {
        let is_all_memory = |item: &DependItem| {
            matches!(
                item.kind,
                DependenceKind::OutAllMemory | DependenceKind::InoutAllMemory
            )
        };
        let mut predecessors = BTreeSet::new();
        if clause.iter().any(is_all_memory) {
            for uses in self.addresses.values() {
                predecessors.extend(&uses.group);
            }
            predecessors.extend(self.all_memory);
            self.addresses.clear();
            self.all_memory = Some(task);
            return predecessors;
        }
        for item in strongest(clause) {
            let uses = self.addresses.entry(item.address).or_insert_with(|| Uses {
                group: self.all_memory.into_iter().collect(),
                kind: self.all_memory.map(|_| Group::Alone),
                ..Uses::default()
            });
            predecessors.extend(uses.add(task, item));
        }
        predecessors
    }
}

/// One item per address: a task that names one twice needs the stronger.
fn strongest(clause: &[DependItem]) -> Vec<DependItem> {
    let mut items: Vec<DependItem> = clause.to_vec();
    items.sort_by_key(|item| item.address);
    items.dedup_by(|later, kept| {
        let is_same = later.address == kept.address;
        if is_same && later.kind != kept.kind {
            kept.kind = DependenceKind::Inout;
        }
        is_same
    });
    items
}

impl Uses {
    fn add(&mut self, task: Slot, item: DependItem) -> &[Slot] {
        let kind = match item.kind {
            DependenceKind::In | DependenceKind::Mutexinoutset | DependenceKind::Inoutset => {
                Group::Together(item.kind)
            }
            _ => Group::Alone,
        };
        let joins = self.kind == Some(kind) && kind != Group::Alone;
        if !joins {
            self.before = std::mem::take(&mut self.group);
            self.kind = Some(kind);
        }
        self.group.push(task);
        &self.before
    }
}

/// The runtime's own pairs are a cross-check: each should be an edge.
fn count_unmatched(records: &Records, edges: &[(Slot, Slot)], tally: &mut Tally) {
    for &(source, sink) in &records.depend_pairs {
        let is_folded = [source, sink]
            .iter()
            .any(|&task| records.grain(task).is(mark::FOLDED));
        let found = edges.binary_search_by_key(&(sink, source), |&(predecessor, successor)| {
            (successor, predecessor)
        });
        if !is_folded && found.is_err() {
            tally.unmatched_pairs += 1;
        }
    }
}
