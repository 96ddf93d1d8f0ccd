//! The elements of the tree.

use super::super::xml::Element;
use super::tables::{Table, Tables, TextIdx};
use super::{Builder, Enclosing, LEXICAL, Summary};
use crate::hpctoolkit::frames::{self, Part, PartIdx, Procedure, ProcedureIdx};
use crate::hpctoolkit::scopes::{Place, Scope};
use crate::profile::Profile;

impl Builder {
    /// Adds an element to the tree; returns what its children are in.
    pub(super) fn open_in_tree(
        &mut self,
        profile: &mut Profile,
        element: &Element,
        around: Enclosing,
        place: u64,
    ) -> Enclosing {
        let line = element.number("l").and_then(frames::line);
        match element.name() {
            "PF" => self.procedure(profile, element, around, ("function", 0)),
            "Pr" => self.procedure(profile, element, around, ("inlined function", LEXICAL)),
            "L" => {
                let file = self.tables.find(Table::File, element.text("f"));
                let around = Enclosing {
                    file: file.unwrap_or(around.file),
                    ..around
                };
                self.part(profile, element, around, (Part::Loop, line))
            }
            "S" => self.part(profile, element, around, (Part::Statement, line)),
            "C" => {
                let around = self.in_procedure(profile, around);
                let site = self.part_of(around, Part::Statement, line);
                let place = around.node.zip(site);
                let place = place.map(|(node, site)| Place::Site(node, site));
                self.scope(element, around, LEXICAL, place)
            }
            "M" => {
                self.summary(element, around.scope);
                around
            }
            name => {
                let first = || Some(format!("`{name}` at byte {place}"));
                self.report.add("skipped_elements", 1, first);
                around
            }
        }
    }

    fn procedure(
        &mut self,
        profile: &mut Profile,
        element: &Element,
        around: Enclosing,
        (kind, propagation): (&str, u16),
    ) -> Enclosing {
        let find = |tables: &mut Tables, table, name| tables.find(table, element.text(name));
        let name = find(&mut self.tables, Table::Procedure, "n").unwrap_or_default();
        let file = find(&mut self.tables, Table::File, "f").unwrap_or(around.file);
        let module = find(&mut self.tables, Table::Module, "lm").unwrap_or(around.module);
        let line = element.number("l").and_then(frames::line);
        let procedure = self.procedure_of(name, file, module, line);
        let definition = self.procedures.definition(profile, procedure, kind);
        let node = definition.map(|definition| profile.node(around.node, definition));
        let inner = Enclosing {
            node,
            procedure: Some(procedure),
            file,
            module,
            ..around
        };
        self.scope(element, inner, propagation, node.map(Place::Node))
    }

    fn procedure_of(
        &mut self,
        name: TextIdx,
        file: TextIdx,
        module: TextIdx,
        line: Option<i32>,
    ) -> ProcedureIdx {
        let tables = &mut self.tables;
        if let Some(known) = tables.procedures.get(&(name, file, module)) {
            return *known;
        }
        let procedure = self.procedures.add(Procedure {
            name: tables.text(name),
            file: tables.text(file),
            module: tables.text(module),
            line,
        });
        tables.procedures.insert((name, file, module), procedure);
        procedure
    }

    /// Loops, statements and call sites outside of any procedure get one without a name.
    fn in_procedure(&mut self, profile: &mut Profile, around: Enclosing) -> Enclosing {
        if around.procedure.is_some() {
            return around;
        }
        let none = TextIdx::default();
        let procedure = self.procedure_of(none, around.file, around.module, None);
        let definition = self.procedures.definition(profile, procedure, "function");
        Enclosing {
            procedure: Some(procedure),
            node: definition.map(|definition| profile.node(around.node, definition)),
            ..around
        }
    }

    fn part(
        &mut self,
        profile: &mut Profile,
        element: &Element,
        around: Enclosing,
        (part, line): (Part, Option<i32>),
    ) -> Enclosing {
        let around = self.in_procedure(profile, around);
        let definition = self
            .part_of(around, part, line)
            .and_then(|part| self.procedures.definition_of(profile, part));
        let node = definition.map(|definition| profile.node(around.node, definition));
        let inner = Enclosing { node, ..around };
        self.scope(element, inner, LEXICAL, node.map(Place::Node))
    }

    fn part_of(&mut self, around: Enclosing, part: Part, line: Option<i32>) -> Option<PartIdx> {
        let file = Some(self.tables.text(around.file)).filter(|file| !file.is_empty());
        self.procedures.part(around.procedure?, part, file, line)
    }

    /// Adds a scope with the element's id and makes it the one around what is in it.
    fn scope(
        &mut self,
        element: &Element,
        inner: Enclosing,
        propagation: u16,
        place: Option<Place>,
    ) -> Enclosing {
        let Some(place) = place else { return inner };
        let id = element.number("i").filter(|id| *id > 0);
        let is_new = id.is_some_and(|id| self.taken_ids.insert(id));
        if !is_new {
            let first = || Some(element.text("i").unwrap_or_default());
            self.report.add("skipped_ids", 1, first);
        }
        self.ids.push(id.filter(|_| is_new).unwrap_or(0));
        let scope = self.scopes.push(Scope {
            parent: inner.scope,
            propagation,
            place,
        });
        Enclosing { scope, ..inner }
    }

    fn summary(&mut self, element: &Element, scope: u32) {
        let value = element.text("v").and_then(|value| value.parse().ok());
        if let (Some(metric), Some(value)) = (element.number("n"), value) {
            self.summaries.push(Summary {
                scope,
                metric,
                value,
            });
        } else {
            let first = || element.text("v");
            self.report.add("skipped_summary_values", 1, first);
        }
    }
}
