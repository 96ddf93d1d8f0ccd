//! How far nodes reach each other in one tree and in another (Koutra et al. 2013, "`DeltaCon`: a principled
//! massive-graph similarity function").

use std::collections::BTreeMap;

use crate::labelled_tree::{LabelledTree, number};
use crate::similarity::mix;

/// Paths of labels up to which affinities are compared: every path with every other.
const MOST_PATHS: usize = 5_000;

/// No path, in columns of paths.
const NONE: usize = usize::MAX;

/// Depth and hash of a path.
type Key = (u32, u128);

/// The paths of labels of two trees in one forest, parents first.
struct Union {
    parents: Vec<usize>,
    /// Whether each tree has the path.
    is_in: [Vec<bool>; 2],
}

impl Union {
    fn new(a: &LabelledTree, b: &LabelledTree) -> Self {
        // By depth and hash, so that neither the order of the trees nor of children matters.
        let mut paths: BTreeMap<Key, (Option<Key>, [bool; 2])> = BTreeMap::new();
        for (side, tree) in [a, b].into_iter().enumerate() {
            let names: Vec<u128> = tree.names().iter().map(|&name| mix(number(name))).collect();
            let mut keys: Vec<Key> = Vec::with_capacity(tree.len());
            for (&label, parent) in tree.label_indices().iter().zip(tree.parents()) {
                let own = names[label as usize];
                let around = keys.get(parent as usize).copied();
                let key = around.map_or((0, own), |(depth, path)| {
                    (depth + 1, mix(mix(path).wrapping_add(own)))
                });
                keys.push(key);
                paths.entry(key).or_insert((around, [false; 2])).1[side] = true;
            }
        }
        let places: BTreeMap<Key, usize> = paths
            .keys()
            .enumerate()
            .map(|(at, &key)| (key, at))
            .collect();
        let place = |around: &Option<Key>| {
            around
                .and_then(|key| places.get(&key).copied())
                .unwrap_or(NONE)
        };
        Self {
            parents: paths.values().map(|(around, _)| place(around)).collect(),
            is_in: [0, 1].map(|side| paths.values().map(|(_, is_in)| is_in[side]).collect()),
        }
    }
}

/// (I + ε²D − εA)⁻¹ of one tree, a column at a time.
struct Affinity {
    /// The path around each, where the tree has both.
    parents: Vec<usize>,
    epsilon: f64,
    /// What elimination from the leaves leaves on the diagonal.
    pivots: Vec<f64>,
}

impl Affinity {
    fn new(union: &Union, side: usize) -> Self {
        let is_in = &union.is_in[side];
        let parent = |(&parent, &is_in): (&usize, &bool)| if is_in { parent } else { NONE };
        let parents: Vec<usize> = union.parents.iter().zip(is_in).map(parent).collect();
        let mut degrees = vec![0_u32; parents.len()];
        for (node, &parent) in parents.iter().enumerate() {
            if parent != NONE {
                degrees[node] += 1;
                degrees[parent] += 1;
            }
        }
        let most = degrees.iter().copied().max().unwrap_or(0);
        let epsilon = 1.0 / (1.0 + f64::from(most));
        let mut pivots: Vec<f64> = degrees
            .iter()
            .map(|&degree| 1.0 + epsilon * epsilon * f64::from(degree))
            .collect();
        for node in (0..parents.len()).rev() {
            if parents[node] != NONE {
                pivots[parents[node]] -= epsilon * epsilon / pivots[node];
            }
        }
        Self {
            parents,
            epsilon,
            pivots,
        }
    }

    /// How far `from` reaches every path; nothing negative.
    fn column(&self, from: usize, column: &mut [f64]) {
        column.fill(0.0);
        column[from] = 1.0;
        // On the way up only what is around `from` changes; on the way down all below that.
        let mut at = from;
        while self.parents[at] != NONE {
            let parent = self.parents[at];
            column[parent] += column[at] * self.epsilon / self.pivots[at];
            at = parent;
        }
        for node in 0..column.len() {
            let around = match self.parents[node] {
                NONE => 0.0,
                parent => self.epsilon * column[parent],
            };
            column[node] = (column[node] + around) / self.pivots[node];
        }
    }
}

/// How alike the reach of nodes is in two trees, 1 for equal ones: 1 / (1 + d), where d is the root of the summed
/// squares of differences of roots of affinities, (I + ε²D − εA)⁻¹ with ε = 1 / (1 + greatest degree), of every
/// two paths of labels that either tree has. Exact: a tree is solved without filling in. Absent where there
/// are more than 5,000 paths, since it takes the square of their number.
pub fn delta_con(a: &LabelledTree, b: &LabelledTree) -> Option<f64> {
    let union = Union::new(a, b);
    let n = union.parents.len();
    if n > MOST_PATHS {
        return None;
    }
    let sides = [0, 1].map(|side| Affinity::new(&union, side));
    let mut columns = [vec![0.0; n], vec![0.0; n]];
    let mut sum = 0.0;
    for from in 0..n {
        for (side, column) in sides.iter().zip(&mut columns) {
            side.column(from, column);
        }
        let [first, second] = &columns;
        for (x, y) in first.iter().zip(second) {
            let difference = x.sqrt() - y.sqrt();
            sum += difference * difference;
        }
    }
    Some(1.0 / (1.0 + sum.sqrt()))
}
