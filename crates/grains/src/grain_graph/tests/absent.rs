//! What sources cannot give, and graphs that are at fault.

use super::super::graph::{Edges, Nodes};
use super::super::{
    Absence, DelayKind, EdgeKind, ElapsedPath, Figure, GrainGraph, GraphFault, LogicalFragments,
    NodeKind, Structure, grain_name,
};
use super::{FIVE, FIVE_TIMED, run};
use sheaf_synthetic::Program;

fn absent(run: &sheaf_model::RunTables) -> Vec<String> {
    Absence::all(run).iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_absent_says_why() {
    let mut without_times = run(FIVE);
    let lacks = &mut without_times.summary.meta_mut().lacks;
    lacks.insert(
        "fragments".to_owned(),
        "the source holds no times of fragments".to_owned(),
    );
    assert_eq!(
        absent(&without_times),
        [
            "unreduced graph is absent: the source holds no times of fragments",
            "critical path by elapsed time is absent: the source holds no times of fragments",
            "cost of creation is absent: the source does not say what creations cost",
        ]
    );
    let structure = Structure::of(&without_times);
    assert_eq!(LogicalFragments::of(&without_times, &structure), None);
    let graph = GrainGraph::unreduced(&without_times, &structure);
    graph.validate().unwrap();
    let fault = ElapsedPath::of(&without_times, &graph).unwrap_err();
    let why = "critical path by elapsed time is absent: the source holds no times of fragments";
    assert_eq!(fault.to_string(), why);
    let timed = run(FIVE_TIMED);
    let cost = "cost of creation is absent: the source does not say what creations cost";
    assert_eq!(absent(&timed), [cost]);
}

#[test]
fn without_parentage_nothing_of_the_graph_is_known() {
    let mut flat = run("
        task - run=0+10
        task - run=5+10
    ");
    let lacks = &mut flat.summary.meta_mut().lacks;
    lacks.insert("parent".to_owned(), "a profile holds no parents".to_owned());
    let figures: Vec<Figure> = Absence::all(&flat)
        .iter()
        .map(|absence| absence.figure)
        .collect();
    assert_eq!(
        figures,
        [
            Figure::Structure,
            Figure::Span,
            Figure::Unreduced,
            Figure::ElapsedPath,
            Figure::Joins,
            Figure::Creation
        ]
    );
    let absence = Absence::of(&flat, Figure::Span).unwrap();
    assert_eq!(
        absence.to_string(),
        "span is absent: a profile holds no parents"
    );
    // A program without tasks in tasks is another thing.
    let roots = run("task - run=0+10");
    assert_eq!(Absence::of(&roots, Figure::Structure), None);
    let calls = run("");
    let absence = Absence::of(&calls, Figure::Structure).unwrap();
    assert_eq!(
        absence.reason,
        "the run is a profile of calls and holds no grains"
    );
}

/// The body of a detached task ends at 40; it is fulfilled at 60, and its parent waits until then.
#[test]
fn a_detached_task_ends_when_it_is_fulfilled() {
    let run = run("
        task - created=0 run=0+30 run=60+5 wait=30+30
        task 0 created=10 run=30+10 end=60
    ");
    let structure = Structure::of(&run);
    assert_eq!(super::sets(&structure), "0[1] -[0]");
    let graph = GrainGraph::unreduced(&run, &structure);
    graph.validate().unwrap();
    let path = ElapsedPath::of(&run, &graph).unwrap();
    assert_eq!((path.elapsed, path.work), (65, 30 + 10 + 5));
    assert_eq!(path.delays, [0, 20, 0, 0, 0, 0, 0]);
}

/// One worker: the second task is created at 10 and runs from 20, after the first.
#[test]
fn one_worker_that_runs_is_busy_and_not_late() {
    let run = run("
        task - created=0 run=0+10 run=30+5 wait=10+20
        task 0 created=5 run=10+10 end=20
        task 0 created=10 run=20+10 end=30
    ");
    let structure = Structure::of(&run);
    let graph = GrainGraph::unreduced(&run, &structure);
    let path = ElapsedPath::of(&run, &graph).unwrap();
    assert_eq!((path.elapsed, path.work), (35, 25));
    assert_eq!(path.delays, [10, 0, 0, 0, 0, 0, 0]);
    assert_eq!(path.busy, [10, 0, 0, 0, 0, 0, 0]);
    assert_eq!(path.free_delay(DelayKind::Creation), 0);
}

struct Given(&'static [(u32, u32)]);

impl Edges for Given {
    fn each(&self, _: &Nodes, edge: &mut impl FnMut(u32, u32, EdgeKind)) {
        for &(source, target) in self.0 {
            edge(source, target, EdgeKind::Continuation);
        }
    }
}

/// Five nodes of the grains of a run: start, grain 1, fork and join of grain 1, end.
fn graph(edges: &'static [(u32, u32)]) -> GrainGraph {
    let mut nodes = Nodes::default();
    let kinds = [
        NodeKind::Start,
        NodeKind::Grain,
        NodeKind::Fork,
        NodeKind::Join,
        NodeKind::End,
    ];
    for kind in kinds {
        nodes.push(kind, 1, 0, 0);
    }
    nodes.connect(&Given(edges))
}

#[test]
fn faults_name_the_node() {
    let run = Program::recursion(2).run(1);
    assert_eq!(grain_name(&run, 0), "`main (task)` R-1");
    assert_eq!(grain_name(&run, 2), "`work (task)` R-1-2");
    let sound = graph(&[(0, 1), (1, 2), (2, 3), (3, 4)]);
    assert_eq!(sound.validate(), Ok(()));
    for (edges, expected) in [
        (
            &[(0, 1), (1, 2), (1, 3), (2, 3), (3, 4)][..],
            "the grain of `work (task)` R-1-1 has 1 incoming and 2 outgoing edges",
        ),
        (
            &[(0, 1), (1, 2), (2, 4)],
            "a join of `work (task)` R-1-1 has 0 incoming and 0 outgoing edges",
        ),
        (
            &[(0, 1), (1, 2), (2, 3), (3, 4), (3, 2)],
            "a fork of `work (task)` R-1-1 has 2 incoming and 1 outgoing edges",
        ),
        (
            &[(0, 4), (1, 2), (2, 3), (3, 1)],
            "the grain of `work (task)` R-1-1 comes before itself",
        ),
    ] {
        let graph = graph(edges);
        let fault = graph.validate().unwrap_err();
        assert_eq!(fault.describe(&run, &graph), expected);
    }
    // What only follows a cycle is not on it.
    let graph = graph(&[(2, 3), (3, 2), (3, 1), (0, 4)]);
    assert_eq!(
        graph.topological_order(),
        Err(GraphFault::Cycle { node: 2 })
    );
}
