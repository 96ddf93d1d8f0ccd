//! Hatchet's literals, as JSON or as Python prints them, and its dumps of graph frames in JSON.

mod dump;
mod literal;
mod nodes;
#[cfg(test)]
mod tests;

use sheaf_model::Report;

use crate::json_start::JsonStart;
use crate::json_tree::JsonTree;
use crate::profile::Profile;
use crate::program_name::named_after;
use crate::reader::{Context, Read, Reader, Reads};
use crate::{Error, Format, Input};
use nodes::Nodes;

/// Hatchet literals and graph frames.
pub(crate) const READER: Reader = Reader {
    format: Format::Hatchet,
    recognises,
    reads: Reads::File(read_hatchet),
};

fn recognises(start: &[u8]) -> bool {
    let Some(json) = JsonStart::of(start) else {
        return false;
    };
    if json.has("frame") && json.has("metrics") {
        return true;
    }
    if json.has("graph") && (json.has("dataframe") || json.has("dataframe_indices")) {
        return !json.is_array;
    }
    // Python prints texts in single quotes.
    let has = |key: &[u8]| memchr::memmem::find(start, key).is_some();
    has(b"'frame':") && has(b"'metrics':")
}

fn read_hatchet(input: &Input<'_>, context: Context<'_>) -> Result<Vec<Read>, Error> {
    let bytes = input.whole(Format::Hatchet, context.progress)?;
    let tree = JsonTree::parse(&bytes, Format::Hatchet, context.progress)?;
    let mut report = Report::default();
    report.add("repaired_texts", tree.num_repaired_texts, || None);
    let root = tree.root();
    if let Some(graph) = root.get("graph") {
        return dump::read(root, graph, input, report, context.progress);
    }
    let mut nodes = nodes_of(input);
    literal::read(root, &mut nodes, &mut report, context.progress)?;
    finish(nodes, report).map(|read| vec![read])
}

/// A profile of which nothing is known but the name of its file.
fn nodes_of(input: &Input<'_>) -> Nodes {
    let meta = named_after(input.file_name(), Format::Hatchet);
    Nodes::new(Profile::new(meta))
}

/// A run from its nodes.
fn finish(mut nodes: Nodes, mut report: Report) -> Result<Read, Error> {
    if nodes.count == 0 {
        return Err(Error::Empty {
            format: Format::Hatchet,
        });
    }
    report.add("read_nodes", nodes.count, || None);
    let inclusive = nodes.profile.find_inclusive();
    if let Some(first) = inclusive.first() {
        let count = inclusive.len() as u64;
        report.add("repaired_kinds_of_metrics", count, || {
            Some(format!("metric {first}"))
        });
        let names: Vec<String> = inclusive.iter().map(|name| format!("`{name}`")).collect();
        nodes.profile.meta().warnings.push(format!(
            "listed as exclusive, but the value of every node holds those of the nodes below it, so read as inclusive: {}",
            names.join(", ")
        ));
    }
    let tables = nodes.profile.finish(&mut report)?;
    Ok((tables, report))
}
