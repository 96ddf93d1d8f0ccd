//! Constructs that have the number of another since some before them were added, removed or moved elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sheaf_answers::{ConstructPair, DiffFact, Note, Reason, Why};
use sheaf_model::table::{ContextRow, DefinitionRow};
use sheaf_model::{ContextId, DefinitionId, RunSummary};

use super::super::grouped::{
    IterationCounts, NodeFacts, contexts_of, definitions_of, iterations_of,
};
use super::super::naming::names_among;
use super::super::{DiffContext, DiffDefinition};
use super::align::{align, by_ordinal, pairs_by_ordinal, rivals};
use super::constructs::{Function, Sides, is_construct, list_constructs};
use super::reused::reused;
use super::swapped::swapped;
use sheaf_analysis::{EnsembleTree, may_lack_loops};

/// By how much the constructs of a function must fit better in another numbering.
const LEAST: f64 = 0.1;

/// New identities of definitions of the baseline.
#[derive(Debug, Clone, Default)]
pub(in crate::diff) struct Renumbering {
    /// By the definition of the baseline: that of the candidate which it is, or one of its own that the candidate has
    /// not got, with the ordinal there.
    to: BTreeMap<DefinitionId, (DefinitionId, i32)>,
    /// Constructs of which it is not known which they are on the other side, with the reason.
    pub(in crate::diff) unclear: BTreeMap<DefinitionId, Reason>,
    /// Notes for the reader.
    pub(in crate::diff) notes: Vec<Note>,
}

/// Which constructs of the baseline have the number of another in the candidate; nothing where every function fits as
/// it is. The runs of the sides stand at `places` of the tree, none of them on both.
pub(in crate::diff) fn renumbered(
    tree: &EnsembleTree,
    places: &[Vec<usize>; 2],
    iterations: &[[Option<[i64; 2]>; 2]],
) -> Option<Renumbering> {
    let is_shared = places[0].iter().any(|place| places[1].contains(place));
    if is_shared || places.iter().any(Vec::is_empty) {
        return None;
    }
    let is_counted = iterations.iter().flatten().any(Option::is_some)
        || (places.iter().flatten())
            .any(|&run| sheaf_analysis::grains_of(&tree.runs()[run]).is_some());
    if !is_counted && !may_differ(tree, places) {
        return None;
    }
    let names = places.each_ref().map(|places| names_among(tree, places));
    let definitions = definitions_of(tree, &names);
    let known = |node: usize| NodeFacts {
        places: [None; 2],
        iterations: iterations[node],
    };
    let contexts = contexts_of(tree, places, |_| None, known, works(tree, places));
    let mut present = vec![[false; 2]; definitions.len()];
    for context in &contexts {
        for (known, is_there) in present[context.definition]
            .iter_mut()
            .zip(context.is_present())
        {
            *known |= is_there;
        }
    }
    let [before, after] =
        [0, 1].map(|side: usize| list_constructs(&definitions, |at| present[at][side]));
    let shared = before
        .iter()
        .filter_map(|(name, own)| Some((*name, after.get(name)? != own)));
    let shared: BTreeMap<&str, bool> = shared.collect();
    let work = inclusive(&contexts, definitions.len());
    let sides = Sides::new(&contexts, &definitions, one_may_lack_loops(tree, places));
    let mut found = Renumbering::default();
    let reused = reused(&sides);
    for one in &reused {
        found.take(one.name, one.function, &one.pairs, &definitions, &sides);
    }
    let is_reused = |name: &str| reused.iter().any(|one| one.name == name);
    for (name, is_changed) in shared.into_iter().filter(|(name, _)| !is_reused(name)) {
        let [Some(first), Some(second)] = [0, 1].map(|side: usize| sides.functions[side].get(name))
        else {
            continue;
        };
        if is_changed {
            found.add(name, [first, second], &definitions, &sides);
        } else {
            found.add_swapped(name, [first, second], &definitions, &sides, &work);
        }
    }
    (!found.to.is_empty() || !found.notes.is_empty()).then_some(found)
}

