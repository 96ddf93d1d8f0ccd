//! The reduced graph against the prototype's: nodes, edges, forks, work, span, critical grains.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use sheaf_grains::grain_graph::{EdgeKind, GrainGraph, NodeKind, Paths, Structure};

use crate::written::{Written, tasks, text};
use crate::{reference, run};

/// `Number of nodes = 15` of an info file, by its beginning.
fn fact(info: &str, name: &str) -> u64 {
    let line = info.lines().find_map(|line| line.strip_prefix(name));
    let value = line.unwrap_or_else(|| panic!("no `{name}`"));
    value.trim_start_matches([' ', '=']).trim().parse().unwrap()
}

fn check(profile: &str, info: &str) {
    let Some(folder) = reference("grain-graphs") else {
        return;
    };
    let tables = run(&folder.join(profile));
    let info = std::fs::read_to_string(folder.join(info)).unwrap();
    let structure = Structure::of(&tables);
    let graph = GrainGraph::reduced(&tables, &structure);
    graph.validate().unwrap();
    let count = |kind| {
        let nodes = 0..u32::try_from(graph.num_nodes()).unwrap();
        nodes.filter(|&node| graph.kind(node) == Some(kind)).count() as u64
    };
    let paths = Paths::of(&graph).unwrap();
    let ours = [
        graph.num_nodes() as u64,
        graph.num_edges() as u64,
        count(NodeKind::Grain),
        count(NodeKind::Fork),
        u64::try_from(paths.work()).unwrap(),
        u64::try_from(paths.span()).unwrap(),
    ];
    let names = [
        "Number of nodes",
        "Number of edges",
        "Number of tasks",
        "Number of forks",
        "Work",
        "Span (critical path)",
    ];
    assert_eq!(ours, names.map(|name| fact(&info, name)), "{profile}");
}

#[test]
fn five_tasks() {
    check(
        "example/example.mir-task-stats.csv",
        "example/example.reduced.info",
    );
}

#[test]
fn profile_of_tasks() {
    check(
        "task-stats/fib-45-12.task-stats.merged.csv.gz",
        "oracle/fib-45-12.reduced.info",
    );
}

#[test]
fn profile_of_a_loop() {
    check(
        "task-stats/for-loop-32-40-3.task-stats.merged.csv.gz",
        "oracle/for-loop-32-40-3.reduced.info",
    );
}

/// Every node and edge of the prototype's graph, by name, with the weights of edges; returns how many values.
fn check_graph(folder: &Path, source: &str, graph: &str) -> usize {
    let theirs = Written::read(&text(&folder.join(graph)));
    let tables = run(&folder.join(source));
    let structure = Structure::of(&tables);
    let ours = GrainGraph::reduced(&tables, &structure);
    let tasks = tasks(&tables);
    let task = |grain: Option<u32>| grain.map_or(0, |grain| tasks[grain as usize]);
    let names: Vec<String> = (0..u32::try_from(ours.num_nodes()).unwrap())
        .map(|node| {
            let owner = task(ours.grain(node));
            let place = |node| structure.sets()[ours.item(node).unwrap() as usize].place;
            match ours.kind(node).unwrap() {
                NodeKind::Start => "0".to_owned(),
                NodeKind::End => "E".to_owned(),
                NodeKind::Grain => owner.to_string(),
                NodeKind::Fork => format!("f.{owner}.{}", place(node)),
                NodeKind::Join => format!("j.{owner}.{}", place(node)),
                other => panic!("{other:?}"),
            }
        })
        .collect();
    let mut edges = BTreeMap::new();
    for (node, name) in (0..).zip(&names) {
        for edge in ours.edges(node) {
            let kind = match edge.kind {
                EdgeKind::Creation => "create",
                EdgeKind::Synchronisation => "sync",
                // The prototype tells the way into a grain's first fork from the way behind its joins.
                _ if ours.kind(node) == Some(NodeKind::Join) => "continue",
                _ => "scope",
            };
            let ends = (name.clone(), names[edge.target as usize].clone());
            edges.insert(ends, (kind.to_owned(), -ours.weight(node)));
        }
    }
    let their_edges: BTreeMap<_, _> = theirs
        .edges
        .iter()
        .map(|edge| {
            let name = |at: usize| theirs.nodes[at]["name"].clone();
            let weight = edge.data["weight"].parse().unwrap();
            let ends = (name(edge.source), name(edge.target));
            (ends, (edge.data["type"].clone(), weight))
        })
        .collect();
    let mut their_names: Vec<&str> = theirs
        .nodes
        .iter()
        .map(|node| node["name"].as_str())
        .collect();
    let mut our_names: Vec<&str> = names.iter().map(String::as_str).collect();
    their_names.sort_unstable();
    our_names.sort_unstable();
    assert_eq!(our_names, their_names, "{graph}");
    for (ends, theirs) in &their_edges {
        assert_eq!(edges.get(ends), Some(theirs), "{graph}: {ends:?}");
    }
    assert_eq!(edges.len(), their_edges.len(), "{graph}");
    names.len() + 2 * edges.len()
}

#[test]
fn nodes_edges_and_weights_are_those_of_the_prototype() {
    let Some(folder) = reference("grain-graphs") else {
        return;
    };
    let mut compared = 0;
    for (source, graph) in [
        (
            "example/example.mir-task-stats.csv",
            "example/example.reduced.graphml",
        ),
        (
            "task-stats/fib-45-12.task-stats.merged.csv.gz",
            "graphml/fib-45-12.reduced.graphml.gz",
        ),
        (
            "task-stats/for-loop-32-40-3.task-stats.merged.csv.gz",
            "graphml/for-loop-32-40-3.reduced.graphml.gz",
        ),
    ] {
        compared += check_graph(&folder, source, graph);
    }
    println!("reduced graphs: 3 files, {compared} values equal");
    assert!(compared > 50_000);
}

#[test]
fn random_graphs_come_back_as_they_were() {
    let Some(folder) = reference("grain-graphs") else {
        return;
    };
    let results = text(&folder.join("synthetic/ggraph-results.json.gz"));
    let results: BTreeMap<String, Value> = serde_json::from_str(&results).unwrap();
    let mut compared = 0;
    for (name, result) in &results {
        let packed = folder.join(format!("synthetic/{name}.graphml.gz"));
        let plain = folder.join(format!("synthetic/{name}.graphml"));
        let tables = run(if packed.exists() { &packed } else { &plain });
        let structure = Structure::of(&tables);
        let graph = GrainGraph::reduced(&tables, &structure);
        graph.validate().unwrap();
        let count = |kind| {
            let nodes = 0..u32::try_from(graph.num_nodes()).unwrap();
            nodes.filter(|&node| graph.kind(node) == Some(kind)).count() as u64
        };
        for (key, ours) in [
            ("nodes", graph.num_nodes() as u64),
            ("edges", graph.num_edges() as u64),
            ("grains", count(NodeKind::Grain)),
            ("forks", count(NodeKind::Fork)),
            ("joins", count(NodeKind::Join)),
        ] {
            assert_eq!(Some(ours), result[key].as_u64(), "{name}: {key}");
            compared += 1;
        }
        let work = Paths::of(&graph).unwrap().work();
        let theirs = result["root_metrics"]["work_cycles"].as_f64().unwrap();
        assert!(
            (work as f64 - theirs).abs() < 0.5,
            "{name}: {work} {theirs}"
        );
    }
    println!(
        "random graphs: {} files, {compared} values equal",
        results.len()
    );
    assert_eq!(compared, 13 * 5);
}
