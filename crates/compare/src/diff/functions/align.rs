//! Alignment of the constructs of two functions.

use super::constructs::{Construct, Function};

/// Constructs of a kind that are aligned; of more, those of equal ordinal are pairs.
pub(super) const MOST: usize = 128;
/// Least score of two constructs that are one.
const LEAST: f64 = 0.4;
/// By how much the score of a pair must be greater than that of another one. Ordinals and single lines prove less.
const RIVAL: f64 = 0.16;

/// Which construct of one function is which of another.
#[derive(Debug, Clone, Default)]
pub(super) struct Alignment {
    /// Indices of definitions.
    pub(super) pairs: Vec<(usize, usize)>,
    /// Sum of the scores of the pairs.
    pub(super) score: f64,
    /// Twice that by the constructs of both functions.
    pub(super) share: f64,
    /// That by the constructs of the smaller one.
    pub(super) part: f64,
    /// Evidence for each pair beyond kinds and order: equal numbers of grains, lines, and contexts below them.
    pub(super) evidence: Vec<usize>,
}

/// Aligns two functions, kind by kind, in the order of ordinals. Remaining constructs with equal ordinals are pairs
/// if both functions have as many of the kind.
pub(super) fn align(a: &Function, b: &Function) -> Alignment {
    let mut found = Alignment::default();
    for (kind, first) in &a.kinds {
        let Some(second) = b.kinds.get(kind) else {
            continue;
        };
        let score = |x: &Construct, y: &Construct| score([a, b], x, y);
        let (pairs, sum) = aligned(first, second, score);
        found.score += sum;
        if first.len() == second.len() {
            let left = first.iter().zip(second);
            let is_free = |x: &Construct, y: &Construct| {
                let mut taken = pairs.iter();
                taken.all(|pair| pair.0 != x.definition && pair.1 != y.definition)
            };
            let left = left.filter(|(x, y)| x.ordinal == y.ordinal && is_free(x, y));
            found
                .pairs
                .extend(left.map(|(x, y)| (x.definition, y.definition)));
        }
        found.pairs.extend(pairs);
    }
    found.pairs.sort_unstable();
    found.evidence = found
        .pairs
        .iter()
        .map(|pair| evidence([a, b], pair))
        .collect();
    found.part = found.score / a.len().min(b.len()).max(1) as f64;
    found.share = 2.0 * found.score / (a.len() + b.len()).max(1) as f64;
    found
}

/// Constructs with equal ordinals, by index of their definitions.
pub(super) fn pairs_by_ordinal(a: &Function, b: &Function) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (kind, first) in &a.kinds {
        let second = b.kinds.get(kind).map_or(&[][..], Vec::as_slice);
        for x in first {
            let equal = second.binary_search_by_key(&x.ordinal, |y| y.ordinal);
            let y = equal.ok().and_then(|at| second.get(at));
            pairs.extend(y.map(|y| (x.definition, y.definition)));
        }
    }
    pairs
}

/// Sum of the scores of constructs with equal ordinals.
pub(super) fn by_ordinal(a: &Function, b: &Function) -> f64 {
    let kinds = a
        .kinds
        .iter()
        .filter_map(|(kind, first)| Some((first, b.kinds.get(kind)?)));
    kinds
        .flat_map(|(first, second)| {
            first.iter().filter_map(|x| {
                let y = second.iter().find(|y| y.ordinal == x.ordinal)?;
                Some(score([a, b], x, y))
            })
        })
        .filter(|score| *score >= LEAST)
        .sum()
}

