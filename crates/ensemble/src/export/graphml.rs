//! The grain graph in GraphML, as the grain-graphs prototype writes it: one graph, all nodes before all
//! edges, absent values without an element.

mod groups;
mod nested;
mod yed;

use std::io::{self, BufWriter, Write};

use sheaf_answers::Values;
use sheaf_model::Progress;

use super::attributes::{Attributes, NodeAttributes, OF_NODES};
use super::cells::push_cell;
use super::check;
use super::graph::GraphView;
use super::run::Source;
use super::xml::escape;
use crate::GraphForm;

pub(super) use nested::write as write_nested;

/// Writes the graph; `out` need not be buffered.
pub(super) fn write(
    source: &Source<'_>,
    form: GraphForm,
    progress: &Progress,
    out: &mut dyn Write,
) -> io::Result<()> {
    let graph = GraphView::new(source, form)?;
    let attributes = Attributes::new(&graph)?;
    let mut keys = Keys::new(&attributes);
    let mut out = BufWriter::with_capacity(1 << 16, out);
    out.write_all(HEAD)?;
    keys.declare(&mut out)?;
    out.write_all(EDGE_KEYS)?;
    out.write_all(b"  <graph id=\"G\" edgedefault=\"directed\">\n")?;
    about(&graph, &mut out)?;
    let total = graph.graph.num_nodes();
    for (node, name) in graph.nodes() {
        check(progress, node as usize, total)?;
        writeln!(out, "    <node id=\"n{node}\">")?;
        let of_node = NodeAttributes::new(&graph, graph.node_type(node), &name, Some(node));
        Keys::write_node(&of_node, &mut out)?;
        if let Some(grain) = graph.grain(node) {
            keys.write_grain(grain, Some(graph.graph.weight(node)), &mut out)?;
        }
        out.write_all(b"    </node>\n")?;
    }
    for node in 0..super::grain_rows::number(total) {
        check(progress, node as usize, total)?;
        edges(&graph, node, &mut out)?;
    }
    out.write_all(b"  </graph>\n</graphml>\n")?;
    out.flush()
}

const HEAD: &[u8] = br#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"
         xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
         xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns
         http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
  <key id="g_exporter" for="graph" attr.name="exporter" attr.type="string"/>
  <key id="g_run" for="graph" attr.name="run" attr.type="string"/>
  <key id="g_name" for="graph" attr.name="name" attr.type="string"/>
  <key id="g_program" for="graph" attr.name="program" attr.type="string"/>
  <key id="g_time_unit" for="graph" attr.name="time_unit" attr.type="string"/>
  <key id="g_form" for="graph" attr.name="form" attr.type="string"/>
  <key id="g_complete" for="graph" attr.name="complete" attr.type="boolean"/>
  <key id="g_workers" for="graph" attr.name="workers" attr.type="long"/>
"#;

const EDGE_KEYS: &[u8] = br#"  <key id="e_type" for="edge" attr.name="type" attr.type="string"/>
  <key id="e_weight" for="edge" attr.name="weight" attr.type="long"/>
  <key id="e_on_crit_path" for="edge" attr.name="on_crit_path" attr.type="long"/>
"#;

/// Writes what the graph states about its run; our reader takes the exporter, completeness and workers from it.
fn about(graph: &GraphView<'_>, out: &mut impl Write) -> io::Result<()> {
    let meta = &graph.source.tables.summary.meta;
    let id = meta.id.to_string();
    let is_complete = meta.is_complete.to_string();
    let workers = meta.workers.map(|workers| workers.to_string());
    let data = [
        ("exporter", "grainsheaf"),
        ("run", &id),
        ("name", &meta.name),
        ("program", &meta.program),
        ("time_unit", graph.source.time_unit()),
        ("form", graph.form.as_str()),
        ("complete", &is_complete),
    ];
    let workers = workers.as_deref().map(|workers| ("workers", workers));
    for (key, value) in data.into_iter().chain(workers) {
        writeln!(out, "    <data key=\"g_{key}\">{}</data>", escape(value))?;
    }
    Ok(())
}

