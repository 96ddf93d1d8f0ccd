//! Similarity of all pairs of lists of features.

use std::collections::HashMap;

use rayon::prelude::*;

use super::Features;
use super::features::ratio;

/// Number of ids that are compared at a time: that many weights of two runs fit the L1 cache.
const BLOCK: usize = 4096;

/// Number of weights that are compared at a time, over all lists.
const RANGE: usize = 1 << 20;

/// Maximum weight of an id in dense rows: sums over a block of such weights fit in 31 bits.
const MAX_DENSE: u64 = 0x7fff;

/// [`Features::min_max`] of every pair, row by row: symmetric, 1 on the diagonal.
///
/// Ids in many lists are compared as dense rows, other ids through the lists that have them. At most n²·u
/// simple steps for n lists of u ids each, which the processor does many at once.
pub fn min_max_matrix(lists: &[&Features]) -> Vec<f64> {
    let shared = shared_matrix(lists);
    let n = lists.len();
    let totals: Vec<u128> = lists.iter().map(|list| list.total()).collect();
    let mut matrix = vec![0.0; n * n];
    for i in 0..n {
        for j in i..n {
            let both = if i == j { totals[i] } else { shared[i * n + j] };
            let value = ratio(both, totals[i] + totals[j] - both);
            matrix[i * n + j] = value;
            matrix[j * n + i] = value;
        }
    }
    matrix
}

/// [`Features::shared`] of every pair `i < j`, at `i * n + j`. It processes one range of ids at a time, so that
/// only the weights of one range are copied.
fn shared_matrix(lists: &[&Features]) -> Vec<u128> {
    let n = lists.len();
    let mut shared = vec![0_u128; n * n];
    let mut rest: Vec<&[(u128, u64)]> = lists.iter().map(|list| list.counts()).collect();
    for end in ends(&rest) {
        let part = rest.iter_mut().map(|list| {
            let at = end.map_or(list.len(), |end| list.partition_point(|(id, _)| *id < end));
            let (part, after) = list.split_at(at);
            *list = after;
            part
        });
        let columns = Columns::of(&part.collect::<Vec<_>>());
        columns.add_sparse(&mut shared, n);
        for block in columns.dense.chunks(BLOCK) {
            add_block(block, &mut shared, n);
        }
    }
    shared
}

/// Ids before which ranges of about [`RANGE`] weights end; the last range has no end. The longest list
/// determines the ids.
fn ends(lists: &[&[(u128, u64)]]) -> Vec<Option<u128>> {
    let weights: usize = lists.iter().map(|list| list.len()).sum();
    let longest = lists.iter().max_by_key(|list| list.len());
    let longest = longest.copied().unwrap_or_default();
    let ranges = (weights / RANGE).min(longest.len());
    let end = |range: usize| longest.get(range * longest.len() / (ranges + 1));
    let ends = (1..=ranges).map(|range| end(range).map(|(id, _)| *id));
    ends.chain([None]).collect()
}

/// Weights by id: the lists that have the id, with their weights.
struct Columns {
    sparse: Vec<Vec<(u32, u64)>>,
    dense: Vec<Vec<(u32, u64)>>,
}

impl Columns {
    fn of(lists: &[&[(u128, u64)]]) -> Self {
        let mut columns: HashMap<u128, Vec<(u32, u64)>> = HashMap::new();
        for (list, counts) in (0_u32..).zip(lists) {
            for &(id, count) in *counts {
                columns.entry(id).or_default().push((list, count));
            }
        }
        // The order varies, but sums of integers do not depend on it.
        let columns = columns.into_values().filter(|column| column.len() > 1);
        let is_dense = |column: &Vec<(u32, u64)>| {
            8 * column.len() > lists.len() && column.iter().all(|(_, count)| *count <= MAX_DENSE)
        };
        let (dense, sparse) = columns.partition(is_dense);
        Self { sparse, dense }
    }

    fn add_sparse(&self, shared: &mut [u128], n: usize) {
        for column in &self.sparse {
            for (at, &(i, a)) in column.iter().enumerate() {
                for &(j, b) in &column[at + 1..] {
                    shared[i as usize * n + j as usize] += u128::from(a.min(b));
                }
            }
        }
    }
}

/// Adds the shared weights of a block of ids for every pair.
fn add_block(block: &[Vec<(u32, u64)>], shared: &mut [u128], n: usize) {
    let width = block.len();
    let mut weights = vec![0_i16; n * width];
    for (at, column) in block.iter().enumerate() {
        for &(list, count) in column {
            weights[list as usize * width + at] = i16::try_from(count).unwrap_or(i16::MAX);
        }
    }
    let row = |list: usize| &weights[list * width..(list + 1) * width];
    shared.par_chunks_mut(n).enumerate().for_each(|(i, sums)| {
        let own = row(i);
        for (j, sum) in sums.iter_mut().enumerate().skip(i + 1) {
            let pairs = own.iter().zip(row(j));
            let both: i32 = pairs.map(|(&a, &b)| i32::from(a.min(b))).sum();
            *sum += u128::from(both.unsigned_abs());
        }
    });
}
