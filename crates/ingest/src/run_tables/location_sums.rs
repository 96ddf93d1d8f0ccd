//! Values of one context and metric by location, while they are added up.

use crate::measure::Value;

use super::row;

/// Sums by row of location. Only locations with values cost time.
pub(crate) struct LocationSums {
    sums: Vec<LocationSum>,
    /// Rows of the locations that have a value.
    with_values: Vec<usize>,
}

/// Count and sum at one location.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LocationSum {
    pub(crate) count: i64,
    pub(crate) sum: i64,
    pub(crate) sum_float: f64,
}

impl LocationSums {
    pub(crate) fn new(num_locations: usize) -> Self {
        Self {
            sums: vec![LocationSum::default(); num_locations],
            with_values: Vec::new(),
        }
    }

    /// Adds a value; what no location did is left out.
    pub(crate) fn add(&mut self, location: Option<i32>, value: Value) {
        let at = location.and_then(|row| usize::try_from(row).ok());
        let Some((at, sum)) = at.and_then(|at| Some((at, self.sums.get_mut(at)?))) else {
            return;
        };
        if sum.count == 0 {
            self.with_values.push(at);
        }
        sum.count += 1;
        match value {
            Value::Integer(value) => sum.sum = sum.sum.saturating_add(value),
            Value::Float(value) => sum.sum_float += value,
        }
    }

    /// Takes the sums out, by ascending location. They are gone even if the caller drops the list.
    pub(crate) fn take(&mut self) -> Vec<(i32, LocationSum)> {
        self.with_values.sort_unstable();
        let sums = &mut self.sums;
        self.with_values
            .drain(..)
            .map(|at| (row(at), std::mem::take(&mut sums[at])))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_that_nobody_wants_do_not_stay() {
        let mut sums = LocationSums::new(2);
        sums.add(Some(1), Value::Integer(5));
        let _unwanted = sums.take();
        sums.add(Some(1), Value::Integer(7));
        sums.add(Some(0), Value::Integer(2));
        let taken: Vec<_> = sums
            .take()
            .into_iter()
            .map(|(location, sum)| (location, sum.count, sum.sum))
            .collect();
        assert_eq!(taken, [(0, 1, 2), (1, 1, 7)]);
    }
}
