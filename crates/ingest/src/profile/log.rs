//! Values in the order in which they were added.

use crate::measure::Value;
use crate::run_tables::finite;

const IS_FLOAT: u32 = 1 << 31;
const IS_APART: u32 = 1 << 30;
const METRIC: u32 = IS_APART - 1;

/// Values that are kept before those that add up are put together.
const ROOM: usize = 4 << 20;

/// A value, or several that were put together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Observation {
    pub(super) node: u32,
    /// The metric's number and two marks.
    tagged_metric: u32,
    pub(super) location: u32,
    pub(super) count: u32,
    bits: u64,
}

impl Observation {
    /// `is_apart` marks values that are never added to others.
    pub(super) fn new(node: u32, metric: u32, location: u32, value: Value, is_apart: bool) -> Self {
        let (bits, mark) = match value {
            Value::Integer(value) => (value.cast_unsigned(), 0),
            Value::Float(value) => (value.to_bits(), IS_FLOAT),
        };
        Self {
            node,
            tagged_metric: (metric & METRIC) | mark | if is_apart { IS_APART } else { 0 },
            location,
            count: 1,
            bits,
        }
    }

    pub(super) fn metric(&self) -> u32 {
        self.tagged_metric & METRIC
    }

    pub(super) fn integer(&self) -> i64 {
        if self.tagged_metric & IS_FLOAT == 0 {
            self.bits.cast_signed()
        } else {
            debug_assert!(false, "a metric with float values is a float metric");
            0
        }
    }

    pub(super) fn float(&self) -> f64 {
        if self.tagged_metric & IS_FLOAT == 0 {
            self.bits.cast_signed() as f64
        } else {
            f64::from_bits(self.bits)
        }
    }

    /// Adds `other` where both are of the same place and sort.
    fn takes(&mut self, other: &Self) -> bool {
        let is_same = (self.node, self.tagged_metric, self.location)
            == (other.node, other.tagged_metric, other.location);
        if !is_same || self.tagged_metric & IS_APART != 0 {
            return false;
        }
        self.bits = if self.tagged_metric & IS_FLOAT == 0 {
            (self.integer().saturating_add(other.integer())).cast_unsigned()
        } else {
            finite(self.float() + other.float()).to_bits()
        };
        self.count = self.count.saturating_add(other.count);
        true
    }
}

/// All values of a profile. Memory stays proportional to the places that have values, however
/// often values are added to them.
#[derive(Default)]
pub(super) struct Log {
    observations: Vec<Observation>,
    limit: usize,
}

impl Log {
    pub(super) fn push(&mut self, observation: Observation) {
        if self.observations.len() >= self.limit.max(ROOM) {
            self.put_together();
            self.limit = self.observations.len() * 2;
        }
        self.observations.push(observation);
    }

    pub(super) fn observations(&self) -> &[Observation] {
        &self.observations
    }

    /// Sorting is stable: values of one place are added in the order in which they came.
    fn put_together(&mut self) {
        self.observations
            .sort_by_key(|one| (one.node, one.metric(), one.location));
        self.observations.dedup_by(|next, kept| kept.takes(next));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_put_together_where_they_add_up() {
        let mut log = Log::default();
        let values = [
            (1, 0, Value::Integer(4), false),
            (0, 1, Value::Float(0.5), true),
            (1, 0, Value::Integer(5), false),
            (0, 1, Value::Float(0.5), true),
            (0, 2, Value::Float(f64::MAX), false),
            (0, 2, Value::Float(f64::MAX), false),
        ];
        for (node, metric, value, is_apart) in values {
            log.push(Observation::new(node, metric, 0, value, is_apart));
        }
        log.put_together();
        let floats: Vec<(f64, u32)> = log
            .observations()
            .iter()
            .map(|one| (one.float(), one.count))
            .collect();
        assert_eq!(floats, [(0.5, 1), (0.5, 1), (f64::MAX, 2), (9.0, 2)]);
    }
}
