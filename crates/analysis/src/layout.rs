//! Geometry of the Sankey: rectangles of nodes and bands of edges, the same for the same graph.
//!
//! A layered drawing after Sugiyama, Tagawa & Toda (1981): every edge that crosses columns gets an
//! invisible slot in each of them, so that its band never runs under a node; barycentre sweeps
//! choose the order within a column; then slots relax towards the weighted mean of their
//! neighbours, and an isotonic regression per column keeps the order and the gaps.
//!
//! The order of the input does not matter: nodes are taken by column, descending weight and name,
//! edges by their ends. Only nodes that agree in all three are ordered by their place.

mod columns;
mod order;
mod relax;
#[cfg(test)]
mod tests;

use columns::Columns;
use sheaf_answers::{Geometry, Point};

/// A node to place.
#[derive(Debug, Clone, PartialEq)]
pub struct LayoutNode {
    /// Column, from the left; levels without nodes take no room.
    pub level: u32,
    /// Greatest inclusive value over runs; what is not a positive number counts as zero.
    pub weight: f64,
    /// Name, the second key of every order.
    pub name: String,
}

/// An edge to place. Edges that do not lead to a higher level get no band.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayoutEdge {
    /// Index of the caller's node.
    pub source: usize,
    /// Index of the callee's node.
    pub target: usize,
    /// Greatest inclusive value over runs; what is not a positive number counts as zero.
    pub weight: f64,
}

/// The frame and the sizes within it, all in one unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayoutOptions {
    /// Width of the frame.
    pub width: f64,
    /// Height of the frame.
    pub height: f64,
    /// Width of every node.
    pub node_width: f64,
    /// Gap between nodes of a column; a column gives at most half its height to gaps.
    pub padding: f64,
    /// Least height of a node; smaller only where a column has no room for that many.
    pub min_height: f64,
}

impl Default for LayoutOptions {
    fn default() -> Self {
        Self {
            width: 1200.0,
            height: 700.0,
            node_width: 50.0,
            padding: 16.0,
            min_height: 2.0,
        }
    }
}

/// The geometry of a graph.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layout {
    /// Rectangles, parallel to the nodes.
    pub nodes: Vec<Geometry>,
    /// Bands, parallel to the edges: the source's right side, both sides of each crossed column,
    /// the target's left side. Empty for edges that do not lead to a higher level.
    pub bands: Vec<Vec<Point>>,
    /// Height of one unit of weight; 0 when nothing has weight.
    pub scale: f64,
}

/// Places `nodes` and `edges` in the frame.
///
/// A node is as high as its weight. A band leaves it with the edge's share of the node, or of the
/// edges that leave it when these are more than the node (maxima of different runs can add up to
/// more); what no edge takes stays unused at the bottom of the right side: the exclusive part. A
/// band enters with its share of the target's incoming edges.
///
/// ```
/// use sheaf_analysis::layout::{LayoutEdge, LayoutNode, LayoutOptions, layout_sankey};
/// let node = |level, weight, name: &str| LayoutNode { level, weight, name: name.into() };
/// let nodes = [node(0, 10.0, "main"), node(1, 6.0, "solve")];
/// let edges = [LayoutEdge { source: 0, target: 1, weight: 6.0 }];
/// let layout = layout_sankey(&nodes, &edges, &LayoutOptions::default());
/// assert_eq!(layout.nodes[0].height, 700.0);
/// assert_eq!(layout.bands[0][0].height, 420.0);
/// ```
pub fn layout_sankey(
    nodes: &[LayoutNode],
    edges: &[LayoutEdge],
    options: &LayoutOptions,
) -> Layout {
    let options = options.sane();
    let mut columns = Columns::new(nodes, edges, &options);
    order::reduce_crossings(&mut columns);
    columns.stack_ports();
    let tops = relax::positions(&columns, options.height);
    columns.geometry(&tops, nodes.len(), edges.len(), &options)
}

impl LayoutOptions {
    /// The options with everything that is not a positive number as zero.
    fn sane(&self) -> Self {
        Self {
            width: positive(self.width),
            height: positive(self.height),
            node_width: positive(self.node_width).min(positive(self.width)),
            padding: positive(self.padding),
            min_height: positive(self.min_height),
        }
    }
}

/// `value` when it is positive and finite, else zero.
fn positive(value: f64) -> f64 {
    if value.is_finite() && value > 0.0 {
        value
    } else {
        0.0
    }
}
