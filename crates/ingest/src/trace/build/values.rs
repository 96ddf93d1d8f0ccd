//! Values per context, location and metric, and their totals.

use std::collections::BTreeMap;

use sheaf_model::sketch;
use sheaf_model::table::{
    MetricRow, Metrics, TotalRow, Totals, TotalsBuilder, ValueRow, Values, ValuesBuilder,
};
use sheaf_model::{Direction, MetricKind, Unit, names};

use super::contexts::Placement;
use super::pauses::pauses;
use super::records::{NONE, Pause, PauseKind, Records};
use super::tables::{GrainRows, by_grain};
use crate::buckets::Buckets;
use crate::hash::FastMap;

/// What is measured, before metrics have rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Measure {
    Work,
    MpiBytes,
    Waiting,
    Grains,
    LockWaiting,
    LockHeld,
    Mpi,
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
}

/// Name, unit, direction and measure.
type Described = (&'static str, Unit, Direction, Measure);

/// Measures that not every run has.
fn seldom(records: &Records) -> impl Iterator<Item = Described> {
    let is_lock = |pause: &Pause| matches!(pause.key.what, PauseKind::Lock(..));
    let has_locks = records.pauses.iter().any(is_lock);
    let has_calls = records.pauses.iter().any(|pause| !is_lock(pause));
    let has_times = !records.off_cpu.is_empty();
    let worse = Direction::HigherIsWorse;
    let all = [
        (has_locks, names::LOCK_WAITING, worse, Measure::LockWaiting),
        (
            has_locks,
    let has_bytes = records.pauses.iter().any(|pause| pause.bytes.is_some());
            names::LOCK_HELD,
            Direction::Neutral,
    let bytes = (
        names::MPI_BYTES,
        Unit::Bytes,
        Direction::Neutral,
        Measure::MpiBytes,
    );
            Measure::LockHeld,
        ),
        (has_calls, names::MPI, worse, Measure::Mpi),
        (has_times, names::OFF_CPU, worse, Measure::OffCpu),
    ];
    all.into_iter()
        .filter(|(has, ..)| *has)
        .map(|(_, name, direction, measure)| (name, Unit::Nanoseconds, direction, measure))
}

/// Row numbers of what values refer to.
pub(super) struct Rows<'a> {
    pub(super) contexts: &'a [i32],
    pub(super) locations: &'a [i32],
        .chain(has_bytes.then_some(bytes))
    pub(super) metrics: &'a MetricRows,
}

