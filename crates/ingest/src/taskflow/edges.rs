//! Dependences by name: from the static graph to the segments of a profile.

use std::collections::HashMap;

use sheaf_model::Report;

use super::graph::{Edge, TaskGraph};
use super::{NAME_LEN, Profile};

/// Edges between segments.
#[derive(Debug, Default)]
pub(super) struct Edges {
    /// Whether a graph was given.
    pub(super) is_known: bool,
    pairs: Vec<(u32, u32)>,
    connected: Vec<usize>,
}

impl Edges {
    /// Predecessor and successor of each.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.pairs.iter().copied()
    }

    /// Whether a segment is at either end of one.
    pub(super) fn is_connected(&self, segment: usize) -> bool {
        self.connected.binary_search(&segment).is_ok()
    }
}

/// What a name stands for.
#[derive(Debug, Clone, Copy)]
enum Known {
    Once(u32),
    Often,
}

/// Finds the segments of each edge. Names must be unique in graph and profile.
pub(super) fn edges(profile: &Profile, graph: Option<&str>, report: &mut Report) -> Edges {
    let Some(graph) = graph.map(TaskGraph::parse) else {
        return Edges::default();
    };
    let mut segments: HashMap<&str, Known> = HashMap::new();
    for (at, segment) in (0..).zip(&profile.segments) {
        if let Some(name) = &segment.name {
            note(&mut segments, name, at);
        }
    }
    let names: Vec<Option<&str>> = graph
        .names
        .iter()
        .map(|name| {
            let name = name.as_deref()?;
            Some(if profile.cuts_names { cut(name) } else { name })
        })
        .collect();
    let mut nodes: HashMap<&str, Known> = HashMap::new();
    for (at, name) in (0..).zip(&names) {
        if let Some(name) = name {
            note(&mut nodes, name, at);
        }
    }
    let mut found = Edges {
        is_known: true,
        ..Edges::default()
    };
    for edge in &graph.edges {
        let place = || {
            let name = |node: usize| names.get(node).copied().flatten().unwrap_or("unnamed");
            Some(format!("{} -> {}", name(edge.from), name(edge.to)))
        };
        let end = |node: usize| -> Result<u32, &str> {
            let name = names.get(node).copied().flatten();
            let name = name.ok_or("skipped_edges_of_unnamed_tasks")?;
            match (nodes.get(name), segments.get(name)) {
                (Some(Known::Once(_)), Some(Known::Once(segment))) => Ok(*segment),
                (_, None) => Err("skipped_edges_of_unknown_tasks"),
                _ => Err("skipped_edges_of_repeated_names"),
            }
        };
        match end(edge.from).and_then(|from| Ok((from, end(edge.to)?))) {
            Ok(pair) if is_taken(profile, edge, pair) => found.pairs.push(pair),
            Ok(_) => report.add("skipped_edges_not_taken", 1, place),
            Err(kind) => report.add(kind, 1, place),
        }
    }
    found.pairs.sort_unstable();
    found.pairs.dedup();
    report.add("read_dependences", found.pairs.len() as u64, || None);
    let ends = found.pairs.iter().flat_map(|&(from, to)| [from, to]);
    found.connected = ends.map(|end| end as usize).collect();
    found.connected.sort_unstable();
    found
}

fn note<'a>(known: &mut HashMap<&'a str, Known>, name: &'a str, at: u32) {
    known
        .entry(name)
        .and_modify(|known| *known = Known::Often)
        .or_insert(Known::Once(at));
}

/// Whether an edge can have ordered its ends: one that a condition chooses only if what it leads
/// to began after it.
fn is_taken(profile: &Profile, edge: &Edge, (from, to): (u32, u32)) -> bool {
    let segment = |at: u32| profile.segments.get(at as usize);
    from != to
        && (!edge.is_conditional
            || segment(from)
                .zip(segment(to))
                .is_some_and(|(from, to)| from.end <= to.begin))
}

/// A name as the binary form keeps it.
fn cut(name: &str) -> &str {
    let mut end = name.len().min(NAME_LEN);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name.get(..end).unwrap_or(name)
}
