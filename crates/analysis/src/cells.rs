//! Values of one metric in one run: a sum per context and lane, read from the run's tables.
//!
//! A lane is what the aggregate over locations keeps apart: one for all locations when it is
//! linear (mean, sum), one per rank or per worker when it is not (max, median).

use arrow::array::Array;
use sheaf_model::table::Locations;
use sheaf_model::{MetricKind, Over, RunSummary};

use crate::metric::RunMetric;

/// How finely values are kept apart by location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lanes {
    /// All locations together.
    Total,
    /// One lane per rank.
    Ranks,
    /// One lane per worker.
    Workers,
}

impl Lanes {
    /// The lanes that an aggregate needs of a metric of this kind.
    pub(crate) const fn needed(over: Over, kind: MetricKind) -> Self {
        match (over, kind) {
            (Over::WorkersMax | Over::WorkersMedian, _)
            | (Over::WorkersMean, MetricKind::Intensive) => Self::Workers,
            (Over::RanksMax | Over::RanksMedian, _) | (_, MetricKind::Intensive) => Self::Ranks,
            (Over::RanksMean | Over::RanksSum | Over::WorkersMean, _) => Self::Total,
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
pub(crate) struct Cells {
    /// Lanes per context.
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

/// Lane of each location, and the number of lanes, at least one.
fn lane_of(locations: &Locations, lanes: Lanes) -> (Vec<usize>, usize) {
    match lanes {
        Lanes::Total => (vec![0; locations.len()], 1),
        Lanes::Workers => ((0..locations.len()).collect(), locations.len().max(1)),
        Lanes::Ranks => {
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
pub(crate) fn read(run: &RunSummary, metric: &RunMetric, lanes: Lanes) -> Cells {
    let rows_of = |metrics: &[i32]| metrics.contains(&metric.row);
    let has_totals = rows_of(run.totals.metric.values());
    let is_total_enough = run.locations.len() <= 1 || metric.metric.kind == MetricKind::Intensive;
    let has_values = || rows_of(run.values.metric.values());
    if has_totals && (lanes == Lanes::Total || (is_total_enough && !has_values())) {
        return read_totals(run, metric);
    }
    let mut cells = read_values(run, metric, lanes);
    if has_totals {
        cells.counts = read_totals(run, metric).counts;
    }
    cells
}

/// A row of either table.
struct Row {
    context: i32,
    lane: usize,
    count: i64,
}

fn read_totals(run: &RunSummary, metric: &RunMetric) -> Cells {
    let totals = &run.totals;
    let (contexts, counts) = (totals.context.values(), totals.count.values());
    let rows = selected(totals.metric.values(), metric.row).map(|row| {
        let (context, count) = (contexts[row], counts[row]);
        (
            row,
            Row {
                context,
                lane: 0,
                count,
            },
        )
    });
    let mut cells = Cells::new(run.contexts.len(), 1, metric);
    if metric.is_integer {
        let sums = totals.sum.values();
        rows.for_each(|(at, row)| cells.add_integer(&row, totals.sum.is_valid(at), sums[at]));
    } else {
        let sums = totals.sum_float.values();
        rows.for_each(|(at, row)| cells.add_float(&row, totals.sum_float.is_valid(at), sums[at]));
    }
    cells
}

fn read_values(run: &RunSummary, metric: &RunMetric, lanes: Lanes) -> Cells {
    let values = &run.values;
    let (lane_of, lanes) = lane_of(&run.locations, lanes);
    let (contexts, counts) = (values.context.values(), values.count.values());
    let locations = values.location.values();
    let rows = selected(values.metric.values(), metric.row).map(|row| {
        let location = usize::try_from(locations[row]).unwrap_or(usize::MAX);
        let lane = lane_of.get(location).copied().unwrap_or(0);
        let (context, count) = (contexts[row], counts[row]);
        (
            row,
            Row {
                context,
                lane,
                count,
            },
        )
    });
    let mut cells = Cells::new(run.contexts.len(), lanes, metric);
    if metric.is_integer {
        let sums = values.sum.values();
        rows.for_each(|(at, row)| cells.add_integer(&row, values.sum.is_valid(at), sums[at]));
    } else {
        let sums = values.sum_float.values();
        rows.for_each(|(at, row)| cells.add_float(&row, values.sum_float.is_valid(at), sums[at]));
    }
    cells
}

fn selected(metrics: &[i32], wanted: i32) -> impl Iterator<Item = usize> + '_ {
    let rows = metrics.iter().enumerate();
    rows.filter(move |(_, metric)| **metric == wanted)
        .map(|(row, _)| row)
}

impl Cells {
    fn new(contexts: usize, lanes: usize, metric: &RunMetric) -> Self {
        let is_intensive = metric.metric.kind == MetricKind::Intensive;
        Self {
            lanes,
            sums: if metric.is_integer {
                Sums::Integer(vec![0; contexts * lanes])
            } else {
                Sums::Float(vec![0.0; contexts * lanes])
            },
            lane_counts: if is_intensive {
                vec![0; contexts * lanes]
            } else {
                Vec::new()
            },
            counts: vec![0; contexts],
            is_measured: vec![false; contexts],
            unusable: 0,
        }
    }

    fn add_integer(&mut self, row: &Row, is_valid: bool, value: i64) {
        let Some(at) = self.place(row, is_valid) else {
            return;
        };
        if let Sums::Integer(sums) = &mut self.sums {
            sums[at] = sums[at].saturating_add(value);
        }
    }

    fn add_float(&mut self, row: &Row, is_valid: bool, value: f64) {
        if is_valid && !value.is_finite() {
            self.unusable += 1;
            return;
        }
        let Some(at) = self.place(row, is_valid) else {
            return;
        };
        if let Sums::Float(sums) = &mut self.sums {
            sums[at] += value;
        }
    }

    /// Counts a row and gives the place of its sum; rows without a value or context have none.
    fn place(&mut self, row: &Row, is_valid: bool) -> Option<usize> {
        let context = usize::try_from(row.context).ok()?;
        if !is_valid || context >= self.counts.len() {
            return None;
        }
        let at = context * self.lanes + row.lane;
        self.counts[context] = self.counts[context].saturating_add(row.count);
        self.is_measured[context] = true;
        if let Some(count) = self.lane_counts.get_mut(at) {
            // A row that stands for no observation is a value all the same.
            *count = count.saturating_add(row.count.max(1));
        }
        Some(at)
    }
}
