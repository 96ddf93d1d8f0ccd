//! Small runs written as text, and the structure and graphs that follow from them.
//!
//! ```text
//! task - created=0 work=700 joined=0 index=0 run=0+50 run=90+10 wait=50+40
//! ```
//!
//! A line is a grain, numbered from 0: its kind (`initial`, `member`, `task`, `chunk`), the number of its
//! parent or `-`, and what is known of it.

mod absent;
mod book_keeping;
mod properties;
mod recorded;
mod teams;
mod totals;
mod walks;

use std::fmt::Write as _;

use sheaf_model::table::{FragmentRow, GrainKind, GrainRow, WaitRow};
use sheaf_model::{RunMeta, RunSummary, RunTables};

use super::{GrainGraph, NodeKind, Paths, Structure};

fn run(text: &str) -> RunTables {
    let mut run = RunTables::without_grains(RunSummary::empty(RunMeta::new("program", "text")));
    let (mut grains, mut fragments, mut waits) = (Vec::new(), Vec::new(), Vec::new());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let row = i32::try_from(grains.len()).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        let get = |name: &str| -> Option<i64> {
            let mut words = words.iter();
            let word = words.find_map(|word| word.strip_prefix(name)?.strip_prefix('='))?;
            Some(word.parse().unwrap())
        };
        let pairs = |name: &str| -> Vec<(i64, i64)> {
            let words = words
                .iter()
                .filter_map(|word| word.strip_prefix(name)?.strip_prefix('='));
            let pair = |word: &str| {
                let (start, duration) = word.split_once('+').unwrap();
                (start.parse().unwrap(), duration.parse().unwrap())
            };
            words.map(pair).collect()
        };
        let runs = pairs("run");
        fragments.extend(runs.iter().map(|&(start, duration)| FragmentRow {
            grain: row,
            location: 0,
            start,
            duration,
            ended_by: 0,
        }));
        let kinds = [("wait", 0), ("group", 1), ("barrier", 2)];
        let mut own: Vec<WaitRow> = Vec::new();
        for (name, kind) in kinds {
            own.extend(pairs(name).into_iter().map(|(start, duration)| WaitRow {
                grain: row,
                kind,
                start,
                duration,
                line: None,
            }));
        }
        own.sort_by_key(|wait| wait.start);
        waits.extend(own);
        grains.push(GrainRow {
            path_key: i64::from(row),
            parent: words[1].parse().ok(),
            kind: kind(words[0]) as i32,
            sequence: get("sequence"),
            index: get("index").unwrap_or(i64::from(row)),
            joined_by: get("joined"),
            created: get("created"),
            start: get("start").or(runs.first().map(|run| run.0)),
            end: get("end").or(runs.last().map(|run| run.0 + run.1)),
            work: get("work").or(Some(runs.iter().map(|run| run.1).sum())),
            ..GrainRow::default()
        });
    }
    run.grains = grains.into_iter().collect();
    run.fragments = fragments.into_iter().collect();
    run.waits = waits.into_iter().collect();
    run
}

fn kind(word: &str) -> GrainKind {
    match word {
        "initial" => GrainKind::Initial,
        "member" => GrainKind::Implicit,
        "chunk" => GrainKind::Chunk,
        _ => GrainKind::Task,
    }
}

/// Sets as `owner[members]`, in order.
fn sets(structure: &Structure) -> String {
    let sets = structure.sets().iter().map(|set| {
        let owner = set
            .owner()
            .map_or("-".to_owned(), |owner| owner.to_string());
        let members: Vec<String> = structure.members(set).iter().map(u32::to_string).collect();
        format!("{owner}[{}]", members.join(" "))
    });
    sets.collect::<Vec<_>>().join(" ")
}

fn counts(graph: &GrainGraph) -> String {
    let mut counts = [0; 6];
    for node in 0..u32::try_from(graph.num_nodes()).unwrap() {
        counts[graph.kind(node).unwrap() as usize] += 1;
    }
    let kinds = [
        NodeKind::Grain,
        NodeKind::Fragment,
        NodeKind::Fork,
        NodeKind::Join,
    ];
    let kinds = kinds.map(|kind| format!("{kind:?} {}", counts[kind as usize]));
    let nodes = graph.num_nodes();
    format!(
        "{nodes} nodes, {} edges: {}",
        graph.num_edges(),
        kinds.join(", ")
    )
}

/// Task 0 creates task 1 and waits. Task 1 creates 2 and 3, waits, creates 4, waits.
const FIVE: &str = "
    task - joined=0 index=0 work=700
    task 0 joined=0 index=0 work=1500
    task 1 joined=0 index=0 work=600
    task 1 joined=0 index=1 work=900
    task 1 joined=1 index=2 work=100
";