fn edges(graph: &GraphView<'_>, source: u32, out: &mut impl Write) -> io::Result<()> {
    for edge in graph.graph.edges(source) {
        let target = edge.target;
        let edge_type = graph.edge_type(source, edge);
        write!(
            out,
            "    <edge source=\"n{source}\" target=\"n{target}\">\
             <data key=\"e_type\">{edge_type}</data>"
        )?;
        let weight = match edge_type {
            "create" | "continue" if graph.form == GraphForm::Reduced => Some(0),
            _ => graph.weight(source),
        };
        if let Some(weight) = weight {
            write!(out, "<data key=\"e_weight\">{weight}</data>")?;
        }
        if graph.is_critical(source) && graph.is_critical(target) {
            out.write_all(b"<data key=\"e_on_crit_path\">1</data>")?;
        }
        out.write_all(b"</edge>\n")?;
    }
    Ok(())
}

/// Keys of attributes of nodes.
pub(super) struct Keys<'a> {
    attributes: &'a Attributes<'a>,
    /// Escaped keys of the columns of grains.
    ids: Vec<String>,
    /// Text of the value that is being written.
    text: String,
}

impl<'a> Keys<'a> {
    pub(super) fn new(attributes: &'a Attributes<'a>) -> Self {
        let columns = attributes.table.columns().iter();
        let ids = (OF_NODES.len()..).zip(columns).map(|(number, column)| {
            let name = &column.name;
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
            if name.bytes().all(is_plain) {
                format!("v_{name}")
            } else {
                // No plain name has a dot.
                format!("v_.{number}")
            }
        });
        Self {
            ids: ids.collect(),
            attributes,
            text: String::new(),
        }
    }

    pub(super) fn declare(&self, out: &mut impl Write) -> io::Result<()> {
        for (name, value_type) in OF_NODES {
            if !self.attributes.states(name) {
                declare_key(&format!("v_{name}"), name, value_type, out)?;
            }
        }
        for (id, column) in self.ids.iter().zip(self.attributes.table.columns()) {
            let value_type = match &column.values {
                Values::Number(_) => "double",
                Values::Text(_) => "string",
                _ => "long",
            };
            declare_key(id, &escape(&column.name), value_type, out)?;
        }
        Ok(())
    }

    /// Writes the attributes that every node has.
    pub(super) fn write_node(node: &NodeAttributes<'_>, out: &mut impl Write) -> io::Result<()> {
        let texts = node.texts.map(|text| Some(escape(text)));
        let numbers = node.numbers.map(|number| Some(number?.to_string().into()));
        for ((name, _), value) in OF_NODES.iter().zip(texts.into_iter().chain(numbers)) {
            if let Some(value) = value {
                write_data(&format!("v_{name}"), &value, out)?;
            }
        }
        Ok(())
    }

    /// Writes the attributes of a grain, with the weight of its node if that is known.
    pub(super) fn write_grain(
        &mut self,
        grain: usize,
        weight: Option<i64>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let columns = self.attributes.table.columns().iter().enumerate();
        for ((number, column), id) in columns.zip(&self.ids) {
            self.text.clear();
            let has_value = push_cell(&column.values, grain, escape, &mut self.text);
            match weight.filter(|_| self.attributes.is_weight(number, has_value)) {
                Some(weight) => write_data(id, &weight.to_string(), out)?,
                None if has_value => write_data(id, &self.text, out)?,
                None => {}
            }
        }
        Ok(())
    }

    /// A value of a column that is not of a grain.
    pub(super) fn write_value(
        &mut self,
        column: usize,
        values: &Values<'_>,
        row: usize,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.text.clear();
        if push_cell(values, row, escape, &mut self.text) {
            write_data(&self.ids[column], &self.text, out)?;
        }
        Ok(())
    }
}

pub(super) fn declare_key(
    id: &str,
    name: &str,
    value_type: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(
        out,
        "  <key id=\"{id}\" for=\"node\" attr.name=\"{name}\" attr.type=\"{value_type}\"/>"
    )
}

pub(super) fn write_data(id: &str, text: &str, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "      <data key=\"{id}\">{text}</data>")
}
