//! Tables of a store that are damaged and not compared with their checksums.

use std::fs::{self, File};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{Array as _, ArrayRef, Int32Array, Int64Array, RecordBatch};
use arrow::compute::{concat, concat_batches};
use arrow::datatypes::DataType;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use sheaf_ensemble::{AddOptions, Checks, Ensemble, Input};
use sheaf_model::{Progress, RunId};

use super::mutate::Mutator;
use super::{number, questions};

/// Damaged copies of each store where the environment does not say.
const COPIES: u64 = 40;

const NUMBERS: [i64; 8] = [
    -1,
    0,
    1,
    1 << 20,
    i32::MAX as i64,
    i32::MIN as i64,
    i64::MAX,
    i64::MIN,
];

fn tables(store: &Path) -> Vec<PathBuf> {
    let segments = fs::read_dir(store.join("segments")).unwrap();
    let files = segments.flat_map(|segment| fs::read_dir(segment.unwrap().path()).unwrap());
    let mut tables: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    tables.retain(|file| file.extension().is_some_and(|end| end == "parquet"));
    tables.sort();
    tables
}

/// Puts another value into one cell of a table: that of another row, or a number at a limit.
fn change_cell(table: &Path, mutator: &mut Mutator) {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(table).unwrap()).unwrap();
    let schema = reader.schema().clone();
    let batches: Vec<RecordBatch> = reader.build().unwrap().map(Result::unwrap).collect();
    let rows = concat_batches(&schema, &batches).unwrap();
    if rows.num_rows() == 0 {
        return;
    }
    let (column, row) = (
        mutator.below(rows.num_columns()),
        mutator.below(rows.num_rows()),
    );
    let old = rows.column(column);
    let number = NUMBERS[mutator.below(NUMBERS.len())];
    let other = old.slice(mutator.below(rows.num_rows()), 1);
    let new: ArrayRef = match old.data_type() {
        DataType::Int32 => Arc::new(Int32Array::from(vec![
            i32::try_from(number).unwrap_or(i32::MAX),
        ])),
        DataType::Int64 => Arc::new(Int64Array::from(vec![number])),
        _ => other,
    };
    let parts = [
        old.slice(0, row),
        new,
        old.slice(row + 1, old.len() - row - 1),
    ];
    let mut columns = rows.columns().to_vec();
    columns[column] = concat(&parts.each_ref().map(AsRef::as_ref)).unwrap();
    let changed = RecordBatch::try_new(schema.clone(), columns).unwrap();
    let mut writer = ArrowWriter::try_new(File::create(table).unwrap(), schema, None).unwrap();
    writer.write(&changed).unwrap();
    writer.close().unwrap();
}

/// Flips one bit of a file.
fn flip_bit(table: &Path, mutator: &mut Mutator) {
    let mut bytes = fs::read(table).unwrap();
    let at = mutator.below(bytes.len());
    bytes[at] ^= 1 << mutator.below(8);
    fs::write(table, bytes).unwrap();
}

/// Asks everything of a store with damaged copies of its tables; returns how many questions there were.
fn ask_damaged(sample: &Path, copies: u64) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let added = Ensemble::create_or_open(&store)
        .unwrap()
        .add(
            &[Input::Path(sample.to_owned())],
            &AddOptions::default(),
            &Progress::silent(),
        )
        .unwrap();
    let run: RunId = added.files[0].runs[0].parse().unwrap();
    let tables = tables(&store);
    let name = sample.file_name().unwrap().to_string_lossy();
    let mut questions = 0;
    for copy in 0..copies {
        let mut mutator = Mutator::new(&name, copy);
        let table = &tables[mutator.below(tables.len())];
        let whole = fs::read(table).unwrap();
        if copy % 2 == 0 {
            change_cell(table, &mut mutator);
        } else {
            flip_bit(table, &mut mutator);
        }
        let ask = || {
            Ensemble::open_with(&store, Checks::WhenAsked)
                .map_or(1, |ensemble| questions::ask(&ensemble, run))
        };
        let asked = catch_unwind(AssertUnwindSafe(ask));
        fs::write(table, whole).unwrap();
        let table = table.file_name().unwrap().to_string_lossy();
        questions += asked.unwrap_or_else(|_| panic!("{name}, copy {copy}, {table}: a panic"));
    }
    questions
}

/// `--no-verify` believes tables: a wrong answer may come of them, a panic must not.
#[test]
fn damaged_tables_that_are_not_checked_cause_no_panic() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let copies = number("GRAINSHEAF_DAMAGED").unwrap_or(COPIES);
    for sample in [
        "crates/ingest/fuzz/seeds/fib.gstrace",
        "crates/ingest/fuzz/seeds/depend.gstrace",
        "crates/ingest/fuzz/seeds/imbalance.gstrace",
        "crates/ingest/fuzz/seeds/taskloop.gstrace",
        "crates/ingest/fuzz/seeds/lock.gstrace",
    ] {
        let questions = ask_damaged(&root.join(sample), copies);
        println!("{sample}: {copies} damaged copies, {questions} questions");
    }
}
