//! Values per context, location and metric, and their totals.

use std::collections::BTreeMap;

use sheaf_model::table::{MetricRow, Metrics, ValueRow, Values, ValuesBuilder};
use sheaf_model::{Direction, MetricKind, Unit, names};

use super::contexts::Placement;
use super::pauses::pauses;
use super::records::{Fragment, NONE, Pause, PauseKind, Records};
use crate::run_tables::GrainRows;

/// What is measured, before metrics have rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Measure {
    Work,
    Waiting,
    Grains,
    LockWaiting,
    LockHeld,
    Mpi,
    MpiBytes,
    OffCpu,
    /// A hardware counter, by its number in the list of names.
    Counter(u8),
}

/// The metrics of a run with the row of each measure.
pub(super) struct MetricRows {
    pub(super) table: Metrics,
    rows: BTreeMap<Measure, i32>,
}

impl MetricRows {
    /// `counters` are the names of the hardware counters; one that is not recorded has no row, and
    /// neither have measures of what a run has nothing of.
    pub(super) fn new(counters: &[String], records: &Records) -> Self {
        let own = [
            (
                names::WORK,
                Unit::Nanoseconds,
                Direction::HigherIsWorse,
                Measure::Work,
            ),
            (
                names::WAITING,
                Unit::Nanoseconds,
                Direction::HigherIsWorse,
                Measure::Waiting,
            ),
            (
                names::GRAINS,
                Unit::Count,
                Direction::Neutral,
                Measure::Grains,
            ),
        ];
        let own = own.into_iter().chain(seldom(records));
        let own = own.map(|(name, unit, direction, measure)| {
            (name.to_owned(), unit, direction, measure, None)
        });
        let counters = (0..=u8::MAX).zip(counters).map(|(number, source)| {
            let name = source
                .to_lowercase()
                .replace(|c: char| !c.is_ascii_alphanumeric(), "_");
            let unit = if name.contains("cycles") {
                Unit::Cycles
            } else {
                Unit::Count
            };
            let measure = Measure::Counter(number);
            (
                name,
                unit,
                Direction::HigherIsWorse,
                measure,
                Some(source.clone()),
            )
        });
        let mut all: Vec<_> = own.chain(counters).collect();
        all.sort_by(|a, b| (&a.0, a.3).cmp(&(&b.0, b.3)));
        let rows = (0..)
            .zip(&all)
            .map(|(row, metric)| (metric.3, row))
            .collect();
        let table = all
            .into_iter()
            .map(|(name, unit, direction, _, source)| MetricRow {
                name,
                unit: unit.as_str().to_owned(),
                kind: MetricKind::Additive.as_str().to_owned(),
                direction: direction.as_str().to_owned(),
                is_integer: true,
                source,
                alias: None,
            })
            .collect();
        Self { table, rows }
    }

    pub(super) fn row(&self, measure: Measure) -> Option<i32> {
        self.rows.get(&measure).copied()
    }

    /// Row and measure of each metric, by row.
    pub(super) fn measures(&self) -> Vec<(i32, Measure)> {
        let mut measures: Vec<_> = self
            .rows
            .iter()
            .map(|(measure, row)| (*row, *measure))
            .collect();
        measures.sort_unstable();
        measures
    }
}

/// Name, unit, direction and measure.
type Described = (&'static str, Unit, Direction, Measure);

/// Measures that not every run has.
fn seldom(records: &Records) -> impl Iterator<Item = Described> {
    let is_lock = |pause: &Pause| matches!(pause.key.what, PauseKind::Lock(..));
    let has_locks = records.pauses.iter().any(is_lock);
    let has_calls = records.pauses.iter().any(|pause| !is_lock(pause));
    let has_bytes = records.pauses.iter().any(|pause| pause.bytes.is_some());
    let has_times = !records.off_cpu.is_empty();
    let worse = Direction::HigherIsWorse;
    let bytes = (
        names::MPI_BYTES,
        Unit::Bytes,
        Direction::Neutral,
        Measure::MpiBytes,
    );
    let all = [
        (has_locks, names::LOCK_WAITING, worse, Measure::LockWaiting),
        (
            has_locks,
            names::LOCK_HELD,
            Direction::Neutral,
            Measure::LockHeld,
        ),
        (has_calls, names::MPI, worse, Measure::Mpi),
        (has_times, names::OFF_CPU, worse, Measure::OffCpu),
    ];
    all.into_iter()
        .filter(|(has, ..)| *has)
        .map(|(_, name, direction, measure)| (name, Unit::Nanoseconds, direction, measure))
        .chain(has_bytes.then_some(bytes))
}

/// Row numbers of what values refer to.
pub(super) struct Rows<'a> {
    pub(super) contexts: &'a [i32],
    pub(super) locations: &'a [i32],
    pub(super) metrics: &'a MetricRows,
}

