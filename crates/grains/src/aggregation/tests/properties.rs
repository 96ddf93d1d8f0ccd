//! What must hold of every tree.

use proptest::prelude::*;
use sheaf_model::RunTables;

use super::{named, run, tree};
use crate::aggregation::{AggregationTree, GroupKind, Propagation};
use crate::grain_graph::Structure;

/// The same run with its grains in another order.
fn shuffled(run: &RunTables, order: &[usize]) -> RunTables {
    let grains = &run.grains;
    let mut place = vec![0_i32; order.len()];
    for (to, &from) in (0..).zip(order) {
        place[from] = to;
    }
    let rows = order.iter().map(|&from| {
        let mut row = grains.row(from);
        row.parent = row
            .parent
            .map(|parent| place[usize::try_from(parent).unwrap()]);
        row
    });
    let mut shuffled = run.clone();
    shuffled.grains = rows.collect();
    shuffled
}

/// Any series-parallel run: every grain has an earlier one as parent, or none.
fn grains() -> impl Strategy<Value = Vec<(Option<i32>, i64)>> {
    let grain = (any::<prop::sample::Index>(), 0..3_i64);
    prop::collection::vec(grain, 0..60).prop_map(|drawn| {
        let place = |(row, (index, joined)): (usize, (prop::sample::Index, i64))| {
            let parent = index.index(row + 1);
            let parent = (parent < row).then(|| i32::try_from(parent).unwrap());
            (parent, joined)
        };
        drawn.into_iter().enumerate().map(place).collect()
    })
}

/// Edges between grains, forks and joins that opening every group shows, as text, in order.
fn opened(tree: &AggregationTree) -> Vec<(String, String)> {
    let mut edges = Vec::new();
    let ends = ends(tree);
    edges.push(("start".to_owned(), ends[0].0.clone()));
    edges.push((ends[0].1.clone(), "end".to_owned()));
    for node in tree.nodes() {
        let children: Vec<&(String, String)> = tree
            .children(node)
            .map(|child| &ends[child as usize])
            .collect();
        let (first, last) = &ends[node as usize];
        match tree.kind(node).unwrap() {
            GroupKind::Linear => {
                let pairs = children.windows(2);
                edges.extend(pairs.map(|pair| (pair[0].1.clone(), pair[1].0.clone())));
            }
            GroupKind::ForkJoin => {
                edges.extend(
                    children
                        .iter()
                        .map(|child| (first.clone(), child.0.clone())),
                );
                edges.extend(children.iter().map(|child| (child.1.clone(), last.clone())));
            }
            _ => {}
        }
    }
    edges.sort();
    edges
}

/// Names of the first and the last graph node within each node.
fn ends(tree: &AggregationTree) -> Vec<(String, String)> {
    let mut ends = vec![(String::new(), String::new()); tree.len()];
    for node in tree.nodes().rev() {
        ends[node as usize] = match tree.kind(node).unwrap() {
            GroupKind::Grain => {
                let name = tree.grain(node).unwrap().to_string();
                (name.clone(), name)
            }
            GroupKind::ForkJoin => {
                let set = tree.set(node).unwrap();
                (format!("f{set}"), format!("j{set}"))
            }
            _ => {
                let children: Vec<u32> = tree.children(node).collect();
                let end = |node: u32| ends[node as usize].clone();
                (end(children[0]).0, end(*children.last().unwrap()).1)
            }
        };
    }
    ends
}

/// The same edges of the reduced grain graph.
fn of_graph(run: &RunTables, structure: &Structure) -> Vec<(String, String)> {
    use crate::grain_graph::{GrainGraph, NodeKind};
    let graph = GrainGraph::reduced(run, structure);
    let name = |node: u32| match graph.kind(node).unwrap() {
        NodeKind::Start => "start".to_owned(),
        NodeKind::End => "end".to_owned(),
        NodeKind::Fork => format!("f{}", graph.item(node).unwrap()),
        NodeKind::Join => format!("j{}", graph.item(node).unwrap()),
        _ => graph.grain(node).unwrap().to_string(),
    };
    let nodes = 0..u32::try_from(graph.num_nodes()).unwrap();
    let mut edges: Vec<(String, String)> = nodes
        .flat_map(|node| graph.edges(node).map(move |edge| (node, edge.target)))
        .map(|(from, to)| (name(from), name(to)))
        .collect();
    edges.sort();
    edges
}

