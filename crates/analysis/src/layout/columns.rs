//! Columns of slots: nodes, and one invisible slot per edge and column that the edge crosses.

use sheaf_answers::{Geometry, Point};

use super::{Layout, LayoutEdge, LayoutNode, LayoutOptions, positive};

/// Gap between two invisible slots, as a share of the padding.
const INVISIBLE_GAP: f64 = 0.25;

/// A place in a column.
pub(super) struct Slot {
    /// Index into the input's nodes; absent for invisible slots.
    pub(super) node: Option<usize>,
    /// Height in the picture.
    pub(super) height: f64,
    /// Segments to the column on the left, top first once ports are stacked.
    pub(super) incoming: Vec<usize>,
    /// Segments to the column on the right, top first once ports are stacked.
    pub(super) outgoing: Vec<usize>,
    /// Height as shares of nodes' heights: a node is all of itself, an invisible slot lies between
    /// a part of the edge's source and a part of its target.
    parts: [(usize, f64); 2],
}

/// The part of an edge between two neighbouring columns.
pub(super) struct Segment {
    /// Slot on the left.
    pub(super) source: usize,
    /// Slot on the right.
    pub(super) target: usize,
    /// How strongly it pulls: the edge's weight, as a share of the greatest.
    pub(super) pull: f64,
    /// Its middle, below the top of the left slot.
    pub(super) source_middle: f64,
    /// Its middle, below the top of the right slot.
    pub(super) target_middle: f64,
    source_height: f64,
    target_height: f64,
}

/// An edge that gets a band.
struct Chain {
    edge: usize,
    segments: Vec<usize>,
}

/// Everything that is placed, and the order within each column.
pub(super) struct Columns {
    pub(super) slots: Vec<Slot>,
    pub(super) segments: Vec<Segment>,
    /// Slots of each column, top first.
    pub(super) order: Vec<Vec<usize>>,
    /// Gap between slots of each column.
    padding: Vec<f64>,
    chains: Vec<Chain>,
    scale: f64,
}

/// An edge with what its band's ends are shares of.
struct Flow {
    edge: usize,
    source: usize,
    target: usize,
    pull: f64,
    /// Share of the source's height.
    leaving: f64,
    /// Share of the target's height.
    entering: f64,
}

impl Columns {
    /// Builds the columns in their first order: descending weight, then name.
    pub(super) fn new(nodes: &[LayoutNode], edges: &[LayoutEdge], options: &LayoutOptions) -> Self {
        let column_of = dense_levels(nodes);
        let column_count = column_of.iter().max().map_or(0, |&last| last + 1);
        let weights: Vec<f64> = nodes.iter().map(|node| positive(node.weight)).collect();
        let ranks = ranks(nodes, &weights);
        let mut columns = Self {
            slots: Vec::new(),
            segments: Vec::new(),
            order: vec![Vec::new(); column_count],
            padding: Vec::new(),
            chains: Vec::new(),
            scale: 0.0,
        };
        let mut slot_of = vec![0; nodes.len()];
        for &node in &ranks.order {
            slot_of[node] = columns.push(column_of[node], Some(node), [(node, 1.0), (node, 0.0)]);
        }
        for flow in flows(edges, &column_of, &weights, &ranks.rank) {
            columns.push_chain(&flow, &slot_of, &column_of);
        }
        columns.fit(&weights, options);
        for column in &mut columns.order {
            // Stable: nodes before invisible slots, each by rank, where heights are equal.
            column.sort_by(|&a, &b| columns.slots[b].height.total_cmp(&columns.slots[a].height));
        }
        columns
    }

    fn push(&mut self, column: usize, node: Option<usize>, parts: [(usize, f64); 2]) -> usize {
        let slot = self.slots.len();
        self.slots.push(Slot {
            node,
            height: 0.0,
            incoming: Vec::new(),
            outgoing: Vec::new(),
            parts,
        });
        self.order[column].push(slot);
        slot
    }

    fn push_chain(&mut self, flow: &Flow, slot_of: &[usize], column_of: &[usize]) {
        let (first, last) = (column_of[flow.source], column_of[flow.target]);
        let mut chain = Chain {
            edge: flow.edge,
            segments: Vec::with_capacity(last - first),
        };
        let mut left = slot_of[flow.source];
        for column in first + 1..=last {
            let right = if column == last {
                slot_of[flow.target]
            } else {
                let way = (column - first) as f64 / (last - first) as f64;
                let parts = [
                    (flow.source, (1.0 - way) * flow.leaving),
                    (flow.target, way * flow.entering),
                ];
                self.push(column, None, parts)
            };
            let segment = self.segments.len();
            self.segments.push(Segment {
                source: left,
                target: right,
                pull: flow.pull,
                source_middle: 0.0,
                target_middle: 0.0,
                source_height: if column == first + 1 {
                    flow.leaving
                } else {
                    1.0
                },
                target_height: if column == last { flow.entering } else { 1.0 },
            });
            self.slots[left].outgoing.push(segment);
            self.slots[right].incoming.push(segment);
            chain.segments.push(segment);
            left = right;
        }
        self.chains.push(chain);
    }

