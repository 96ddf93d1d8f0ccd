//! The string tables of an experiment.

use std::collections::HashMap;

use super::super::xml::Element;
use crate::hpctoolkit::frames::ProcedureIdx;

/// Which table an id is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    Module,
    File,
    Procedure,
}

/// A text of the tables; the default is the empty one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct TextIdx(u32);

#[derive(Default)]
pub(super) struct Tables {
    /// Text of number n at place n − 1.
    texts: Vec<String>,
    ids: [HashMap<u32, TextIdx>; 3],
    /// By name, file and module.
    pub(super) procedures: HashMap<(TextIdx, TextIdx, TextIdx), ProcedureIdx>,
}

impl Tables {
    /// Adds an entry; the first of an id counts.
    pub(super) fn insert(&mut self, table: Table, element: &Element) {
        if let (Some(id), Some(name)) = (element.number("i"), element.text("n")) {
            let text = self.add(name);
            self.ids_of(table).entry(id).or_insert(text);
        }
    }

    /// What an attribute stands for: an id in the table, or the text itself.
    pub(super) fn find(&mut self, table: Table, attribute: Option<String>) -> Option<TextIdx> {
        let attribute = attribute?;
        let known = attribute
            .parse()
            .ok()
            .and_then(|id: u32| self.ids_of(table).get(&id).copied());
        Some(known.unwrap_or_else(|| self.add(attribute)))
    }

    pub(super) fn text(&self, text: TextIdx) -> &str {
        let place = (text.0 as usize).checked_sub(1);
        place
            .and_then(|place| self.texts.get(place))
            .map_or("", String::as_str)
    }

    fn add(&mut self, text: String) -> TextIdx {
        if text.is_empty() {
            return TextIdx::default();
        }
        self.texts.push(text);
        TextIdx(u32::try_from(self.texts.len()).unwrap_or(0))
    }

    fn ids_of(&mut self, table: Table) -> &mut HashMap<u32, TextIdx> {
        let [modules, files, procedures] = &mut self.ids;
        match table {
            Table::Module => modules,
            Table::File => files,
            Table::Procedure => procedures,
        }
    }
}
