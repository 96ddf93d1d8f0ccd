//! Constructs that have the number of another since some before them were added, removed or moved elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sheaf_model::table::{ContextRow, DefinitionRow};
use sheaf_model::{ContextId, DefinitionId, RunSummary};

use super::super::DiffDefinition;
use super::super::grouped::{FromGrains, contexts_of, definitions_of};
use super::super::naming::names_among;
use super::align::{align, by_ordinal};
use super::constructs::{Function, Sides, all};
use crate::tree::EnsembleTree;

/// By how much the constructs of a function must fit better in another numbering.
const LEAST: f64 = 0.1;

/// New identities of definitions of the baseline.
#[derive(Debug, Clone, Default)]
pub(in crate::diff) struct Renumbering {
    /// By the definition of the baseline: that of the candidate which it is, or one of its own that the candidate has
    /// not got, with the ordinal there.
    to: BTreeMap<DefinitionId, (DefinitionId, i32)>,
    /// Notes for the reader.
    pub(in crate::diff) notes: Vec<String>,
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
    if !may_differ(tree, places) {
        return None;
    }
    let names = places.each_ref().map(|places| names_among(tree, places));
    let definitions = definitions_of(tree, &names);
    let known = |node: usize| FromGrains {
        places: [None; 2],
        iterations: iterations[node],
    };
    let contexts = contexts_of(tree, places, |_| None, known, |_| [0.0; 2]);
    let mut present = vec![[false; 2]; definitions.len()];
    for context in &contexts {
        for (known, is_there) in present[context.definition]
            .iter_mut()
            .zip(context.is_present())
        {
            *known |= is_there;
        }
    }
    let [before, after] = [0, 1].map(|side: usize| all(&definitions, |at| present[at][side]));
    let changed = before
        .iter()
        .filter(|(name, own)| after.get(*name).is_some_and(|other| other != *own));
    let changed: BTreeSet<&str> = changed.map(|(name, _)| *name).collect();
    if changed.is_empty() {
        return None;
    }
    let sides = Sides::new(&contexts, &definitions);
    let mut found = Renumbering::default();
    for name in changed {
        let [Some(first), Some(second)] = [0, 1].map(|side: usize| sides.functions[side].get(name))
        else {
            continue;
        };
        found.add(name, [first, second], &definitions, &sides);
    }
    (!found.to.is_empty()).then_some(found)
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
        if alignment.score - by_ordinal(first, second) < LEAST {
            return;
        }
        let mut shown = Vec::new();
        for construct in first.kinds.values().flatten() {
            let own = construct.definition;
            let partner = alignment.pairs.iter().find(|pair| pair.0 == own);
            let (id, ordinal) = match partner {
                Some(&(_, other)) if other == own => continue,
                Some(&(_, other)) => {
                    let [a, b] = [&definitions[own].names[0], &definitions[other].names[1]];
                    shown.push(format!("`{a}` is `{b}`"));
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
        if !shown.is_empty() {
            self.notes.push(format!(
                "constructs of `{name}` have other numbers since some were added, removed or moved: {}",
                shown.join(", ")
            ));
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
