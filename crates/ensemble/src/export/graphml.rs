//! The grain graph in GraphML, as the grain-graphs prototype writes it: one graph, all nodes before all
//! edges, absent values without an element.

mod groups;
mod nested;
mod yed;

use std::io::{self, BufWriter, Write};

use sheaf_model::Progress;

use super::attributes::Attributes;
use super::check;
use super::graph::GraphView;
use super::rows::{Cell, CellType, Column};
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
    let keys = Keys::new(&attributes.columns);
    let mut out = BufWriter::with_capacity(1 << 16, out);
    out.write_all(HEAD)?;
    keys.declare(&mut out)?;
    out.write_all(EDGE_KEYS)?;
    out.write_all(b"  <graph id=\"G\" edgedefault=\"directed\">\n")?;
    about(&graph, &mut out)?;
    let total = graph.graph.num_nodes();
    let mut cells = Vec::new();
    for (node, name) in graph.nodes() {
        check(progress, node as usize, total)?;
        attributes.fill(&graph, node, &name, &mut cells);
        writeln!(out, "    <node id=\"n{node}\">")?;
        keys.data(&cells, &mut out)?;
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
"#;

const EDGE_KEYS: &[u8] = br#"  <key id="e_type" for="edge" attr.name="type" attr.type="string"/>
  <key id="e_weight" for="edge" attr.name="weight" attr.type="long"/>
  <key id="e_on_crit_path" for="edge" attr.name="on_crit_path" attr.type="long"/>
"#;

fn about(graph: &GraphView<'_>, out: &mut impl Write) -> io::Result<()> {
    let meta = &graph.source.tables.summary.meta;
    let id = meta.id.to_string();
    let data = [
        ("exporter", "grainsheaf"),
        ("run", &id),
        ("name", &meta.name),
        ("program", &meta.program),
        ("time_unit", graph.source.time_unit()),
        ("form", graph.form.as_str()),
    ];
    for (key, value) in data {
        writeln!(out, "    <data key=\"g_{key}\">{}</data>", escape(value))?;
    }
    Ok(())
}

fn edges(graph: &GraphView<'_>, source: u32, out: &mut impl Write) -> io::Result<()> {
    for &edge in graph.graph.edges(source) {
        let target = edge.target;
        let edge_type = graph.edge_type(source, edge);
        write!(
            out,
            "    <edge source=\"n{source}\" target=\"n{target}\">\
             <data key=\"e_type\">{edge_type}</data>"
        )?;
        let weight = match edge_type {
            "create" | "continue" if graph.form == GraphForm::Reduced => Cell::Integer(0),
            _ => graph.weight(source),
        };
        if weight != Cell::Absent {
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
    columns: &'a [Column],
    /// Escaped.
    ids: Vec<String>,
}

impl<'a> Keys<'a> {
    pub(super) fn new(columns: &'a [Column]) -> Self {
        let ids = columns.iter().enumerate().map(|(number, column)| {
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
            columns,
        }
    }

    pub(super) fn declare(&self, out: &mut impl Write) -> io::Result<()> {
        for (id, column) in self.ids.iter().zip(self.columns) {
            let name = escape(&column.name);
            let cell_type = match column.cell_type {
                CellType::Integer => "long",
                CellType::Float => "double",
                CellType::Text => "string",
            };
            writeln!(
                out,
                "  <key id=\"{id}\" for=\"node\" attr.name=\"{name}\" attr.type=\"{cell_type}\"/>"
            )?;
        }
        Ok(())
    }

    /// The values that are there.
    pub(super) fn data(&self, cells: &[Cell<'_>], out: &mut impl Write) -> io::Result<()> {
        for (id, cell) in self.ids.iter().zip(cells) {
            match cell {
                Cell::Absent => {}
                Cell::Text(text) => {
                    writeln!(out, "      <data key=\"{id}\">{}</data>", escape(text))?;
                }
                Cell::Integer(_) | Cell::Float(_) => {
                    writeln!(out, "      <data key=\"{id}\">{cell}</data>")?;
                }
            }
        }
        Ok(())
    }
}
