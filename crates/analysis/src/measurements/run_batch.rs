//! Runs with the same contexts measured, as lanes of one.

use std::borrow::Cow;
use std::sync::Arc;

use sheaf_model::{LocationAggregate, MetricKind};

use super::context_values::{Amount, ContextValues};
use super::sums_by_location::{Rule, SumsByLocation};
use super::{GroupSums, RunValues, RunView, Values, fits};
use crate::context_sums::{ContextSums, LocationAxis, Sums};
use crate::measurement::Measurement;
use crate::partition::Partition;

/// Observations of each group: of its own contexts, and with everything below.
pub(crate) type Counts = [Vec<i64>; 2];

/// Runs of one tree with the same contexts measured, in the same arithmetic, over all their locations.
pub(crate) struct RunBatch<'a> {
    views: &'a [RunView<'a>],
    cells: Vec<&'a ContextSums>,
    kind: MetricKind,
    rules: Vec<Rule>,
}

impl<'a> RunBatch<'a> {
    /// Nothing when the runs are not alike, or the aggregate over locations needs more than sums.
    pub(crate) fn new(views: &'a [RunView<'a>], over: LocationAggregate) -> Option<Self> {
        let first = views.first()?;
        let kind = first.metric?.metric.kind;
        if kind == MetricKind::Intensive || LocationAxis::needed(over, kind) != LocationAxis::Total
        {
            return None;
        }
        let cells: Vec<&ContextSums> = views
            .iter()
            .map(|view| view.totals)
            .collect::<Option<_>>()?;
        let is_alike = |(view, other): (&RunView<'_>, &&ContextSums)| {
            let is_integer = |cells: &ContextSums| matches!(cells.sums, Sums::Integer(_));
            view.metric.is_some_and(|metric| metric.metric.kind == kind)
                && std::ptr::eq(view.nodes, first.nodes)
                && is_integer(other) == is_integer(cells[0])
                && other.is_measured == cells[0].is_measured
        };
        let rule = |view: &RunView<'_>| Rule::new(over, kind, view.run);
        views.iter().zip(&cells).all(is_alike).then(|| Self {
            views,
            kind,
            rules: views.iter().map(rule).collect(),
            cells,
        })
    }

    /// Number of runs.
    pub(crate) fn len(&self) -> usize {
        self.views.len()
    }

    /// Sums of every group, with a lane for each run.
    pub(crate) fn sums(&self, partition: &Partition) -> GroupSums {
        let values = match self.cells[0].sums {
            Sums::Float(_) => Values::Float(self.of_contexts(self.lanes(floats))),
            Sums::Integer(_) => {
                let sums = self.lanes(integers);
                if fits(&sums) {
                    Values::Integer(self.of_contexts(sums))
                } else {
                    let wide = sums.iter().map(|&sum| i128::from(sum)).collect();
                    Values::Wide(self.of_contexts(wide))
                }
            }
        };
        let alike = RunValues {
            view: self.views[0],
            values,
            counts: [Cow::Borrowed(&[]), Cow::Borrowed(&[])],
            rule: self.rules[0],
        };
        alike.sums(partition)
    }

    fn of_contexts<N: Amount>(&self, sums: Vec<N>) -> ContextValues<'_, N> {
        let is_measured = Cow::Borrowed(self.cells[0].is_measured.as_slice());
        let parents = self.views[0].parents;
        ContextValues::new(parents, self.len(), sums.into(), is_measured, self.kind)
    }

    /// From run by run to context by context.
    fn lanes<N: Amount>(&self, sums: impl Fn(&Sums) -> &[N]) -> Vec<N> {
        let lanes = self.len();
        let mut all = vec![N::default(); self.views[0].nodes.len() * lanes];
        for (lane, cells) in self.cells.iter().enumerate() {
            let places = all.iter_mut().skip(lane).step_by(lanes);
            for (place, sum) in places.zip(sums(&cells.sums)) {
                *place = *sum;
            }
        }
        all
    }

    /// Measurements thing by thing, run by run.
    pub(crate) fn measurements(&self, sums: &SumsByLocation) -> Vec<Measurement> {
        sums.measurements_by_location(&self.rules)
    }

    /// Observations of every group, alone and with everything below; shared by runs that have the same.
    pub(crate) fn counts(&self, partition: &Partition) -> Vec<Arc<Counts>> {
        let mut last: Option<(&[i64], Arc<Counts>)> = None;
        let of_run = |cells: &&'a ContextSums| {
            let known = last.as_ref().filter(|(counts, _)| *counts == cells.counts);
            if let Some((_, counted)) = known {
                return counted.clone();
            }
            let view = self.views[0];
            let below = view.with_callees(&cells.counts);
            let (own, below) = view.count(partition, [&cells.counts, &below]);
            let counted = Arc::new([own, below]);
            last = Some((&cells.counts, counted.clone()));
            counted
        };
        self.cells.iter().map(of_run).collect()
    }
}

fn floats(sums: &Sums) -> &[f64] {
    match sums {
        Sums::Float(sums) => sums,
        Sums::Integer(_) => &[],
    }
}

fn integers(sums: &Sums) -> &[i64] {
    match sums {
        Sums::Integer(sums) => sums,
        Sums::Float(_) => &[],
    }
}
