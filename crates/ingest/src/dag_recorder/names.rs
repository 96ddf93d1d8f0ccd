//! What tasks and the program are called.
//!
//! A recording names a task by the line that creates it. Lines move when code above them moves,
//! so a task is known by its file and its distance from the file's first creating line in the
//! order of the program. Places among the lines that a run executed would not do: another input,
//! or a subgraph that the recorder folded, leaves lines out, and others would take their places.

use std::collections::BTreeSet;

use super::dag::{Dag, NodeIdx, NodeKind};

/// Name and identity of what one line creates.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TaskName {
    /// For people: `fib.c:42 (task)`.
    pub(super) name: String,
    /// Across runs: `fib.c+3`.
    pub(super) identity: String,
    /// Number of the source file in the recording.
    pub(super) file: Option<usize>,
    pub(super) line: Option<i32>,
}

/// Names of what is created.
pub(super) struct Names {
    /// Name of each source file: without folders, unless two are then the same.
    files: Vec<String>,
    /// First creating line of each source file.
    anchors: Vec<Option<Anchor>>,
    /// The file that creates first.
    first: Option<usize>,
}

/// The first creating line of a file.
#[derive(Debug, Clone, Copy)]
struct Anchor {
    line: i32,
    /// Whether no folded subgraph before it may hide an earlier one.
    is_sure: bool,
}

impl Names {
    pub(super) fn of(dag: &Dag) -> Self {
        let mut names = Self {
            files: file_names(&dag.strings),
            anchors: vec![None; dag.strings.len()],
            first: None,
        };
        names.find_anchors(dag);
        names
    }

    /// Walks in the order of the program until every creating file was met.
    fn find_anchors(&mut self, dag: &Dag) {
        let mut wanted = creating_files(dag);
        let mut is_sure = true;
        let mut stack: Vec<NodeIdx> = vec![0];
        while let Some(at) = stack.pop()
            && !wanted.is_empty()
        {
            let Some(node) = dag.nodes.get(at) else {
                continue;
            };
            is_sure &= !node.is_collapsed();
            if node.kind == NodeKind::Create
                && let Some((file, Some(line))) = dag.source(node.position)
                && wanted.remove(&file)
            {
                self.first = self.first.or(Some(file));
                if let Some(anchor) = self.anchors.get_mut(file) {
                    *anchor = Some(Anchor { line, is_sure });
                }
            }
            stack.extend(dag.children(at).rev());
            stack.extend(dag.created(at));
        }
    }

    /// The program: the file that creates first, without its ending; else where the root begins.
    pub(super) fn program(&self, dag: &Dag) -> Option<String> {
        let root = dag.nodes.first().and_then(|root| dag.source(root.position));
        let file = self.first.or(root.map(|(file, _)| file))?;
        let name = without_folders(dag.strings.get(file)?);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let name = if stem.is_empty() { name } else { stem };
        (!name.is_empty()).then(|| name.to_owned())
    }

    /// What a position creates.
    pub(super) fn task(&self, dag: &Dag, position: u32) -> TaskName {
        let (file, line) = dag.source(position).unzip();
        let line = line.flatten();
        let known = file.and_then(|file| Some((self.files.get(file)?, self.anchors.get(file)?)));
        let (name, identity) = match (known, line) {
            (Some((name, Some(anchor))), Some(line)) if anchor.is_sure => {
                let distance = i64::from(line) - i64::from(anchor.line);
                (format!("{name}:{line}"), format!("{name}{distance:+}"))
            }
            (Some((name, _)), Some(line)) => (format!("{name}:{line}"), format!("{name}:{line}?")),
            (Some((name, _)), None) => (name.clone(), format!("{name}:?")),
            (None, _) => ("?".to_owned(), "?".to_owned()),
        };
        TaskName {
            name: format!("{name} (task)"),
            identity,
            file,
            line,
        }
    }

    /// Files whose first creating line may be hidden.
    pub(super) fn unsure(&self) -> impl Iterator<Item = &str> {
        let files = self.files.iter().zip(&self.anchors);
        let unsure = files.filter(|(_, anchor)| anchor.is_some_and(|anchor| !anchor.is_sure));
        unsure.map(|(name, _)| name.as_str())
    }
}

/// Source files that create tasks.
fn creating_files(dag: &Dag) -> BTreeSet<usize> {
    let mut is_creating = vec![false; dag.positions.len()];
    for node in &dag.nodes {
        if node.kind == NodeKind::Create
            && node.is_used
            && let Some(is_creating) = is_creating.get_mut(node.position as usize)
        {
            *is_creating = true;
        }
    }
    let creating = (0..)
        .zip(is_creating)
        .filter(|(_, is_creating)| *is_creating);
    let sources = creating.filter_map(|(position, _)| dag.source(position));
    sources
        .filter_map(|(file, line)| line.map(|_| file))
        .collect()
}

fn without_folders(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

fn file_names(strings: &[String]) -> Vec<String> {
    let mut sorted: Vec<&str> = strings.iter().map(|file| without_folders(file)).collect();
    sorted.sort_unstable();
    let is_repeated = |name: &str| {
        let at = sorted.partition_point(|other| *other < name);
        sorted.get(at + 1) == Some(&name)
    };
    let name = |file: &String| {
        let short = without_folders(file);
        if is_repeated(short) {
            file.clone()
        } else {
            short.to_owned()
        }
    };
    strings.iter().map(name).collect()
}
