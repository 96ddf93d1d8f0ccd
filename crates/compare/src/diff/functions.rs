//! Functions matched as wholes: all their constructs and the places where these stand.
//!
//! A construct is known by its function, its kind and its ordinal, so a function with a new name leaves none of its
//! constructs as they were; and a construct that was added, removed or moved elsewhere renumbers those of its kind
//! after it. Both are recognised by context: the contexts below each construct, with numbers of grains; where it
//! stands; its line, absolute or by the distance from the first or last construct of the function. Constructs of two
//! functions are aligned kind by kind, in their order (a longest common subsequence with scores); functions are one if
//! most of their constructs are, and no other function fits as well.

mod align;
mod constructs;
mod renumbered;
mod reused;
mod swapped;

use std::collections::BTreeSet;

use sheaf_structure::matching::name_similarity;

use super::{DiffContext, DiffDefinition};
use align::{Alignment, align};
use constructs::{Function, Sides};

pub(crate) use renumbered::number_as_newest;
pub(super) use renumbered::{Renumbering, renumbered};

/// Constructs of the baseline and of the candidate that are the same, by index of their definitions, and how sure
/// that is, 0..1.
pub(super) type Followed = Vec<(usize, usize, f64)>;

/// Minimum share of constructs that two matched functions have in common.
const LEAST: f64 = 0.5;
/// Minimum evidence for two functions of unlike names.
const EVIDENCE: usize = 2;
/// Similarity of names from which on one is enough.
const ALIKE: f64 = 0.5;
/// By how much a pair of functions must fit better than any other of either.
const MARGIN: f64 = 0.05;
/// Weight of the similarity of names, added to the share of constructs.
const NAME: f64 = 0.1;
/// Pairs of functions that are compared at most.
const MAX_PAIRS: usize = 4096;

/// Constructs of one side each that are the same in functions that were renamed, moved, extracted or inlined.
/// Definitions for which `is_taken` holds are matched already and left out.
pub(super) fn followed(
    contexts: &[DiffContext],
    definitions: &[DiffDefinition],
    is_taken: impl Fn(usize) -> bool,
) -> Followed {
    let sides = Sides::new(contexts, definitions, false);
    let free = |function: &Function| -> Function {
        let is_free = |at: usize| !sides.is_both(at) && !is_taken(at);
        function.only(is_free)
    };
    let of_side = |side: usize| -> Vec<(&str, Function)> {
        let functions = sides.functions[side].iter();
        functions
            .map(|(name, function)| (*name, free(function)))
            .filter(|(_, function)| !function.is_empty())
            .collect()
    };
    let both = [of_side(0), of_side(1)];
    if both.iter().any(Vec::is_empty) || both[0].len() * both[1].len() > MAX_PAIRS {
        return Followed::new();
    }
    let is_new = |side: usize, at: usize| {
        let name = both[side][at].0;
        !sides.functions[1 - side].contains_key(name)
    };
    let mut matches = Matches {
        both: &both,
        followed: Followed::new(),
        done: [BTreeSet::new(), BTreeSet::new()],
    };
    // Whole functions first, then constructs that moved to another function, then those that moved within one.
    matches.take(|found| found.share, |a, b| is_new(0, a) && is_new(1, b));
    matches.take(|found| found.part, |a, b| is_new(0, a) != is_new(1, b));
    matches.take(|found| found.part, |a, b| both[0][a].0 == both[1][b].0);
    matches
        .followed
        .sort_unstable_by_key(|pair| (pair.0, pair.1));
    matches.followed
}

struct Matches<'a, 'b> {
    both: &'a [Vec<(&'b str, Function)>; 2],
    followed: Followed,
    /// Definitions that have their partner, or stay without one.
    done: [BTreeSet<usize>; 2],
}

/// Two functions that may be one.
struct Candidate {
    places: [usize; 2],
    share: f64,
    /// The share and the similarity of names.
    score: f64,
    /// Minimum evidence for them.
    needed: usize,
    alignment: Alignment,
}

