//! Graphs that are odd or hostile; `data/samples/gprof2dot` has the plain ones.

use std::fmt::Write as _;
use std::time::Instant;

use super::*;
use crate::sniff;
use crate::testing::{findings_of, read_with, values_of};

fn dump(text: &str) -> String {
    let (tables, report) = read_with(read_gprof2dot, "run.dot", text.as_bytes()).unwrap();
    format!("{}\n{}", values_of(&tables), findings_of(&report))
}

#[test]
fn labels_are_read_from_their_end() {
    let text = r#"digraph {
        1 [label="a\n10.00%\n(1.00%)"]; 2 [color="red", label="lib.so\nb%\n20.00%\n(2.00%)\n5×"];
        3 [label="proc\nlib.so\nc\n30.00%\n(3.00%)\n6×"]; 4 [label="d"]; 5 [label="(5.00%)"]; 6
        [label="e\nnan%\n(1e999%)\n99999999999999999999×"];
        1 -> 2 [label="1.50%"]; 2 -> 2 [label="4×"]; 1 -> 3;
    }"#;
    assert_eq!(
        dump(text),
        "5 self_percent 5
a self_percent 1
a total_percent 10
a/b% arc_total_percent 1.5
b% calls 5
b% self_percent 2
b% total_percent 20
b%/b% arc_calls 4
c calls 6
c self_percent 3
c total_percent 30
repaired_labels 2
read_functions 6
read_arcs 3"
    );
}

#[test]
fn lines_of_python_functions_are_no_identity() {
    let graph = |first: u32, second: u32| {
        let text = format!(
            "digraph {{ 7 [label=\"a:{second}:step\\n2.00%\\n(2.00%)\"]; 8 [label=\"a:{first}:step\\n1.00%\\n(1.00%)\"]; }}"
        );
        let (tables, _) = read_with(read_gprof2dot, "run.dot", text.as_bytes()).unwrap();
        let rows = tables.summary.definitions.rows();
        let mut rows: Vec<_> = rows.map(|row| (row.line, row.id)).collect();
        rows.sort_unstable();
        rows
    };
    let (before, after) = (graph(10, 20), graph(15, 99));
    assert_eq!(before.len(), 2);
    assert_ne!(before[0].1, before[1].1);
    assert_eq!([before[0].1, before[1].1], [after[0].1, after[1].1]);
}

#[test]
fn only_graphs_of_this_tool_are_recognised() {
    let own = br#"digraph {
	1 [label="leaf\n100.00%\n(100.00%)"];
}"#;
    assert_eq!(sniff(own), Some(Format::Gprof2Dot));
    for other in [
        "digraph Taskflow { p0 [label=\"a\"]; }",
        "graph { a -- b }",
        "digraph",
        "",
    ] {
        assert_eq!(sniff(other.as_bytes()), None, "{other}");
    }
}

#[test]
fn what_is_cut_is_read_and_noted() {
    assert_eq!(
        dump("digraph { /* a */ a [label=\"a\\n1.00%\\n(1.00%)\"]; // b\n# c\n b -> \"c"),
        "a self_percent 1\na total_percent 1\nrepaired_unfinished_graph 1\nread_functions 1\nread_arcs 1\nrepaired_labels 2"
    );
    for empty in [
        "digraph {}",
        "digraph",
        "",
        "graph [a=b]; a = b",
        "<<<",
        "\"",
        "[[",
        "->",
    ] {
        let read = read_with(read_gprof2dot, "run.dot", empty.as_bytes());
        assert!(matches!(read, Err(Error::Empty { .. })), "{empty}");
    }
}

#[test]
fn nesting_and_size_do_not_matter() {
    let start = Instant::now();
    let mut text = "digraph ".to_owned();
    text.push_str(&"{".repeat(1_000_000));
    text.push_str(&"<".repeat(1_000_000));
    assert!(read_with(read_gprof2dot, "run.dot", text.as_bytes()).is_err());
    let mut text = "digraph {".to_owned();
    for node in 0..100_000 {
        write!(
            text,
            "{node} [label=\"same\\n0.01%\\n(0.00%)\\n1×\"]; {node} -> {}",
            node + 1
        )
        .unwrap();
        text.push(';');
    }
    text.push_str(&"x".repeat(4_000_000));
    text.push_str(" -> \"</script>\\n\\\"\u{202e}\" }");
    let (tables, _) = read_with(read_gprof2dot, "run.dot", text.as_bytes()).unwrap();
    assert!(tables.summary.contexts.len() >= 4);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}
