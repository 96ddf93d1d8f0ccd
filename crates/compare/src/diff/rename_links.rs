//! What became of the structure from one set of runs to another, among many of one tree.

use std::collections::BTreeMap;

use super::changes::Change;
use super::changes::Compared;
use super::context_matching::ContextMatching;
use super::grouped::{IterationCounts, NodeFacts, contexts_of, definitions_of, iterations_of};
use super::naming::names_among;
use super::{DiffContext, DiffDefinition, Mapping};
use crate::renaming::RenameLink;
use sheaf_analysis::EnsembleTree;
use sheaf_answers::MatchedBy;

/// Definitions of two sets of runs that are the same under different names: those of one side each of
/// which more than half of the contexts that are found on the other side are each other's. The runs stand at
/// `places` of the tree; `counts` has the iterations of some.
pub(crate) fn links(
    tree: &EnsembleTree,
    places: &[Vec<usize>; 2],
    counts: [&IterationCounts; 2],
    mapping: &Mapping,
) -> Vec<RenameLink> {
    matched(tree, places, counts, mapping, |_| [0.0; 2]).0
}

/// The same without iterations, with what happened to the structure; `work` is that of each node in a mean run of either
/// side.
pub(crate) fn step(
    tree: &EnsembleTree,
    places: &[Vec<usize>; 2],
    mapping: &Mapping,
    work: impl Fn(usize) -> [f64; 2],
) -> (Vec<RenameLink>, Vec<Change>) {
    let counts = IterationCounts::new();
    matched(tree, places, [&counts; 2], mapping, work)
}

fn matched(
    tree: &EnsembleTree,
    places: &[Vec<usize>; 2],
    counts: [&IterationCounts; 2],
    mapping: &Mapping,
    work: impl Fn(usize) -> [f64; 2],
) -> (Vec<RenameLink>, Vec<Change>) {
    let iterations = iterations_of(tree, places, counts);
    let known = |node: usize| NodeFacts {
        places: [None; 2],
        iterations: iterations[node],
    };
    let contexts = contexts_of(tree, places, |_| None, known, work);
    let names = places.each_ref().map(|places| names_among(tree, places));
    let definitions = definitions_of(tree, &names);
    let pairing = ContextMatching::new(&contexts, &definitions, mapping);
    let compared = Compared {
        contexts: &contexts,
        definitions: &definitions,
        pairing: &pairing,
        runs: places.each_ref().map(Vec::len),
        has_different_worker_counts: false,
        unrecorded: &[],
    };
    (
        voted(&contexts, &definitions, &pairing),
        compared.changes(0).all,
    )
}

/// Contexts of two definitions that are each other's, and how that was found.
#[derive(Clone, Copy)]
struct Vote {
    votes: usize,
    by: MatchedBy,
    score: f64,
}

fn voted(
    contexts: &[DiffContext],
    definitions: &[DiffDefinition],
    pairing: &ContextMatching,
) -> Vec<RenameLink> {
    let mut sides = vec![[false; 2]; definitions.len()];
    for context in contexts {
        for (side, is_present) in context.is_present().into_iter().enumerate() {
            sides[context.definition][side] |= is_present;
        }
    }
    let mut ballots: BTreeMap<(usize, usize), Vote> = BTreeMap::new();
    let mut totals = vec![0_usize; definitions.len()];
    for (at, context) in contexts.iter().enumerate() {
        let partner = pairing.partners[at].filter(|_| context.is_present() == [true, false]);
        let Some(there) = partner else { continue };
        let pair = (context.definition, contexts[there].definition);
        let is_apart = sides[pair.0] == [true, false] && sides[pair.1] == [false, true];
        let Some(&(by, score)) = pairing.renames.get(&pair).filter(|_| is_apart) else {
            continue;
        };
        totals[pair.0] += 1;
        totals[pair.1] += 1;
        let first = Vote {
            votes: 0,
            by,
            score,
        };
        ballots.entry(pair).or_insert(first).votes += 1;
    }
    let is_elected = |((a, b), ballot): &((usize, usize), Vote)| {
        2 * ballot.votes > totals[*a] && 2 * ballot.votes > totals[*b]
    };
    ballots
        .into_iter()
        .filter(is_elected)
        .map(|((a, b), ballot)| RenameLink {
            definitions: [definitions[a].id, definitions[b].id],
            matched_by: ballot.by,
            score: ballot.score,
        })
        .collect()
}
