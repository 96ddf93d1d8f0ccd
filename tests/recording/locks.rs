//! Waiting for locks is not work: the sample program `lock`, as the commands show it.

use serde_json::Value;

use super::stories::Story;

/// Nearly all of each task is done one at a time: with four threads three of them wait.
const SERIAL: [&str; 3] = ["64", "2000", "1000"];
/// Nearly nothing is.
const PARALLEL: [&str; 3] = ["64", "0", "400000"];

fn record<'a>(store: &'a std::path::Path, threads: &str, sizes: [&str; 3], way: &str) -> Story<'a> {
    let args = [sizes[0], sizes[1], sizes[2], way];
    Story::record(store, threads, "lock", &args)
}

fn problem(story: &Story<'_>) -> Value {
    let answer = story.ask("problems", &[]);
    let problems = answer["problems"].as_array().unwrap();
    let is_about_locks = |problem: &&Value| problem["metric"] == "lock_waiting_share";
    problems.iter().find(is_about_locks).unwrap().clone()
}

fn work(paths: &Value) -> f64 {
    let rows = paths["rows"].as_array().unwrap();
    rows.iter().map(|row| row["work"].as_f64().unwrap()).sum()
}

#[track_caller]
fn check(way: &str, definition: &str) {
    let folder = tempfile::tempdir().unwrap();
    let story = record(folder.path(), "4", SERIAL, way);
    let problem = problem(&story);
    assert!(problem["grains"].as_u64().unwrap() > 32, "{problem}");
    let cause = problem["cause"].as_str().unwrap();
    assert!(cause.ends_with(&format!(" for `{definition}`")), "{cause}");
    let share: f64 = cause.split(' ').next().unwrap().parse().unwrap();
    assert!(share > 50.0, "{cause}");
    // Waiting is not work, and the lock bounds the speed-up by more threads.
    let paths = story.ask("paths", &[]);
    assert_eq!(paths["lock_bound"]["definition"], definition, "{paths}");
    assert!(paths["parallelism"].as_f64().unwrap() < 1.2, "{paths}");
    // While one task holds the lock and the others wait, no worker is free, and yet the workers are not busy.
    let info = story.ask("info", &[]);
    assert_eq!(info["parallelism"], paths["parallelism"], "{info}");
    let finishers = &paths["last_finishers"];
    let share = |part: &Value| part.as_f64().unwrap() / finishers["elapsed"].as_f64().unwrap();
    assert!(share(&finishers["delays"]["lock"]) > 0.3, "{finishers}");
    assert!(share(&finishers["busy"]) < 0.3, "{finishers}");
    let alone = record(folder.path(), "1", SERIAL, way).ask("paths", &[]);
    let growth = work(&paths) / work(&alone);
    assert!(growth < 2.0, "{growth}");
}

#[test]
fn lock() {
    check("critical", "run_critical (critical)");
    check("lock", "run_locked (lock)");
    check("ordered", "run_ordered (ordered)");
}

/// What waits for the iteration before it does not work, with either compiler's entry point.
#[test]
fn waits_for_iterations_are_not_work() {
    // LLVM's runtime ends GCC's program on one thread with a fault, with and without the recorder.
    for (program, fewest) in [("lock", "1"), ("gcc/lock", "2")] {
        let folder = tempfile::tempdir().unwrap();
        let record = |threads| {
            let args = [SERIAL[0], SERIAL[1], SERIAL[2], "doacross"];
            Story::record(folder.path(), threads, program, &args)
        };
        let story = record("4");
        let problem = problem(&story);
        assert!(problem["grains"].as_u64().unwrap() > 2, "{problem}");
        let cause = problem["cause"].as_str().unwrap();
        assert!(cause.ends_with(" for `run_doacross (doacross)`"), "{cause}");
        let paths = story.ask("paths", &[]);
        let finishers = &paths["last_finishers"];
        let delay = finishers["delays"]["lock"].as_f64().unwrap();
        assert!(
            delay / finishers["elapsed"].as_f64().unwrap() > 0.3,
            "{finishers}"
        );
        // Nothing is held: other iterations go on.
        assert!(paths["lock_bound"].is_null(), "{paths}");
        let growth = work(&paths) / work(&record(fewest).ask("paths", &[]));
        assert!(growth < 2.0, "{growth}");
    }
}

/// A section that is hardly ever held when another task comes costs next to nothing.
#[test]
fn a_free_lock_is_no_problem() {
    let folder = tempfile::tempdir().unwrap();
    // Another job on the machine can stop a task that holds the lock: the first undisturbed recording counts.
    let mut recordings = (0..8).map(|number| {
        let place = folder.path().join(number.to_string());
        let story = record(&place, "2", PARALLEL, "critical");
        let problem = problem(&story);
        assert_eq!(problem["checked"], 64, "{problem}");
        let paths = story.ask("paths", &[]);
        let held = paths["lock_bound"]["held"].as_f64().unwrap_or(0.0);
        (problem["grains"].as_u64().unwrap(), held / work(&paths))
    });
    assert!(
        recordings.any(|(grains, held)| grains < 16 && held < 0.2),
        "of 64 grains 16 or more waited, or the lock was held for a fifth of the work, in eight recordings"
    );
}

/// The runtime's helper threads wait for `target nowait` regions; that is not work, and they are not workers.
#[test]
fn idle_helpers_of_target_regions_do_not_work() {
    let folder = tempfile::tempdir().unwrap();
    let source = "#include <unistd.h>\nint main(void) { int x = 0;\n\
                  #pragma omp parallel num_threads(2)\n#pragma omp single\n{\n\
                  #pragma omp target nowait map(tofrom : x)\nx = 1;\nusleep(200000);\n\
                  #pragma omp taskwait\n}\nreturn x == 1 ? 0 : 1; }";
    let target = super::launching::compile(folder.path(), "target", source);
    let store = folder.path().join("store");
    let run = super::record(&store, &["--threads", "2"], &target, &[]);
    let names = run[0].summary.definitions.rows().map(|it| it.name);
    let names: Vec<String> = names.filter(|name| name.contains("no line")).collect();
    assert_eq!(names, [""; 0]);
    assert_eq!(
        run[0].summary.meta.params["threads"],
        sheaf_model::ParamValue::Number(2.0)
    );
    let initial = run[0].grains.rows().filter(|grain| grain.kind == 0).count();
    assert_eq!(initial, 1);
    assert!(
        run[0].summary.locations.len() <= 3,
        "{:?}",
        run[0].summary.meta.workers
    );
}
