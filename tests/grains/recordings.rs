//! Recordings of DAG Recorder against the recorder's own statistics and an independent program's
//! figures.

use std::path::Path;

use serde_json::Value;
use sheaf_analysis::grain_graph::{DelayKind, EdgeKind, ElapsedPath, GrainGraph, Paths, Structure};
use sheaf_ingest::Input;
use sheaf_model::Progress;

use crate::{reference, run};

/// Figures of all recordings, by folder and file without endings.
fn figures(folder: &Path) -> Value {
    let bytes = std::fs::read(folder.join("reference.json.gz")).unwrap();
    let text = Input::new("reference.json.gz", &bytes);
    let text = text.bytes(&Progress::silent()).unwrap();
    let all: Value = serde_json::from_slice(&text).unwrap();
    all["files"].clone()
}

/// `critical_path (T_inf) = 68926` of the recorder's statistics.
fn stated_span(path: &Path) -> i64 {
    let text = std::fs::read_to_string(path).unwrap();
    let line = text.lines().find(|line| line.starts_with("critical_path"));
    line.unwrap().rsplit(' ').next().unwrap().parse().unwrap()
}

#[test]
fn spans_and_edges_are_those_of_the_recorder() {
    let Some(folder) = reference("dag-recorder") else {
        return;
    };
    let figures = figures(&folder);
    let (mut files, mut compared) = (0, 0);
    for (name, figures) in figures.as_object().unwrap() {
        let packed = folder.join(format!("{name}.dag.gz"));
        let path = if packed.exists() {
            packed
        } else {
            folder.join(format!("{name}.dag"))
        };
        if !path.exists() {
            continue;
        }
        files += 1;
        let tables = run(&path);
        let structure = Structure::of(&tables);
        let graph = GrainGraph::unreduced(&tables, &structure);
        graph
            .validate()
            .unwrap_or_else(|fault| panic!("{name}: {fault}"));
        let paths = Paths::of(&graph).unwrap();
        let is_folded = figures["n_collapsed"] != 0;
        let mut check = |what: &str, ours: i64, theirs: i64| {
            assert_eq!(ours, theirs, "{name}: {what}");
            compared += 1;
        };
        let figure = |what: &str| figures[what].as_i64().unwrap();
        if !is_folded {
            check("work", paths.work(), figure("T1"));
            check("span", paths.span(), figure("T_inf_longest_path"));
            check(
                "stated span",
                paths.span(),
                stated_span(&folder.join(format!("{name}.stat"))),
            );
            let edges = graph.count_edges();
            let count = |kind: EdgeKind| i64::try_from(edges[kind as usize]).unwrap();
            let by_kind = |kind: &str| figures["edges_by_kind"][kind].as_i64().unwrap();
            check(
                "creations",
                count(EdgeKind::Creation),
                1 + by_kind("create"),
            );
            check("ends", count(EdgeKind::Synchronisation), 1 + by_kind("end"));
            let path = ElapsedPath::of(&tables, &graph).unwrap();
            let theirs = &figures["last_finish_path"];
            let figure = |what: &str| theirs[what].as_i64().unwrap();
            check(
                "path",
                i64::try_from(path.nodes.len()).unwrap(),
                figure("n_nodes"),
            );
            check("path's work", path.work, figure("work"));
            check("path's delay", path.delay(), figure("delay"));
            check("path's first start", path.before, figure("first_start"));
            let by_edge = |kind: &str| theirs["delay_by_edge_kind"][kind].as_i64().unwrap();
            check(
                "creation",
                path.delay_by(DelayKind::Creation),
                by_edge("create"),
            );
            let synchronisation = path.delay_by(DelayKind::Synchronisation);
            check("synchronisation", synchronisation, by_edge("end"));
            let continuation = path.delay_by(DelayKind::Continuation);
            let by_edge = by_edge("create_cont") + by_edge("wait_cont");
            check("continuation", continuation, by_edge);
            let scheduling = path.delay_by(DelayKind::Scheduling);
            check(
                "scheduling",
                scheduling,
                theirs["delay_by_edge_kind"]["other_cont"].as_i64().unwrap(),
            );
            let parts = path.before + path.work + path.delay() + path.after;
            check("elapsed", parts, figures["elapsed"].as_i64().unwrap());
        }
    }
    println!("dag-recorder: {files} files, {compared} values equal");
    assert_eq!(files, 55);
}
