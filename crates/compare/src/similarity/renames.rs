//! Definitions that have other names in other runs, so that these are compared as one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sheaf_model::{Progress, RunSummary};

use crate::diff::{IterationCounts, Mapping, number_as_newest, rename_links};
use crate::renaming::{Renaming, RunSet};
use sheaf_analysis::EnsembleTree;
use sheaf_analysis::Error;
use sheaf_answers::{JoinedNames, Note, RenameFact};

/// Sets of definitions up to which runs are matched.
const MAX_SETS: usize = 200;

/// Weight of two different definitions of one kind; two equal definitions have weight 1. A function with a new name has
/// as many definitions of each kind as before.
const OF_KINDS: f64 = 0.5;

/// Renames that a note lists.
const LISTED: usize = 3;

/// Runs with the same definitions.
struct Set<'a> {
    definitions: BTreeSet<&'a [u8]>,
    /// Number of definitions of each kind.
    kinds: BTreeMap<&'a str, usize>,
    /// Places among all runs.
    runs: Vec<usize>,
}

/// The runs with their constructs numbered alike, in the same order, and notes for the reader: a construct that was
/// added before others of its kind gives these other numbers. Runs with the same definitions are numbered together, as
/// in the runs that have most definitions in common with them, beginning with those of the first run. Quadratic in such
/// sets; runs of more than 200 are left as they are.
///
/// # Errors
/// When the work was stopped.
pub fn number_alike(
    runs: &[Arc<RunSummary>],
    progress: &Progress,
) -> Result<(Vec<Arc<RunSummary>>, Vec<Note>), Error> {
    let mut numbered = runs.to_vec();
    let mut notes = Vec::new();
    let sets = sets(runs);
    if (2..=MAX_SETS).contains(&sets.len()) {
        for (known, next) in neighbours(&sets) {
            progress.check()?;
            let of_set = |set: usize| -> Vec<Arc<RunSummary>> {
                let places = sets[set].runs.iter();
                places.map(|&at| Arc::clone(&numbered[at])).collect()
            };
            let mut both = [of_set(next), of_set(known)];
            notes.extend(number_as_newest(&mut both, &IterationCounts::new()));
            let [changed, _] = both;
            for (&at, run) in sets[next].runs.iter().zip(changed) {
                numbered[at] = run;
            }
        }
    }
    Ok((numbered, notes))
}

/// Which definitions of the runs are one: those that the user says are, and those that the matching of runs
/// infers. Runs with the same definitions are matched together, each such set with the one that it has most
/// definitions in common with (a spanning tree; definitions of the same kind count half), so that versions are
/// matched with their neighbours. Quadratic in the sets; nothing is inferred where there are more than 200.
///
/// # Errors
/// When the work was stopped.
pub fn renaming(
    runs: &[Arc<RunSummary>],
    mapping: &Mapping,
    progress: &Progress,
) -> Result<(Renaming, Vec<Note>), Error> {
    let first = runs.first().map(|run| run.definitions.id.value_data());
    let is_first = |run: &Arc<RunSummary>| Some(run.definitions.id.value_data()) == first;
    if runs.iter().all(is_first) && mapping.entries.is_empty() {
        return Ok(Default::default());
    }
    let tree = EnsembleTree::union(runs.iter().cloned());
    let sets = sets(tree.runs());
    let mut notes = Vec::new();
    let mut links = Vec::new();
    let counts = IterationCounts::new();
    if sets.len() > MAX_SETS {
        let sets = sets.len() as u64;
        notes.push(RenameFact::TooManyDefinitionSets { sets }.into());
    } else {
        for (known, next) in neighbours(&sets) {
            progress.check()?;
            let (a, b) = (known.min(next), known.max(next));
            let is_apart = |x: &Set<'_>, y: &Set<'_>| !x.definitions.is_subset(&y.definitions);
            // A rename is a definition of one and another of the other.
            if is_apart(&sets[a], &sets[b]) && is_apart(&sets[b], &sets[a]) {
                let places = [sets[a].runs.clone(), sets[b].runs.clone()];
                links.extend(rename_links(&tree, &places, [&counts; 2], mapping));
            }
        }
    }
    let run_sets: Vec<RunSet<'_>> = sets.iter().map(|set| run_set(set, tree.runs())).collect();
    let renaming = Renaming::new(&links, mapping, &run_sets);
    notes.extend(compared_as_one(&renaming).map(Note::from));
    notes.extend(renaming.notes().iter().cloned());
    Ok((renaming, notes))
}