/// Sums of fragments, waits and grains where they were measured.
///
/// Items are taken by the row of their grain, so those of one context follow each other and are
/// summed without looking anything up.
///
/// `sums` has those of the fragments.
pub(super) fn values(
    mut sums: Sums,
    records: &Records,
    placement: &Placement,
    order: &GrainRows,
    rows: &Rows<'_>,
) -> Values {
    for &at in order.by_grain(&records.idles, |idle| idle.grain).items() {
        let idle = &records.idles[at as usize];
        let context = placement.context(idle.grain, idle.pass);
        sums.add(context, Measure::Waiting, idle.location, idle.duration);
    }
    for pause in pauses(records, placement) {
        for (measure, value) in pause.measured() {
            sums.add(pause.context, measure, pause.location, value);
        }
    }
    for off in &records.off_cpu {
        let context = placement.context(off.grain, off.pass);
        sums.add(context, Measure::OffCpu, off.location, off.duration);
    }
    for &slot in &order.grains {
        let grain = records.grain(slot);
        if grain.kind.is_grain() {
            sums.add(
                placement.context(slot, NONE),
                Measure::Grains,
                grain.location,
                1,
            );
        }
    }
    for &(slot, counter, delta) in &records.counters {
        let delta = i64::try_from(delta).unwrap_or(i64::MAX);
        let location = records.grain(slot).location;
        sums.add(
            placement.context(slot, NONE),
            Measure::Counter(counter),
            location,
            delta,
        );
    }
    sums.table(rows)
}

/// Count and sum.
type Sum = (i64, i64);

/// Sums of one context and measure per worker, and the finished ones of others.
pub(super) struct Sums {
    context: u32,
    measure: Measure,
    workers: Vec<Sum>,
    /// Context as in the placement, measure, worker; one key may be there several times.
    finished: Vec<((u32, Measure, u32), Sum)>,
}

impl Sums {
    pub(super) fn new(num_workers: usize) -> Self {
        let workers = vec![(0, 0); num_workers];
        Self {
            context: NONE,
            measure: Measure::Work,
            workers,
            finished: Vec::new(),
        }
    }

    pub(super) fn add_fragment(&mut self, fragment: &Fragment, placement: &Placement) {
        let context = placement.context(fragment.grain, fragment.pass);
        self.add(context, Measure::Work, fragment.location, fragment.duration);
    }

    /// Adds a value of a worker; what no worker did is left out.
    fn add(&mut self, context: u32, measure: Measure, location: u32, value: i64) {
        if (context, measure) != (self.context, self.measure) {
            self.flush();
            (self.context, self.measure) = (context, measure);
        }
        if let Some((count, sum)) = self.workers.get_mut(location as usize) {
            *count += 1;
            *sum = sum.saturating_add(value);
        }
    }

    fn flush(&mut self) {
        for (location, sum) in (0..).zip(&mut self.workers) {
            let sum = std::mem::take(sum);
            if sum.0 > 0 {
                self.finished
                    .push(((self.context, self.measure, location), sum));
            }
        }
    }

    fn table(mut self, rows: &Rows<'_>) -> Values {
        self.flush();
        let row = |&((context, measure, location), sum): &((u32, Measure, u32), Sum)| {
            let context = rows.contexts.get(context as usize).copied()?;
            let location = rows.locations.get(location as usize).copied()?;
            Some(((context, rows.metrics.row(measure)?, location), sum))
        };
        let mut list: Vec<((i32, i32, i32), Sum)> = self.finished.iter().filter_map(row).collect();
        drop(self.finished);
        list.sort_by_key(|(key, _)| *key);
        let mut table = ValuesBuilder::default();
        for group in list.chunk_by(|a, b| a.0 == b.0) {
            let Some(&((context, metric, location), _)) = group.first() else {
                continue;
            };
            let count = group.iter().map(|(_, sum)| sum.0).sum();
            let sum = Some(
                group
                    .iter()
                    .fold(0_i64, |all, (_, sum)| all.saturating_add(sum.1)),
            );
            table.push(ValueRow {
                context,
                metric,
                location,
                count,
                sum,
                sum_float: None,
            });
        }
        table.finish()
    }
}

/// Counts per grain and counter.
pub(super) fn counters_by_grain(records: &Records) -> BTreeMap<(u32, u8), i64> {
    let mut sums = BTreeMap::new();
    for &(slot, counter, delta) in &records.counters {
        let delta = i64::try_from(delta).unwrap_or(i64::MAX);
        let sum: &mut i64 = sums.entry((slot, counter)).or_default();
        *sum = sum.saturating_add(delta);
    }
    sums
}
