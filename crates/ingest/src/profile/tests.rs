//! Tables of small and of extreme profiles.

use std::fmt::Write as _;

use sheaf_model::{Direction, MetricKind, Report, RunMeta, RunTables, Unit};

use super::*;

fn spec(name: &str, kind: MetricKind, is_integer: bool) -> MetricSpec {
    MetricSpec {
        name: name.to_owned(),
        unit: Unit::Count,
        kind,
        direction: Direction::Neutral,
        is_integer,
        source: None,
    }
}

fn profile() -> Profile {
    Profile::new(RunMeta::new("p", "caliper"))
}

fn frame(name: &str) -> Frame<'_> {
    Frame {
        kind: "region",
        name,
        ..Frame::default()
    }
}

/// Adds `value` at a path of names.
fn add(profile: &mut Profile, path: &str, metric: MetricSpec, place: (i32, i32), value: Value) {
    let mut node = None;
    for name in path.split('/') {
        let definition = profile.definition(frame(name));
        node = Some(profile.node(node, definition));
    }
    let metric = profile.metric(metric);
    let location = profile.location(place.0, place.1);
    profile.add(node.unwrap(), metric, location, value);
}

fn finish(profile: Profile) -> RunTables {
    let tables = profile.finish(&mut Report::default()).unwrap();
    tables.validate().unwrap();
    tables
}

/// Contexts and values as text.
fn dump(tables: &RunTables) -> String {
    let summary = &tables.summary;
    let mut text = String::new();
    let name = |row: i32| {
        summary
            .definitions
            .name
            .value(usize::try_from(row).unwrap())
    };
    for row in summary.contexts.rows() {
        let indent = "  ".repeat(usize::try_from(row.depth).unwrap());
        writeln!(text, "{indent}{}", name(row.definition)).unwrap();
    }
    for row in summary.values.rows() {
        let place = (row.context, row.metric, row.location);
        writeln!(
            text,
            "{place:?} {} {:?} {:?}",
            row.count, row.sum, row.sum_float
        )
        .unwrap();
    }
    for row in summary.totals.rows() {
        let place = (row.context, row.metric);
        let integers = (row.sum, row.min, row.max, row.sum_squares);
        let floats = (row.sum_float, row.min_float, row.max_float);
        let sketch = (row.sketch_buckets, row.sketch_counts);
        match integers {
            (None, None, None, None) => writeln!(text, "{place:?} {} {floats:?}", row.count),
            _ => writeln!(text, "{place:?} {} {integers:?} {sketch:?}", row.count),
        }
        .unwrap();
    }
    text
}

fn entries() -> Vec<(&'static str, MetricSpec, (i32, i32), Value)> {
    let time = || spec("time_s", MetricKind::Additive, false);
    let calls = || spec("calls", MetricKind::Inclusive, true);
    let rate = || spec("rate", MetricKind::Intensive, false);
    vec![
        ("main/solve", time(), (1, 0), Value::Float(0.5)),
        ("main/solve", time(), (0, 1), Value::Float(0.25)),
        ("main/solve", calls(), (0, 0), Value::Integer(300)),
        ("main", calls(), (0, 0), Value::Integer(2)),
        ("main", calls(), (1, 0), Value::Integer(5)),
        ("main", calls(), (0, 0), Value::Integer(1)),
        ("init/read/", rate(), (0, 0), Value::Float(2.0)),
        ("init/read/", rate(), (0, 0), Value::Float(4.0)),
    ]
}

/// Contexts; (context, metric, location), count and sum of values; (context, metric), count, sum,
/// smallest and largest of totals. Metrics are `calls`, `rate`, `time_s`.
const TABLES: &str = "\
main
  solve
init
  read
    \n\
(0, 0, 0) 2 Some(3) None
(0, 0, 2) 1 Some(5) None
(1, 0, 0) 1 Some(300) None
(1, 2, 1) 1 None Some(0.25)
(1, 2, 2) 1 None Some(0.5)
(4, 1, 0) 2 None Some(6.0)
(0, 0) 2 (Some(8), Some(3), Some(5), Some(34)) ([3, 5], [1, 1])
(1, 0) 1 (Some(300), Some(300), Some(300), Some(90000)) ([203], [1])
(1, 2) 2 (Some(0.75), Some(0.25), Some(0.5))
(4, 1) 2 (Some(6.0), Some(2.0), Some(4.0))
";

