//! Recordings of DAG Recorder against the recorder's own statistics and an independent program's
//! figures.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use sheaf_grains::grain_graph::{
    DelayKind, EdgeKind, ElapsedPath, GrainGraph, GrainGroup, Paths, Structure,
};
use sheaf_ingest::Input;
use sheaf_model::{Progress, RunTables};

use crate::written::text;
use crate::{reference, run};

/// Figures of all recordings, by folder and file without endings.
fn figures(folder: &Path) -> Value {
    let all: Value = serde_json::from_str(&text(&folder.join("reference.json.gz"))).unwrap();
    all["files"].clone()
}

/// Work and span of every task's subgraph by its begin, as the recorder wrote them (format, section 3).
fn subgraphs(bytes: &[u8]) -> Vec<(i64, [i64; 2])> {
    const HEADER: usize = 77;
    const NODE: usize = 432;
    const TASK: u32 = 5;
    let number = |at: usize| i64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let nodes = usize::try_from(number(45)).unwrap();
    (0..nodes)
        .map(|node| HEADER + NODE * node)
        .filter(|at| u32::from_le_bytes(bytes[at + 328..at + 332].try_into().unwrap()) == TASK)
        .map(|at| (number(at), [number(at + 152), number(at + 160)]))
        .collect()
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

    /// Paths local to tasks with all below them; of large recordings, to some of the tasks.
    fn local_paths(&mut self, structure: &Structure, bytes: &[u8]) {
        let subgraphs = subgraphs(bytes);
        let starts = self.tables.grains.start.clone();
        let mut grains: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
        for (grain, start) in (0..).zip(starts.iter()) {
            grains.entry(start.unwrap()).or_default().push(grain);
        }
        assert_eq!(subgraphs.len(), starts.len(), "{}", self.name);
        for (start, theirs) in subgraphs.iter().step_by(1 + subgraphs.len() / 40) {
            // Two tasks that begin at one tick are not distinguished.
            let [grain] = grains[start][..] else { continue };
            let group = GrainGroup::subtree(structure, grain);
            let paths = Paths::local(&self.graph, &group).unwrap();
            self.check("local work", paths.work(), &theirs[0].into());
            self.check("local span", paths.span(), &theirs[1].into());
        }
    }

    fn elapsed_path(&mut self) {
        let path = ElapsedPath::of(&self.tables, &self.graph).unwrap();
        let parts = path.before + path.work + path.delay() + path.after;
        let figures = self.figures;
        self.check("elapsed", parts, &figures["elapsed"]);
        let theirs = &figures["last_finish_path"];
        let stretches = i64::try_from(path.rows.len()).unwrap();
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
        let bytes = std::fs::read(&path).unwrap();
        let file = path.display().to_string();
        let bytes = Input::new(&file, &bytes);
        let bytes = bytes.bytes(&Progress::silent()).unwrap();
        recording.local_paths(&structure, &bytes);
        compared += recording.compared;
    }
    println!("dag-recorder: {files} files, {compared} values equal");
    assert_eq!(files, 55);
}
