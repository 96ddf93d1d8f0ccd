//! Values that no run can have: left out of a profile, counted and reported.

use sheaf_model::{Direction, MetricKind, Report, Unit, names};

use super::Profile;
use crate::measure::{MetricSpec, Value};

/// How many values of one sort were left out, and the node and metric of the first.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    count: u64,
    first: Option<(u32, u32)>,
}

impl Count {
    fn add(&mut self, node: u32, metric: u32) {
        self.count += 1;
        self.first.get_or_insert((node, metric));
    }
}

/// What was left out of a profile.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LeftOut {
    unusable: Count,
    negative_times: Count,
}

impl LeftOut {
    /// Whether `value` is left out, which is then counted: NaN and infinite values, and negative
    /// times, which come of a faulty clock. Zeros stay: a function may do nothing but call others.
    pub(super) fn takes(
        &mut self,
        spec: &MetricSpec,
        value: Value,
        (node, metric): (u32, u32),
    ) -> bool {
        let (is_usable, is_negative) = match value {
            Value::Integer(value) => (true, value < 0),
            Value::Float(value) => (value.is_finite(), value < 0.0),
        };
        if !is_usable {
            self.unusable.add(node, metric);
        } else if is_negative && is_duration(spec) {
            self.negative_times.add(node, metric);
        } else {
            return false;
        }
        true
    }

    pub(super) fn num_values(&self) -> u64 {
        self.unusable.count + self.negative_times.count
    }
}

impl Profile {
    /// Tells the report what was left out, and the run of times, which are missing in its sums.
    pub(super) fn tell_left_out(&mut self, report: &mut Report) {
        let LeftOut {
            unusable,
            negative_times,
        } = self.left_out;
        let place = |it: Count| it.first.and_then(|first| self.place_of(first));
        report.add("skipped_unusable_values", unusable.count, || {
            place(unusable)
        });
        let first = place(negative_times);
        report.add("skipped_negative_times", negative_times.count, || {
            first.clone()
        });
        let warning = match (negative_times.count, first) {
            (0, _) => return,
            (1, Some(first)) => {
                format!("a negative time was left out as an error of the clock: {first}")
            }
            (count, first) => format!(
                "{count} negative times were left out as errors of the clock, the first: {}",
                first.unwrap_or_default()
            ),
        };
        self.meta.warnings.push(warning);
    }

    fn place_of(&self, (node, metric): (u32, u32)) -> Option<String> {
        let definition = self.nodes.definition(node)?;
        let function = self.definitions.name(definition)?;
        let metric = &self.metrics.get(metric as usize)?.spec.name;
        Some(format!("`{metric}` of `{function}`"))
    }
}

/// Whether values of a metric are lengths of time that add up. Some sources do not state units; what
/// they call a time and what is better when less is one then. Offsets and starts are none.
fn is_duration(spec: &MetricSpec) -> bool {
    let is_time = match spec.unit {
        Unit::Nanoseconds | Unit::Microseconds | Unit::Seconds | Unit::Ticks => true,
        Unit::Unknown => names::is_called_time(&spec.name),
        Unit::Cycles | Unit::Bytes | Unit::Count | Unit::Ratio => false,
    };
    is_time && spec.kind != MetricKind::Intensive && spec.direction == Direction::HigherIsWorse
}
