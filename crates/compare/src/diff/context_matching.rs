//! How each context of one side is found on the other.

use std::collections::{BTreeMap, BTreeSet};

use sheaf_model::StructureId;
use sheaf_structure::LabelledTree;
use sheaf_structure::matching::{Known, Label, Matching, NodeChange, Side};

use super::functions::{Followed, followed};
use super::names::{normalised, without_parameters, without_template_arguments};
use super::naming::both_names;
use super::{DiffContext, DiffDefinition, Mapping};
use sheaf_answers::{MatchedBy, MatchedWork};

/// The contexts of one side as a tree; node 0 stands around all of them.
struct SideTree {
    tree: LabelledTree,
    /// Context of each node but the first.
    contexts: Vec<usize>,
    /// Node of each context.
    nodes: Vec<Option<u32>>,
}

/// How contexts and definitions of the two sides correspond.
pub(super) struct ContextMatching {
    /// The context of the other side that each context of one side is; those of both sides are themselves.
    pub(super) partners: Vec<Option<usize>>,
    /// What became of each context, per side; nothing where the side has not got it.
    pub(super) node_changes: [Vec<Option<NodeChange>>; 2],
    /// How each definition is found on the other side, if at all.
    pub(super) definitions: Vec<Option<MatchedBy>>,
    /// How pairs of different definitions were found, and how sure that is, by indices.
    pub(super) renames: BTreeMap<(usize, usize), (MatchedBy, f64)>,
    /// Pairs of definitions that the user says are not the same.
    pub(super) rejected: BTreeSet<(usize, usize)>,
}

impl ContextMatching {
    pub(super) fn new(
        contexts: &[DiffContext],
        definitions: &[DiffDefinition],
        mapping: &Mapping,
    ) -> Self {
        let sides = sides_of(contexts, definitions.len());
        let (stated, different) = stated(definitions, &sides, mapping);
        let alike = alike(definitions, &sides, &stated, &different);
        let known = [stated.as_slice(), &alike].concat();
        let templates = templates(definitions, &sides, &known, &different);
        let certain_pairs = [known.as_slice(), &templates].concat();
        let functions = in_functions(contexts, definitions, &certain_pairs, &different);
        let labels: Vec<StructureId> = definitions.iter().map(label).collect();
        let texts: Vec<Label<'_>> = definitions.iter().map(label_of).collect();
        let trees = [0, 1].map(|side| SideTree::new(contexts, side, &labels));
        let by_label = |pairs: &mut dyn Iterator<Item = (usize, usize)>| -> Vec<_> {
            pairs.map(|(a, b)| (labels[a], labels[b])).collect()
        };
        let of_functions = functions.iter().map(|&(a, b, _)| (a, b));
        let same = by_label(&mut certain_pairs.into_iter().chain(of_functions));
        let rejected = different.iter().copied().collect();
        let different = by_label(&mut different.iter().copied());
        let mut pairs = vec![(0, 0)];
        pairs.extend(
            (0..contexts.len())
                .filter_map(|context| Some((trees[0].nodes[context]?, trees[1].nodes[context]?))),
        );
        let known = Known {
            pairs: &pairs,
            same: &same,
            different: &different,
            // Contexts come in order of their ids.
            is_unordered: true,
        };
        let mut all = texts;
        all.push(Label { kind: "", name: "" });
        let sides_of_trees = trees.each_ref().map(|side| Side {
            tree: &side.tree,
            labels: &all,
        });
        let found = Matching::new(sides_of_trees[0], sides_of_trees[1], &known);
        let node_changes = found.node_changes(sides_of_trees);
        let mut pairing = Self {
            partners: vec![None; contexts.len()],
            node_changes: [0, 1].map(|side: usize| {
                let node_change =
                    |node: &Option<u32>| node.map(|node| node_changes[side][node as usize]);
                trees[side].nodes.iter().map(node_change).collect()
            }),
            definitions: Vec::new(),
            renames: BTreeMap::new(),
            rejected,
        };
        for (context, partner) in pairing.partners.iter_mut().enumerate() {
            let side = usize::from(trees[0].nodes[context].is_none());
            let node = trees[side].nodes[context];
            let there = node.and_then(|node| found.partner(side, node as usize));
            *partner = there.and_then(|there| trees[1 - side].contexts.get(there).copied());
        }
        let certain = [
            (MatchedBy::Confirmed, &stated),
            (MatchedBy::Normalised, &alike),
            (MatchedBy::Template, &templates),
        ];
        for &(a, b, score) in &functions {
            pairing.renames.insert((a, b), (MatchedBy::Inferred, score));
        }
        pairing.name_renames(contexts, &labels, &certain, &found);
        pairing.find_definitions(&sides);
        pairing
    }

