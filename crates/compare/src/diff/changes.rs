//! What happened to the structure, gathered by definition.

use std::collections::{BTreeMap, BTreeSet};

use sheaf_structure::matching::{NodeChange, name_similarity, out_of_order};

use super::context_matching::{ContextMatching, label_of, scaled};
use super::{DiffContext, DiffDefinition};
use sheaf_answers::{ChangeKind, StructuralChange};
use sheaf_model::DefinitionId;

/// What is compared.
pub(super) struct Compared<'a> {
    pub(super) contexts: &'a [DiffContext],
    pub(super) definitions: &'a [DiffDefinition],
    pub(super) pairing: &'a ContextMatching,
    /// Numbers of runs.
    pub(super) runs: [usize; 2],
    /// Whether the sides ran on different numbers of threads.
    pub(super) has_different_worker_counts: bool,
    /// By context, the region of a loop that the other side has too, but did not record.
    pub(super) unrecorded: &'a [Option<usize>],
}

/// A kind of change with the definition in the baseline and in the candidate.
type Key = (ChangeKind, [Option<usize>; 2]);

/// All contexts that one thing happened to.
#[derive(Default)]
struct Gathered {
    contexts: [usize; 2],
    work: [f64; 2],
    grains: [Option<[i64; 2]>; 2],
    runs: [usize; 2],
    /// The context with most work.
    example: [Option<usize>; 2],
}

/// Everything that was found.
struct Found<'a> {
    contexts: &'a [DiffContext],
    changes: BTreeMap<Key, Gathered>,
    /// By group.
    kinds: Vec<BTreeSet<ChangeKind>>,
    /// Definitions of one side that appeared or vanished, those below another that did included.
    one_sided: BTreeSet<(ChangeKind, usize)>,
}

/// A change, with the ids of the definition in the baseline and in the candidate.
pub(crate) type Change = (StructuralChange, [Option<DefinitionId>; 2]);

/// What [`Compared::changes`] finds.
pub(super) struct Changes {
    /// Everything that happened, what concerns the greatest share of the work first.
    pub(super) all: Vec<Change>,
    /// What happened to contexts of each group.
    pub(super) kinds: Vec<BTreeSet<ChangeKind>>,
    /// How many definitions vanished and appeared, those below another that did included.
    pub(super) gone_and_new: [usize; 2],
}

impl Found<'_> {
    fn add(&mut self, key: Key, side: usize, at: usize) {
        let context = &self.contexts[at];
        if let Some(kinds) = context.group.and_then(|group| self.kinds.get_mut(group)) {
            kinds.insert(key.0);
        }
        let gathered = self.changes.entry(key).or_default();
        gathered.add(side, at, context, self.contexts);
    }
}

impl Gathered {
    fn add(&mut self, side: usize, at: usize, context: &DiffContext, contexts: &[DiffContext]) {
        self.contexts[side] += 1;
        self.work[side] = (self.work[side] + context.work[side].abs()).min(f64::MAX);
        self.runs[side] = self.runs[side].max(context.runs[side]);
        if let Some([least, most]) = context.grains[side] {
            let [all_least, all_most] = self.grains[side].get_or_insert([0; 2]);
            *all_least = all_least.saturating_add(least);
            *all_most = all_most.saturating_add(most);
        }
        let work = |at: usize| contexts[at].work[side].abs();
        if self.example[side].is_none_or(|example| work(at) > work(example)) {
            self.example[side] = Some(at);
        }
    }
}

