//! From XML to a graph: one pass, no entities, no recursion.

use std::io::BufRead;
use std::ops::Range;

use quick_xml::XmlVersion;
use quick_xml::events::attributes::Attribute as Attr;
use quick_xml::events::{BytesRef, BytesStart, Event};
use sheaf_model::Report;

use super::graph::{Graph, Kind};
use super::keys::{Attribute, Keys};
use crate::mir::{Meaning, NONE, Number, number};
use crate::records::{Records, error_of_shared};
use crate::{Error, Format, limits};

/// Reads a document; what is in it besides nodes, edges and their attributes is left out.
pub(super) fn read(text: impl BufRead, report: &mut Report) -> Result<Graph, Error> {
    let text = Records::new(text, "an element", limits::RECORD);
    let mut reader = quick_xml::Reader::from_reader(text);
    reader.config_mut().expand_empty_elements = true;
    let mut document = Document {
        report,
        graph: Graph::default(),
        keys: Keys::default(),
        depth: 0,
        num_keys: 0,
        is_closed: false,
        stack: Vec::new(),
        node: None,
        data: None,
        inner: 0,
        text: String::new(),
        fields: Vec::new(),
    };
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        reader.get_mut().begin();
        let event = match reader.read_event_into(&mut buffer) {
            Ok(event) => event,
            Err(error) => return Err(refusal(error, reader.error_position())),
        };
        match event {
            Event::Start(element) => document.start(&element)?,
            Event::End(element) => document.end(element.local_name().as_ref()),
            Event::Text(text) => document.add(&text.into_inner())?,
            Event::CData(text) => document.add(&text.into_inner())?,
            Event::GeneralRef(reference) => document.reference(&reference),
            Event::Eof => break,
            _ => {}
        }
    }
    if document.depth > 0 || !document.is_closed {
        let at = format!("byte {}", reader.buffer_position());
        let reason = "the text ends before the graph does; get the whole file";
        return Err(Error::malformed(Format::GraphMl, at, reason));
    }
    Ok(document.graph)
}

fn refusal(error: quick_xml::Error, position: u64) -> Error {
    match error {
        quick_xml::Error::Io(source) => error_of_shared(source),
        other => Error::malformed(
            Format::GraphMl,
            format!("byte {position}"),
            other.to_string(),
        ),
    }
}

/// What is known between two events.
struct Document<'a> {
    report: &'a mut Report,
    graph: Graph,
    keys: Keys,
    depth: u64,
    num_keys: usize,
    /// Whether the outermost element has ended.
    is_closed: bool,
    /// Open nodes, outermost first.
    stack: Vec<u32>,
    /// The innermost open node while its attributes can follow.
    node: Option<u32>,
    /// The attribute that is open.
    data: Option<Attribute>,
    /// Elements that are open within it.
    inner: u64,
    /// Texts of the attributes of the node, one after the other.
    text: String,
    fields: Vec<(Attribute, Range<usize>)>,
}

