//! Begins and ends that do not match, and events that are not slices.

use crate::testing::{findings_of, read_with};

/// Grains as lines `name start-end`, in microseconds and `?` for an unknown end, then findings and completeness.
fn read_text(events: &str) -> String {
    read_whole(format!("{{\"traceEvents\": [{events}]}}").as_bytes())
}

fn read_whole(text: &[u8]) -> String {
    let (tables, report) = match read_with(super::read_chrome, "trace.json", text) {
        Ok(read) => read,
        Err(error) => return error.to_string(),
    };
    let mut lines = Vec::new();
    for grain in tables.grains.rows() {
        let context = usize::try_from(grain.context).unwrap();
        let definition = tables.summary.contexts.row(context).definition;
        let definition = usize::try_from(definition).unwrap();
        let name = tables.summary.definitions.row(definition).name;
        let (start, end) = (grain.start.unwrap() / 1000, grain.end.map(|end| end / 1000));
        let shown = end.map_or_else(|| "?".to_owned(), |end| end.to_string());
        lines.push((
            start,
            end.map(|end| -end),
            format!("{name} {start}-{shown}\n"),
        ));
    }
    lines.sort();
    let lines: String = lines.into_iter().map(|(.., line)| line).collect();
    let whole = if tables.summary.meta.is_complete {
        "complete"
    } else {
        "incomplete"
    };
    format!("{lines}{}\n{whole}", findings_of(&report))
}

fn begin(name: &str, time: u32) -> String {
    format!("{{\"name\":\"{name}\",\"ph\":\"B\",\"ts\":{time},\"pid\":1,\"tid\":1}}")
}

fn end(name: &str, time: u32) -> String {
    format!("{{\"name\":\"{name}\",\"ph\":\"E\",\"ts\":{time},\"pid\":1,\"tid\":1}}")
}

#[test]
fn an_end_of_another_name_closes_the_innermost_slice() {
    let events = [
        begin("outer", 0),
        begin("inner", 10),
        end("other", 20),
        end("outer", 30),
    ];
    assert_eq!(
        read_text(&events.join(",")),
        "outer 0-30\ninner 10-20\nrepaired_mismatched_ends 1\nread_grains 2\nincomplete"
    );
    let crossed = [begin("a", 0), begin("b", 10), end("a", 20), end("b", 30)];
    assert_eq!(
        read_text(&crossed.join(",")),
        "a 0-30\nb 10-20\nrepaired_mismatched_ends 2\nread_grains 2\nincomplete"
    );
}

/// A trace with one such event, next to a good one, is not whole.
#[test]
fn unfinished_intervals_and_bad_durations_make_a_run_incomplete() {
    let good = [begin("a", 0), end("a", 10)].join(",");
    let read = |event: &str| {
        let event = format!("{{\"name\":\"b\",\"ts\":2,\"pid\":1,\"tid\":2,{event}}}");
        read_text(&[good.clone(), event].join(","))
    };
    for (event, finding) in [
        (
            "\"ph\":\"b\",\"cat\":\"c\",\"id\":1",
            "repaired_unfinished_intervals 1",
        ),
        ("\"ph\":\"X\"", "repaired_missing_durations 1"),
        ("\"ph\":\"X\",\"dur\":-5", "skipped_negative_durations 1"),
    ] {
        let found = read(event);
        assert!(
            found.contains(finding) && found.ends_with("\nincomplete"),
            "{found}"
        );
    }
    assert!(read("\"ph\":\"X\",\"dur\":5").ends_with("\ncomplete"));
}

/// Chrome leaves out the bracket of an array; an object that is not closed was cut.
#[test]
fn an_object_that_is_not_closed_is_incomplete() {
    let events = [begin("a", 0), end("a", 10)].join(",");
    for text in [
        format!("[{events}"),
        format!("[{events},\n"),
        format!("[{events}]"),
        format!("{{\"traceEvents\":[{events}]}}"),
    ] {
        let found = read_whole(text.as_bytes());
        assert!(found.ends_with("\ncomplete"), "{text} {found}");
    }
    for text in [
        format!("{{\"traceEvents\":[{events}"),
        format!("{{\"traceEvents\":[{events},\n"),
        format!("{{\"traceEvents\":[{events}]"),
        format!("{{\"traceEvents\":[{events}],\"displayTimeUnit\":\"ns\""),
        format!("{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[{events}]\n"),
    ] {
        let found = read_whole(text.as_bytes());
        assert_eq!(
            found, "a 0-10\nrepaired_truncated_tail 1\nread_grains 1\nincomplete",
            "{text}"
        );
    }
}