#[test]
fn tables_are_in_the_order_of_their_schema() {
    let mut profile = profile();
    for (path, metric, place, value) in entries() {
        add(&mut profile, path, metric, place, value);
    }
    let tables = finish(profile);
    assert_eq!(tables.summary.meta.ranks, 2);
    assert_eq!(tables.summary.meta.workers, Some(3));
    let ids: Vec<[u8; 16]> = tables
        .summary
        .definitions
        .rows()
        .map(|row| row.id)
        .collect();
    assert!(ids.is_sorted());
    assert_eq!(dump(&tables), TABLES);
}

#[test]
fn tables_do_not_depend_on_the_order_of_insertion() {
    let build = |order: &[usize]| {
        let entries = entries();
        let mut profile = profile();
        for &at in order {
            let (path, metric, place, value) = entries[at].clone();
            add(&mut profile, path, metric, place, value);
        }
        finish(profile).content_id()
    };
    let mut order: Vec<usize> = (0..entries().len()).collect();
    let expected = build(&order);
    let mut state = 1_usize;
    for _ in 0..50 {
        for at in (1..order.len()).rev() {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            order.swap(at, (state >> 33) % (at + 1));
        }
        assert_eq!(build(&order), expected, "{order:?}");
    }
}

/// Contexts with many values are sorted in another way than small ones.
#[test]
fn many_values_of_a_context_are_put_in_order() {
    let names: Vec<String> = (0..10).map(|number| format!("m{number}")).collect();
    let build = |order: &mut dyn Iterator<Item = i32>| {
        let mut profile = profile();
        for number in order {
            let (rank, name) = (number / 10, &names[usize::try_from(number % 10).unwrap()]);
            let metric = spec(name, MetricKind::Additive, true);
            let value = Value::Integer(i64::from(number));
            add(&mut profile, "main", metric, (rank, 0), value);
        }
        finish(profile)
    };
    let tables = build(&mut (0..600));
    let rows: Vec<_> = tables.summary.values.rows().collect();
    assert!(rows.is_sorted_by_key(|row| (row.metric, row.location)));
    let is_value = |row: &sheaf_model::table::ValueRow| {
        row.sum == Some(i64::from(row.location * 10 + row.metric))
    };
    assert!(rows.len() == 600 && rows.iter().all(is_value));
    assert_eq!(build(&mut (0..600).rev()).content_id(), tables.content_id());
}

#[test]
fn unusable_values_stay_out_and_sums_stay_finite() {
    let mut profile = profile();
    let metric = || spec("m", MetricKind::Additive, true);
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        add(&mut profile, "a", metric(), (0, 0), Value::Float(value));
    }
    assert_eq!(profile.num_left_out(), 3);
    add(&mut profile, "a", metric(), (0, 0), Value::Integer(7));
    add(&mut profile, "b", metric(), (0, 0), Value::Float(f64::MAX));
    add(&mut profile, "b", metric(), (0, 0), Value::Float(f64::MAX));
    let integer = || spec("n", MetricKind::Additive, true);
    add(
        &mut profile,
        "b",
        integer(),
        (0, 0),
        Value::Integer(i64::MAX),
    );
    add(
        &mut profile,
        "b",
        integer(),
        (0, 0),
        Value::Integer(i64::MAX),
    );
    let tables = finish(profile);
    assert!(!tables.summary.metrics.is_integer.value(0));
    let mut sums: Vec<_> = (tables.summary.totals.rows())
        .map(|row| (row.sum, row.sum_float))
        .collect();
    sums.sort_by_key(|(sum, float)| (*sum, float.map(f64::to_bits)));
    let expected = [
        (None, Some(7.0)),
        (None, Some(f64::MAX)),
        (Some(i64::MAX), None),
    ];
    assert_eq!(sums, expected);
}

