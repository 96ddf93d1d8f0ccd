//! Recordings of DAG Recorder against the recorder's own statistics and an independent program's
//! figures.

use std::path::Path;

use serde_json::Value;
use sheaf_analysis::grain_graph::{DelayKind, EdgeKind, ElapsedPath, GrainGraph, Paths, Structure};
use sheaf_ingest::Input;
use sheaf_model::{Progress, RunTables};

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

/// A recording without folded parts, with what the recorder and the independent program say of it.
struct Recording<'a> {
    name: &'a str,
    figures: &'a Value,
    tables: RunTables,
    graph: GrainGraph,
    compared: u64,
}

impl Recording<'_> {
    fn check(&mut self, what: &str, ours: i64, theirs: &Value) {
        assert_eq!(Some(ours), theirs.as_i64(), "{}: {what}", self.name);
        self.compared += 1;
    }

    fn paths(&mut self, stated_span: i64) {
        let figures = self.figures;
        let paths = Paths::of(&self.graph).unwrap();
        self.check("work", paths.work(), &figures["T1"]);
        self.check("span", paths.span(), &figures["T_inf_longest_path"]);
        self.check("stated span", paths.span(), &stated_span.into());
        let edges = self.graph.count_edges();
        let count = |kind: EdgeKind| i64::try_from(edges[kind as usize]).unwrap();
        // One more of each is of the root.
        let theirs = &figures["edges_by_kind"];
        self.check(
            "creations",
            count(EdgeKind::Creation) - 1,
            &theirs["create"],
        );
        self.check("ends", count(EdgeKind::Synchronisation) - 1, &theirs["end"]);
    }

    fn elapsed_path(&mut self) {
        let path = ElapsedPath::of(&self.tables, &self.graph).unwrap();
        let parts = path.before + path.work + path.delay() + path.after;
        let figures = self.figures;
        self.check("elapsed", parts, &figures["elapsed"]);
        let theirs = &figures["last_finish_path"];
        let stretches = i64::try_from(path.nodes.len()).unwrap();
        self.check("stretches", stretches, &theirs["n_nodes"]);
        self.check("path's work", path.work, &theirs["work"]);
        self.check("path's delay", path.delay(), &theirs["delay"]);
        self.check("path's begin", path.before, &theirs["first_start"]);
        let theirs = &theirs["delay_by_edge_kind"];
        let number = |kind: &str| theirs[kind].as_i64().unwrap();
        let continuation = number("create_cont") + number("wait_cont");
        for (kind, theirs) in [
            (DelayKind::Creation, number("create")),
            (DelayKind::Synchronisation, number("end")),
            (DelayKind::Continuation, continuation),
            (DelayKind::Scheduling, number("other_cont")),
            (DelayKind::Dependence, 0),
        ] {
            self.check(&format!("{kind:?}"), path.delay_by(kind), &theirs.into());
        }
    }
}

#[test]
fn paths_and_edges_are_those_of_the_recorder() {
    let Some(folder) = reference("dag-recorder") else {
        return;
    };
    let figures = figures(&folder);
    let (mut files, mut compared) = (0, 0);
    for (name, figures) in figures.as_object().unwrap() {
        let packed = folder.join(format!("{name}.dag.gz"));
        let plain = folder.join(format!("{name}.dag"));
        let path = if packed.exists() { packed } else { plain };
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
        // Of what is folded only sums are known.
        if figures["n_collapsed"] != 0 {
            continue;
        }
        let mut recording = Recording {
            name,
            figures,
            tables,
            graph,
            compared: 0,
        };
        recording.paths(stated_span(&folder.join(format!("{name}.stat"))));
        recording.elapsed_path();
        compared += recording.compared;
    }
    println!("dag-recorder: {files} files, {compared} values equal");
    assert_eq!(files, 55);
}
