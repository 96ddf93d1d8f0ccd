//! Which OpenMP runtime a launch uses, and whether another has to be put under the program.

use std::path::{Path, PathBuf};

use super::libraries::{Linkage, Vendor, find_in, sorted_entries, system_folders};
use super::program::Program;
use crate::failure::Failure;

/// First version whose tools interface reports loop chunks.
const OLDEST_LLVM: u32 = 15;

/// The runtime of a sweep.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Runtime {
    /// Value of the parameter `runtime`; absent when the program cannot be looked into.
    pub(crate) name: Option<String>,
    /// Library to preload.
    pub(crate) preload: Option<PathBuf>,
    /// What the user should know of it.
    pub(crate) warnings: Vec<String>,
}

/// Chooses for `program` by what the user asked for: `auto`, `llvm`, `intel` or a file.
///
/// # Errors
/// When the runtime asked for is not there.
pub(crate) fn choose(program: &Program, asked: &str) -> Result<Runtime, Failure> {
    let linked = match &program.linkage {
        Linkage::OpenMp { vendor, .. } => Some(*vendor),
        _ => None,
    };
    let preload = match asked {
        "auto" => match linked {
            Some(Vendor::Gnu) => standing_in()?,
            _ => return Ok(as_linked(linked)),
        },
        "llvm" if linked == Some(Vendor::Llvm) => return Ok(as_linked(linked)),
        "llvm" => standing_in()?,
        "intel" if linked == Some(Vendor::Intel) => return Ok(as_linked(linked)),
        "intel" => find_intel()?,
        path => given(path)?,
    };
    Ok(with_preload(linked, preload))
}

fn as_linked(linked: Option<Vendor>) -> Runtime {
    Runtime {
        name: linked.map(|vendor| vendor.name().to_owned()),
        ..Runtime::default()
    }
}

fn with_preload(linked: Option<Vendor>, preload: PathBuf) -> Runtime {
    let vendor = Vendor::of_file(&preload).unwrap_or(Vendor::Llvm);
    let mut runtime = Runtime {
        name: Some(vendor.name().to_owned()),
        ..Runtime::default()
    };
    // The effect on times is a warning of the run, where it is kept.
    if linked == Some(Vendor::Gnu) && vendor != Vendor::Gnu {
        runtime.name = Some(format!("gnu-on-{}", vendor.name()));
    }
    if let Some(named) = Vendor::of(&preload.to_string_lossy())
        && named != vendor
    {
        runtime.warnings.push(format!(
            "`{}` is a link to {}'s OpenMP runtime and recorded as that",
            preload.display(),
            vendor.title()
        ));
    }
    // The linker resolves relative preloads in the program's folder, which may change.
    runtime.preload = Some(std::path::absolute(&preload).unwrap_or(preload));
    runtime
}

/// LLVM's runtime, from `GRAINSHEAF_OMP_RUNTIME` or where distributions put it.
fn standing_in() -> Result<PathBuf, Failure> {
    if let Some(path) = std::env::var_os("GRAINSHEAF_OMP_RUNTIME").filter(|path| !path.is_empty()) {
        return given(&path.to_string_lossy());
    }
    find_llvm(Path::new("/usr/lib"), &system_folders()).ok_or_else(|| {
        Failure::usage(format!("no LLVM OpenMP runtime of version {OLDEST_LLVM} or newer is installed"))
            .with_hint(
                "GNU's runtime (libgomp) cannot be recorded: install LLVM's (Debian: libomp-19-dev), or name \
                 one with `--runtime PATH` or GRAINSHEAF_OMP_RUNTIME",
            )
    })
}

/// The newest LLVM runtime below `root/llvm-N/lib`, else one that the linker finds.
fn find_llvm(root: &Path, folders: &[PathBuf]) -> Option<PathBuf> {
    let version = |path: &Path| -> Option<u32> {
        path.file_name()?
            .to_str()?
            .strip_prefix("llvm-")?
            .parse()
            .ok()
    };
    let mut versions: Vec<(u32, PathBuf)> = sorted_entries(root)
        .into_iter()
        .filter_map(|path| Some((version(&path)?, path)))
        .filter(|(version, _)| *version >= OLDEST_LLVM)
        .collect();
    versions.sort();
    let names = ["libomp.so", "libomp.so.5"];
    let packaged = versions.iter().rev().find_map(|(_, path)| {
        let lib = [path.join("lib")];
        names.iter().find_map(|name| find_in(name, lib.iter()))
    });
    packaged.or_else(|| {
        let found = names
            .iter()
            .find_map(|name| find_in(name, folders.iter()))?;
        let real = found.canonicalize().unwrap_or_else(|_| found.clone());
        let is_old = real
            .ancestors()
            .filter_map(version)
            .any(|version| version < OLDEST_LLVM);
        (!is_old).then_some(found)
    })
}

