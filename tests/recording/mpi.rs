//! Time in MPI is waiting, not work: `mpi_imbalance` knows how long each rank computed and waited.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;

use sheaf_answers::{Record, RunInfo, Scale};
use sheaf_tests::{as_json, ask, grainsheaf, program, run};

/// Seconds that a rank measured itself.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Timed {
    pub(crate) computed: f64,
    /// In calls of MPI but `MPI_Finalize`.
    pub(crate) waited: f64,
    pub(crate) finalised: f64,
    pub(crate) all: f64,
    /// Without transfer, by programs that know it; else 0.
    pub(crate) ideal: f64,
}

impl Timed {
    /// Upper bound of the work of a rank, in a run of `elapsed` seconds. It exceeds `computed` by what the rank waits for a
    /// processor on a busy machine, by the start and the end of the program, and by the recorder's own work.
    pub(crate) fn outside(&self, elapsed: f64) -> f64 {
        elapsed.max(self.all) - self.waited
    }
}

/// Bounds of the work of the rank with most of it.
pub(crate) fn longest(timed: &[Timed], elapsed: f64) -> RangeInclusive<f64> {
    let longest = |time: &dyn Fn(&Timed) -> f64| timed.iter().map(time).fold(0.0, f64::max);
    longest(&|rank| rank.computed)..=longest(&|rank| rank.outside(elapsed))
}

/// Tolerance of every figure.
const WITHIN: f64 = 0.02;

fn record(
    store: &Path,
    mpirun: &[&str],
    program: &Path,
    ranks: usize,
    threads: &str,
) -> (String, Vec<Timed>) {
    let (id, timed) = record_with(store, mpirun, program, &["200", "20", "10"], ranks, threads);
    assert!(timed.iter().all(|rank| rank.all > 0.9), "{timed:?}");
    (id, timed)
}

/// Records a program whose ranks time themselves.
pub(crate) fn record_with(
    store: &Path,
    mpirun: &[&str],
    program: &Path,
    arguments: &[&str],
    ranks: usize,
    threads: &str,
) -> (String, Vec<Timed>) {
    let count = ranks.to_string();
    let mut words = vec!["record", "--json", "--threads", threads, "--"];
    words.extend(mpirun);
    words.extend(["-n", &count, program.to_str().unwrap()]);
    words.extend(arguments);
    let output = grainsheaf(store).args(words).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let mut answer: Record = serde_json::from_slice(&output.stdout).unwrap();
    let mut timed = vec![Timed::default(); ranks];
    for line in errors.lines() {
        let Some((_, line)) = line.split_once("rank ") else {
            continue;
        };
        let (rank, figures) = line.split_once(" in seconds: ").unwrap();
        let rank: usize = rank.split(' ').next().unwrap().parse().unwrap();
        let figures = figures.split(", ").map(|it| it.split_once(' ').unwrap());
        let figures: BTreeMap<&str, f64> = figures
            .map(|(name, value)| (name, value.trim().parse().unwrap()))
            .collect();
        timed[rank] = Timed {
            computed: figures["computed"],
            waited: figures["waited"],
            finalised: figures["finalised"],
            all: figures["all"],
            ideal: figures.get("ideal").copied().unwrap_or(0.0),
        };
    }
    (answer.runs.remove(0).run, timed)
}

/// Sum of a metric of nanoseconds over all contexts, in seconds, by rank.
fn by_rank(store: &Path, id: &str, metric: &str, ranks: usize) -> Vec<f64> {
    by_rank_in(store, id, metric, ranks, 1e9)
}

/// The same of any metric, in units of `unit`.
pub(crate) fn by_rank_in(
    store: &Path,
    id: &str,
    metric: &str,
    ranks: usize,
    unit: f64,
) -> Vec<f64> {
    let run = crate::tables(store, id);
    let names = &run.summary.metrics.name;
    let metric = (0..run.summary.metrics.len()).find(|&row| names.value(row) == metric);
    let mut sums = vec![0.0; ranks];
    let Some(metric) = metric else { return sums };
    for value in run.summary.values.rows() {
        if usize::try_from(value.metric) == Ok(metric) {
            let location = usize::try_from(value.location).unwrap();
            let rank = usize::try_from(run.summary.locations.rank.value(location)).unwrap();
            sums[rank] += value.sum.unwrap_or(0) as f64 / unit;
        }
    }
    sums
}

pub(crate) fn close(
    what: &str,
    found: f64,
    expected: RangeInclusive<f64>,
    whole: f64,
) -> Result<(), String> {
    let (low, high) = expected.into_inner();
    if found >= low - WITHIN * whole && found <= high + WITHIN * whole {
        Ok(())
    } else {
        Err(format!("{what}: {found}, not {low} to {high}, of {whole}"))
    }
}

pub(crate) fn ratio(
    part: &RangeInclusive<f64>,
    whole: &RangeInclusive<f64>,
) -> RangeInclusive<f64> {
    part.start() / whole.end()..=part.end() / whole.start()
}

