//! Values of groups in one run: sums over contexts in exact integers, then over locations.

use std::ops::{AddAssign, Sub};

use sheaf_model::{MetricKind, Over, RunSummary};

use crate::cells::{self, Cells, Lanes, Sums};
use crate::metric::RunMetric;
use crate::partition::Partition;
use crate::reading::Reading;
use crate::statistics::Sample;
use crate::tree::{NONE, parent_row};

/// A run with the node of each of its contexts and the metric in question, if it has it.
#[derive(Clone, Copy)]
pub(crate) struct RunView<'a> {
    pub(crate) run: &'a RunSummary,
    pub(crate) nodes: &'a [u32],
    pub(crate) metric: Option<&'a RunMetric>,
    /// Values over all locations, when they were read before.
    pub(crate) totals: Option<&'a Cells>,
}

/// Readings of one run, by group and by flow of a partition.
#[derive(Debug)]
pub(crate) struct RunReadings {
    pub(crate) exclusive: Vec<Reading>,
    pub(crate) inclusive: Vec<Reading>,
    pub(crate) flows: Vec<Reading>,
    /// Observations in the groups' own contexts.
    pub(crate) counts: Vec<i64>,
    /// Observations in the groups and everything below.
    pub(crate) counts_below: Vec<i64>,
    /// Inclusive value of the whole run.
    pub(crate) total: Reading,
}

/// Sums of one group, flow or run per lane; `None` in a lane where an intensive metric has none.
#[derive(Debug, Clone, Default)]
pub(crate) struct LaneSums {
    lanes: usize,
    values: Vec<f64>,
    counts: Vec<i64>,
    state: Vec<u8>,
}

const PRESENT: u8 = 1;
const MEASURED: u8 = 2;

/// Everything that one run contributes to a partition, before the aggregate over locations.
#[derive(Debug, Default)]
pub(crate) struct GroupSums {
    pub(crate) exclusive: LaneSums,
    pub(crate) inclusive: LaneSums,
    pub(crate) flows: LaneSums,
    total: LaneSums,
    counts: Vec<i64>,
    counts_below: Vec<i64>,
}

/// Numbers that sums are made of.
trait Amount: Copy + Default + PartialEq + AddAssign + Sub<Output = Self> {
    fn to_float(self) -> f64;
    /// Whether a difference is no more than the rounding of `whole`.
    fn is_rounding_of(self, whole: Self) -> bool;
}

impl Amount for i128 {
    fn to_float(self) -> f64 {
        self as f64
    }
    fn is_rounding_of(self, _: Self) -> bool {
        false
    }
}

impl Amount for f64 {
    fn to_float(self) -> f64 {
        self
    }
    fn is_rounding_of(self, whole: Self) -> bool {
        self.abs() <= whole.abs() * 1e-12
    }
}

/// Values of every context of a run.
struct Expanded<N> {
    exclusive: Vec<N>,
    inclusive: Vec<N>,
    is_own: Vec<bool>,
    is_below: Vec<bool>,
}

