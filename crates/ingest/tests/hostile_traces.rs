//! Taskflow profiles and Chrome traces that mean harm, or only look like it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_sign_loss,
    reason = "a test may stop, print, and trust its data"
)]

#[path = "support/processor_time.rs"]
mod processor_time;

use std::time::Duration;

use sheaf_ingest::{Hints, Input, NoModules, Parentage, ReadOutcome, Run, Symbols, read};
use sheaf_model::Progress;

fn reading(content: &[u8], hints: &Hints) -> ReadOutcome {
    let content = content.to_vec();
    let mut input = Input::new("hostile", &content);
    input.hints = hints;
    let reading = read(&[input], &Symbols::new(NoModules), &Progress::silent()).unwrap();
    for run in &reading.runs {
        run.tables.validate().unwrap();
    }
    reading
}

fn run(content: &str) -> Run {
    let reading = reading(content.as_bytes(), Hints::NONE);
    assert_eq!(reading.refused.len(), 0, "{:?}", reading.refused);
    reading.runs.into_iter().next().unwrap()
}

fn refusal(content: &[u8]) -> String {
    let reading = reading(content, Hints::NONE);
    assert_eq!(reading.runs.len(), 0);
    reading.refused[0].1.to_string()
}

fn chrome(events: &str) -> Run {
    run(&format!("[{events}]"))
}

#[test]
fn a_million_levels_in_arguments_are_passed_over() {
    let deep = format!("{}1{}", "{\"a\":[".repeat(500_000), "]}".repeat(500_000));
    let run = chrome(&format!(
        r#"{{"name":"a","ph":"X","ts":1,"dur":2,"args":{{"id":{deep},"parent":{deep}}},"x":{deep}}}"#
    ));
    assert_eq!(run.tables.grains.len(), 1);
    let open = format!(
        r#"[{{"ph":"X","ts":0,"dur":1}},{{"args":{}"#,
        "[".repeat(1_000_000)
    );
    assert_eq!(self::run(&open).report.count("repaired_truncated_tail"), 1);
}

