//! The grain graph for Graphviz.

use std::io::{self, BufWriter, Write};

use sheaf_model::{Progress, is_invisible};

use super::check;
use super::graph::GraphView;
use super::run::{Source, kind_name};
use super::xml::visible;
use crate::GraphForm;

/// Characters of a name that a label shows.
const LABEL: usize = 60;

/// Writes the graph; `out` need not be buffered.
pub(super) fn write(
    source: &Source<'_>,
    form: GraphForm,
    progress: &Progress,
    out: &mut dyn Write,
) -> io::Result<()> {
    let graph = GraphView::new(source, form)?;
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let meta = &source.tables.summary.meta;
    writeln!(out, "digraph {} {{", quoted(&meta.name))?;
    writeln!(
        out,
        "  graph [run=\"{}\", program={}, time_unit=\"{}\", form=\"{form}\"];",
        meta.id,
        quoted(&meta.program),
        source.time_unit()
    )?;
    out.write_all(b"  node [shape=box, fontname=\"sans-serif\"];\n")?;
    let total = graph.graph.num_nodes();
    for (number, name) in graph.nodes() {
        check(progress, number as usize, total)?;
        node(&graph, number, &name, &mut out)?;
    }
    for number in 0..super::grain_rows::number(total) {
        check(progress, number as usize, total)?;
        edges(&graph, number, &mut out)?;
    }
    out.write_all(b"}\n")?;
    out.flush()
}

fn node(graph: &GraphView<'_>, node: u32, name: &str, out: &mut impl Write) -> io::Result<()> {
    let node_type = graph.node_type(node);
    write!(out, "  n{node} [type=\"{node_type}\", id=\"{name}\"")?;
    if let Some(grain) = graph.grain(node) {
        let source = graph.source;
        let context = source.context(grain);
        let definition = source.names.definition(context);
        let path = source.path(grain);
        let kind = source.kind(grain).map_or("", kind_name);
        let short: String = definition.chars().take(LABEL).collect();
        let tooltip = format!("{}\n{path}", source.names.path(context));
        write!(
            out,
            ", label={}, tooltip={}, definition={}, path={}, kind=\"{kind}\"",
            quoted(&format!("{short}\n{name}")),
            quoted(&tooltip),
            quoted(definition),
            quoted(&path)
        )?;
        let unit = source.time_unit();
        let work = source.tables.grains.work.get(grain);
        member(out, &format!("work_{unit}"), work)?;
        if graph.form == GraphForm::Unreduced {
            let duration = graph.graph.weight(node);
            member(out, &format!("duration_{unit}"), Some(duration))?;
        }
    } else {
        let (label, shape) = match node_type {
            "fork" => ("^", "circle"),
            "join" => ("*", "circle"),
            "start" => ("S", "box"),
            _ => ("E", "box"),
        };
        write!(out, ", label=\"{label}\", shape={shape}")?;
    }
    member(out, "earliest_start", graph.root_distance(node))?;
    if graph.is_critical(node) {
        out.write_all(b", critical=1, color=\"#c00000\", penwidth=2")?;
    }
    out.write_all(b"];\n")
}

fn member(out: &mut impl Write, name: &str, value: Option<i64>) -> io::Result<()> {
    value.map_or(Ok(()), |value| write!(out, ", {name}={value}"))
}

fn edges(graph: &GraphView<'_>, source: u32, out: &mut impl Write) -> io::Result<()> {
    for edge in graph.graph.edges(source) {
        let target = edge.target;
        let edge_type = graph.edge_type(source, edge);
        write!(out, "  n{source} -> n{target} [type=\"{edge_type}\"")?;
        if edge_type == "dependence" {
            out.write_all(b", style=dashed, constraint=false")?;
        }
        if graph.is_critical(source) && graph.is_critical(target) {
            out.write_all(b", critical=1, color=\"#c00000\", penwidth=2")?;
        }
        out.write_all(b"];\n")?;
    }
    Ok(())
}

/// A quoted text that Graphviz shows as it is: neither escapes nor entities nor markup.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '&' => quoted.push_str("&amp;"),
            '\n' => quoted.push_str("\\n"),
            _ => match visible(character) {
                hidden if is_invisible(hidden) => {
                    // The picture shows it as the terminal does.
                    quoted.push('\\');
                    quoted.extend(hidden.escape_unicode());
                }
                shown => quoted.push(shown),
            },
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_texts_stay_in_their_quotes() {
        let cases = [
            ("fib (task)", r#""fib (task)""#),
            (r#"a"]; n0 -> n1 ["#, r#""a\"]; n0 -> n1 [""#),
            (r"\N\", r#""\\N\\""#),
            ("&lt;\n\r", "\"&amp;lt;\\n␍\""),
            ("<b>x</b>", r#""<b>x</b>""#),
            ("a\u{202e}b", r#""a\\u{202e}b""#),
        ];
        for (text, expected) in cases {
            assert_eq!(quoted(text), expected);
        }
    }
}
