//! Functions inside functions, as compilers describe them. Needs clang 19 and GCC.

use std::io::Cursor;
use std::process::Command;

use super::super::Module;
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

/// Checks the functions of the loops, singles and tasks of the program.
fn check(compiler: &str, options: &[&str]) {
    let folder = std::env::temp_dir().join(format!(
        "sheaf-symbols-{}-{compiler}{}",
        std::process::id(),
        options.concat()
    ));
    std::fs::create_dir_all(&folder).unwrap();
    let (source, program) = (folder.join("nested.cpp"), folder.join("nested"));
    std::fs::write(&source, PROGRAM).unwrap();
    let mut command = Command::new(compiler);
    command.args(["-fopenmp", "-o"]).arg(&program).arg(&source);
    let status = command.args(options).status().unwrap();
    assert!(status.success(), "{compiler} {options:?}");
    let bytes = std::fs::read(&program).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();

    let file: Box<dyn ModuleFile> = Box::new(Cursor::new(bytes));
    let module = Module::load("/nested", None, Ok(file), limits::ALL_MODULES_BYTES).0;
    let constructs = module
        .functions()
        .map(|(function, kind)| (kind.as_str(), function));
    let is_checked = |kind: &str| ["loop", "single", "task"].contains(&kind);
    let found: Vec<_> = constructs.filter(|(kind, _)| is_checked(kind)).collect();
    let expected = [
        ("task", "main"),
        ("loop", "Solver::run(int)"),
        ("loop", "main"),
        ("loop", "operator()"),
        ("single", "apply"),
        ("single", "main"),
    ];
    assert_eq!(found, expected, "{compiler} {options:?}");
}

#[test]
fn constructs_belong_to_the_function_around_them() {
    for compiler in ["clang++-19", "g++"] {
        check(compiler, &["-g", "-O0"]);
        check(compiler, &["-g", "-O2"]);
        check(compiler, &["-O0"]);
    }
}