#[test]
fn a_million_nested_slices_take_no_stack() {
    let depth = 200_000;
    let begins: Vec<String> = (0..depth)
        .map(|at| format!(r#"{{"name":"f","ph":"B","ts":{at},"tid":1}}"#))
        .collect();
    // An end of what was begun before it: all others end with it.
    let text = format!(
        r#"[{},{{"name":"g","ph":"X","ts":{depth},"dur":1,"tid":1}}"#,
        begins.join(",")
    );
    let hints = Hints {
        parentage: Parentage::Nesting,
        ..Hints::default()
    };
    let reading = reading(text.as_bytes(), &hints);
    let run = &reading.runs[0];
    assert_eq!(run.tables.grains.len(), depth + 1);
    assert_eq!(run.tables.summary.contexts.len(), depth + 2);
    assert_eq!(run.report.count("repaired_unfinished_slices"), depth as u64);
    assert_eq!(run.report.count("read_parents_by_nesting"), depth as u64);
}

#[test]
fn nesting_is_parentage_only_when_asked_for() {
    let text = r#"[{"name":"a","ph":"X","ts":0,"dur":9},{"name":"b","ph":"X","ts":1,"dur":2}]"#;
    let parents = |hints: &Hints| {
        let reading = reading(text.as_bytes(), hints);
        let run = &reading.runs[0];
        let rule = run.tables.summary.meta.params["parentage"].to_string();
        let parents: Vec<_> = run.tables.grains.rows().map(|row| row.parent).collect();
        (rule, parents)
    };
    assert_eq!(parents(Hints::NONE), ("none".to_owned(), vec![None, None]));
    let hints = Hints {
        parentage: Parentage::Nesting,
        ..Hints::default()
    };
    assert_eq!(parents(&hints), ("nesting".to_owned(), vec![None, Some(0)]));
}

#[test]
fn times_beyond_all_clocks_are_left_out() {
    let run = chrome(
        r#"{"name":"a","ph":"X","ts":1e300,"dur":1},{"name":"b","ph":"X","ts":0,"dur":-1e300},
           {"name":"c","ph":"X","ts":NaN,"dur":1},{"name":"d","ph":"X","ts":2300000000000000,"dur":2300000000000000},
           {"name":"e","ph":"X","ts":-2300000000000000,"dur":0.0009}"#,
    );
    assert_eq!(run.report.count("skipped_times"), 3);
    let elapsed = run.tables.summary.meta.elapsed;
    assert_eq!(elapsed, Some(3 * 2_300_000_000_000_000_000));
}

#[test]
fn ids_flows_and_ends_without_partners_are_counted() {
    let run = chrome(
        r#"{"name":"a","ph":"X","ts":0,"dur":1,"args":{"id":1,"parent":1}},
           {"name":"b","ph":"X","ts":2,"dur":1,"args":{"id":1,"parent":7}},
           {"name":"c","ph":"X","ts":4,"dur":1,"args":{"id":2,"parent":3}},
           {"name":"d","ph":"X","ts":6,"dur":1,"args":{"id":3,"parent":4}},
           {"name":"e","ph":"X","ts":8,"dur":1,"args":{"id":4,"parent":2}},
           {"ph":"E","ts":9},{"ph":"e","ts":9,"id":1},{"ph":"s","ts":0,"id":1},{"ph":"f","ts":5,"id":2}"#,
    );
    let count = |kind: &str| run.report.count(kind);
    assert_eq!(run.tables.grains.len(), 5);
    assert_eq!(count("repaired_colliding_ids"), 1);
    assert_eq!(count("skipped_unknown_parents"), 2);
    assert_eq!(count("repaired_parent_cycles"), 1);
    assert_eq!(count("skipped_ends_without_begin"), 1);
    assert_eq!(count("skipped_async_ends_without_begin"), 1);
    assert_eq!(count("skipped_loose_flows"), 2);
}

#[test]
fn huge_names_are_cut() {
    let name = "x".repeat(5 << 20);
    let run = chrome(&format!(
        r#"{{"ph":"X","ts":1,"dur":1}},{{"name":"{name}","ph":"X","ts":0,"dur":1,"args":{{"q":"{name}"}}}}"#
    ));
    let names: Vec<_> = run
        .tables
        .summary
        .definitions
        .rows()
        .map(|row| row.name.len())
        .collect();
    assert!(names.contains(&(64 << 10)), "{names:?}");
}

#[test]
fn what_holds_nothing_is_refused() {
    assert!(refusal(br#"[{"name":"a","ph":"C","ts":0}]"#).contains("holds 1 counter;"));
    assert!(refusal(br#"{"traceEvents": 7}"#).contains("holds no durations; it holds no event;"));
    assert!(refusal(b"TFPX\x02\0\0\0\0\0\0\0").contains("version `2`"));
    assert!(refusal(b"TFPX\x01\0\0\0\xff\xff\xff\xff").contains("holds no measurement"));
    assert!(refusal(b"TFPX").contains("header is cut"));
    assert!(refusal(br#"[{"executor":"0","data":[{"worker":0"#).contains("no segment"));
}

#[test]
fn absurd_counts_allocate_nothing() {
    let mut bytes = b"TFPX\x01\0\0\0\xff\xff\xff\xff".to_vec();
    bytes.extend([0; 16]);
    bytes.extend(0_u32.to_le_bytes());
    bytes.extend(u32::MAX.to_le_bytes());
    bytes.extend([0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
    bytes.extend([5, 7, 0, 0, 0, 0, 0]);
    // A delta of -1, as 64-bit wrap, and a worker beyond all numbers.
    bytes.extend([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]);
    bytes.extend([1, 0, 0, 0, 0, 0x9f]);
    let reading = reading(&bytes, Hints::NONE);
    let run = &reading.runs[0];
    assert_eq!(run.tables.grains.len(), 2);
    let mut starts: Vec<_> = run.tables.grains.rows().map(|row| row.start).collect();
    starts.sort_unstable();
    assert_eq!(starts, [Some(4000), Some(5000)]);
    assert!(!run.tables.summary.meta.is_complete);
    assert_eq!(run.report.count("skipped_names"), 1);
}

/// Twice the input must not take much more than twice the time.
#[test]
fn time_is_linear() {
    let text = |events: usize| {
        let mut text = String::from("[");
        for at in 0..events {
            let parent = at / 2;
            let event = format!(
                r#"{{"name":"n{}","ph":"X","ts":{at}.5,"dur":{},"pid":{},"tid":{},"args":{{"id":{at},"parent":{parent}}}}},"#,
                at % 100,
                events - at,
                at % 3,
                at % 5,
            );
            text.push_str(&event);
            let arrows = format!(
                r#"{{"ph":"s","ts":{at},"id":{at},"tid":1}},{{"ph":"f","ts":{at},"id":{at},"tid":2}},"#
            );
            text.push_str(&arrows);
        }
        text
    };
    let time = |events: usize| {
        let text = text(events);
        let start = processor_time::of_this_thread();
        assert_eq!(run(&text).tables.grains.len(), events);
        processor_time::of_this_thread().saturating_sub(start)
    };
    let (small, large) = (time(5_000), time(40_000));
    assert!(
        large < 40 * small + Duration::from_millis(500),
        "{small:?}, {large:?}"
    );
}

#[test]
fn dependences_are_matched_by_unique_names() {
    let profile = r#"[{"executor":"0","data":[{"worker":0,"level":0,"data":[
        {"span":[0,1],"name":"a","type":"static"},{"span":[1,2],"name":"b","type":"condition"},
        {"span":[2,3],"name":"c","type":"static"},{"span":[3,4],"name":"c","type":"static"},
        {"span":[4,5],"name":"0_4","type":"static"}]}]}]"#;
    let graph = "p1[label=\"a\" ];\np1 -> p2;\np2[label=\"b\" shape=diamond];\np2 -> p1 [style=dashed label=\"0\"];\n\
                 p3[label=\"c\" ];\np2 -> p3;\np4[label=\"p4\" ];\np1 -> p4;\np5[label=\"zzz\" ];\np1 -> p5;\n";
    let hints = Hints {
        task_graph: Some(graph.to_owned()),
        ..Hints::default()
    };
    let reading = reading(profile.as_bytes(), &hints);
    let run = &reading.runs[0];
    assert_eq!(run.tables.dependences.len(), 1);
    for kind in [
        "read_dependences",
        "skipped_edges_not_taken",
        "skipped_edges_of_repeated_names",
        "skipped_edges_of_unnamed_tasks",
        "skipped_edges_of_unknown_tasks",
    ] {
        assert_eq!(run.report.count(kind), 1, "{kind}");
    }
    assert!(!run.tables.summary.meta.lacks.contains_key("edges"));
}
