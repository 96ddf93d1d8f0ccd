//! Order statistics of weighted values over unions of ranges of places.
//!
//! The structure is a wavelet matrix, of which one level is in memory at a time: all queries go down
//! together, from the highest bit of the values to the lowest.

use std::ops::Range;

/// Which of the two middle values a query is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Both,
    Low,
    High,
}

/// Asks for the middle of the values in some ranges.
#[derive(Debug)]
pub(super) struct Query {
    grain: u32,
    /// Weight of the values before the one that is looked for.
    rank: u64,
    /// Whether the value of the next rank is looked for too.
    is_pair: bool,
    target: Target,
    value: u32,
    ranges: Range<usize>,
}

impl Query {
    /// Of all weight together.
    pub(super) fn median(grain: u32, weight: u64, ranges: Range<usize>) -> Self {
        Self {
            grain,
            rank: weight.saturating_sub(1) / 2,
            is_pair: weight > 0 && weight.is_multiple_of(2),
            target: Target::Both,
            value: 0,
            ranges,
        }
    }
}

/// Places before a place whose value has a zero at the bit, and their weight.
#[derive(Debug, Clone, Copy, Default)]
struct Zeros {
    weight: u64,
    count: u32,
}

/// Medians of values with their weights: per query the lower and the upper middle value; one of them where they were found apart. Of no use once
/// `is_stopped`.
pub(super) fn medians(
    values: impl Iterator<Item = (u32, u64)>,
    mut queries: Vec<Query>,
    mut ranges: Vec<(u32, u32)>,
    is_stopped: impl Fn() -> bool,
) -> impl Iterator<Item = (u32, Option<u32>, Option<u32>)> {
    let mut level: Vec<(u32, u64)> = values.collect();
    let greatest = level.iter().map(|(value, _)| *value).max().unwrap_or(0);
    let bits = u32::BITS - greatest.leading_zeros();
    let mut next = Vec::with_capacity(level.len());
    let mut zeros = Vec::with_capacity(level.len() + 1);
    for bit in (0..bits).rev() {
        if is_stopped() {
            break;
        }
        let is_one = |value: u32| value >> bit & 1 == 1;
        zeros.clear();
        let mut sum = Zeros::default();
        zeros.push(sum);
        for &(value, weight) in &level {
            if !is_one(value) {
                sum.weight += weight;
                sum.count += 1;
            }
            zeros.push(sum);
        }
        descend(&zeros, sum.count, bit, &mut queries, &mut ranges);
        next.clear();
        next.extend(level.iter().filter(|(value, _)| !is_one(*value)));
        next.extend(level.iter().filter(|(value, _)| is_one(*value)));
        std::mem::swap(&mut level, &mut next);
    }
    queries.into_iter().map(|query| match query.target {
        Target::Both => (query.grain, Some(query.value), Some(query.value)),
        Target::Low => (query.grain, Some(query.value), None),
        Target::High => (query.grain, None, Some(query.value)),
    })
}

/// Takes every query to the zeros or the ones of a level; one whose two middle values part there
/// becomes two.
fn descend(
    zeros: &[Zeros],
    all: u32,
    bit: u32,
    queries: &mut Vec<Query>,
    ranges: &mut Vec<(u32, u32)>,
) {
    let before = |place: u32| zeros.get(place as usize).copied().unwrap_or_default();
    let one = |place: u32| all + place - before(place).count;
    for at in 0..queries.len() {
        let Some(query) = queries.get_mut(at) else {
            break;
        };
        let Some(own) = ranges.get_mut(query.ranges.clone()) else {
            continue;
        };
        let weight: u64 = own
            .iter()
            .map(|range| before(range.1).weight - before(range.0).weight)
            .sum();
        if query.rank >= weight {
            query.rank -= weight;
            query.value |= 1 << bit;
            for range in own {
                *range = (one(range.0), one(range.1));
            }
            continue;
        }
        let mut upper = None;
        if query.is_pair && query.rank + 1 == weight {
            query.is_pair = false;
            query.target = Target::Low;
            let ones: Vec<(u32, u32)> = own
                .iter()
                .map(|range| (one(range.0), one(range.1)))
                .collect();
            upper = Some((query.grain, query.value | 1 << bit, ones));
        }
        for range in own {
            *range = (before(range.0).count, before(range.1).count);
        }
        if let Some((grain, value, ones)) = upper {
            let first = ranges.len();
            ranges.extend(ones);
            queries.push(Query {
                grain,
                rank: 0,
                is_pair: false,
                target: Target::High,
                value,
                ranges: first..ranges.len(),
            });
        }
    }
}

/// Places that one node of the tree of [`Extremes`] stands for; few in tests, whose runs are short.
const BLOCK: usize = if cfg!(test) { 2 } else { 64 };

/// Smallest and largest values of ranges of places, from a tree over blocks of places.
#[derive(Debug)]
pub(super) struct Extremes<'a> {
    values: &'a [u32],
    /// Node `i` covers nodes `2i` and `2i + 1`; the blocks are the second half.
    nodes: Vec<(u32, u32)>,
}

impl<'a> Extremes<'a> {
    pub(super) fn of(values: &'a [u32]) -> Self {
        let blocks = values.len().div_ceil(BLOCK);
        let mut nodes = vec![NO_VALUE; blocks];
        nodes.extend(values.chunks(BLOCK).map(extremes));
        for at in (1..blocks).rev() {
            let get = |node: usize| nodes.get(node).copied().unwrap_or(NO_VALUE);
            let joined = join(get(2 * at), get(2 * at + 1));
            if let Some(node) = nodes.get_mut(at) {
                *node = joined;
            }
        }
        Self { values, nodes }
    }

    /// Least and greatest value from `first` to before `last`.
    pub(super) fn within(&self, first: u32, last: u32) -> (u32, u32) {
        let (first, last) = (first as usize, last as usize);
        let of_places = |places: Range<usize>| self.values.get(places).map_or(NO_VALUE, extremes);
        let (first_block, last_block) = (first.div_ceil(BLOCK), last / BLOCK);
        if first_block >= last_block {
            return of_places(first..last);
        }
        let ends = [first..first_block * BLOCK, last_block * BLOCK..last].map(of_places);
        let blocks = self.nodes.len() / 2;
        let (mut low, mut high) = (first_block + blocks, last_block + blocks);
        let get = |node: usize| self.nodes.get(node).copied().unwrap_or(NO_VALUE);
        let mut both = join(ends[0], ends[1]);
        while low < high {
            if low % 2 == 1 {
                both = join(both, get(low));
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                both = join(both, get(high));
            }
            low /= 2;
            high /= 2;
        }
        both
    }
}

/// Smallest and largest value of an empty range: joined with others, it changes nothing.
const NO_VALUE: (u32, u32) = (u32::MAX, 0);

fn extremes(values: &[u32]) -> (u32, u32) {
    let values = values.iter();
    values.fold(NO_VALUE, |both, &value| join(both, (value, value)))
}

fn join(a: (u32, u32), b: (u32, u32)) -> (u32, u32) {
    (a.0.min(b.0), a.1.max(b.1))
}
