//! Contexts without a match that are nevertheless more alike than not: listed with what must be edited
//! to make one of the other, for people to decide.

use std::collections::{BTreeMap, BTreeSet};

use sheaf_model::StructureId;
use sheaf_structure::LabelledTree;
use sheaf_structure::edit::{EditDistance, EditScript, MAX_NODES};

use super::changes::path;
use super::context_matching::{ContextMatching, label};
use super::{DiffContext, DiffDefinition};
use sheaf_answers::CandidateMatch;

/// Contexts of one side in one place that are compared: those with most work.
const MAX_BESIDE: usize = 4;
/// Pairs that are compared at all.
const MAX_PAIRS: usize = 32;
/// Sum of the products of the sizes of all pairs that are compared: two pairs of the greatest, some seconds where
/// trees are of the worst form.
const MAX_CELLS: usize = 2 * MAX_NODES * MAX_NODES;
/// Similarity above which a pair is listed; with a new name for everything it is 0.5, and is listed where nothing else
/// is on one side only in that place.
const LEAST: f64 = 0.5;

/// Pairs of contexts of one side each, below the same context, that are more alike than not, most alike first. Sub-
/// trees of more than [`MAX_NODES`] contexts are left out.
pub(super) fn matches(
    contexts: &[DiffContext],
    definitions: &[DiffDefinition],
    pairing: &ContextMatching,
) -> Vec<CandidateMatch> {
    let trees = Trees::new(contexts, definitions, pairing);
    let pairs = trees.pairs();
    let only = Trees::only_pairs(&pairs);
    let compared = pairs.iter().filter_map(|&pair| {
        let similarity = trees.similarity(pair)?;
        Some((similarity, pair))
    });
    let mut found: Vec<(f64, [usize; 2])> = compared.collect();
    found.retain(|(similarity, pair)| {
        *similarity > LEAST || (*similarity >= LEAST && only.contains(pair))
    });
    found.sort_by(|x, y| {
        y.0.total_cmp(&x.0)
            .then_with(|| either_way(&x.1).cmp(&either_way(&y.1)))
    });
    let mut taken = BTreeSet::new();
    found.retain(|(_, pair)| {
        let is_free = pair.iter().all(|at| !taken.contains(at));
        if is_free {
            taken.extend(*pair);
        }
        is_free
    });
    found
        .into_iter()
        .filter_map(|(similarity, pair)| trees.candidate(similarity, pair))
        .collect()
}

/// Orders pairs alike whichever side is the baseline.
fn either_way(pair: &[usize; 2]) -> (usize, usize) {
    (pair[0].min(pair[1]), pair[0].max(pair[1]))
}

/// Sub-trees of either side.
struct Trees<'a> {
    contexts: &'a [DiffContext],
    definitions: &'a [DiffDefinition],
    pairing: &'a ContextMatching,
    /// Contexts of either side below each, itself included.
    sizes: Vec<usize>,
    /// What stands for each definition and its other name.
    classes: Vec<usize>,
    names: Vec<StructureId>,
}

impl<'a> Trees<'a> {
    fn new(
        contexts: &'a [DiffContext],
        definitions: &'a [DiffDefinition],
        pairing: &'a ContextMatching,
    ) -> Self {
        let mut sizes = vec![1; contexts.len()];
        for at in (0..contexts.len()).rev() {
            if let Some(parent) = contexts[at].parent {
                sizes[parent] += sizes[at];
            }
        }
        let mut classes: Vec<usize> = (0..definitions.len()).collect();
        for &(a, b) in pairing.renames.keys() {
            classes[a.max(b)] = a.min(b);
        }
        Self {
            contexts,
            definitions,
            pairing,
            sizes,
            classes,
            names: definitions.iter().map(label).collect(),
        }
    }

    /// Contexts of one side alone, by the context of the baseline around them; those with most work.
    fn unmatched(&self) -> BTreeMap<Option<usize>, [Vec<usize>; 2]> {
        let mut places: BTreeMap<Option<usize>, [Vec<usize>; 2]> = BTreeMap::new();
        for (at, context) in self.contexts.iter().enumerate() {
            let side = match context.is_present() {
                [true, false] => 0,
                [false, true] => 1,
                _ => continue,
            };
            let around = match context.parent {
                None => Some(None),
                Some(parent) => self.in_baseline(parent).map(Some),
            };
            if let (Some(around), None) = (around, self.pairing.partners[at]) {
                places.entry(around).or_default()[side].push(at);
            }
        }
        places.retain(|_, sides| sides.iter().all(|side| !side.is_empty()));
        for (side, found) in places
            .values_mut()
            .flat_map(|sides| sides.iter_mut().enumerate())
        {
            let work = |at: usize| self.contexts[at].work[side].abs();
            found.sort_by(|&x, &y| work(y).total_cmp(&work(x)).then(x.cmp(&y)));
            found.truncate(MAX_BESIDE);
        }
        places
    }