fn find_intel() -> Result<PathBuf, Failure> {
    let mut folders = system_folders();
    for root in ["/opt/intel/oneapi/compiler", "/opt/intel"] {
        for version in sorted_entries(Path::new(root)).into_iter().rev() {
            folders.push(version.join("lib"));
            folders.push(version.join("linux/compiler/lib/intel64_lin"));
        }
    }
    find_in("libiomp5.so", folders.iter()).ok_or_else(|| {
        Failure::usage("no Intel OpenMP runtime (libiomp5.so) was found")
            .with_hint("load its module, or name the file with `--runtime PATH`")
    })
}

fn given(path: &str) -> Result<PathBuf, Failure> {
    let path = Path::new(path);
    if !path.is_file() {
        return Err(
            Failure::usage(format!("no OpenMP runtime `{}`", path.display()))
                .with_hint("`--runtime` takes a library file, `llvm`, `intel` or `auto`"),
        );
    }
    if Vendor::of_file(path) == Some(Vendor::Gnu) {
        return Err(
            Failure::usage(format!("`{}` is GNU's OpenMP runtime", path.display())).with_hint(
                "it has no tools interface; name LLVM's libomp.so or Intel's libiomp5.so",
            ),
        );
    }
    Ok(path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(vendor: Vendor) -> Program {
        let linkage = Linkage::OpenMp {
            vendor,
            library: "lib".into(),
        };
        Program {
            started: "p".into(),
            path: "p".into(),
            linkage,
            has_wrapped_calls: false,
        }
    }

    #[test]
    fn the_newest_packaged_llvm_is_taken() {
        let root = tempfile::tempdir().unwrap();
        for version in ["llvm-9", "llvm-14", "llvm-15", "llvm-19", "llvm-x"] {
            let lib = root.path().join(version).join("lib");
            std::fs::create_dir_all(&lib).unwrap();
            std::fs::write(lib.join("libomp.so.5"), "").unwrap();
        }
        let newest = root.path().join("llvm-19/lib/libomp.so.5");
        assert_eq!(find_llvm(root.path(), &[]), Some(newest.clone()));
        std::fs::remove_file(newest).unwrap();
        std::fs::remove_file(root.path().join("llvm-15/lib/libomp.so.5")).unwrap();
        assert_eq!(find_llvm(root.path(), &[]), None);
        let old = vec![root.path().join("llvm-14/lib")];
        assert_eq!(
            find_llvm(root.path(), &old),
            None,
            "too old wherever it is found"
        );
    }

    #[test]
    fn programs_on_llvm_are_left_alone() {
        let runtime = choose(&program(Vendor::Llvm), "auto").unwrap();
        assert_eq!(
            runtime,
            Runtime {
                name: Some("llvm".into()),
                ..Runtime::default()
            }
        );
    }

    #[test]
    fn programs_on_gnu_get_the_runtime_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("libiomp5.so");
        std::fs::write(&library, "").unwrap();
        let runtime = choose(&program(Vendor::Gnu), library.to_str().unwrap()).unwrap();
        assert_eq!(runtime.name.as_deref(), Some("gnu-on-intel"));
        assert_eq!(runtime.preload, Some(library));
        assert_eq!(runtime.warnings, [] as [&str; 0]);
    }

    #[test]
    fn links_are_named_after_what_they_lead_to() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (
            folder.path().join("libomp.so.5"),
            folder.path().join("libiomp5.so"),
        );
        std::fs::write(&real, "").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let runtime = choose(&program(Vendor::Gnu), link.to_str().unwrap()).unwrap();
        assert_eq!(runtime.name.as_deref(), Some("gnu-on-llvm"));
        let expected = format!(
            "`{}` is a link to LLVM's OpenMP runtime and recorded as that",
            link.display()
        );
        assert_eq!(runtime.warnings, [expected]);
    }

    #[test]
    fn what_is_not_there_is_said() {
        let failure = choose(&program(Vendor::Gnu), "/nowhere/libomp.so").unwrap_err();
        assert_eq!(failure.message, "no OpenMP runtime `/nowhere/libomp.so`");
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("libgomp.so.1");
        std::fs::write(&library, "").unwrap();
        let failure = choose(&program(Vendor::Llvm), library.to_str().unwrap()).unwrap_err();
        assert!(
            failure.message.ends_with("is GNU's OpenMP runtime"),
            "{}",
            failure.message
        );
    }
}