impl Compared<'_> {
    /// Everything that happened, to contexts of so many groups.
    pub(super) fn changes(&self, groups: usize) -> Changes {
        let mut found = Found {
            contexts: self.contexts,
            changes: BTreeMap::new(),
            kinds: vec![BTreeSet::new(); groups],
            one_sided: BTreeSet::new(),
        };
        self.one_sided(&mut found);
        self.paired(&mut found);
        self.reordered(&mut found);
        let Found {
            changes,
            kinds,
            one_sided,
            ..
        } = found;
        let all: f64 = self
            .contexts
            .iter()
            .map(|context| scaled(context.work))
            .sum();
        let mut changes: Vec<Change> = changes
            .into_iter()
            .map(|(key, gathered)| self.change(key, &gathered, all))
            .collect();
        changes.sort_by(|(x, _), (y, _)| {
            let share = y.share.total_cmp(&x.share);
            let rest =
                |of: &StructuralChange| (of.kind, of.definition_a.clone(), of.definition_b.clone());
            share.then_with(|| rest(x).cmp(&rest(y)))
        });
        let count = |kind| one_sided.iter().filter(|(of, _)| *of == kind).count();
        Changes {
            all: changes,
            kinds,
            gone_and_new: [ChangeKind::Vanished, ChangeKind::Appeared].map(count),
        }
    }

    /// Contexts that have no partner.
    fn one_sided(&self, found: &mut Found<'_>) {
        let mut keys: Vec<[Option<Key>; 2]> = vec![[None; 2]; self.contexts.len()];
        for (at, context) in self.contexts.iter().enumerate() {
            if self.unrecorded.get(at).is_some_and(Option::is_some) {
                continue;
            }
            for side in 0..2 {
                let key = match self.pairing.node_changes[side][at] {
                    Some(NodeChange::Alone | NodeChange::Copy) => {
                        // What is below comes along, but for what is gone where the one above is not.
                        let around = context.parent.and_then(|parent| keys[parent][side]);
                        let is_known = self.pairing.definitions[context.definition].is_some();
                        let around = around.filter(|(kind, definitions)| {
                            is_whole(*kind) && (is_known || definitions.contains(&None))
                        });
                        around.unwrap_or_else(|| self.alone(side, context))
                    }
                    Some(NodeChange::Wrapper) => {
                        let kind = [ChangeKind::Unwrapped, ChangeKind::Wrapped][side];
                        (kind, only(side, context.definition))
                    }
                    _ => continue,
                };
                if is_whole(key.0) && self.pairing.definitions[context.definition].is_none() {
                    found.one_sided.insert((key.0, context.definition));
                }
                keys[at][side] = Some(key);
                found.add(key, side, at);
            }
        }
    }

    /// What happened to a context that the other side has not got.
    fn alone(&self, side: usize, context: &DiffContext) -> Key {
        let definition = context.definition;
        let is_known = self.pairing.definitions[definition].is_some();
        let both = self.on_both_sides(side, definition);
        if is_known && self.is_in_some(side, context) {
            (ChangeKind::Varies, both)
        } else if is_known && self.has_different_worker_counts {
            (ChangeKind::ThreadCountDependent, both)
        } else if is_known && self.varies(side, context) {
            (ChangeKind::Varies, both)
        } else {
            // The other side has the definition elsewhere, or under another name: it has more or fewer contexts.
            let definitions = if is_known {
                both
            } else {
                only(side, definition)
            };
            (
                [ChangeKind::Vanished, ChangeKind::Appeared][side],
                definitions,
            )
        }
    }

    /// A definition and what the other side has in its place.
    fn on_both_sides(&self, side: usize, definition: usize) -> [Option<usize>; 2] {
        let mut renames = self.pairing.renames.keys();
        let pair = renames.find(|&&(a, b)| [a, b][side] == definition);
        pair.map_or([Some(definition); 2], |&(a, b)| [Some(a), Some(b)])
    }

    /// Whether runs of a side differ in the context.
    fn varies(&self, side: usize, context: &DiffContext) -> bool {
        self.is_in_some(side, context)
            || context.grains[side].is_some_and(|[least, most]| least != most)
    }

    /// Whether some runs of a side have the context, and others not.
    fn is_in_some(&self, side: usize, context: &DiffContext) -> bool {
        context.runs[side] > 0 && context.runs[side] < self.runs[side]
    }

    /// Contexts of the baseline with those that they are in the candidate: themselves, or contexts of one side each.
    fn pairs(&self) -> impl Iterator<Item = [(usize, &DiffContext); 2]> {
        let all = self.contexts.iter().enumerate();
        all.filter(|(_, context)| context.is_present()[0])
            .filter_map(|(a, first)| {
                let b = self.pairing.partners[a]?;
                Some([(a, first), (b, &self.contexts[b])])
            })
    }

    /// What happened to contexts that have a partner.
    fn paired(&self, found: &mut Found<'_>) {
        for [(a, first), (b, second)] in self.pairs() {
            let definitions = [Some(first.definition), Some(second.definition)];
            let mut add = |kind| {
                found.add((kind, definitions), 0, a);
                found.add((kind, definitions), 1, b);
            };
            if first.definition != second.definition {
                add(ChangeKind::Renamed);
            }
            if matches!(
                self.pairing.node_changes[0][a],
                Some(NodeChange::Moved | NodeChange::MovedAndRenamed)
            ) {
                add(ChangeKind::Moved);
            }
            let grains = (first.grains[0], second.grains[1]);
            let differ = matches!(grains, (Some(a), Some(b)) if a != b);
            let are_apart = matches!(grains, (Some(a), Some(b)) if a[1] < b[0] || b[1] < a[0]);
            let varies = self.varies(0, first) || self.varies(1, second);
            // What varies among runs of a side need not come from the threads.
            if differ && self.has_different_worker_counts && (are_apart || !varies) {
                add(ChangeKind::ThreadCountDependent);
            } else if varies {
                add(ChangeKind::Varies);
            } else if differ {
                add(ChangeKind::Multiplied);
            }
        }
    }

    /// Contexts that are created in another order below the same parent: as few as explain it.
    fn reordered(&self, found: &mut Found<'_>) {
        // By the parent in the baseline: places on both sides, and the contexts.
        let mut below: BTreeMap<Option<usize>, Vec<Child>> = BTreeMap::new();
        for [(a, first), (b, second)] in self.pairs() {
            let partner = first
                .parent
                .and_then(|parent| self.pairing.partners[parent]);
            let is_below_same =
                first.parent.is_none() == second.parent.is_none() && partner == second.parent;
            if let (true, [Some(here), _], [_, Some(there)]) =
                (is_below_same, first.places, second.places)
            {
                let child = Child {
                    places: [here, there],
                    contexts: [a, b],
                };
                below.entry(first.parent).or_default().push(child);
            }
        }
        for mut children in below.into_values() {
            let in_order = |side: usize, children: &mut Vec<Child>| -> Vec<usize> {
                children.sort_unstable_by_key(|child| child.places[side]);
                children
                    .iter()
                    .map(|child| self.contexts[child.contexts[side]].definition)
                    .collect()
            };
            // Of several explanations the same one, whichever side is the baseline.
            let (second, first) = (in_order(1, &mut children), in_order(0, &mut children));
            let from = usize::from(second < first);
            in_order(from, &mut children);
            let places: Vec<u32> = children
                .iter()
                .map(|child| child.places[1 - from])
                .collect();
            for at in out_of_order(&places) {
                let contexts = children[at].contexts;
                let definitions = contexts.map(|at| Some(self.contexts[at].definition));
                let kind = if self.has_different_worker_counts {
                    ChangeKind::ThreadCountDependent
                } else {
                    ChangeKind::Reordered
                };
                for (side, context) in contexts.into_iter().enumerate() {
                    found.add((kind, definitions), side, context);
                }
            }
        }
    }

    fn change(&self, key: Key, gathered: &Gathered, all: f64) -> Change {
        let (kind, definitions) = key;
        let renamed = match definitions {
            [Some(a), Some(b)] if a != b => self.pairing.renames.get(&(a, b)).copied(),
            _ => None,
        };
        let work = scaled(gathered.work);
        let name =
            |side: usize| definitions[side].map(|at| self.definitions[at].names[side].to_string());
        let line = |side: usize| definitions[side].and_then(|at| self.definitions[at].lines[side]);
        let path = |side: usize| gathered.example[side].map(|at| self.path(at, side));
        let change = StructuralChange {
            kind,
            definition_a: name(0),
            definition_b: name(1),
            line_a: line(0),
            line_b: line(1),
            path_a: path(0),
            path_b: path(1),
            contexts_a: gathered.contexts[0] as u64,
            contexts_b: gathered.contexts[1] as u64,
            work_a: gathered.work[0],
            work_b: gathered.work[1],
            share: if all > 0.0 { work / all } else { 0.0 },
            grains_a: gathered.grains[0],
            grains_b: gathered.grains[1],
            runs_a: gathered.runs[0] as u64,
            runs_b: gathered.runs[1] as u64,
            name_similarity: match definitions {
                [Some(a), Some(b)] if a != b => {
                    let [a, b] = [a, b].map(|at| label_of(&self.definitions[at]).name);
                    Some(name_similarity(a, b))
                }
                _ => None,
            },
            matched_by: renamed.map(|(by, _)| by),
            score: renamed.map(|(_, score)| score),
        };
        (
            change,
            definitions.map(|at| at.map(|at| self.definitions[at].id)),
        )
    }

    /// Names from the outermost context, as a side has them.
    fn path(&self, context: usize, side: usize) -> Vec<String> {
        path(self.contexts, self.definitions, context, side)
    }
}

/// A context on both sides.
struct Child {
    places: [u32; 2],
    contexts: [usize; 2],
}

/// Names from the outermost context, as a side has them.
pub(super) fn path(
    contexts: &[DiffContext],
    definitions: &[DiffDefinition],
    context: usize,
    side: usize,
) -> Vec<String> {
    let around = |&at: &usize| contexts[at].parent;
    let mut path: Vec<String> = std::iter::successors(Some(context), around)
        .map(|at| definitions[contexts[at].definition].names[side].to_string())
        .collect();
    path.reverse();
    path
}

/// Whether what is below a context that this happened to is part of it.
const fn is_whole(kind: ChangeKind) -> bool {
    matches!(kind, ChangeKind::Appeared | ChangeKind::Vanished)
}

fn only(side: usize, definition: usize) -> [Option<usize>; 2] {
    let mut sides = [None; 2];
    sides[side] = Some(definition);
    sides
}
