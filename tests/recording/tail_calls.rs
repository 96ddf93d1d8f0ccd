//! Constructs that are the last statement of their function: optimised code enters the runtime by a jump, so the
//! runtime reports the address behind the call of that function.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use sheaf_model::RunTables;

use crate::record;

const PHASES: &str = "#include <omp.h>
volatile int done;
static void busy(double ms) {
    double end = omp_get_wtime() + ms / 1000;
    while (omp_get_wtime() < end) {}
}
KEPT heavy(void) {
#pragma omp parallel num_threads(2)
    busy(40);
}
KEPT light(void) {
#pragma omp parallel num_threads(2)
    busy(10);
}
KEPT phase1(void) {
    light();
    heavy();
    LOG(1);
}
KEPT phase2(void) {
    heavy();
    light();
    LOG(2);
}
int main(void) {
    phase1();
    phase2();
    return 0;
}
";

/// One function that jumps to one of two, and one that is called by pointer.
const CHOICES: &str = "#include <omp.h>
static void busy(double ms) {
    double end = omp_get_wtime() + ms / 1000;
    while (omp_get_wtime() < end) {}
}
KEPT heavy(void) {
#pragma omp parallel num_threads(2)
    busy(4);
}
KEPT light(void) {
#pragma omp parallel num_threads(2)
    busy(1);
}
KEPT either(int which) {
#pragma omp parallel num_threads(2)
    busy(1);
    if (which) light(); else heavy();
}
void (*volatile pointer)(void) = heavy;
int main(void) {
    either(0);
    either(1);
    pointer();
    light();
    return 0;
}
";

const COMPILERS: [&str; 2] = ["clang-19", "gcc"];
const NOINLINE: &str = "-DKEPT=__attribute__((noinline)) void";

#[track_caller]
fn compile(compiler: &str, folder: &Path, source: &str, options: &[&str]) -> PathBuf {
    let (code, program) = (folder.join("phases.c"), folder.join("phases"));
    std::fs::write(&code, source).unwrap();
    let mut command = Command::new(compiler);
    command.args(["-g", "-O2", "-fopenmp", NOINLINE]);
    command.args(options).arg("-o").args([&program, &code]);
    assert!(
        command.status().unwrap().success(),
        "{compiler} {options:?}"
    );
    program
}

/// Number of regions and work of each definition of a region, by name and line.
fn regions(run: &RunTables) -> BTreeMap<(String, Option<i32>), (usize, i64)> {
    let definitions: Vec<_> = run.summary.definitions.rows().collect();
    let contexts: Vec<_> = run.summary.contexts.rows().collect();
    let mut found = BTreeMap::new();
    for grain in run.grains.rows() {
        let context = &contexts[usize::try_from(grain.context).unwrap()];
        let definition = &definitions[usize::try_from(context.definition).unwrap()];
        if definition.kind == "parallel" {
            let name = (definition.name.clone(), definition.line);
            let (members, work) = found.entry(name).or_insert((0, 0));
            *members += 1;
            *work += grain.work.unwrap();
        }
    }
    found
}

#[test]
fn regions_at_the_end_of_functions_have_the_names_of_these() {
    for compiler in COMPILERS {
        for options in [
            &["-DLOG(n)="][..],
            &["-DLOG(n)=done = n"],
            &["-DLOG(n)=", "-fno-plt"],
        ] {
            let folder = tempfile::tempdir().unwrap();
            let program = compile(compiler, folder.path(), PHASES, options);
            let runs = record(&folder.path().join("store"), &[], &program, &[]);
            let found = regions(&runs[0]);
            let names: Vec<_> = found.keys().map(|(name, _)| name.as_str()).collect();
            let expected = ["heavy (parallel)", "light (parallel)"];
            assert_eq!(names, expected, "{compiler} {options:?}");
            for (((name, line), (members, work)), (first, ms)) in
                found.iter().zip([(8, 40), (12, 10)])
            {
                let line = line.unwrap();
                assert!(
                    (first..first + 2).contains(&line),
                    "{compiler} {name} {line}"
                );
                assert_eq!(*members, 4, "{compiler} {options:?} {name}");
                let least = 4 * ms * 1_000_000;
                // Other programs on the machine can make it longer.
                assert!(*work >= least, "{name}: {work} ns");
            }
        }
    }
}

#[test]
fn regions_that_calls_do_not_tell_apart_are_marked() {
    for compiler in COMPILERS {
        let folder = tempfile::tempdir().unwrap();
        let program = compile(compiler, folder.path(), CHOICES, &[]);
        let runs = record(&folder.path().join("store"), &[], &program, &[]);
        let found = regions(&runs[0]);
        let found: Vec<_> = found
            .iter()
            .map(|((name, line), (members, _))| (name.as_str(), *line, *members))
            .collect();
        let line = found
            .iter()
            .find(|row| row.0 == "light (parallel)")
            .unwrap()
            .1;
        let expected = [
            ("either (parallel)", Some(15), 4),
            ("either (parallel, no line)", None, 4),
            ("light (parallel)", line, 2),
            ("main (parallel, called here)", Some(23), 2),
        ];
        assert_eq!(found, expected, "{compiler}");
    }
}

/// The library uses OpenMP, its caller does not.
#[test]
fn regions_at_the_end_of_functions_of_libraries_have_the_names_of_these() {
    for compiler in COMPILERS {
        let folder = tempfile::tempdir().unwrap();
        let options = ["-DLOG(n)=", "-Dmain=unused", "-fPIC", "-shared"];
        let library = compile(compiler, folder.path(), PHASES, &options);
        let code = folder.path().join("main.c");
        let source = "void heavy(void), light(void), phase1(void);\n\
                      int main(void) { heavy(); phase1(); light(); return 0; }\n";
        std::fs::write(&code, source).unwrap();
        let program = folder.path().join("program");
        let mut command = Command::new(compiler);
        command.args(["-g", "-O2", "-o"]).args([&program, &code]);
        let status = command.arg(&library).status();
        assert!(status.unwrap().success(), "{compiler}");
        let runs = record(&folder.path().join("store"), &[], &program, &[]);
        let found = regions(&runs[0]);
        let found: Vec<_> = found
            .iter()
            .map(|((name, _), (members, _))| (name.as_str(), *members))
            .collect();
        let expected = [("heavy (parallel)", 4), ("light (parallel)", 4)];
        assert_eq!(found, expected, "{compiler}");
    }
}
