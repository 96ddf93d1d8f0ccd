//! Times the matching of trees of a million nodes: random ones with a changed version, the calls of a recursive
//! function, the same with siblings that are alike at every depth, equal siblings, a chain; and the edits between small
//! trees of several forms. `cargo run --release -p sheaf-structure --example matching`.
#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use std::hint::black_box;
use std::time::Instant;

use sheaf_model::{DefinitionId, StructureId};
use sheaf_structure::LabelledTree;
use sheaf_structure::edit::{EditDistance, EditScript, MAX_NODES};
use sheaf_structure::matching::{Known, Label, Matching, Side};

const NODES: u32 = 1_000_000;
const LABELS: u32 = 64;

fn main() {
    let random = random_tree(7);
    report("random", &random, &changed(&random));
    let calls = calls();
    report("recursion", &calls, &changed(&calls));
    let siblings = shape(|node| if node == 0 { NODES } else { 1 });
    let mut fewer = vec![1; NODES as usize / 2];
    fewer[0] = NODES / 2;
    let fewer = (fewer, vec![0; NODES as usize / 2]);
    report("equal siblings", &siblings, &fewer);
    let chain = shape(|node| NODES - node);
    report("chain", &chain, &changed(&chain));
    let deep = deep_recursion();
    report("deep recursion", &deep, &changed(&deep));
    edits();
}

/// A function that calls itself twice, alike each time: one call goes on for thousands of levels, the other for few.
fn deep_recursion() -> Tree {
    const LEVELS: u32 = 50_000;
    // Calls of the short ones: all of four levels.
    let short = [15_u32, 7, 3, 1, 1, 3, 1, 1, 7, 3, 1, 1, 3, 1, 1];
    let per_level = 1 + u32::try_from(short.len()).unwrap_or_default() + 4;
    let mut sizes = Vec::new();
    for level in 0..LEVELS {
        sizes.push((LEVELS - level) * per_level);
        sizes.extend([1; 4]);
        sizes.extend(short);
    }
    let labels = vec![0; sizes.len()];
    (sizes, labels)
}

/// Edits between trees of the most nodes that are compared, every tenth label another.
fn edits() {
    let most = u32::try_from(MAX_NODES).unwrap_or_default();
    let ids: Vec<StructureId> = (0..LABELS)
        .map(|label| StructureId::label(&label.to_string(), None))
        .collect();
    // Spines with a leaf at each node: left of it, right of it, by turns.
    let comb = |is_left: &dyn Fn(u32) -> bool| {
        let (mut sizes, mut rest) = (Vec::new(), most);
        let mut behind = 0;
        while rest > behind + 1 {
            sizes.push(rest - behind);
            rest -= 1;
            if is_left(rest) && rest > behind {
                sizes.push(1);
                rest -= 1;
            } else if rest > behind + 1 {
                behind += 1;
            }
        }
        sizes.extend(std::iter::repeat_n(1, most as usize - sizes.len()));
        sizes
    };
    let wide = (0..most)
        .map(|node| if node == 0 { most } else { 1 })
        .collect();
    let forms: [(&str, Vec<u32>); 5] = [
        ("wide", wide),
        ("chain", (0..most).map(|node| most - node).collect()),
        ("leaves left", comb(&|_| true)),
        ("leaves right", comb(&|_| false)),
        ("leaves by turns", comb(&|rest| rest % 4 < 2)),
    ];
    for (name, sizes) in forms {
        let labels: Vec<u32> = (0..most).map(|node| node % LABELS).collect();
        let other = labels
            .iter()
            .map(|&label| if label % 10 == 3 { 0 } else { label });
        let other = LabelledTree::new(sizes.clone(), other.collect(), ids.clone());
        let (Some(a), Some(b)) = (LabelledTree::new(sizes, labels, ids.clone()), other) else {
            println!("{name}: no tree");
            continue;
        };
        let start = Instant::now();
        let distance = black_box(EditDistance::between(&a, &b)).map_or(0, |found| found.edits);
        let found = start.elapsed().as_secs_f64();
        let script = black_box(EditScript::between(&a, &b)).map_or(0, |script| script.edits());
        println!(
            "{name}: {distance} edits between {most} and {most} nodes in {found:.3} s; {script} listed in {:.3} s",
            start.elapsed().as_secs_f64() - found,
        );
    }
}

