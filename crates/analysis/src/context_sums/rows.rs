//! Rows of a table of values, and stretches of them that are lanes as they stand.

use arrow::buffer::NullBuffer;

use super::ContextSums;

/// Columns of either table, and the lane of each row.
pub(super) struct Rows<'a> {
    pub(super) metrics: &'a [i32],
    pub(super) contexts: &'a [i32],
    pub(super) counts: &'a [i64],
    /// Lane of each row's location; all rows are in lane 0 without.
    pub(super) locations: Option<(&'a [i32], &'a [usize])>,
    /// Whether observations per context are wanted.
    pub(super) is_counted: bool,
}

impl Rows<'_> {
    /// Whether every location is a lane of its own, in order.
    pub(super) fn are_lanes(&self, lanes: usize) -> bool {
        self.locations.is_some_and(|(_, lane_of)| {
            let mut places = lane_of.iter().enumerate();
            lanes > 1 && lane_of.len() == lanes && places.all(|(at, &lane)| at == lane)
        })
    }

    /// Whether a row begins a stretch of one context and metric with a row for each location, in order. In a
    /// table all are like that but where a worker has no value.
    pub(super) fn begins_whole(&self, row: usize, lanes: usize) -> bool {
        let Some((locations, _)) = self.locations else {
            return false;
        };
        let rows = row..row + lanes;
        let (Some(locations), Some(contexts), Some(metrics)) = (
            locations.get(rows.clone()),
            self.contexts.get(rows.clone()),
            self.metrics.get(rows),
        ) else {
            return false;
        };
        // What is not whole is mostly seen from its last row.
        let last = lanes - 1;
        contexts[0] == contexts[last]
            && usize::try_from(locations[last]).is_ok_and(|location| location == last)
            && are(locations, |at, location| location == at)
            && are(contexts, |_, context| context == contexts[0])
            && are(metrics, |_, metric| metric == metrics[0])
    }
}

/// Whether something holds for a place and value of all: without branches, many at a time.
fn are(column: &[i32], holds: impl Fn(i32, i32) -> bool) -> bool {
    let places = (0..).zip(column);
    places.fold(true, |all, (at, &value)| all & holds(at, value))
}

impl ContextSums {
    /// Takes the values of a whole stretch as they are; refuses where one of them needs a closer look.
    pub(super) fn take<T: Copy + Default>(
        &mut self,
        rows: &Rows<'_>,
        row: usize,
        (values, nulls): (&[T], Option<&NullBuffer>),
        is_usable: impl Fn(T) -> bool,
        sums: &mut [T],
        add: impl Fn(T, T) -> T,
    ) -> bool {
        let context = usize::try_from(rows.contexts[row]).unwrap_or(usize::MAX);
        let stretch = row..row + self.lanes;
        let (true, Some(values)) = (context < self.counts.len(), values.get(stretch.clone()))
        else {
            return false;
        };
        let is_plain = self.lane_counts.is_empty()
            && !self.is_measured[context]
            && nulls.is_none_or(|nulls| nulls.null_count() == 0)
            && values
                .iter()
                .fold(true, |all, &value| all & is_usable(value));
        if !is_plain {
            return false;
        }
        let places = &mut sums[context * self.lanes..(context + 1) * self.lanes];
        for (sum, &value) in places.iter_mut().zip(values) {
            *sum = add(T::default(), value);
        }
        if rows.is_counted {
            let counts = rows.counts[stretch].iter();
            self.counts[context] = counts.fold(self.counts[context], |sum, &count| {
                sum.saturating_add(count)
            });
        }
        self.is_measured[context] = true;
        true
    }
}
