//! Columns that many runs have in common, kept once.

use std::sync::Arc;

use arrow::array::{Array, ListArray, PrimitiveArray};
use arrow::buffer::ScalarBuffer;
use arrow::datatypes::{ArrowPrimitiveType, Decimal128Type, Float64Type, Int32Type, Int64Type};
use sheaf_model::RunSummary;
use sheaf_model::table::{Totals, Values};

use crate::bounded_cache::BoundedCache;

/// Bytes of the columns that are remembered: those of four runs of 1,000,000 values.
const MAX_BYTES: usize = 144 << 20;

/// Runs with fewer values are left as they are: comparing pays for larger ones.
const MIN_ROWS: usize = 32;

/// Tables with more rows would fill the cache with those of one program.
const MAX_ROWS: usize = 2_000_000;

/// Bytes of a row of a table of values.
const ROW_BYTES: usize = 36;

/// Approximate bytes of a row of totals.
const TOTAL_ROW_BYTES: usize = 120;

/// Columns of tables of values that were read last, by the hash of those that state where the values are.
///
/// Runs of one program mostly have values of the same contexts at the same locations: of the columns of
/// their tables only the sums differ, a quarter of the bytes.
pub(super) struct SharedColumns {
    known: BoundedCache<[u8; 32], Arc<Columns>>,
    max_rows: usize,
}

impl Default for SharedColumns {
    fn default() -> Self {
        Self {
            known: BoundedCache::new(MAX_BYTES),
            max_rows: MAX_ROWS,
        }
    }
}

/// Columns without those of the sums, which runs do not share unless all are absent.
struct Columns {
    context: PrimitiveArray<Int32Type>,
    metric: PrimitiveArray<Int32Type>,
    location: PrimitiveArray<Int32Type>,
    count: PrimitiveArray<Int64Type>,
    sum: PrimitiveArray<Int64Type>,
    sum_float: PrimitiveArray<Float64Type>,
    totals: Option<ColumnsOfTotals>,
}

/// Columns that totals have besides those of values, where each total is one value.
struct ColumnsOfTotals {
    count: PrimitiveArray<Int64Type>,
    sum_squares: PrimitiveArray<Decimal128Type>,
    sketch_buckets: ListArray,
    sketch_counts: ListArray,
}

impl SharedColumns {
    /// Replaces columns of values and totals by equal ones that are remembered, and returns the bytes of those that
    /// only the run has.
    pub(super) fn share(&self, run: &mut RunSummary) -> usize {
        let rows = run.values.len();
        let total_bytes = run.totals.len() * TOTAL_ROW_BYTES;
        let bytes = rows * ROW_BYTES + total_bytes;
        if !(MIN_ROWS..=self.max_rows).contains(&rows) {
            return bytes;
        }
        let are_values = have_columns_of_values(&run.totals, &run.values);
        let place = hash_of_places(&run.values);
        let known = self.known.get(&place).unwrap_or_else(|| {
            let new = Arc::new(Columns::of(run, are_values));
            self.known.put(place, Arc::clone(&new), bytes);
            new
        });
        let own = known.replace(&mut run.values);
        if !are_values {
            return own + total_bytes;
        }
        take_columns_of_values(&mut run.totals, &run.values);
        let known = known.totals.as_ref();
        own + known.map_or(total_bytes, |known| known.replace(&mut run.totals))
    }
}

/// Whether the totals have their columns in common with the values, as
/// [`RunSummary::totals_of_single_values`] makes them.
fn have_columns_of_values(totals: &Totals, values: &Values) -> bool {
    fn is_one<T: ArrowPrimitiveType>(a: &PrimitiveArray<T>, b: &PrimitiveArray<T>) -> bool {
        a.len() == b.len() && std::ptr::eq(a.values().as_ptr(), b.values().as_ptr())
    }
    is_one(&totals.context, &values.context)
        && is_one(&totals.metric, &values.metric)
        && [&totals.sum, &totals.min, &totals.max]
            .iter()
            .all(|column| is_one(column, &values.sum))
        && [&totals.sum_float, &totals.min_float, &totals.max_float]
            .iter()
            .all(|column| is_one(column, &values.sum_float))
}

