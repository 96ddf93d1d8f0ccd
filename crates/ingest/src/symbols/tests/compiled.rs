//! Functions inside functions, as compilers describe them. Needs clang 19 and GCC.

use std::io::Cursor;
use std::process::Command;

use super::super::Module;
use super::super::calls::ConstructKind;
use super::super::source::ModuleFile;
use crate::limits;

const PROGRAM: &str = r"
static volatile int sink;
static void first(int n) {
#pragma omp critical
  sink = n;
}
struct Solver { void run(int n); };
void Solver::run(int n) {
  int later(int);
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; i++) sink = i;
}
int main(int argc, char **) {
  struct Local {
    static void apply(int n) {
#pragma omp parallel
#pragma omp single
      sink = n;
    }
  };
  auto lambda = [&](int n) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < n; i++) sink = i;
  };
#pragma omp target
  sink = 1;
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < argc; i++) sink = i;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
      auto nothing = [](int n) { sink = n; };
      nothing(1);
#pragma omp taskgroup
      {
#pragma omp task
        sink = 2;
      }
    }
  }
  first(argc);
  Local::apply(argc);
  lambda(argc);
  Solver().run(argc);
}
int later(int n) { return n; }
";

/// Static functions and unnamed namespaces, for which GCC states no symbols.
const LOCAL_TO_FILE: &str = r"
static volatile int sink;
static void plain(int n) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; i++) sink = i;
}
namespace app {
static void relax(int n) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; i++) sink = i;
}
namespace {
// The debug information of GCC attributes some of its calls to main where it is inlined.
template <class T> [[gnu::noinline]] void smooth(T n) {
#pragma omp parallel for schedule(dynamic)
  for (T i = 0; i < n; i++) sink = i;
}
}
}
int main(int argc, char **) {
  plain(argc);
  app::relax(argc);
  app::smooth(argc);
  app::smooth(long(argc));
  sink = argc;
}
";

/// Constructs that follow each other without code in between, for which GCC states lines of other constructs.
const ADJACENT: &str = r"
void use(int);
void both(int n) {
#pragma omp parallel for reduction(+ : n)
  for (int i = 0; i < 9; i++) n += i;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    use(1);
#pragma omp task
    use(2);
  }
}
void use(int) {}
int main() { both(1); }
";

/// Code that is inlined at the start of outlined code and in front of calls, and addresses of outlined code that GCC
/// keeps in registers.
const INLINED: &str = r"
#include <vector>
static volatile double sink;
static void work(int n) {
  for (int i = 0; i < n; i++) sink = sink + i;
}
static void first(std::vector<int> &v) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < (int)v.size(); i++) work(v[i]);
}
static void second(int n) {
#pragma omp parallel
  work(n);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; i++) {
#pragma omp task
    work(n);
#pragma omp task
    work(2 * n);
  }
}
int main(int argc, char **) {
  std::vector<int> v(argc);
  first(v);
  second(argc);
}
";

/// Kinds and functions of the constructs of a program.
fn constructs(source: &str, compiler: &str, options: &[&str]) -> Vec<(&'static str, String)> {
    let module = compiled(source, compiler, options);
    let constructs = module
        .functions()
        .map(|(function, kind)| (kind.as_str(), function.to_owned()));
    constructs.collect()
}

#[test]
fn adjacent_constructs_are_as_many_by_all_compilers() {
    for compiler in ["clang++-19", "g++"] {
        for level in ["-O0", "-O1", "-O2", "-O3"] {
            let module = compiled(ADJACENT, compiler, &["-g", level]);
            for (kind, expected) in [
                (ConstructKind::Parallel, [4, 6]),
                (ConstructKind::Task, [9, 11]),
            ] {
                let lines = module.lines(kind);
                let is_close = lines.len() == expected.len()
                    && (lines.iter().zip(expected)).all(|(line, of)| (of..of + 2).contains(line));
                assert!(is_close, "{compiler} {level} {kind:?}: {lines:?}");
            }
        }
    }
}