impl Document<'_> {
    fn start(&mut self, element: &BytesStart<'_>) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > limits::DEPTH {
            return Err(self.too_many("the document", limits::DEPTH, "elements inside each other"));
        }
        if self.data.is_some() {
            self.inner += 1;
            return Ok(());
        }
        match element.local_name().as_ref() {
            "key" => return self.key(element),
            "node" => return self.open_node(element),
            "graph" => self.open_graph(),
            "edge" => return self.edge(element),
            "data" => return self.open_data(element),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, name: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.is_closed |= self.depth == 0;
        if self.inner > 0 {
            self.inner -= 1;
        } else if self.data.is_some() {
            self.close_data();
        } else if name == "node" {
            if let Some(node) = self.node.take() {
                self.close_node(node);
            }
            self.stack.pop();
        }
    }

    fn too_many(&self, what: &'static str, limit: u64, unit: &'static str) -> Error {
        Error::TooLong {
            what,
            limit,
            unit,
            at: format!("node {}", self.graph.kinds.len()),
        }
    }

    fn key(&mut self, element: &BytesStart<'_>) -> Result<(), Error> {
        self.num_keys += 1;
        if self.num_keys > limits::COLUMNS {
            return Err(self.too_many("the graph", limits::COLUMNS as u64, "keys"));
        }
        let [id, of, name, kind] = values(element, ["id", "for", "attr.name", "attr.type"]);
        if of == "graph" {
            self.keys.declare_of_graph(&id, &name);
        }
        if !matches!(of.as_str(), "node" | "all" | "") {
            return Ok(());
        }
        let table = &mut self.graph.table;
        if !self.keys.declare(&id, &name, &kind, table) {
            self.report.add("skipped_keys", 1, || Some(id));
        }
        Ok(())
    }

    fn open_node(&mut self, element: &BytesStart<'_>) -> Result<(), Error> {
        let mut found = None;
        with_value(element, "id", |id| found = Some(self.graph.node(id)));
        let Some(node) = found else {
            let at = format!("node {}", self.graph.kinds.len());
            return Err(Error::malformed(Format::GraphMl, at, "the node has no id"));
        };
        if self.graph.kind(node) != Kind::Undeclared {
            return Err(self.graph.broken(node, "the node is declared twice"));
        }
        if let Some(kind) = self.graph.kinds.get_mut(node as usize) {
            *kind = Kind::Unknown;
        }
        self.stack.push(node);
        self.node = Some(node);
        self.clear();
        Ok(())
    }

    /// A graph within a node makes a group of it.
    fn open_graph(&mut self) {
        let Some(&node) = self.stack.last() else {
            return;
        };
        if let Some(kind) = self.graph.kinds.get_mut(node as usize) {
            *kind = Kind::Group;
        }
        self.graph.has_groups = true;
        self.node = None;
        self.clear();
    }

    fn edge(&mut self, element: &BytesStart<'_>) -> Result<(), Error> {
        let (mut source, mut target) = (None, None);
        for attribute in element.attributes().with_checks(false).flatten() {
            let end = match attribute.key.as_ref() {
                "source" => &mut source,
                "target" => &mut target,
                _ => continue,
            };
            normalized(&attribute, |id| *end = Some(self.graph.node(id)));
        }
        let (Some(source), Some(target)) = (source, target) else {
            let at = format!("edge {}", self.graph.edges.len());
            let reason = "the edge lacks its source or its target";
            return Err(Error::malformed(Format::GraphMl, at, reason));
        };
        self.graph.edges.push((source, target));
        Ok(())
    }

    fn open_data(&mut self, element: &BytesStart<'_>) -> Result<(), Error> {
        if self.fields.len() >= limits::ATTRIBUTES {
            return Err(self.too_many("a node", limits::ATTRIBUTES as u64, "attributes"));
        }
        let mut attribute = None;
        if self.node.is_some() {
            with_value(element, "key", |key| {
                attribute = self.keys.get(key);
                if attribute.is_none() {
                    let key = key.chars().take(40).collect();
                    self.report.add("skipped_attributes", 1, || Some(key));
                }
            });
        } else if self.stack.is_empty() {
            with_value(element, "key", |key| {
                attribute = self.keys.get_of_graph(key);
            });
        }
        // Attributes of edges and groups, and those without key, are passed over like drawings.
        let attribute = attribute.unwrap_or(Attribute::Of(Meaning::Ignored));
        self.data = Some(attribute);
        self.fields
            .push((attribute, self.text.len()..self.text.len()));
        Ok(())
    }

    fn close_data(&mut self) {
        self.data = None;
        if let Some((_, range)) = self.fields.last_mut() {
            range.end = self.text.len();
        }
        if let Some((Attribute::OfGraph(fact), range)) = self.fields.last() {
            let value = self.text.get(range.clone()).unwrap_or_default();
            self.graph.about.set(*fact, value);
        }
        let is_ignored = matches!(
            self.fields.last(),
            Some((Attribute::Of(Meaning::Ignored), _))
        );
        if (is_ignored || self.node.is_none())
            && let Some((_, range)) = self.fields.pop()
        {
            self.text.truncate(range.start);
        }
    }

    fn add(&mut self, text: &str) -> Result<(), Error> {
        if self.data.is_some() && self.inner == 0 {
            let limit = usize::try_from(limits::RECORD).unwrap_or(usize::MAX);
            if self.text.len() + text.len() > limit {
                return Err(self.too_many("a node", limits::RECORD, "bytes of attributes"));
            }
            self.text.push_str(text);
        }
        Ok(())
    }

    /// Characters and the five names of XML itself; others are never looked up.
    fn reference(&mut self, reference: &BytesRef<'_>) {
        if self.data.is_none() || self.inner > 0 {
            return;
        }
        let character = match reference.resolve_char_ref() {
            Ok(Some(character)) => Some(character),
            Ok(None) => match &*reference.borrow().into_inner() {
                "lt" => Some('<'),
                "gt" => Some('>'),
                "amp" => Some('&'),
                "quot" => Some('"'),
                "apos" => Some('\''),
                _ => None,
            },
            Err(_) => None,
        };
        self.text.push(character.unwrap_or('\u{fffd}'));
        if character.is_none() {
            let node = self.node.map(|node| self.graph.ids.place(node));
            self.report.add("skipped_entities", 1, || node);
        }
    }

    fn close_node(&mut self, node: u32) {
        let kind = self.fields.iter().find(|(at, _)| *at == Attribute::Type);
        let kind = kind.and_then(|(_, range)| self.text.get(range.clone()));
        let kind = kind.map_or(Kind::Unknown, Kind::of);
        if let Some(slot) = self.graph.kinds.get_mut(node as usize) {
            *slot = kind;
        }
        if matches!(kind, Kind::Task | Kind::Fragment) {
            self.add_row(node);
        }
        self.clear();
    }

    fn add_row(&mut self, node: u32) {
        let graph = &mut self.graph;
        let row = graph.table.rows;
        graph.table.rows += 1;
        if let Some(slot) = graph.rows.get_mut(node as usize) {
            *slot = u32::try_from(row).unwrap_or(NONE);
        }
        for (attribute, range) in &self.fields {
            let field = self.text.get(range.clone()).unwrap_or_default();
            let is_used = match attribute {
                Attribute::Type | Attribute::OfGraph(_) => true,
                Attribute::Name => {
                    name(graph, row, field);
                    true
                }
                // An unset number; a zero that was set prints the same, so neither is believed.
                Attribute::Of(_) if graph.has_groups && field == "0.0" => true,
                Attribute::Of(meaning) => graph.table.set(row, *meaning, field.as_bytes()),
            };
            if !is_used {
                let ids = &graph.ids;
                self.report.add("skipped_values", 1, || {
                    let shown: String = field.chars().take(40).collect();
                    Some(format!("{}: `{shown}`", ids.place(node)))
                });
            }
        }
    }

    fn clear(&mut self) {
        self.text.clear();
        self.fields.clear();
    }
}

