//! What a mapping says that has no effect, or that cannot all hold.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sheaf_answers::{MappingFault, Note, RenameFact, StatedPair};
use sheaf_model::{DefinitionId, RunSummary};

use super::MappedPair;

#[cfg(test)]
mod tests;

/// Something wrong with what a mapping says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EntryFault {
    /// Places of the entries that it is about; taking back the last mends it.
    pub(super) entries: Vec<usize>,
    /// What is wrong.
    pub(super) why: MappingFault,
    /// Whether they contradict each other; else they have no effect.
    pub(super) is_contradiction: bool,
}

/// A name with the definitions that have it.
type Named = BTreeMap<String, BTreeSet<DefinitionId>>;

/// Runs with the same definitions, by name of the first.
struct Runs {
    name: String,
    definitions: BTreeSet<DefinitionId>,
}

/// Everything wrong with `entries`, in their order, given all runs that there are. Linear in the definitions of
/// different sets of them, for each entry.
pub(super) fn faults(entries: &[MappedPair], runs: &[Arc<RunSummary>]) -> Vec<EntryFault> {
    if entries.is_empty() {
        return Vec::new();
    }
    let (sets, named) = known(runs);
    let mut found: Vec<EntryFault> = (0..entries.len())
        .filter_map(|at| effect(entries, at, &sets, &named))
        .collect();
    found.extend(said_twice(entries));
    found.extend(classes(entries, &sets, &named));
    found
}

fn known(runs: &[Arc<RunSummary>]) -> (Vec<Runs>, Named) {
    let mut seen: BTreeSet<&[u8]> = BTreeSet::new();
    let (mut sets, mut named) = (Vec::new(), Named::new());
    for run in runs {
        if !seen.insert(run.definitions.id.value_data()) {
            continue;
        }
        let mut definitions = BTreeSet::new();
        for row in run.definitions.rows() {
            let id = DefinitionId(row.id);
            definitions.insert(id);
            named.entry(row.name).or_default().insert(id);
            named.entry(id.to_string()).or_default().insert(id);
        }
        sets.push(Runs {
            name: run.meta.name.clone(),
            definitions,
        });
    }
    (sets, named)
}

impl EntryFault {
    /// A note that names the fault and the statement to take back. `entries` are in the order of the file.
    pub(super) fn note(&self, entries: &[MappedPair], in_comparison: bool) -> Note {
        let entry = self.entries.last().and_then(|&at| entries.get(at));
        let fact = RenameFact::MappingFault {
            fault: self.why.clone(),
            take_back: entry.map(stated),
            in_comparison,
        };
        fact.into()
    }

    /// The same where some of the entries are only asked for: what must be taken back of the others before.
    pub(super) fn refusal(
        &self,
        entries: &[MappedPair],
        is_new: impl Fn(usize) -> bool,
        runs: &[Arc<RunSummary>],
    ) -> String {
        let old: Vec<usize> = self
            .entries
            .iter()
            .copied()
            .filter(|&at| !is_new(at))
            .collect();
        if old.is_empty() {
            return format!("{}; ask for one of them only", self.why);
        }
        let is_enough = |left_out: &usize| {
            let others = entries.iter().enumerate().filter(|(at, _)| at != left_out);
            let others: Vec<MappedPair> = others.map(|(_, entry)| entry.clone()).collect();
            !faults(&others, runs)
                .iter()
                .any(|fault| fault.is_contradiction)
        };
        let one = old.iter().rev().copied().find(is_enough);
        let taken_back = one.map_or(old, |at| vec![at]);
        let taken_back: Vec<&MappedPair> = taken_back
            .iter()
            .filter_map(|&at| entries.get(at))
            .collect();
        format!(
            "{}; to state it nevertheless, first run `{}`",
            self.why,
            forget(&taken_back)
        )
    }
}

/// The command that takes entries back.
fn forget(entries: &[&MappedPair]) -> String {
    let pairs = entries.iter().map(|entry| {
        let pair = format!("{} = {}", entry.a, entry.b);
        format!(" --forget '{}'", pair.replace('\'', "'\\''"))
    });
    format!("grainsheaf match{}", pairs.collect::<String>())
}