    /// Chooses gaps, least height and scale so that every column fits, and sets all heights.
    fn fit(&mut self, weights: &[f64], options: &LayoutOptions) {
        let mut least = options.min_height;
        let mut rooms = Vec::with_capacity(self.order.len());
        for column in &self.order {
            let gaps = self.gaps(column);
            let padding = if gaps > 0.0 {
                options.padding.min(options.height / 2.0 / gaps)
            } else {
                options.padding
            };
            let room = options.height - padding * gaps;
            let shares: f64 = self.parts(column).map(|(_, share)| share).sum();
            least = least.min(room / 2.0 / shares);
            self.padding.push(padding);
            rooms.push(room);
        }
        let scale = self
            .order
            .iter()
            .zip(rooms)
            .map(|(column, room)| self.column_scale(column, weights, least, room))
            .fold(f64::INFINITY, f64::min);
        self.scale = if scale.is_finite() { scale } else { 0.0 };
        let heights: Vec<f64> = weights
            .iter()
            .map(|weight| (weight * self.scale).max(least))
            .collect();
        for slot in &mut self.slots {
            slot.height = slot
                .parts
                .iter()
                .map(|&(node, share)| share * heights[node])
                .sum();
        }
        for segment in &mut self.segments {
            segment.source_height *= self.slots[segment.source].height;
            segment.target_height *= self.slots[segment.target].height;
        }
    }

    /// The greatest scale at which the column fits into `room`: the root of a convex, piecewise
    /// linear function, by Newton's method from above, which ends after finitely many steps.
    fn column_scale(&self, column: &[usize], weights: &[f64], least: f64, room: f64) -> f64 {
        let total: f64 = self
            .parts(column)
            .map(|(node, share)| share * weights[node])
            .sum();
        if total <= 0.0 {
            return f64::INFINITY;
        }
        let mut scale = room / total;
        for _ in 0..64 {
            let (mut fixed, mut slope) = (0.0, 0.0);
            for (node, share) in self.parts(column) {
                if scale * weights[node] > least {
                    slope += share * weights[node];
                } else {
                    fixed += share * least;
                }
            }
            let next = if slope > 0.0 {
                (room - fixed) / slope
            } else {
                0.0
            };
            if next >= scale {
                break;
            }
            scale = next;
        }
        scale.max(0.0)
    }

    fn parts<'a>(&'a self, column: &'a [usize]) -> impl Iterator<Item = (usize, f64)> + 'a {
        column.iter().flat_map(|&slot| self.slots[slot].parts)
    }

    /// Number of gaps in a column, those between two invisible slots counting less. An upper
    /// bound for every order: invisible slots are as often beside nodes as they can be.
    fn gaps(&self, column: &[usize]) -> f64 {
        let nodes = column
            .iter()
            .filter(|&&slot| self.slots[slot].node.is_some())
            .count();
        let all = column.len().saturating_sub(1);
        let wide = all.min(2 * nodes);
        wide as f64 + INVISIBLE_GAP * (all - wide) as f64
    }

    /// Gap between two slots that are neighbours in `column`.
    pub(super) fn gap(&self, column: usize, upper: usize, lower: usize) -> f64 {
        let both = self.slots[upper].node.or(self.slots[lower].node).is_none();
        self.padding[column] * if both { INVISIBLE_GAP } else { 1.0 }
    }

    /// Stacks the segments of every slot in the order of the slots they lead to, so that no two
    /// bands cross without need, and sets the segments' middles.
    pub(super) fn stack_ports(&mut self) {
        let place = places(&self.order, self.slots.len());
        let Self {
            slots, segments, ..
        } = self;
        for slot in slots.iter_mut() {
            slot.incoming
                .sort_by_key(|&segment| (place[segments[segment].source], segment));
            slot.outgoing
                .sort_by_key(|&segment| (place[segments[segment].target], segment));
            let mut used = 0.0;
            for &segment in &slot.incoming {
                segments[segment].target_middle = used + segments[segment].target_height / 2.0;
                used += segments[segment].target_height;
            }
            used = 0.0;
            for &segment in &slot.outgoing {
                segments[segment].source_middle = used + segments[segment].source_height / 2.0;
                used += segments[segment].source_height;
            }
        }
    }

