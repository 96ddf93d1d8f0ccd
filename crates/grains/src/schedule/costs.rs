//! Costs of scheduling that a recorded run shows.

use sheaf_answers::ScheduleCost;
use sheaf_model::RunTables;
use sheaf_model::table::FragmentEnd;
use sheaf_statistics::Random;

use super::draft::{Draft, mark};
use crate::grain_graph::{EdgeKind, GrainGraph, GraphFault, NONE, NodeKind, Structure, to_u32};

/// Values that are kept of each cost; of more, as many quantiles.
const KEPT: usize = 1024;

/// Costs that were measured in a run, in its time unit. A schedule draws each cost from the measured values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// Sorted values by [`ScheduleCost`].
    values: [Vec<i64>; ScheduleCost::ALL.len()],
    counts: [usize; ScheduleCost::ALL.len()],
}

impl Costs {
    /// The costs that the fragments of a run show; all are absent if it has no times.
    ///
    /// A cost is the time from when a fragment could begin and its worker was free until it began. Sorts the fragments,
    /// else linear in nodes and edges.
    ///
    /// # Errors
    /// [`GraphFault::Cycle`].
    pub fn of(
        run: &RunTables,
        structure: &Structure,
        graph: &GrainGraph,
    ) -> Result<Self, GraphFault> {
        if run.fragments.is_empty() {
            return Ok(Self::stated(run));
        }
        let marks = Draft::of(run, structure, graph);
        let free = free_since(run);
        let nodes = graph.num_nodes();
        // By node: when it could begin, the fragment that ended then, and by which kind of edge.
        let mut ready = vec![(i64::MIN, NONE, EdgeKind::Continuation); nodes];
        let mut values: [Vec<i64>; ScheduleCost::ALL.len()] = Default::default();
        for node in graph.topological_order()? {
            let at = node as usize;
            let (since, before, way) =
                ready
                    .get(at)
                    .copied()
                    .unwrap_or((i64::MIN, NONE, EdgeKind::Continuation));
            let is_stretch = graph.kind(node).is_some_and(NodeKind::is_stretch);
            let row = graph.item(node).filter(|_| is_stretch);
            let passed = match row {
                Some(row) => {
                    let begin = run.fragments.start.values().get(row as usize).unwrap_or(0);
                    if before != NONE
                        && let Some(kind) = cost_kind(run, &marks, node, row, before, way)
                        && let Some(free) = free.get(row as usize)
                    {
                        let cost = begin - since.max(*free);
                        if cost >= 0
                            && let Some(values) = values.get_mut(kind as usize)
                        {
                            values.push(cost);
                        }
                    }
                    let length = run.fragments.duration.values().get(row as usize);
                    (begin + length.unwrap_or(0).max(0), row)
                }
                None => (since, before),
            };
            if passed.1 == NONE {
                continue;
            }
            for edge in graph.edges(node) {
                let way = match edge.kind {
                    EdgeKind::Continuation if row.is_none() => way,
                    kind => kind,
                };
                if let Some(slot) = ready.get_mut(edge.target as usize)
                    && (slot.1 == NONE || passed.0 > slot.0)
                {
                    *slot = (passed.0, passed.1, way);
                }
            }
        }
        // A source with one event per creation shows no time between it and what follows: its cost is not measured.
        if let Some(creation) = values.get_mut(ScheduleCost::Creation as usize)
            && creation.iter().all(|&cost| cost == 0)
        {
            creation.clear();
        }
        let mut costs = Self::from_values(values);
        let stated = Self::stated(run);
        if costs.count(ScheduleCost::Creation) == 0 {
            costs.values[ScheduleCost::Creation as usize]
                .clone_from(&stated.values[ScheduleCost::Creation as usize]);
            costs.counts[ScheduleCost::Creation as usize] = stated.count(ScheduleCost::Creation);
        }
        Ok(costs)
    }

    /// Costs of creation as the source states them.
    fn stated(run: &RunTables) -> Self {
        let mut values: [Vec<i64>; ScheduleCost::ALL.len()] = Default::default();
        if run.grains.creation.null_count() < run.grains.len() {
            let stated = run.grains.creation.iter().flatten().filter(|it| *it >= 0);
            values[ScheduleCost::Creation as usize] = stated.collect();
        }
        Self::from_values(values)
    }