/// The same with the times of its fragments, each grain on a worker of its own.
const FIVE_TIMED: &str = "
    task - created=0 run=0+99 run=99+800 run=2300+101 wait=899+1401
    task 0 created=99 run=99+199 run=298+200 run=498+800 run=1398+200 run=1598+500 run=2199+101 wait=1298+100 wait=2098+101
    task 1 created=298 run=298+600
    task 1 created=498 run=498+900
    task 1 created=1598 run=1598+100
";

#[test]
fn reduced_graph_of_the_five_tasks() {
    let run = run(FIVE);
    let structure = Structure::of(&run);
    assert_eq!(sets(&structure), "0[1] 1[2 3] 1[4] -[0]");
    let graph = GrainGraph::reduced(&run, &structure);
    graph.validate().unwrap();
    assert_eq!(
        counts(&graph),
        "15 nodes, 15 edges: Grain 5, Fragment 0, Fork 4, Join 4"
    );
    let paths = Paths::of(&graph).unwrap();
    assert_eq!((paths.work(), paths.span()), (3800, 3200));
    assert_eq!(paths.parallelism(), Some(1.1875));
    assert_eq!(paths.critical_grains(&graph), [0, 1, 3, 4]);
}

#[test]
fn unreduced_graph_of_the_five_tasks() {
    let run = run(FIVE_TIMED);
    let structure = Structure::of(&run);
    assert_eq!(sets(&structure), "0[1] 1[2 3] 1[4] -[0]");
    let graph = GrainGraph::unreduced(&run, &structure);
    graph.validate().unwrap();
    assert_eq!(
        counts(&graph),
        "21 nodes, 24 edges: Grain 0, Fragment 12, Fork 5, Join 4"
    );
    let paths = Paths::of(&graph).unwrap();
    assert_eq!((paths.work(), paths.span()), (4600, 2300));
    let mut starts: Vec<(i64, i64)> = (0..21)
        .filter(|&node| graph.kind(node) == Some(NodeKind::Fragment))
        .map(|node| (paths.earliest_start(node), graph.weight(node)))
        .collect();
    starts.sort_unstable();
    let expected = [
        (0, 99),
        (99, 199),
        (99, 800),
        (298, 200),
        (298, 600),
        (498, 800),
        (498, 900),
        (1398, 200),
        (1598, 100),
        (1598, 500),
        (2098, 101),
        (2199, 101),
    ];
    assert_eq!(starts, expected);
}

#[test]
fn tasks_that_nobody_waits_for_are_collected_by_the_barrier_of_the_team() {
    let run = run("
        initial - run=0+10 run=200+5
        member 0 sequence=0 index=0 created=10 run=10+20 run=60+1 barrier=30+30
        member 0 sequence=0 index=1 created=10 run=10+5 barrier=15+45
        task 1 created=20 run=30+10
        task 3 created=35 run=40+10
    ");
    let structure = Structure::of(&run);
    assert_eq!(sets(&structure), "0[1 2] 1[3 4] -[0]");
    assert_eq!(structure.num_escaped(), 1);
    let graph = GrainGraph::unreduced(&run, &structure);
    graph.validate().unwrap();
    let paths = Paths::of(&graph).unwrap();
    // 10 before the region, 20 in the member, 10 and 10 in the tasks (the second is created when
    // the first has run), 1 behind the barrier, 5 behind the region.
    assert_eq!(paths.span(), 10 + 20 + 10 + 10 + 1 + 5);
}

#[test]
fn chunks_follow_each_other_on_their_member() {
    let run = run("
        initial - run=0+10 run=100+5
        member 0 sequence=0 index=0 created=10 run=10+1 run=31+1 run=52+1
        chunk 1 sequence=0 index=0 run=11+20
        chunk 1 sequence=0 index=1 run=32+20
    ");
    let structure = Structure::of(&run);
    assert_eq!(sets(&structure), "0[1] 1[2 3] -[0]");
    let graph = GrainGraph::unreduced(&run, &structure);
    graph.validate().unwrap();
    assert_eq!(
        Paths::of(&graph).unwrap().span(),
        10 + 1 + 20 + 1 + 20 + 1 + 5
    );
}

#[test]
fn a_long_chain_and_a_wide_fork_need_no_stack() {
    let mut chain = String::new();
    for at in 0..100_000_i64 {
        let parent = if at == 0 {
            "-".to_owned()
        } else {
            (at - 1).to_string()
        };
        writeln!(chain, "task {parent} joined=0 work=1").unwrap();
    }
    let run_ = run(&chain);
    let graph = GrainGraph::reduced(&run_, &Structure::of(&run_));
    graph.validate().unwrap();
    assert_eq!(Paths::of(&graph).unwrap().span(), 100_000);
    let wide = "task - joined=0 work=1\n".to_owned() + &"task 0 joined=0 work=1\n".repeat(100_000);
    let run_ = run(&wide);
    let graph = GrainGraph::reduced(&run_, &Structure::of(&run_));
    assert_eq!(Paths::of(&graph).unwrap().span(), 2);
}
