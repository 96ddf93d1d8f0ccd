//! What was exported is read back as the same graph of grains.

use std::collections::{BTreeMap, BTreeSet};

use sheaf_ensemble::{Ensemble, GraphForm};
use sheaf_grains::grain_graph::{GrainGraph, Paths, Structure};
use sheaf_model::table::GrainKind;
use sheaf_model::{Lens, Progress, RunTables};
use sheaf_store::Store;

use crate::{data, export, keep, read, reference};

/// Numbers of tasks by grain, as the export gives them: the source's, else rows from 1.
fn tasks(tables: &RunTables) -> Vec<i64> {
    let metrics = tables.summary.metrics.rows();
    let metric = metrics
        .zip(0..)
        .find_map(|(metric, row)| (metric.source.as_deref() == Some("task")).then_some(row));
    let counters = tables.counters.rows();
    let given: Vec<i64> = counters
        .filter(|row| Some(row.metric) == metric)
        .map(|row| row.value.unwrap())
        .collect();
    if given.len() == tables.grains.len() {
        return given;
    }
    (1..).take(tables.grains.len()).collect()
}

/// What is known of each grain, by task: columns, name, processor, the measures of a source.
fn grains(tables: &RunTables, measures: &BTreeSet<String>) -> BTreeMap<i64, Vec<String>> {
    let tasks = tasks(tables);
    let summary = &tables.summary;
    let contexts: Vec<_> = summary.contexts.rows().collect();
    let definitions: Vec<_> = summary.definitions.rows().collect();
    let locations: Vec<_> = summary.locations.rows().collect();
    let metrics: Vec<_> = summary.metrics.rows().collect();
    let at = |row: i32| usize::try_from(row).unwrap();
    let mut found = BTreeMap::new();
    for (row, grain) in tables.grains.rows().enumerate() {
        let definition = &definitions[at(contexts[at(grain.context)].definition)];
        let core = grain.location.map(|row| locations[at(row)].core);
        let mut facts = vec![
            format!("parent {:?}", grain.parent.map(|row| tasks[at(row)])),
            format!("{} {} {:?}", grain.kind, grain.flags, grain.sequence),
            format!("{} by {:?}", grain.index, grain.joined_by),
            format!("{:?} {:?}", grain.first_iteration, grain.iterations),
            format!("{:?} {:?} {:?}", grain.created, grain.start, grain.end),
            format!("{:?} {:?} {:?}", grain.work, grain.creation, grain.waiting),
            format!("{:?} {core:?}", definition.name),
            format!("{:?} {:?}", definition.file, definition.line),
        ];
        facts.resize(8, String::new());
        found.insert(tasks[row], facts);
    }
    for counter in tables.counters.rows() {
        let name = metrics[at(counter.metric)].source.as_deref().unwrap();
        if measures.contains(name) {
            let task = tasks[at(counter.grain)];
            let fact = format!("{name} {:?} {:?}", counter.value, counter.value_float);
            found.get_mut(&task).unwrap().push(fact);
        }
    }
    for facts in found.values_mut() {
        facts.sort_unstable();
    }
    found
}

/// Task programs and loops of task-stats tables come back with every value of every grain.
#[test]
fn profiles_come_back_as_they_were() {
    let samples = ["walk.csv", "walk.processed.csv", "walk.merged.csv"];
    let samples = samples.map(|name| Some(data(&format!("samples/mir/{name}"))));
    let references = [
        "grain-graphs/example/example.mir-task-stats.csv",
        "grain-graphs/task-stats/fib-45-12.task-stats.merged.csv.gz",
        "grain-graphs/task-stats/for-loop-32-40-3.task-stats.merged.csv.gz",
    ];
    let files = samples.into_iter().chain(references.map(reference));
    for file in files.flatten() {
        let kept = keep(&file);
        let back = read(&export(&kept.ensemble, kept.run, GraphForm::Reduced));
        let differing = back.report.findings.iter();
        let differing: Vec<_> = differing
            .filter(|finding| {
                !finding.kind.starts_with("read_") || finding.kind.contains("differing")
            })
            .collect();
        assert!(differing.is_empty(), "{}: {differing:?}", file.display());
        let metrics = kept.tables.summary.metrics.rows();
        let measures: BTreeSet<String> = metrics.filter_map(|metric| metric.source).collect();
        let [ours, theirs] = [&back.tables, &kept.tables].map(|it| grains(it, &measures));
        assert_eq!(ours.len(), theirs.len());
        let mut compared = 0;
        for (task, theirs) in &theirs {
            assert_eq!(&ours[task], theirs, "{}: task {task}", file.display());
            compared += theirs.len();
        }
        println!(
            "{}: {compared} facts of {} grains agree",
            file.display(),
            theirs.len()
        );
        assert!(compared >= 8 * theirs.len() && compared > 50);
    }
}

