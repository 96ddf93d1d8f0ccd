//! Metrics of a program, and measured values.

use sheaf_model::{Direction, MetricKind, TimeUnit, Unit, names};

use super::clock::Clock;
use super::{Program, columns::GrainColumns};
use crate::measure::{MetricSpec, Value};
use crate::run_tables::{GrainRows, MetricRows};

/// The metrics that are made from grains, with the name for a clock of unknown rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Own {
    Work,
    Waiting,
    Creation,
    Grains,
}

impl Own {
    pub(super) const ALL: [Self; 4] = [Self::Work, Self::Waiting, Self::Creation, Self::Grains];

    fn name(self, unit: TimeUnit) -> String {
        let name = match self {
            Self::Work => names::WORK,
            Self::Waiting => names::WAITING,
            Self::Creation => names::CREATION,
            Self::Grains => return names::GRAINS.to_owned(),
        };
        match unit {
            TimeUnit::Nanoseconds => name.to_owned(),
            TimeUnit::Ticks => in_ticks(name),
        }
    }

    fn is_measured(self, grains: &GrainColumns) -> bool {
        match self {
            Self::Work => !grains.work.is_absent(),
            Self::Waiting => !grains.waiting.is_absent(),
            Self::Creation => !grains.creation.is_absent(),
            Self::Grains => grains.len() > 0,
        }
    }

    fn spec(self, unit: TimeUnit) -> MetricSpec {
        let (unit_of_value, direction) = match (self, unit) {
            (Self::Grains, _) => (Unit::Count, Direction::Neutral),
            (_, TimeUnit::Nanoseconds) => (Unit::Nanoseconds, Direction::HigherIsWorse),
            (_, TimeUnit::Ticks) => (Unit::Ticks, Direction::HigherIsWorse),
        };
        MetricSpec {
            name: self.name(unit),
            unit: unit_of_value,
            kind: MetricKind::Additive,
            direction,
            is_integer: true,
            source: None,
        }
    }
}

fn in_ticks(name: &str) -> String {
    format!("{}_ticks", name.trim_end_matches("_ns"))
}

/// Whether a name is that of a metric which is made from the grains.
pub(super) fn is_own(name: &str) -> bool {
    let units = [TimeUnit::Nanoseconds, TimeUnit::Ticks];
    let mut names = Own::ALL
        .iter()
        .flat_map(|own| units.map(|unit| own.name(unit)));
    names.any(|own| own == name)
}

/// Source of the values of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Measure {
    Own(Own),
    /// A metric of the source, by the number of its turn.
    Source(u32),
}

impl Program {
    /// The metrics of the run.
    pub(super) fn metric_rows(&self) -> MetricRows<Measure> {
        let unit = self.meta.time_unit;
        let own = Own::ALL.iter().filter(|own| own.is_measured(&self.grains));
        let own = own.map(|&own| (Measure::Own(own), own.spec(unit)));
        let given = (0..).map(Measure::Source).zip(self.metrics.iter().cloned());
        MetricRows::new(own.chain(given).collect())
    }
}

/// A measured value of a grain, by rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Measured {
    pub(super) grain: i32,
    pub(super) metric: i32,
    bits: u64,
    is_integer: bool,
}

impl Measured {
    pub(super) fn value(&self) -> Value {
        if self.is_integer {
            Value::Integer(self.bits.cast_signed())
        } else {
            Value::Float(f64::from_bits(self.bits))
        }
    }

    /// The sum with another value of the same grain and metric.
    fn plus(self, other: Self) -> Self {
        let bits = match (self.value(), other.value()) {
            (Value::Integer(a), Value::Integer(b)) => a.saturating_add(b).cast_unsigned(),
            _ => (f64::from_bits(self.bits) + f64::from_bits(other.bits)).to_bits(),
        };
        Self { bits, ..self }
    }
}

impl Program {
    /// Measured values by grain and metric; several of one grain and metric are one, their sum.
    pub(super) fn measured(
        &self,
        order: &GrainRows,
        metrics: &MetricRows<Measure>,
    ) -> Vec<Measured> {
        let columns = &self.measures;
        let mut values: Vec<Measured> = Vec::with_capacity(columns.grain.len());
        for &at in order.by_grain(&columns.grain, |&grain| grain).items() {
            let at = at as usize;
            let number = columns.metric.get(at).copied().unwrap_or(0);
            let grain = columns.grain.get(at).and_then(|&grain| order.row(grain));
            let (Some(grain), Some(metric), Some(spec), Some(&bits)) = (
                grain,
                metrics.row(Measure::Source(number)),
                self.metrics.get(number as usize),
                columns.bits.get(at),
            ) else {
                continue;
            };
            let is_integer = spec.is_integer;
            values.push(Measured {
                grain,
                metric,
                bits,
                is_integer,
            });
        }
        // Stable: floats of one grain and metric are added in the order of their turn.
        values.sort_by_key(|value| (value.grain, value.metric));
        values.dedup_by(|next, kept| {
            let is_same = (next.grain, next.metric) == (kept.grain, kept.metric);
            if is_same {
                *kept = kept.plus(*next);
            }
            is_same
        });
        values
    }

    /// Converts what was measured in ticks.
    pub(super) fn convert_measures(&mut self, clock: Clock) {
        let is_time: Vec<bool> = self
            .metrics
            .iter()
            .map(|spec| spec.unit == Unit::Ticks && spec.is_integer)
            .collect();
        for (&metric, bits) in self.measures.metric.iter().zip(&mut self.measures.bits) {
            if is_time.get(metric as usize).copied().unwrap_or(false) {
                *bits = clock.nanos(bits.cast_signed()).cast_unsigned();
            }
        }
        let times = self.metrics.iter_mut().zip(is_time);
        for (spec, _) in times.filter(|(_, is_time)| *is_time) {
            spec.unit = Unit::Nanoseconds;
            if let Some(stem) = spec.name.strip_suffix("_ticks") {
                spec.name = format!("{stem}_ns");
            }
        }
    }
}
