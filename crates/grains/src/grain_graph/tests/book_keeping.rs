//! The book-keeping of loops where it is grains of its own, as in task-stats tables.

use sheaf_model::table::{ContextRow, CounterRow, DefinitionRow, GrainKind, GrainRow, MetricRow};
use sheaf_model::{ContextId, DefinitionId, RunMeta, RunSummary, RunTables};

use super::super::NodeKind::{BookKeeping, Chunk, Fragment};
use super::super::{GrainGraph, LogicalFragments, NodeKind, Paths, Structure, critical_grains};

const KINDS: [&str; 3] = ["task", "loop", "bookkeeping"];

fn summary() -> RunSummary {
    let mut summary = RunSummary::empty(RunMeta::new("program", "text"));
    let ids = KINDS.map(|kind| DefinitionId::new(kind, "f", 0));
    summary.definitions = KINDS
        .iter()
        .zip(ids)
        .map(|(kind, id)| DefinitionRow {
            id: id.0,
            kind: (*kind).to_owned(),
            name: format!("f ({kind})"),
            ..DefinitionRow::default()
        })
        .collect();
    summary.contexts = (0..3_usize)
        .map(|row| ContextRow {
            id: ContextId::root(ids[row]).0,
            parent: None,
            definition: i32::try_from(row).unwrap(),
            depth: 0,
        })
        .collect();
    summary.metrics = ["create_instant", "exec_cycles", "join_instant"]
        .iter()
        .map(|name| MetricRow {
            name: (*name).to_owned(),
            unit: "ticks".to_owned(),
            kind: "additive".to_owned(),
            direction: "neutral".to_owned(),
            is_integer: true,
            source: Some((*name).to_owned()),
            alias: None,
        })
        .collect();
    summary
}

/// A member that ran for 100 of its own, and inside it book-keeping, chunk, book-keeping, chunk and book-keeping, of
/// 2, 30, 3, 40 and 4, and another thread's book-keeping of 5.
fn member() -> RunTables {
    let mut run = RunTables::without_grains(summary());
    // Context, worker, execution, creation.
    let inside = [
        (2, 0, 2, 11),
        (1, 0, 30, 21),
        (2, 0, 3, 31),
        (1, 0, 40, 41),
        (2, 0, 4, 51),
        (2, 1, 5, 61),
    ];
    let row = |context: usize, location, work, index| GrainRow {
        path_key: index,
        context: i32::try_from(context).unwrap(),
        parent: (index >= 0).then_some(0),
        kind: [GrainKind::Task, GrainKind::Chunk, GrainKind::Implicit][context] as i32,
        index: index.max(0),
        joined_by: Some(0),
        location: Some(location),
        work: Some(work),
        ..GrainRow::default()
    };
    let children = (0..).zip(inside);
    let children =
        children.map(|(index, (context, location, work, _))| row(context, location, work, index));
    run.grains = std::iter::once(row(0, 0, 100, -1))
        .chain(children)
        .collect();
    let mut counters = vec![(0, 1, 100)];
    for (grain, (_, _, executed, created)) in (1..).zip(inside) {
        counters.extend([(grain, 0, created), (grain, 1, executed), (grain, 2, 71)]);
    }
    run.counters = counters
        .into_iter()
        .map(|(grain, metric, value)| CounterRow {
            grain,
            metric,
            value: Some(value),
            value_float: None,
        })
        .collect();
    run
}

#[test]
fn book_keeping_of_a_thread_is_one_node_of_the_reduced_graph() {
    let run = member();
    let structure = Structure::of(&run);
    let graph = GrainGraph::reduced(&run, &structure);
    graph.validate().unwrap();
    let nodes = 0..u32::try_from(graph.num_nodes()).unwrap();
    let grains = nodes.filter(|&node| graph.kind(node) == Some(NodeKind::Grain));
    let grains: Vec<(u32, i64)> = grains
        .map(|node| (graph.grain(node).unwrap(), graph.weight(node)))
        .collect();
    // The member, its three book-keepings together, two chunks, the other thread's.
    assert_eq!(grains, [(0, 100), (1, 2 + 3 + 4), (2, 30), (4, 40), (6, 5)]);
    let paths = Paths::of(&graph).unwrap();
    assert_eq!(paths.work(), 100 + 9 + 30 + 40 + 5);
    assert_eq!(
        critical_grains(&run, &structure),
        paths.critical_grains(&graph)
    );
}

#[test]
fn book_keeping_and_chunks_follow_each_other_inside_their_member() {
    let run = member();
    let structure = Structure::of(&run);
    let fragments = LogicalFragments::of(&run, &structure).unwrap();
    assert_eq!(fragments.of_grain(0).len(), 1 + 6 + 1);
    let graph = GrainGraph::unreduced(&run, &structure);
    graph.validate().unwrap();
    let paths = Paths::of(&graph).unwrap();
    // One thing after the other: everything is on the path.
    assert_eq!((paths.work(), paths.span()), (184, 184));
    let kinds = paths
        .critical_path()
        .into_iter()
        .map(|node| graph.kind(node).unwrap());
    let stretches: Vec<NodeKind> = kinds.filter(|kind| kind.is_stretch()).collect();
    let expected = [
        [Fragment, BookKeeping],
        [Fragment, Chunk],
        [Fragment, BookKeeping],
        [Fragment, Chunk],
        [Fragment, BookKeeping],
        [Fragment, BookKeeping],
        [Fragment, Fragment],
    ];
    assert_eq!(stretches, expected.concat());
}
