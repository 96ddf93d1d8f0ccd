//! Grain graphs that were exported and read back.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may stop, and says what it compared"
)]

mod round_trip;

use std::path::{Path, PathBuf};

use sheaf_answers::FileStatus;
use sheaf_ensemble::{AddOptions, Ensemble, ExportFormat, GraphForm, Input};
use sheaf_ingest::{NoModules, Symbols};
use sheaf_model::{Lens, Progress, RunId, RunTables};
use sheaf_store::Store;

/// A store with a run in it, and the run.
struct Kept {
    _folder: tempfile::TempDir,
    ensemble: Ensemble,
    run: RunId,
    tables: RunTables,
}

fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../data")
        .join(path)
}

/// A file of the reference data; says in plain words when they are not there.
fn reference(path: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("GRAINSHEAF_SHARED").map_or(beside, PathBuf::from);
    let file = shared.join("data").join(path);
    if !file.exists() {
        println!("not compared: no reference data at {}", file.display());
        return None;
    }
    Some(file)
}

fn keep(file: &Path) -> Kept {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let ensemble = Ensemble::create_or_open(&store).unwrap();
    let inputs = [Input::Path(file.to_owned())];
    let reports = ensemble
        .add(&inputs, &AddOptions::default(), &Progress::silent())
        .unwrap()
        .files;
    assert_eq!(reports[0].status, FileStatus::Added, "{reports:#?}");
    let run = ensemble
        .view(&Progress::silent())
        .unwrap()
        .runs(&Lens::default())
        .unwrap()
        .runs[0]
        .run
        .parse()
        .unwrap();
    let snapshot = Store::open(&store).unwrap().snapshot().unwrap();
    let tables = snapshot.tables(run).unwrap();
    Kept {
        _folder: folder,
        ensemble,
        run,
        tables,
    }
}

fn export(ensemble: &Ensemble, run: RunId, form: GraphForm) -> Vec<u8> {
    let mut bytes = Vec::new();
    let run = run.to_string();
    let format = ExportFormat::GraphMl;
    ensemble
        .view(&Progress::silent())
        .unwrap()
        .export(&run, format, form, &mut bytes)
        .unwrap();
    bytes
}

fn read(bytes: &[u8]) -> sheaf_ingest::Run {
    let bytes = bytes.to_vec();
    let inputs = [sheaf_ingest::Input::new("export.graphml", &bytes)];
    let symbols = Symbols::new(NoModules);
    let mut reading = sheaf_ingest::read(&inputs, &symbols, &Progress::silent()).unwrap();
    assert!(reading.refused.is_empty(), "{:?}", reading.refused);
    let run = reading.runs.remove(0);
    run.tables.validate().unwrap();
    run
}
