//! What the raw name of a metric states about it.
//!
//! Raw names are operations and a quantity, outermost operation first:
//! `avg#inclusive#sum#time.duration` is the mean over ranks of sums over regions, inclusive.

use sheaf_model::{Direction, MetricKind, Unit};

use crate::measure::{MetricSpec, snake_case};

/// What a source states about a metric.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Described<'a> {
    /// The raw name.
    pub(super) name: &'a str,
    /// The label that the source shows.
    pub(super) alias: Option<&'a str>,
    /// The unit in the source's words.
    pub(super) unit: Option<&'a str>,
    pub(super) is_integer: bool,
    /// Whether values without an operation in their name can be added up.
    pub(super) is_additive: bool,
}

/// The specification of a metric; its name is not yet unique.
pub(super) fn spec(described: &Described<'_>) -> MetricSpec {
    let unit = unit(described);
    let suffix = match unit {
        // The source's name states it as well as we could.
        Unit::Count | Unit::Ratio | Unit::Unknown => "",
        unit => unit.as_str(),
    };
    let mut name = snake_case(described.name, suffix);
    if name.is_empty() {
        "metric".clone_into(&mut name);
    }
    let kind = kind(described);
    MetricSpec {
        name,
        unit,
        kind,
        direction: direction(described, unit),
        is_integer: described.is_integer,
        source: Some(described.name.to_owned()),
    }
}

/// The quantity without the operations on it.
fn quantity(name: &str) -> &str {
    name.rsplit('#').next().unwrap_or(name)
}

fn operations(name: &str) -> impl DoubleEndedIterator<Item = &str> {
    let end = name.rfind('#').unwrap_or(0);
    name.get(..end)
        .unwrap_or_default()
        .split('#')
        .filter(|operation| !operation.is_empty())
}

fn unit(described: &Described<'_>) -> Unit {
    let quantity = quantity(described.name);
    if let Some(unit) = described.unit {
        return match unit {
            "s" | "sec" | "second" | "seconds" => Unit::Seconds,
            "us" | "usec" | "microseconds" => Unit::Microseconds,
            "ns" | "nsec" | "nanoseconds" => Unit::Nanoseconds,
            "B" | "Byte" | "Bytes" | "byte" | "bytes" => Unit::Bytes,
            "count" | "#" => Unit::Count,
            "cycles" => Unit::Cycles,
            _ => Unit::Unknown,
        };
    }
    let is_relative = |operation| matches!(operation, "percent_total" | "ratio" | "variance");
    if operations(described.name).any(is_relative) || quantity.contains('/') {
        return Unit::Unknown;
    }
    let lower = quantity.to_ascii_lowercase();
    let last = lower.rsplit('.').next().unwrap_or_default();
    match last {
        "ns" => Unit::Nanoseconds,
        "us" => Unit::Microseconds,
        "cycles" => Unit::Cycles,
        "count" | "iterations" => Unit::Count,
        _ if lower.starts_with("topdown.") => Unit::Ratio,
        _ if lower.ends_with("_tot_cyc") => Unit::Cycles,
        _ if lower.contains("bytes") || lower.contains("highwatermark") => Unit::Bytes,
        _ => Unit::Unknown,
    }
}

/// Whether sums over contexts mean something, and of what.
fn kind(described: &Described<'_>) -> MetricKind {
    let (name, quantity) = (described.name, quantity(described.name));
    let is_place_in_order = quantity == "aggregate.slot" || name == "Node order";
    let is_extreme = quantity.contains("highwatermark") || quantity.contains('/');
    if is_place_in_order || is_extreme {
        return MetricKind::Intensive;
    }
    let mut has_operation = false;
    let mut is_sum = false;
    for operation in operations(name).rev() {
        has_operation = true;
        match operation {
            "sum" | "count" | "scsum" | "isum" => is_sum = true,
            // Factors, and the part that contexts below have in it.
            "scale" | "iscale" | "inclusive" => {}
            // A mean of sums adds up as they do; a mean of single events does not.
            "avg" | "iavg" if is_sum => {}
            _ => return MetricKind::Intensive,
        }
    }
    let is_summed = is_sum || described.is_additive || quantity == "count";
    let is_inclusive = name.contains("inclusive") || name.contains("(inc)");
    match (is_inclusive, is_summed || has_operation) {
        (true, _) => MetricKind::Inclusive,
        (false, true) => MetricKind::Additive,
        (false, false) => MetricKind::Intensive,
    }
}

