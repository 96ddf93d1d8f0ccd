//! Values per context, location and metric, and their totals.

use std::collections::{BTreeMap, HashMap};

use sheaf_model::sketch;
use sheaf_model::table::{
    MetricRow, Metrics, TotalRow, Totals, TotalsBuilder, ValueRow, Values, ValuesBuilder,
};
use sheaf_model::{Direction, MetricKind, Unit, names};

use super::contexts::Placement;
use super::records::Records;

/// What is measured, before metrics have rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Measure {
    Work,
    Waiting,
    Grains,
    /// A hardware counter, by its number in the list of names.
    Counter(u8),
}

/// The metrics of a run with the row of each measure.
pub(super) struct MetricRows {
    pub(super) table: Metrics,
    rows: BTreeMap<Measure, i32>,
}

impl MetricRows {
    /// `counters` are the names of the hardware counters; one that is not recorded has no row.
    pub(super) fn new(counters: &[String]) -> Self {
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
        let mut all: Vec<_> = own.into_iter().chain(counters).collect();
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
            })
            .collect();
        Self { table, rows }
    }

    pub(super) fn row(&self, measure: Measure) -> Option<i32> {
        self.rows.get(&measure).copied()
    }
}

/// Row numbers of what values refer to.
pub(super) struct Rows<'a> {
    pub(super) contexts: &'a [i32],
    pub(super) locations: &'a [i32],
    pub(super) metrics: &'a MetricRows,
}

/// Sums of fragments, waits and grains where they were measured.
pub(super) fn values(records: &Records, placement: &Placement, rows: &Rows<'_>) -> Values {
    let mut sums = Sums::default();
    for fragment in &records.fragments {
        let context = placement.context(fragment.grain, fragment.pass);
        sums.add(
            (context, Measure::Work, fragment.location),
            fragment.duration,
        );
    }
    for idle in &records.idles {
        let context = placement.context(idle.grain, idle.pass);
        sums.add((context, Measure::Waiting, idle.location), idle.duration);
    }
    let mut last_location: HashMap<u32, u32> = HashMap::new();
    for &slot in &placement.order {
        let grain = records.grain(slot);
        if grain.location != super::records::NONE {
            last_location.insert(slot, grain.location);
            if grain.kind.is_grain() {
                sums.add(
                    (
                        placement.grains[slot as usize],
                        Measure::Grains,
                        grain.location,
                    ),
                    1,
                );
            }
        }
    }
    for &(slot, counter, delta) in &records.counters {
        let Some(&location) = last_location.get(&slot) else {
            continue;
        };
        let delta = i64::try_from(delta).unwrap_or(i64::MAX);
        let measure = Measure::Counter(counter);
        sums.add((placement.grains[slot as usize], measure, location), delta);
    }
    sums.table(rows)
}

/// Context as in the placement, measure, worker.
type ValueKey = (u32, Measure, u32);

/// Sums by key; neighbours in time mostly share it.
#[derive(Default)]
struct Sums {
    rows: HashMap<ValueKey, usize>,
    list: Vec<(ValueKey, i64, i64)>,
    recent: usize,
}

impl Sums {
    fn add(&mut self, key: ValueKey, value: i64) {
        let is_recent = self
            .list
            .get(self.recent)
            .is_some_and(|(known, _, _)| *known == key);
        if !is_recent {
            let next = self.list.len();
            self.recent = *self.rows.entry(key).or_insert(next);
            if self.recent == next {
                self.list.push((key, 0, 0));
            }
        }
        let (_, count, sum) = &mut self.list[self.recent];
        *count += 1;
        *sum = sum.saturating_add(value);
    }

    fn table(self, rows: &Rows<'_>) -> Values {
        let mut list: Vec<ValueRow> = Vec::with_capacity(self.list.len());
        for ((context, measure, location), count, sum) in self.list {
            let context = rows.contexts.get(context as usize).copied();
            let location = rows.locations.get(location as usize).copied();
            let (Some(context), Some(location)) = (context, location) else {
                continue;
            };
            let Some(metric) = rows.metrics.row(measure) else {
                continue;
            };
            let sum = Some(sum);
            list.push(ValueRow {
                context,
                metric,
                location,
                count,
                sum,
                sum_float: None,
            });
        }
        list.sort_by_key(|row| (row.context, row.metric, row.location));
        let mut table = ValuesBuilder::default();
        for row in list {
            table.push(row);
        }
        table.finish()
    }
}

/// Totals per context: one observation per grain, and one per member's way through a construct
/// that has no chunks.
pub(super) fn totals(records: &Records, placement: &Placement, rows: &Rows<'_>) -> Totals {
    let mut observations: Vec<(i32, i32, i64)> = Vec::new();
    let mut observe = |context: u32, measure: Measure, value: i64| {
        let context = rows.contexts.get(context as usize).copied();
        if let (Some(context), Some(metric)) = (context, rows.metrics.row(measure)) {
            observations.push((context, metric, value));
        }
    };
    let (apart_work, apart_waiting) = work_apart(records, placement, &mut observe);
    for &slot in &placement.order {
        let grain = records.grain(slot);
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

type BySlot = HashMap<u32, i64>;

/// Work and waiting of members that belongs to a construct's context and not to their own.
fn work_apart(
    records: &Records,
    placement: &Placement,
    observe: &mut impl FnMut(u32, Measure, i64),
) -> (BySlot, BySlot) {
    let (mut work, mut waiting) = (BySlot::new(), BySlot::new());
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
