//! The unreduced graph against the prototype's: every node by name, its weight, its distance from the
//! start, and every edge.

use std::collections::{BTreeMap, BTreeSet};

use sheaf_analysis::grain_graph::{GrainGraph, LogicalFragments, NodeKind, Paths, Structure};
use sheaf_model::RunTables;

use crate::{reference, run};

/// Weight and distance of each node, and the edges, by name.
#[derive(PartialEq, Eq, Debug)]
struct Named {
    nodes: BTreeMap<String, (i64, i64)>,
    edges: BTreeSet<(String, String)>,
}

/// The graph of a file that igraph wrote: a datum or an edge per line.
fn theirs(text: &str) -> Named {
    let between = |line: &str, from: &str, to: &str| -> Option<String> {
        let rest = line.split_once(from)?.1;
        Some(rest.split_once(to)?.0.to_owned())
    };
    let mut data: Vec<BTreeMap<String, String>> = Vec::new();
    let mut edges = Vec::new();
    for line in text.lines() {
        if line.contains("<node id=") {
            data.push(BTreeMap::new());
        } else if let Some(source) = between(line, "source=\"n", "\"") {
            let target = between(line, "target=\"n", "\"").unwrap();
            edges.push((
                source.parse::<usize>().unwrap(),
                target.parse::<usize>().unwrap(),
            ));
        } else if edges.is_empty()
            && let (Some(key), Some(value)) = (
                between(line, "<data key=\"v_", "\""),
                between(line, ">", "</data>"),
            )
        {
            data.last_mut().unwrap().insert(key, value);
        }
    }
    let name = |at: usize| data[at]["name"].clone();
    let number = |at: usize, key: &str| data[at][key].parse().unwrap();
    Named {
        nodes: (0..data.len())
            .map(|at| {
                (
                    name(at),
                    (number(at, "exec_cycles"), number(at, "root_dist")),
                )
            })
            .collect(),
        edges: edges.into_iter().map(|(a, b)| (name(a), name(b))).collect(),
    }
}

/// Numbers of tasks by grain.
fn tasks(run: &RunTables) -> Vec<i64> {
    let metrics = &run.summary.metrics;
    let metric = (0..metrics.len()).find(|&row| metrics.name.value(row) == "task");
    let metric = i32::try_from(metric.unwrap()).unwrap();
    let rows = run.counters.rows().filter(|row| row.metric == metric);
    rows.map(|row| row.value.unwrap()).collect()
}

/// Our graph with the prototype's names: `task.k`, `f.parent.child`, `j.parent.wait`.
fn ours(run: &RunTables) -> Named {
    let structure = Structure::of(run);
    let graph = GrainGraph::unreduced(run, &structure);
    graph.validate().unwrap();
    let paths = Paths::of(&graph).unwrap();
    let tasks = tasks(run);
    let task = |grain: Option<u32>| grain.map_or(0, |grain| tasks[grain as usize]);
    let mut num_fragments: BTreeMap<u32, u32> = BTreeMap::new();
    let nodes = 0..u32::try_from(graph.num_nodes()).unwrap();
    let names: Vec<String> = nodes
        .clone()
        .map(|node| match graph.kind(node).unwrap() {
            NodeKind::Fragment => {
                let number = num_fragments.entry(graph.grain(node).unwrap()).or_default();
                *number += 1;
                format!("{}.{number}", task(graph.grain(node)))
            }
            NodeKind::Fork => {
                let edges = graph.edges(node).iter();
                let mut children = edges.filter_map(|edge| graph.grain(edge.target));
                let child = children.find(|&child| Some(child) != graph.grain(node));
                let place = run.grains.index.value(child.unwrap() as usize) + 1;
                format!("f.{}.{place}", task(graph.grain(node)))
            }
            NodeKind::Join => {
                let set = &structure.sets()[graph.item(node).unwrap() as usize];
                format!("j.{}.{}", task(graph.grain(node)), set.place)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let mut edges = BTreeSet::new();
    for node in nodes.clone() {
        for edge in graph.edges(node) {
            edges.insert((
                names[node as usize].clone(),
                names[edge.target as usize].clone(),
            ));
        }
    }
    let weights = nodes.map(|node| (graph.weight(node), paths.earliest_start(node)));
    Named {
        nodes: names.iter().cloned().zip(weights).collect(),
        edges,
    }
}

#[test]
fn nodes_and_edges_are_those_of_the_prototype() {
    let Some(folder) = reference("grain-graphs") else {
        return;
    };
    let text = std::fs::read_to_string(folder.join("example/example.unreduced.graphml")).unwrap();
    let theirs = theirs(&text);
    assert_eq!((theirs.nodes.len(), theirs.edges.len()), (21, 24));
    for file in [
        "example/example.mir-task-stats.csv",
        "example/example.task-stats.processed.csv",
        // Written by the prototype, and read back.
        "example/example.unreduced.graphml",
    ] {
        assert_eq!(ours(&run(&folder.join(file))), theirs, "{file}");
    }
}

#[test]
fn work_and_span_are_those_of_the_prototype() {
    let Some(folder) = reference("grain-graphs") else {
        return;
    };
    let tables = run(&folder.join("example/example.mir-task-stats.csv"));
    let structure = Structure::of(&tables);
    let graph = GrainGraph::unreduced(&tables, &structure);
    let paths = Paths::of(&graph).unwrap();
    assert_eq!((paths.work(), paths.span()), (4600, 2300));
    let path = paths.critical_path();
    let is_fragment = |node: &&u32| graph.kind(**node) == Some(NodeKind::Fragment);
    assert_eq!(path.iter().filter(is_fragment).count(), 8);
}

/// Fragments of a large profile: as many as the prototype cuts, of the lengths that executions have.
#[test]
fn logical_fragments_of_a_profile() {
    let Some(folder) = reference("grain-graphs") else {
        return;
    };
    let tables = run(&folder.join("task-stats/fib-45-12.task-stats.merged.csv.gz"));
    let structure = Structure::of(&tables);
    let fragments = LogicalFragments::of(&tables, &structure).unwrap();
    let grains = tables.grains.len();
    let sets = structure.sets().len();
    // A grain has a fragment more than it has children and waits; the first task has no parent.
    assert_eq!(fragments.len(), grains + (grains - 1) + (sets - 1));
    assert_eq!(fragments.num_assumed(), 0);
    let executed = tables
        .summary
        .metrics
        .rows()
        .position(|row| row.name == "exec_cycles");
    let executed = i32::try_from(executed.unwrap()).unwrap();
    let mut compared = 0;
    for row in tables.counters.rows().filter(|row| row.metric == executed) {
        let grain = u32::try_from(row.grain).unwrap();
        let cut = fragments.of_grain(grain);
        let sum: i64 = cut.map(|fragment| fragments.duration(fragment)).sum();
        assert_eq!(Some(sum), row.value, "grain {grain}");
        compared += 1;
    }
    assert_eq!(compared, 8192);
    GrainGraph::unreduced(&tables, &structure)
        .validate()
        .unwrap();
}
