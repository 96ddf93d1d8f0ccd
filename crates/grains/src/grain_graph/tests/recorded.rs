//! Graphs of the hand-made recordings that the reader of traces is tested with.
//!
//! The tables of those are in the reader's golden files, as text.

use sheaf_model::table::{
    DependenceRow, FragmentEnd, FragmentRow, GrainKind, GrainRow, WaitKind, WaitRow,
};
use sheaf_model::{RunMeta, RunSummary, RunTables};

use super::super::{
    EdgeKind, ElapsedPath, GrainGraph, GrainGroup, LengthFinder, NodeKind, Paths, Structure,
};
use super::sets;

/// The names of all golden files, in order.
pub(super) fn names() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../ingest/tests/data/build");
    let files = std::fs::read_dir(folder).unwrap();
    let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let names = files.filter_map(|file| file.strip_suffix(".tables").map(str::to_owned));
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names
}

/// The tables of a golden file.
pub(super) fn recorded(name: &str) -> RunTables {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../ingest/tests/data/build");
    let text = std::fs::read_to_string(format!("{folder}/{name}.tables")).unwrap();
    let mut run = RunTables::without_grains(RunSummary::empty(RunMeta::new("prog", "trace")));
    let mut grains: Vec<GrainRow> = Vec::new();
    let (mut fragments, mut waits, mut dependences) = (Vec::new(), Vec::new(), Vec::new());
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let grain = i32::try_from(grains.len()).unwrap() - 1;
        let pair = |word: &str| -> (i64, i64) {
            let (start, length) = word.split_once('+').unwrap();
            (start.parse().unwrap(), length.parse().unwrap())
        };
        match words.as_slice() {
            ["prog", elapsed, ..] => {
                let elapsed = elapsed.strip_prefix("elapsed=").unwrap();
                run.summary.meta_mut().elapsed = Some(elapsed.parse().unwrap());
                let workers = words.iter().find_map(|word| word.strip_prefix("workers="));
                run.summary.meta_mut().workers = workers.map(|workers| workers.parse().unwrap());
            }
            ["grain", _, kind, facts @ ..] => grains.push(grain_row(grain + 1, kind, facts)),
            ["fragment", times, worker, end] => {
                let (start, duration) = pair(times);
                fragments.push(FragmentRow {
                    grain,
                    location: worker.strip_prefix("worker=").unwrap().parse().unwrap(),
                    start,
                    duration,
                    ended_by: fragment_end(end) as i32,
                });
            }
            ["wait", times, kind, ..] => {
                let (start, duration) = pair(times);
                let kind = wait_kind(kind) as i32;
                waits.push(WaitRow {
                    grain,
                    kind,
                    start,
                    duration,
                    line: None,
                });
            }
            ["after", predecessor] => dependences.push(DependenceRow {
                predecessor: predecessor.parse().unwrap(),
                successor: grain,
            }),
            _ => {}
        }
    }
    run.grains = grains.into_iter().collect();
    run.fragments = fragments.into_iter().collect();
    run.waits = waits.into_iter().collect();
    run.dependences = dependences.into_iter().collect();
    run
}

fn grain_row(row: i32, kind: &str, facts: &[&str]) -> GrainRow {
    let text = |name: &str| {
        let fact = facts
            .iter()
            .find_map(|fact| fact.strip_prefix(name)?.strip_prefix('='));
        fact.filter(|&fact| fact != "-")
    };
    let number = |name: &str| text(name).map(|text| text.parse::<i64>().unwrap());
    let (sequence, index) = text("at").unwrap().split_once('.').unwrap();
    GrainRow {
        path_key: i64::from(row),
        parent: number("parent").map(|parent| i32::try_from(parent).unwrap()),
        kind: match kind {
            "initial" => GrainKind::Initial,
            "member" => GrainKind::Implicit,
            "task" => GrainKind::Task,
            "chunk" => GrainKind::Chunk,
            "taskchunk" => GrainKind::TaskloopChunk,
            _ => panic!("{kind}"),
        } as i32,
        flags: i32::try_from(number("flags").unwrap()).unwrap(),
        sequence: sequence.parse().ok(),
        index: index.parse().unwrap(),
        created: number("created"),
        start: number("start"),
        end: number("end"),
        work: number("work"),
        waiting: number("waiting"),
        ..GrainRow::default()
    }
}

