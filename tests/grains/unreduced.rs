//! The unreduced graph against the prototype's: every node by name, its weight, its distance from the
//! start, and every edge.

use std::collections::{BTreeMap, BTreeSet};

use sheaf_grains::grain_graph::{
    Absence, GrainGraph, LogicalFragments, NodeKind, Paths, Structure,
};
use sheaf_model::RunTables;

use crate::written::{Written, tasks};
use crate::{reference, run};

/// Weight and distance of each node, and the edges, by name.
#[derive(PartialEq, Eq, Debug)]
struct Named {
    nodes: BTreeMap<String, (i64, i64)>,
    edges: BTreeSet<(String, String)>,
}

/// The prototype's graph.
fn theirs(text: &str) -> Named {
    let written = Written::read(text);
    let name = |at: usize| written.nodes[at]["name"].clone();
    let nodes = written.nodes.iter().map(|node| {
        let number = |key: &str| node[key].parse().unwrap();
        (
            node["name"].clone(),
            (number("exec_cycles"), number("root_dist")),
        )
    });
    let edges = written.edges.iter();
    Named {
        nodes: nodes.collect(),
        edges: edges
            .map(|edge| (name(edge.source), name(edge.target)))
            .collect(),
    }
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
                let mut children = graph
                    .edges(node)
                    .filter_map(|edge| graph.grain(edge.target));
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

/// The prototype has no unreduced graph of loops. Book-keeping and chunks follow each other on their member, as the
/// paper has it (Grain Graphs, section 3.1).
#[test]
fn chunks_of_a_profile_stand_behind_their_book_keeping() {
    let Some(folder) = reference("grain-graphs") else {
        return;
    };
    let tables = run(&folder.join("task-stats/for-loop-32-40-3.task-stats.merged.csv.gz"));
    let structure = Structure::of(&tables);
    let graph = GrainGraph::unreduced(&tables, &structure);
    graph.validate().unwrap();
    let nodes = 0..u32::try_from(graph.num_nodes()).unwrap();
    let kinds: Vec<NodeKind> = nodes
        .clone()
        .map(|node| graph.kind(node).unwrap())
        .collect();
    let count = |kind| kinds.iter().filter(|&&found| found == kind).count();
    // 96 chunks, a book-keeping of each of the 144 members, and three loops with a wait each.
    assert_eq!(count(NodeKind::Chunk), 96);
    assert_eq!(count(NodeKind::BookKeeping), 144);
    assert_eq!(
        (count(NodeKind::Fork), count(NodeKind::Join)),
        (144 + 1, 3 + 1)
    );
    // The idle task is cut by 144 creations and 3 waits; each member by what it runs and its wait.
    assert_eq!(
        count(NodeKind::Fragment),
        (1 + 144 + 3) + 144 * 2 + 144 + 96
    );
    for chunk in nodes.filter(|&node| graph.kind(node) == Some(NodeKind::Chunk)) {
        let mut edges = graph.edges(chunk);
        let (Some(next), None) = (edges.next(), edges.next()) else {
            panic!("{chunk}")
        };
        assert_eq!(graph.kind(next.target), Some(NodeKind::Fragment));
    }
    let executed = tables
        .summary
        .metrics
        .rows()
        .position(|row| row.name == "exec_cycles");
    let executed = i32::try_from(executed.unwrap()).unwrap();
    let rows = tables.counters.rows().filter(|row| row.metric == executed);
    let work: i64 = rows.filter_map(|row| row.value).sum();
    let paths = Paths::of(&graph).unwrap();
    assert_eq!(paths.work(), work);
    assert!(paths.span() < work);
}

/// What the sources of the reference data cannot give, and why.
#[test]
fn what_sources_lack_is_absent_with_a_reason() {
    let absent = |folder: &str, file: &str| -> Option<Vec<String>> {
        let tables = run(&reference(folder)?.join(file));
        let absences = Absence::all(&tables);
        Some(absences.iter().map(ToString::to_string).collect())
    };
    let Some(profile) = absent("grain-graphs", "example/example.mir-task-stats.csv") else {
        return;
    };
    let path = "critical path by elapsed time is absent: the source holds no times of fragments";
    assert_eq!(profile, [path]);
    let recording = absent("dag-recorder", "tiny-fib/omp-w2.dag").unwrap();
    let cost = "cost of creation is absent: the cost of a creation is not stamped: it is between two leaves";
    assert_eq!(recording, [cost]);
    let taskflow = absent("taskflow", "tf390_w2.json").unwrap();
    let figures: Vec<&str> = taskflow
        .iter()
        .map(|absence| absence.split(" is absent: ").next().unwrap())
        .collect();
    let all_but_cost = [
        "structure",
        "span",
        "unreduced graph",
        "critical path by elapsed time",
        "waits",
    ];
    assert_eq!(figures[..5], all_but_cost);
}