    /// How every pair of different definitions was found.
    fn name_renames(
        &mut self,
        contexts: &[DiffContext],
        labels: &[StructureId],
        certain: &[(MatchedBy, &Pairs)],
        found: &Matching,
    ) {
        let scores: BTreeMap<(StructureId, StructureId), f64> = found
            .renames()
            .iter()
            .map(|rename| ((rename.a, rename.b), rename.score))
            .collect();
        for (by, pairs) in certain {
            self.renames
                .extend(pairs.iter().map(|pair| (*pair, (*by, 1.0))));
        }
        for (context, partner) in self.partners.iter().enumerate() {
            let (Some(there), [true, false]) = (*partner, contexts[context].is_present()) else {
                continue;
            };
            let pair = (contexts[context].definition, contexts[there].definition);
            if pair.0 != pair.1 {
                let score = scores
                    .get(&(labels[pair.0], labels[pair.1]))
                    .copied()
                    .unwrap_or(0.0);
                self.renames
                    .entry(pair)
                    .or_insert((MatchedBy::Inferred, score));
            }
        }
    }

    fn find_definitions(&mut self, sides: &[[bool; 2]]) {
        let both = |sides: &[bool; 2]| (*sides == [true, true]).then_some(MatchedBy::Definition);
        self.definitions = sides.iter().map(both).collect();
        for (&(a, b), &(by, _)) in &self.renames {
            for definition in [a, b] {
                let known = &mut self.definitions[definition];
                *known = Some(known.map_or(by, |known| known.min(by)));
            }
        }
    }

    /// How a context is found on the other side: as itself, else by its definition or that of its partner.
    pub(super) fn tier(&self, contexts: &[DiffContext], context: usize) -> Option<MatchedBy> {
        if contexts[context].is_present() == [true, true] {
            return Some(MatchedBy::Context);
        }
        let own = contexts[context].definition;
        let partner = self.partners[context].map(|there| contexts[there].definition);
        let by_partner = partner.and_then(|other| {
            let pair = if contexts[context].is_present()[0] {
                (own, other)
            } else {
                (other, own)
            };
            self.renames.get(&pair).map(|(by, _)| *by)
        });
        by_partner.or(self.definitions[own])
    }

    /// Share of the work of both sides by how its contexts are found.
    pub(super) fn matched_work(
        &self,
        contexts: &[DiffContext],
        unrecorded: &[Option<usize>],
    ) -> MatchedWork {
        let mut sums = [0.0; 7];
        for (at, context) in contexts.iter().enumerate() {
            // The other side has the work of a loop that it did not record in the region.
            let matched = unrecorded.get(at).copied().flatten().unwrap_or(at);
            let tier = match self.tier(contexts, matched) {
                Some(MatchedBy::Path | MatchedBy::Context) => 0,
                Some(MatchedBy::Definition) => 1,
                Some(MatchedBy::Normalised) => 2,
                Some(MatchedBy::Template) => 3,
                Some(MatchedBy::Confirmed) => 4,
                Some(MatchedBy::Inferred) => 5,
                None => 6,
            };
            // Both sides in one sum, so that their order does not matter.
            sums[tier] += scaled(context.work);
        }
        let all: f64 = sums.iter().sum();
        if all <= 0.0 {
            return MatchedWork::default();
        }
        let [
            context,
            definition,
            normalised,
            template,
            confirmed,
            inferred,
            unmatched,
        ] = sums.map(|sum| sum / all);
        MatchedWork {
            context,
            definition,
            normalised,
            template,
            confirmed,
            inferred,
            unmatched,
        }
    }
}

/// Work of both sides together, at a scale at which all sums are within the range of floats: for shares.
pub(super) fn scaled(work: [f64; 2]) -> f64 {
    const DOWN: f64 = 1.0 / 18_446_744_073_709_551_616.0;
    work[0].abs() * DOWN + work[1].abs() * DOWN
}