fn fragment_end(word: &str) -> FragmentEnd {
    match word {
        "end" => FragmentEnd::GrainEnd,
        "create" => FragmentEnd::Creation,
        "wait" => FragmentEnd::Wait,
        "switch" => FragmentEnd::Switch,
        "enter" => FragmentEnd::Enter,
        "cut" => FragmentEnd::TraceEnd,
        _ => panic!("{word}"),
    }
}

fn wait_kind(word: &str) -> WaitKind {
    match word {
        "taskwait" => WaitKind::Taskwait,
        "taskgroup" => WaitKind::Taskgroup,
        "barrier" => WaitKind::Barrier,
        "implicit" => WaitKind::ImplicitBarrier,
        "region" => WaitKind::RegionEnd,
        _ => panic!("{word}"),
    }
}

/// Edges as people write them: `a>b` creation, `a)b` synchronisation, `a-b` continuation, `a=b` dependence.
/// `3@20+5` is grain 3 running from 20 for 5, `3~20+5` its book-keeping, `3#20+5` a chunk; `1^2,3` is grain 1's
/// fork of 2 and 3, `1*0` its join of set 0, `1^|` and `1*|` are a barrier of the region that it began.
fn drawn(run: &RunTables, graph: &GrainGraph) -> Vec<String> {
    let number = |row: Option<u32>, otherwise: &str| {
        row.map_or_else(|| otherwise.to_owned(), |row| row.to_string())
    };
    let name = |node: u32| {
        let grain = number(graph.grain(node), "-");
        let times = || {
            let fragments = &run.fragments;
            let row = graph.item(node).map(|row| row as usize);
            row.map_or_else(String::new, |row| {
                let (start, length) = (fragments.start.value(row), fragments.duration.value(row));
                format!("{start}+{length}")
            })
        };
        match graph.kind(node).unwrap() {
            NodeKind::Fragment => format!("{grain}@{}", times()),
            NodeKind::Chunk => format!("{grain}#{}", times()),
            NodeKind::BookKeeping => format!("{grain}~{}", times()),
            NodeKind::Fork => {
                let edges = graph.edges(node);
                let created = edges.filter(|edge| edge.kind == EdgeKind::Creation);
                let created: Vec<String> = created
                    .map(|edge| number(graph.grain(edge.target), "-"))
                    .collect();
                let is_barrier = created.is_empty();
                let created = if is_barrier {
                    "|".to_owned()
                } else {
                    created.join(",")
                };
                format!("{grain}^{created}")
            }
            NodeKind::Join => format!("{grain}*{}", number(graph.item(node), "|")),
            kind => format!("{kind:?}"),
        }
    };
    let mut edges = Vec::new();
    for node in 0..u32::try_from(graph.num_nodes()).unwrap() {
        for edge in graph.edges(node) {
            let sign = match edge.kind {
                EdgeKind::Creation => '>',
                EdgeKind::Synchronisation => ')',
                EdgeKind::Continuation => '-',
                EdgeKind::Dependence => '=',
            };
            edges.push(format!("{}{sign}{}", name(node), name(edge.target)));
        }
    }
    edges
}

struct Graphs {
    run: RunTables,
    structure: Structure,
    graph: GrainGraph,
    paths: Paths,
    path: ElapsedPath,
}

/// Both graphs, of which everything must hold that always does.
fn graphs(name: &str) -> Graphs {
    let run = recorded(name);
    let structure = Structure::of(&run);
    let work: i64 = run.grains.work.iter().flatten().sum();
    let reduced = GrainGraph::reduced(&run, &structure);
    reduced.validate().unwrap();
    assert_eq!(Paths::of(&reduced).unwrap().work(), work, "{name}");
    let graph = GrainGraph::unreduced(&run, &structure);
    let edges = drawn(&run, &graph);
    let fault = graph
        .validate()
        .map_err(|fault| fault.describe(&run, &graph));
    assert_eq!(fault, Ok(()), "{name}: {edges:#?}");
    let paths = Paths::of(&graph).unwrap();
    assert_eq!(paths.work(), work, "{name}");
    let elapsed = run.summary.meta.elapsed.unwrap();
    assert!(paths.span() <= work.min(elapsed), "{name}: {edges:#?}");
    let path = ElapsedPath::of(&run, &graph).unwrap();
    assert_eq!(path.elapsed, elapsed, "{name}");
    let parts = path.before + path.work + path.delay() + path.outside + path.after;
    assert_eq!(parts, elapsed, "{name}");
    Graphs {
        run,
        structure,
        graph,
        paths,
        path,
    }
}