impl RunView<'_> {
    /// Readings of every group and flow, locations aggregated by `over`.
    pub(crate) fn readings(&self, partition: &Partition, over: Over) -> RunReadings {
        let kind = self
            .metric
            .map_or(MetricKind::Additive, |metric| metric.metric.kind);
        let sums = self.sums(partition, Lanes::needed(over, kind));
        let rule = Rule::new(over, kind, self.run);
        RunReadings {
            exclusive: sums.exclusive.readings(rule),
            inclusive: sums.inclusive.readings(rule),
            flows: sums.flows.readings(rule),
            total: sums
                .total
                .readings(rule)
                .first()
                .copied()
                .unwrap_or(Reading::Absent),
            counts: sums.counts,
            counts_below: sums.counts_below,
        }
    }

    /// Sums of every group and flow, lane by lane.
    pub(crate) fn sums(&self, partition: &Partition, lanes: Lanes) -> GroupSums {
        let Some(metric) = self.metric else {
            return self.presence(partition);
        };
        let read;
        let cells = match self.totals {
            Some(cells) if lanes == Lanes::Total => cells,
            _ => {
                read = cells::read(self.run, metric, lanes);
                &read
            }
        };
        match (&cells.sums, metric.metric.kind) {
            (sums, MetricKind::Intensive) => self.means(partition, cells, &floats(sums)),
            (Sums::Integer(sums), kind) => {
                let sums = sums.iter().map(|&sum| i128::from(sum)).collect();
                self.add_up(partition, cells, &self.expand(cells, sums, kind))
            }
            (Sums::Float(sums), kind) => {
                self.add_up(partition, cells, &self.expand(cells, sums.clone(), kind))
            }
        }
    }

    /// Exclusive and inclusive values of every context, in one backward pass.
    fn expand<N: Amount>(&self, cells: &Cells, sums: Vec<N>, kind: MetricKind) -> Expanded<N> {
        let lanes = cells.lanes;
        let is_given = kind == MetricKind::Inclusive;
        let mut exclusive = sums;
        // Of callees, until the pass comes to the context itself.
        let mut inclusive = vec![N::default(); exclusive.len()];
        let mut is_below = cells.is_measured.clone();
        for row in (0..is_below.len()).rev() {
            let own = row * lanes..(row + 1) * lanes;
            for at in own.clone() {
                if is_given {
                    (exclusive[at], inclusive[at]) = split_given(exclusive[at], inclusive[at]);
                } else {
                    let own = exclusive[at];
                    inclusive[at] += own;
                }
            }
            let Some(parent) = parent_row(&self.run.contexts, row) else {
                continue;
            };
            is_below[parent] |= is_below[row];
            for (lane, at) in own.enumerate() {
                let below = inclusive[at];
                inclusive[parent * lanes + lane] += below;
            }
        }
        Expanded {
            exclusive,
            inclusive,
            is_own: cells.is_measured.clone(),
            is_below,
        }
    }

    fn add_up<N: Amount>(
        &self,
        partition: &Partition,
        cells: &Cells,
        contexts: &Expanded<N>,
    ) -> GroupSums {
        let lanes = cells.lanes;
        let mut exclusive = Adder::new(partition.groups, lanes);
        let mut inclusive = Adder::new(partition.groups, lanes);
        let mut flows = Adder::new(partition.flows, lanes);
        let mut total = Adder::new(1, lanes);
        let (counts, counts_below) = self.counts(partition, &cells.counts);
        for (row, &node) in self.nodes.iter().enumerate().take(contexts.is_own.len()) {
            let node = node as usize;
            let own = row * lanes..(row + 1) * lanes;
            let below = &contexts.inclusive[own.clone()];
            let is_below = contexts.is_below[row];
            let group = partition.group_of[node];
            exclusive.add(group, &contexts.exclusive[own], contexts.is_own[row]);
            if partition.is_outermost[node] {
                inclusive.add(group, below, is_below);
            }
            flows.add(partition.flow_of[node], below, is_below);
            if parent_row(&self.run.contexts, row).is_none() {
                total.add(0, below, is_below);
            }
        }
        GroupSums {
            exclusive: exclusive.finish(),
            inclusive: inclusive.finish(),
            flows: flows.finish(),
            total: total.finish(),
            counts,
            counts_below,
        }
    }

    /// Mean per observation, lane by lane: what an intensive metric has in place of sums. There
    /// is no inclusive value of its own; the run's total is the mean over all contexts.
    fn means(&self, partition: &Partition, cells: &Cells, sums: &[f64]) -> GroupSums {
        let lanes = cells.lanes;
        let mut groups = Adder::<f64>::new(partition.groups, lanes);
        let mut total = Adder::<f64>::new(1, lanes);
        let (counts, counts_below) = self.counts(partition, &cells.counts);
        for (row, &node) in self.nodes.iter().enumerate().take(cells.is_measured.len()) {
            let own = row * lanes..(row + 1) * lanes;
            let is_own = cells.is_measured[row];
            let group = partition.group_of[node as usize];
            for (adder, group) in [(&mut groups, group), (&mut total, 0)] {
                adder.add(group, &sums[own.clone()], is_own);
                adder.count(group, &cells.lane_counts[own.clone()]);
            }
        }
        let groups = groups.finish();
        GroupSums {
            inclusive: groups.clone(),
            exclusive: groups,
            flows: Adder::<f64>::new(partition.flows, lanes).finish(),
            total: total.finish(),
            counts,
            counts_below,
        }
    }

    fn counts(&self, partition: &Partition, counts: &[i64]) -> (Vec<i64>, Vec<i64>) {
        let mut own = vec![0_i64; partition.groups];
        let mut groups_below = vec![0_i64; partition.groups];
        let mut below = counts.to_vec();
        for row in (0..counts.len().min(self.nodes.len())).rev() {
            if let Some(parent) = parent_row(&self.run.contexts, row) {
                below[parent] = below[parent].saturating_add(below[row]);
            }
            let node = self.nodes[row] as usize;
            let group = partition.group_of[node];
            if group == NONE {
                continue;
            }
            let group = group as usize;
            own[group] = own[group].saturating_add(counts[row]);
            if partition.is_outermost[node] {
                groups_below[group] = groups_below[group].saturating_add(below[row]);
            }
        }
        (own, groups_below)
    }

    /// What is left of a run that does not have the metric.
    fn presence(&self, partition: &Partition) -> GroupSums {
        let mut groups = Adder::<f64>::new(partition.groups, 1);
        let mut flows = Adder::<f64>::new(partition.flows, 1);
        let mut total = Adder::<f64>::new(1, 1);
        for &node in self.nodes {
            groups.add(partition.group_of[node as usize], &[0.0], false);
            flows.add(partition.flow_of[node as usize], &[0.0], false);
            total.add(0, &[0.0], false);
        }
        let groups = groups.finish();
        GroupSums {
            exclusive: groups.clone(),
            inclusive: groups,
            flows: flows.finish(),
            total: total.finish(),
            counts: vec![0; partition.groups],
            counts_below: vec![0; partition.groups],
        }
    }
}