/// Other work on the machine can only disturb: of six recordings the least disturbed counts.
fn check(mpirun: &[&str], program: &Path, ranks: &[usize]) {
    for &ranks in ranks {
        for threads in [1, 2] {
            let tries = (0..6).map(|_| compare(mpirun, program, ranks, threads));
            let mut faults = Vec::new();
            for result in tries {
                match result {
                    Ok(()) => {
                        faults.clear();
                        break;
                    }
                    Err(fault) => faults.push(fault),
                }
            }
            assert!(faults.is_empty(), "{faults:?}");
        }
    }
}

fn compare(mpirun: &[&str], program: &Path, ranks: usize, threads: u32) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path();
    let (id, timed) = record(store, mpirun, program, ranks, &threads.to_string());
    let work = by_rank(store, &id, "work_ns", ranks);
    let waiting = by_rank(store, &id, "mpi_ns", ranks);
    let info: RunInfo = ask(store, &["info", &id]);
    let elapsed = info.run.elapsed_ns.unwrap() as f64 / 1e9;
    for (rank, timed) in timed.iter().enumerate() {
        let what = format!("rank {rank} of {ranks}, {threads} threads");
        let work = work[rank] / f64::from(threads);
        let computed = timed.computed..=timed.outside(elapsed);
        close(&format!("work of {what}"), work, computed, elapsed)?;
        let waited = timed.waited..=timed.waited + timed.finalised;
        close(
            &format!("waiting of {what}"),
            waiting[rank],
            waited,
            elapsed,
        )?;
    }
    let work = longest(&timed, elapsed);
    let sum = |times: &dyn Fn(&Timed) -> f64| timed.iter().map(times).sum::<f64>();
    let mean = sum(&|rank| rank.computed) / ranks as f64
        ..=sum(&|rank| rank.outside(elapsed)) / ranks as f64;
    let scale: Scale = ask(store, &["scale", "--by", "ranks"]);
    let notes = as_json(&scale.notes);
    assert!(!notes.contains("not separated"), "{notes}");
    let point = &scale.points[0];
    let balance = point.load_balance.unwrap();
    close("load balance", balance, ratio(&mean, &work), 1.0)?;
    let communication = point.communication_efficiency.unwrap();
    close(
        "communication",
        communication,
        ratio(&work, &(elapsed..=elapsed)),
        1.0,
    )
}

pub(crate) const OPEN_MPI: [&str; 3] = ["mpirun", "--allow-run-as-root", "--oversubscribe"];
pub(crate) const MPICH: [&str; 1] = ["mpirun.mpich"];

#[test]
fn mpi_imbalance_open_mpi() {
    check(&OPEN_MPI, &program("mpi/mpi_imbalance"), &[1, 2, 4]);
}

#[test]
fn mpi_imbalance_mpich() {
    check(&MPICH, &program("mpich/mpi_imbalance"), &[1, 2, 4]);
}

/// Bindings of Fortran reach the MPI library in four ways; each call is noted once.
#[test]
fn mpi_imbalance_fortran_open_mpi() {
    check(&OPEN_MPI, &program("mpi/fortran_mpi"), &[2]);
    check(&OPEN_MPI, &program("mpi/fortran_mpi_f08"), &[2]);
}

#[test]
fn mpi_imbalance_fortran_mpich() {
    check(&MPICH, &program("mpich/fortran_mpi"), &[2]);
    check(&MPICH, &program("mpich/fortran_mpi_f08"), &[2]);
}

/// Names of the contexts of calls, without those of the start and end of MPI.
fn calls(store: &Path, id: &str) -> Vec<String> {
    let run = crate::tables(store, id);
    let definitions = run.summary.definitions.rows();
    let calls = definitions.filter(|it| it.kind == "mpi").map(|it| it.name);
    calls
        .filter(|name| !name.starts_with("MPI_Init") && !name.starts_with("MPI_Finalize"))
        .collect()
}

/// Calls are contexts with a kind of their own.
#[test]
fn calls_are_contexts() {
    let folder = tempfile::tempdir().unwrap();
    let program = program("mpi/mpi_imbalance");
    let (id, _) = record(folder.path(), &OPEN_MPI, &program, 2, "1");
    assert_eq!(calls(folder.path(), &id), ["MPI_Barrier (mpi)"]);
}

/// The second script shows nobody what it starts.
#[test]
fn calls_are_recorded_behind_scripts() {
    let folder = tempfile::tempdir().unwrap();
    let program = program("mpi/mpi_imbalance");
    let (start, name) = program.to_str().unwrap().split_at(1);
    for text in [
        format!("exec {start}{name} \"$@\""),
        format!("root={start}\nexec \"$root\"{name} \"$@\""),
    ] {
        let script = crate::launching::script(folder.path(), "start", &text);
        let store = folder.path().join("store");
        let (id, _) = record_with(&store, &OPEN_MPI, &script, &["1", "1", "2"], 2, "1");
        assert_eq!(calls(&store, &id), ["MPI_Barrier (mpi)"], "{text}");
    }
}