    /// The pairs to compare, those with most work first, as many as may be.
    fn pairs(&self) -> Vec<[usize; 2]> {
        let definition = |at: usize| self.contexts[at].definition;
        let mut pairs: Vec<[usize; 2]> = self
            .unmatched()
            .values()
            .flat_map(|[first, second]| {
                first
                    .iter()
                    .flat_map(|&a| second.iter().map(move |&b| [a, b]))
            })
            .filter(|&[a, b]| {
                !self
                    .pairing
                    .rejected
                    .contains(&(definition(a), definition(b)))
            })
            .collect();
        let work =
            |[a, b]: &[usize; 2]| self.contexts[*a].work[0].abs() + self.contexts[*b].work[1].abs();
        pairs.sort_by(|x, y| {
            work(y)
                .total_cmp(&work(x))
                .then_with(|| either_way(x).cmp(&either_way(y)))
        });
        let mut cells = MAX_CELLS;
        pairs.retain(|&[a, b]| {
            let size = |at: usize| self.sizes[at].min(MAX_NODES);
            let left = cells.checked_sub(size(a) * size(b));
            let is_compared = left.is_some() && self.sizes[a].max(self.sizes[b]) <= 2 * MAX_NODES;
            if let (Some(left), true) = (left, is_compared) {
                cells = left;
            }
            is_compared
        });
        pairs.truncate(MAX_PAIRS);
        pairs
    }

    /// Those of `pairs` without another for either of the two.
    fn only_pairs(pairs: &[[usize; 2]]) -> BTreeSet<[usize; 2]> {
        let is_only = |pair: &&[usize; 2]| {
            let mut others = pairs.iter().filter(|other| other != pair);
            others.all(|other| other[0] != pair[0] && other[1] != pair[1])
        };
        pairs.iter().filter(is_only).copied().collect()
    }

    /// The baseline's context that one is, when both sides have it.
    fn in_baseline(&self, at: usize) -> Option<usize> {
        let partner = self.pairing.partners[at]?;
        Some(if self.contexts[at].is_present()[0] {
            at
        } else {
            partner
        })
    }

    /// A context with all below it on a side, children in order of their definitions; and the context of each node.
    /// Nothing for more than are compared.
    fn tree(&self, root: usize, side: usize) -> Option<(LabelledTree, Vec<usize>)> {
        let below = root..root + self.sizes[root];
        let is_there = |at: &usize| self.contexts[*at].is_present()[side];
        if below.len() > 2 * MAX_NODES || below.clone().filter(is_there).count() > MAX_NODES {
            return None;
        }
        let mut children: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for at in below.skip(1).filter(is_there) {
            children
                .entry(self.contexts[at].parent?)
                .or_default()
                .push(at);
        }
        let class = |at: usize| self.classes[self.contexts[at].definition];
        let (mut order, mut open) = (Vec::new(), vec![root]);
        while let Some(at) = open.pop() {
            order.push(at);
            if let Some(mut below) = children.remove(&at) {
                below.sort_unstable_by_key(|&at| std::cmp::Reverse((class(at), at)));
                open.extend(below);
            }
        }
        let places: BTreeMap<usize, usize> = order
            .iter()
            .zip(0..)
            .map(|(&at, node)| (at, node))
            .collect();
        let mut sizes = vec![1_u32; order.len()];
        for node in (1..order.len()).rev() {
            let parent = self.contexts[order[node]].parent?;
            sizes[*places.get(&parent)?] += sizes[node];
        }
        let labels = order.iter().map(|&at| u32::try_from(class(at)).ok());
        let tree = LabelledTree::new(sizes, labels.collect::<Option<_>>()?, self.names.clone())?;
        Some((tree, order))
    }

    fn similarity(&self, [a, b]: [usize; 2]) -> Option<f64> {
        let ((first, _), (second, _)) = (self.tree(a, 0)?, self.tree(b, 1)?);
        Some(EditDistance::between(&first, &second).ok()?.similarity())
    }

    fn candidate(&self, similarity: f64, pair: [usize; 2]) -> Option<CandidateMatch> {
        let ((first, a), (second, b)) = (self.tree(pair[0], 0)?, self.tree(pair[1], 1)?);
        let script = EditScript::between(&first, &second).ok()?;
        let name = |side: usize, of: &[usize], node: u32| {
            let definition = self.contexts[of[node as usize]].definition;
            self.definitions[definition].names[side].to_string()
        };
        let renamed = script.renamed.iter();
        Some(CandidateMatch {
            path_a: path(self.contexts, self.definitions, pair[0], 0),
            path_b: path(self.contexts, self.definitions, pair[1], 1),
            contexts_a: a.len() as u64,
            contexts_b: b.len() as u64,
            edits: script.edits() as u64,
            similarity,
            deleted: script
                .deleted
                .iter()
                .map(|&node| name(0, &a, node))
                .collect(),
            inserted: script
                .inserted
                .iter()
                .map(|&node| name(1, &b, node))
                .collect(),
            renamed: renamed
                .map(|&(x, y)| [name(0, &a, x), name(1, &b, y)])
                .collect(),
        })
    }
}