/// Owner and place of each grain's set, its work, whether it is a grain; T₁ and T∞.
type Shape = (Vec<(Option<u32>, u32, Option<i64>, bool)>, i64, i64);

fn shape(tables: &RunTables) -> Shape {
    let structure = Structure::of(tables);
    let graph = GrainGraph::reduced(tables, &structure);
    graph.validate().unwrap();
    let paths = Paths::of(&graph).unwrap();
    let tasks = tasks(tables);
    let mut rows: Vec<(i64, _)> = tables
        .grains
        .rows()
        .enumerate()
        .map(|(row, grain)| {
            let set = structure.set_of(u32::try_from(row).unwrap()).unwrap();
            let set = &structure.sets()[set as usize];
            let owner = set.owner().map(|owner| tasks[owner as usize]);
            let owner = owner.map(|task| u32::try_from(task).unwrap());
            let is_grain = GrainKind::from_code(grain.kind).unwrap().is_grain();
            (tasks[row], (owner, set.place, grain.work, is_grain))
        })
        .collect();
    rows.sort_unstable();
    let rows = rows.into_iter().map(|(_, row)| row).collect();
    (rows, paths.work(), paths.span())
}

/// Recorded programs come back with the same grains in the same sets, and the same work and span.
#[test]
fn recorded_programs_keep_their_structure() {
    for name in ["threads", "versions", "runtimes"] {
        let store = data(&format!("ensembles/{name}"));
        let ensemble = Ensemble::open(&store).unwrap();
        let rows = ensemble
            .view(&Progress::silent())
            .unwrap()
            .runs(&Lens::default())
            .unwrap()
            .runs;
        let snapshot = Store::open(&store).unwrap().snapshot().unwrap();
        for row in [&rows[0], &rows[rows.len() - 1]] {
            let run = row.run.parse().unwrap();
            let before = snapshot.tables(run).unwrap();
            let after = read(&export(&ensemble, run, GraphForm::Reduced)).tables;
            assert_eq!(after.summary.meta.grains, before.summary.meta.grains);
            assert_eq!(after.summary.meta.time_unit, before.summary.meta.time_unit);
            let (ours, theirs) = (shape(&after), shape(&before));
            assert_eq!(ours.1, theirs.1, "{name}: work");
            assert_eq!(ours.2, theirs.2, "{name}: span");
            assert!(ours.0.len() > 100);
            for (task, (ours, theirs)) in ours.0.iter().zip(&theirs.0).enumerate() {
                assert_eq!(ours, theirs, "{name}: task {}", task + 1);
            }
            assert_eq!(ours.0.len(), theirs.0.len());
        }
    }
}

/// The reduced graph has one node for the book-keeping that a thread does for a loop, however many rows
/// the table has of it; its work is theirs together.
#[test]
fn book_keeping_of_a_thread_is_one_node() {
    let kept = keep(&data("samples/mir/sweep.merged.csv"));
    let back = read(&export(&kept.ensemble, kept.run, GraphForm::Reduced)).tables;
    let kinds = |tables: &RunTables| {
        let mut kinds = BTreeMap::new();
        for grain in tables.grains.rows() {
            *kinds.entry(grain.kind).or_insert(0) += 1;
        }
        kinds
    };
    let (ours, mut theirs) = (kinds(&back), kinds(&kept.tables));
    let rows = theirs.get_mut(&(GrainKind::Implicit as i32)).unwrap();
    assert!(ours[&(GrainKind::Implicit as i32)] < *rows);
    *rows = ours[&(GrainKind::Implicit as i32)];
    assert_eq!(ours, theirs);
    let (ours, theirs) = (shape(&back), shape(&kept.tables));
    assert_eq!((ours.1, ours.2), (theirs.1, theirs.2));
}
