//! Values of one metric in one run: a sum per context and lane, read from the run's tables.
//!
//! A lane is what the aggregate over locations keeps apart: one for all locations when it is
//! linear (mean, sum), one per rank or per worker when it is not (max, median).

mod rows;

use arrow::array::{Array, Float64Array, Int64Array};
use arrow::buffer::NullBuffer;
use sheaf_model::table::Locations;
use sheaf_model::{LocationAggregate, MetricKind, RunSummary};

use crate::metric::RunMetric;
use rows::Rows;

/// How finely values are kept apart by location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LocationAxis {
    /// All locations together.
    Total,
    /// One lane per rank.
    Ranks,
    /// One lane per worker; helpers of the runtime are in none.
    Workers,
}

impl LocationAxis {
    /// The lanes that an aggregate needs of a metric of this kind.
    pub(crate) const fn needed(over: LocationAggregate, kind: MetricKind) -> Self {
        match (over, kind) {
            (LocationAggregate::WorkersMax | LocationAggregate::WorkersMedian, _)
            | (LocationAggregate::WorkersMean, MetricKind::Intensive) => Self::Workers,
            (LocationAggregate::RanksMax | LocationAggregate::RanksMedian, _)
            | (_, MetricKind::Intensive) => Self::Ranks,
            (
                LocationAggregate::RanksMean
                | LocationAggregate::RanksSum
                | LocationAggregate::WorkersMean,
                _,
            ) => Self::Total,
        }
    }
}

/// Sums in the metric's own arithmetic.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Sums {
    /// Exact; a sum past 63 bits stays at the end of the range.
    Integer(Vec<i64>),
    /// In the order of the table's rows.
    Float(Vec<f64>),
}

/// Values of one metric in one run, context by context, lane by lane.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ContextSums {
    /// Locations per context.
    pub(crate) lanes: usize,
    /// `contexts * lanes` sums; zero where nothing was measured.
    pub(crate) sums: Sums,
    /// Observations, parallel to the sums; kept for intensive metrics only.
    pub(crate) lane_counts: Vec<i64>,
    /// Observations per context.
    pub(crate) counts: Vec<i64>,
    /// Whether a context has any value.
    pub(crate) is_measured: Vec<bool>,
    /// Rows left out because they are NaN or infinite.
    pub(crate) unusable: u64,
}

/// Ranks of a run in ascending order.
pub(crate) fn ranks(locations: &Locations) -> Vec<i32> {
    let mut ranks = locations.rank.values().to_vec();
    ranks.sort_unstable();
    ranks.dedup();
    ranks
}

/// Lane of each location, and the number of lanes, at least one. The lane of a helper is none of the workers'.
pub(crate) fn lane_of(locations: &Locations, lanes: LocationAxis) -> (Vec<usize>, usize) {
    match lanes {
        LocationAxis::Total => (vec![0; locations.len()], 1),
        LocationAxis::Workers => {
            let mut num_workers = 0;
            let mut lane = |&thread: &i32| {
                if thread < 0 {
                    return usize::MAX;
                }
                num_workers += 1;
                num_workers - 1
            };
            let lanes: Vec<usize> = locations.thread.values().iter().map(&mut lane).collect();
            (lanes, num_workers.max(1))
        }
        LocationAxis::Ranks => {
            let ranks = ranks(locations);
            let lane = |rank| ranks.binary_search(&rank).unwrap_or(0);
            let lanes = locations.rank.values().iter().map(|&rank| lane(rank));
            (lanes.collect(), ranks.len().max(1))
        }
    }
}

/// Reads one metric of a run.
///
/// One lane is read from the totals, a row per context; more lanes from the values, a row per
/// context and location. A run without the one is read from the other; totals over several
/// locations say nothing of their maximum or median, which then counts as not measured.
pub(crate) fn read(run: &RunSummary, metric: &RunMetric, lanes: LocationAxis) -> ContextSums {
    let rows_of = |metrics: &[i32]| metrics.contains(&metric.row);
    let has_totals = rows_of(run.totals.metric.values());
    let is_total_enough = run.locations.len() <= 1 || metric.metric.kind == MetricKind::Intensive;
    let has_values = || rows_of(run.values.metric.values());
    if has_totals && (lanes == LocationAxis::Total || (is_total_enough && !has_values())) {
        return read_totals(run, metric);
    }
    // Counts are those of totals where there are some.
    let mut cells = read_values(run, metric, lanes, !has_totals);
    if has_totals {
        cells.counts = read_totals(run, metric).counts;
    }
    cells
}