/// Pairs of definitions that functions as wholes say are the same, where nothing else is known.
fn in_functions(
    contexts: &[DiffContext],
    definitions: &[DiffDefinition],
    known: &[(usize, usize)],
    different: &[(usize, usize)],
) -> Followed {
    let taken: BTreeSet<usize> = known.iter().flat_map(|&(a, b)| [a, b]).collect();
    let mut functions = followed(contexts, definitions, |at| taken.contains(&at));
    functions.retain(|&(a, b, _)| !different.contains(&(a, b)));
    functions
}

/// On which sides each definition occurs.
fn sides_of(contexts: &[DiffContext], definitions: usize) -> Vec<[bool; 2]> {
    let mut sides = vec![[false; 2]; definitions];
    for context in contexts {
        for (known, is_present) in sides[context.definition]
            .iter_mut()
            .zip(context.is_present())
        {
            *known |= is_present;
        }
    }
    sides
}

/// Pairs of definitions, baseline first.
type Pairs = Vec<(usize, usize)>;

/// Definitions that the user states to be the same, and to be different, of those that occur on the sides. It holds whichever
/// version is the baseline.
fn stated(
    definitions: &[DiffDefinition],
    sides: &[[bool; 2]],
    mapping: &Mapping,
) -> (Pairs, Pairs) {
    let named = |name: &str, side: usize| -> Vec<usize> {
        let is_it = |definition: &DiffDefinition| {
            let [before, after] = &definition.names;
            let names = [before.as_ref(), after, &both_names(before, after)];
            names.contains(&name) || definition.id.to_string() == name
        };
        (0..definitions.len())
            .filter(|&at| sides[at][side] && is_it(&definitions[at]))
            .collect()
    };
    let mut all: BTreeMap<(usize, usize), bool> = BTreeMap::new();
    for entry in &mapping.entries {
        for (first, second) in [(&entry.a, &entry.b), (&entry.b, &entry.a)] {
            for &a in &named(first, 0) {
                for &b in &named(second, 1) {
                    if a != b {
                        all.insert((a, b), entry.is_same);
                    }
                }
            }
        }
    }
    let pairs = |is_same: bool| {
        let chosen = all.iter().filter(|(_, same)| **same == is_same);
        chosen.map(|(pair, _)| *pair).collect::<Pairs>()
    };
    (pairs(true), pairs(false))
}

/// Definitions of one side each that have the same kind and name but for what builds add, where neither side
/// has another such definition.
fn alike(
    definitions: &[DiffDefinition],
    sides: &[[bool; 2]],
    stated: &[(usize, usize)],
    different: &[(usize, usize)],
) -> Pairs {
    let pairs = by_name(definitions, sides, |definition| {
        normalised(label_of(definition).name)
    });
    let is_stated = |pair: &(usize, usize)| {
        stated.iter().any(|(a, b)| *a == pair.0 || *b == pair.1) || different.contains(pair)
    };
    let mut found: Pairs = pairs.into_iter().filter(|pair| !is_stated(pair)).collect();
    // Compilers that leave out linkage names leave out parameters: parameters of one side alone are ignored unless a name
    // is overloaded.
    let bare = by_name(definitions, sides, |definition| {
        without_parameters(&normalised(label_of(definition).name)).to_owned()
    });
    let has_parameters = |at: usize| {
        let name = normalised(label_of(&definitions[at]).name);
        without_parameters(&name) != name
    };
    let lack = bare.into_iter().filter(|pair| {
        let is_found = found
            .iter()
            .any(|known| known.0 == pair.0 || known.1 == pair.1);
        has_parameters(pair.0) != has_parameters(pair.1) && !is_found && !is_stated(pair)
    });
    let lack: Pairs = lack.collect();
    if !lack.is_empty() {
        let is_overloaded = overloaded(definitions);
        found.extend(lack.into_iter().filter(|pair| !is_overloaded(pair)));
    }
    found.sort_unstable();
    found
}

/// Whether the functions of a pair have the name of others, but for parameters.
fn overloaded(definitions: &[DiffDefinition]) -> impl Fn(&(usize, usize)) -> bool {
    let mut full: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for definition in definitions {
        let name = normalised(label_of(definition).name);
        let bare = without_parameters(&name).to_owned();
        if bare != name {
            full.entry(bare).or_default().insert(name);
        }
    }
    let names: Vec<String> = definitions
        .iter()
        .map(|definition| without_parameters(&normalised(label_of(definition).name)).to_owned())
        .collect();
    move |pair| full.get(&names[pair.0]).is_some_and(|full| full.len() > 1)
}