#[test]
fn inlined_code_does_not_change_the_places_of_constructs() {
    let expected = [
        ("parallel", "first(std::vector<int, std::allocator<int> >&)"),
        ("parallel", "second(int)"),
        ("task", "second(int)"),
        ("loop", "first(std::vector<int, std::allocator<int> >&)"),
        ("single", "second(int)"),
    ];
    for compiler in ["clang++-19", "g++"] {
        for level in ["-O0", "-O1", "-O2", "-O3"] {
            let module = compiled(INLINED, compiler, &["-g", level]);
            let mut found: Vec<_> = module.functions().collect();
            found.sort_by_key(|(_, kind)| *kind);
            let found: Vec<_> = (found.iter())
                .map(|(function, kind)| (kind.as_str(), *function))
                .filter(|(kind, _)| expected.iter().any(|(wanted, _)| wanted == kind))
                .collect();
            assert_eq!(found, expected, "{compiler} {level}");
            for (kind, expected) in [
                (ConstructKind::Parallel, &[8, 12, 14][..]),
                (ConstructKind::Task, &[17, 19]),
            ] {
                let mut lines = module.lines(kind);
                lines.sort_unstable();
                let is_close = lines.len() == expected.len()
                    && (lines.iter().zip(expected)).all(|(line, of)| (*of..of + 3).contains(line));
                assert!(is_close, "{compiler} {level} {kind:?}: {lines:?}");
            }
        }
    }
}

/// A program, compiled and read.
fn compiled(source: &str, compiler: &str, options: &[&str]) -> Module {
    let folder = tempfile::tempdir().unwrap();
    let (file, program) = (folder.path().join("a.cpp"), folder.path().join("a"));
    std::fs::write(&file, source).unwrap();
    let mut command = Command::new(compiler);
    command.args(["-fopenmp", "-o"]).arg(&program).arg(&file);
    let status = command.args(options).status().unwrap();
    assert!(status.success(), "{compiler} {options:?}");
    let bytes = std::fs::read(&program).unwrap();

    let file: Box<dyn ModuleFile> = Box::new(Cursor::new(bytes));
    Module::load("/nested", None, Ok(file), limits::ALL_MODULES_BYTES).0
}

#[test]
fn functions_local_to_a_file_have_the_same_names_by_all_compilers() {
    let mut expected = [
        "app::(anonymous namespace)::smooth<int>(int)",
        "app::(anonymous namespace)::smooth<long>(long)",
        "app::relax(int)",
        "plain(int)",
    ];
    expected.sort_unstable();
    for compiler in ["clang++-19", "g++"] {
        for level in ["-O0", "-O2"] {
            for wanted in ["parallel", "loop"] {
                let found = constructs(LOCAL_TO_FILE, compiler, &["-g", level]);
                let found = found.iter().filter(|(kind, _)| *kind == wanted);
                // The result of a template is part of its symbol.
                let names = found.map(|(_, function)| function.trim_start_matches("void "));
                let mut names: Vec<&str> = names.collect();
                names.sort_unstable();
                assert_eq!(names, expected, "{compiler} {level} {wanted}");
            }
        }
    }
}

#[test]
fn constructs_belong_to_the_function_around_them() {
    let expected = [
        ("task", "main"),
        ("loop", "Solver::run(int)"),
        ("loop", "main"),
        ("loop", "operator()"),
        ("single", "apply"),
        ("single", "main"),
    ];
    let expected = expected.map(|(kind, function)| (kind, function.to_owned()));
    for compiler in ["clang++-19", "g++"] {
        for options in [&["-g", "-O0"][..], &["-g", "-O2"], &["-O0"]] {
            let is_checked = |kind: &str| ["loop", "single", "task"].contains(&kind);
            let mut found = constructs(PROGRAM, compiler, options);
            found.retain(|(kind, _)| is_checked(kind));
            assert_eq!(found, expected, "{compiler} {options:?}");
        }
    }
}
