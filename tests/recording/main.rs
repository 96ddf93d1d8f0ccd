//! Records the sample programs as a user would and checks what must hold of every recording.

mod cancellation;
mod descriptors;
mod elapsed;
mod failures;
mod identity;
mod incomplete;
mod invariants;
mod launching;
mod locks;
mod messages;
mod mpi;
mod processor_time;
mod ranks;
mod renames;
mod runtimes;
mod shapes;
mod stories;
mod tail_calls;
mod undeferred;

use std::collections::BTreeSet;
use std::path::Path;

use sheaf_answers::Record;
use sheaf_model::table::GrainKind;
use sheaf_model::{RunId, RunTables};
use sheaf_store::Store;
use sheaf_tests::run;

/// Records `program args` at each of `threads` and returns the tables of the runs, in order.
#[track_caller]
fn record(store: &Path, options: &[&str], program: &Path, args: &[&str]) -> Vec<RunTables> {
    let program = program.to_str().unwrap();
    let mut words = vec!["record", "--json", "--quiet"];
    words.extend(options);
    words.extend(["--", program]);
    words.extend(args);
    let answer: Record = run(store, words).expect_code(0).read();
    let runs = answer.runs.iter();
    runs.map(|run| tables(store, &run.run)).collect()
}

fn tables(store: &Path, id: &str) -> RunTables {
    let id: RunId = id.parse().unwrap();
    Store::open(store)
        .unwrap()
        .snapshot()
        .unwrap()
        .tables(id)
        .unwrap()
}

/// Path keys of the run's grains of one kind.
fn paths(run: &RunTables, kind: GrainKind) -> BTreeSet<i64> {
    let grains = run.grains.rows().filter(|grain| grain.kind == kind as i32);
    grains.map(|grain| grain.path_key).collect()
}
