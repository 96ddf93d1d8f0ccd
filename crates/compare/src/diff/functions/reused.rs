//! Functions whose name another function has on the other side: the code of `solve` is now `solve_old`, and `solve` is new.

use std::collections::BTreeSet;

use super::align::{Alignment, align};
use super::constructs::{Function, Sides};
use super::{EVIDENCE, MAX_PAIRS};

/// Share of its constructs below which a function may be another one under the same name.
const UNLIKE: f64 = 0.6;
/// Minimum share of constructs of two functions of different names.
const ALIKE: f64 = 0.8;

/// A function of the baseline that has the name of another one in the candidate, or takes such a name there.
pub(super) struct Reused<'a> {
    /// Its name in the baseline.
    pub(super) name: &'a str,
    pub(super) function: &'a Function,
    /// Its constructs with those of the candidate; none if it is gone, as its name has another function now.
    pub(super) pairs: Vec<(usize, usize)>,
}

struct Candidate<'a> {
    names: [&'a str; 2],
    alignment: Alignment,
}

/// Functions of the baseline that are others than those of their names in the candidate. A function that is on one side
/// only counts if it takes, or gives up, the name of one on both: others are renamed ([`super::followed`]).
pub(super) fn reused<'a>(sides: &'a Sides<'_>) -> Vec<Reused<'a>> {
    let [before, after] = &sides.functions;
    let mut unlike: BTreeSet<&str> = BTreeSet::new();
    for (name, function) in before {
        let same = after.get(name).map(|other| align(function, other));
        if same.is_some_and(|alignment| alignment.share < UNLIKE) {
            unlike.insert(name);
        }
    }
    if unlike.is_empty() {
        return Vec::new();
    }
    let free = |side: usize| -> Vec<(&str, &Function)> {
        let other = &sides.functions[1 - side];
        let all = sides.functions[side].iter();
        all.filter(|(name, _)| unlike.contains(*name) || !other.contains_key(*name))
            .map(|(name, function)| (*name, function))
            .collect()
    };
    let [first, second] = [free(0), free(1)];
    if first.len() * second.len() > MAX_PAIRS {
        return Vec::new();
    }
    let mut candidates: Vec<Candidate<'_>> = Vec::new();
    for (a, function) in &first {
        for (b, other) in &second {
            let is_reuse = a != b && (unlike.contains(a) || unlike.contains(b));
            if !is_reuse {
                continue;
            }
            let alignment = align(function, other);
            if alignment.share >= ALIKE && alignment.evidence.iter().sum::<usize>() >= EVIDENCE {
                let names = [*a, *b];
                candidates.push(Candidate { names, alignment });
            }
        }
    }
    // A function that fits several is none of them for sure.
    let is_only = |one: &Candidate<'_>| {
        let shares = |side: usize| {
            let same = candidates.iter();
            same.filter(|it| it.names[side] == one.names[side]).count()
        };
        shares(0) == 1 && shares(1) == 1
    };
    let found: Vec<&Candidate<'_>> = candidates.iter().filter(|one| is_only(one)).collect();
    let moved: BTreeSet<&str> = found.iter().map(|one| one.names[0]).collect();
    let taken = found.iter().map(|one| one.names[1]);
    let gone = taken.filter(|name| !moved.contains(name) && before.contains_key(name));
    let gone: Vec<&str> = gone.collect();
    let of = |name: &'a str, pairs: &[(usize, usize)]| {
        let function = before.get(name)?;
        let pairs = pairs.to_vec();
        Some(Reused {
            name,
            function,
            pairs,
        })
    };
    let found = found
        .iter()
        .map(|one| (one.names[0], &one.alignment.pairs[..]));
    let gone = gone.into_iter().map(|name| (name, &[][..]));
    found
        .chain(gone)
        .filter_map(|(name, pairs)| of(name, pairs))
        .collect()
}
