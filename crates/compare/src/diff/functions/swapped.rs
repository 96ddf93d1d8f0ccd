//! Constructs of one function that changed places: both sides have the same numbers, with other contents.

use std::collections::{BTreeMap, BTreeSet};

use super::align::MOST;
use super::constructs::{Construct, Function};

/// Least ratio of the work of two constructs that are one.
const ALIKE: f64 = 0.5;
/// Greatest ratio of the work of two constructs that may have changed places, each to what has its number.
const CHANGED: f64 = 0.75;
/// Least ratio of their work to that of the other one then.
const CROSSED: f64 = 0.85;
/// By how much the ratios must be nearer to 1 in the other order, on average.
const LEAST: f64 = 0.1;

/// What contents of the same constructs of a function say.
#[derive(Debug, Clone, Default)]
pub(super) struct Swapped {
    /// Constructs of the baseline and of the candidate that are the same, by index of their definitions.
    pub(super) pairs: Vec<(usize, usize)>,
    /// Those of them that have other numbers and other work, so that it is not clear which they are.
    pub(super) unclear: Vec<(usize, usize)>,
}

/// Which constructs have the contents that others had: numbers of iterations and grains that occur once on each side.
/// Kinds below them or their work must show the same, since parameters may have been swapped as well. Where amounts show
/// nothing, it is not clear whether two constructs changed places if each has the work of the other. `work` is that of a
/// definition and all below it, by side.
pub(super) fn swapped(first: &Function, second: &Function, work: &[[f64; 2]]) -> Swapped {
    let mut found = Swapped::default();
    for (kind, before) in &first.kinds {
        let after = second.kinds.get(kind).map_or(&[][..], Vec::as_slice);
        let moved = changed_places(before, after);
        let crossed = if moved.is_empty() {
            with_crossed_work(before, after, work)
        } else {
            Vec::new()
        };
        let is_moved = |x: &Construct| {
            let mut all = moved.iter().chain(&crossed);
            all.any(|[from, _]| from.ordinal == x.ordinal)
        };
        let same = before.iter().zip(after);
        let same = same.filter(|(x, y)| x.ordinal == y.ordinal && !is_moved(x));
        found
            .pairs
            .extend(same.map(|(x, y)| (x.definition, y.definition)));
        let definitions = |[x, y]: &[&Construct; 2]| (x.definition, y.definition);
        found.unclear.extend(crossed.iter().map(definitions));
        if moved.is_empty() {
            continue;
        }
        let is_alike = |(a, b): (usize, usize)| ratio(work[a][0], work[b][1]) >= ALIKE;
        let gain = |pair: &[&Construct; 2]| {
            let (a, b) = definitions(pair);
            let own = (ratio(work[a][0], work[a][1]), ratio(work[b][0], work[b][1]));
            ratio(work[a][0], work[b][1]) - f64::midpoint(own.0, own.1)
        };
        let gains: f64 = moved.iter().map(gain).sum();
        let is_clear = by_shape(&moved, after)
            || moved.iter().all(|pair| is_alike(definitions(pair)))
                && gains >= LEAST * moved.len() as f64;
        if is_clear {
            found.pairs.extend(moved.iter().map(definitions));
        } else {
            found.unclear.extend(moved.iter().map(definitions));
        }
    }
    found
}

/// Whether the kinds below constructs moved with them.
fn by_shape(moved: &[[&Construct; 2]], after: &[Construct]) -> bool {
    let stayed = |x: &Construct| {
        let mut after = after.iter();
        after.any(|y| y.ordinal == x.ordinal && y.shape == x.shape)
    };
    moved.iter().all(|[x, y]| x.shape == y.shape) && moved.iter().any(|[x, _]| !stayed(x))
}

/// Constructs of one kind that have each other's place and amounts that occur once on either side. Nothing where one of
/// them takes the place of a construct that has another partner, or none.
fn changed_places<'a>(before: &'a [Construct], after: &'a [Construct]) -> Vec<[&'a Construct; 2]> {
    let once = |all: &'a [Construct]| -> BTreeMap<u64, Option<&'a Construct>> {
        let mut found: BTreeMap<u64, Option<&Construct>> = BTreeMap::new();
        for (amount, one) in all.iter().filter_map(|one| Some((one.amount?, one))) {
            found
                .entry(amount)
                .and_modify(|known| *known = None)
                .or_insert(Some(one));
        }
        found
    };
    let there = once(after);
    let pairs = once(before).into_iter();
    let moved: Vec<[&Construct; 2]> = pairs
        .filter_map(|(amount, one)| Some([one?, (*there.get(&amount)?)?]))
        .filter(|[x, y]| x.ordinal != y.ordinal)
        .collect();
    let places =
        |side: usize| -> BTreeSet<i32> { moved.iter().map(|it| it[side].ordinal).collect() };
    if places(0) == places(1) {
        moved
    } else {
        Vec::new()
    }
}

/// Constructs of one kind with the same amounts and kinds below them, each with the place in which the other has its
/// work.
fn with_crossed_work<'a>(
    before: &'a [Construct],
    after: &'a [Construct],
    work: &[[f64; 2]],
) -> Vec<[&'a Construct; 2]> {
    let mut crossed: Vec<[&Construct; 2]> = Vec::new();
    if before.len() > MOST {
        return crossed;
    }
    let later = |x: &Construct| after.iter().find(|y| y.ordinal == x.ordinal);
    let work = |x: &Construct, side: usize| work[x.definition][side];
    for (at, x) in before.iter().enumerate() {
        for z in before.iter().skip(at + 1) {
            let (Some(x_later), Some(z_later)) = (later(x), later(z)) else {
                continue;
            };
            let others = [z, x_later, z_later];
            let is_one = |y: &&Construct| y.amount == x.amount && y.shape == x.shape;
            if x.amount.is_none() || !others.iter().all(is_one) {
                continue;
            }
            let ratio_to = |own: &Construct, later: &Construct| ratio(work(own, 0), work(later, 1));
            let is_known =
                |own: &Construct| crossed.iter().any(|[it, _]| it.ordinal == own.ordinal);
            let own = ratio_to(x, x_later).max(ratio_to(z, z_later));
            let other = ratio_to(x, z_later).min(ratio_to(z, x_later));
            if own <= CHANGED && other >= CROSSED && !is_known(x) && !is_known(z) {
                crossed.extend([[x, z_later], [z, x_later]]);
            }
        }
    }
    crossed
}

/// The smaller by the greater, 0 where one is none.
fn ratio(a: f64, b: f64) -> f64 {
    let (least, most) = (a.min(b), a.max(b));
    if least > 0.0 && most.is_finite() {
        least / most
    } else {
        0.0
    }
}