fn take_columns_of_values(totals: &mut Totals, values: &Values) {
    totals.context = values.context.clone();
    totals.metric = values.metric.clone();
    for column in [&mut totals.sum, &mut totals.min, &mut totals.max] {
        *column = values.sum.clone();
    }
    for column in [
        &mut totals.sum_float,
        &mut totals.min_float,
        &mut totals.max_float,
    ] {
        *column = values.sum_float.clone();
    }
}

/// Hash of the contexts, metrics and locations that a run has values of.
fn hash_of_places(values: &Values) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for column in [&values.context, &values.metric, &values.location] {
        hasher.update(column.values().inner().as_slice());
    }
    *hasher.finalize().as_bytes()
}

impl Columns {
    /// Copies, which do not hold on to the runs that were read together with this one.
    fn of(run: &RunSummary, are_totals_values: bool) -> Self {
        let values = &run.values;
        Self {
            totals: are_totals_values.then(|| ColumnsOfTotals::of(&run.totals)),
            context: copy(&values.context),
            metric: copy(&values.metric),
            location: copy(&values.location),
            count: copy(&values.count),
            sum: absent(&values.sum),
            sum_float: absent(&values.sum_float),
        }
    }

    fn replace(&self, values: &mut Values) -> usize {
        let mut own = 0;
        values.context = self.context.clone();
        values.metric = self.metric.clone();
        values.location = self.location.clone();
        own += put(&self.count, &mut values.count);
        own += put(&self.sum, &mut values.sum);
        own += put(&self.sum_float, &mut values.sum_float);
        own
    }
}

impl ColumnsOfTotals {
    fn of(totals: &Totals) -> Self {
        Self {
            count: totals.count.clone(),
            sum_squares: absent(&totals.sum_squares),
            sketch_buckets: totals.sketch_buckets.clone(),
            sketch_counts: totals.sketch_counts.clone(),
        }
    }

    fn replace(&self, totals: &mut Totals) -> usize {
        put(&self.count, &mut totals.count)
            + put(&self.sum_squares, &mut totals.sum_squares)
            + put_list(&self.sketch_buckets, &mut totals.sketch_buckets)
            + put_list(&self.sketch_counts, &mut totals.sketch_counts)
    }
}

fn put_list(known: &ListArray, own: &mut ListArray) -> usize {
    if known == own {
        *own = known.clone();
        return 0;
    }
    own.get_array_memory_size()
}

/// Puts what is known in the place of the same; returns the bytes that are the run's own.
fn put<T: ArrowPrimitiveType>(known: &PrimitiveArray<T>, own: &mut PrimitiveArray<T>) -> usize
where
    T::Native: PartialEq,
{
    let are_absent = own.null_count() == own.len() && known.null_count() == known.len();
    if known.len() == own.len() && (are_absent || is_same(known, own)) {
        *own = known.clone();
        return 0;
    }
    own.len() * size_of::<T::Native>()
}

fn is_same<T: ArrowPrimitiveType>(a: &PrimitiveArray<T>, b: &PrimitiveArray<T>) -> bool
where
    T::Native: PartialEq,
{
    a.len() == b.len()
        && a.null_count() == 0
        && b.null_count() == 0
        && (std::ptr::eq(a.values().as_ptr(), b.values().as_ptr()) || a.values() == b.values())
}

fn copy<T: ArrowPrimitiveType>(column: &PrimitiveArray<T>) -> PrimitiveArray<T> {
    let values = ScalarBuffer::from(column.values().to_vec());
    PrimitiveArray::new(values, column.nulls().cloned())
}

