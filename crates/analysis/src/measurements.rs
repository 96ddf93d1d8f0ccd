//! Values of groups in one run: sums over contexts in exact integers, then over locations.

mod context_values;
mod run_batch;
mod sums_by_location;

use std::borrow::Cow;

use sheaf_model::{LocationAggregate, MetricKind, RunSummary};

use crate::context_sums::{self, ContextSums, LocationAxis, Sums};
use crate::measurement::Measurement;
use crate::metric::RunMetric;
use crate::partition::Partition;
use crate::tree::NONE;
use context_values::{Amount, ContextValues};
pub(crate) use run_batch::{Counts, RunBatch};
use sums_by_location::{Adder, Rule, SumsByLocation};

/// A run with the node of each of its contexts and the metric in question, if it has it.
#[derive(Clone, Copy)]
pub(crate) struct RunView<'a> {
    pub(crate) run: &'a RunSummary,
    pub(crate) nodes: &'a [u32],
    /// Row of each row's parent, `NONE` for roots.
    pub(crate) parents: &'a [u32],
    pub(crate) metric: Option<&'a RunMetric>,
    /// Values over all locations, when they were read before.
    pub(crate) totals: Option<&'a ContextSums>,
}

/// The values of a run's contexts, ready to be summed over any partition.
pub(crate) struct RunValues<'a> {
    view: RunView<'a>,
    values: Values<'a>,
    /// Observations of each context, alone and with everything below.
    counts: [Cow<'a, [i64]>; 2],
    rule: Rule,
}

