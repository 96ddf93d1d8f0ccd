//! Values per context, location and metric, and totals with one observation per grain.

use std::ops::Range;

use sheaf_model::table::{Totals, ValueRow, Values, ValuesBuilder};

use super::metrics::{Measure, Measured, Own};
use super::tables::location_row;
use super::{CannotBuild, Program};
use crate::buckets::Buckets;
use crate::measure::Value;
use crate::run_tables::{GrainRows, LocationSums, MetricRows, TotalColumns};

/// What values are made from.
pub(super) struct Source<'a> {
    pub(super) program: &'a Program,
    pub(super) order: &'a GrainRows,
    pub(super) fragments: &'a Buckets,
    pub(super) locations: &'a [i32],
    pub(super) metrics: &'a MetricRows<Measure>,
    pub(super) measured: &'a [Measured],
}

/// Values of one context and metric while they are gathered.
struct Gathered {
    by_location: LocationSums,
    totals: TotalColumns,
}

/// Both tables. Contexts are taken one by one, and of each its metrics.
///
/// # Errors
/// Those of [`TotalColumns::finish`].
pub(super) fn values_and_totals(
    source: &Source<'_>,
    num_locations: usize,
) -> Result<(Values, Totals), CannotBuild> {
    let mut values = ValuesBuilder::default();
    let mut gathered = Gathered {
        by_location: LocationSums::new(num_locations),
        totals: TotalColumns::default(),
    };
    let metrics = source.metrics.measures();
    let mut measured = source.measured;
    for (context, bounds) in (0..).zip(source.order.starts.windows(2)) {
        let &[start, end] = bounds else { continue };
        let of_context = |value: &Measured| usize::try_from(value.grain).is_ok_and(|row| row < end);
        let (here, behind) = measured.split_at(measured.partition_point(of_context));
        measured = behind;
        let mut sorted = here.to_vec();
        sorted.sort_by_key(|value| value.metric);
        for &(metric, measure) in &metrics {
            match measure {
                Measure::Own(own) => source.feed_own(own, start..end, &mut gathered),
                Measure::Source(_) => {
                    let first = sorted.partition_point(|value| value.metric < metric);
                    let rest = &sorted[first..];
                    let count = rest.partition_point(|value| value.metric == metric);
                    source.feed_measured(&rest[..count], &mut gathered);
                }
            }
            let is_integer = source.metrics.table.is_integer.value(row_at(metric));
            for (location, sum) in gathered.by_location.take() {
                values.push(ValueRow {
                    context,
                    metric,
                    location,
                    count: sum.count,
                    sum: is_integer.then_some(sum.sum),
                    sum_float: (!is_integer).then_some(sum.sum_float),
                });
            }
            gathered.totals.end_row(context, metric);
        }
    }
    let totals = gathered.totals.finish().map_err(CannotBuild::Tables)?;
    Ok((values.finish(), totals))
}

fn row_at(row: i32) -> usize {
    usize::try_from(row).unwrap_or_default()
}

impl Source<'_> {
    fn feed_own(&self, own: Own, rows: Range<usize>, gathered: &mut Gathered) {
        let grains = &self.program.grains;
        for row in rows {
            let Some(&grain) = self.order.grains.get(row) else {
                continue;
            };
            let at = grain as usize;
            let location = self.location_of(at);
            let value = match own {
                Own::Work => grains.work.get(at),
                Own::Waiting => grains.waiting.get(at),
                Own::Creation => grains.creation.get(at),
                Own::Grains => {
                    let kind = grains.kind.get(at);
                    kind.filter(|kind| kind.is_grain()).map(|_| 1)
                }
            };
            let Some(value) = value else { continue };
            gathered.totals.observe(Value::Integer(value));
            if own == Own::Work && self.feed_fragments(row, value, gathered) {
                continue;
            }
            // A creation is the creator's time.
            let creator = grains.parent_of(at).filter(|_| own == Own::Creation);
            let creator = creator.and_then(|parent| self.location_of(parent));
            let location = creator.or(location);
            gathered.by_location.add(location, Value::Integer(value));
        }
    }

    /// Adds a grain's fragments where they were run; not where they do not add up to its work,
    /// as of a grain that stands for a subtree.
    fn feed_fragments(&self, row: usize, work: i64, gathered: &mut Gathered) -> bool {
        let fragments = &self.program.fragments;
        let own = self.fragments.get(row);
        let duration = |at: &u32| fragments.duration.get(*at as usize).copied().unwrap_or(0);
        let sum = own.iter().map(duration).fold(0, i64::saturating_add);
        if own.is_empty() || sum != work {
            return false;
        }
        for at in own {
            let location = fragments.location.get(*at as usize);
            let location = location.and_then(|&at| location_row(self.locations, at));
            let duration = Value::Integer(duration(at));
            gathered.by_location.add(location, duration);
        }
        true
    }

    fn feed_measured(&self, values: &[Measured], gathered: &mut Gathered) {
        for value in values {
            let row = usize::try_from(value.grain).unwrap_or(usize::MAX);
            let grain = self.order.grains.get(row);
            let location = grain.and_then(|&grain| self.location_of(grain as usize));
            gathered.totals.observe(value.value());
            gathered.by_location.add(location, value.value());
        }
    }

    fn location_of(&self, grain: usize) -> Option<i32> {
        let location = self.program.grains.location.get(grain).copied()?;
        location_row(self.locations, location)
    }
}
