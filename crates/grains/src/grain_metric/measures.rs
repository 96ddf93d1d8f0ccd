//! What the source measured of each grain besides its times.

use arrow::array::{Array, Int64Array};
use sheaf_model::{RunTables, TimeUnit};

use super::column::ToFill;
use super::{AbsenceReason, Values};

/// The rows of the counters' table by metric.
#[derive(Debug)]
pub(super) struct Measures<'a> {
    run: &'a RunTables,
    /// First row of each metric in `rows`, and behind them their number.
    first: Vec<u32>,
    rows: Vec<u32>,
}

impl<'a> Measures<'a> {
    pub(super) fn of(run: &'a RunTables) -> Self {
        let metrics = run.counters.metric.values();
        let mut first = vec![0_u32; run.summary.metrics.len() + 1];
        let slot = |metric: i32| usize::try_from(metric).unwrap_or(usize::MAX - 1);
        for &metric in metrics {
            if let Some(count) = first.get_mut(slot(metric) + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for count in &mut first {
            sum += *count;
            *count = sum;
        }
        let mut next = first.clone();
        let mut rows = vec![0; metrics.len()];
        for (row, &metric) in (0..).zip(metrics) {
            if let Some(place) = next.get_mut(slot(metric)) {
                if let Some(entry) = rows.get_mut(*place as usize) {
                    *entry = row;
                }
                *place += 1;
            }
        }
        Self { run, first, rows }
    }

    fn rows_of(&self, metric: usize) -> &[u32] {
        let bound = |at: usize| self.first.get(at).copied().unwrap_or(0) as usize;
        self.rows
            .get(bound(metric)..bound(metric + 1))
            .unwrap_or_default()
    }

    /// The first of the names that the run has a measure by: its own name or the source's.
    ///
    /// # Errors
    /// None is there.
    pub(super) fn find(&self, names: &[&str]) -> Result<usize, AbsenceReason> {
        let metrics = &self.run.summary.metrics;
        let is_named = |row: &usize, name: &str| {
            metrics.name.value(*row) == name
                || (metrics.source.is_valid(*row) && metrics.source.value(*row) == name)
        };
        let has_values = |row: &usize| !self.rows_of(*row).is_empty();
        names
            .iter()
            .find_map(|name| (0..metrics.len()).find(|row| is_named(row, name) && has_values(row)))
            .ok_or_else(|| {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                AbsenceReason::because(format!("the run has no measure {}", names.join(" or ")))
            })
    }

    /// The values of a measure with this name in the source.
    pub(super) fn stated(&self, name: &str) -> Option<Values> {
        if !self.run.summary.meta.is_stated(name) {
            return None;
        }
        let metrics = &self.run.summary.metrics;
        let is_stated = |row: &usize| {
            metrics.name.value(*row) == name
                && metrics.source.is_valid(*row)
                && metrics.source.value(*row) == name
                && !self.rows_of(*row).is_empty()
        };
        (0..metrics.len())
            .find(is_stated)
            .map(|row| self.values(row))
    }

    /// The values of a metric.
    pub(super) fn values(&self, metric: usize) -> Values {
        let (counters, grains) = (&self.run.counters, self.run.grains.len());
        let rows = self.rows_of(metric).iter().map(|&row| row as usize);
        let grain = |row: usize| usize::try_from(counters.grain.value(row)).unwrap_or(usize::MAX);
        let is_integer = self.run.summary.metrics.is_integer.value(metric);
        if is_integer {
            let mut values = ToFill::absent(grains);
            for row in rows.filter(|&row| counters.value.is_valid(row)) {
                values.set(grain(row), Some(counters.value.value(row)));
            }
            Values::Integers(values.finish())
        } else {
            let mut values = ToFill::absent(grains);
            for row in rows.filter(|&row| counters.value_float.is_valid(row)) {
                values.set(grain(row), Some(counters.value_float.value(row)));
            }
            Values::Floats(values.finish())
        }
    }

    /// The values of the first of the names that is there.
    ///
    /// # Errors
    /// None is there.
    pub(super) fn get(&self, names: &[&str]) -> Result<Values, AbsenceReason> {
        self.find(names).map(|metric| self.values(metric))
    }

    /// Integer values of the first of the names that is there.
    ///
    /// # Errors
    /// None is there, or not as integers.
    pub(super) fn integers(&self, names: &[&str]) -> Result<Int64Array, AbsenceReason> {
        match self.get(names)? {
            Values::Integers(values) => Ok(values),
            Values::Floats(_) => Err(AbsenceReason::because(format!(
                "`{}` has no whole numbers",
                names.join("` or `")
            ))),
        }
    }

    /// Work in cycles.
    ///
    /// # Errors
    /// The run has times in nanoseconds and no cycles.
    pub(super) fn work_cycles(&self) -> Result<Int64Array, AbsenceReason> {
        if self.run.summary.meta.time_unit == TimeUnit::Ticks {
            return Ok(self.run.grains.work.to_arrow());
        }
        let execution = self.integers(&["exec_cycles"]);
        if let (Ok(execution), Ok(overhead)) = (execution, self.integers(&["overhead_cycles"])) {
            let both = execution.iter().zip(&overhead);
            return Ok(both
                .map(|(execution, overhead)| execution?.checked_sub(overhead?))
                .collect());
        }
        self.integers(&["cycles", "PAPI_TOT_CYC", "PAPI_TOT_CYC_sum"])
    }

    /// A measure of time in the time unit of the run. Where that is nanoseconds and the measure
    /// counts cycles, the rate is that of the run's work in both units.
    ///
    /// # Errors
    /// It is not there, or the rate is not known.
    pub(super) fn times(&self, names: &[&str]) -> Result<Int64Array, AbsenceReason> {
        let metric = self.find(names)?;
        let Values::Integers(values) = self.values(metric) else {
            return self.integers(names);
        };
        let is_cycles = self.run.summary.metrics.unit.value(metric) == "cycles";
        if is_cycles && self.run.summary.meta.time_unit == TimeUnit::Nanoseconds {
            let rate = self.nanos_per_cycle()?;
            return Ok(values.unary(|value| scaled(value, rate)));
        }
        Ok(values)
    }

    fn nanos_per_cycle(&self) -> Result<f64, AbsenceReason> {
        let cycles = self.work_cycles()?;
        let (mut in_nanos, mut in_cycles) = (0_i128, 0_i128);
        for (cycles, nanos) in cycles.iter().zip(&self.run.grains.work) {
            if let (Some(cycles), Some(nanos)) = (cycles, nanos) {
                in_nanos += i128::from(nanos);
                in_cycles += i128::from(cycles);
            }
        }
        if in_cycles > 0 {
            Ok(in_nanos as f64 / in_cycles as f64)
        } else {
            Err(AbsenceReason::because(
                "the rate of the run's cycles is not known",
            ))
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a cast of a float saturates, and times beyond 2^53 are years"
)]
fn scaled(value: i64, rate: f64) -> i64 {
    (value as f64 * rate).round() as i64
}