/// A name that begins with a number is that of a task or of its fragment; the attribute `task`,
/// where there is one, states the same.
fn name(graph: &mut Graph, row: usize, name: &str) {
    let name = name.trim_ascii();
    let task = name.split_once('.').map_or(name, |(task, _)| task);
    let task = match number(task.as_bytes()) {
        Number::Integer(task) if task >= 0 => Some(task),
        _ => None,
    };
    if let (Some(task), None) = (task, graph.table.task.get(row)) {
        graph.table.task.set(row, task);
    }
}

/// Calls `use_value` with an attribute's value, without allocating for plain ones.
fn with_value(element: &BytesStart<'_>, name: &str, use_value: impl FnOnce(&str)) {
    let mut attributes = element.attributes();
    let mut attributes = attributes.with_checks(false).flatten();
    if let Some(attribute) = attributes.find(|attribute| attribute.key.as_ref() == name) {
        normalized(&attribute, use_value);
    }
}

fn normalized(attribute: &Attr<'_>, use_value: impl FnOnce(&str)) {
    if attribute
        .value
        .bytes()
        .any(|byte| matches!(byte, b'&' | b'\n' | b'\t' | b'\r'))
    {
        match attribute.normalized_value(XmlVersion::Implicit1_0) {
            Ok(value) => use_value(&value),
            Err(_) => use_value(&attribute.value),
        }
    } else {
        use_value(&attribute.value);
    }
}

fn values<const N: usize>(element: &BytesStart<'_>, names: [&str; N]) -> [String; N] {
    names.map(|name| {
        let mut found = String::new();
        with_value(element, name, |value| value.clone_into(&mut found));
        found
    })
}
