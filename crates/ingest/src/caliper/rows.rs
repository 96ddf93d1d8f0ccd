//! Rows of a json-split file become values of a profile.

use std::collections::BTreeMap;

use sheaf_model::{Report, RunMeta};

use super::groups::file_name;
use super::metric::{Described, spec};
use super::split::SplitNode;
use super::split_header::{self, Cell, Header, RowSink};
use super::tree::MetricNames;
use super::{NO_PATH, OUTSIDE};
use crate::Error;
use crate::measure::Value;
use crate::profile::{DefinitionIdx, Frame, LocationIdx, MetricIdx, NodeIdx, Profile};
use crate::reader::Read;

/// Columns with call paths, best first, and the kind of their frames.
const PATHS: [(&str, &str); 2] = [
    ("source.function#callpath.address", "function"),
    ("path", "region"),
];

/// What a column is to a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Path,
    Rank,
    Thread,
    Module,
    /// `file:line` of a sample.
    Place,
    Metric(MetricIdx),
    Other,
}

/// Where in rows the columns are of which there is one.
#[derive(Debug, Clone, Copy)]
struct Places {
    path: Option<usize>,
    rank: Option<usize>,
    thread: Option<usize>,
    module: Option<usize>,
    place: Option<usize>,
}

/// A profile while rows come.
pub(super) struct Rows {
    profile: Profile,
    report: Report,
    columns: Vec<Column>,
    at: Places,
    kind: &'static str,
    /// By index of the node; absent for nodes of other columns.
    nodes: Vec<Option<(NodeIdx, DefinitionIdx)>>,
    row: Vec<Cell>,
    num_read: u64,
    num_values: u64,
    recent: Option<((i32, i32), LocationIdx)>,
    /// Indices of module and place nodes by definition, the smallest label first.
    modules: BTreeMap<DefinitionIdx, usize>,
    places: BTreeMap<DefinitionIdx, usize>,
    labels: Labels,
}

/// Order of labels, by index of the node.
struct Labels(Vec<u32>);

