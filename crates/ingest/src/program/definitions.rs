//! Definitions of a program that is being built.

use std::collections::HashMap;

use sheaf_model::DefinitionId;
use sheaf_model::table::DefinitionRow;

use super::ConstructIdx;
use crate::profile::Frame;
use crate::run_tables::FinishedDefinitions;

/// Constructs by kind and identity, in the order in which they were met. The first is the
/// program itself, which has no name before the end.
pub(super) struct Constructs {
    rows: Vec<DefinitionRow>,
    known: HashMap<(String, String), u32>,
}

impl Default for Constructs {
    fn default() -> Self {
        let program = Frame {
            kind: "program",
            ..Frame::default()
        };
        Self {
            rows: vec![described(&program)],
            known: HashMap::new(),
        }
    }
}

impl Constructs {
    pub(super) const PROGRAM: ConstructIdx = ConstructIdx(0);

    /// The construct of a frame; what the first frame states about it stands.
    pub(super) fn construct(&mut self, frame: &Frame<'_>) -> ConstructIdx {
        let identity = frame.identity.unwrap_or(frame.name);
        let key = (frame.kind.to_owned(), identity.to_owned());
        let next = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        let at = *self.known.entry(key).or_insert(next);
        if at == next {
            self.rows.push(described(frame));
        } else if let Some(row) = self.rows.get_mut(at as usize) {
            let other = described(frame);
            row.file = row.file.take().or(other.file);
            row.line = row.line.or(other.line);
            row.module = row.module.take().or(other.module);
        }
        ConstructIdx(at)
    }

    /// The table by ascending id. A construct that a reader made of the program is the program. Where the
    /// program is not known, it has only its kind.
    pub(super) fn finish(mut self, program: &str) -> FinishedDefinitions {
        if let Some(row) = self.rows.first_mut() {
            row.id = DefinitionId::new("program", program, 0).0;
            let is_known = !program.is_empty();
            (if is_known { program } else { "program" }).clone_into(&mut row.name);
            row.function = is_known.then(|| program.to_owned());
        }
        FinishedDefinitions::new(self.rows)
    }
}

fn described(frame: &Frame<'_>) -> DefinitionRow {
    let identity = frame.identity.unwrap_or(frame.name);
    DefinitionRow {
        id: DefinitionId::new(frame.kind, identity, 0).0,
        kind: frame.kind.to_owned(),
        name: frame.name.to_owned(),
        function: (frame.kind == "function").then(|| frame.name.to_owned()),
        file: frame.file.map(str::to_owned),
        line: frame.line,
        module: frame.module.map(str::to_owned),
        ordinal: 0,
        site: None,
    }
}