enum Values<'a> {
    NotMeasured,
    Integer(ContextValues<'a, i64>),
    /// Integers whose sums could leave 63 bits.
    Wide(ContextValues<'a, i128>),
    Float(ContextValues<'a, f64>),
    /// Of a metric that does not add up: sums and counts per lane.
    Means(Cow<'a, ContextSums>),
}

/// Which sums of groups are made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    All,
    /// Of the groups' own contexts alone.
    Exclusive,
    /// With everything below, without flows.
    Inclusive,
}

/// Sums of cells, borrowed where they are kept.
enum SumsRef<'a> {
    Integer(Cow<'a, [i64]>),
    Float(Cow<'a, [f64]>),
}

impl<'a> SumsRef<'a> {
    fn of(sums: &'a Sums) -> Self {
        match sums {
            Sums::Integer(sums) => Self::Integer(sums.into()),
            Sums::Float(sums) => Self::Float(sums.into()),
        }
    }

    fn owned(sums: Sums) -> Self {
        match sums {
            Sums::Integer(sums) => Self::Integer(sums.into()),
            Sums::Float(sums) => Self::Float(sums.into()),
        }
    }
}

/// Whether no sum or difference of sums of `values` leaves 63 bits. Twice the sum of magnitudes
/// bounds the exclusive part of values that are given as inclusive.
fn fits(values: &[i64]) -> bool {
    // All bits of any magnitude: less than twice the greatest, and many are joined at a time.
    let bits = values
        .iter()
        .fold(0, |bits, value| bits | value.unsigned_abs());
    let bound = u128::from(bits) * values.len() as u128 * 2;
    bound < 1 << 63
}

/// Measurements of one run, by group and by flow of a partition.
#[derive(Debug)]
pub(crate) struct RunReadings {
    pub(crate) exclusive: Vec<Measurement>,
    pub(crate) inclusive: Vec<Measurement>,
    pub(crate) flows: Vec<Measurement>,
    /// Observations in the groups' own contexts.
    pub(crate) counts: Vec<i64>,
    /// Observations in the groups and everything below.
    pub(crate) counts_below: Vec<i64>,
    /// Inclusive value of the whole run.
    pub(crate) total: Measurement,
    /// The same without values outside of every region. Shares refer to this total.
    pub(crate) inside: Measurement,
}

/// Everything that one run contributes to a partition, before the aggregate over locations.
#[derive(Debug)]
pub(crate) struct GroupSums {
    pub(crate) exclusive: SumsByLocation,
    pub(crate) inclusive: SumsByLocation,
    flows: SumsByLocation,
    /// Totals of the whole run, and totals of the values inside of regions.
    pub(crate) total: SumsByLocation,
}

impl<'a> RunView<'a> {
    /// The run's values with the lanes that an aggregate over locations needs.
    pub(crate) fn values(&self, over: LocationAggregate) -> RunValues<'a> {
        let kind = self
            .metric
            .map_or(MetricKind::Additive, |metric| metric.metric.kind);
        self.read(
            LocationAxis::needed(over, kind),
            Rule::new(over, kind, self.run),
        )
    }

    /// The run's values in the given lanes.
    pub(crate) fn values_by(&self, lanes: LocationAxis) -> RunValues<'a> {
        self.read(
            lanes,
            Rule::new(LocationAggregate::RanksSum, MetricKind::Additive, self.run),
        )
    }

    fn read(&self, lanes: LocationAxis, rule: Rule) -> RunValues<'a> {
        let view = *self;
        let Some(metric) = self.metric else {
            let nothing = || Cow::Owned(vec![0; self.nodes.len()]);
            let counts = [nothing(), nothing()];
            return RunValues {
                view,
                values: Values::NotMeasured,
                counts,
                rule,
            };
        };
        match self.totals {
            Some(cells) if lanes == LocationAxis::Total => {
                self.of_cells(metric, Cow::Borrowed(cells), rule)
            }
            _ => self.of_cells(
                metric,
                Cow::Owned(context_sums::read(self.run, metric, lanes)),
                rule,
            ),
        }
    }

    fn of_cells(
        &self,
        metric: &RunMetric,
        cells: Cow<'a, ContextSums>,
        rule: Rule,
    ) -> RunValues<'a> {
        let (parents, kind) = (self.parents, metric.metric.kind);
        let counts = match &cells {
            Cow::Borrowed(cells) => Cow::Borrowed(cells.counts.as_slice()),
            Cow::Owned(cells) => Cow::Owned(cells.counts.clone()),
        };
        let counts = [counts.clone(), Cow::Owned(self.with_callees(&counts))];
        if kind == MetricKind::Intensive {
            return RunValues {
                view: *self,
                values: Values::Means(cells),
                counts,
                rule,
            };
        }
        let lanes = cells.lanes;
        let (sums, is_measured) = match cells {
            Cow::Borrowed(cells) => (
                SumsRef::of(&cells.sums),
                Cow::Borrowed(cells.is_measured.as_slice()),
            ),
            Cow::Owned(cells) => (SumsRef::owned(cells.sums), Cow::Owned(cells.is_measured)),
        };
        let values = match sums {
            SumsRef::Integer(sums) if fits(&sums) => {
                Values::Integer(ContextValues::new(parents, lanes, sums, is_measured, kind))
            }
            SumsRef::Integer(sums) => {
                let sums = sums.iter().map(|&sum| i128::from(sum)).collect();
                Values::Wide(ContextValues::new(parents, lanes, sums, is_measured, kind))
            }
            SumsRef::Float(sums) => {
                Values::Float(ContextValues::new(parents, lanes, sums, is_measured, kind))
            }
        };
        RunValues {
            view: *self,
            values,
            counts,
            rule,
        }
    }

    /// Sums over the contexts of each group, and of everything below over its outermost contexts.
    fn count(
        &self,
        partition: &Partition,
        [counts, counts_below]: [&[i64]; 2],
    ) -> (Vec<i64>, Vec<i64>) {
        let mut own = vec![0_i64; partition.groups];
        let mut below = vec![0_i64; partition.groups];
        for (row, &node) in self.nodes.iter().enumerate() {
            let group = partition.group_of[node as usize];
            if group == NONE {
                continue;
            }
            let group = group as usize;
            own[group] = own[group].saturating_add(counts[row]);
            if partition.is_outermost[node as usize] {
                below[group] = below[group].saturating_add(counts_below[row]);
            }
        }
        (own, below)
    }

    fn with_callees(&self, counts: &[i64]) -> Vec<i64> {
        let mut below = counts.to_vec();
        for (row, &parent) in self.parents.iter().enumerate().rev() {
            if parent != NONE {
                below[parent as usize] = below[parent as usize].saturating_add(below[row]);
            }
        }
        below
    }
}

