//! Union of definitions, and one set of attributes for each where runs disagree.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use arrow::array::{Array, FixedSizeBinaryArray, Int32Array, StringArray};
use sheaf_model::table::Definitions;
use sheaf_model::{DefinitionId, RunSummary};

use super::lines::all_lines;

/// Lookup only: its order is never used.
pub(crate) type Lookup<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// A construct in the source, unified over runs.
///
/// Runs can disagree about all but the id (a line moves from version to version): the attributes
/// are those that most runs agree on as a whole, and the smallest of these when several do. A name in which
/// nothing but a line differs has the lines of all, `sort:100|107 (task)`; the name in every run is in `names`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Stable identity.
    pub id: DefinitionId,
    /// What it is: `task`, `loop`, `function`, ….
    pub kind: Arc<str>,
    /// Name for people.
    pub name: Arc<str>,
    /// The names that runs have for it, in order.
    pub names: Vec<Arc<str>>,
    /// Function that contains it.
    pub function: Option<Arc<str>>,
    /// Source file.
    pub file: Option<Arc<str>>,
    /// Line, from 1.
    pub line: Option<i32>,
    /// Library or executable.
    pub module: Option<Arc<str>>,
    /// Place among the constructs of this kind in the function, from 0.
    pub ordinal: i32,
}

impl Definition {
    /// Whether it is called so, by all runs together or by some.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        *self.name == *name || self.names.iter().any(|other| **other == *name)
    }

    /// `file:line`, or the file alone.
    pub fn source(&self) -> Option<String> {
        let file = self.file.as_ref()?;
        Some(match self.line {
            Some(line) => format!("{file}:{line}"),
            None => file.to_string(),
        })
    }
}

/// Definitions in order of kind, name and id, and where each id is among them.
pub(super) struct Union {
    pub(super) definitions: Vec<Definition>,
    pub(super) index: Lookup<DefinitionId, u32>,
}

/// Attributes of a definition in one run, in the order by which ties are broken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate<'a> {
    id: DefinitionId,
    kind: &'a str,
    name: &'a str,
    function: Option<&'a str>,
    file: Option<&'a str>,
    line: Option<i32>,
    module: Option<&'a str>,
    ordinal: i32,
}

pub(super) fn union(runs: &[Arc<RunSummary>]) -> Union {
    let mut candidates = Vec::new();
    for (table, weight) in distinct(runs) {
        candidates.extend((0..table.len()).map(|row| (candidate(table, row), weight)));
    }
    candidates.sort_unstable();
    let mut definitions: Vec<Definition> = candidates
        .chunk_by(|a, b| a.0.id == b.0.id)
        .filter_map(elect)
        .collect();
    definitions.sort_by(|a, b| (&a.kind, &a.name, a.id).cmp(&(&b.kind, &b.name, b.id)));
    let index = (0..)
        .zip(&definitions)
        .map(|(at, definition)| (definition.id, at))
        .collect();
    Union { definitions, index }
}

/// Distinct tables with the number of runs that have each.
fn distinct(runs: &[Arc<RunSummary>]) -> Vec<(&Definitions, usize)> {
    let mut tables: Vec<(&Definitions, usize)> = Vec::new();
    let mut by_digest: Lookup<u64, Vec<usize>> = Lookup::default();
    for run in runs {
        let table = &run.definitions;
        let alike = by_digest.entry(digest(table.id.value_data())).or_default();
        if let Some(&at) = alike.iter().find(|&&at| is_same(tables[at].0, table)) {
            tables[at].1 += 1;
        } else {
            alike.push(tables.len());
            tables.push((table, 1));
        }
    }
    tables
}

/// A cheap digest of ids, by which tables are looked up before they are compared. The ids are
/// hashes already, so eight bytes at a time need little mixing.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mix = |digest: u64, word: u64| {
        (digest ^ word)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(29)
    };
    let digest = words.iter().fold(bytes.len() as u64, |digest, word| {
        mix(digest, u64::from_le_bytes(*word))
    });
    rest.iter()
        .fold(digest, |digest, &byte| mix(digest, u64::from(byte)))
}

fn is_same(a: &Definitions, b: &Definitions) -> bool {
    a.id == b.id
        && a.kind == b.kind
        && a.name == b.name
        && a.function == b.function
        && a.file == b.file
        && a.line == b.line
        && a.module == b.module
        && a.ordinal == b.ordinal
}

fn candidate(table: &Definitions, row: usize) -> Candidate<'_> {
    Candidate {
        id: DefinitionId(id_at(&table.id, row)),
        kind: table.kind.value(row),
        name: table.name.value(row),
        function: text_at(&table.function, row),
        file: text_at(&table.file, row),
        line: integer_at(&table.line, row),
        module: text_at(&table.module, row),
        ordinal: table.ordinal.value(row),
    }
}

/// The heaviest of several candidates for one id, which are sorted; the first of equals.
fn elect(candidates: &[(Candidate<'_>, usize)]) -> Option<Definition> {
    let mut best: Option<(usize, Candidate<'_>)> = None;
    for same in candidates.chunk_by(|a, b| a.0 == b.0) {
        let weight = same.iter().map(|(_, weight)| weight).sum();
        if best.is_none_or(|(most, _)| weight > most) {
            best = same.first().map(|(candidate, _)| (weight, *candidate));
        }
    }
    let mut names: Vec<&str> = candidates.iter().map(|(one, _)| one.name).collect();
    names.sort_unstable();
    names.dedup();
    best.map(|(_, elected)| Definition {
        id: elected.id,
        kind: elected.kind.into(),
        name: all_lines(&names).map_or_else(|| elected.name.into(), Arc::from),
        names: names.iter().map(|name| Arc::from(*name)).collect(),
        function: elected.function.map(Arc::from),
        file: elected.file.map(Arc::from),
        line: elected.line,
        module: elected.module.map(Arc::from),
        ordinal: elected.ordinal,
    })
}

pub(super) fn id_at(array: &FixedSizeBinaryArray, row: usize) -> [u8; 16] {
    array.value(row).try_into().unwrap_or_default()
}

fn text_at(array: &StringArray, row: usize) -> Option<&str> {
    array.is_valid(row).then(|| array.value(row))
}

fn integer_at(array: &Int32Array, row: usize) -> Option<i32> {
    array.is_valid(row).then(|| array.value(row))
}