    /// The picture, given the top of every slot.
    pub(super) fn geometry(
        &self,
        tops: &[f64],
        node_count: usize,
        edge_count: usize,
        options: &LayoutOptions,
    ) -> Layout {
        let gaps = self.order.len().saturating_sub(1).max(1) as f64;
        let step = (options.width - options.node_width) / gaps;
        let mut left = vec![0.0; self.slots.len()];
        let mut layout = Layout {
            nodes: vec![Geometry::default(); node_count],
            bands: vec![Vec::new(); edge_count],
            scale: self.scale,
        };
        for (column, slots) in self.order.iter().enumerate() {
            for &slot in slots {
                left[slot] = column as f64 * step;
                if let Some(node) = self.slots[slot].node {
                    layout.nodes[node] = Geometry {
                        x: left[slot],
                        y: tops[slot],
                        width: options.node_width,
                        height: self.slots[slot].height,
                    };
                }
            }
        }
        for chain in &self.chains {
            let band = &mut layout.bands[chain.edge];
            for &segment in &chain.segments {
                let segment = &self.segments[segment];
                let (source, target) = (segment.source, segment.target);
                band.push(Point {
                    x: left[source] + options.node_width,
                    y: tops[source] + segment.source_middle - segment.source_height / 2.0,
                    height: segment.source_height,
                });
                band.push(Point {
                    x: left[target],
                    y: tops[target] + segment.target_middle - segment.target_height / 2.0,
                    height: segment.target_height,
                });
            }
        }
        layout
    }
}

/// Place of every slot in its column.
pub(super) fn places(order: &[Vec<usize>], slot_count: usize) -> Vec<usize> {
    let mut place = vec![0; slot_count];
    for column in order {
        for (index, &slot) in column.iter().enumerate() {
            place[slot] = index;
        }
    }
    place
}

/// Column of every node: its level among the levels that occur.
fn dense_levels(nodes: &[LayoutNode]) -> Vec<usize> {
    let mut levels: Vec<u32> = nodes.iter().map(|node| node.level).collect();
    levels.sort_unstable();
    levels.dedup();
    nodes
        .iter()
        .map(|node| levels.partition_point(|&level| level < node.level))
        .collect()
}

struct Ranks {
    order: Vec<usize>,
    rank: Vec<usize>,
}

/// The order of nodes that everything else follows: by level, descending weight, name.
fn ranks(nodes: &[LayoutNode], weights: &[f64]) -> Ranks {
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_by(|&a, &b| {
        let levels = nodes[a].level.cmp(&nodes[b].level);
        levels
            .then_with(|| weights[b].total_cmp(&weights[a]))
            .then_with(|| nodes[a].name.cmp(&nodes[b].name))
    });
    let mut rank = vec![0; nodes.len()];
    for (place, &node) in order.iter().enumerate() {
        rank[node] = place;
    }
    Ranks { order, rank }
}

/// The edges that get bands, by rank of their ends, with their shares of the ends' heights.
fn flows(edges: &[LayoutEdge], column_of: &[usize], weights: &[f64], rank: &[usize]) -> Vec<Flow> {
    let column = |node: usize| column_of.get(node).copied();
    let mut kept: Vec<usize> = (0..edges.len())
        .filter(|&edge| {
            let ends = (column(edges[edge].source), column(edges[edge].target));
            matches!(ends, (Some(source), Some(target)) if source < target)
        })
        .collect();
    let weight = |edge: usize| positive(edges[edge].weight);
    kept.sort_by(|&a, &b| {
        let ends = |edge: usize| (rank[edges[edge].source], rank[edges[edge].target]);
        ends(a).cmp(&ends(b)).then(weight(b).total_cmp(&weight(a)))
    });
    let mut out = vec![0.0; weights.len()];
    let mut into = vec![0.0; weights.len()];
    let mut greatest = 0.0_f64;
    for &edge in &kept {
        out[edges[edge].source] += weight(edge);
        into[edges[edge].target] += weight(edge);
        greatest = greatest.max(weight(edge));
    }
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let flow = |edge: usize| {
        let LayoutEdge { source, target, .. } = edges[edge];
        Flow {
            edge,
            source,
            target,
            // Never zero, so that even weightless edges draw their ends together.
            pull: share(weight(edge), greatest).max(1e-3),
            leaving: share(weight(edge), out[source].max(weights[source])),
            entering: share(weight(edge), into[target]),
        }
    };
    kept.into_iter().map(flow).collect()
}
