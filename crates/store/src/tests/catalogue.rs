//! The tables for other programs.

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use sheaf_model::{ParamValue, RunMeta, RunSummary, RunTables};

use super::Fixture;
use crate::Error;

/// All rows of a file as text, a line per row.
fn dump(path: &std::path::Path) -> String {
    let file = std::fs::File::open(path).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let mut lines = Vec::new();
    for batch in reader.build().unwrap() {
        let batch = batch.unwrap();
        for row in 0..batch.num_rows() {
            let cells: Vec<String> = batch
                .columns()
                .iter()
                .map(|column| {
                    let options = arrow::util::display::FormatOptions::default().with_null("-");
                    let formatter =
                        arrow::util::display::ArrayFormatter::try_new(column, &options).unwrap();
                    formatter.value(row).to_string()
                })
                .collect();
            lines.push(cells.join(" "));
        }
    }
    lines.join("\n")
}

fn run() -> RunTables {
    let mut meta = RunMeta::new("fib", "trace");
    meta.name = "fib-8".to_owned();
    meta.elapsed = Some(17);
    meta.workers = Some(8);
    for (key, value) in [
        ("a", ParamValue::Number(1.5)),
        ("b", ParamValue::Text("x".to_owned())),
        ("c", ParamValue::Boolean(true)),
        ("d", ParamValue::Time(3)),
    ] {
        meta.params.insert(key.to_owned(), value);
    }
    RunTables::without_grains(RunSummary::empty(meta))
}

#[test]
fn metadata_is_there_for_other_programs() {
    let fixture = Fixture::new();
    let mut importer = fixture.store.import().unwrap();
    importer.add(run()).unwrap();
    importer.publish().unwrap();
    let id = run().content_id().to_string();
    let dump = |table: &str| dump(&fixture.only_segment().join(table)).replace(&id, "ID");
    assert_eq!(
        dump("runs.parquet"),
        "ID fib-8 fib trace ns true 17 - 8 1 0 0"
    );
    let params =
        "ID a number 1.5 - - -\nID b text - x - -\nID c boolean - - true -\nID d time - - - 3";
    assert_eq!(dump("params.parquet"), params);
}

#[test]
fn a_parameter_that_is_no_number_is_refused() {
    let mut run = run();
    let params = &mut run.summary.meta_mut().params;
    params.insert("load".to_owned(), ParamValue::Number(f64::NAN));
    let error = Fixture::new().store.import().unwrap().add(run).unwrap_err();
    assert!(matches!(error, Error::Parameter { .. }));
    assert_eq!(
        error.to_string(),
        "parameter `load` of run `fib-8` is not a number (NaN); leave it out"
    );
}