/// Pairs of definitions of one side each that have the same kind, name and ordinal, where neither side has another
/// such definition.
fn by_name(
    definitions: &[DiffDefinition],
    sides: &[[bool; 2]],
    name: impl Fn(&DiffDefinition) -> String,
) -> Pairs {
    let mut by_name: BTreeMap<(&str, String, i32), [Vec<usize>; 2]> = BTreeMap::new();
    for (at, definition) in definitions.iter().enumerate() {
        let side = match sides[at] {
            [true, false] => 0,
            [false, true] => 1,
            _ => continue,
        };
        let key = (&*definition.kind, name(definition), definition.ordinal);
        by_name.entry(key).or_default()[side].push(at);
    }
    let pairs = by_name.into_values();
    pairs
        .filter_map(|sides| match [&sides[0][..], &sides[1][..]] {
            [[a], [b]] => Some((*a, *b)),
            _ => None,
        })
        .collect()
}

/// The same of definitions whose names differ besides in template arguments. Each side may have one definition of
/// that name only, those of both sides included.
fn templates(
    definitions: &[DiffDefinition],
    sides: &[[bool; 2]],
    known: &[(usize, usize)],
    different: &[(usize, usize)],
) -> Pairs {
    let mut by_name: BTreeMap<(&str, String, i32), [Vec<usize>; 2]> = BTreeMap::new();
    let mut has_arguments = vec![false; definitions.len()];
    for (at, definition) in definitions.iter().enumerate() {
        let name = normalised(label_of(definition).name);
        let bare = without_template_arguments(&name);
        has_arguments[at] = bare != name;
        let key = (&*definition.kind, bare, definition.ordinal);
        let found = by_name.entry(key).or_default();
        for (found, _) in found
            .iter_mut()
            .zip(sides[at])
            .filter(|(_, is_there)| *is_there)
        {
            found.push(at);
        }
    }
    let pairs =
        by_name
            .into_values()
            .filter_map(|sides| match sides.each_ref().map(Vec::as_slice) {
                [[a], [b]] if a != b && (has_arguments[*a] || has_arguments[*b]) => Some((*a, *b)),
                _ => None,
            });
    let is_known = |pair: &(usize, usize)| {
        known.iter().any(|(a, b)| *a == pair.0 || *b == pair.1) || different.contains(pair)
    };
    pairs.filter(|pair| !is_known(pair)).collect()
}

/// The label of a definition in trees of contexts.
pub(super) fn label(definition: &DiffDefinition) -> StructureId {
    StructureId::label(&definition.kind, Some(definition.id))
}

/// The function identifies it better than the name, which may hold a line.
pub(super) fn label_of(definition: &DiffDefinition) -> Label<'_> {
    let name = definition.function.as_ref().unwrap_or(&definition.names[0]);
    Label {
        kind: &definition.kind,
        name,
    }
}

impl SideTree {
    fn new(contexts: &[DiffContext], side: usize, labels: &[StructureId]) -> Self {
        let mut nodes = vec![None; contexts.len()];
        // No context is numbered like this; the first node stands for none.
        let mut of_node = vec![usize::MAX];
        for (context, found) in contexts
            .iter()
            .enumerate()
            .filter(|(_, c)| c.is_present()[side])
        {
            nodes[context] = u32::try_from(of_node.len()).ok();
            of_node.push(context);
            debug_assert!(
                found.parent.is_none_or(|parent| parent < context),
                "pre-order"
            );
        }
        let mut sizes = vec![1_u32; of_node.len()];
        for node in (1..of_node.len()).rev() {
            let parent = contexts[of_node[node]]
                .parent
                .and_then(|parent| nodes[parent]);
            sizes[parent.unwrap_or(0) as usize] += sizes[node];
        }
        let mut names = labels.to_vec();
        names.push(StructureId::label("", None));
        let last = names.len() - 1;
        let label = |&context: &usize| {
            contexts
                .get(context)
                .map_or(last, |context| context.definition)
        };
        let numbers = of_node.iter().map(label);
        let numbers = numbers
            .map(|label| u32::try_from(label).unwrap_or(u32::MAX))
            .collect();
        let tree = LabelledTree::new(sizes, numbers, names);
        Self {
            tree: tree.unwrap_or_default(),
            contexts: of_node,
            nodes,
        }
    }
}
