//! Grain graphs in GraphML: reduced and unreduced ones as igraph writes them for the grain-graphs
//! prototype, and nested groups as ggraph writes them.
//!
//! Attributes of tasks are columns of a task-stats table; parents and joins come from the edges.

mod about;
mod document;
mod graph;
mod ids;
mod keys;
mod reduced;
mod structure;
#[cfg(test)]
mod tests;
mod unreduced;

use sheaf_model::Report;

use self::graph::{Graph, Kind};
use self::structure::Structure;
use crate::mir::{self, NONE, Table};
use crate::program_name::named_after;
use crate::reader::{Context, Read, Reader, Reads};
use crate::{Error, Format, Input};

/// Grain graphs.
pub(crate) const READER: Reader = Reader {
    format: Format::GraphMl,
    recognises,
    reads: Reads::File(read_file),
};

/// The warning about numbers in nested graphs.
const LOSSY: &str = "numbers have six digits at most, and zeros are taken for absent: the graph \
                     was written by ggraph; read the graph that it was made from instead";

/// Whether a text is XML whose first element is `graphml`, with or without a prefix.
fn recognises(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    if !start.trim_ascii_start().starts_with(b"<") {
        return false;
    }
    memchr::memmem::find_iter(start, b"graphml").any(|at| {
        let before = at.checked_sub(1).and_then(|before| start.get(before));
        let after = start.get(at + b"graphml".len());
        // Not the system of a document type, which ends in `graphml.dtd`.
        matches!(before, Some(b'<' | b':')) && after.is_none_or(|end| b"> \t\r\n".contains(end))
    })
}

fn read_file(input: &Input<'_>, context: Context<'_>) -> Result<Vec<Read>, Error> {
    let mut report = Report::default();
    let graph = document::read(input.open(context.progress)?, &mut report)?;
    count(&graph, &mut report);
    let mut meta = named_after(input.file_name(), Format::GraphMl);
    if graph.has_groups {
        meta.warnings.push(LOSSY.to_owned());
    }
    meta.workers = graph.about.workers();
    let is_incomplete = graph.about.is_incomplete();
    let (mut table, structure) = if graph.count(Kind::Fragment) > 0 {
        let tasks = unreduced::tasks(&graph, &mut report)?;
        (tasks.table, tasks.structure)
    } else {
        let structure = reduced::structure(&graph)?;
        (graph.table, structure)
    };
    context.progress.check()?;
    if table.is_empty() {
        return Err(Error::Empty {
            format: Format::GraphMl,
        });
    }
    report.add("read_tasks", table.len() as u64, || None);
    apply(&mut table, &structure, &mut report);
    table.is_cut = is_incomplete;
    let source = mir::Source {
        table: &table,
        displaced: &[],
        order: &structure.order,
        format: Format::GraphMl,
    };
    let tables = mir::tables(&source, meta, input.hints, &mut report)?;
    Ok(vec![(tables, report)])
}

fn count(graph: &Graph, report: &mut Report) {
    let groups = graph.count(Kind::Group);
    report.add("read_nodes", graph.kinds.len() as u64 - groups, || None);
    report.add("read_edges", graph.edges.len() as u64, || None);
    for (name, kind) in [
        ("read_forks", Kind::Fork),
        ("read_joins", Kind::Join),
        ("read_fragments", Kind::Fragment),
        ("read_groups", Kind::Group),
    ] {
        report.add(name, graph.count(kind), || None);
    }
}

/// Gives tasks the places that the edges state, and counts where attributes state otherwise.
fn apply(table: &mut Table, structure: &Structure, report: &mut Report) {
    table.parent_rows.clone_from(&structure.parents);
    let joined = std::mem::take(&mut table.join_instant);
    report.add("read_empty_branches", structure.empty_branches, || None);
    for (row, join) in structure.joins.iter().enumerate() {
        let parent = match table.parent_row(row) {
            Some(parent) => table.task.get(parent),
            None => Some(0),
        };
        let place = || Some(mir::place(table, row));
        let given = table.parent.get(row);
        if given.is_some() && given != parent {
            report.add("read_differing_parent", 1, place);
        }
        let given = table.joins_at.get(row);
        if given.is_some() && given != *join {
            report.add("read_differing_joins_at", 1, place);
        }
    }
    table.joins_at = structure.joins.iter().copied().collect();
    mir::fill_in_instants(table, report);
    let instants = (0..table.len()).map(|row| table.join_instant.get(row).or(joined.get(row)));
    table.join_instant = instants.collect();
    mir::fill_in_work(table, report);
    table.measured.retain(|(_, numbers)| !numbers.is_absent());
    debug_assert!(
        table
            .parent_rows
            .iter()
            .all(|&row| row == NONE || (row as usize) < table.len())
    );
}
