//! Paths that are found without a graph are those of the graph, for every run of the sample ensembles and of the reference
//! data that has fragments.

use std::path::Path;

use sheaf_grains::grain_graph::{GrainGraph, GrainGroup, PathQuestion, RunPaths, Structure};
use sheaf_model::{Progress, RunTables};
use sheaf_store::Store;
use sheaf_tests::workspace_root;

use crate::{reference, run};

/// Whether the run has fragments; then all its paths, and those of some groups, are found without the graph.
fn check(name: &str, run: &RunTables) -> bool {
    if run.fragments.is_empty() {
        return false;
    }
    let structure = Structure::of(run);
    let graph = GrainGraph::unreduced(run, &structure);
    let definitions = u32::try_from(run.summary.definitions.len()).unwrap();
    let definitions: Vec<u32> = (0..definitions).collect();
    let middle = u32::try_from(run.grains.len() / 2).unwrap();
    let groups = [
        GrainGroup::subtree(&structure, middle),
        GrainGroup::new(run.grains.len(), |grain| grain % 3 > 0),
    ];
    let progress = Progress::silent();
    for group in std::iter::once(None).chain(groups.iter().map(Some)) {
        let question = PathQuestion {
            group,
            definitions: &definitions,
        };
        let walked = RunPaths::of(run, &structure, question, &progress).unwrap();
        let expected = RunPaths::on_graph(run, &graph, question, &progress).unwrap();
        assert!(walked == expected.ok(), "{name}");
        assert!(walked.is_some(), "{name}");
    }
    true
}

#[test]
fn paths_of_our_recordings_need_no_graph() {
    let folder = workspace_root().join("data/ensembles");
    let mut num_runs = 0;
    for ensemble in ["planted", "runtimes", "threads", "versions"] {
        let store = Store::open(&folder.join(ensemble)).unwrap();
        let snapshot = store.snapshot().unwrap();
        for stored in snapshot.runs().iter().filter(|run| run.has_grains()) {
            let tables = snapshot.tables(stored.meta.id).unwrap();
            let name = format!("{ensemble}/{}", stored.meta.name);
            num_runs += usize::from(check(&name, &tables));
        }
    }
    assert!(num_runs > 20, "{num_runs}");
}

/// Files whose names end in some way, in a folder and its folders.
fn files(folder: &Path, suffix: &str) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(suffix) {
                found.push(path);
            }
        }
    }
    found.sort_unstable();
    found
}

#[test]
fn paths_of_dag_recorder_need_no_graph() {
    let Some(folder) = reference("dag-recorder") else {
        return;
    };
    let files = files(&folder, ".dag.gz");
    let found = files
        .iter()
        .filter(|file| check(&file.display().to_string(), &run(file)));
    println!("{} of {} with fragments", found.count(), files.len());
}
