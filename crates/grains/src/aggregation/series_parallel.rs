//! Siblings that depend on each other, as series and parallel parts where they can be ("The recognition of
//! series parallel digraphs", Valdes, Tarjan and Lawler 1982).
//!
//! Every grain is an edge from its begin to its end, every dependence an edge from an end to a begin. Two
//! edges in a row become one, and so do two between the same nodes, until one is left or nothing more can
//! be done. A dependence beside another way between the same nodes says nothing new, and goes.

mod expressions;
mod order;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use self::expressions::Expressions;
use self::order::Order;
use crate::grain_graph::to_u32;

/// Stands for no grain in an expression: a dependence alone.
const EMPTY: u32 = u32::MAX;

/// A step of writing the parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// The grain at that place.
    Grain(u32),
    /// Parts in a row begin.
    Series,
    /// Parts side by side begin.
    Parallel,
    /// The innermost parts that began end.
    End,
}

/// The parts of `count` grains with the given dependences, predecessor first, by their places; parts side by
/// side stand in the order of their first grains, those at the top without begin and end. Absent when
/// such groups cannot express their order. Linear but for the sorting of dependences.
pub(super) fn parts(count: u32, dependences: &[(u32, u32)]) -> Option<Vec<Part>> {
    let mut reduction = Reduction::new(count, dependences);
    let root = reduction.run()?;
    Some(reduction.expressions.parts(root))
}

#[derive(Clone, Copy)]
struct Edge {
    from: u32,
    to: u32,
    expression: u32,
}

/// Edges that leave or enter a node: their number, and all their numbers combined, which is the one edge
/// where there is one.
#[derive(Clone, Copy, Default)]
struct Side {
    count: u32,
    combined: u32,
}

impl Side {
    fn add(&mut self, edge: u32) {
        self.count += 1;
        self.combined ^= edge;
    }

    fn remove(&mut self, edge: u32) {
        self.count -= 1;
        self.combined ^= edge;
    }

    fn only(self) -> Option<u32> {
        (self.count == 1).then_some(self.combined)
    }
}

struct Reduction {
    expressions: Expressions,
    edges: Vec<Edge>,
    num_alive: usize,
    between: HashMap<(u32, u32), u32>,
    incoming: Vec<Side>,
    outgoing: Vec<Side>,
}

/// Nodes: the source, the sink, then begin and end of each grain, then meeting points.
const SOURCE: u32 = 0;
const SINK: u32 = 1;

fn begin(grain: u32) -> u32 {
    2 + 2 * grain
}

fn end(grain: u32) -> u32 {
    3 + 2 * grain
}

impl Reduction {
    fn new(count: u32, dependences: &[(u32, u32)]) -> Self {
        let order = Order::of(count, dependences);
        let nodes = (begin(count) + to_u32(order.meetings.len())) as usize;
        let mut reduction = Self {
            expressions: Expressions::new(count),
            edges: Vec::new(),
            num_alive: 0,
            between: HashMap::new(),
            incoming: vec![Side::default(); nodes],
            outgoing: vec![Side::default(); nodes],
        };
        for grain in 0..count {
            reduction.connect(begin(grain), end(grain), grain);
            if order.before[grain as usize].is_empty() {
                reduction.connect(SOURCE, begin(grain), EMPTY);
            }
            match order.meeting_of[grain as usize] {
                EMPTY => {
                    for &next in &order.after[grain as usize] {
                        reduction.connect(end(grain), begin(next), EMPTY);
                    }
                }
                meeting => reduction.connect(end(grain), begin(count) + meeting, EMPTY),
            }
            if order.after[grain as usize].is_empty() {
                reduction.connect(end(grain), SINK, EMPTY);
            }
        }
        for (meeting, &first) in (begin(count)..).zip(&order.meetings) {
            for &next in &order.after[first as usize] {
                reduction.connect(meeting, begin(next), EMPTY);
            }
        }
        reduction
    }

    /// Adds an edge, or its expression to the edge that is there.
    fn connect(&mut self, from: u32, to: u32, expression: u32) {
        if let Some(&edge) = self.between.get(&(from, to)) {
            let there = self.edges[edge as usize].expression;
            let both = self.expressions.pair(false, there, expression);
            self.edges[edge as usize].expression = both;
            return;
        }
        let edge = to_u32(self.edges.len());
        self.edges.push(Edge {
            from,
            to,
            expression,
        });
        self.between.insert((from, to), edge);
        self.outgoing[from as usize].add(edge);
        self.incoming[to as usize].add(edge);
        self.num_alive += 1;
    }

    fn remove(&mut self, edge: u32) -> Edge {
        let removed = self.edges[edge as usize];
        self.between.remove(&(removed.from, removed.to));
        self.outgoing[removed.from as usize].remove(edge);
        self.incoming[removed.to as usize].remove(edge);
        self.num_alive -= 1;
        removed
    }

    /// The expression of the one edge that is left, from the source to the sink.
    fn run(&mut self) -> Option<u32> {
        let mut rest: Vec<u32> = (SINK + 1..to_u32(self.incoming.len())).rev().collect();
        while let Some(node) = rest.pop() {
            if node <= SINK {
                continue;
            }
            let ways = (self.incoming[node as usize], self.outgoing[node as usize]);
            let (Some(first), Some(second)) = (ways.0.only(), ways.1.only()) else {
                continue;
            };
            let (first, second) = (self.remove(first), self.remove(second));
            let series = self
                .expressions
                .pair(true, first.expression, second.expression);
            if first.from == second.to {
                return None;
            }
            self.connect(first.from, second.to, series);
            rest.extend([first.from, second.to]);
        }
        let last = self
            .between
            .get(&(SOURCE, SINK))
            .filter(|_| self.num_alive == 1)?;
        Some(self.edges[*last as usize].expression)
    }
}
