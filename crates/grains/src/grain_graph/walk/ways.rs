//! Values that a walk passes along the edges of a graph.

use super::super::NONE;
use super::super::graph::EdgeKind;

/// A node to which several edges can lead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Place {
    /// The first node of a grain.
    Begin(u32),
    /// The join of a set.
    Join(u32),
    /// A barrier of a team.
    Barrier(u32),
}

/// Facts about the ways to nodes, each computed from the nodes before it.
///
/// A result must not depend on the order in which a walk visits nodes that no edge orders.
pub(in super::super) trait Ways {
    /// What is known of the ways to a node.
    type Way: Copy;
    /// What is known of the ways along several edges to one node.
    type Arrivals: Copy;

    /// At a node to which no edge leads.
    fn start(&self) -> Self::Way;

    /// After a fragment of a grain.
    fn run(&mut self, way: Self::Way, grain: u32, row: u32, duration: i64) -> Self::Way;

    /// After an edge that is the only one to its node.
    fn follow(&self, way: Self::Way, kind: EdgeKind) -> Self::Way;

    /// After one of the edges to a node, from a node of a grain ([`NONE`] for the run itself). A continuation is the edge
    /// along the grain of the node.
    fn arrive(&self, way: Self::Way, from: u32, kind: EdgeKind) -> Self::Arrivals;

    /// Adds the ways along other edges to the same node.
    fn add(&self, arrivals: &mut Self::Arrivals, others: Self::Arrivals);

    /// At a node, once the ways along all edges to it are known.
    fn leave(&mut self, arrivals: Self::Arrivals, place: Place) -> Self::Way;

    /// At the last node of a grain. No edge leaves it if `is_sink`.
    fn end(&mut self, grain: u32, way: Self::Way, is_sink: bool);
}

/// Two facts in one walk.
impl<A: Ways, B: Ways> Ways for (A, B) {
    type Way = (A::Way, B::Way);
    type Arrivals = (A::Arrivals, B::Arrivals);

    fn start(&self) -> Self::Way {
        (self.0.start(), self.1.start())
    }

    fn run(&mut self, way: Self::Way, grain: u32, row: u32, duration: i64) -> Self::Way {
        (
            self.0.run(way.0, grain, row, duration),
            self.1.run(way.1, grain, row, duration),
        )
    }

    fn follow(&self, way: Self::Way, kind: EdgeKind) -> Self::Way {
        (self.0.follow(way.0, kind), self.1.follow(way.1, kind))
    }

    fn arrive(&self, way: Self::Way, from: u32, kind: EdgeKind) -> Self::Arrivals {
        (
            self.0.arrive(way.0, from, kind),
            self.1.arrive(way.1, from, kind),
        )
    }

    fn add(&self, arrivals: &mut Self::Arrivals, others: Self::Arrivals) {
        self.0.add(&mut arrivals.0, others.0);
        self.1.add(&mut arrivals.1, others.1);
    }

    fn leave(&mut self, arrivals: Self::Arrivals, place: Place) -> Self::Way {
        (
            self.0.leave(arrivals.0, place),
            self.1.leave(arrivals.1, place),
        )
    }

    fn end(&mut self, grain: u32, way: Self::Way, is_sink: bool) {
        self.0.end(grain, way.0, is_sink);
        self.1.end(grain, way.1, is_sink);
    }
}

/// The edge to each node that decides its value, as far as it is needed to follow a way back. Within a grain it is the edge
/// from the node before.
#[derive(Debug, Default)]
pub(in super::super) struct Winners {
    /// By grain, the one that it depends on; [`NONE`] if its creation counts. Empty if no grain depends on another.
    begins: Vec<u32>,
    /// By set, the member that ended last; [`NONE`] if the way along the owner counts.
    joins: Vec<u32>,
    /// By barrier, the member that arrived last.
    barriers: Vec<u32>,
}

impl Winners {
    /// For the numbers of grains, sets and barriers. Takes 4 bytes for each; none for grains without dependences.
    pub(in super::super) fn new(grains: usize, sets: usize, barriers: usize) -> Self {
        Self {
            begins: vec![NONE; grains],
            joins: vec![NONE; sets],
            barriers: vec![NONE; barriers],
        }
    }

    pub(super) fn set(&mut self, place: Place, winner: u32) {
        let slot = match place {
            Place::Begin(grain) => self.begins.get_mut(grain as usize),
            Place::Join(set) => self.joins.get_mut(set as usize),
            Place::Barrier(barrier) => self.barriers.get_mut(barrier as usize),
        };
        if let Some(slot) = slot {
            *slot = winner;
        }
    }

    pub(super) fn get(&self, place: Place) -> u32 {
        let winner = match place {
            Place::Begin(grain) => self.begins.get(grain as usize),
            Place::Join(set) => self.joins.get(set as usize),
            Place::Barrier(barrier) => self.barriers.get(barrier as usize),
        };
        winner.copied().unwrap_or(NONE)
    }
}

/// The origin of an edge that competes with other edges to a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Origin {
    /// Grain of the node that the edge leaves.
    from: u32,
    kind: EdgeKind,
}

impl Origin {
    pub(super) fn new(from: u32, kind: EdgeKind) -> Self {
        Self { from, kind }
    }

    /// Orders edges to one node by the numbers of the nodes that they leave: those of the run itself come first, then those
    /// of each grain. A dependence leaves the last node of a grain.
    pub(super) fn order(self) -> (u32, bool) {
        let is_dependence = self.kind == EdgeKind::Dependence;
        (self.from.wrapping_add(1), is_dependence)
    }

    /// What [`Winners`] keep of it.
    pub(super) fn winner(self) -> u32 {
        match self.kind {
            EdgeKind::Creation | EdgeKind::Continuation => NONE,
            EdgeKind::Synchronisation | EdgeKind::Dependence => self.from,
        }
    }
}
