//! Drawing records of yEd.

use std::io::{self, Write};

use super::super::xml::escape;

/// Characters of a name that a label shows.
const LABEL: usize = 60;

pub(super) const HEAD: &[u8] = br#"<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:y="http://www.yworks.com/xml/graphml" xmlns:yed="http://www.yworks.com/xml/yed/3" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://www.yworks.com/xml/schema/graphml/1.1/ygraphml.xsd">
  <key id="g_exporter" for="graph" attr.name="exporter" attr.type="string"/>
  <key id="g_run" for="graph" attr.name="run" attr.type="string"/>
  <key id="g_name" for="graph" attr.name="name" attr.type="string"/>
  <key id="g_program" for="graph" attr.name="program" attr.type="string"/>
  <key id="g_time_unit" for="graph" attr.name="time_unit" attr.type="string"/>
  <key id="g_form" for="graph" attr.name="form" attr.type="string"/>
  <key id="g_complete" for="graph" attr.name="complete" attr.type="boolean"/>
  <key id="g_workers" for="graph" attr.name="workers" attr.type="long"/>
"#;

pub(super) const KEYS: &[u8] = br#"  <key id="v_.graphics" for="node" yfiles.type="nodegraphics"/>
  <key id="e_type" for="edge" attr.name="type" attr.type="string"/>
  <key id="e_.graphics" for="edge" yfiles.type="edgegraphics"/>
"#;

/// How a node that is no group is drawn.
pub(super) struct Shape<'a> {
    pub(super) label: &'a str,
    pub(super) outline: &'static str,
    pub(super) is_critical: bool,
}

impl Shape<'_> {
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let label: String = self.label.chars().take(LABEL).collect();
        let (width, fill) = match self.outline {
            "ellipse" => (20, "#FFD8A8"),
            _ => (120, "#DCE6F2"),
        };
        let (border, line) = if self.is_critical {
            ("#FF0000", "2.0")
        } else {
            ("#555555", "1.0")
        };
        writeln!(
            out,
            "<data key=\"v_.graphics\"><y:ShapeNode>\
             <y:Geometry height=\"20.0\" width=\"{width}.0\"/>\
             <y:Fill color=\"{fill}\" transparent=\"false\"/>\
             <y:BorderStyle color=\"{border}\" type=\"line\" width=\"{line}\"/>\
             <y:NodeLabel>{}</y:NodeLabel>\
             <y:Shape type=\"{}\"/></y:ShapeNode></data>",
            escape(&label),
            self.outline
        )
    }
}

/// A group, open and closed; the closed one has a red border where there is a problem within, else a green
/// one.
pub(super) fn group(label: &str, is_problematic: bool, out: &mut impl Write) -> io::Result<()> {
    let label = escape(label);
    let closed = if is_problematic { "#FF0000" } else { "#00A000" };
    out.write_all(b"<data key=\"v_.graphics\"><y:ProxyAutoBoundsNode><y:Realizers active=\"0\">")?;
    for (is_closed, border, width) in [(false, "#888888", "1.0"), (true, closed, "3.0")] {
        write!(
            out,
            "<y:GroupNode><y:Geometry height=\"50.0\" width=\"50.0\"/>\
             <y:Fill color=\"#F5F5F5\" transparent=\"false\"/>\
             <y:BorderStyle color=\"{border}\" type=\"line\" width=\"{width}\"/>\
             <y:NodeLabel modelName=\"internal\" modelPosition=\"t\">{label}</y:NodeLabel>\
             <y:Shape type=\"roundrectangle\"/><y:State closed=\"{is_closed}\"/></y:GroupNode>"
        )?;
    }
    out.write_all(b"</y:Realizers></y:ProxyAutoBoundsNode></data>\n")
}

/// An arrow.
pub(super) fn edge(edge_type: &str, out: &mut impl Write) -> io::Result<()> {
    let color = match edge_type {
        "create" => "#2E7D32",
        "sync" => "#C62828",
        _ => "#555555",
    };
    write!(
        out,
        "<data key=\"e_.graphics\"><y:PolyLineEdge>\
         <y:LineStyle color=\"{color}\" type=\"line\" width=\"1.0\"/>\
         <y:Arrows source=\"none\" target=\"standard\"/></y:PolyLineEdge></data>"
    )
}