/// Exclusive and inclusive value of a context whose source gives the inclusive one. A source
/// that gives nothing for a caller is completed from its callees.
fn split_given<N: Amount>(given: N, callees: N) -> (N, N) {
    if given == N::default() {
        return (N::default(), callees);
    }
    let own = given - callees;
    if own.is_rounding_of(given) {
        (N::default(), given)
    } else {
        (own, given)
    }
}

fn floats(sums: &Sums) -> Vec<f64> {
    match sums {
        Sums::Integer(sums) => sums.iter().map(|&sum| sum as f64).collect(),
        Sums::Float(sums) => sums.clone(),
    }
}

/// Adds up lanes of things that are numbered from zero.
struct Adder<N> {
    lanes: usize,
    sums: Vec<N>,
    counts: Vec<i64>,
    state: Vec<u8>,
}

impl<N: Amount> Adder<N> {
    fn new(things: usize, lanes: usize) -> Self {
        Self {
            lanes,
            sums: vec![N::default(); things * lanes],
            counts: Vec::new(),
            state: vec![0; things],
        }
    }

    fn add(&mut self, thing: u32, values: &[N], is_measured: bool) {
        if thing == NONE {
            return;
        }
        let thing = thing as usize;
        self.state[thing] |= PRESENT | if is_measured { MEASURED } else { 0 };
        let sums = &mut self.sums[thing * self.lanes..(thing + 1) * self.lanes];
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum += *value;
        }
    }

    fn count(&mut self, thing: u32, counts: &[i64]) {
        if thing == NONE {
            return;
        }
        self.counts.resize(self.sums.len(), 0);
        let first = thing as usize * self.lanes;
        for (sum, count) in self.counts[first..first + self.lanes]
            .iter_mut()
            .zip(counts)
        {
            *sum = sum.saturating_add(*count);
        }
    }

    fn finish(self) -> LaneSums {
        LaneSums {
            lanes: self.lanes,
            values: self.sums.into_iter().map(Amount::to_float).collect(),
            counts: self.counts,
            state: self.state,
        }
    }
}

impl LaneSums {
    /// Value of `thing` in each lane; nothing when it has none in this run. A lane without the
    /// group is zero, and left out where the metric is a mean.
    pub(crate) fn lanes(&self, thing: usize) -> Option<Vec<Option<f64>>> {
        if self.state[thing] & MEASURED == 0 {
            return None;
        }
        let own = thing * self.lanes..(thing + 1) * self.lanes;
        let values = self.values[own.clone()].iter();
        Some(match self.counts.get(own) {
            None => values.map(|&value| Some(value)).collect(),
            Some(counts) => {
                let mean = |(&sum, &count): (&f64, &i64)| (count > 0).then(|| sum / count as f64);
                values.zip(counts).map(mean).collect()
            }
        })
    }

    /// Whether `thing` occurs in this run.
    pub(crate) fn is_present(&self, thing: usize) -> bool {
        self.state[thing] & PRESENT != 0
    }

    fn readings(&self, rule: Rule) -> Vec<Reading> {
        (0..self.state.len())
            .map(|thing| {
                if !self.is_present(thing) {
                    return Reading::Absent;
                }
                if let (1, 0, MEASURED) =
                    (self.lanes, self.counts.len(), self.state[thing] & MEASURED)
                {
                    return rule.apply(&[self.values[thing]]);
                }
                let lanes: Vec<f64> = self.lanes(thing).into_iter().flatten().flatten().collect();
                rule.apply(&lanes)
            })
            .collect()
    }
}

/// How lanes become one value.
#[derive(Clone, Copy)]
enum Rule {
    /// The sum divided by the number of ranks or workers.
    Share(f64),
    /// The mean of the lanes that have a value.
    Mean,
    Greatest,
    Median,
}

impl Rule {
    fn new(over: Over, kind: MetricKind, run: &RunSummary) -> Self {
        match (over, kind) {
            (Over::RanksMax | Over::WorkersMax, _) => Self::Greatest,
            (Over::RanksMedian | Over::WorkersMedian, _) => Self::Median,
            (_, MetricKind::Intensive) => Self::Mean,
            (Over::RanksSum, _) => Self::Share(1.0),
            (Over::RanksMean, _) => Self::Share(cells::ranks(&run.locations).len().max(1) as f64),
            (Over::WorkersMean, _) => Self::Share(run.locations.len().max(1) as f64),
        }
    }

    fn apply(self, lanes: &[f64]) -> Reading {
        if lanes.is_empty() {
            return Reading::NotMeasured;
        }
        let sum = || lanes.iter().sum::<f64>();
        Reading::Value(match self {
            Self::Share(parts) => sum() / parts,
            Self::Mean => sum() / lanes.len() as f64,
            Self::Greatest => lanes.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Self::Median => match Sample::new(lanes.iter().copied()).median() {
                Some(median) => median,
                None => return Reading::NotMeasured,
            },
        })
    }
}