/// Why an entry changes nothing, whatever is compared.
fn effect(entries: &[MappedPair], at: usize, sets: &[Runs], named: &Named) -> Option<EntryFault> {
    let entry = entries.get(at)?;
    let stated = stated(entry);
    let fault = |why: MappingFault| EntryFault {
        entries: vec![at],
        why,
        is_contradiction: false,
    };
    let unknown = |name: &String| {
        let (stated, name) = (stated.clone(), name.clone());
        fault(MappingFault::NoSuchDefinition { stated, name })
    };
    let (a, b) = match (named.get(&entry.a), named.get(&entry.b)) {
        (None, _) => return Some(unknown(&entry.a)),
        (_, None) => return Some(unknown(&entry.b)),
        (Some(a), Some(b)) => (a, b),
    };
    if a == b {
        return Some(fault(MappingFault::OneDefinition { stated }));
    }
    let only = |x: &BTreeSet<DefinitionId>, y: &BTreeSet<DefinitionId>| {
        let has = |set: &Runs, ids: &BTreeSet<DefinitionId>| !set.definitions.is_disjoint(ids);
        sets.iter().any(|set| has(set, x) && !has(set, y))
    };
    if only(a, b) && only(b, a) {
        return None;
    }
    // One of them is on both sides of every comparison that has both.
    let always = if only(a, b) { &entry.b } else { &entry.a };
    let other = if only(a, b) { &entry.a } else { &entry.b };
    Some(fault(MappingFault::AlwaysTogether {
        always: always.clone(),
        other: other.clone(),
        stated,
    }))
}

/// An entry as a statement.
pub(super) fn stated(entry: &MappedPair) -> StatedPair {
    StatedPair {
        a: entry.a.clone(),
        b: entry.b.clone(),
        same: entry.same,
    }
}

/// Pairs that are stated to be the same, and stated to be different.
fn said_twice(entries: &[MappedPair]) -> Vec<EntryFault> {
    let mut first: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut found = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let key = (
            entry.a.as_str().min(&entry.b),
            entry.a.as_str().max(&entry.b),
        );
        let before = *first.entry(key).or_insert(at);
        if entries[before].same != entry.same {
            found.push(EntryFault {
                entries: vec![before, at],
                why: MappingFault::StatedTwice {
                    a: entry.a.clone(),
                    b: entry.b.clone(),
                },
                is_contradiction: true,
            });
        }
    }
    found
}

/// What follows from several entries and cannot be: that one definition is two which occur in one run, or one
/// that it is stated not to be.
fn classes(entries: &[MappedPair], sets: &[Runs], named: &Named) -> Vec<EntryFault> {
    let mut members: Vec<(BTreeSet<DefinitionId>, Vec<usize>)> = Vec::new();
    let mut found = Vec::new();
    for (at, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.same) {
        let (Some(a), Some(b)) = (named.get(&entry.a), named.get(&entry.b)) else {
            continue;
        };
        let mut joined: BTreeSet<DefinitionId> = a.union(b).copied().collect();
        let mut from = vec![at];
        members.retain(|(class, entries)| {
            let is_apart = class.is_disjoint(&joined);
            if !is_apart {
                joined.extend(class);
                from.extend(entries);
            }
            is_apart
        });
        from.sort_unstable();
        members.push((joined, from));
    }
    for (class, from) in &members {
        let twice = sets
            .iter()
            .find_map(|set| Some((set, of(&set.definitions, class, named)?)));
        if let Some((run, [a, b])) = twice.filter(|_| from.len() > 1) {
            found.push(EntryFault {
                entries: from.clone(),
                why: MappingFault::BothInRun {
                    a,
                    b,
                    run: run.name.clone(),
                },
                is_contradiction: true,
            });
        }
    }
    for (at, entry) in entries.iter().enumerate().filter(|(_, entry)| !entry.same) {
        let (Some(a), Some(b)) = (named.get(&entry.a), named.get(&entry.b)) else {
            continue;
        };
        let by_way = members
            .iter()
            .find(|(class, from)| from.len() > 1 && !class.is_disjoint(a) && !class.is_disjoint(b));
        if let Some((_, from)) = by_way {
            found.push(EntryFault {
                entries: from.iter().copied().chain([at]).collect(),
                why: MappingFault::SameByAnother {
                    a: entry.a.clone(),
                    b: entry.b.clone(),
                },
                is_contradiction: true,
            });
        }
    }
    found
}

/// Names of two definitions of a class that one run has.
fn of(
    run: &BTreeSet<DefinitionId>,
    class: &BTreeSet<DefinitionId>,
    named: &Named,
) -> Option<[String; 2]> {
    let mut both = class.intersection(run);
    let name = |id: &DefinitionId| {
        let is_name = |(name, ids): &(&String, &BTreeSet<DefinitionId>)| {
            ids.contains(id) && **name != id.to_string()
        };
        let found = named.iter().find(is_name);
        found.map_or_else(|| id.to_string(), |(name, _)| name.clone())
    };
    Some([name(both.next()?), name(both.next()?)])
}
