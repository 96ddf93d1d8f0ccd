//! Values of grains, kept in few bytes and divided by group.

use arrow::array::{Array, Int64Array};

use crate::tree::NONE;

/// Values of some grains of one run, in the order of its rows, those of groups only.
#[derive(Debug, Default)]
pub struct GrainValues {
    /// Where the values of a group begin and how many follow each other.
    pub(super) stretches: Vec<Interval>,
    pub(super) values: Packed,
}

/// Neighbours of one group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Interval {
    pub(super) group: u32,
    pub(super) start: u32,
    pub(super) len: u32,
}

/// Four bytes per value where these are enough.
#[derive(Debug)]
pub(super) enum Packed {
    Narrow(Vec<u32>),
    Wide(Vec<i64>),
}

impl Default for Packed {
    fn default() -> Self {
        Self::Narrow(Vec::new())
    }
}

/// A slice of packed values.
#[derive(Debug, Clone, Copy)]
pub(super) enum Slice<'a> {
    Narrow(&'a [u32]),
    Wide(&'a [i64]),
}

impl GrainValues {
    /// Divides values by the group of their context; contexts of no group, rows without a value and rows
    /// that point out of the table count for nothing. Linear; fast where neighbours have one context, as
    /// in a store.
    pub(super) fn of(contexts: &[i32], values: &Int64Array, group_of: &[u32]) -> Self {
        let mut stretches: Vec<Interval> = Vec::new();
        let mut kept = Keeper::new(values);
        let mut first = 0;
        for same in contexts.chunk_by(|a, b| a == b) {
            let rows = first..first + same.len();
            first = rows.end;
            let context = same
                .first()
                .and_then(|&context| usize::try_from(context).ok());
            let group = context.and_then(|context| group_of.get(context)).copied();
            let Some(group) = group.filter(|&group| group != NONE) else {
                continue;
            };
            let start = kept.len();
            kept.take(values, rows);
            let len = kept.len() - start;
            match stretches.last_mut() {
                Some(last) if last.group == group => last.len += len,
                _ if len == 0 => {}
                _ => stretches.push(Interval { group, start, len }),
            }
        }
        Self {
            stretches,
            values: kept.values,
        }
    }

    pub(super) fn slice(&self, stretch: &Interval) -> Slice<'_> {
        let rows = stretch.start as usize..(stretch.start + stretch.len) as usize;
        match &self.values {
            Packed::Narrow(values) => Slice::Narrow(&values[rows]),
            Packed::Wide(values) => Slice::Wide(&values[rows]),
        }
    }
}

/// Collects values in as many bytes as all of a column need.
struct Keeper {
    values: Packed,
}

impl Keeper {
    fn new(column: &Int64Array) -> Self {
        // Nulls hold any number; they make a column wide at worst.
        let is_narrow = column
            .values()
            .iter()
            .all(|&value| u32::try_from(value).is_ok());
        let values = if is_narrow {
            Packed::Narrow(Vec::with_capacity(column.len()))
        } else {
            Packed::Wide(Vec::with_capacity(column.len()))
        };
        Self { values }
    }

    fn len(&self) -> u32 {
        let len = match &self.values {
            Packed::Narrow(values) => values.len(),
            Packed::Wide(values) => values.len(),
        };
        u32::try_from(len).unwrap_or(u32::MAX)
    }

    fn take(&mut self, column: &Int64Array, rows: std::ops::Range<usize>) {
        let Some(values) = column.values().get(rows.clone()) else {
            return;
        };
        let is_valid = |at: usize| column.is_valid(rows.start + at);
        let has_nulls = column.null_count() > 0;
        match &mut self.values {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a column is narrow when all its values are"
            )]
            Packed::Narrow(kept) if !has_nulls => {
                kept.extend(values.iter().map(|&value| value as u32));
            }
            Packed::Wide(kept) if !has_nulls => kept.extend_from_slice(values),
            Packed::Narrow(kept) => {
                let present = values.iter().enumerate().filter(|(at, _)| is_valid(*at));
                kept.extend(present.map(|(_, &value)| u32::try_from(value).unwrap_or(u32::MAX)));
            }
            Packed::Wide(kept) => {
                let present = values.iter().enumerate().filter(|(at, _)| is_valid(*at));
                kept.extend(present.map(|(_, &value)| value));
            }
        }
    }
}