/// Interpreters load MPI for one module only, which others cannot see.
#[test]
fn calls_are_recorded_in_modules() {
    let folder = tempfile::tempdir().unwrap();
    let module = "#include <mpi.h>\nvoid go(void) { MPI_Init(0, 0); MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); }";
    let host = "#include <dlfcn.h>\nint main(int count, char **arguments) {\n\
                volatile int sum = 0;\n#pragma omp parallel num_threads(1)\nsum++;\n\
                void *module = dlopen(arguments[count - 1], RTLD_NOW | RTLD_LOCAL);\n\
                if (!module) return 1;\n((void (*)(void))dlsym(module, \"go\"))(); }";
    let host = crate::launching::compile(folder.path(), "host", host);
    let (code, built) = (
        folder.path().join("module.c"),
        folder.path().join("module.so"),
    );
    std::fs::write(&code, module).unwrap();
    for (mpirun, compiler) in [
        (&OPEN_MPI[..], "mpicc.openmpi"),
        (&MPICH[..], "mpicc.mpich"),
    ] {
        let mut compile = std::process::Command::new(compiler);
        compile
            .args(["-shared", "-fPIC", "-o"])
            .args([&built, &code]);
        assert!(compile.status().unwrap().success());
        let store = folder.path().join(compiler);
        let arguments = [built.to_str().unwrap()];
        let (id, _) = record_with(&store, mpirun, &host, &arguments, 2, "1");
        assert_eq!(calls(&store, &id), ["MPI_Barrier (mpi)"], "{compiler}");
    }
}

/// Each rank sends one row of 258 numbers per step, and one number to the reduction at the end; what it would send
/// beyond the border goes to nobody.
#[test]
fn bytes_of_messages_are_those_of_the_program() {
    let stencil = program("mpi/stencil");
    let folder = tempfile::tempdir().unwrap();
    let mut words = vec!["record", "--json", "--threads", "1", "--"];
    words.extend(OPEN_MPI);
    words.extend([
        "-n",
        "2",
        stencil.to_str().unwrap(),
        "256",
        "256",
        "20",
        "16",
    ]);
    let answer: Record = run(folder.path(), words).expect_code(0).read();
    let id = answer.runs[0].run.as_str();
    let bytes = by_rank_in(folder.path(), id, "mpi_bytes", 2, 1.0);
    let expected = f64::from(20 * 258 * 8 + 8);
    assert_eq!(bytes, [expected, expected]);
}

/// OpenMP starts first, then rank 0 computes while the others wait for it in `MPI_Init`.
const LATE: &str = r#"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}
int main(int argc, char **argv) {
    double computed = 0, begin = now();
    #pragma omp parallel num_threads(1) reduction(+ : computed)
    computed += 0;
    const char *number = getenv("OMPI_COMM_WORLD_RANK");
    int rank = atoi(number ? number : getenv("PMI_RANK"));
    double first = now();
    if (rank == 0)
        nanosleep(&(struct timespec){ .tv_nsec = 800000000 }, NULL);
    computed = now() - first;
    double met = now();
    MPI_Init(&argc, &argv);
    double left = now();
    MPI_Finalize();
    double end = now();
    printf("rank %d of 2 in seconds: computed %.6f, waited %.6f, finalised %.6f, all %.6f\n", rank, computed,
           left - met, end - left, end - begin);
    return 0;
}
"#;

/// Other work on the machine can only add to the time between the program's own clock and the recorder's.
fn check_start(mpirun: &[&str], compiler: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (code, program) = (folder.path().join("late.c"), folder.path().join("late"));
    std::fs::write(&code, LATE).unwrap();
    let mut compile = std::process::Command::new(compiler);
    compile.args(["-O1", "-g", "-fopenmp"]).arg(&code);
    compile.arg("-o").arg(&program);
    compile
        .env("OMPI_CC", "clang-19")
        .env("MPICH_CC", "clang-19");
    assert!(compile.status().unwrap().success());

    let store = folder.path().join("store");
    let (id, timed) = record_with(&store, mpirun, &program, &[], 2, "1");
    assert!(timed[1].waited > 0.5, "{timed:?}");
    let waiting = by_rank(&store, &id, "mpi_ns", 2);
    let work = by_rank(&store, &id, "work_ns", 2);
    let info: RunInfo = ask(&store, &["info", &id]);
    let elapsed = info.run.elapsed_ns.unwrap() as f64 / 1e9;
    for (rank, timed) in timed.iter().enumerate() {
        let waited = timed.waited..=timed.waited + timed.finalised;
        close("waiting", waiting[rank], waited, elapsed).unwrap();
        let computed = timed.computed..=timed.outside(elapsed);
        close("work", work[rank], computed, elapsed).unwrap();
    }
}

#[test]
fn waiting_for_the_start_of_mpi_is_not_work() {
    check_start(&OPEN_MPI, "mpicc.openmpi");
    check_start(&MPICH, "mpicc.mpich");
}