/// Sets, span, and all edges that begin or end at the given grain.
fn check(name: &str, of_sets: &str, span: i64, grain: &str, expected: &str) -> Graphs {
    let graphs = graphs(name);
    assert_eq!(sets(&graphs.structure), of_sets, "{name}");
    let edges = drawn(&graphs.run, &graphs.graph);
    assert_eq!(graphs.paths.span(), span, "{name}: {edges:#?}");
    let is_of = |end: &str| end.split(['@', '#', '~', '^', '*']).next() == Some(grain);
    let own: Vec<&str> = edges
        .iter()
        .filter(|edge| edge.split(['>', ')', '-', '=']).any(is_of))
        .map(String::as_str)
        .collect();
    let expected: Vec<&str> = expected.split_whitespace().collect();
    assert_eq!(own, expected, "{name}: {edges:#?}");
    let is_forward = graphs.path.delays.iter().all(|&delay| delay >= 0);
    assert!(is_forward, "{:?}", graphs.path);
    graphs
}

#[test]
fn every_recording_has_valid_graphs() {
    let names = names();
    for name in &names {
        graphs(name);
    }
    assert!(names.len() >= 17, "{names:?}");
}

#[test]
fn what_one_grain_runs_is_a_chain() {
    for name in names() {
        let Graphs {
            run,
            structure,
            graph,
            ..
        } = graphs(&name);
        for graph in [graph, GrainGraph::reduced(&run, &structure)] {
            let mut finder = LengthFinder::new(&graph);
            let grains = run.grains.len();
            for grain in 0..grains {
                let alone = GrainGroup::new(grains, |other| other == grain);
                let lengths = finder.find(Some(&alone)).unwrap();
                assert_eq!(lengths.span, lengths.work, "{name}: {grain}");
            }
        }
    }
}

#[test]
fn a_taskgroup_collects_its_tasks_and_they_wait_for_their_own() {
    check(
        "taskgroup",
        "0[1 2] 1[4 3] 4[5] -[0]",
        64,
        "4",
        "1^4>4@30+5
        4@30+5-4^5 4^5-4@35+5 4^5>5@42+8 4@35+5-4*2 4*2-4@51+4 4@51+4)1*1
        5@42+8)4*2",
    );
}

#[test]
fn an_untied_task_goes_on_on_another_worker() {
    let graphs = check(
        "untied",
        "0[1 2] 1[3] 3[4] -[0]",
        47,
        "3",
        "1^3>3@30+0
        3@30+0-3@35+5 3@35+5-3^4 3^4-3@40+5 3^4>4@50+10 3@40+5-3*2 3*2-3@63+7 3@63+7)1*1
        4@50+10)3*2",
    );
    let workers = graphs.run.fragments.rows().filter(|row| row.grain == 3);
    let workers: Vec<i32> = workers.map(|row| row.location).collect();
    assert_eq!(workers, [0, 1, 1, 0]);
}

#[test]
fn a_cancelled_task_leads_to_its_join_and_nowhere_else() {
    check("cancel", "0[1 2] 1[4 3] -[0]", 38, "3", "1^3>3@ 3@)1*1");
}

#[test]
fn tasks_follow_what_they_depend_on() {
    let graphs = check(
        "dependences",
        "0[1] 1[3 2 8 4 6 7 9 5] -[0]",
        30,
        "8",
        "1^8>8@22+1 3@20+1=8@22+1 8@22+1)1*1 8@22+1=4@23+1 8@22+1=6@24+1 8@22+1=9@26+1",
    );
    let edges = graphs.graph.count_edges();
    assert_eq!(edges[EdgeKind::Dependence as usize], 11);
}