fn sets(runs: &[Arc<RunSummary>]) -> Vec<Set<'_>> {
    let mut of_table: BTreeMap<&[u8], usize> = BTreeMap::new();
    let mut sets: Vec<Set<'_>> = Vec::new();
    for (place, run) in runs.iter().enumerate() {
        // Tables are sorted by id, so equal sets are equal bytes.
        let at = *of_table
            .entry(run.definitions.id.value_data())
            .or_insert(sets.len());
        if at == sets.len() {
            let mut kinds = BTreeMap::new();
            for kind in run.definitions.kind.iter().flatten() {
                *kinds.entry(kind).or_default() += 1;
            }
            sets.push(Set {
                definitions: run.definitions.id.iter().flatten().collect(),
                kinds,
                runs: Vec::new(),
            });
        }
        sets[at].runs.push(place);
    }
    sets
}

/// Pairs of sets that span all of them, from the first set on, the most alike first (Prim); of equals those that come
/// first. The second set of each pair is new.
fn neighbours(sets: &[Set<'_>]) -> Vec<(usize, usize)> {
    let similarity = |a: usize, b: usize| {
        let common = sets[a]
            .definitions
            .intersection(&sets[b].definitions)
            .count();
        let both = sets[a].definitions.len() + sets[b].definitions.len();
        let kinds = sets[a].kinds.iter();
        let same_kind = kinds.fold(0, |sum, (kind, count)| {
            sum + *sets[b].kinds.get(kind).unwrap_or(&0).min(count)
        });
        let alike = common as f64 + OF_KINDS * same_kind.saturating_sub(common) as f64;
        alike / (both - same_kind.max(common)).max(1) as f64
    };
    let mut nearest: Vec<Option<(f64, usize)>> = (0..sets.len())
        .map(|set| (set > 0).then(|| (similarity(0, set), 0)))
        .collect();
    let mut pairs = Vec::new();
    while let Some((set, (_, other))) = nearest
        .iter()
        .enumerate()
        .filter_map(|(set, near)| Some((set, (*near)?)))
        .max_by(|x, y| x.1.0.total_cmp(&y.1.0).then(y.0.cmp(&x.0)))
    {
        pairs.push((other, set));
        nearest[set] = None;
        for (at, near) in nearest.iter_mut().enumerate() {
            if let Some((best, from)) = near {
                let own = similarity(set, at);
                if own > *best {
                    (*best, *from) = (own, set);
                }
            }
        }
    }
    pairs
}

fn run_set<'a>(set: &Set<'_>, runs: &'a [Arc<RunSummary>]) -> RunSet<'a> {
    let first = set.runs.first().and_then(|&run| runs.get(run));
    RunSet {
        name: first.map_or_else(String::new, |run| format!("run {}", run.meta.name)),
        runs: first.into_iter().map(AsRef::as_ref).collect(),
    }
}

/// The note about definitions that are compared as one.
fn compared_as_one(renaming: &Renaming) -> Option<RenameFact> {
    let classes = renaming.classes();
    if classes.is_empty() {
        return None;
    }
    let one = |names: &Vec<crate::renaming::RenamedName>| {
        let links = names.iter().filter_map(|name| name.link);
        let weakest = links.max_by(|x, y| x.0.cmp(&y.0).then(y.1.total_cmp(&x.1)));
        JoinedNames {
            names: names.iter().map(|name| name.name.to_string()).collect(),
            matched_by: weakest.map(|(by, _)| by),
            score: weakest.map(|(_, score)| score),
        }
    };
    Some(RenameFact::ComparedAsOne {
        definitions: classes.iter().take(LISTED).map(one).collect(),
        more: classes.len().saturating_sub(LISTED) as u64,
    })
}
