//! Literals and dumps that are odd or hostile; `data/samples/hatchet` has the plain ones.

use std::fmt::Write as _;
use std::time::Instant;

use super::*;
use crate::sniff;
use crate::testing::{findings_of, read_with};

fn read_text(text: &str) -> Result<Read, Error> {
    read_with(read_hatchet, "run.json", text.as_bytes())
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

fn read_runs(text: &str) -> Result<Vec<Read>, Error> {
    let content = text.as_bytes().to_vec();
    let symbols = crate::Symbols::new(crate::NoModules);
    let progress = sheaf_model::Progress::silent();
    let with = Context {
        symbols: &symbols,
        progress: &progress,
    };
    read_hatchet(&Input::new("ensemble.json", &content), with)
}

#[test]
fn an_ensemble_is_read_as_its_runs() {
    let text = r#"{
        "graph": [{"0": {"data": {"name": "main"}, "children": [1, 2]},
                   "1": {"data": {"name": "solve"}, "children": []},
                   "2": {"data": {"name": "halo"}, "children": []}}],
        "dataframe_indices": ["node", "profile"],
        "dataframe": [
            {"node": 0, "profile": 11, "time": 1.5, "cores": 1},
            {"node": 0, "profile": 22, "time": 2.5, "cores": 2},
            {"node": 1, "profile": 22, "time": 9, "cores": 2},
            {"node": 2, "profile": 11, "time": 7, "cores": null},
            {"node": 2, "profile": 22, "time": null, "cores": null},
            {"node": 1, "time": 3}],
        "metadata": [
            {"profile": 22, "jobsize": 8, "compiler": "icc", "cmdline": ["/bin/app", "-n", "3"]},
            {"profile": 11, "jobsize": 1, "compiler": null}],
        "profile_mapping": {"11": "runs/a.cali", "22": "runs/b.cali"},
        "inclusive_metrics": [], "exclusive_metrics": ["time"]}"#;
    let runs = read_runs(text).unwrap();
    let shown: Vec<String> = runs
        .iter()
        .map(|(tables, report)| {
            let meta = &tables.summary.meta;
            let params = meta.params.iter();
            let params = params.map(|(name, value)| format!("{name}={value}"));
            let params = params.collect::<Vec<_>>().join(" ");
            let (program, ranks) = (&meta.program, meta.ranks);
            let values = crate::testing::values_of(tables);
            format!(
                "{program} {ranks}: {params}\n{values}\n{}",
                findings_of(report)
            )
        })
        .collect();
    assert_eq!(
        shown.join("\n\n"),
        "ensemble 1: jobsize=1 profile=11 profile_path=runs/a.cali ranks=1
main time 1.5
main/halo time 7
skipped_rows 1
skipped_values_of_unlisted_metrics 1
read_nodes 2

app 8: cmdline=[/bin/app,-n,3] compiler=icc jobsize=8 profile=22 profile_path=runs/b.cali ranks=8
main time 2.5
main/solve time 9
skipped_rows 1
skipped_values_of_unlisted_metrics 2
read_nodes 2"
    );
}

#[test]
fn a_dump_is_recognised_behind_a_graph_of_any_size() {
    let mut text = String::from("{\"graph\": [{");
    for node in 0..20_000 {
        let comma = if node == 0 { "" } else { "," };
        let data = format!("{{\"name\": \"f{node}\", \"type\": \"dataframe\"}}");
        write!(
            text,
            "{comma}\"{node}\": {{\"data\": {data}, \"children\": []}}"
        )
        .unwrap();
    }
    text.push_str("}], \"dataframe\": [{\"node\": 19999, \"time\": 4}]}");
    let content = text.as_bytes().to_vec();
    let input = Input::new("large.json", &content);
    let progress = sheaf_model::Progress::silent();
    assert_eq!(sniff(&content[..crate::SNIFF_LEN]), None);
    let found = crate::recognise(&input, &progress).unwrap();
    assert_eq!(found, Some(Format::Hatchet));
    let (tables, _) = read_text(&text).unwrap();
    assert_eq!(crate::testing::values_of(&tables), "f19999 time 4");
    let other = text.replace("\"dataframe\": [", "\"rows\": [");
    let content = other.into_bytes();
    let input = Input::new("other.json", &content);
    assert_eq!(crate::recognise(&input, &progress).unwrap(), None);
}

/// A tree of four inner nodes; `of_inner` gives the value of a node that has those of the nodes below it.
fn listed_as_exclusive(of_inner: impl Fn(&[f64]) -> f64) -> (sheaf_model::RunTables, Report) {
    let leaves = [[1.5, 2.25], [4.0, 0.125], [8.0, 0.0625]];
    let (mut graph, mut rows) = (Vec::new(), Vec::new());
    let mut add = |id: usize, children: &str, value: f64| {
        graph.push(format!(
            r#""{id}": {{"data": {{"name": "n{id}"}}, "children": [{children}]}}"#
        ));
        rows.push(format!(r#"{{"node": {id}, "time": {value}}}"#));
    };
    let inner = leaves.map(|leaves| of_inner(&leaves));
    add(0, "1, 2, 3", of_inner(&inner));
    for (at, leaves) in leaves.iter().enumerate() {
        let first = 4 + 2 * at;
        add(1 + at, &format!("{first}, {}", first + 1), inner[at]);
        add(first, "", leaves[0]);
        add(first + 1, "", leaves[1]);
    }
    let text = format!(
        r#"{{"graph": [{{{}}}], "dataframe_indices": ["node"], "dataframe": [{}],
            "inclusive_metrics": [], "exclusive_metrics": ["time"]}}"#,
        graph.join(", "),
        rows.join(", ")
    );
    read_runs(&text).unwrap().remove(0)
}

/// As Thicket lists the times of Caliper profiles.
#[test]
fn metrics_whose_inner_nodes_have_the_sums_are_inclusive() {
    let sum = |below: &[f64]| below.iter().sum::<f64>();
    let (tables, report) = listed_as_exclusive(|below| 1.005 * sum(below));
    assert_eq!(tables.summary.metrics.kind.value(0), "inclusive");
    assert_eq!(report.count("repaired_kinds_of_metrics"), 1);
    assert_eq!(
        tables.summary.meta.warnings,
        [
            "listed as exclusive, but the value of every node holds those of the nodes below it, so read as inclusive: `time`"
        ]
    );
    for own in [0.0, 0.5, 0.99, 1.02] {
        let (tables, report) = listed_as_exclusive(|below| own * sum(below));
        assert_eq!(tables.summary.metrics.kind.value(0), "additive", "{own}");
        assert_eq!(report.count("repaired_kinds_of_metrics"), 0);
        assert!(tables.summary.meta.warnings.is_empty());
    }
}

#[test]
fn texts_that_a_literal_has_as_metrics_are_counted() {
    let text = r#"[{"frame": {"name": "main"}, "metrics": {"time": 1, "level": "high", "ok": true, "none": null}}]"#;
    let (tables, report) = read_text(text).unwrap();
    assert_eq!(crate::testing::values_of(&tables), "main time 1");
    assert_eq!(
        findings_of(&report),
        "skipped_values_of_other_types 2\nread_nodes 1"
    );
}