/// Runs of versions, oldest first, with the constructs of every version numbered as in the newest, and notes for the
/// reader. `counts` has the iterations of some runs. Every version is compared with the next one, which costs a tree of both; call profiles have no constructs
/// and cost nothing.
pub(crate) fn number_as_newest(
    versions: &mut [Vec<Arc<RunSummary>>],
    counts: &IterationCounts,
) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut next: Option<usize> = None;
    for at in (0..versions.len()).rev() {
        if versions[at].is_empty() {
            continue;
        }
        let has_constructs = |version: usize| versions[version].iter().any(has_constructs);
        if let Some(next) = next.filter(|&next| has_constructs(at) && has_constructs(next)) {
            let both = versions[at].iter().chain(&versions[next]).cloned();
            let tree = EnsembleTree::union(both);
            let is_of = |version: usize, place: &usize| {
                let id = tree.runs()[*place].meta.id;
                versions[version].iter().any(|run| run.meta.id == id)
            };
            let places = [at, next].map(|version| {
                let all = 0..tree.runs().len();
                all.filter(|place| is_of(version, place)).collect()
            });
            let iterations = iterations_of(&tree, &places, [counts; 2]);
            if let Some(found) = renumbered(&tree, &places, &iterations) {
                versions[at] = versions[at].iter().map(|run| found.apply(run)).collect();
                notes.extend(found.notes);
            }
        }
        next = Some(at);
    }
    notes.reverse();
    notes
}

/// The names of a construct of the baseline and one of the candidate.
fn construct_pair(definitions: &[DiffDefinition], (a, b): (usize, usize)) -> ConstructPair {
    ConstructPair {
        a: definitions[a].names[0].to_string(),
        b: definitions[b].names[1].to_string(),
    }
}

fn has_constructs(run: &Arc<RunSummary>) -> bool {
    let is_construct = |row: DefinitionRow| row.function.is_some() && is_construct(&row.kind);
    run.definitions.rows().any(is_construct)
}

/// Work of a node in a mean run of either side.
fn works(tree: &EnsembleTree, places: &[Vec<usize>; 2]) -> impl Fn(usize) -> [f64; 2] {
    let mut sums = vec![[0.0; 2]; tree.len()];
    for (side, places) in places.iter().enumerate() {
        for &run in places {
            let work = sheaf_analysis::work_of(&tree.runs()[run]).unwrap_or_default();
            for (&node, work) in tree.nodes_of_run(run).iter().zip(work) {
                sums[node as usize][side] += work as f64 / places.len() as f64;
            }
        }
    }
    move |node| sums[node]
}

/// Work of every definition with all below it.
fn inclusive(contexts: &[DiffContext], definitions: usize) -> Vec<[f64; 2]> {
    let mut below: Vec<[f64; 2]> = contexts.iter().map(|context| context.work).collect();
    let mut found = vec![[0.0; 2]; definitions];
    for (at, context) in contexts.iter().enumerate().rev() {
        let own = below[at];
        for side in 0..2 {
            found[context.definition][side] += own[side];
            if let Some(parent) = context.parent {
                below[parent][side] += own[side];
            }
        }
    }
    found
}

/// Whether the runtimes of one side's runs report all loops, and those of the other side may not.
fn one_may_lack_loops(tree: &EnsembleTree, places: &[Vec<usize>; 2]) -> bool {
    let [a, b] = places.each_ref().map(|places| {
        let mut runs = places.iter().map(|&run| &tree.runs()[run].meta);
        runs.any(|run| may_lack_loops(run))
    });
    a != b
}

/// Whether a function of both sides has other constructs on one of them: cheap, and false for most comparisons.
fn may_differ(tree: &EnsembleTree, places: &[Vec<usize>; 2]) -> bool {
    let sides = places.each_ref().map(|places| {
        let mut functions: BTreeMap<Arc<str>, BTreeSet<DefinitionId>> = BTreeMap::new();
        for (_, definition) in tree.definitions_among(places) {
            if let Some(function) = definition.function {
                functions.entry(function).or_default().insert(definition.id);
            }
        }
        functions
    });
    let [before, after] = &sides;
    before
        .iter()
        .any(|(function, own)| after.get(function).is_some_and(|other| other != own))
}

impl Renumbering {
    /// Follows the constructs of one function, if they fit better in other numbers than in their own.
    fn add(
        &mut self,
        name: &str,
        [first, second]: [&Function; 2],
        definitions: &[DiffDefinition],
        sides: &Sides<'_>,
    ) {
        let alignment = align(first, second);
        let pairs = if alignment.score - by_ordinal(first, second) < LEAST {
            pairs_by_ordinal(first, second)
        } else {
            self.take(name, first, &alignment.pairs, definitions, sides);
            alignment.pairs
        };
        let rivals = rivals(first, second, &pairs);
        for &(a, b) in &rivals {
            // Partners of the two are in doubt as well.
            let known = pairs.iter().filter(|pair| pair.0 == a || pair.1 == b);
            for &(x, y) in known.chain([&(a, b)]) {
                self.doubt(definitions, [x, y], (a, b));
            }
        }
        self.note_unclear(name, &rivals, definitions);
    }

