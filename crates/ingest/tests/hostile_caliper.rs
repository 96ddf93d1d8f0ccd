//! Caliper files that no Caliper wrote: absurd numbers, deep trees, names meant to harm.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_sign_loss,
    reason = "a test may stop, print, and trust its data"
)]

use std::fmt::Write as _;

use sheaf_ingest::{Input, NoModules, ReadOutcome, Run, Symbols, read};
use sheaf_model::Progress;

fn reading(content: impl Into<Vec<u8>>) -> ReadOutcome {
    let content: Vec<u8> = content.into();
    let inputs = [Input::new("folder/hostile.cali", &content)];
    let reading = read(&inputs, &Symbols::new(NoModules), &Progress::silent()).unwrap();
    for run in &reading.runs {
        run.tables.validate().unwrap();
    }
    assert_eq!(reading.runs.is_empty(), !reading.refused.is_empty());
    reading
}

fn run(content: impl Into<Vec<u8>>) -> Run {
    let mut reading = reading(content);
    assert_eq!((reading.runs.len(), reading.refused.len()), (1, 0));
    reading.runs.remove(0)
}

fn refusal(content: &str) -> String {
    let reading = reading(content);
    reading.refused[0].1.to_string()
}

/// Attributes `region` (21), `sum#time` (23), `mpi.rank` (25), `count` (27).
const ATTRIBUTES: &str = "\
__rec=node,id=20,attr=10,data=276,parent=3
__rec=node,id=21,attr=8,data=region,parent=20
__rec=node,id=22,attr=10,data=65,parent=5
__rec=node,id=23,attr=8,data=sum#time,parent=22
__rec=node,id=24,attr=10,data=13,parent=1
__rec=node,id=25,attr=8,data=mpi.rank,parent=24
__rec=node,id=26,attr=10,data=65,parent=2
__rec=node,id=27,attr=8,data=count,parent=26
__rec=node,id=28,attr=21,data=main
";

fn with_attributes(records: &str) -> String {
    format!("{ATTRIBUTES}{records}")
}

#[test]
fn absurd_numbers_are_left_out_and_counted() {
    let run = run(with_attributes(
        "__rec=ctx,ref=28,attr=23=27,data=nan=1
__rec=ctx,ref=28,attr=23=27,data=1e999=-9223372036854775808
__rec=ctx,ref=28,attr=23=27,data=-inf=99999999999999999999
__rec=ctx,ref=28,attr=23=27=23,data=1.5=
__rec=ctx,ref=28,attr=25=23,data=-1=2.5
__rec=ctx,ref=28,attr=25=23,data=4294967296=2.5
__rec=ctx,ref=18446744073709551616,attr=23,data=1
__rec=ctx,ref=28,attr=99999999999=23,data=1=x
__rec=node,id=-1,attr=21,data=a
__rec=node,id=30,attr=21,data=a,parent=1000000000
__rec=node,id=31,attr=1000000000,data=a
",
    ));
    let report = &run.report;
    let counts: Vec<String> = report
        .findings
        .iter()
        .map(|finding| format!("{} {}", finding.kind, finding.count))
        .collect();
    let expected = "\
read_records 7
read_values 3
skipped_values 2
repaired_uneven_records 1
skipped_empty_values 1
skipped_records_of_impossible_ranks 2
skipped_records_of_unknown_nodes 1
skipped_values_of_unknown_attributes 1
skipped_nodes 1
skipped_nodes_of_unknown_parents 1
skipped_nodes_of_unknown_attributes 1
repaired_records_without_rank 5
skipped_unusable_values 3";
    assert_eq!(counts.join("\n"), expected);
    assert!(!run.tables.summary.meta.is_complete, "records are lost");
    let totals: Vec<_> = run.tables.summary.totals.rows().collect();
    assert_eq!(totals.len(), 2);
    assert_eq!(totals[0].sum, Some(i64::MIN + 1));
    assert_eq!(totals[1].sum_float, Some(1.5));
}

#[test]
fn a_path_may_be_a_million_deep() {
    let mut text = ATTRIBUTES.to_owned();
    for id in 29..1_000_029 {
        let parent = id - 1;
        writeln!(text, "__rec=node,id={id},attr=21,data=f,parent={parent}").unwrap();
        if id % 10 == 0 {
            writeln!(text, "__rec=ctx,ref={id},attr=27,data=1").unwrap();
        }
    }
    let run = run(text);
    let contexts = &run.tables.summary.contexts;
    assert_eq!(contexts.row(contexts.len() - 1).depth, 1_000_000 - 9 + 1);
    assert_eq!(run.report.count("read_values"), 100_000);
}

#[test]
fn a_second_path_is_put_below_the_first_unless_it_is_long() {
    let mut text = ATTRIBUTES.to_owned();
    for id in 29..129 {
        let parent = id - 1;
        writeln!(text, "__rec=node,id={id},attr=21,data=f,parent={parent}").unwrap();
    }
    text += "__rec=node,id=200,attr=21,data=other\n";
    text += "__rec=ctx,ref=200=29,attr=27,data=1\n__rec=ctx,ref=200=128,attr=27,data=1\n";
    let run = run(text);
    // `other`, `other/main`, `other/main/f`.
    assert_eq!(run.tables.summary.contexts.len(), 3);
    assert_eq!(run.report.count("skipped_second_paths"), 1);
}

