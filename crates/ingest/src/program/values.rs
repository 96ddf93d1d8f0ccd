//! Values per context, location and metric, and totals with one observation per grain.

use std::ops::Range;

use sheaf_model::table::{TotalRow, Totals, TotalsBuilder, ValueRow, Values, ValuesBuilder};

use super::Program;
use super::metrics::{Measured, MetricRows, Own};
use super::tables::location_row;
use crate::buckets::Buckets;
use crate::run_tables::GrainRows;

/// What values are made from.
pub(super) struct Source<'a> {
    pub(super) program: &'a Program,
    pub(super) order: &'a GrainRows,
    pub(super) fragments: &'a Buckets,
    pub(super) locations: &'a [i32],
    pub(super) metrics: &'a MetricRows,
    pub(super) measured: &'a [Measured],
}

/// Where the values of one metric in one context come from.
enum Job<'a> {
    Own(Own),
    Measured(&'a [Measured]),
}

/// Both tables. Contexts are taken one by one, and of each its metrics.
pub(super) fn values_and_totals(source: &Source<'_>, num_locations: usize) -> (Values, Totals) {
    let mut cells = Cells::new(num_locations);
    let mut measured = source.measured;
    for (context, bounds) in (0..).zip(source.order.starts.windows(2)) {
        let &[start, end] = bounds else { continue };
        let of_context = |value: &Measured| usize::try_from(value.grain).is_ok_and(|row| row < end);
        let (here, behind) = measured.split_at(measured.partition_point(of_context));
        measured = behind;
        let mut sorted = here.to_vec();
        sorted.sort_by_key(|value| value.metric);
        let own = source.metrics.own.iter();
        let own = own.map(|&(own, row)| (row, Job::Own(own)));
        let others = sorted.chunk_by(|a, b| a.metric == b.metric);
        let others = others.filter_map(|of_metric| {
            let first = of_metric.first()?;
            Some((first.metric, Job::Measured(of_metric)))
        });
        let mut jobs: Vec<(i32, Job<'_>)> = own.chain(others).collect();
        jobs.sort_by_key(|(metric, _)| *metric);
        for (metric, job) in jobs {
            match job {
                Job::Own(own) => source.feed_own(own, start..end, &mut cells),
                Job::Measured(values) => source.feed_measured(values, &mut cells),
            }
            cells.flush(context, metric);
        }
    }
    (cells.values.finish(), cells.totals.finish())
}

impl Source<'_> {
    fn feed_own(&self, own: Own, rows: Range<usize>, cells: &mut Cells) {
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
            cells.integers.push(value);
            if own == Own::Work && self.feed_fragments(row, value, cells) {
                continue;
            }
            // A creation is the creator's time.
            let creator = grains.parent_of(at).filter(|_| own == Own::Creation);
            let creator = creator.and_then(|parent| self.location_of(parent));
            cells.add(creator.or(location), value, 0.0);
        }
    }

    /// Adds a grain's fragments where they were run; not where they do not add up to its work,
    /// as of a grain that stands for a subtree.
    fn feed_fragments(&self, row: usize, work: i64, cells: &mut Cells) -> bool {
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
            cells.add(location, duration(at), 0.0);
        }
        true
    }

    fn feed_measured(&self, values: &[Measured], cells: &mut Cells) {
        for value in values {
            let row = usize::try_from(value.grain).unwrap_or(usize::MAX);
            let grain = self.order.grains.get(row);
            let location = grain.and_then(|&grain| self.location_of(grain as usize));
            if let Some(integer) = value.integer() {
                cells.integers.push(integer);
                cells.add(location, integer, 0.0);
            }
            if let Some(float) = value.float() {
                cells.floats.push(float);
                cells.add(location, 0, float);
            }
        }
    }

    fn location_of(&self, grain: usize) -> Option<i32> {
        let location = self.program.grains.location.get(grain).copied()?;
        location_row(self.locations, location)
    }
}

/// Count and sums at one location.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    count: i64,
    sum: i64,
    sum_float: f64,
}

/// The values of one context and metric, and the finished tables of others.
struct Cells {
    by_location: Vec<Cell>,
    /// Locations that have a value.
    touched: Vec<i32>,
    /// Observations, one per grain; a metric has either sort.
    integers: Vec<i64>,
    floats: Vec<f64>,
    values: ValuesBuilder,
    totals: TotalsBuilder,
}

impl Cells {
    fn new(num_locations: usize) -> Self {
        Self {
            by_location: vec![Cell::default(); num_locations],
            touched: Vec::new(),
            integers: Vec::new(),
            floats: Vec::new(),
            values: ValuesBuilder::default(),
            totals: TotalsBuilder::default(),
        }
    }

    fn add(&mut self, location: Option<i32>, value: i64, float: f64) {
        let Some(location) = location else { return };
        let at = usize::try_from(location).unwrap_or(usize::MAX);
        let Some(cell) = self.by_location.get_mut(at) else {
            return;
        };
        if cell.count == 0 {
            self.touched.push(location);
        }
        cell.count += 1;
        cell.sum = cell.sum.saturating_add(value);
        cell.sum_float += float;
    }

    fn flush(&mut self, context: i32, metric: i32) {
        let is_float = !self.floats.is_empty();
        self.touched.sort_unstable();
        for location in self.touched.drain(..) {
            let at = usize::try_from(location).unwrap_or(usize::MAX);
            let Some(cell) = self.by_location.get_mut(at).map(std::mem::take) else {
                continue;
            };
            self.values.push(ValueRow {
                context,
                metric,
                location,
                count: cell.count,
                sum: (!is_float).then_some(cell.sum),
                sum_float: is_float.then_some(cell.sum_float),
            });
        }
        if is_float {
            self.totals
                .push(total_of_floats(context, metric, &self.floats));
        } else if !self.integers.is_empty() {
            self.integers.sort_unstable();
            self.totals
                .push(TotalRow::of_integers(context, metric, &self.integers));
        }
        self.integers.clear();
        self.floats.clear();
    }
}

/// The total of observations in the order of their grains.
fn total_of_floats(context: i32, metric: i32, values: &[f64]) -> TotalRow {
    TotalRow {
        context,
        metric,
        count: i64::try_from(values.len()).unwrap_or(i64::MAX),
        sum: None,
        min: None,
        max: None,
        sum_squares: None,
        sum_float: Some(values.iter().sum()),
        min_float: values.iter().copied().reduce(f64::min),
        max_float: values.iter().copied().reduce(f64::max),
        sketch_buckets: Vec::new(),
        sketch_counts: Vec::new(),
    }
}
