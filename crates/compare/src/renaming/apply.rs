//! Runs as they would be if every definition had its newest name.

use std::sync::Arc;

use arrow::array::Array;
use sheaf_model::table::{ContextRow, Contexts, Definitions};
use sheaf_model::{ContextId, DefinitionId, RunSummary};

use super::Renaming;

impl Renaming {
    /// The runs with the newest name of every definition; those that have no other are the same. Linear in
    /// the definitions and contexts of the others.
    pub fn apply(&self, runs: &[Arc<RunSummary>]) -> Vec<Arc<RunSummary>> {
        let renamed = |run: &Arc<RunSummary>| match self.definitions(&run.definitions) {
            None => Arc::clone(run),
            Some(definitions) => Arc::new(RunSummary {
                contexts: contexts(&run.contexts, &run.definitions, &definitions),
                definitions,
                ..run.as_ref().clone()
            }),
        };
        runs.iter().map(renamed).collect()
    }

    /// A table of definitions under their newest names; absent where it has no others.
    pub fn definitions(&self, table: &Definitions) -> Option<Definitions> {
        let id = |row: usize| id_at(table, row);
        let is_old = |row: usize| self.id(id(row)) != id(row);
        if self.is_empty() || !(0..table.len()).any(is_old) {
            return None;
        }
        let rows = (0..table.len()).map(|row| {
            let class = self.class_of.get(&id(row));
            let newest = class.and_then(|&class| self.newest.get(class));
            newest.cloned().unwrap_or_else(|| table.row(row))
        });
        Some(rows.collect())
    }
}

/// Contexts with the ids that their paths have under the names of `definitions`; those on whose path all
/// names are as before keep theirs.
fn contexts(table: &Contexts, before: &Definitions, definitions: &Definitions) -> Contexts {
    let mut ids: Vec<(ContextId, bool)> = Vec::with_capacity(table.len());
    for row in 0..table.len() {
        let definition = usize::try_from(table.definition.value(row)).unwrap_or(usize::MAX);
        let (own, new) = (id_at(before, definition), id_at(definitions, definition));
        let parent = table.parent.is_valid(row).then(|| table.parent.value(row));
        let parent = parent.and_then(|parent| ids.get(usize::try_from(parent).ok()?).copied());
        let is_changed = own != new || parent.is_some_and(|(_, is_changed)| is_changed);
        let id = match parent {
            _ if !is_changed => ContextId(table.id.value(row).try_into().unwrap_or_default()),
            Some((parent, _)) => parent.child(new),
            None => ContextId::root(new),
        };
        ids.push((id, is_changed));
    }
    let rows = table.rows().zip(ids);
    rows.map(|(row, (id, _))| ContextRow { id: id.0, ..row })
        .collect()
}

fn id_at(table: &Definitions, row: usize) -> DefinitionId {
    let bytes = (row < table.len()).then(|| table.id.value(row));
    let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
    DefinitionId(bytes.unwrap_or_default())
}