impl Candidate {
    /// Whether both want one construct. A construct belongs to one function of its side.
    fn overlaps(&self, other: &Self) -> bool {
        let is_near = self.places[0] == other.places[0] || self.places[1] == other.places[1];
        is_near && self.alignment.pairs.iter().any(|&pair| other.wants(pair))
    }

    /// Whether it has one of the two constructs in a pair.
    fn wants(&self, (a, b): (usize, usize)) -> bool {
        let mut pairs = self.alignment.pairs.iter();
        pairs.any(|pair| pair.0 == a || pair.1 == b)
    }

    /// Whether both are parts of one function that was split, or joined: most pairs of either are its own, and are
    /// evidence enough.
    fn is_part_with(&self, other: &Self) -> bool {
        let stands_alone = |one: &Self, other: &Self| {
            let pairs = one.alignment.pairs.iter().zip(&one.alignment.evidence);
            let own: Vec<usize> = pairs
                .filter(|(pair, _)| !other.wants(**pair))
                .map(|(_, evidence)| *evidence)
                .collect();
            2 * own.len() > one.alignment.pairs.len() && own.iter().sum::<usize>() >= one.needed
        };
        stands_alone(self, other) && stands_alone(other, self)
    }
}

impl Matches<'_, '_> {
    /// Takes the best of the pairs of functions that may be, one after the other, as long as one fits better than
    /// all others of its functions.
    fn take(&mut self, share: impl Fn(&Alignment) -> f64, may_be: impl Fn(usize, usize) -> bool) {
        let mut candidates = self.candidates(&share, &may_be);
        loop {
            candidates.sort_by(|x, y| {
                y.score
                    .total_cmp(&x.score)
                    .then_with(|| x.places.cmp(&y.places))
            });
            let rival = |at: usize| {
                let own = &candidates[at];
                let others = candidates.iter().enumerate().filter(|(other, it)| {
                    *other != at && own.overlaps(it) && !own.is_part_with(it)
                });
                others
                    .map(|(_, it)| it.score)
                    .fold(f64::NEG_INFINITY, f64::max)
            };
            let best = (0..candidates.len()).find(|&at| candidates[at].score - rival(at) >= MARGIN);
            let Some(best) = best else { return };
            let found = candidates.swap_remove(best);
            // What several parts of one function want, such as the region around all, is none of them.
            let others: Vec<&Candidate> =
                candidates.iter().filter(|it| found.overlaps(it)).collect();
            let is_contested = |pair: (usize, usize)| others.iter().any(|it| it.wants(pair));
            for &(a, b) in &found.alignment.pairs {
                if !is_contested((a, b)) {
                    self.followed.push((a, b, found.share.min(1.0)));
                }
                self.done[0].insert(a);
                self.done[1].insert(b);
            }
            // Only pairs of these two functions have other constructs left now.
            let is_of_found = |a: usize, b: usize| a == found.places[0] || b == found.places[1];
            candidates.retain(|it| !is_of_found(it.places[0], it.places[1]));
            candidates.extend(self.candidates(&share, |a, b| is_of_found(a, b) && may_be(a, b)));
        }
    }

    fn candidates(
        &self,
        share: impl Fn(&Alignment) -> f64,
        may_be: impl Fn(usize, usize) -> bool,
    ) -> Vec<Candidate> {
        let left = |side: usize, at: usize| {
            let done = &self.done[side];
            self.both[side][at].1.only(|at| !done.contains(&at))
        };
        let mut found = Vec::new();
        for a in 0..self.both[0].len() {
            let first = left(0, a);
            for b in (0..self.both[1].len()).filter(|&b| may_be(a, b)) {
                let second = left(1, b);
                if first.is_empty() || second.is_empty() {
                    continue;
                }
                let alignment = align(&first, &second);
                let names = name_similarity(self.both[0][a].0, self.both[1][b].0);
                let needed = if names >= ALIKE { 1 } else { EVIDENCE };
                let share = share(&alignment);
                if share >= LEAST && alignment.evidence.iter().sum::<usize>() >= needed {
                    found.push(Candidate {
                        places: [a, b],
                        share,
                        score: share + NAME * names,
                        needed,
                        alignment,
                    });
                }
            }
        }
        found
    }
}
