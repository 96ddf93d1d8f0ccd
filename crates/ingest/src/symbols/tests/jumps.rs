//! Constructs that functions enter by a jump, as compilers write them. Needs clang 19 and GCC.

use std::io::Cursor;
use std::path::Path;
use std::process::Command;

use super::super::source::ModuleFile;
use super::super::{Certainty, Module};
use crate::limits;

const LIBRARY: &str = "void use(int);
void heavy(void) {
#pragma omp parallel
  use(1);
}
void light(void) {
#pragma omp parallel
  use(2);
}
void both(void) {
  light();
  heavy();
}
__attribute__((noinline)) void either(int which) {
  if (which)
    light();
  else
    heavy();
}
void outer(int which) { either(which); }
void no_jump(void) {
#pragma omp parallel
  use(3);
  use(4);
}
// The last byte of the jump is the last one of the code.
void last(void) { both(); }
";

const PROGRAM: &str = "void heavy(void), light(void), both(void);
int main(void) {
  heavy();
  light();
  both();
  return 0;
}
";

fn read(path: &Path) -> Module {
    let file: Box<dyn ModuleFile> = Box::new(Cursor::new(std::fs::read(path).unwrap()));
    Module::load("/jumps", None, Ok(file), limits::ALL_MODULES_BYTES).0
}

#[track_caller]
fn compile(compiler: &str, folder: &Path, source: &str, options: &[&str]) -> Module {
    let (file, built) = (folder.join("a.c"), folder.join("built"));
    std::fs::write(&file, source).unwrap();
    let mut command = Command::new(compiler);
    command.args(["-g", "-O2", "-fopenmp"]).args(options);
    let status = command.arg("-o").args([&built, &file]).status().unwrap();
    assert!(status.success(), "{compiler} {options:?}");
    read(&built)
}

#[test]
fn functions_of_libraries_lead_to_their_constructs() {
    for compiler in ["clang-19", "gcc"] {
        for options in [
            &["-fPIC", "-shared"][..],
            &["-fPIC", "-shared", "-fno-plt"],
            &["-fPIC", "-shared", "-fcf-protection"],
        ] {
            let folder = tempfile::tempdir().unwrap();
            let library = compile(compiler, folder.path(), LIBRARY, options);
            for (symbol, expected) in [
                ("heavy", Some(("heavy", Some(3)))),
                ("light", Some(("light", Some(7)))),
                ("both", Some(("heavy", Some(3)))),
                ("either", Some(("either", None))),
                ("outer", Some(("either", None))),
                ("no_jump", None),
                ("last", Some(("heavy", Some(3)))),
            ] {
                let found = library.follow_symbol(symbol).map(|(offset, certainty)| {
                    let site = library.site(offset);
                    let line = site.line.filter(|_| certainty == Certainty::Exact);
                    (site.function.unwrap(), line)
                });
                // The line of the construct or of its first statement.
                let is_expected = match (&found, expected) {
                    (Some((name, line)), Some((expected, first))) => {
                        name == expected && [first, first.map(|line| line + 1)].contains(line)
                    }
                    (None, None) => true,
                    _ => false,
                };
                assert!(is_expected, "{compiler} {options:?} {symbol}: {found:?}");
            }
        }
    }
}

#[test]
fn calls_of_libraries_have_their_symbols() {
    for compiler in ["clang-19", "gcc"] {
        for options in [&[][..], &["-fno-plt"], &["-fcf-protection", "-z", "now"]] {
            let folder = tempfile::tempdir().unwrap();
            let library = folder.path().join("library.so");
            let mut options = options.to_vec();
            compile(compiler, folder.path(), LIBRARY, &["-fPIC", "-shared"]);
            std::fs::rename(folder.path().join("built"), &library).unwrap();
            options.extend([
                "-Wl,--allow-shlib-undefined,--no-as-needed",
                library.to_str().unwrap(),
            ]);
            let program = compile(compiler, folder.path(), PROGRAM, &options);
            let called: Vec<_> = program.outgoing().collect();
            assert_eq!(called, ["heavy", "light", "both"], "{compiler} {options:?}");
        }
    }
}
