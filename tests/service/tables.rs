//! Every table in all forms, with the columns that the documentation lists.

use std::collections::BTreeMap;

use arrow::array::{Array, RecordBatch};
use arrow::ipc::reader::StreamReader;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use sheaf_tests::{Service, workspace_root};

use crate::depth::RUN;
use crate::sample;

/// Commands by their names in the documentation, and what answers them in a sample store.
fn routes() -> Vec<(&'static str, &'static str, String)> {
    let threads = Service::encode("scope exclusive | diff \"threads = 1\" to \"threads = 2\"");
    let versions = Service::encode("scope exclusive | diff \"version = 1\" to \"version = 2\"");
    let mut routes = vec![
        ("runs", "threads", "runs?".to_owned()),
        ("stats", "threads", "stats?lens=by%20threads".to_owned()),
        (
            "stats --by-location",
            "threads",
            "locations?by=workers".to_owned(),
        ),
        ("diff", "versions", format!("diff?lens={versions}")),
        ("explain", "versions", format!("explain?lens={versions}")),
        (
            "what-if",
            "threads",
            "what-if?runs=sort-t1-r1&workers=2".to_owned(),
        ),
        (
            "what-if --first",
            "threads",
            "what-if/first?runs=sort-t1-r1".to_owned(),
        ),
        (
            "what-if --check",
            "threads",
            "what-if/check?runs=program%20==%20sort".to_owned(),
        ),
        (
            "diff --level grain",
            "threads",
            format!("diff/grains?lens={threads}"),
        ),
        ("gate", "versions", format!("gate?lens={versions}")),
        ("noise", "versions", "noise?".to_owned()),
        ("history", "versions", "history?by=version".to_owned()),
        ("similar", "versions", "similar?".to_owned()),
        ("similar --projection", "versions", "projection?".to_owned()),
        ("match", "versions", "mapping?".to_owned()),
    ];
    for (name, table) in [
        ("scale --table points", "points"),
        ("scale --table models", "models"),
        ("scale --table loss", "loss"),
        ("scale --table out_of_order", "out_of_order"),
    ] {
        routes.push((name, "threads", format!("scale?by=threads&table={table}")));
    }
    routes.push(("info", "threads", format!("runs/{RUN}?")));
    for name in [
        "grains",
        "problems",
        "tree",
        "groups",
        "paths",
        "loops",
        "scheduling",
        "timeline",
        "parallelism",
    ] {
        routes.push((name, "threads", format!("runs/{RUN}/{name}?")));
    }
    routes.push((
        "fragments",
        "threads",
        format!("runs/{RUN}/fragments?grain=1"),
    ));
    routes
}

#[test]
fn tables_have_the_same_columns_and_values_in_all_forms() {
    let documented: BTreeMap<&str, Vec<&str>> = sheaf_answers::table_references()
        .into_iter()
        .map(|table| {
            let columns = table.columns.iter().map(|column| column.name);
            (table.command, columns.collect())
        })
        .collect();
    let services = ["threads", "versions"].map(|name| (name, Service::start(&sample(name), &[])));
    let routes = routes();
    // No route records.
    let mut commands: Vec<&str> = routes.iter().map(|(command, ..)| *command).collect();
    commands.push("record");
    commands.sort_unstable();
    assert_eq!(commands, documented.keys().copied().collect::<Vec<_>>());
    for (command, store, path) in &routes {
        let (_, service) = services.iter().find(|(name, _)| name == store).unwrap();
        let json = service.get(&format!("/api/v1/{path}"));
        assert_eq!(json.status, 200, "{path}: {}", json.text());
        let csv = service.get(&format!("/api/v1/{path}&format=csv"));
        let kind = Some("text/csv; charset=utf-8");
        assert_eq!(csv.header("content-type"), kind, "{path}");
        let arrow = service.get(&format!("/api/v1/{path}&format=arrow"));
        let kind = Some("application/vnd.apache.arrow.stream");
        assert_eq!(arrow.header("content-type"), kind);
        let mut reader = StreamReader::try_new(arrow.body.as_slice(), None).unwrap();
        let batch = reader.next().unwrap().unwrap();
        compare(command, &csv.text(), &batch);
        let schema = batch.schema();
        let present: Vec<&str> = schema
            .fields()
            .iter()
            .map(|it| it.name().as_str())
            .collect();
        let listed = &documented[command];
        let found: Vec<&str> = present
            .iter()
            .copied()
            .filter(|it| listed.contains(it))
            .collect();
        assert_eq!(&found, listed, "{command}");
    }
}

/// The cells of a table as text equal the values of the batch.
fn compare(command: &str, csv: &str, batch: &RecordBatch) {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let schema = batch.schema();
    let names: Vec<&str> = schema
        .fields()
        .iter()
        .map(|it| it.name().as_str())
        .collect();
    assert_eq!(reader.headers().unwrap().iter().collect::<Vec<_>>(), names);
    let options = FormatOptions::default();
    let columns: Vec<ArrayFormatter<'_>> = batch
        .columns()
        .iter()
        .map(|column| ArrayFormatter::try_new(column, &options).unwrap())
        .collect();
    let mut rows = 0;
    for (row, record) in reader.records().enumerate() {
        for ((cell, column), array) in record.unwrap().iter().zip(&columns).zip(batch.columns()) {
            if array.is_null(row) {
                assert_eq!(cell, "", "{command}");
                continue;
            }
            let value = column.value(row).to_string();
            match (cell.parse::<f64>(), value.parse::<f64>()) {
                (Ok(cell), Ok(value)) => assert_eq!(cell.to_bits(), value.to_bits(), "{command}"),
                // Text that a spreadsheet would take for a formula has an apostrophe.
                _ => assert_eq!(cell.trim_start_matches('\''), value, "{command}"),
            }
        }
        rows += 1;
    }
    assert_eq!(rows, batch.num_rows(), "{command}");
}

#[test]
fn the_committed_columns_are_fresh() {
    let committed = workspace_root().join("docs/columns.md");
    let committed = std::fs::read_to_string(committed).unwrap();
    assert!(
        sheaf_answers::columns_document() == committed,
        "run `make types`"
    );
}