/// A column without values where this one has none, else one of no rows.
fn absent<T: ArrowPrimitiveType>(column: &PrimitiveArray<T>) -> PrimitiveArray<T> {
    if column.null_count() == column.len() {
        PrimitiveArray::new_null(column.len())
    } else {
        PrimitiveArray::new_null(0)
    }
}

#[cfg(test)]
mod tests {
    use sheaf_model::RunMeta;
    use sheaf_model::table::ValueRow;
    use sheaf_synthetic::Numbers;

    use super::*;

    fn run(seed: u64, first: i32, is_float: bool) -> RunSummary {
        let mut random = Numbers::new(seed);
        let value = |row: usize| {
            let row = i32::try_from(row).unwrap();
            let value = i64::from(random.below(1_000));
            ValueRow {
                context: first + row / 4,
                metric: 0,
                location: row % 4,
                count: 1,
                sum: (!is_float).then_some(value),
                sum_float: is_float.then_some(value as f64),
            }
        };
        RunSummary {
            values: (0..MIN_ROWS).map(value).collect(),
            ..RunSummary::empty(RunMeta::new("made", "made"))
        }
    }

    #[test]
    fn large_tables_are_left_as_they_are() {
        let shared = SharedColumns {
            max_rows: MIN_ROWS - 1,
            ..SharedColumns::default()
        };
        for seed in [1, 2] {
            let mut own = run(seed, 0, false);
            assert_eq!(shared.share(&mut own), ROW_BYTES * MIN_ROWS);
            assert!(shared.known.get(&hash_of_places(&own.values)).is_none());
        }
    }

    #[test]
    fn only_sums_are_kept_twice() {
        let shared = SharedColumns::default();
        let check = |run: RunSummary, expected: usize| {
            let mut kept = run.clone();
            let own = shared.share(&mut kept);
            assert_eq!(own, expected * MIN_ROWS);
            assert!(kept.values.rows().eq(run.values.rows()));
            kept
        };
        // Eight bytes of sums each; the columns of the first are known from then on.
        let a = check(run(1, 0, false), 8);
        let b = check(run(2, 0, false), 8);
        let c = check(run(3, 5, false), 8);
        let pointer = |run: &RunSummary| run.values.location.values().as_ptr();
        assert_eq!(pointer(&a), pointer(&b));
        assert_ne!(pointer(&a), pointer(&c));
        // Sums of another kind are the run's own, and so are their absent integers.
        check(run(4, 0, true), 16);
        check(run(5, 5, false), 8);
    }

    #[test]
    fn totals_that_are_values_have_the_shared_columns_too() {
        let shared = SharedColumns::default();
        let check = |seed, expected: usize| {
            let mut run = run(seed, 0, true);
            run.totals = run.totals_of_single_values();
            let rows: Vec<_> = run.totals.rows().collect();
            assert_eq!(shared.share(&mut run), expected * MIN_ROWS);
            assert!(run.totals.rows().eq(rows));
            assert!(have_columns_of_values(&run.totals, &run.values));
            run
        };
        let a = check(1, 8);
        let b = check(2, 8);
        let pointer = |run: &RunSummary| run.totals.context.values().as_ptr();
        assert_eq!(pointer(&a), pointer(&b));
        let pointer = |run: &RunSummary| run.totals.sum_squares.values().as_ptr();
        assert_eq!(pointer(&a), pointer(&b));
    }

    #[test]
    fn totals_of_several_values_are_left_as_they_are() {
        let shared = SharedColumns::default();
        for seed in [1, 2] {
            let mut run = run(seed, 0, true);
            let totals = run.totals_of_single_values();
            run.totals = totals.rows().step_by(4).collect();
            let own = shared.share(&mut run);
            let of_totals = TOTAL_ROW_BYTES * MIN_ROWS / 4;
            assert_eq!(own, 8 * MIN_ROWS + of_totals);
            assert!(run.totals.rows().eq(totals.rows().step_by(4)));
        }
    }
}
