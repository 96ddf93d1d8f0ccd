//! Statistics that Python's cProfile and profile write.
//!
//! A caller graph, as gprof's: functions are root contexts, arcs are contexts of two functions
//! with metrics of their own.

mod functions;
mod marshal;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use sheaf_model::{MetricKind, Report, RunMeta, Unit};

use crate::measure::{MetricSpec, Value};
use crate::profile::{LocationIdx, MetricIdx, NodeIdx, Profile};
use crate::program_name::named_after;
use crate::reader::{Context, Read, Reader, Reads};
use crate::{Error, Format, Input};
use functions::Functions;
use marshal::Values;

/// Statistics of cProfile.
pub(crate) const READER: Reader = Reader {
    format: Format::CProfile,
    recognises,
    reads: Reads::File(read_cprofile),
};

/// A dictionary whose first key is a tuple of three that begins with a text.
fn recognises(start: &[u8]) -> bool {
    let [dictionary, tuple, rest @ ..] = start else {
        return false;
    };
    let ((b'(', [3, 0, 0, 0, rest @ ..]) | (b')', [3, rest @ ..])) = (tuple & 0x7f, rest) else {
        return false;
    };
    let is_text = rest
        .first()
        .is_some_and(|kind| b"stuaAzZ".contains(&(kind & 0x7f)));
    dictionary & 0x7f == b'{' && is_text
}

/// One function's numbers, or those of the calls along one arc.
struct Numbers {
    calls: i64,
    primitive_calls: Option<i64>,
    own: Option<f64>,
    total: Option<f64>,
}

fn read_cprofile(input: &Input<'_>, context: Context<'_>) -> Result<Vec<Read>, Error> {
    let bytes = input.whole(Format::CProfile, context.progress)?;
    let values = Values::decode(&bytes, context.progress)?;
    let mut report = Report::default();
    report.add("skipped_trailing_bytes", values.num_trailing as u64, || {
        None
    });
    let mut functions = Functions::default();
    let mut rows = Vec::new();
    let mut arcs = Vec::new();
    let mut expanded = HashSet::new();
    let mut items = values.inside(0);
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        context.progress.check()?;
        let row = row(&values, value);
        let (Some(function), Some((numbers, callers))) = (functions.of(&values, key), row) else {
            report.add("skipped_entries", 1, || Some(format!("value {key}")));
            continue;
        };
        rows.push((function, numbers));
        // A dictionary that entries share would be read as often as it is named.
        let (_, callers) = values.get(callers);
        let mut callers_items = values.inside(callers).peekable();
        if callers_items.peek().is_some() && !expanded.insert(callers) {
            report.add("skipped_shared_callers", 1, || {
                Some(format!("value {callers}"))
            });
            continue;
        }
        while let (Some(key), Some(value)) = (callers_items.next(), callers_items.next()) {
            match (functions.of(&values, key), caller(&values, value)) {
                (Some(caller), Some(numbers)) => arcs.push((caller, function, numbers)),
                _ => report.add("skipped_callers", 1, || Some(format!("value {key}"))),
            }
        }
    }
    if rows.is_empty() {
        return Err(Error::Empty {
            format: Format::CProfile,
        });
    }
    report.add("read_functions", rows.len() as u64, || None);
    report.add("read_arcs", arcs.len() as u64, || None);
    let num_unlisted = functions.len().saturating_sub(rows.len());
    report.add("read_callers_without_entry", num_unlisted as u64, || None);
    let mut profile = Profile::new(meta(input));
    let definitions = functions.definitions(&mut profile, bytes.len())?;
    let mut building = Building::new(profile);
    for (function, numbers) in rows {
        let Some(&definition) = definitions.get(function) else {
            continue;
        };
        let node = building.profile.node(None, definition);
        building.add(node, building.of_functions, &numbers);
    }
    for (caller, callee, numbers) in arcs {
        let (Some(&from), Some(&to)) = (definitions.get(caller), definitions.get(callee)) else {
            continue;
        };
        let parent = building.profile.node(None, from);
        let node = building.profile.node(Some(parent), to);
        building.add(node, building.of_arcs, &numbers);
    }
    let tables = building.profile.finish(&mut report)?;
    Ok(vec![(tables, report)])
}

fn meta(input: &Input<'_>) -> RunMeta {
    let mut meta = named_after(input.file_name(), Format::CProfile);
    let reason = "cProfile records callers, not call paths; a context of two functions is an arc";
    meta.lacks.insert("paths".to_owned(), reason.to_owned());
    meta
}

/// `(primitive calls, calls, own time, total time, callers)`.
fn row(values: &Values<'_>, value: u32) -> Option<(Numbers, u32)> {
    let mut parts = values.inside(value);
    let numbers = Numbers {
        primitive_calls: Some(values.integer(parts.next()?)?),
        calls: values.integer(parts.next()?)?,
        own: Some(values.float(parts.next()?)?),
        total: Some(values.float(parts.next()?)?),
    };
    Some((numbers, parts.next()?))
}

/// `(calls, primitive calls, own time, total time)` in cProfile: the counts stand the other way
/// round than in a function's own entry. The number of calls in profile.
fn caller(values: &Values<'_>, value: u32) -> Option<Numbers> {
    if let Some(calls) = values.integer(value) {
        return Some(Numbers {
            calls,
            primitive_calls: None,
            own: None,
            total: None,
        });
    }
    let mut parts = values.inside(value);
    Some(Numbers {
        calls: values.integer(parts.next()?)?,
        primitive_calls: Some(values.integer(parts.next()?)?),
        own: Some(values.float(parts.next()?)?),
        total: Some(values.float(parts.next()?)?),
    })
}

/// Calls, primitive calls, own and total time.
type Metrics = [MetricIdx; 4];

struct Building {
    profile: Profile,
    location: LocationIdx,
    of_functions: Metrics,
    of_arcs: Metrics,
}

impl Building {
    fn new(mut profile: Profile) -> Self {
        let location = profile.location(0, 0);
        let mut metrics = |prefix: &str, total: MetricKind| {
            let mut metric = |name: &str, unit, kind, source: &str| {
                let name = format!("{prefix}{name}");
                profile.metric(MetricSpec::new(&name, unit, kind, source))
            };
            [
                metric("calls", Unit::Count, MetricKind::Additive, "ncalls"),
                metric(
                    "primitive_calls",
                    Unit::Count,
                    MetricKind::Additive,
                    "primitive calls",
                ),
                metric("self_s", Unit::Seconds, MetricKind::Additive, "tottime"),
                metric("total_s", Unit::Seconds, total, "cumtime"),
            ]
        };
        let of_functions = metrics("", MetricKind::Inclusive);
        let of_arcs = metrics("arc_", MetricKind::Additive);
        Self {
            profile,
            location,
            of_functions,
            of_arcs,
        }
    }

    fn add(&mut self, node: NodeIdx, metrics: Metrics, numbers: &Numbers) {
        let [calls, primitive_calls, own, total] = metrics;
        let values = [
            (calls, Some(Value::Integer(numbers.calls))),
            (primitive_calls, numbers.primitive_calls.map(Value::Integer)),
            (own, numbers.own.map(Value::Float)),
            (total, numbers.total.map(Value::Float)),
        ];
        for (metric, value) in values {
            if let Some(value) = value {
                self.profile.add(node, metric, self.location, value);
            }
        }
    }
}
