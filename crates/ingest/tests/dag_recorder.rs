//! Recordings of DAG Recorder: names, places of tasks, stated totals, and hostile files.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may stop")]

#[path = "support/processor_time.rs"]
mod processor_time;

mod dag_recorder {
    pub(crate) mod generated;
    pub(crate) mod write;
}

use dag_recorder::generated::{Generated, chain_of_tasks, fork, nested_sections};
use dag_recorder::write::{Tree, create, header, recording, section, strings, task};
use sheaf_ingest::{Content, Input, NoModules, Run, Symbols, read};
use sheaf_model::Progress;

const FILES: &[&str] = &["src/work.c", "lib/other.c", "lib/work.c"];

fn refusal(content: &dyn Content) -> String {
    let inputs = [Input::new("run.dag", content)];
    let reading = read(&inputs, &Symbols::new(NoModules), &Progress::silent()).unwrap();
    match reading.refused.first() {
        Some((_, error)) => error.to_string(),
        None => "read".to_owned(),
    }
}

fn run(root: &Tree, files: &[&str]) -> Run {
    let bytes = recording(root, files);
    let inputs = [Input::new("run.dag", &bytes)];
    let mut reading = read(&inputs, &Symbols::new(NoModules), &Progress::silent()).unwrap();
    assert!(reading.refused.is_empty(), "{:?}", reading.refused);
    reading.runs.remove(0)
}

/// Name and id of each kind of task.
fn tasks(run: &Run) -> Vec<(String, [u8; 16])> {
    let rows = run.tables.summary.definitions.rows();
    let mut tasks: Vec<_> = rows
        .filter(|row| row.kind == "task")
        .map(|row| (row.name, row.id))
        .collect();
    tasks.sort();
    tasks
}

fn leaf_task() -> Tree {
    task([])
}

fn creating(lines: &[(i64, i64)]) -> Tree {
    task([section(lines.iter().map(|&at| create(at, leaf_task())))])
}

#[test]
fn tasks_keep_their_identity_when_code_moves() {
    let before = tasks(&run(&creating(&[(0, 10), (0, 13)]), &FILES[..2]));
    let after = tasks(&run(&creating(&[(0, 110), (0, 113)]), &["moved/work.c"]));
    assert_eq!(before[0].0, "work.c:10 (task)");
    assert_eq!(after[0].0, "work.c:110 (task)");
    let ids = |tasks: &[(String, [u8; 16])]| tasks.iter().map(|(_, id)| *id).collect::<Vec<_>>();
    assert_eq!(ids(&before), ids(&after));
}

#[test]
fn lines_that_did_not_run_change_nothing() {
    let all = tasks(&run(&creating(&[(0, 10), (0, 13), (0, 19)]), FILES));
    let some = tasks(&run(&creating(&[(0, 10), (0, 19)]), FILES));
    assert_eq!(some, [all[0].clone(), all[2].clone()]);
}

#[test]
fn files_of_one_name_are_apart() {
    let found = tasks(&run(&creating(&[(0, 10), (2, 10), (1, 10)]), FILES));
    let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
    let expected = [
        "lib/work.c:10 (task)",
        "other.c:10 (task)",
        "src/work.c:10 (task)",
    ];
    assert_eq!(names, expected);
}

#[test]
fn what_is_folded_first_makes_names_unsure() {
    let hidden = section([create((0, 4), leaf_task())]).folded();
    let root = task([hidden, section([create((0, 10), leaf_task())])]);
    let unsure = run(&root, FILES);
    let sure = run(&creating(&[(0, 10)]), FILES);
    assert_ne!(tasks(&unsure)[0].1, tasks(&sure)[0].1);
    let warnings = &unsure.tables.summary.meta.warnings;
    assert!(warnings[0].contains("known by their line"), "{warnings:?}");
    assert!(sure.tables.summary.meta.warnings.is_empty());
}

#[test]
fn places_and_joins() {
    let at = (0, 10);
    let inner = section([create(at, leaf_task())]);
    let folded = section([create(at, leaf_task()), create(at, leaf_task())]).folded();
    let root = task([
        section([create(at, leaf_task()), inner, create(at, leaf_task())]),
        folded,
        section([create(at, leaf_task())]),
    ]);
    let run = run(&root, FILES);
    let rows = run.tables.grains.rows().filter(|row| row.parent.is_some());
    let places: Vec<_> = rows.map(|row| (row.index, row.joined_by)).collect();
    assert_eq!(
        places,
        [(0, Some(1)), (1, Some(0)), (2, Some(1)), (5, Some(3))]
    );
    // The inner wait, the outer one, the folded section, the last.
    assert_eq!(run.tables.waits.len(), 4);
}

