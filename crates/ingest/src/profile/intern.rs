//! Definitions of a profile, each once.

use std::collections::HashMap;

use sheaf_model::DefinitionId;
use sheaf_model::table::DefinitionRow;

use super::{Frame, index};
use crate::run_tables::{FinishedDefinitions, NONE};

/// What is known of a definition.
struct Definition {
    id: DefinitionId,
    kind: u32,
    name: String,
    file: Option<String>,
    line: Option<i32>,
    module: Option<String>,
}

/// Definitions by kind and identity, in the order of their first frame.
#[derive(Default)]
pub(super) struct Definitions {
    list: Vec<Definition>,
    kinds: Vec<String>,
    kind_numbers: HashMap<String, u32>,
    /// By identity, for each kind.
    by_identity: Vec<HashMap<String, u32>>,
}

impl Definitions {
    pub(super) fn intern(&mut self, frame: Frame<'_>) -> u32 {
        let kind = self.kind(frame.kind);
        let identity = frame.identity.unwrap_or(frame.name);
        let Some(by_identity) = self.by_identity.get_mut(kind as usize) else {
            return NONE;
        };
        if let Some(&known) = by_identity.get(identity) {
            if let Some(definition) = self.list.get_mut(known as usize) {
                definition.fill_in(&frame);
            }
            return known;
        }
        let next = index(self.list.len());
        by_identity.insert(identity.to_owned(), next);
        self.list.push(Definition {
            id: DefinitionId::new(frame.kind, identity, 0),
            kind,
            name: frame.name.to_owned(),
            file: frame.file.map(str::to_owned),
            line: frame.line,
            module: frame.module.map(str::to_owned),
        });
        next
    }

    pub(super) fn name(&self, number: u32) -> Option<&str> {
        Some(&self.list.get(number as usize)?.name)
    }

    fn kind(&mut self, kind: &str) -> u32 {
        if let Some(&number) = self.kind_numbers.get(kind) {
            return number;
        }
        let number = index(self.kinds.len());
        self.kind_numbers.insert(kind.to_owned(), number);
        self.kinds.push(kind.to_owned());
        self.by_identity.push(HashMap::new());
        number
    }

    /// The table, sorted by id.
    pub(super) fn finish(self) -> FinishedDefinitions {
        let kinds = self.kinds;
        let rows = self.list.into_iter().map(|definition| DefinitionRow {
            id: definition.id.0,
            kind: kinds
                .get(definition.kind as usize)
                .cloned()
                .unwrap_or_default(),
            function: Some(definition.name.clone()),
            name: definition.name,
            file: definition.file,
            line: definition.line,
            module: definition.module,
            ordinal: 0,
            site: None,
        });
        FinishedDefinitions::new(rows.collect())
    }
}

impl Definition {
    fn fill_in(&mut self, frame: &Frame<'_>) {
        if self.file.is_none() {
            self.file = frame.file.map(str::to_owned);
        }
        if self.line.is_none() {
            self.line = frame.line;
        }
        if self.module.is_none() {
            self.module = frame.module.map(str::to_owned);
        }
    }
}
