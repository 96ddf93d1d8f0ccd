//! Graphs that igraph wrote, a datum or an edge per line.

use std::collections::BTreeMap;
use std::path::Path;

use sheaf_ingest::Input;
use sheaf_model::{Progress, RunTables};

/// Attributes by name, without the prefix that tells nodes from edges.
type Data = BTreeMap<String, String>;

pub(crate) struct WrittenEdge {
    pub(crate) source: usize,
    pub(crate) target: usize,
    pub(crate) data: Data,
}

/// Nodes and edges with their attributes.
pub(crate) struct Written {
    pub(crate) nodes: Vec<Data>,
    pub(crate) edges: Vec<WrittenEdge>,
}

impl Written {
    pub(crate) fn read(text: &str) -> Self {
        let between = |line: &str, from: &str, to: &str| -> Option<String> {
            let rest = line.split_once(from)?.1;
            Some(rest.split_once(to)?.0.to_owned())
        };
        let mut written = Self {
            nodes: Vec::new(),
            edges: Vec::new(),
        };
        for line in text.lines() {
            if line.contains("<node id=") {
                written.nodes.push(Data::new());
            } else if let Some(source) = between(line, "source=\"n", "\"") {
                let target = between(line, "target=\"n", "\"").unwrap();
                written.edges.push(WrittenEdge {
                    source: source.parse().unwrap(),
                    target: target.parse().unwrap(),
                    data: Data::new(),
                });
            } else if let Some(key) = between(line, "<data key=\"", "\"") {
                let value = between(line, ">", "</data>").unwrap();
                let of_edge = key.strip_prefix("e_").map(str::to_owned);
                if let (Some(key), Some(edge)) = (of_edge, written.edges.last_mut()) {
                    edge.data.insert(key, value);
                } else if let (Some(key), Some(node)) =
                    (key.strip_prefix("v_"), written.nodes.last_mut())
                {
                    node.insert(key.to_owned(), value);
                }
            }
        }
        written
    }
}

/// The text of a file, packed or not.
pub(crate) fn text(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap();
    let name = path.display().to_string();
    let text = Input::new(&name, &bytes)
        .bytes(&Progress::silent())
        .unwrap();
    String::from_utf8(text.to_vec()).unwrap()
}

/// Numbers of tasks by grain.
pub(crate) fn tasks(run: &RunTables) -> Vec<i64> {
    let metrics = &run.summary.metrics;
    let metric = (0..metrics.len()).find(|&row| metrics.name.value(row) == "task");
    let metric = i32::try_from(metric.unwrap()).unwrap();
    let rows = run.counters.rows().filter(|row| row.metric == metric);
    rows.map(|row| row.value.unwrap()).collect()
}
