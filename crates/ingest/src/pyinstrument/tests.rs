//! Sessions that are odd or hostile; `data/samples/pyinstrument` has the plain ones.

use std::time::Instant;

use super::*;
use crate::sniff;
use crate::testing::{findings_of, read_with, values_of};

fn dump(frame: &str) -> String {
    let text = format!("{{\"duration\": 1, \"sample_count\": 1, \"root_frame\": {frame}}}");
    let (tables, report) = read_with(read_pyinstrument, "a.json", text.as_bytes()).unwrap();
    format!("{}\n{}", values_of(&tables), findings_of(&report))
}

#[test]
fn own_time_is_what_children_leave_exactly() {
    let frame = r#"{"function": "f", "time": 0.3, "children": [
        {"function": "g", "time": 0.1, "children": []}, {"function": "[self]", "time": 0.1},
        {"function": "h", "time": 0.1, "children": [{"function": "i", "time": 0.100001}]},
        {"function": "j", "time": NaN}, {"function": "k", "time": -9, "children": [
        {"function": "l", "time": 0.1}]}, 7]}"#;
    assert_eq!(
        dump(frame),
        "f self_s 0.1
f total_s 0.3
f/g self_s 0.1
f/g total_s 0.1
f/h self_s 0
f/h total_s 0.1
f/h/i self_s 0.100001
f/h/i total_s 0.100001
f/k/l self_s 0.1
f/k/l total_s 0.1
repaired_negative_times 1
skipped_times 1
read_frames 7
skipped_negative_times 1"
    );
}

#[test]
fn identity_is_function_and_portable_file() {
    let id_of = |frame: &str| {
        let text = format!("{{\"duration\": 1, \"root_frame\": {frame}}}");
        let (tables, _) = read_with(read_pyinstrument, "a.json", text.as_bytes()).unwrap();
        tables.summary.definitions.row(0).id
    };
    let one = id_of(r#"{"function": "f", "file_path": "/a/b/c.py", "line_no": 3, "time": 1}"#);
    let other = id_of(
        r#"{"function": "f", "file_path": "/x/c.py", "file_path_short": "../x/c.py", "line_no": 9, "time": 1}"#,
    );
    let third = id_of(r#"{"function": "f", "file_path": "/x/d.py", "line_no": 3, "time": 1}"#);
    let class = id_of(r#"{"function": "f", "class_name": "C", "file_path": "/x/c.py", "time": 1}"#);
    assert_eq!(one, other);
    assert!(one != third && one != class);
}

#[test]
fn sessions_alone_are_recognised_and_empty_ones_refused() {
    assert_eq!(
        sniff(b"{\"duration\": 1, \"root_frame\": "),
        Some(Format::PyInstrument)
    );
    assert_eq!(sniff(b"{\"root_frame\": {\"duration\": 1}}"), None);
    for text in ["{\"root_frame\": null}", "{}", "{\"root_frame\": []}"] {
        let read = read_with(read_pyinstrument, "a.json", text.as_bytes());
        assert!(matches!(read, Err(Error::Empty { .. })), "{text}");
    }
    assert_eq!(
        dump("{}"),
        "\nrepaired_names 1\nskipped_times 1\nread_frames 1"
    );
}

#[test]
fn a_million_levels_are_read() {
    let start = Instant::now();
    let open = "{\"function\":\"</script>\\n\",\"time\":1,\"children\":[".repeat(1_000_000);
    let text = format!(
        "{{\"duration\":1,\"root_frame\":{open}{}}}",
        "]}".repeat(1_000_000)
    );
    let (tables, _) = read_with(read_pyinstrument, "a.json", text.as_bytes()).unwrap();
    assert_eq!(tables.summary.contexts.len(), 1_000_000);
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}
