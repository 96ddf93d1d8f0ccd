//! Parents and joins in reduced graphs.
//!
//! A fork after a task is that task's first, a fork after a join the next one of whom the join
//! belongs to. A join belongs to whom its branches were forked by. A task after a join, or at the
//! start, which the tools read but do not write, counts as a fork and join of one around it.

use super::graph::{Graph, Kind, Neighbours};
use super::structure::{Structure, check};
use crate::Error;
use crate::mir::NONE;

/// Where a fork or join belongs: row of the task, [`NONE`] for the program, and number within it.
type Place = (u32, i64);

struct Walk<'a> {
    graph: &'a Graph,
    neighbours: &'a Neighbours<'a>,
    structure: Structure,
    /// Places of forks and joins, by node.
    places: Vec<Place>,
    /// The fork whose join collects each task, by row; [`NONE`] at the outermost level.
    collectors: Vec<u32>,
    /// Children of each task so far; the last is the program.
    children: Vec<i64>,
}

pub(super) fn structure(graph: &Graph) -> Result<Structure, Error> {
    let neighbours = Neighbours::of(graph);
    check(graph, &neighbours)?;
    let order = neighbours.complete_order(graph)?;
    let rows = graph.table.len();
    let mut walk = Walk {
        graph,
        neighbours: &neighbours,
        structure: Structure {
            parents: vec![NONE; rows],
            joins: vec![None; rows],
            order: vec![0; rows],
            empty_branches: 0,
        },
        places: vec![(NONE, 0); graph.kinds.len()],
        collectors: vec![NONE; rows],
        children: vec![0; rows + 1],
    };
    for node in order {
        match graph.kind(node) {
            Kind::Fork => walk.fork(node),
            Kind::Task => walk.task(node),
            Kind::Join => walk.join(node)?,
            _ => {}
        }
        walk.check_end(node)?;
    }
    Ok(walk.structure)
}

impl Walk<'_> {
    fn place(&self, node: u32) -> Place {
        self.places.get(node as usize).copied().unwrap_or((NONE, 0))
    }

    fn collector(&self, row: u32) -> u32 {
        self.collectors.get(row as usize).copied().unwrap_or(NONE)
    }

    fn fork(&mut self, fork: u32) {
        let before = self.neighbours.predecessors(fork).next();
        let place = match before.map(|node| (node, self.graph.kind(node))) {
            Some((task, Kind::Task)) => (self.graph.row(task), 0),
            Some((join, Kind::Join)) => self.after(join),
            _ => (NONE, 0),
        };
        if let Some(slot) = self.places.get_mut(fork as usize) {
            *slot = place;
        }
        for child in self.neighbours.successors(fork) {
            match self.graph.row(child) {
                NONE => self.structure.empty_branches += 1,
                row => self.child(row, place, fork),
            }
        }
    }

    fn after(&self, join: u32) -> Place {
        let (owner, number) = self.place(join);
        (owner, number.saturating_add(1))
    }

    fn child(&mut self, row: u32, (owner, number): Place, collector: u32) {
        let at = row as usize;
        let last = self.children.len() - 1;
        let siblings = self.children.get_mut((owner as usize).min(last));
        let place = siblings.map_or(0, |count| {
            *count += 1;
            *count - 1
        });
        let structure = &mut self.structure;
        let slots = (
            structure.parents.get_mut(at),
            structure.joins.get_mut(at),
            structure.order.get_mut(at),
            self.collectors.get_mut(at),
        );
        if let (Some(parent), Some(join), Some(order), Some(slot)) = slots {
            (*parent, *join, *order, *slot) = (owner, Some(number), place, collector);
        }
    }

    /// A task that no fork precedes.
    fn task(&mut self, task: u32) {
        let row = self.graph.row(task);
        let before = self.neighbours.predecessors(task).next();
        match before.map(|node| (node, self.graph.kind(node))) {
            Some((_, Kind::Fork)) => {}
            Some((join, Kind::Join)) => {
                let place = self.after(join);
                // Whoever collects the owner of the join collects what follows it.
                let collector = match place.0 {
                    NONE => NONE,
                    owner => self.collector(owner),
                };
                self.child(row, place, collector);
            }
            _ => self.child(row, (NONE, 0), NONE),
        }
    }

    /// The fork that a branch ends the way from, when `node` is its last.
    fn branch(&self, node: u32) -> u32 {
        match self.graph.kind(node) {
            Kind::Fork => node,
            Kind::Task => self.collector(self.graph.row(node)),
            _ => match self.place(node).0 {
                NONE => NONE,
                owner => self.collector(owner),
            },
        }
    }

    fn join(&mut self, join: u32) -> Result<(), Error> {
        let mut before = self.neighbours.predecessors(join);
        let num_branches = before.len();
        let fork = before.next().map_or(NONE, |node| self.branch(node));
        if fork == NONE {
            let reason = "the join collects what no fork began";
            return Err(self.graph.broken(join, reason));
        }
        if let Some(other) = before.find(|&node| self.branch(node) != fork) {
            let (fork, other) = (self.graph.ids.place(fork), self.graph.ids.place(other));
            let reason = format!("the join collects {other}, which is not of its fork, {fork}");
            return Err(self.graph.broken(join, reason));
        }
        let num_forked = self.neighbours.successors(fork).len();
        if num_forked != num_branches {
            let fork = self.graph.ids.place(fork);
            let reason = format!("the join collects {num_branches} of {num_forked} of {fork}");
            return Err(self.graph.broken(join, reason));
        }
        let place = self.place(fork);
        if let Some(slot) = self.places.get_mut(join as usize) {
            *slot = place;
        }
        Ok(())
    }

    /// The program ends at its outermost level.
    fn check_end(&self, node: u32) -> Result<(), Error> {
        let mut after = self.neighbours.successors(node);
        let is_last = after
            .next()
            .is_none_or(|next| self.graph.kind(next) == Kind::End);
        let is_inner =
            matches!(self.graph.kind(node), Kind::Task | Kind::Join) && self.branch(node) != NONE;
        if is_last && is_inner {
            let fork = self.graph.ids.place(self.branch(node));
            let reason = format!("the graph ends here before the join of {fork}");
            return Err(self.graph.broken(node, reason));
        }
        Ok(())
    }
}
