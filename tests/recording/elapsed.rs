//! Programs that take longer with the same work.

use sheaf_answers::{Diff, DiffFact, Fact, Gate, GateState};
use sheaf_tests::{ask, run};

/// Ten tasks of 10 ms, which follow each other if `MODE` is `inout`. They sleep, so that two of them run side by side on a
/// busy machine too.
const TASKS: &str = "#include <unistd.h>
int main(void) {
    int x = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task depend(MODE: x)
        usleep(10000);
    }
    return 0;
}
";

#[test]
fn tasks_that_run_in_turn_instead_of_side_by_side_fail_a_gate() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    for (version, mode) in [("version=1", "in"), ("version=2", "inout")] {
        let place = folder.path().join(mode);
        std::fs::create_dir(&place).unwrap();
        let program = crate::launching::compile(&place, "tasks", &TASKS.replace("MODE", mode));
        let options = ["--threads", "2", "--repeat", "5", "--param", version];
        crate::record(&store, &options, &program, &[]);
    }
    let words = [
        "gate",
        "--json",
        "--baseline",
        "version = 1",
        "--candidate",
        "version = 2",
        // The elapsed time doubles; the total varies with the load of the machine.
        "--max-regression",
        "30%",
    ];
    let gate: Gate = run(&store, words).expect_code(1).read();
    let elapsed = gate.elapsed.unwrap().change;
    assert_eq!(elapsed.state, GateState::Failed, "{elapsed:?}");
    assert!(elapsed.ratio > 1.4, "{elapsed:?}");
    assert_ne!(gate.total.unwrap().state, GateState::Failed);
    let is_noted = |diff: &Diff| {
        let mut notes = diff.notes.iter();
        notes.any(|note| matches!(note.fact, Fact::Comparison(DiffFact::ElapsedDiffers { .. })))
    };
    assert!(!is_noted(&gate.diff), "the gate judges it");
    assert!(is_noted(&ask(
        &store,
        &["diff", "version = 1", "version = 2"]
    )));
}