/// Sizes of sub-trees in pre-order, and labels.
type Tree = (Vec<u32>, Vec<u32>);

fn report(name: &str, a: &Tree, b: &Tree) {
    let ids = (0..LABELS)
        .map(|label| StructureId::label("task", Some(DefinitionId::new("task", "f", label))));
    let ids: Vec<StructureId> = ids.collect();
    let labels = vec![
        Label {
            kind: "task",
            name: "f"
        };
        ids.len()
    ];
    let tree = |tree: &Tree| LabelledTree::new(tree.0.clone(), tree.1.clone(), ids.clone());
    let (Some(a), Some(b)) = (tree(a), tree(b)) else {
        println!("{name}: no trees");
        return;
    };
    let side = |tree| Side {
        tree,
        labels: &labels,
    };
    let start = Instant::now();
    let found = black_box(Matching::new(side(&a), side(&b), &Known::default()));
    let matched = start.elapsed().as_secs_f64();
    let changes = found.changes([side(&a), side(&b)]).len();
    println!(
        "{name}: {} against {} nodes, {} pairs in {matched:.2} s; {changes} changes in {:.2} s",
        a.len(),
        b.len(),
        found.len(),
        start.elapsed().as_secs_f64() - matched,
    );
}

/// Every node but the first has a parent up to a few hundred nodes before it.
fn random_tree(seed: u64) -> Tree {
    let mut state = seed;
    let mut below = |limit: u32| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        u32::try_from((state >> 33) % u64::from(limit)).unwrap_or_default()
    };
    let (mut sizes, mut labels) = (vec![1_u32; NODES as usize], Vec::new());
    // In pre-order, a node's parent is any on the path to the last node.
    let mut path: Vec<u32> = Vec::new();
    let mut parents = Vec::new();
    for node in 0..NODES {
        let depth = u32::try_from(path.len()).unwrap_or_default();
        if depth > 1 {
            let kept = depth - below(depth.min(4));
            path.truncate(kept.max(1) as usize);
        }
        parents.push(path.last().copied());
        path.push(node);
        labels.push(below(LABELS));
    }
    for node in (0..NODES as usize).rev() {
        if let Some(parent) = parents[node] {
            sizes[parent as usize] += sizes[node];
        }
    }
    (sizes, labels)
}

/// The calls of a function that calls itself for one and for two less.
fn calls() -> Tree {
    let mut counts = vec![1_u32, 1];
    while counts.last().is_some_and(|&last| last < NODES * 2 / 3) {
        let [.., two, one] = counts.as_slice() else {
            break;
        };
        let next = one + two + 1;
        counts.push(next);
    }
    let mut sizes = Vec::new();
    let mut open = vec![counts.len() - 1];
    while let Some(n) = open.pop() {
        sizes.push(counts[n]);
        if n > 1 {
            open.extend([n - 2, n - 1]);
        }
    }
    let labels = vec![0; sizes.len()];
    (sizes, labels)
}

fn shape(size: impl Fn(u32) -> u32) -> Tree {
    let sizes = (0..NODES).map(size).collect();
    (sizes, vec![0; NODES as usize])
}

/// Another label for every fiftieth leaf, and for one inner node in ten thousand.
fn changed((sizes, labels): &Tree) -> Tree {
    let mut labels = labels.clone();
    for (node, (label, &size)) in labels.iter_mut().zip(sizes).enumerate() {
        if (size == 1 && node % 50 == 7) || node % 10_000 == 9 {
            *label = (*label + 1) % LABELS;
        }
    }
    (sizes.clone(), labels)
}
