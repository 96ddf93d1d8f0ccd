//! What the shape of a graph states about its tasks.

use super::graph::{Graph, Kind, Neighbours};
use crate::Error;

/// Parents and joins, by row of the task.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Structure {
    /// Row of the parent, or none: `u32::MAX`.
    pub(super) parents: Vec<u32>,
    /// Number of the parent's wait that collects it; absent where no join is seen.
    pub(super) joins: Vec<Option<i64>>,
    /// Place among all children of the parent, in the order of the document.
    pub(super) order: Vec<i64>,
    /// Forks with a branch that holds nothing.
    pub(super) empty_branches: u64,
}

/// How many predecessors or successors a node has.
#[derive(Clone, Copy)]
enum Count {
    None,
    One,
    /// One, or none where the graph may lack its start or its end.
    OneOrNone,
    Some,
}

impl Count {
    fn allows(self, found: usize) -> bool {
        match self {
            Self::None => found == 0,
            Self::One => found == 1,
            Self::OneOrNone => found <= 1,
            Self::Some => found > 0,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::One | Self::OneOrNone => "one",
            Self::Some => "one or more",
        }
    }
}

/// What may stand before and after a node.
struct Rule {
    before: (Count, &'static [Kind]),
    after: (Count, &'static [Kind]),
}

/// The rules for nodes of each kind; graphs in groups lack their start and end, so that one node
/// has nothing before it, and one nothing after it.
fn rule(kind: Kind, is_nested: bool) -> Option<Rule> {
    use Kind::{End, Fork, Join, Start, Task};
    let one = if is_nested {
        Count::OneOrNone
    } else {
        Count::One
    };
    Some(match kind {
        Start => Rule {
            before: (Count::None, &[]),
            after: (Count::One, &[Fork, Task]),
        },
        End => Rule {
            before: (Count::One, &[Join, Task]),
            after: (Count::None, &[]),
        },
        Task => Rule {
            before: (one, &[Fork, Join, Start]),
            after: (one, &[Join, Fork, End]),
        },
        Fork => Rule {
            before: (one, &[Task, Join, Start]),
            after: (Count::Some, &[Task, Join]),
        },
        Join => Rule {
            before: (Count::Some, &[Task, Join, Fork]),
            after: (one, &[Join, Fork, End, Task]),
        },
        Kind::Fragment | Kind::Group | Kind::Unknown | Kind::Undeclared => return None,
    })
}

/// Checks every node of a reduced graph by itself.
pub(super) fn check(graph: &Graph, neighbours: &Neighbours<'_>) -> Result<(), Error> {
    let is_nested = graph.has_groups;
    let (mut first, mut last) = (None, None);
    for (node, &kind) in (0..).zip(&graph.kinds) {
        let Some(rule) = rule(kind, is_nested) else {
            check_other(graph, neighbours, node, kind)?;
            continue;
        };
        let before = neighbours.predecessors(node);
        let after = neighbours.successors(node);
        let (is_first, is_last) = (before.len() == 0, after.len() == 0);
        check_side(graph, node, "predecessors", rule.before, before)?;
        check_side(graph, node, "successors", rule.after, after)?;
        if is_first {
            only_one(graph, &mut first, node, "begins")?;
        }
        if is_last {
            only_one(graph, &mut last, node, "ends")?;
        }
    }
    Ok(())
}

fn check_side(
    graph: &Graph,
    node: u32,
    side: &str,
    (count, kinds): (Count, &[Kind]),
    mut found: impl ExactSizeIterator<Item = u32>,
) -> Result<(), Error> {
    let kind = graph.kind(node).as_str();
    let len = found.len();
    if !count.allows(len) {
        let reason = format!("the {kind} has {len} {side} instead of {}", count.as_str());
        return Err(graph.broken(node, reason));
    }
    match found.find(|&other| !kinds.contains(&graph.kind(other))) {
        Some(other) => {
            let other_kind = graph.kind(other).as_str();
            let other = graph.ids.place(other);
            let reason = format!("the {kind} has {other} ({other_kind}) among its {side}");
            Err(graph.broken(node, reason))
        }
        None => Ok(()),
    }
}

fn check_other(
    graph: &Graph,
    neighbours: &Neighbours<'_>,
    node: u32,
    kind: Kind,
) -> Result<(), Error> {
    let num_edges = neighbours.predecessors(node).len() + neighbours.successors(node).len();
    match kind {
        Kind::Group if num_edges == 0 => Ok(()),
        Kind::Group => Err(graph.broken(node, "the group has edges of its own")),
        Kind::Undeclared => Err(graph.broken(node, "an edge names a node that is not there")),
        _ => Err(graph.broken(
            node,
            "the node's `type` is none of start, end, task, fragment, fork and join",
        )),
    }
}

fn only_one(graph: &Graph, slot: &mut Option<u32>, node: u32, what: &str) -> Result<(), Error> {
    match slot.replace(node) {
        None => Ok(()),
        Some(other) => {
            let other = graph.ids.place(other);
            Err(graph.broken(node, format!("the graph {what} here and at {other}")))
        }
    }
}
