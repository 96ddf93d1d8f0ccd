//! Keys: what the attributes of nodes mean.

use std::collections::HashMap;

use super::about::Fact;
use crate::mir::{Meaning, Table};

/// What an attribute of a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attribute {
    /// Kind of the node.
    Type,
    /// Its label for people.
    Name,
    /// A column of the table that tasks come from, or a measured number.
    Of(Meaning),
    /// An attribute of the graph, not of a node.
    OfGraph(Fact),
}

/// The keys of a document, by id.
#[derive(Debug, Default)]
pub(super) struct Keys {
    declared: Vec<(Box<str>, Attribute)>,
    by_id: HashMap<Box<str>, usize>,
    /// Where the next key is expected: writers give them in the same order for every node.
    next: usize,
    /// Keys of the graph itself.
    of_graph: Vec<(Box<str>, Fact)>,
}

/// Texts that a drawing needs, and those that repeat the structure.
const DRAWN: [&str; 5] = ["label", "shape", "color", "border-color", "id"];

impl Keys {
    /// Declares a key, which has no name where it is for a drawing; false when its id is there
    /// already.
    pub(super) fn declare(&mut self, id: &str, name: &str, kind: &str, table: &mut Table) -> bool {
        if self.by_id.contains_key(id) {
            return false;
        }
        let is_number = matches!(kind, "double" | "float" | "int" | "long" | "boolean");
        let attribute = match name {
            "type" => Attribute::Type,
            "name" => Attribute::Name,
            _ if name.is_empty() || DRAWN.contains(&name) => Attribute::Of(Meaning::Ignored),
            _ => Attribute::Of(match table.declare(name) {
                Some(meaning) => meaning,
                None if is_number => table.add_measured(name),
                None => Meaning::Ignored,
            }),
        };
        self.by_id.insert(id.into(), self.declared.len());
        self.declared.push((id.into(), attribute));
        true
    }

    /// Declares a key of the graph itself; other keys than those of our exports have no meaning.
    pub(super) fn declare_of_graph(&mut self, id: &str, name: &str) {
        let is_new = |fact: &Fact| self.of_graph.iter().all(|(_, known)| known != fact);
        if let Some(fact) = Fact::of(name).filter(is_new) {
            self.of_graph.push((id.into(), fact));
        }
    }

    /// The attribute of the graph itself that has this key.
    pub(super) fn get_of_graph(&self, id: &str) -> Option<Attribute> {
        let found = self.of_graph.iter().find(|(key, _)| **key == *id);
        found.map(|(_, fact)| Attribute::OfGraph(*fact))
    }

    pub(super) fn get(&mut self, id: &str) -> Option<Attribute> {
        let expected = self.declared.get(self.next);
        let at = match expected {
            Some((key, _)) if **key == *id => self.next,
            _ => *self.by_id.get(id)?,
        };
        self.next = if at + 1 < self.declared.len() {
            at + 1
        } else {
            0
        };
        self.declared.get(at).map(|(_, attribute)| *attribute)
    }
}
