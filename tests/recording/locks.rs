//! Waiting for locks is not work: the sample program `lock`, as the commands show it.

use sheaf_answers::{GainBasis, Paths, Problem, Problems, RunInfo, Scale};
use sheaf_tests::find;

use super::stories::Story;

/// Nearly all of each task is done one at a time: with four threads three of them wait.
const SERIAL: [&str; 3] = ["64", "2000", "1000"];
/// Nearly nothing is.
const PARALLEL: [&str; 3] = ["64", "0", "400000"];

fn record<'a>(store: &'a std::path::Path, threads: &str, sizes: [&str; 3], way: &str) -> Story<'a> {
    let args = [sizes[0], sizes[1], sizes[2], way];
    Story::record(store, threads, "lock", &args)
}

fn problem(story: &Story<'_>) -> Problem {
    let answer: Problems = story.ask("problems", &[]);
    find(&answer.problems, |problem| {
        problem.metric == "lock_waiting_share"
    })
    .clone()
}

fn paths(story: &Story<'_>) -> Paths {
    story.ask("paths", &[])
}

fn work(paths: &Paths) -> f64 {
    paths.rows.iter().map(|row| row.work as f64).sum()
}

#[track_caller]
fn check(way: &str, definition: &str) {
    let folder = tempfile::tempdir().unwrap();
    let story = record(folder.path(), "4", SERIAL, way);
    let problem = problem(&story);
    assert!(problem.grains > 32, "{problem:?}");
    let gain = problem.gain.unwrap();
    assert_eq!(gain.basis, GainBasis::LockWaiting);
    assert!(gain.time > 0.0, "{gain:?}");
    let cause = problem.cause.unwrap();
    assert!(cause.ends_with(&format!(" for `{definition}`")), "{cause}");
    let share: f64 = cause.split(' ').next().unwrap().parse().unwrap();
    assert!(share > 50.0, "{cause}");
    // Waiting is not work, and the lock bounds the speed-up by more threads.
    let found = paths(&story);
    assert_eq!(found.lock_bound.as_ref().unwrap().definition, definition);
    assert!(found.parallelism.unwrap() < 1.2, "{found:?}");
    // While one task holds the lock and the others wait, no worker is free, and yet the workers are not busy.
    let info: RunInfo = story.ask("info", &[]);
    assert_eq!(info.parallelism, found.parallelism, "{info:?}");
    let finishers = found.last_finishers.as_ref().unwrap();
    let share = |time: i64| time as f64 / finishers.elapsed as f64;
    assert!(share(finishers.delays["lock"]) > 0.3, "{finishers:?}");
    assert!(share(finishers.busy) < 0.3, "{finishers:?}");
    let single = paths(&record(folder.path(), "1", SERIAL, way));
    let growth = work(&found) / work(&single);
    assert!(growth < 2.0, "{growth}");
    let scale: Scale = sheaf_tests::ask(folder.path(), &["scale", "--by", "threads"]);
    let last = scale.points.last().unwrap();
    assert!(last.parallelism.unwrap() < 1.2, "{last:?}");
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
        assert!(problem.grains > 2, "{problem:?}");
        let cause = problem.cause.unwrap();
        assert!(cause.ends_with(" for `run_doacross (doacross)`"), "{cause}");
        let found = paths(&story);
        let finishers = found.last_finishers.as_ref().unwrap();
        let share = finishers.delays["lock"] as f64 / finishers.elapsed as f64;
        assert!(share > 0.3, "{finishers:?}");
        // Nothing is held: other iterations go on.
        assert!(found.lock_bound.is_none(), "{found:?}");
        let growth = work(&found) / work(&paths(&record(fewest)));
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
        assert_eq!(problem.checked, 64, "{problem:?}");
        let found = paths(&story);
        let held = found.lock_bound.as_ref().map_or(0, |bound| bound.held);
        (problem.grains, held as f64 / work(&found))
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
    assert!(matches!(run[0].summary.meta.workers, Some(1..=2)));
    assert!(run[0].summary.locations.num_workers() <= 2);
}

/// GCC gives calls in outlined code lines of functions that it inlined in front of them.
#[test]
fn sections_of_gcc_have_the_name_of_their_own_function() {
    let folder = tempfile::tempdir().unwrap();
    let header = "#include <time.h>
static volatile double sink;
static double cpu(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec * 1e3 + t.tv_nsec / 1e6; }
static inline void burn(double ms) { double e = cpu() + ms, s = 0; do { for (int i = 0; i < 200; i++) s += i * 1.5; } while (cpu() < e); sink = s; }
";
    let source = "#include \"burn.h\"
int main(void) {
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
    for (int i = 0; i < 8; i++) {
        burn(1);
#pragma omp ordered
        burn(4);
    }
    return 0;
}
";
    std::fs::write(folder.path().join("burn.h"), header).unwrap();
    let (code, program) = (folder.path().join("gcc.c"), folder.path().join("gcc"));
    std::fs::write(&code, source).unwrap();
    let mut gcc = std::process::Command::new("gcc");
    gcc.args(["-g", "-O2", "-fopenmp", "-o"])
        .args([&program, &code]);
    assert!(gcc.status().unwrap().success());
    let clang = super::launching::compile(folder.path(), "clang", source);
    let store = folder.path().join("store");
    for program in [program, clang] {
        let run = super::record(&store, &["--threads", "2"], &program, &[]);
        let definitions = run[0].summary.definitions.rows();
        let ordered = definitions.filter(|row| row.kind == "ordered");
        let names: Vec<String> = ordered.map(|row| row.name).collect();
        assert_eq!(names, ["main (ordered)"], "{program:?}");
    }
}