#[test]
fn hostile_names_are_names() {
    let long = "x".repeat(1 << 20);
    let names = ["</script>", r"a\nb\\\,\=", "\"'`", "\u{202e}txt", &long];
    let mut text = ATTRIBUTES.as_bytes().to_vec();
    let mut add = |id: usize, name: &[u8]| {
        text.extend_from_slice(format!("__rec=node,id={id},attr=21,data=").as_bytes());
        text.extend_from_slice(name);
        text.extend_from_slice(format!("\n__rec=ctx,ref={id},attr=27,data=1\n").as_bytes());
    };
    for (id, name) in (100..).zip(names) {
        add(id, name.as_bytes());
    }
    add(200, b"\xff\xfe");
    let run = run(text);
    let found = &run.tables.summary.definitions.name;
    let has = |name: &str| found.iter().flatten().any(|found| found == name);
    assert!(has("</script>") && has("a\nb\\,=") && has("\u{202e}txt") && has(&long));
    assert_eq!(run.report.count("repaired_texts"), 1);
}

/// The name of an attribute is repeated for each of its values.
#[test]
fn long_names_of_attributes_are_cut() {
    let long = "m".repeat(1 << 20);
    let text = format!(
        "{ATTRIBUTES}__rec=node,id=40,attr=8,data={long},parent=22\n\
         __rec=ctx,ref=28,attr=40,data=1.5\n"
    );
    let run = run(text);
    assert_eq!(run.tables.summary.metrics.row(0).name.len(), 256);
}

#[test]
fn many_windows_are_refused_before_they_fill_the_memory() {
    let mut text = ATTRIBUTES.to_owned();
    text += "__rec=node,id=40,attr=8,data=loop.start_iteration,parent=24\n";
    for window in 0..60_000 {
        writeln!(text, "__rec=ctx,ref=28,attr=27=40,data=1={window}").unwrap();
    }
    let refusal = refusal(&text);
    assert!(refusal.contains("iterations are too many"), "{refusal}");
}

#[test]
fn files_without_measurements_are_refused() {
    let empty = "caliper file holds no measurement";
    assert_eq!(refusal("__rec=globals\n"), empty);
    assert_eq!(refusal(ATTRIBUTES), empty);
    assert_eq!(refusal("__rec="), empty);
    assert_eq!(refusal(""), "the file is empty");
}

#[test]
fn a_record_that_is_cut_is_not_believed() {
    let text =
        with_attributes("__rec=ctx,ref=28,attr=27,data=12\n__rec=ctx,ref=28,attr=27,data=34");
    let run = run(text);
    assert!(!run.tables.summary.meta.is_complete);
    assert_eq!(run.report.count("skipped_unfinished_records"), 1);
    assert_eq!(run.tables.summary.totals.row(0).sum, Some(12));
}

fn split(data: &str, nodes: &str) -> String {
    format!(
        r#"{{"data": [{data}], "columns": ["count", "mpi.rank", "path"],
        "column_metadata": [{{"is_value": true}}, {{"is_value": true}}, {{"is_value": false}}],
        "nodes": [{nodes}]}}"#
    )
}

#[test]
fn rows_that_point_nowhere_are_skipped() {
    let nodes = r#"{"label": "a", "column": "path", "parent": 1},
        {"label": "b", "column": "path"}, {"label": "c", "column": "other"},
        {"label": "d", "column": "path", "parent": 4294967295}"#;
    let rows = "[1, 0, 1], [1, 0, 0], [1, 0, 2], [1, 0, 99], [1, 0, -1], [1, -1, 1], [1, 1e300, 1],
        [1e400, 0, 1], [99999999999999999999, 0, 1], [1, 0, 1.5], [1, 0, 1, 1], []";
    // A number beyond floats is no JSON that can be read.
    assert!(refusal(&split(rows, nodes)).contains("number out of range"));
    let run = run(split(&rows.replace("1e400", "null"), nodes));
    let expected = [
        ("read_rows", 12),
        ("read_values", 3),
        ("skipped_nodes_of_unknown_parents", 2),
        ("skipped_rows_of_unknown_nodes", 5),
        ("skipped_rows_of_impossible_ranks", 1),
        ("skipped_uneven_rows", 2),
    ];
    let found: Vec<(&str, u64)> = run
        .report
        .findings
        .iter()
        .map(|finding| (finding.kind.as_str(), finding.count))
        .collect();
    assert_eq!(found, expected);
    assert!(!run.tables.summary.meta.is_complete, "rows are lost");
}

#[test]
fn nodes_of_json_may_be_a_million_deep() {
    let mut nodes = r#"{"label": "f", "column": "path"}"#.to_owned();
    for parent in 0..999_999 {
        write!(
            nodes,
            r#", {{"label": "f", "column": "path", "parent": {parent}}}"#
        )
        .unwrap();
    }
    let run = run(split("[1, 0, 999999]", &nodes));
    let contexts = &run.tables.summary.contexts;
    assert_eq!(contexts.row(contexts.len() - 1).depth, 999_999);
}

#[test]
fn broken_json_is_refused_with_its_place() {
    let text = split("[1, 0, 0]", r#"{"label": "a"}"#);
    let cut = &text[..text.len() - 3];
    assert!(
        refusal(cut).contains("EOF while parsing"),
        "{}",
        refusal(cut)
    );
    let no_nodes = r#"{"data": [[1]], "columns": [], "column_metadata": []}"#;
    assert_eq!(
        refusal(no_nodes),
        "cannot read caliper-json file: the object has no member `nodes`, at the end"
    );
    let nan = text.replace("[1, 0, 0]", "[nan, 0, 0]");
    assert!(
        refusal(&nan).ends_with("line 1, column 13"),
        "{}",
        refusal(&nan)
    );
}
