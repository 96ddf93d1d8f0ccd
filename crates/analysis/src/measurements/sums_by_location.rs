//! Sums per lane of groups or flows, and how lanes become one value.

use sheaf_model::{LocationAggregate, MetricKind, RunSummary};

use super::context_values::Amount;
use crate::context_sums;
use crate::measurement::Measurement;
use crate::tree::NONE;
use sheaf_statistics::median;

const PRESENT: u8 = 1;
const MEASURED: u8 = 2;

/// Adds up lanes of things that are numbered from zero.
pub(super) struct Adder<N> {
    lanes: usize,
    sums: Vec<N>,
    counts: Vec<i64>,
    state: Vec<u8>,
}

impl<N: Amount> Adder<N> {
    pub(super) fn new(things: usize, lanes: usize) -> Self {
        Self {
            lanes,
            sums: vec![N::default(); things * lanes],
            counts: Vec::new(),
            state: vec![0; things],
        }
    }

    #[inline]
    pub(super) fn add(&mut self, thing: u32, values: &[N], is_measured: bool) {
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

    /// Adds the observations behind the values; for things of which sums mean nothing.
    pub(super) fn count(&mut self, thing: u32, counts: &[i64]) {
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

    pub(super) fn finish(self) -> SumsByLocation {
        SumsByLocation {
            lanes: self.lanes,
            values: self.sums.into_iter().map(Amount::to_float).collect(),
            counts: self.counts,
            state: self.state,
        }
    }
}

/// Sums of groups, flows or a run, lane by lane.
#[derive(Debug, Clone)]
pub(crate) struct SumsByLocation {
    lanes: usize,
    values: Vec<f64>,
    /// Observations, where values are means; empty otherwise.
    counts: Vec<i64>,
    state: Vec<u8>,
}

impl SumsByLocation {
    /// Value of `thing` in each lane; nothing when it has none in this run. A lane without the
    /// group is zero, and `None` where the metric is a mean.
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

    /// One measurement per thing and lane, of sums: lanes are runs, which have a rule each.
    pub(super) fn measurements_by_location(&self, rules: &[Rule]) -> Vec<Measurement> {
        let mut measurements = Vec::with_capacity(self.values.len());
        for (&state, values) in self.state.iter().zip(self.values.chunks(self.lanes.max(1))) {
            if state & MEASURED == 0 {
                let is_there = state & PRESENT != 0;
                let nothing = if is_there {
                    Measurement::NotMeasured
                } else {
                    Measurement::Absent
                };
                measurements.extend(values.iter().map(|_| nothing));
            } else {
                let lanes = values.iter().zip(rules);
                measurements
                    .extend(lanes.map(|(value, rule)| Measurement::Value(rule.of_sum(*value))));
            }
        }
        measurements
    }

    /// One measurement per thing.
    pub(super) fn measurements(&self, rule: Rule) -> Vec<Measurement> {
        (0..self.state.len())
            .map(|thing| match self.state[thing] {
                state if state & PRESENT == 0 => Measurement::Absent,
                state if state & MEASURED == 0 => Measurement::NotMeasured,
                _ if self.counts.is_empty() => {
                    rule.apply(&self.values[thing * self.lanes..(thing + 1) * self.lanes])
                }
                _ => {
                    let lanes: Vec<f64> =
                        self.lanes(thing).into_iter().flatten().flatten().collect();
                    rule.apply(&lanes)
                }
            })
            .collect()
    }
}

/// How lanes become one value.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// The sum divided by the number of ranks or workers.
    Share(f64),
    /// The mean of the lanes that have a value.
    Mean,
    /// The greatest lane.
    Greatest,
    /// The median lane.
    Median,
}

impl Rule {
    pub(super) fn new(over: LocationAggregate, kind: MetricKind, run: &RunSummary) -> Self {
        match (over, kind) {
            (LocationAggregate::RanksMax | LocationAggregate::WorkersMax, _) => Self::Greatest,
            (LocationAggregate::RanksMedian | LocationAggregate::WorkersMedian, _) => Self::Median,
            (_, MetricKind::Intensive) => Self::Mean,
            (LocationAggregate::RanksSum, _) => Self::Share(1.0),
            (LocationAggregate::RanksMean, _) => {
                Self::Share(context_sums::ranks(&run.locations).len().max(1) as f64)
            }
            (LocationAggregate::WorkersMean, _) => {
                Self::Share(run.locations.num_workers().max(1) as f64)
            }
        }
    }

    /// Of one lane.
    fn of_sum(self, sum: f64) -> f64 {
        match self {
            Self::Share(parts) => sum / parts,
            Self::Mean | Self::Greatest | Self::Median => sum,
        }
    }

    fn apply(self, lanes: &[f64]) -> Measurement {
        let sum = || lanes.iter().sum::<f64>();
        let value = match self {
            _ if lanes.is_empty() => None,
            Self::Share(parts) => Some(sum() / parts),
            Self::Mean => Some(sum() / lanes.len() as f64),
            Self::Greatest => greatest(lanes),
            Self::Median => median(lanes),
        };
        value.map_or(Measurement::NotMeasured, Measurement::Value)
    }
}

/// Greatest number. In four parts, of which the processor compares some at once.
fn greatest(values: &[f64]) -> Option<f64> {
    let mut parts = [f64::NEG_INFINITY; 4];
    let (whole, rest) = values.as_chunks::<4>();
    for values in whole {
        for (part, &value) in parts.iter_mut().zip(values) {
            *part = if value > *part { value } else { *part };
        }
    }
    let all = parts.iter().chain(rest).copied().reduce(f64::max)?;
    // Where nothing is greater, nothing may be a number.
    if all == f64::NEG_INFINITY {
        return values.iter().copied().reduce(f64::max);
    }
    Some(all)
}