/// Pairs in one order on both sides with the maximum sum of scores (Needleman and Wunsch 1970, gaps cost nothing).
fn aligned(
    first: &[Construct],
    second: &[Construct],
    score: impl Fn(&Construct, &Construct) -> f64,
) -> (Vec<(usize, usize)>, f64) {
    if first.len() > MOST || second.len() > MOST {
        let mut sum = 0.0;
        let mut pairs = Vec::new();
        for x in first {
            let equal = second.binary_search_by_key(&x.ordinal, |y| y.ordinal);
            let Some(y) = equal.ok().and_then(|at| second.get(at)) else {
                continue;
            };
            let own = score(x, y);
            if own >= LEAST {
                sum += own;
                pairs.push((x.definition, y.definition));
            }
        }
        return (pairs, sum);
    }
    let scores: Vec<Vec<f64>> = first
        .iter()
        .map(|x| second.iter().map(|y| score(x, y)).collect())
        .collect();
    let mut best = vec![vec![0.0_f64; second.len() + 1]; first.len() + 1];
    for (i, row) in scores.iter().enumerate().rev() {
        for (j, &own) in row.iter().enumerate().rev() {
            let paired = if own >= LEAST {
                own + best[i + 1][j + 1]
            } else {
                0.0
            };
            best[i][j] = paired.max(best[i + 1][j]).max(best[i][j + 1]);
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut pairs = Vec::new();
    while i < first.len() && j < second.len() {
        let own = scores[i][j];
        // The same sum, computed the same way.
        let is_pair = own >= LEAST && best[i][j].to_bits() == (own + best[i + 1][j + 1]).to_bits();
        if is_pair {
            pairs.push((first[i].definition, second[j].definition));
            (i, j) = (i + 1, j + 1);
        } else if best[i + 1][j] >= best[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    (pairs, best[0][0])
}

fn evidence([a, b]: [&Function; 2], pair: &(usize, usize)) -> usize {
    let find = |of: &Function, at: usize| {
        let mut all = of.kinds.values().flatten();
        all.find(|one| one.definition == at).cloned()
    };
    let Some((x, y)) = find(a, pair.0).zip(find(b, pair.1)) else {
        return 0;
    };
    let is_other = has_other_iterations(&x, &y);
    let has_content = x.has_content && y.has_content && x.loose == y.loose && !is_other;
    let has_grains = x.has_grains && x.exact == y.exact;
    let has_iterations = x.iterations.is_some() && x.iterations == y.iterations;
    // Whatever stands in a region may be anything, but for what is as much.
    let is_in_place = x.around.is_some() && x.around == y.around && (has_grains || has_iterations);
    usize::from(has_grains)
        + usize::from(has_iterations)
        + usize::from(has_content)
        + usize::from(is_in_place)
        + usize::from(line([a, b], &x, &y) > 0.5)
}

/// Constructs of one function that fit one of the other nearly as well as its partner, though they have none: those of
/// the baseline and of the candidate that may be one as well, by index of their definitions. Amounts must be equal, as
/// nothing else is known of most loops.
pub(super) fn rivals(a: &Function, b: &Function, pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (kind, first) in &a.kinds {
        let second = b.kinds.get(kind).map_or(&[][..], Vec::as_slice);
        if first.len() > MOST || second.len() > MOST {
            continue;
        }
        let is_free = |x: &&Construct| pairs.iter().all(|pair| pair.0 != x.definition);
        let free_a: Vec<&Construct> = first.iter().filter(is_free).collect();
        let is_free = |y: &&Construct| pairs.iter().all(|pair| pair.1 != y.definition);
        let free_b: Vec<&Construct> = second.iter().filter(is_free).collect();
        if free_a.is_empty() && free_b.is_empty() {
            continue;
        }
        for x in first {
            let partner = pairs.iter().find(|pair| pair.0 == x.definition);
            let partner = partner.and_then(|pair| second.iter().find(|y| y.definition == pair.1));
            let Some(y) = partner.filter(|y| x.amount.is_some() && x.amount == y.amount) else {
                continue;
            };
            let own = score([a, b], x, y);
            let is_near = |x: &Construct, y: &Construct| own - score([a, b], x, y) < RIVAL;
            let is_one = |other: &Construct, known: &Construct| {
                other.amount == known.amount && other.shape == known.shape
            };
            let of_a = free_a
                .iter()
                .filter(|other| is_one(other, x) && is_near(other, y));
            found.extend(of_a.map(|other| (other.definition, y.definition)));
            let of_b = free_b
                .iter()
                .filter(|other| is_one(other, y) && is_near(x, other));
            found.extend(of_b.map(|other| (x.definition, other.definition)));
        }
    }
    found
}

/// How alike two constructs of one kind are, 0..1.
fn score([a, b]: [&Function; 2], x: &Construct, y: &Construct) -> f64 {
    if x.region.is_some() && y.region.is_some() && x.region != y.region {
        return 0.0;
    }
    let below = if x.loose == y.loose && (has_other_iterations(x, y) || has_other_grains(x, y)) {
        0.05
    } else if x.exact == y.exact && x.has_grains {
        0.55
    } else if x.exact == y.exact {
        0.45
    } else if x.loose == y.loose {
        0.2
    } else if x.shape == y.shape {
        0.1
    } else {
        0.0
    };
    let place = if x.place == y.place { 0.2 } else { 0.0 };
    let ordinal = if x.ordinal == y.ordinal { 0.1 } else { 0.0 };
    below + place + ordinal + 0.25 * line([a, b], x, y)
}

/// Whether the loops of both, as many, are known to have other iterations.
fn has_other_iterations(x: &Construct, y: &Construct) -> bool {
    let both = x.iterations.zip(y.iterations);
    both.is_some_and(|(here, there)| here != there)
}

/// Whether both are known to have other numbers of grains.
fn has_other_grains(x: &Construct, y: &Construct) -> bool {
    let both = x.grains.zip(y.grains);
    both.is_some_and(|(here, there)| here != there)
}

/// Whether two constructs stand in the same line, or as far from the first or last of their functions.
fn line([a, b]: [&Function; 2], x: &Construct, y: &Construct) -> f64 {
    let (Some(here), Some(there)) = (x.line, y.line) else {
        return 0.4;
    };
    if a.may_lack_loops && here.abs_diff(there) <= 1 && a.file == b.file {
        // Compilers state the line of the directive or that of the loop.
        return 0.8;
    }
    let extent = |of: &Function| of.lines.map(|[first, last]| last - first);
    if here == there && a.file == b.file {
        // Lines before or after it were added or removed, and it may be what stands there now by chance.
        return if extent(a) == extent(b) { 1.0 } else { 0.8 };
    }
    if x.offset.is_some() && x.offset == y.offset {
        return 0.8;
    }
    let (Some([first, last]), Some([other_first, other_last])) = (a.lines, b.lines) else {
        return 0.4;
    };
    let is_alone = first == last || other_first == other_last;
    // The first is always as far from the first.
    let is_behind = here != first && here - first == there - other_first;
    let is_before = here != last && last - here == other_last - there;
    let is_end = (here, there) == (first, other_first) || (here, there) == (last, other_last);
    match is_behind || is_before {
        _ if is_alone => 0.4,
        true => 0.8,
        false if is_end => 0.4,
        false => 0.0,
    }
}
