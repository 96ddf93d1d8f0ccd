//! Metrics as sources name them, and values of them.

use sheaf_model::table::MetricRow;
use sheaf_model::{Direction, MetricKind, Unit, names};

/// A metric of a run that is being read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MetricSpec {
    /// Lower snake case with the unit as suffix; see [`snake_case`].
    pub(crate) name: String,
    pub(crate) unit: Unit,
    pub(crate) kind: MetricKind,
    pub(crate) direction: Direction,
    /// Whether its values are [`Value::Integer`]; a metric has values of one sort only.
    pub(crate) is_integer: bool,
    /// The name that the source used, raw.
    pub(crate) source: Option<String>,
}

impl MetricSpec {
    /// A metric of integers, as long as no float is added; more of anything is worse but of a count, and of what
    /// has no unit and is not called a time: that may be a rate as well.
    pub(crate) fn new(name: &str, unit: Unit, kind: MetricKind, source: &str) -> Self {
        Self {
            name: name.to_owned(),
            unit,
            kind,
            direction: match unit {
                Unit::Count => Direction::Neutral,
                Unit::Unknown if !names::is_called_time(name) => Direction::Neutral,
                _ => Direction::HigherIsWorse,
            },
            is_integer: true,
            source: Some(source.to_owned()),
        }
    }

    /// The row of the table of metrics.
    pub(crate) fn into_row(self, alias: Option<String>) -> MetricRow {
        MetricRow {
            name: self.name,
            unit: self.unit.as_str().to_owned(),
            kind: self.kind.as_str().to_owned(),
            direction: self.direction.as_str().to_owned(),
            is_integer: self.is_integer,
            source: self.source,
            alias,
        }
    }
}

/// One measured value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value {
    Integer(i64),
    /// Neither NaN nor infinite: readers report such values and leave them out.
    Float(f64),
}

/// A source's name in lower snake case, with `suffix` (the unit) added where it is not there yet.
///
/// ```text
/// snake_case("avg#inclusive#sum#time.duration", "s") == "avg_inclusive_sum_time_duration_s"
/// snake_case("PAPI_TOT_CYC", "cycles") == "papi_tot_cyc_cycles"
/// ```
pub(crate) fn snake_case(source: &str, suffix: &str) -> String {
    let mut name = String::with_capacity(source.len() + suffix.len() + 1);
    for c in source.chars() {
        if c.is_alphanumeric() {
            name.extend(c.to_lowercase());
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
    }
    let mut name = name.trim_end_matches('_').to_owned();
    if !suffix.is_empty() && name != suffix && !name.ends_with(&format!("_{suffix}")) {
        if !name.is_empty() {
            name.push('_');
        }
        name.push_str(suffix);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_of_what_is_no_time_is_not_worse() {
        let direction =
            |name: &str, unit| MetricSpec::new(name, unit, MetricKind::Additive, name).direction;
        let units = [Unit::Unknown, Unit::Seconds, Unit::Bytes, Unit::Count];
        let directions = ["time_inc", "ipc"].map(|name| units.map(|unit| direction(name, unit)));
        let (worse, neutral) = (Direction::HigherIsWorse, Direction::Neutral);
        assert_eq!(
            directions,
            [
                [worse, worse, worse, neutral],
                [neutral, worse, worse, neutral]
            ]
        );
    }

    #[test]
    fn names_become_snake_case_with_their_unit() {
        let names = [
            ("avg#inclusive#sum#time.duration", "s"),
            ("Avg time/rank", "s"),
            ("time (inc)", "s"),
            ("bytes", "bytes"),
            ("##", ""),
        ];
        let names = names.map(|(source, unit)| snake_case(source, unit));
        assert_eq!(
            names.join("\n"),
            "avg_inclusive_sum_time_duration_s\navg_time_rank_s\ntime_inc_s\nbytes\n"
        );
    }
}