    /// States of two constructs that it is not known which they are, because of a pair that fits as well.
    fn doubt(
        &mut self,
        definitions: &[DiffDefinition],
        constructs: [usize; 2],
        (a, b): (usize, usize),
    ) {
        let [name, other] = [&definitions[b].names[1], &definitions[a].names[0]];
        let why = Why::MayHaveChangedPlaces {
            construct: name.to_string(),
            other: other.to_string(),
        };
        let reason = Reason::from(why);
        let [own, partner] = constructs.map(|at| definitions[at].id);
        let renumbered = self.to.get(&own).map_or(own, |(id, _)| *id);
        for id in [renumbered, partner] {
            self.unclear.insert(id, reason.clone());
        }
    }

    /// A note about constructs that may be one.
    fn note_unclear(
        &mut self,
        name: &str,
        pairs: &[(usize, usize)],
        definitions: &[DiffDefinition],
    ) {
        if pairs.is_empty() {
            return;
        }
        let pairs = pairs.iter();
        let unclear = DiffFact::PlacesUnclear {
            function: name.to_owned(),
            constructs: pairs
                .map(|&pair| construct_pair(definitions, pair))
                .collect(),
        };
        self.notes.push(unclear.into());
    }

    /// Follows constructs of one function that changed places.
    fn add_swapped(
        &mut self,
        name: &str,
        [first, second]: [&Function; 2],
        definitions: &[DiffDefinition],
        sides: &Sides<'_>,
        work: &[[f64; 2]],
    ) {
        let found = swapped(first, second, work);
        if found.unclear.is_empty() {
            if found.pairs.iter().any(|(a, b)| a != b) {
                self.take(name, first, &found.pairs, definitions, sides);
            }
            return;
        }
        for &(a, b) in &found.unclear {
            self.doubt(definitions, [b, b], (a, b));
        }
        self.note_unclear(name, &found.unclear, definitions);
    }

    fn take(
        &mut self,
        name: &str,
        first: &Function,
        pairs: &[(usize, usize)],
        definitions: &[DiffDefinition],
        sides: &Sides<'_>,
    ) {
        let mut constructs = Vec::new();
        for construct in first.kinds.values().flatten() {
            let own = construct.definition;
            let partner = pairs.iter().find(|pair| pair.0 == own);
            let (id, ordinal) = match partner {
                Some(&(_, other)) if other == own => continue,
                Some(&(_, other)) => {
                    constructs.push(construct_pair(definitions, (own, other)));
                    (definitions[other].id, definitions[other].ordinal)
                }
                // The candidate has another construct under this number.
                None if sides.is_both(own) => {
                    let kind = &definitions[own].kind;
                    let number = u32::try_from(construct.ordinal).unwrap_or(0);
                    let id = DefinitionId::new(kind, &format!("{name} (before)"), number);
                    (id, construct.ordinal)
                }
                None => continue,
            };
            self.to.insert(definitions[own].id, (id, ordinal));
        }
        if !constructs.is_empty() {
            let renumbered = DiffFact::OtherOrdinals {
                function: name.to_owned(),
                constructs,
            };
            self.notes.push(renumbered.into());
        }
    }

    /// The run as if its constructs always had had these numbers. Rows stay where they are.
    pub(in crate::diff) fn apply(&self, run: &Arc<RunSummary>) -> Arc<RunSummary> {
        let is_changed = |row: &DefinitionRow| self.to.contains_key(&DefinitionId(row.id));
        if !run.definitions.rows().any(|row| is_changed(&row)) {
            return Arc::clone(run);
        }
        let rows = run.definitions.rows().map(|row| {
            let known = self.to.get(&DefinitionId(row.id));
            known.map_or(row.clone(), |(id, ordinal)| DefinitionRow {
                id: id.0,
                ordinal: *ordinal,
                ..row.clone()
            })
        });
        let definitions: sheaf_model::table::Definitions = rows.collect();
        let id = |row: i32| {
            let row = usize::try_from(row).unwrap_or(usize::MAX);
            let bytes = (row < definitions.len()).then(|| definitions.id.value(row));
            DefinitionId(bytes.and_then(|it| it.try_into().ok()).unwrap_or_default())
        };
        let mut ids: Vec<ContextId> = Vec::with_capacity(run.contexts.len());
        let contexts = run.contexts.rows().map(|row| {
            let parent = row.parent.and_then(|at| ids.get(usize::try_from(at).ok()?));
            let own = id(row.definition);
            let context = parent.map_or_else(|| ContextId::root(own), |parent| parent.child(own));
            ids.push(context);
            ContextRow {
                id: context.0,
                ..row
            }
        });
        let contexts = contexts.collect();
        Arc::new(RunSummary {
            contexts,
            definitions,
            ..run.as_ref().clone()
        })
    }
}