/// Reads those of a run's metrics that are wanted over all locations.
pub(crate) fn read_all(
    run: &RunSummary,
    metrics: &[RunMetric],
    is_wanted: impl Fn(&RunMetric) -> bool,
) -> Vec<Option<ContextSums>> {
    let stride = stride(run);
    let read_one = |metric: &RunMetric| {
        let column = stride.and_then(|stride| read_column(run, metric, stride));
        column.unwrap_or_else(|| read(run, metric, LocationAxis::Total))
    };
    let read = |metric: &RunMetric| is_wanted(metric).then(|| read_one(metric));
    metrics.iter().map(read).collect()
}

/// The number of metrics, when the totals have a row for each context and metric: the rows of a metric are
/// then so far apart, and their order is that of contexts.
fn stride(run: &RunSummary) -> Option<usize> {
    let (contexts, metrics) = (run.totals.context.values(), run.totals.metric.values());
    let stride = run.metrics.len();
    if stride == 0 || contexts.len() != run.contexts.len() * stride {
        return None;
    }
    let rows = contexts
        .chunks_exact(stride)
        .zip(metrics.chunks_exact(stride));
    let is_whole = |(context, (contexts, metrics)): (i32, (&[i32], &[i32]))| {
        contexts.iter().all(|&other| other == context)
            && metrics.iter().zip(0..).all(|(&metric, at)| metric == at)
    };
    (0..).zip(rows).all(is_whole).then_some(stride)
}

/// One metric of totals that have a row for each context and metric, if it adds up.
fn read_column(run: &RunSummary, metric: &RunMetric, stride: usize) -> Option<ContextSums> {
    let totals = &run.totals;
    let first = usize::try_from(metric.row)
        .ok()
        .filter(|&row| row < stride)?;
    if metric.metric.kind == MetricKind::Intensive {
        return None;
    }
    let rows = || (first..totals.len()).step_by(stride);
    let counts = totals.count.values();
    let mut cells = ContextSums {
        lanes: 1,
        sums: Sums::Integer(Vec::new()),
        lane_counts: Vec::new(),
        counts: rows().map(|row| counts[row]).collect(),
        is_measured: Vec::new(),
        unusable: 0,
    };
    if metric.is_integer {
        let values = totals.sum.values();
        cells.is_measured = rows().map(|row| totals.sum.is_valid(row)).collect();
        cells.sums = Sums::Integer(cells.of_measured(rows().map(|row| values[row])));
    } else {
        let (column, values) = (&totals.sum_float, totals.sum_float.values());
        let is_usable = |row: usize| column.is_null(row) || values[row].is_finite();
        cells.unusable = rows().filter(|&row| !is_usable(row)).count() as u64;
        let is_measured = |row: usize| column.is_valid(row) && values[row].is_finite();
        cells.is_measured = rows().map(is_measured).collect();
        // A sum that begins at 0 has no −0.
        cells.sums = Sums::Float(cells.of_measured(rows().map(|row| values[row] + 0.0)));
    }
    Some(cells)
}

fn read_totals(run: &RunSummary, metric: &RunMetric) -> ContextSums {
    if let Some(cells) = stride(run).and_then(|stride| read_column(run, metric, stride)) {
        return cells;
    }
    let totals = &run.totals;
    let rows = Rows {
        metrics: totals.metric.values(),
        contexts: totals.context.values(),
        counts: totals.count.values(),
        locations: None,
        is_counted: true,
    };
    let columns = (&totals.sum, &totals.sum_float);
    ContextSums::of_rows(run.contexts.len(), 1, metric, &rows, columns)
}

fn read_values(
    run: &RunSummary,
    metric: &RunMetric,
    lanes: LocationAxis,
    is_counted: bool,
) -> ContextSums {
    let values = &run.values;
    let (lane_of, lanes) = lane_of(&run.locations, lanes);
    let rows = Rows {
        metrics: values.metric.values(),
        contexts: values.context.values(),
        counts: values.count.values(),
        locations: Some((values.location.values(), &lane_of)),
        is_counted,
    };
    let columns = (&values.sum, &values.sum_float);
    ContextSums::of_rows(run.contexts.len(), lanes, metric, &rows, columns)
}