impl RunValues<'_> {
    /// Measurements of every group and flow.
    pub(crate) fn measurements(&self, partition: &Partition) -> RunReadings {
        let sums = self.sums(partition);
        let [counts, counts_below] = &self.counts;
        let (counts, counts_below) = self.view.count(partition, [counts, counts_below]);
        let total = sums.total.measurements(self.rule);
        RunReadings {
            exclusive: sums.exclusive.measurements(self.rule),
            inclusive: sums.inclusive.measurements(self.rule),
            flows: sums.flows.measurements(self.rule),
            total: total.first().copied().unwrap_or(Measurement::Absent),
            inside: total.get(1).copied().unwrap_or(Measurement::Absent),
            counts,
            counts_below,
        }
    }

    /// Measurements of every group with everything below, and of all inside of regions; cheaper than all of them.
    pub(crate) fn inclusive(&self, partition: &Partition) -> (Vec<Measurement>, Measurement) {
        let sums = self.sums_of(partition, Wanted::Inclusive);
        let total = sums.total.measurements(self.rule);
        (
            sums.inclusive.measurements(self.rule),
            total.get(1).copied().unwrap_or(Measurement::Absent),
        )
    }

    /// Measurements of every group's own contexts.
    pub(crate) fn exclusive(&self, partition: &Partition) -> Vec<Measurement> {
        let sums = self.sums_of(partition, Wanted::Exclusive);
        sums.exclusive.measurements(self.rule)
    }

    /// Sums of every group and flow, lane by lane.
    pub(crate) fn sums(&self, partition: &Partition) -> GroupSums {
        self.sums_of(partition, Wanted::All)
    }

    fn sums_of(&self, partition: &Partition, wanted: Wanted) -> GroupSums {
        match &self.values {
            Values::NotMeasured => self.presence(partition),
            Values::Integer(values) => self.add_up(partition, values, wanted),
            Values::Wide(values) => self.add_up(partition, values, wanted),
            Values::Float(values) => self.add_up(partition, values, wanted),
            Values::Means(cells) => self.means(partition, cells),
        }
    }

    fn add_up<N: Amount>(
        &self,
        partition: &Partition,
        contexts: &ContextValues<'_, N>,
        wanted: Wanted,
    ) -> GroupSums {
        let lanes = contexts.lanes;
        let of =
            |is_wanted: bool, things: usize| Adder::new(if is_wanted { things } else { 0 }, lanes);
        let (is_exclusive, is_inclusive) =
            (wanted != Wanted::Inclusive, wanted != Wanted::Exclusive);
        let is_flowing = wanted == Wanted::All && partition.flows > 0;
        let mut exclusive = of(is_exclusive, partition.groups);
        let mut inclusive = of(is_inclusive, partition.groups);
        let mut flows = of(wanted == Wanted::All, partition.flows);
        let mut total = Adder::new(2, lanes);
        for (row, &number) in self.view.nodes.iter().enumerate() {
            let node = number as usize;
            let own = row * lanes..(row + 1) * lanes;
            let below = &contexts.inclusive[own.clone()];
            let is_below = contexts.is_below[row];
            let group = partition.group_of[node];
            if is_exclusive {
                exclusive.add(group, &contexts.exclusive[own], contexts.is_own[row]);
            }
            if is_inclusive && partition.is_outermost[node] {
                inclusive.add(group, below, is_below);
            }
            if is_flowing {
                flows.add(partition.flow_of[node], below, is_below);
            }
            if self.view.parents[row] == NONE {
                total.add(0, below, is_below);
                if !partition.is_outside(number) {
                    total.add(1, below, is_below);
                }
            }
        }
        GroupSums {
            exclusive: exclusive.finish(),
            inclusive: inclusive.finish(),
            flows: flows.finish(),
            total: total.finish(),
        }
    }

    /// Mean per observation, lane by lane: what an intensive metric has in place of sums. There
    /// is no inclusive value of its own; the run's total is the mean over all contexts.
    fn means(&self, partition: &Partition, cells: &ContextSums) -> GroupSums {
        let lanes = cells.lanes;
        let sums: Cow<'_, [f64]> = match &cells.sums {
            Sums::Integer(sums) => sums.iter().map(|&sum| sum as f64).collect(),
            Sums::Float(sums) => sums.into(),
        };
        let mut groups = Adder::<f64>::new(partition.groups, lanes);
        let mut total = Adder::<f64>::new(2, lanes);
        for (row, &node) in self.view.nodes.iter().enumerate() {
            let own = row * lanes..(row + 1) * lanes;
            let is_own = cells.is_measured[row];
            let group = partition.group_of[node as usize];
            let add = |adder: &mut Adder<f64>, group| {
                adder.add(group, &sums[own.clone()], is_own);
                adder.count(group, &cells.lane_counts[own.clone()]);
            };
            add(&mut groups, group);
            add(&mut total, 0);
            if !partition.is_outside(node) {
                add(&mut total, 1);
            }
        }
        let groups = groups.finish();
        GroupSums {
            inclusive: groups.clone(),
            exclusive: groups,
            flows: Adder::<f64>::new(partition.flows, lanes).finish(),
            total: total.finish(),
        }
    }

    /// What is left of a run that does not have the metric.
    fn presence(&self, partition: &Partition) -> GroupSums {
        let mut groups = Adder::<f64>::new(partition.groups, 1);
        let mut flows = Adder::<f64>::new(partition.flows, 1);
        let mut total = Adder::<f64>::new(2, 1);
        for &node in self.view.nodes {
            groups.add(partition.group_of[node as usize], &[0.0], false);
            flows.add(partition.flow_of[node as usize], &[0.0], false);
            total.add(0, &[0.0], false);
            if !partition.is_outside(node) {
                total.add(1, &[0.0], false);
            }
        }
        let groups = groups.finish();
        GroupSums {
            exclusive: groups.clone(),
            inclusive: groups,
            flows: flows.finish(),
            total: total.finish(),
        }
    }
}