fn rows(tree: &AggregationTree) -> Vec<u32> {
    let grains = tree
        .nodes()
        .filter(|&node| tree.kind(node) == Some(GroupKind::Grain));
    let mut rows: Vec<u32> = grains.filter_map(|node| tree.grain(node)).collect();
    rows.sort_unstable();
    rows
}

proptest! {
    #[test]
    fn opening_everything_gives_the_graph(grains in grains()) {
        prop_assume!(!grains.is_empty());
        let run = run(&grains);
        let structure = Structure::of(&run);
        let tree = AggregationTree::of(&run, &structure);
        prop_assert_eq!(opened(&tree), of_graph(&run, &structure));
        let reduced = AggregationTree::reduced(&run, &structure);
        prop_assert_eq!(opened(&reduced), of_graph(&run, &structure));
        prop_assert_eq!(reduced.normalised(), tree.clone());
        prop_assert_eq!(tree.normalised(), tree);
    }

    #[test]
    fn nothing_is_lost(grains in grains(), flags in prop::collection::vec(any::<bool>(), 60)) {
        let run = run(&grains);
        let tree = tree(&run);
        let separated = tree.separated(&flags);
        let all: Vec<u32> = (0..u32::try_from(grains.len()).unwrap()).collect();
        prop_assert_eq!(rows(&tree), all.clone());
        prop_assert_eq!(rows(&separated), all);
        let (before, after) = (tree.counts(), separated.counts());
        prop_assert_eq!(before.fork_joins, after.fork_joins);
        prop_assert_eq!(separated.num_graph_nodes(), tree.num_graph_nodes());
        let total = run.grains.work.values().iter().sum::<i64>();
        for tree in [&tree, &separated] {
            let sums = tree.propagate_integers(&run.grains.work.to_arrow(), Propagation::Sum).unwrap();
            prop_assert_eq!(sums.iter().next().flatten().unwrap_or(0), total);
            let greatest = tree.propagate_integers(&run.grains.work.to_arrow(), Propagation::Maximum).unwrap();
            let count = i64::try_from(grains.len()).unwrap();
            prop_assert_eq!(greatest.iter().next().flatten().unwrap_or(0), count);
            prop_assert!(tree.max_theta(&flags).unwrap_or(0) <= tree.max_open_nodes());
        }
        if let (Some(before), Some(after)) = (tree.max_theta(&flags), separated.max_theta(&flags)) {
            prop_assert!(after <= before);
        }
    }

    #[test]
    fn the_order_of_rows_does_not_matter(
        grains in grains(),
        flags in prop::collection::vec(any::<bool>(), 60),
        keys in prop::collection::vec(any::<u32>(), 60),
    ) {
        let run = run(&grains);
        let mut order: Vec<usize> = (0..grains.len()).collect();
        order.sort_by_key(|&row| keys[row]);
        let other = shuffled(&run, &order);
        let moved: Vec<bool> = order.iter().map(|&row| flags[row]).collect();
        let show = |run: &RunTables, flags: &[bool]| {
            let tree = tree(run);
            let separated = tree.separated(flags);
            let sums = separated.propagate_integers(&run.grains.work.to_arrow(), Propagation::Sum).unwrap();
            let keys = Vec::from_iter(run.grains.path_key.values());
            (named(&tree, &keys), named(&separated, &keys), sums)
        };
        prop_assert_eq!(show(&run, &flags), show(&other, &moved));
    }

    #[test]
    fn separation_leaves_no_two_good_neighbours(
        grains in grains(),
        flags in prop::collection::vec(any::<bool>(), 60),
    ) {
        let tree = tree(&run(&grains)).separated(&flags);
        let problems = tree.problems(&flags);
        let is_good = |node: u32| !problems[node as usize];
        for node in tree.nodes().filter(|&node| problems[node as usize]) {
            let good: Vec<bool> = tree.children(node).map(is_good).collect();
            match tree.kind(node).unwrap() {
                GroupKind::ForkJoin => {
                    prop_assert!(good.iter().filter(|&&good| good).count() <= 1);
                }
                _ => prop_assert!(good.windows(2).all(|pair| !(pair[0] && pair[1]))),
            }
        }
    }
}
