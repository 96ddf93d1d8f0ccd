//! Columns that many runs have in common, kept once.

use std::sync::Arc;

use arrow::array::{Array as _, PrimitiveArray};
use arrow::buffer::ScalarBuffer;
use arrow::datatypes::{ArrowPrimitiveType, Float64Type, Int32Type, Int64Type};
use sheaf_model::RunSummary;
use sheaf_model::table::Values;

use crate::bounded_cache::BoundedCache;

/// Bytes of the columns that are remembered: those of four runs of 1,000,000 values.
const MAX_BYTES: usize = 144 << 20;

/// Tables of values with fewer rows are left as they are: comparing columns pays for large ones.
const MIN_ROWS: usize = 4_096;

/// Tables with more rows would fill the cache with those of one program.
const MAX_ROWS: usize = 2_000_000;

/// Bytes of a row of a table of values.
const ROW_BYTES: usize = 36;

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

/// Columns without those of the sums, which runs do not share.
struct Columns {
    context: PrimitiveArray<Int32Type>,
    metric: PrimitiveArray<Int32Type>,
    location: PrimitiveArray<Int32Type>,
    count: PrimitiveArray<Int64Type>,
    sum: PrimitiveArray<Int64Type>,
    sum_float: PrimitiveArray<Float64Type>,
}

impl SharedColumns {
    /// Replaces columns of the run by equal ones that are remembered, and returns the bytes of those that only the
    /// run has.
    pub(super) fn share(&self, run: &mut RunSummary) -> usize {
        let values = &mut run.values;
        let rows = values.len();
        if !(MIN_ROWS..=self.max_rows).contains(&rows) {
            return rows * ROW_BYTES;
        }
        let place = hash_of_places(values);
        let known = self.known.get(&place).unwrap_or_else(|| {
            let new = Arc::new(Columns::of(values));
            self.known.put(place, Arc::clone(&new), rows * ROW_BYTES);
            new
        });
        known.replace(values)
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
    fn of(values: &Values) -> Self {
        Self {
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
            assert_eq!(shared.share(&mut own), 36 * MIN_ROWS);
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
}
