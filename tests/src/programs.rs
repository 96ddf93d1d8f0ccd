//! The sample programs, compiled once into the target folder, and the runtimes they run on.

use std::path::PathBuf;
use std::process::Command;

use crate::workspace_root;

/// A sample program: `fib`, `gcc/fib`, `version2/sort`, `mpi/stencil`, ….
///
/// `make` compiles what is not there yet; a lock keeps concurrent tests from compiling twice.
#[track_caller]
pub fn program(name: &str) -> PathBuf {
    let out = workspace_root().join("target/programs");
    let target = match name.split('/').next() {
        Some("gcc") => "gcc",
        Some("mpi" | "mpich") if name.contains("fortran") => "fortran",
        Some("mpi") => "mpi",
        Some("mpich") => "mpich",
        _ => "all",
    };
    let compiled = Command::new("flock")
        .arg(workspace_root().join("target/.programs.lock"))
        .args(["make", "--silent", target])
        .arg(format!("OUT={}", out.display()))
        .current_dir(workspace_root().join("data/programs"))
        .output()
        .expect("`flock` and `make` start");
    assert!(
        compiled.status.success(),
        "the sample programs do not compile; `tests/setup.sh packages` installs clang-19 and \
         libomp-19-dev\n{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let file = out.join(name);
    assert!(file.exists(), "{} was not compiled", file.display());
    file
}

/// LLVM 19's runtime library.
#[track_caller]
pub fn runtime_of_llvm19() -> PathBuf {
    existing("/usr/lib/llvm-19/lib/libomp.so.5".into(), "packages")
}

/// LLVM 15's runtime library, unpacked beside the newer one.
#[track_caller]
pub fn llvm15_runtime() -> PathBuf {
    let file = ".tools/llvm-15/usr/lib/llvm-15/lib/libomp.so.5";
    existing(workspace_root().join(file), "runtime")
}

/// Intel's runtime library, from its wheel, in an environment of its own.
#[track_caller]
pub fn intel_runtime() -> PathBuf {
    existing(
        workspace_root().join(".tools/intel/lib/libiomp5.so"),
        "intel",
    )
}

#[track_caller]
fn existing(file: PathBuf, step: &str) -> PathBuf {
    assert!(
        file.exists(),
        "{} is not there; run `tests/setup.sh {step}`",
        file.display()
    );
    file
}