impl Labels {
    fn new(nodes: &[SplitNode<'_>]) -> Self {
        let mut sorted: Vec<usize> = (0..nodes.len()).collect();
        // Labels without a place state less, and come last.
        let key = |at: usize| {
            let label = label_of(nodes, at);
            (place(label).is_none(), place(label), label)
        };
        sorted.sort_by(|&a, &b| key(a).cmp(&key(b)));
        let mut ranks = vec![0; nodes.len()];
        for (rank, at) in (0..).zip(sorted) {
            if let Some(slot) = ranks.get_mut(at) {
                *slot = rank;
            }
        }
        Self(ranks)
    }

    /// Keeps the lesser of two.
    fn keep(&self, map: &mut BTreeMap<DefinitionIdx, usize>, key: DefinitionIdx, at: usize) {
        let kept = map.entry(key).or_insert(at);
        if self.0.get(at) < self.0.get(*kept) {
            *kept = at;
        }
    }
}

fn label_of<'a>(nodes: &'a [SplitNode<'_>], at: usize) -> &'a str {
    nodes.get(at).map_or("", |node| &*node.label)
}

/// File and line in `file:line`.
fn place(label: &str) -> Option<(&str, i32)> {
    let (file, line) = label.rsplit_once(':')?;
    let line: i32 = line.parse().ok()?;
    (line > 0 && !file.is_empty()).then_some((file, line))
}

impl Rows {
    pub(super) fn new(meta: RunMeta, header: &Header<'_>, mut report: Report) -> Self {
        let mut profile = Profile::new(meta);
        let has = |name: &str| header.columns.iter().any(|column| column == name);
        let path = PATHS.iter().find(|(name, _)| has(name)).copied();
        let (path, kind) = path.unwrap_or(("", "region"));
        let missing = header.columns.len().abs_diff(header.metadata.len());
        report.add(
            "repaired_columns",
            u64::try_from(missing).unwrap_or(0),
            || None,
        );
        let mut names = MetricNames::default();
        let columns: Vec<Column> = (0..header.columns.len())
            .map(|at| column(&mut profile, header, at, path, &mut names))
            .collect();
        let nodes = nodes(&mut profile, &mut report, header, path, kind);
        let of = |wanted| columns.iter().position(|column| *column == wanted);
        let places = Places {
            path: of(Column::Path),
            rank: of(Column::Rank),
            thread: of(Column::Thread),
            module: of(Column::Module),
            place: of(Column::Place),
        };
        Self {
            profile,
            report,
            columns,
            at: places,
            kind,
            nodes,
            row: Vec::new(),
            num_read: 0,
            num_values: 0,
            recent: None,
            modules: BTreeMap::new(),
            places: BTreeMap::new(),
            labels: Labels::new(&header.nodes),
        }
    }

    pub(super) fn read(&mut self, text: &str) -> Result<(), serde_json::Error> {
        split_header::read_rows(text, self)
    }

    /// The run; nothing when no row has a value.
    pub(super) fn finish(mut self, header: &Header<'_>) -> Result<Option<Read>, Error> {
        let label = |at: Option<&usize>| {
            let node = at.and_then(|&at| header.nodes.get(at));
            node.map(|node| &*node.label)
        };
        for (node, found) in header.nodes.iter().zip(&self.nodes) {
            let Some((_, definition)) = found else {
                continue;
            };
            let place = label(self.places.get(definition)).and_then(place);
            let module = label(self.modules.get(definition)).map(file_name);
            if place.is_some() || module.is_some() {
                self.profile.definition(Frame {
                    kind: self.kind,
                    name: &node.label,
                    identity: None,
                    file: place.map(|(file, _)| file),
                    line: place.map(|(_, line)| line),
                    module: module.filter(|module| !module.is_empty()),
                });
            }
        }
        let num_used = self.num_values - self.profile.num_left_out();
        if num_used == 0 {
            return Ok(None);
        }
        let mut report = Report::default();
        report.add("read_rows", self.num_read, || None);
        report.add("read_values", num_used, || None);
        report.merge(&self.report);
        let lost = ["skipped_rows_of_unknown_nodes", "skipped_uneven_rows"];
        if lost.into_iter().any(|kind| report.count(kind) > 0) {
            self.profile.meta().is_complete = false;
        }
        let tables = self.profile.finish(&mut report)?;
        Ok(Some((tables, report)))
    }

    fn tell(&mut self, kind: &str) {
        let row = self.num_read;
        self.report.add(kind, 1, || Some(format!("row {row}")));
    }

    fn number(&self, at: Option<usize>) -> Option<i64> {
        match self.row.get(at?)? {
            Cell::Integer(number) => Some(*number),
            _ => None,
        }
    }

    fn index(&self, at: Option<usize>) -> Option<usize> {
        self.number(at)
            .and_then(|index| usize::try_from(index).ok())
    }

    /// The node of the row; that for everything outside of regions where the path is null.
    fn node(&mut self) -> Option<NodeIdx> {
        let cell = (self.at.path).and_then(|at| self.row.get(at).copied());
        match cell {
            Some(Cell::Null) | None => {
                self.tell("read_rows_outside_regions");
                let definition = self.profile.definition(Frame {
                    kind: OUTSIDE,
                    name: NO_PATH,
                    ..Frame::default()
                });
                Some(self.profile.node(None, definition))
            }
            Some(Cell::Integer(index)) => {
                let index = usize::try_from(index).ok()?;
                let (node, definition) = (*self.nodes.get(index)?)?;
                if let Some(module) = self.index(self.at.module) {
                    self.labels.keep(&mut self.modules, definition, module);
                }
                if let Some(place) = self.index(self.at.place) {
                    self.labels.keep(&mut self.places, definition, place);
                }
                Some(node)
            }
            Some(Cell::Float(_) | Cell::Other) => None,
        }
    }

    fn location(&mut self) -> Option<LocationIdx> {
        let number = |number: Option<i64>| i32::try_from(number.unwrap_or(0)).ok();
        let rank = number(self.number(self.at.rank)).filter(|&rank| rank >= 0)?;
        let thread = number(self.number(self.at.thread)).filter(|&thread| thread >= 0)?;
        if let Some((recent, location)) = self.recent
            && recent == (rank, thread)
        {
            return Some(location);
        }
        let location = self.profile.location(rank, thread);
        self.recent = Some(((rank, thread), location));
        Some(location)
    }
}

impl RowSink for Rows {
    fn cell(&mut self, cell: Cell) {
        // Cells beyond the columns are counted at the end of the row.
        if self.row.len() <= self.columns.len() {
            self.row.push(cell);
        }
    }

    fn end(&mut self) {
        self.num_read += 1;
        if self.row.len() != self.columns.len() {
            self.tell("skipped_uneven_rows");
            self.row.clear();
            return;
        }
        let Some(node) = self.node() else {
            self.tell("skipped_rows_of_unknown_nodes");
            self.row.clear();
            return;
        };
        let Some(location) = self.location() else {
            self.tell("skipped_rows_of_impossible_ranks");
            self.row.clear();
            return;
        };
        for at in 0..self.columns.len() {
            let (Some(&Column::Metric(metric)), Some(&cell)) =
                (self.columns.get(at), self.row.get(at))
            else {
                continue;
            };
            let value = match cell {
                Cell::Integer(value) => Value::Integer(value),
                Cell::Float(value) => Value::Float(value),
                // Absent.
                Cell::Null => continue,
                Cell::Other => {
                    self.tell("skipped_values");
                    continue;
                }
            };
            self.profile.add(node, metric, location, value);
            self.num_values += 1;
        }
        self.row.clear();
    }
}

fn column(
    profile: &mut Profile,
    header: &Header<'_>,
    at: usize,
    path: &str,
    names: &mut MetricNames,
) -> Column {
    let name = header.columns.get(at).map_or("", |name| &**name);
    let metadata = header.metadata.get(at);
    let is_value = metadata.is_some_and(|metadata| metadata.is_value);
    match (name, is_value) {
        (name, false) if name == path && !path.is_empty() => Column::Path,
        ("mpi.rank", true) => Column::Rank,
        ("omp.thread.id" | "thread.id", true) => Column::Thread,
        ("module#cali.sampler.pc", false) => Column::Module,
        ("sourceloc#cali.sampler.pc", false) => Column::Place,
        (_, false) => Column::Other,
        (name, true) => {
            let alias = metadata.and_then(|metadata| metadata.alias.as_deref());
            let unit = metadata.and_then(|metadata| metadata.unit.as_deref());
            let mut spec = spec(&Described {
                name,
                alias,
                unit,
                // Until a value states otherwise.
                is_integer: true,
                is_additive: is_total(name, unit),
            });
            names.make_unique(&mut spec.name, name);
            let metric = profile.metric(spec);
            if let Some(alias) = alias {
                profile.label(metric, alias);
            }
            Column::Metric(metric)
        }
    }
}

/// Whether a column whose name states no operation holds sums: labels state so in words.
fn is_total(name: &str, unit: Option<&str>) -> bool {
    let lower = name.to_lowercase();
    let is_other = ["min", "max", "avg", "mean", "node order"]
        .iter()
        .any(|word| lower.starts_with(word));
    let is_known = ["time", "total", "count", "calls", "visits"]
        .iter()
        .any(|word| lower.starts_with(word));
    !is_other && (is_known || unit.is_some())
}

/// The nodes of the path column; those without values are part of the tree too.
fn nodes(
    profile: &mut Profile,
    report: &mut Report,
    header: &Header<'_>,
    path: &str,
    kind: &'static str,
) -> Vec<Option<(NodeIdx, DefinitionIdx)>> {
    // Older files do not state which column a node is of.
    let is_said = header.nodes.iter().any(|node| node.column.is_some());
    let mut nodes: Vec<Option<(NodeIdx, DefinitionIdx)>> = Vec::with_capacity(header.nodes.len());
    for (at, node) in header.nodes.iter().enumerate() {
        if is_said && node.column.as_deref() != Some(path) {
            nodes.push(None);
            continue;
        }
        let parent = match node.parent {
            None => None,
            Some(parent) => nodes.get(parent as usize).copied().flatten(),
        };
        if parent.is_none() && node.parent.is_some() {
            let first = || Some(format!("node {at}"));
            report.add("skipped_nodes_of_unknown_parents", 1, first);
            nodes.push(None);
            continue;
        }
        let parent = parent.map(|(parent, _)| parent);
        let definition = profile.definition(Frame {
            kind,
            name: &node.label,
            ..Frame::default()
        });
        nodes.push(Some((profile.node(parent, definition), definition)));
    }
    nodes
}
