//! The table of definitions.

use sheaf_model::DefinitionId;
use sheaf_model::table::{DefinitionRow, Definitions};

use super::row;

/// The table by ascending id, and the id and row of each definition by its number.
pub(crate) struct FinishedDefinitions {
    pub(crate) table: Definitions,
    pub(crate) ids: Vec<DefinitionId>,
    pub(crate) rows: Vec<i32>,
}

impl FinishedDefinitions {
    /// Definitions by their number. Those of one id are one row, the first.
    pub(crate) fn new(definitions: Vec<DefinitionRow>) -> Self {
        let ids: Vec<DefinitionId> = definitions
            .iter()
            .map(|definition| DefinitionId(definition.id))
            .collect();
        let mut rows = vec![0; ids.len()];
        let mut numbered: Vec<(usize, DefinitionRow)> =
            definitions.into_iter().enumerate().collect();
        numbered.sort_by_key(|(_, definition)| definition.id);
        let mut table: Vec<DefinitionRow> = Vec::with_capacity(numbered.len());
        for (number, definition) in numbered {
            if table.last().is_none_or(|last| last.id != definition.id) {
                table.push(definition);
            }
            if let Some(slot) = rows.get_mut(number) {
                *slot = row(table.len() - 1);
            }
        }
        Self {
            table: table.into_iter().collect(),
            ids,
            rows,
        }
    }

    /// The id of a definition.
    pub(crate) fn id(&self, definition: u32) -> DefinitionId {
        let id = self.ids.get(definition as usize).copied();
        id.unwrap_or(DefinitionId([0; 16]))
    }
}
