//! The queue and its clock, without HTTP.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sheaf_answers::{ImportRequest, ImportState};

use super::limits::{IDLE, KEPT_FOR};
use super::{Imports, Job, Limits, Refusal, UploadPath};
use crate::Answers;

const STORE: &str = "store";

fn imports(folder: &Path) -> Imports {
    let answers = Answers::create_or_open(folder).unwrap();
    let stores = BTreeMap::from([(STORE.to_owned(), Arc::new(answers))]);
    Imports::new(stores, Limits::default(), false, Vec::new())
}

fn begin(imports: &Imports) -> Arc<Job> {
    imports.begin(STORE, ImportRequest::default()).unwrap()
}

/// An import with one file that nobody can read, which makes for a short run.
fn filled(imports: &Imports) -> Arc<Job> {
    let job = begin(imports);
    let path = UploadPath::parse("notes.txt", &job.limits).unwrap();
    let mut incoming = job.receive(path).unwrap();
    incoming.write(b"no run").unwrap();
    assert_eq!(incoming.keep().unwrap(), 6);
    job
}

fn state(imports: &Imports, job: &Job) -> ImportState {
    imports.progress(job).state
}

fn leftovers(folder: &Path) -> usize {
    std::fs::read_dir(folder.join("tmp")).unwrap().count()
}

#[test]
fn imports_of_a_store_run_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let imports = imports(folder.path());
    let [first, second, third] = std::array::from_fn(|_| filled(&imports));
    assert!(imports.enqueue(&first).unwrap(), "somebody has to begin");
    assert!(!imports.enqueue(&second).unwrap());
    assert!(!imports.enqueue(&third).unwrap());
    assert_eq!(imports.progress(&third).ahead, Some(2));
    second.cancel();
    assert_eq!(state(&imports, &second), ImportState::Cancelled);
    imports.work(STORE);
    assert_eq!(state(&imports, &first), ImportState::Done);
    assert_eq!(state(&imports, &second), ImportState::Cancelled);
    assert_eq!(state(&imports, &third), ImportState::Done);
    let report = imports.to_wire(&third).report.unwrap();
    assert_eq!(report.files[0].path, "notes.txt");
    assert_eq!(leftovers(folder.path()), 0);
    assert!(
        imports.enqueue(&filled(&imports)).unwrap(),
        "the queue is empty again"
    );
}

#[test]
fn an_import_that_runs_can_be_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let imports = imports(folder.path());
    let job = filled(&imports);
    imports.enqueue(&job).unwrap();
    // As if it happened at the first check.
    job.progress.cancel();
    imports.work(STORE);
    assert_eq!(state(&imports, &job), ImportState::Cancelled);
    assert!(imports.to_wire(&job).report.is_none());
    assert_eq!(leftovers(folder.path()), 0);
    let job = filled(&imports);
    imports.enqueue(&job).unwrap();
    let work = job.begin().unwrap();
    job.cancel();
    assert_eq!(state(&imports, &job), ImportState::Cancelling);
    assert_eq!(leftovers(folder.path()), 1, "its files are still read");
    drop(work);
    assert_eq!(leftovers(folder.path()), 0);
}

#[test]
fn forgotten_imports_are_given_up_and_outcomes_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let imports = imports(folder.path());
    let (idle, lively) = (begin(&imports), begin(&imports));
    idle.lock().touched -= IDLE + Duration::from_secs(1);
    imports.tidy();
    assert_eq!(state(&imports, &lively), ImportState::Receiving);
    assert_eq!(state(&imports, &idle), ImportState::Cancelled);
    let error = imports.to_wire(&idle).error.unwrap();
    assert!(error.message.contains("`15` minutes"), "{}", error.message);
    assert_eq!(leftovers(folder.path()), 1);
    idle.lock().touched -= KEPT_FOR + Duration::from_secs(1);
    imports.tidy();
    assert!(matches!(imports.get(idle.id()), Err(Refusal::Unknown(_))));
    assert!(imports.get(lively.id()).is_ok());
}

#[test]
fn a_stopped_service_begins_and_starts_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let imports = imports(folder.path());
    let job = filled(&imports);
    imports.stop();
    assert_eq!(state(&imports, &job), ImportState::Cancelled);
    assert!(matches!(imports.enqueue(&job), Err(Refusal::Stopping)));
    let begun = imports.begin(STORE, ImportRequest::default());
    assert!(matches!(begun, Err(Refusal::Stopping)));
    assert_eq!(leftovers(folder.path()), 0);
}
