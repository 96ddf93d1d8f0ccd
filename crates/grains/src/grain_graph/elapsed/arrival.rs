//! Chooses among the stretches before a node the one that finished last.

use super::super::NONE;
use super::super::graph::EdgeKind;

/// A stretch of a grain, and when it ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) struct Stretch {
    /// Row of its fragment, or its node: both have the same order. [`NONE`] for none.
    pub(in super::super) row: u32,
    pub(in super::super) end: i64,
}

impl Stretch {
    pub(in super::super) const NOTHING: Self = Self {
        row: NONE,
        end: i64::MIN,
    };

    pub(in super::super) fn is_nothing(self) -> bool {
        self.row == NONE
    }

    /// The later one; of two that ended at the same time the one with the smaller number.
    pub(in super::super) fn is_later(self, other: Self) -> bool {
        let is_later = || (self.end, other.row) > (other.end, self.row);
        !self.is_nothing() && (other.is_nothing() || is_later())
    }
}

/// The stretch that finished last before a node, and the kind of the way from there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) struct Arrival {
    pub(in super::super) stretch: Stretch,
    pub(in super::super) kind: EdgeKind,
}

impl Arrival {
    /// Nothing ran before.
    pub(in super::super) const NOTHING: Self = Self {
        stretch: Stretch::NOTHING,
        kind: EdgeKind::Continuation,
    };

    /// The same behind an edge: the last edge that is no continuation gives a way its kind.
    pub(in super::super) fn along(self, edge: EdgeKind) -> Self {
        match edge {
            EdgeKind::Continuation => self,
            kind => Self { kind, ..self },
        }
    }

    /// Whether this one counts where both lead to a node. Of several ways from one stretch it is the continuation, then
    /// creation, synchronisation, dependence.
    pub(in super::super) fn counts_before(self, other: Self) -> bool {
        let (own, known) = (self.stretch, other.stretch);
        if own == known {
            !own.is_nothing() && rank(self.kind) < rank(other.kind)
        } else {
            own.is_later(known)
        }
    }
}

fn rank(kind: EdgeKind) -> u8 {
    match kind {
        EdgeKind::Continuation => 0,
        EdgeKind::Creation => 1,
        EdgeKind::Synchronisation => 2,
        EdgeKind::Dependence => 3,
    }
}
