//! The stored schema as a text: a change of it is a change of the store format.

use std::fmt::Write;
use std::path::Path;

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use sheaf_model::table::{Column, SCHEMA_VERSION, TABLES};

use super::Fixture;
use crate::encoding::ColumnEncoding;
use crate::layout::row_column;
use crate::layout::{FORMAT_VERSION, WRITER_VERSION};
use crate::synthetic::{arbitrary, programs};
use crate::table_file::stored_table_schema;
use crate::{Store, catalogue};

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/schema.txt");
const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");

fn describe(text: &mut String, table: &str, columns: &[Column]) {
    write!(text, "\n{table}\n  run: Utf8, dictionary\n").unwrap();
    for column in columns {
        let encoding = ColumnEncoding::of(table, column.name, &column.data_type).as_str();
        let data_type = match &column.data_type {
            arrow::datatypes::DataType::List(item) => format!("List({})", item.data_type()),
            other => other.to_string(),
        };
        let mark = if column.is_nullable { "?" } else { "" };
        writeln!(text, "  {}: {data_type}{mark}, {encoding}", column.name).unwrap();
    }
}

#[test]
fn the_schema_is_the_documented_one() {
    let mut text = format!(
        "store format {FORMAT_VERSION}, table schema {SCHEMA_VERSION}, writer {WRITER_VERSION}\n"
    );
    for table in TABLES {
        describe(&mut text, table.name, &(table.columns)());
        if let Some(column) = row_column(table.name) {
            writeln!(text, "  (row number: {column})").unwrap();
        }
    }
    describe(&mut text, catalogue::RUNS, &catalogue::run_columns());
    describe(&mut text, catalogue::PARAMS, &catalogue::param_columns());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(GOLDEN, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(GOLDEN).unwrap());
}

/// Files say the same as the declaration to programs that know nothing of Arrow's hints.
#[test]
fn files_have_the_declared_schema() {
    let fixture = Fixture::new();
    let mut importer = fixture.store.import().unwrap();
    for seed in 0..20 {
        importer.add(arbitrary::run(seed, 30)).unwrap();
    }
    importer.publish().unwrap();
    for table in TABLES {
        let path = fixture
            .only_segment()
            .join(format!("{}.parquet", table.name));
        let file = std::fs::File::open(path).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let fields = reader.schema().fields();
        assert_eq!(fields[0].name(), "run");
        assert_eq!(fields[0].data_type(), &arrow::datatypes::DataType::Utf8);
        let schema = stored_table_schema(table.name, &(table.schema)());
        assert_eq!(fields.len(), schema.fields().len());
        for (stored, declared) in fields[1..].iter().zip(&schema.fields()[1..]) {
            assert_eq!(stored, declared, "{}", table.name);
        }
        let metadata = reader.metadata().file_metadata();
        assert_eq!(metadata.created_by(), Some("grainsheaf version 1"));
        assert!(metadata.key_value_metadata().is_none_or(Vec::is_empty));
    }
}

/// A released version's sample is never rewritten: a later format adds its own.
#[test]
fn the_samples_of_all_formats_open() {
    let current = format!("{FORMAT_VERSION}.{SCHEMA_VERSION}");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        write_sample(Path::new(&format!("{SAMPLES}/store-{current}")));
    }
    for version in ["1.1", "1.2", current.as_str()] {
        let store = Store::open(Path::new(&format!("{SAMPLES}/store-{version}"))).unwrap();
        let verification = super::verify(&store);
        assert_eq!(
            (verification.damaged, verification.runs),
            (vec![], 8),
            "{version}"
        );
    }
}

fn write_sample(folder: &Path) {
    if folder.exists() {
        std::fs::remove_dir_all(folder).unwrap();
    }
    let store = Store::create_or_open(folder).unwrap();
    let mut importer = store.import().unwrap();
    importer.add(programs::recursion(1, 6)).unwrap();
    importer.add(programs::profile(2, 4, 3)).unwrap();
    importer.publish().unwrap();
    super::import(&store, 3..9);
    super::compact(&store);
}

/// A store of an older schema is written anew by `compact`, with the same runs.
#[test]
fn compacting_an_older_store_keeps_its_runs() {
    let fixture = Fixture::new();
    let folder = fixture.folder.path().join("old");
    copy(Path::new(&format!("{SAMPLES}/store-1.1")), &folder);
    let store = Store::open(&folder).unwrap();
    let ids = |store: &Store| -> Vec<_> {
        let snapshot = store.snapshot().unwrap();
        snapshot.runs().iter().map(|run| run.meta.id).collect()
    };
    let before = ids(&store);
    super::compact(&store);
    assert_eq!(ids(&store), before);
    let verification = super::verify(&store);
    assert_eq!((verification.damaged, verification.runs), (vec![], 8));
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