impl ContextSums {
    /// The values of contexts that are measured; of the others nothing counts.
    fn of_measured<T: Copy + Default>(&mut self, values: impl Iterator<Item = T>) -> Vec<T> {
        let nothing = (T::default(), 0);
        let places = values.zip(&self.is_measured).zip(&mut self.counts);
        places
            .map(|((value, &is_measured), count)| {
                let (value, kept) = if is_measured {
                    (value, *count)
                } else {
                    nothing
                };
                *count = kept;
                value
            })
            .collect()
    }

    fn of_rows(
        contexts: usize,
        lanes: usize,
        metric: &RunMetric,
        rows: &Rows<'_>,
        (integers, floats): (&Int64Array, &Float64Array),
    ) -> Self {
        let is_intensive = metric.metric.kind == MetricKind::Intensive;
        let mut cells = Self {
            lanes,
            sums: Sums::Integer(Vec::new()),
            lane_counts: if is_intensive {
                vec![0; contexts * lanes]
            } else {
                Vec::new()
            },
            counts: vec![0; contexts],
            is_measured: vec![false; contexts],
            unusable: 0,
        };
        cells.sums = if metric.is_integer {
            let column = (&integers.values()[..], integers.nulls());
            Sums::Integer(cells.add_up(rows, metric.row, column, |_| true, i64::saturating_add))
        } else {
            let column = (&floats.values()[..], floats.nulls());
            Sums::Float(cells.add_up(rows, metric.row, column, f64::is_finite, |a, b| a + b))
        };
        cells
    }

    /// Sums of one column over the rows of one metric. Rows without a value, or that point out of
    /// the tables, count for nothing; unusable values are counted.
    fn add_up<T: Copy + Default>(
        &mut self,
        rows: &Rows<'_>,
        metric: i32,
        (values, nulls): (&[T], Option<&NullBuffer>),
        is_usable: impl Fn(T) -> bool,
        add: impl Fn(T, T) -> T,
    ) -> Vec<T> {
        let mut sums = vec![T::default(); self.counts.len() * self.lanes];
        let are_lanes = rows.are_lanes(self.lanes);
        let mut next = 0;
        while next < rows.metrics.len() {
            let row = next;
            if are_lanes && rows.begins_whole(row, self.lanes) {
                next += self.lanes;
                let is_other = rows.metrics[row] != metric;
                let column = (values, nulls);
                if is_other || self.take(rows, row, column, &is_usable, &mut sums, &add) {
                    continue;
                }
            }
            next = row + 1;
            if rows.metrics[row] != metric || nulls.is_some_and(|nulls| nulls.is_null(row)) {
                continue;
            }
            let (context, count, value) = (rows.contexts[row], rows.counts[row], values[row]);
            let lane = match rows.locations {
                None => Some(&0),
                Some((locations, lane_of)) => usize::try_from(locations[row])
                    .ok()
                    .and_then(|location| lane_of.get(location)),
            };
            let (Ok(context), Some(&lane)) = (usize::try_from(context), lane) else {
                continue;
            };
            if context >= self.counts.len() {
                continue;
            }
            if !is_usable(value) {
                self.unusable += 1;
                continue;
            }
            let at = (lane < self.lanes).then(|| context * self.lanes + lane);
            if let Some(at) = at {
                sums[at] = add(sums[at], value);
            }
            self.counts[context] = self.counts[context].saturating_add(count);
            self.is_measured[context] = true;
            if let Some(lane_count) = at.and_then(|at| self.lane_counts.get_mut(at)) {
                // A row that stands for no observation is a value all the same.
                *lane_count = lane_count.saturating_add(count.max(1));
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use sheaf_model::table::LocationRow;

    use super::*;

    #[test]
    fn helpers_are_in_no_lane_of_workers() {
        let row = |(rank, thread)| LocationRow {
            rank,
            thread,
            core: None,
            numa_node: None,
        };
        let table: Locations = [(0, 0), (0, -1), (1, 0)].map(row).into_iter().collect();
        let (lane_of_row, lanes) = lane_of(&table, LocationAxis::Workers);
        assert_eq!((lane_of_row[0], lane_of_row[2], lanes), (0, 1, 2));
        assert!(lane_of_row[1] >= lanes);
        assert_eq!(lane_of(&table, LocationAxis::Ranks), (vec![0, 0, 1], 2));
    }
}
