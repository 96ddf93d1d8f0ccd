//! The static graph of a program, as the library writes it for Graphviz.

use std::collections::HashMap;

/// An edge between two nodes, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Whether a condition chooses it: it may never be taken, or taken often.
    pub(super) is_conditional: bool,
}

/// Nodes in the order in which they were met, and the edges between them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TaskGraph {
    /// Names; nodes without one have none.
    pub(super) names: Vec<Option<String>>,
    pub(super) edges: Vec<Edge>,
}

impl TaskGraph {
    /// Reads line by line: a node is `p0x1[label="name" …];`, an edge `p0x1 -> p0x2 …;`. Labels are
    /// not escaped. Other lines are not looked at.
    pub(super) fn parse(text: &str) -> Self {
        let mut graph = Self::default();
        let mut known: HashMap<&str, usize> = HashMap::new();
        for line in text.lines().map(str::trim) {
            let node = line.split_once("[label=\"");
            if let Some((id, label)) = node.filter(|(id, _)| !id.contains("->")) {
                let (Some(id), Some(label)) = (node_id(id), label_of(label)) else {
                    continue;
                };
                let node = graph.node(id, &mut known);
                // A node without a name is labelled with its address.
                if label != id
                    && let Some(name) = graph.names.get_mut(node)
                {
                    *name = Some(label.to_owned());
                }
            } else if let Some((from, rest)) = line.split_once("->")
                && let (Some(from), Some(to)) = (node_id(from), node_id(rest))
            {
                let from = graph.node(from, &mut known);
                let to = graph.node(to, &mut known);
                let is_conditional = rest.contains("dashed");
                graph.edges.push(Edge {
                    from,
                    to,
                    is_conditional,
                });
            }
        }
        graph
    }

    fn node<'a>(&mut self, id: &'a str, known: &mut HashMap<&'a str, usize>) -> usize {
        *known.entry(id).or_insert_with(|| {
            self.names.push(None);
            self.names.len() - 1
        })
    }
}

/// The id at the beginning of a text; `None` where there is something else.
fn node_id(text: &str) -> Option<&str> {
    let text = text.trim();
    let end = text.find(|c: char| c.is_whitespace() || matches!(c, ';' | '['));
    let id = text.get(..end.unwrap_or(text.len()))?.trim_matches('"');
    (!id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')).then_some(id)
}

/// A label up to the quote that ends it: the last one before other attributes.
fn label_of(text: &str) -> Option<&str> {
    let end = text
        .find("\" shape=")
        .or_else(|| text.find("\", shape="))
        .or_else(|| text.rfind("\" ]"))
        .or_else(|| text.rfind("\"]"))?;
    text.get(..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_and_edges_are_found() {
        let graph = TaskGraph::parse(
            "digraph Taskflow {\nsubgraph cluster_p1 {\nlabel=\"Taskflow: t\";\n\
             p1[label=\"a -> \"b\"\" ];\np1 -> p2;\n\
             p2[label=\"cond\" shape=diamond color=black ];\n\
             p2 -> p1 [style=dashed label=\"0\"];\np3[label=\"p3\" ];\n}\n}",
        );
        let names: Vec<_> = graph.names.iter().map(Option::as_deref).collect();
        assert_eq!(names, [Some("a -> \"b\""), Some("cond"), None]);
        let edges: Vec<_> = graph
            .edges
            .iter()
            .map(|edge| (edge.from, edge.to))
            .collect();
        assert_eq!(edges, [(0, 1), (1, 0)]);
        assert!(graph.edges[1].is_conditional && !graph.edges[0].is_conditional);
    }
}