/// Sums of fragments, waits and grains where they were measured.
///
/// Items are taken by the row of their grain, so those of one context follow each other and are
/// summed without looking anything up.
pub(super) fn values(
    records: &Records,
    placement: &Placement,
    order: &GrainRows,
    sorted_fragments: &Buckets,
    rows: &Rows<'_>,
) -> Values {
    let mut sums = Sums::new(records.workers.len());
    for &at in sorted_fragments.items() {
        let fragment = &records.fragments[at as usize];
        let context = placement.context(fragment.grain, fragment.pass);
        sums.add(context, Measure::Work, fragment.location, fragment.duration);
    }
    for &at in by_grain(&records.idles, order, |idle| idle.grain).items() {
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
    for &slot in &order.slots {
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
struct Sums {
    context: u32,
    measure: Measure,
    workers: Vec<Sum>,
    /// Context as in the placement, measure, worker; one key may be there several times.
    finished: Vec<((u32, Measure, u32), Sum)>,
}

impl Sums {
    fn new(num_workers: usize) -> Self {
        let workers = vec![(0, 0); num_workers];
        Self {
            context: NONE,
            measure: Measure::Work,
            workers,
            finished: Vec::new(),
        }
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

/// Totals per context: one observation per grain that ran, and one per member's way through a construct
/// that has no chunks.
pub(super) fn totals(records: &Records, placement: &Placement, rows: &Rows<'_>) -> Totals {
    let mut observations: Vec<(i32, i32, i64)> = Vec::new();
    let mut observe = |context: u32, measure: Measure, value: i64| {
        let context = rows.contexts.get(context as usize).copied();
        if let (Some(context), Some(metric)) = (context, rows.metrics.row(measure)) {
            observations.push((context, metric, value));
        }
    };
    let (apart_work, mut apart_waiting) = work_apart(records, placement, &mut observe);
    for pause in pauses(records, placement) {
        for (measure, value) in pause.measured() {
            observe(pause.context, measure, value);
        }
        let apart = apart_waiting.entry(pause.grain).or_default();
        *apart = apart.saturating_add(pause.waiting);
    }
    for off in &records.off_cpu {
        let context = placement.context(off.grain, off.pass);
        observe(context, Measure::OffCpu, off.duration);
    }
    for &slot in &placement.order {
        let grain = records.grain(slot);
        if grain.location == NONE {
            // Dropped or never started: absent, not zero.
            continue;
        }
        let context = placement.grains[slot as usize];
        let apart = apart_work.get(&slot).copied().unwrap_or(0);
        observe(context, Measure::Work, grain.work - apart);
        let apart = apart_waiting.get(&slot).copied();
        let own_waiting = grain.waiting - apart.unwrap_or(0);
        if own_waiting > 0 || (own_waiting == 0 && apart.is_none()) {
            observe(context, Measure::Waiting, own_waiting);
        }
        if grain.kind.is_grain() {
            observe(context, Measure::Grains, 1);
        }
    }
    for ((slot, counter), value) in counters_by_grain(records) {
        observe(
            placement.grains[slot as usize],
            Measure::Counter(counter),
            value,
        );
    }
    observations.sort_unstable();
    let mut table = TotalsBuilder::default();
    for group in observations.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        table.push(total(group));
    }
    table.finish()
}

type BySlot = FastMap<u32, i64>;

/// Work and waiting of members that belongs to a construct's context and not to their own.
fn work_apart(
    records: &Records,
    placement: &Placement,
    observe: &mut impl FnMut(u32, Measure, i64),
) -> (BySlot, BySlot) {
    let (mut work, mut waiting) = (BySlot::default(), BySlot::default());
    for (pass, row) in records.passes.iter().enumerate() {
        let context = placement.passes[pass];
        if context == placement.grains[row.grain as usize] {
            continue;
        }
        observe(context, Measure::Work, row.work);
        *work.entry(row.grain).or_default() += row.work;
        if row.waiting >= 0 {
            observe(context, Measure::Waiting, row.waiting);
            *waiting.entry(row.grain).or_default() += row.waiting;
        }
    }
    (work, waiting)
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

/// The total of observations of one context and metric, ascending.
fn total(group: &[(i32, i32, i64)]) -> TotalRow {
    let values = group.iter().map(|&(_, _, value)| value);
    let mut buckets: Vec<i32> = Vec::new();
    let mut counts: Vec<i64> = Vec::new();
    for value in values.clone() {
        let bucket = sketch::bucket(value);
        match (buckets.last(), counts.last_mut()) {
            (Some(last), Some(count)) if *last == bucket => *count += 1,
            _ => {
                buckets.push(bucket);
                counts.push(1);
            }
        }
    }
    TotalRow {
        context: group.first().map_or(0, |first| first.0),
        metric: group.first().map_or(0, |first| first.1),
        count: i64::try_from(group.len()).unwrap_or(i64::MAX),
        sum: Some(values.clone().fold(0, i64::saturating_add)),
        min: values.clone().next(),
        max: values.clone().next_back(),
        sum_squares: Some(
            values
                .map(|value| i128::from(value).pow(2))
                .fold(0, i128::saturating_add),
        ),
        sum_float: None,
        min_float: None,
        max_float: None,
        sketch_buckets: buckets,
        sketch_counts: counts,
    }
}