fn direction(described: &Described<'_>, unit: Unit) -> Direction {
    let quantity = quantity(described.name);
    let lower = described.alias.unwrap_or(described.name).to_lowercase();
    let is_rate = quantity.contains("/time")
        || quantity.contains("/mrb.time")
        || quantity.contains("/mwb.time")
        || described.unit.is_some_and(|unit| unit.ends_with("/s"));
    let is_time = matches!(
        unit,
        Unit::Nanoseconds | Unit::Microseconds | Unit::Seconds | Unit::Cycles
    );
    let is_start = quantity.contains("starttime") || quantity.contains("offset");
    if is_rate || quantity == "topdown.retiring" {
        Direction::HigherIsBetter
    } else if is_start {
        Direction::Neutral
    } else if is_time
        || quantity.contains("duration")
        || quantity.contains("highwatermark")
        || quantity.starts_with("topdown.")
        || lower == "time"
        || lower.starts_with("time (")
    {
        Direction::HigherIsWorse
    } else {
        Direction::Neutral
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, alias: Option<&str>, unit: Option<&str>, is_additive: bool) -> String {
        let spec = spec(&Described {
            name,
            alias,
            unit,
            is_integer: false,
            is_additive,
        });
        let (unit, kind, direction) = (spec.unit, spec.kind, spec.direction);
        format!("{name}: {} {unit} {kind} {direction}", spec.name)
    }

    #[test]
    fn raw_names_say_what_metrics_are() {
        let lines = [
            line(
                "avg#inclusive#sum#time.duration",
                Some("Avg time/rank"),
                Some("sec"),
                false,
            ),
            line(
                "max#inclusive#sum#time.duration",
                Some("Max time/rank"),
                Some("sec"),
                false,
            ),
            line("sum#sum#time.duration.ns", Some("time (exc)"), None, false),
            line("inclusive#sum#time.duration.ns", Some("time"), None, false),
            line("sum#time.duration", None, None, false),
            line("avg#time.duration.ns", None, None, false),
            line("any#topdown.retiring", Some("Retiring"), None, false),
            line("any#Bytes/Rep", Some("Bytes/Rep"), None, false),
            line(
                "avg#mem.bytes.read/mrb.time",
                Some("Avg MemBW (r) (MB/s)"),
                Some("MB/s"),
                false,
            ),
            line("min#min#aggregate.slot", Some("Node order"), None, false),
            line("count", None, None, false),
            line("loop.iterations", None, None, false),
            line("timeseries.duration", None, None, true),
            line("time (inc)", None, None, false),
            line("##", None, None, false),
        ];
        let expected = "\
avg#inclusive#sum#time.duration: avg_inclusive_sum_time_duration_s s inclusive higher_is_worse
max#inclusive#sum#time.duration: max_inclusive_sum_time_duration_s s intensive higher_is_worse
sum#sum#time.duration.ns: sum_sum_time_duration_ns ns additive higher_is_worse
inclusive#sum#time.duration.ns: inclusive_sum_time_duration_ns ns inclusive higher_is_worse
sum#time.duration: sum_time_duration unknown additive higher_is_worse
avg#time.duration.ns: avg_time_duration_ns ns intensive higher_is_worse
any#topdown.retiring: any_topdown_retiring ratio intensive higher_is_better
any#Bytes/Rep: any_bytes_rep unknown intensive neutral
avg#mem.bytes.read/mrb.time: avg_mem_bytes_read_mrb_time unknown intensive higher_is_better
min#min#aggregate.slot: min_min_aggregate_slot unknown intensive neutral
count: count count additive neutral
loop.iterations: loop_iterations count intensive neutral
timeseries.duration: timeseries_duration unknown additive higher_is_worse
time (inc): time_inc unknown inclusive higher_is_worse
##: metric unknown intensive neutral";
        assert_eq!(lines.join("\n"), expected);
    }
}
