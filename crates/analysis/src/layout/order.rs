//! Order within columns: barycentre sweeps (Sugiyama, Tagawa & Toda 1981), keeping the best order.

use super::columns::{Columns, places};

/// Pairs of sweeps; in practice the order settles after a few.
const SWEEPS: usize = 24;

/// Reorders every column so that heavy bands cross as little as the heuristic can achieve.
pub(super) fn reduce_crossings(columns: &mut Columns) {
    let mut best = columns.order.clone();
    let mut least = crossings(columns);
    let mut place = places(&columns.order, columns.slots.len());
    for _ in 0..SWEEPS {
        let before = columns.order.clone();
        for column in 1..columns.order.len() {
            sort_column(columns, &mut place, column, column - 1);
        }
        keep_better(columns, &mut best, &mut least);
        for column in (1..columns.order.len()).rev() {
            sort_column(columns, &mut place, column - 1, column);
        }
        keep_better(columns, &mut best, &mut least);
        if columns.order == before {
            break;
        }
    }
    columns.order = best;
    swap_neighbours(columns);
}

fn keep_better(columns: &Columns, best: &mut Vec<Vec<usize>>, least: &mut f64) {
    let cost = crossings(columns);
    if cost < *least {
        *least = cost;
        best.clone_from(&columns.order);
    }
}

/// Sorts a column by the weighted mean place of the neighbours in column `fixed`. Slots without
/// neighbours there keep their relative height in the column. `place` is that of every slot in its column,
/// before and after: to find all places anew for each column takes the square of their number.
fn sort_column(columns: &mut Columns, place: &mut [usize], column: usize, fixed: usize) {
    let relative = |slot: usize, column: usize| {
        (place[slot] as f64 + 0.5) / columns.order[column].len() as f64
    };
    let mut keyed: Vec<(f64, usize)> = columns.order[column]
        .iter()
        .map(|&slot| {
            let (mut sum, mut weight) = (0.0, 0.0);
            let to_left = fixed < column;
            let neighbours = if to_left {
                &columns.slots[slot].incoming
            } else {
                &columns.slots[slot].outgoing
            };
            for &segment in neighbours {
                let segment = &columns.segments[segment];
                let other = if to_left {
                    segment.source
                } else {
                    segment.target
                };
                sum += segment.pull * relative(other, fixed);
                weight += segment.pull;
            }
            let key = if weight > 0.0 {
                sum / weight
            } else {
                relative(slot, column)
            };
            (key, slot)
        })
        .collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    columns.order[column] = keyed.into_iter().map(|(_, slot)| slot).collect();
    for (index, &slot) in columns.order[column].iter().enumerate() {
        place[slot] = index;
    }
}

/// Weight of all crossings: the product of the two bands' pulls, summed over crossing pairs.
/// O(E log V), with a binary indexed tree per pair of columns.
fn crossings(columns: &Columns) -> f64 {
    let place = places(&columns.order, columns.slots.len());
    let mut cost = 0.0;
    for column in 1..columns.order.len() {
        let size = columns.order[column].len();
        let mut tree = vec![0.0; size + 1];
        let mut total = 0.0;
        for &slot in &columns.order[column - 1] {
            let mut targets: Vec<(usize, f64)> = columns.slots[slot]
                .outgoing
                .iter()
                .map(|&segment| &columns.segments[segment])
                .map(|segment| (place[segment.target], segment.pull))
                .collect();
            targets.sort_by_key(|target| target.0);
            for &(target, pull) in &targets {
                cost += pull * (total - prefix(&tree, target + 1));
            }
            for (target, pull) in targets {
                add(&mut tree, target + 1, pull);
                total += pull;
            }
        }
    }
    cost
}

fn prefix(tree: &[f64], mut index: usize) -> f64 {
    let mut sum = 0.0;
    while index > 0 {
        sum += tree[index];
        index &= index - 1;
    }
    sum
}

fn add(tree: &mut [f64], mut index: usize, value: f64) {
    while index < tree.len() {
        tree[index] += value;
        index += index & index.wrapping_neg();
    }
}

/// Exchanges neighbours within columns while that lessens the crossings, a few rounds at most.
fn swap_neighbours(columns: &mut Columns) {
    for _ in 0..8 {
        let mut place = places(&columns.order, columns.slots.len());
        let mut swapped = false;
        for column in 0..columns.order.len() {
            for upper in 1..columns.order[column].len() {
                let (a, b) = (
                    columns.order[column][upper - 1],
                    columns.order[column][upper],
                );
                let now = pair_cost(columns, &place, a, b);
                let then = pair_cost(columns, &place, b, a);
                // The margin keeps rounding from exchanging a pair for ever.
                if then < now * (1.0 - 1e-9) {
                    columns.order[column].swap(upper - 1, upper);
                    place.swap(a, b);
                    swapped = true;
                }
            }
        }
        if !swapped {
            break;
        }
    }
}

/// Weight of the crossings between the bands of two neighbours, `upper` standing above `lower`.
fn pair_cost(columns: &Columns, place: &[usize], upper: usize, lower: usize) -> f64 {
    let ends = |segments: &[usize], to_left: bool| -> Vec<(usize, f64)> {
        let end = |&segment: &usize| {
            let segment = &columns.segments[segment];
            let other = if to_left {
                segment.source
            } else {
                segment.target
            };
            (place[other], segment.pull)
        };
        let mut ends: Vec<_> = segments.iter().map(end).collect();
        ends.sort_by_key(|end| end.0);
        ends
    };
    let (above, below) = (&columns.slots[upper], &columns.slots[lower]);
    inversions(&ends(&above.incoming, true), &ends(&below.incoming, true))
        + inversions(&ends(&above.outgoing, false), &ends(&below.outgoing, false))
}

/// Weight of the pairs in which the upper slot's end lies below the lower slot's; both sorted.
fn inversions(upper: &[(usize, f64)], lower: &[(usize, f64)]) -> f64 {
    let (mut cost, mut passed, mut next) = (0.0, 0.0, 0);
    for &(place, pull) in upper {
        while next < lower.len() && lower[next].0 < place {
            passed += lower[next].1;
            next += 1;
        }
        cost += pull * passed;
    }
    cost
}
