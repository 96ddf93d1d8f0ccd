//! Values per context, location and metric.

use std::collections::BTreeMap;

use sheaf_model::table::{ValueRow, Values, ValuesBuilder};
use sheaf_model::{Direction, MetricKind, Unit, names};

use super::contexts::Placement;
use super::pauses::pauses;
use super::records::{Fragment, NONE, Pause, PauseKind, Records};
use crate::measure::{MetricSpec, Value};
use crate::run_tables::{GrainRows, LocationSum, LocationSums, MetricRows};

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

/// The metrics of a run. `counters` are the names of its hardware counters. Measures of what a run has nothing of are
/// not among them.
pub(super) fn metrics(counters: &[String], records: &Records) -> Vec<(Measure, MetricSpec)> {
    let worse = Direction::HigherIsWorse;
    let own = [
        (names::WORK, Unit::Nanoseconds, worse, Measure::Work),
        (names::WAITING, Unit::Nanoseconds, worse, Measure::Waiting),
        (
            names::GRAINS,
            Unit::Count,
            Direction::Neutral,
            Measure::Grains,
        ),
    ];
    let own = own.into_iter().chain(seldom(records));
    let own = own.map(|(name, unit, direction, measure)| {
        (measure, additive(name.to_owned(), unit, direction, None))
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
        let spec = additive(name, unit, worse, Some(source.clone()));
        (Measure::Counter(number), spec)
    });
    own.chain(counters).collect()
}

fn additive(name: String, unit: Unit, direction: Direction, source: Option<String>) -> MetricSpec {
    MetricSpec {
        name,
        unit,
        kind: MetricKind::Additive,
        direction,
        is_integer: true,
        source,
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
    pub(super) metrics: &'a MetricRows<Measure>,
}

/// Sums of all but fragments: of waits, grains and counters where they were measured.
///
/// Items are taken by the row of their grain, so those of one context follow each other and are
/// summed without looking anything up.
pub(super) fn sums_of_others<'a>(
    mut sums: Sums<'a>,
    records: &Records,
    placement: &Placement,
    order: &GrainRows,
) -> Sums<'a> {
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
    sums
}

/// Sums of one context and measure per location, and the finished ones of others.
pub(super) struct Sums<'a> {
    rows: &'a Rows<'a>,
    context: u32,
    measure: Measure,
    by_location: LocationSums,
    /// By rows of context, metric and location; one key may be there several times.
    finished: Vec<((i32, i32, i32), LocationSum)>,
}

impl<'a> Sums<'a> {
    pub(super) fn new(num_locations: usize, rows: &'a Rows<'a>) -> Self {
        Self {
            rows,
            context: NONE,
            measure: Measure::Work,
            by_location: LocationSums::new(num_locations),
            finished: Vec::new(),
        }
    }

    pub(super) fn add_fragment(&mut self, fragment: &Fragment, placement: &Placement) {
        let context = placement.context(fragment.grain, fragment.pass);
        self.add(context, Measure::Work, fragment.location, fragment.duration);
    }

    /// Adds a value of a worker; what no worker did is left out.
    fn add(&mut self, context: u32, measure: Measure, worker: u32, value: i64) {
        if (context, measure) != (self.context, self.measure) {
            self.flush();
            (self.context, self.measure) = (context, measure);
        }
        let location = self.rows.locations.get(worker as usize).copied();
        self.by_location.add(location, Value::Integer(value));
    }

    fn flush(&mut self) {
        let context = self.rows.contexts.get(self.context as usize).copied();
        let metric = self.rows.metrics.row(self.measure);
        let sums = self.by_location.take();
        if let (Some(context), Some(metric)) = (context, metric) {
            let keyed = sums
                .into_iter()
                .map(|(location, sum)| ((context, metric, location), sum));
            self.finished.extend(keyed);
        }
    }

    /// The table of these sums and others.
    pub(super) fn table_with(mut self, mut others: Self) -> Values {
        self.flush();
        others.flush();
        let mut list = self.finished;
        list.append(&mut others.finished);
        list.sort_by_key(|(key, _)| *key);
        let mut table = ValuesBuilder::default();
        for group in list.chunk_by(|a, b| a.0 == b.0) {
            let Some(&((context, metric, location), _)) = group.first() else {
                continue;
            };
            let sums = group.iter().map(|(_, sum)| sum.sum);
            table.push(ValueRow {
                context,
                metric,
                location,
                count: group.iter().map(|(_, sum)| sum.count).sum(),
                sum: Some(sums.fold(0, i64::saturating_add)),
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