#[test]
fn edges_follow_from_the_hierarchy() {
    let child = task([section([create((0, 20), leaf_task())])]);
    let run = run(&task([section([create((0, 10), child)])]), FILES);
    // The writer stores no edges: create, create_cont, end and wait_cont of each section.
    assert_eq!(run.report.count("repaired_edges"), 8);
}

#[test]
fn a_folded_recording_keeps_the_stated_span() {
    let folded = section([create((0, 10), leaf_task())]).folded();
    let run = run(&task([folded]), FILES);
    // A creation, the end of its task, a wait, the end of the root: ten ticks each.
    assert_eq!(
        run.tables.summary.meta.lacks["folded"],
        "1 subgraphs are folded to their totals, so metrics cover only what was kept; the recorder states a span of \
         40 ticks"
    );
}

#[test]
fn absurd_counts_are_refused() {
    let nodes = recording(&creating(&[(0, 1)]), FILES);
    // Neither order of bytes makes these small.
    let absurd = 0x2000_0000_0000_0020;
    for (num_nodes, num_edges, expected) in [
        (absurd, 0, "more than are read"),
        (1 << 31, 0, "but its header counts `2147483648` nodes"),
        (7, absurd, "more than are read"),
        (7, 1 << 32, "but its header counts `4294967296` edges"),
        (0, 0, "holds no measurement"),
    ] {
        let mut bytes = header(num_nodes, num_edges);
        bytes.extend(&nodes[77..]);
        let error = refusal(&bytes);
        assert!(
            error.contains(expected),
            "{num_nodes}, {num_edges}: {error}"
        );
    }
}

#[test]
fn other_versions_are_refused() {
    let error = refusal(&b"DAG_RECORDER FORMAT VERSION  1.23 2014/01/01\n".to_vec());
    assert!(
        error.contains("version is `DAG_RECORDER FORMAT VERSION  1.23"),
        "{error}"
    );
}

#[test]
fn graphs_that_are_no_trees_are_refused() {
    let bytes = recording(&creating(&[(0, 1), (0, 2)]), FILES);
    let change = |node: usize, at: usize, value: i64| {
        let mut bytes = bytes.clone();
        let at = 77 + 432 * node + at;
        bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        refusal(&bytes)
    };
    // Nodes: root, section, end, two creations, wait, two tasks with their ends.
    assert!(
        change(3, 416, 5).contains("two parents"),
        "{}",
        change(3, 416, 5)
    );
    assert!(change(1, 424, 1 << 40).contains("children"));
    assert!(change(1, 416, -1).contains("children"));
    assert!(change(0, 328, 9).contains("kind `9`"));
    assert!(change(0, 328, 4).contains("the root is not a task"));
    assert!(change(3, 72, -1).contains("time"));
}

#[test]
fn strings_that_overlap_are_refused() {
    let root = recording(&creating(&[(0, 1)]), &["a"]);
    let mut bytes = root[..root.len() - strings(&["a"]).len()].to_vec();
    let mut table = strings(&["a", "b", "long long long long"]);
    for string in 0..2 {
        // All begin where the long one does.
        table[32 + 8 * string] = 4;
    }
    bytes.extend(table);
    assert!(
        refusal(&bytes).contains("strings overlap"),
        "{}",
        refusal(&bytes)
    );
}

fn read_generated(content: &Generated) -> Run {
    let input = Input::new("run.dag", content);
    let reading = read(&[input], &Symbols::new(NoModules), &Progress::silent()).unwrap();
    assert!(reading.refused.is_empty(), "{:?}", reading.refused);
    let run = reading.runs.into_iter().next().unwrap();
    let elapsed = i64::try_from(20 * content.num_nodes - 13).unwrap();
    assert_eq!(run.tables.summary.meta.elapsed, Some(elapsed));
    run
}

#[test]
fn sections_a_million_deep() {
    let run = read_generated(&Generated {
        num_nodes: 2_000_001,
        node: nested_sections,
    });
    assert_eq!(run.tables.waits.len(), 1_000_000);
}

#[test]
fn a_chain_of_two_hundred_thousand_tasks() {
    let run = read_generated(&Generated {
        num_nodes: 1_000_001,
        node: chain_of_tasks,
    });
    assert_eq!(run.tables.summary.contexts.len(), 200_001);
}

/// Four times the nodes take about four times as long; a quadratic step would take sixteen.
#[test]
fn time_grows_with_the_nodes() {
    let mut seconds = [0.0_f64; 2];
    for (slot, tasks) in seconds.iter_mut().zip([100_000_u64, 400_000]) {
        let begin = processor_time::of_this_thread();
        let run = read_generated(&Generated {
            num_nodes: 4 + 3 * tasks,
            node: fork,
        });
        *slot = processor_time::of_this_thread()
            .saturating_sub(begin)
            .as_secs_f64();
        assert_eq!(run.tables.grains.len() as u64, tasks + 1);
    }
    assert!(seconds[1] < 12.0 * seconds[0], "{seconds:?}");
}