#[test]
fn an_undeferred_task_is_joined_where_it_is_created() {
    check(
        "undeferred",
        "0[1 2] 1[3] 3[4] -[0]",
        45,
        "3",
        "1^3>3@23+3
        3@23+3-3@26+2 3@26+2-3^4 3^4>4@28+5 3*2-3@33+7 3@33+7)1*1
        4@28+5)3*2",
    );
}

#[test]
fn waits_for_dependences_are_undeferred_tasks() {
    check(
        "depend_waits",
        "0[1 2] 1[9] 1[7] 1[8] 1[4] 1[5 3 6] -[0]",
        81,
        "9",
        "1^9>9@38+0 5@26+10=9@38+0 9@38+0)1*1 9@38+0=6@41+10",
    );
}

#[test]
fn alone_in_a_team_undeferred_tasks_are_as_they_were_written() {
    check(
        "team_of_one",
        "0[1] 1[3 4] 1[2] 1[5] -[0]",
        72,
        "3",
        "1^3>3@27+3 3@27+3-3^4 3^4-3@30+1 3^4>4@31+9 3@30+1-3@40+5 3@40+5)1*1",
    );
}

#[test]
fn chunks_of_a_taskloop_are_collected_by_its_wait() {
    check(
        "taskloop",
        "0[1 2] 1[3 4 5 6] -[0]",
        47,
        "1",
        "0^1,2>1@11+4
        1@11+4-1@15+5 1@15+5-1@20+2 1@20+2-1^3 1^3-1@22+2 1^3>3@41+9 1@22+2-1^4 1^4-1@24+3 1^4>4@35+5
        1@24+3-1^5 1^5-1^6 1^5>5@45+10 1^6-1*1 1^6>6@34+10 1*1-1@60+1 1@60+1-1@61+1 1@61+1-1@70+1 1@70+1)0*0
        3@41+9)1*1 4@35+5)1*1 5@45+10)1*1 6@34+10)1*1",
    );
}

#[test]
fn an_inner_region_is_joined_before_its_member_goes_on() {
    check(
        "nested_regions",
        "0[1 2] 1[3 4] -[0]",
        76,
        "1",
        "0^1,2>1@12+8
        1@12+8-1^3,4 1^3,4>3@22+18 1^3,4>4@24+21 1*1-1@52+8 1@52+8-1@75+1 1@75+1)0*0
        3@50+1)1*1 4@24+21)1*1",
    );
}

#[test]
fn chunks_alternate_with_book_keeping_and_members_meet_at_the_barrier() {
    check(
        "chunks_dynamic",
        "0[1 2] 1[3 4] 2[5] -[0]",
        50,
        "1",
        "0^1,2>1@11+9
        1@11+9-1~20+2 1~20+2-3#22+8 1~-4#30+5 1@35+1)0*| 1@44+2-1@50+1 1@50+1)0*0
        3#22+8-1~ 4#30+5-1@35+1
        0^|-1@44+2",
    );
}

/// Member 2 arrives at the end of the region at 47, member 1 at 46, and goes on at 50.
#[test]
fn what_follows_a_region_follows_the_last_member_at_its_end() {
    let path = graphs("chunks_dynamic").path;
    assert_eq!(path.work, 10 + 9 + 3 + 16 + 1 + 3 + 1 + 8);
    // Creation until 12, the barrier until 44, the end of the region until 50, its join until 52.
    assert_eq!(path.delays, [2, 3 + 3 + 1, 0, 0, 0, 0, 0]);
    assert_eq!(path.busy, [0; 7]);
}

#[test]
fn chunks_create_tasks_that_the_barrier_collects() {
    check(
        "tasks_in_chunks",
        "0[1 2] 1[3] 1[5 6] 2[4] 2[7 8] -[0]",
        36,
        "3",
        "1~20+0-3#20+1
        3#20+1-3^5 3^5-3#21+1 3^5>5@31+5 3#21+1-3^6 3^6-3#22+4 3^6>6@41+5 3#22+4-1@26+2",
    );
}
