//! Ensembles of Thicket: the rows of many profiles over one graph, with a table of metadata of each.

use std::collections::{BTreeMap, HashMap};

use sheaf_model::{ParamValue, Progress, Report};

use super::graph::Graph;
use super::{Columns, PLACES, node_of, rows};
use crate::json_tree::{Item, Value};
use crate::reader::Read;
use crate::{Error, Format, Input, globals, limits};

/// Most runs of one file.
const MAX_RUNS: usize = 50_000;

/// Columns that identify the profile of a row: indices of the table that do not name a place in a run.
pub(super) fn keys<'t>(root: Item<'t, '_>) -> Vec<&'t str> {
    let indices = root.get("dataframe_indices").into_iter();
    let indices = indices.flat_map(Item::elements).filter_map(Item::as_text);
    indices.filter(|index| !PLACES.contains(index)).collect()
}

/// An ensemble in the form of a dump.
pub(super) struct Dump<'d, 't, 'a> {
    pub(super) root: Item<'t, 'a>,
    pub(super) graph: &'d Graph<'t, 'a>,
    pub(super) columns: &'d Columns<'t>,
    pub(super) keys: &'d [&'t str],
}

/// The identity of a profile: the values of its keys, as text.
type Key = Vec<String>;

/// Rows of one profile, with their numbers.
type Rows<'t, 'a> = Vec<(u64, Item<'t, 'a>)>;

impl<'t, 'a> Dump<'_, 't, 'a> {
    /// Reads a run for each profile, in the order in which the table names them first.
    ///
    /// A run has the nodes for which its profile has a number, and those above them: the graph is
    /// that of all profiles together.
    pub(super) fn read(
        &self,
        input: &Input<'_>,
        mut shared: Report,
        progress: &Progress,
    ) -> Result<Vec<Read>, Error> {
        let profiles = self.profiles(&mut shared, progress)?;
        let mut described = self.described(&mut shared);
        let paths = self.root.get("profile_mapping");
        let mut runs = Vec::with_capacity(profiles.len());
        let mut num_nodes = 0;
        for (key, rows) in profiles {
            progress.check()?;
            let mut report = shared.clone();
            let mut nodes = super::super::nodes_of(input);
            let mut known = HashMap::new();
            for (number, row) in rows {
                let node = node_of(row, self.graph)
                    .and_then(|at| self.graph.place(at, &mut known, &mut nodes, &mut report));
                match node {
                    Some(node) => self.columns.add(row, node, &mut nodes, &mut report),
                    None => report.add("skipped_rows", 1, || Some(format!("row {number}"))),
                }
            }
            num_nodes += known.len();
            if num_nodes > limits::VALUES {
                return Err(Error::TooLong {
                    what: "the ensemble",
                    limit: limits::VALUES as u64,
                    unit: "nodes over all its runs",
                    at: format!("profile {}", key.join(", ")),
                });
            }
            let mut params = described.remove(&key).unwrap_or_default();
            if let Some(path) = path_of(paths, &key) {
                params.insert("profile_path".to_owned(), ParamValue::Text(path));
            }
            for (name, value) in self.keys.iter().zip(&key) {
                params.insert((*name).to_owned(), ParamValue::infer(value));
            }
            *nodes.profile.meta() = globals::meta(params, input.file_name(), Format::Hatchet);
            if nodes.count > 0 {
                runs.push(super::super::finish(nodes, report)?);
            }
        }
        Ok(runs)
    }

    /// Rows with numbers, by profile.
    fn profiles(
        &self,
        report: &mut Report,
        progress: &Progress,
    ) -> Result<Vec<(Key, Rows<'t, 'a>)>, Error> {
        let mut places: HashMap<Key, usize> = HashMap::new();
        let mut profiles: Vec<(Key, Rows<'t, 'a>)> = Vec::new();
        for (number, row) in rows(self.root) {
            if number.is_multiple_of(65_536) {
                progress.check()?;
            }
            let Some(key) = self.key_of(row) else {
                report.add("skipped_rows", 1, || Some(format!("row {number}")));
                continue;
            };
            if !self.columns.has_values(row) {
                // Thicket fills in a row for every node of the graph.
                continue;
            }
            let fresh = profiles.len();
            let at = *places.entry(key).or_insert_with_key(|key| {
                profiles.push((key.clone(), Vec::new()));
                fresh
            });
            if profiles.len() > MAX_RUNS {
                return Err(Error::TooLong {
                    what: "the ensemble",
                    limit: MAX_RUNS as u64,
                    unit: "profiles",
                    at: format!("row {number}"),
                });
            }
            if let Some((_, rows)) = profiles.get_mut(at) {
                rows.push((number, row));
            }
        }
        Ok(profiles)
    }

    /// The values of a row's keys; `None` if it lacks one.
    fn key_of(&self, row: Item<'_, '_>) -> Option<Key> {
        let text = |key: &&str| row.get(key).and_then(as_key);
        self.keys.iter().map(text).collect()
    }

    /// Parameters of each profile, from the table of metadata. Profiles that the metadata does not know
    /// have none, which the report counts; metadata that belongs to all profiles may lack some keys.
    fn described(&self, report: &mut Report) -> HashMap<Key, globals::Params> {
        let mut described = HashMap::new();
        let entries = self.root.get("metadata").into_iter();
        for (number, entry) in entries.flat_map(Item::elements).enumerate() {
            let Some(key) = self.key_of(entry) else {
                report.add("skipped_metadata", 1, || Some(format!("entry {number}")));
                continue;
            };
            let params: BTreeMap<_, _> = entry
                .members()
                .filter(|(name, _)| !self.keys.contains(name))
                .filter_map(|(name, value)| Some((name.to_owned(), param(value)?)))
                .collect();
            described.insert(key, params);
        }
        described
    }
}

/// The file that a profile was read from.
fn path_of(paths: Option<Item<'_, '_>>, key: &Key) -> Option<String> {
    let [key] = key.as_slice() else { return None };
    paths?.get(key)?.as_text().map(str::to_owned)
}

/// A key as text; lists are texts too, since Thicket makes keys of several values.
fn as_key(item: Item<'_, '_>) -> Option<String> {
    match item.value() {
        Value::Null => None,
        _ => Some(shown(item)),
    }
}

/// A cell of the metadata as a parameter; `None` where it is empty.
fn param(item: Item<'_, '_>) -> Option<ParamValue> {
    match item.value() {
        Value::Null => None,
        Value::Boolean(value) => Some(ParamValue::Boolean(*value)),
        Value::Number(number) => ParamValue::of_number(number),
        Value::Text(text) => Some(ParamValue::infer(text)),
        Value::Array | Value::Object => Some(ParamValue::Text(shown(item))),
    }
}

/// A value as text; lists as Caliper writes them.
fn shown(item: Item<'_, '_>) -> String {
    match item.value() {
        Value::Null => "null".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::Number(number) => (*number).to_owned(),
        Value::Text(text) => text.to_string(),
        Value::Array | Value::Object => {
            let scalar = |item: Item<'_, '_>| match item.value() {
                Value::Array | Value::Object => "…".to_owned(),
                _ => item
                    .as_text()
                    .or(item.as_number())
                    .unwrap_or("null")
                    .to_owned(),
            };
            let elements = item.elements().map(scalar);
            let members = (item.members()).map(|(key, value)| format!("{key}={}", scalar(value)));
            format!(
                "[{}]",
                elements.chain(members).collect::<Vec<_>>().join(",")
            )
        }
    }
}
