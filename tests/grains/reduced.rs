//! The reduced graph against the prototype's: nodes, edges, forks, work, span, critical grains.

use sheaf_analysis::grain_graph::{GrainGraph, NodeKind, Paths, Structure};

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
