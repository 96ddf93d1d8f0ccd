//! Literals and dumps that are odd or hostile; `data/samples/hatchet` has the plain ones.

use std::fmt::Write as _;
use std::time::Instant;

use super::*;
use crate::sniff;
use crate::testing::{findings_of, read_with};

fn read_text(text: &str) -> Result<Read, Error> {
    read_with(read, "run.json", text.as_bytes())
}

#[test]
fn literals_and_dumps_are_recognised() {
    let texts = [
        "[{\"frame\": {\"name\": \"a\"}, \"metrics\": {}}]",
        " [{'frame': {'name': 'a'}, 'metrics': {}}]",
        "{\"graph\": [{\"0\": {\"data\": {}, \"children\": []}}], \"dataframe\": []}",
    ];
    for text in texts {
        assert_eq!(sniff(text.as_bytes()), Some(Format::Hatchet), "{text}");
    }
    for text in [
        "[]",
        "{}",
        "[{\"frame\": 1}]",
        "{\"graph\": []}",
        "'frame': 'metrics':",
    ] {
        assert_eq!(sniff(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn a_million_levels_are_read() {
    let start = Instant::now();
    let mut text = String::from("[");
    for level in 0..1_000_000 {
        write!(
            text,
            "{{\"frame\":{{\"name\":\"f{}\"}},\"metrics\":{{\"time\":1}},\"children\":[",
            level % 7
        )
        .unwrap();
    }
    text.push_str(&"]}".repeat(1_000_000));
    text.push(']');
    let (tables, report) = read_text(&text).unwrap();
    assert_eq!(report.count("read_nodes"), 1_000_000);
    assert_eq!(tables.summary.contexts.len(), 1_000_000);
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}

#[test]
fn a_graph_of_diamonds_does_not_grow() {
    let mut text = String::from("{\"graph\":[{");
    for level in 0..1000 {
        let (left, right, next) = (3 * level + 1, 3 * level + 2, 3 * level + 3);
        write!(
            text,
            "\"{}\":{{\"data\":{{\"name\":\"n{level}\"}},\"children\":[{left},{right}]}},\
             \"{left}\":{{\"data\":{{\"name\":\"l\"}},\"children\":[{next}]}},\
             \"{right}\":{{\"data\":{{\"name\":\"r\"}},\"children\":[{next}]}},",
            3 * level
        )
        .unwrap();
    }
    text.push_str("\"3000\":{\"data\":{\"name\":\"end\"},\"children\":[]}}],\"dataframe\":[{\"node\":3000,\"time\":7}]}");
    let (tables, report) = read_text(&text).unwrap();
    assert_eq!(report.count("skipped_shared_subtrees"), 1000);
    assert_eq!(tables.summary.contexts.len(), 4001);
    assert_eq!(tables.summary.values.len(), 1);
}

#[test]
fn cycles_and_lost_children_are_counted() {
    let text = "{\"graph\":[{\"0\":{\"data\":{\"name\":\"a\"},\"children\":[1,8]},\
        \"1\":{\"data\":{\"name\":\"b\"},\"children\":[1]},\
        \"2\":{\"data\":{\"name\":\"c\"},\"children\":[3]},\"3\":{\"data\":{},\"children\":[2]}}],\
        \"dataframe\":[{\"node\":1,\"time\":1e999},{\"rank\":1}]}";
    let (tables, report) = read_text(text).unwrap();
    assert_eq!(
        findings_of(&report),
        "skipped_shared_subtrees 1
skipped_missing_children 1
skipped_unreachable_nodes 2
skipped_rows 1
read_nodes 3
skipped_unusable_values 1"
    );
    assert_eq!(tables.summary.contexts.len(), 3);
}

#[test]
fn what_is_no_hatchet_is_refused() {
    let texts = [
        "[]",
        "[1]",
        "[{\"frame\": 1}]",
        "{\"graph\": 1}",
        "[{\"frame\":{\"name\":\"a\"},\"metrics\":{}}",
    ];
    let reasons: Vec<String> = texts
        .iter()
        .map(|text| read_text(text).unwrap_err().to_string())
        .collect();
    assert_eq!(
        reasons.join("\n"),
        "hatchet file holds no measurement
cannot read hatchet file: a node has neither `frame` nor `metrics`; is this a Hatchet literal?, at node 0
cannot read hatchet file: a node has neither `frame` nor `metrics`; is this a Hatchet literal?, at node 0
hatchet file holds no measurement
cannot read hatchet file: the text ends before its value does, at byte 36"
    );
}

#[test]
fn hostile_names_are_names() {
    let name = "</script>\\n\\u0000\\\"'".to_owned() + &"x".repeat(1 << 20);
    let text = format!(
        "[{{\"frame\":{{\"name\":\"{name}\",\"type\":\"\\u202e\"}},\"metrics\":{{\"##\":1,\"%%\":2,\"(inc)\":3}}}}]"
    );
    let (tables, _) = read_text(&text).unwrap();
    let definition = tables.summary.definitions.row(0);
    assert!(definition.name.starts_with("</script>\n\0\"'xxx"));
    let names: Vec<String> = tables
        .summary
        .metrics
        .rows()
        .map(|metric| metric.name)
        .collect();
    assert_eq!(names, ["inc", "metric", "metric_2"]);
}