    /// Costs from measured values.
    pub fn from_values(mut values: [Vec<i64>; ScheduleCost::ALL.len()]) -> Self {
        let counts = values.each_ref().map(Vec::len);
        for values in &mut values {
            values.sort_unstable();
            let all = values.len();
            if all > KEPT {
                let quantile = |number: usize| (2 * number + 1) * all / (2 * KEPT);
                *values = (0..KEPT)
                    .filter_map(|number| values.get(quantile(number)).copied())
                    .collect();
            }
        }
        Self { values, counts }
    }

    /// The same without those of some kinds.
    #[must_use]
    pub fn without(mut self, kinds: &[ScheduleCost]) -> Self {
        for &kind in kinds {
            self.values[kind as usize] = Vec::new();
            self.counts[kind as usize] = 0;
        }
        self
    }

    /// How many values of a cost were measured.
    pub fn count(&self, kind: ScheduleCost) -> usize {
        self.counts[kind as usize]
    }

    /// Median of a cost; absent if it was not measured.
    pub fn median(&self, kind: ScheduleCost) -> Option<i64> {
        let values = &self.values[kind as usize];
        values.get(values.len() / 2).copied()
    }

    /// Mean of a cost; absent if it was not measured.
    pub fn mean(&self, kind: ScheduleCost) -> Option<f64> {
        let values = &self.values[kind as usize];
        let sum: i128 = values.iter().map(|&value| i128::from(value)).sum();
        (!values.is_empty()).then(|| sum as f64 / values.len() as f64)
    }

    /// The cost of a node under a seed: a measured value, 0 if there is none. The same node has the same cost in every
    /// schedule with this seed.
    #[inline]
    pub(super) fn draw(&self, kind: ScheduleCost, node: u32, seed: u64) -> i64 {
        let values = &self.values[kind as usize];
        if values.is_empty() {
            return 0;
        }
        let key = (u64::from(node) << 3) | kind as u64;
        let place = Random::new(Random::new(seed).bits() ^ key).below(values.len());
        values.get(place).copied().unwrap_or(0)
    }
}

/// The cost that the begin of a fragment shows.
fn cost_kind(
    run: &RunTables,
    marks: &Draft,
    node: u32,
    row: u32,
    before: u32,
    way: EdgeKind,
) -> Option<ScheduleCost> {
    let location = |row: u32| run.fragments.location.values().get(row as usize);
    let is_same = location(row) == location(before);
    match way {
        EdgeKind::Creation if marks.has(node, mark::MEMBER) => Some(ScheduleCost::Region),
        EdgeKind::Creation if !marks.has(node, mark::TASK) => None,
        EdgeKind::Creation | EdgeKind::Dependence if is_same => Some(ScheduleCost::Start),
        EdgeKind::Creation | EdgeKind::Dependence => Some(ScheduleCost::Steal),
        EdgeKind::Synchronisation => Some(ScheduleCost::Synchronisation),
        EdgeKind::Continuation => {
            let ended_by = run.fragments.ended_by.values().get(before as usize);
            let is_creation = ended_by == Some(FragmentEnd::Creation as i32);
            let is_next = before + 1 == row && is_same;
            (is_creation && is_next).then_some(ScheduleCost::Creation)
        }
    }
}

/// Since when the worker of each fragment was free: the end of what it ran before.
fn free_since(run: &RunTables) -> Vec<i64> {
    let (starts, locations) = (
        run.fragments.start.values(),
        run.fragments.location.values(),
    );
    let lengths = run.fragments.duration.values();
    let mut order: Vec<u32> = (0..to_u32(starts.len())).collect();
    let key = |&row: &u32| {
        let at = row as usize;
        (locations.get(at), starts.get(at), row)
    };
    order.sort_by_key(key);
    let mut free = vec![i64::MIN; starts.len()];
    let mut before: Option<(i32, i64)> = None;
    for row in order {
        let at = row as usize;
        let (Some(location), Some(start), Some(length)) =
            (locations.get(at), starts.get(at), lengths.get(at))
        else {
            continue;
        };
        let known = before.filter(|(other, _)| *other == location);
        if let Some(slot) = free.get_mut(at) {
            *slot = known.map_or(i64::MIN, |(_, end)| end);
        }
        let end = start.saturating_add(length.max(0));
        before = Some((location, known.map_or(end, |(_, known)| known.max(end))));
    }
    free
}