/// Metrics with a mark: whether negative values of it are left out.
fn metrics_of_times() -> Vec<(MetricSpec, bool)> {
    use Direction::{HigherIsWorse as Worse, Neutral};
    use MetricKind::{Additive, Inclusive, Intensive};
    let metric = |name: &str, unit, kind, direction| MetricSpec {
        unit,
        direction,
        ..spec(name, kind, false)
    };
    vec![
        (metric("own_s", Unit::Seconds, Additive, Worse), true),
        (metric("all_us", Unit::Microseconds, Inclusive, Worse), true),
        (metric("ticks", Unit::Ticks, Additive, Worse), true),
        (
            metric("sum_time_duration", Unit::Unknown, Additive, Worse),
            true,
        ),
        (metric("mean_s", Unit::Seconds, Intensive, Worse), false),
        (
            metric("offset_ns", Unit::Nanoseconds, Additive, Neutral),
            false,
        ),
        (metric("bytes", Unit::Bytes, Additive, Worse), false),
        (metric("timer", Unit::Unknown, Additive, Worse), false),
    ]
}

#[test]
fn negative_times_are_left_out_counted_and_said() {
    let mut profile = profile();
    for (metric, _) in metrics_of_times() {
        for (path, value) in [("a", -1.0), ("a/b", 0.0), ("a/c", -0.0), ("d", f64::NAN)] {
            add(
                &mut profile,
                path,
                metric.clone(),
                (0, 0),
                Value::Float(value),
            );
        }
    }
    assert_eq!(profile.num_left_out(), 4 + 8);
    let mut report = Report::default();
    let tables = profile.finish(&mut report).unwrap();
    let summary = &tables.summary;
    let name = |row: i32| summary.metrics.row(usize::try_from(row).unwrap()).name;
    let negative = summary
        .values
        .rows()
        .filter(|row| row.sum_float < Some(0.0));
    let kept: Vec<String> = negative.map(|row| name(row.metric)).collect();
    let all = metrics_of_times();
    let mut expected: Vec<&str> = (all.iter().filter(|(_, is_left_out)| !is_left_out))
        .map(|(metric, _)| metric.name.as_str())
        .collect();
    expected.sort_unstable();
    assert_eq!(kept, expected);
    // Zeros stay.
    assert_eq!(summary.values.len(), 8 * 2 + expected.len());
    let findings = report.findings.iter();
    let findings: Vec<_> = findings
        .map(|it| format!("{} {} {}", it.kind, it.count, it.first.as_deref().unwrap()))
        .collect();
    let expected = [
        "skipped_unusable_values 8 `own_s` of `d`",
        "skipped_negative_times 4 `own_s` of `a`",
    ];
    assert_eq!(findings, expected);
    assert_eq!(
        summary.meta.warnings,
        ["4 negative times were left out as errors of the clock, the first: `own_s` of `a`"]
    );
}

#[test]
fn attributes_are_those_of_the_first_frame_that_has_them() {
    let mut profile = profile();
    let first = Frame {
        line: Some(3),
        ..frame("f")
    };
    let later = Frame {
        line: Some(9),
        module: Some("libf.so"),
        ..frame("f")
    };
    let one = profile.definition(first);
    assert_eq!(one, profile.definition(later));
    let other = Frame {
        identity: Some("f@lib"),
        ..frame("f")
    };
    assert_ne!(one, profile.definition(other));
    profile.node(None, one);
    let tables = finish(profile);
    let rows = tables.summary.definitions.rows();
    let known: Vec<_> = rows.map(|row| (row.line, row.module)).collect();
    assert!(known.contains(&(Some(3), Some("libf.so".to_owned()))));
    assert_eq!((known.len(), tables.summary.contexts.len()), (2, 1));
    assert_eq!(tables.summary.meta.workers, None);
}

#[test]
fn a_million_deep_and_a_million_wide() {
    for is_deep in [true, false] {
        let mut profile = profile();
        let metric = profile.metric(spec("m", MetricKind::Additive, true));
        let location = profile.location(0, 0);
        let root = profile.definition(frame("main"));
        let root = profile.node(None, root);
        let mut node = root;
        for number in 0..1_000_000 {
            let definition = profile.definition(frame(&if is_deep {
                String::from("f")
            } else {
                format!("f{number}")
            }));
            node = profile.node(Some(if is_deep { node } else { root }), definition);
            profile.add(node, metric, location, Value::Integer(1));
        }
        let tables = finish(profile);
        let contexts = &tables.summary.contexts;
        let last = contexts.row(contexts.len() - 1);
        assert_eq!(contexts.len(), 1_000_001);
        assert_eq!(last.depth, if is_deep { 1_000_000 } else { 1 });
        assert_eq!(tables.summary.totals.len(), 1_000_000);
    }
}
