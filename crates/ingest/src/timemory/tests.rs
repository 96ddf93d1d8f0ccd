//! Output that is odd or hostile; `data/samples/timemory` has the plain one.

use std::time::Instant;

use super::*;
use crate::sniff;
use crate::testing::{findings_of, read_with, values_of};

fn component(unit: &str, trees: &str) -> String {
    format!(
        "{{\"timemory\": {{\"WALL_CLOCK\": {{\"unit_repr\": \"{unit}\", \"mpi_size\": 1, \"mpi\": {trees}}}}}}}"
    )
}

fn node(prefix: &str, entry: &str, children: &str) -> String {
    format!(
        "{{\"node\": {{\"prefix\": \"{prefix}\", \"inclusive\": {{\"entry\": {entry}}}, \"exclusive\": {{\"entry\": {entry}}}}}, \"children\": {children}}}"
    )
}

fn dump(text: &str) -> String {
    let (tables, report) = read_with(read_timemory, "wall.tree.json", text.as_bytes()).unwrap();
    format!("{}\n{}", values_of(&tables), findings_of(&report))
}

#[test]
fn clocks_are_exact_nanoseconds() {
    let entry = "{\"laps\": 3, \"accum\": 35638487535, \"repr_data\": 35638.487535}";
    let trees = format!("[[{}]]", node("a", entry, "[]"));
    assert_eq!(
        dump(&component("msec", &trees)),
        "a wall_clock_inclusive_ns 35638487535
a wall_clock_laps 3
a wall_clock_ns 35638487535
read_nodes 1"
    );
    // Where the two disagree, what is shown is what is meant.
    let entry = "{\"laps\": 3, \"accum\": 77, \"repr_data\": 1.5}";
    let trees = format!("[[], [{}]]", node("a", entry, "[]"));
    assert!(dump(&component("sec", &trees)).contains("a wall_clock_ns 1.0 1500000000"));
}

#[test]
fn lines_in_markers_are_no_identity() {
    let id_at = |line: u32| {
        let entry = "{\"laps\": 1, \"repr_data\": 1}";
        let trees = format!("[[{}]]", node(&format!("f@a.cpp:{line}/x"), entry, "[]"));
        let (tables, _) =
            read_with(read_timemory, "a", component("sec", &trees).as_bytes()).unwrap();
        let row = tables.summary.definitions.row(0);
        assert_eq!(
            (row.file.as_deref(), row.line),
            (Some("a.cpp"), i32::try_from(line).ok())
        );
        row.id
    };
    assert_eq!(id_at(3), id_at(40));
    for plain in ["f", "f@a", "f@a:b", "f@a:0/x", "f@a:3x", "@a:99999999999"] {
        assert_eq!(place_of(plain), None, "{plain}");
    }
}

#[test]
fn what_does_not_fit_is_refused_or_counted() {
    let flat = "{\"timemory\": {\"WALL_CLOCK\": {\"ranks\": []}}}";
    let fault = read_with(read_timemory, "a", flat.as_bytes())
        .unwrap_err()
        .to_string();
    assert!(fault.contains("give the `.tree.json`"), "{fault}");
    for empty in [
        "{\"timemory\": {}}",
        "{\"timemory\": 1}",
        "{\"timemory\": {\"A\": {\"mpi\": [[], 1, {}]}}}",
    ] {
        let read = read_with(read_timemory, "a", empty.as_bytes());
        assert!(matches!(read, Err(Error::Empty { .. })), "{empty}");
    }
    let odd = node(
        "</script>",
        "{\"laps\": 1.5, \"repr_data\": 1e999}",
        "[1, {\"children\": [{}]}]",
    );
    assert_eq!(
        dump(&component("sec", &format!("[[{odd}]]"))),
        "\nskipped_unmeasured_nodes 3\nread_nodes 1\nskipped_unusable_values 2"
    );
    assert_eq!(sniff(b"{\"timemory\": {"), Some(Format::Timemory));
    assert_eq!(sniff(b"[{\"timemory\": {"), None);
}

#[test]
fn seven_hundred_thousand_levels_are_read() {
    let start = Instant::now();
    let entry = "{\"laps\":1,\"repr_data\":1}";
    let open = node("f", entry, "[");
    let open = open.strip_suffix('}').unwrap();
    let trees = format!("[[{}{}]]", open.repeat(700_000), "]}".repeat(700_000));
    let (tables, _) = read_with(read_timemory, "a", component("sec", &trees).as_bytes()).unwrap();
    assert_eq!(tables.summary.contexts.len(), 700_000);
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}