#[test]
fn names_that_differ_in_bytes_that_are_not_utf8_are_different() {
    let events = [begin("@", 0), end("@", 10), begin("#", 20), end("#", 30)];
    let text = format!("[{}]", events.join(","));
    let byte = |byte| match byte {
        b'@' => 0xe9,
        b'#' => 0xe8,
        other => other,
    };
    let text: Vec<u8> = text.bytes().map(byte).collect();
    assert_eq!(
        read_whole(&text),
        "\\xe9 0-10\n\\xe8 20-30\nrepaired_texts 2\nread_grains 2\ncomplete"
    );
}

/// Arrows can be members of the slices themselves.
#[test]
fn slices_with_a_bind_id_are_linked() {
    let slice = |name: &str, start: u32, thread: u32, flow: &str| {
        format!(
            "{{\"ph\":\"X\",\"name\":\"{name}\",\"ts\":{start},\"dur\":10,\"pid\":1,\"tid\":{thread}{flow}}}"
        )
    };
    let arrow = |id: u32, ends: &str| format!(",\"bind_id\":\"0x{id}\",{ends}");
    let text = [
        slice("parent", 0, 1, &arrow(1, "\"flow_out\":true")),
        slice("child", 20, 2, &arrow(1, "\"flow_in\":true")),
        slice("other", 20, 3, ",\"bind_id\":\"0x1\",\"flow_in\":false"),
    ]
    .join(",");
    let found = read_text(&text);
    assert!(found.contains("read_parents_by_flows 1"), "{found}");
}

/// Writers round times, so slices may overlap by a little.
#[test]
fn slices_that_overlap_by_more_than_rounding_make_a_run_incomplete() {
    let slice = |name: &str, start: u32, length: u32| {
        format!(
            "{{\"ph\":\"X\",\"name\":\"{name}\",\"ts\":{start},\"dur\":{length},\"pid\":1,\"tid\":1}}"
        )
    };
    let read = |start| read_text(&[slice("a", 0, 10_000), slice("b", start, 10_000)].join(","));
    let found = read(9_999);
    assert!(
        found.contains("repaired_overlapping_slices 1") && found.ends_with("\ncomplete"),
        "{found}"
    );
    let found = read(5_000);
    assert!(
        found.contains("repaired_crossing_slices 1") && found.ends_with("\nincomplete"),
        "{found}"
    );
}

#[test]
fn a_lost_end_does_not_stretch_the_slices_around_it() {
    let events = [
        begin("main", 0),
        begin("step", 10),
        begin("solve", 20),
        end("step", 40),
        begin("step", 50),
        begin("solve", 60),
        end("solve", 70),
        end("step", 80),
        end("main", 90),
        begin("after", 200),
        end("after", 300),
    ];
    assert_eq!(
        read_text(&events.join(",")),
        "main 0-90\nstep 10-40\nsolve 20-40\nstep 50-80\nsolve 60-70\nafter 200-300\n\
         repaired_lost_ends 1\nread_grains 6\nincomplete"
    );
}

#[test]
fn a_lost_begin_closes_nothing() {
    let events = [begin("main", 0), end("lost", 40), end("main", 90)];
    assert_eq!(
        read_text(&events.join(",")),
        "main 0-90\nskipped_ends_without_begin 1\nread_grains 1\nincomplete"
    );
}

#[test]
fn totals_of_compilers_are_not_slices() {
    let events = r#"
        {"pid":7,"tid":7,"ts":100,"ph":"X","dur":900,"name":"ExecuteCompiler"},
        {"pid":7,"tid":7,"ts":200,"ph":"X","dur":500,"name":"Total of a program's own"},
        {"pid":7,"tid":8,"ts":0,"ph":"X","dur":900,"name":"Total ExecuteCompiler","args":{"count":1,"avg ms":0}},
        {"pid":7,"tid":9,"ts":0,"ph":"X","dur":400,"name":"Total Source","args":{"count":2,"avg ms":0}}"#;
    assert_eq!(
        read_text(events),
        "ExecuteCompiler 0-900\nTotal of a program's own 100-600\nskipped_totals 2\nread_grains 2\ncomplete"
    );
}

#[test]
fn a_trace_without_durations_says_what_it_holds() {
    let events = r#"
        {"ph":"C","name":"memory","ts":1,"pid":1,"args":{"used":5}},
        {"ph":"C","name":"memory","ts":2,"pid":1,"args":{"used":6}},
        {"ph":"i","name":"mark","ts":2,"pid":1,"tid":1},
        {"ph":"M","name":"process_name","pid":1,"args":{"name":"app"}}"#;
    assert_eq!(
        read_text(events),
        "chrome file holds no durations; it holds 2 counters, 1 instant, 1 name of a process or thread; \
         grains come from events of phase `X`, `B` and `E`, or `b` and `e`"
    );
    assert!(read_text("").starts_with("chrome file holds no durations; it holds no event;"));
    let text = read_text(r#"{"ph":"X","name":"a","ts":1e300,"dur":1,"pid":1,"tid":1}"#);
    assert!(
        text.contains("it holds 1 event of unusable time;"),
        "{text}"
    );
}
