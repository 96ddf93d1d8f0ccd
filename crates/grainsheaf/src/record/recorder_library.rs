//! Where the recorder is that gets loaded into programs.

use std::path::{Path, PathBuf};

use crate::failure::Failure;

const FILE: &str = "libsheaf_recorder.so";

/// The recorder's absolute path.
///
/// # Errors
/// When it is not there.
pub(crate) fn find() -> Result<PathBuf, Failure> {
    let given = std::env::var_os("GRAINSHEAF_RECORDER").filter(|path| !path.is_empty());
    let program = std::env::current_exe()
        .ok()
        .and_then(|path| path.canonicalize().ok());
    find_from(given.as_deref().map(Path::new), program.as_deref())
}

fn find_from(given: Option<&Path>, program: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(path) = given {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        return if path.is_file() {
            Ok(absolute)
        } else {
            Err(Failure::usage(format!(
                "GRAINSHEAF_RECORDER names no file: {}",
                path.display()
            ))
            .with_hint("unset it, or set it to the path of libsheaf_recorder.so"))
        };
    }
    let folder = program.and_then(Path::parent).unwrap_or(Path::new("."));
    let places = [
        folder.join(FILE),
        folder.join("../lib/grainsheaf").join(FILE),
    ];
    let found = places.iter().find(|place| place.is_file());
    found.cloned().ok_or_else(|| {
        Failure::usage(format!(
            "the recorder `{FILE}` is not next to the program: {}",
            folder.display()
        ))
        .with_hint(
            "install it there or in `../lib/grainsheaf/`, or set GRAINSHEAF_RECORDER; \
                 from source, `cargo build -p sheaf-recorder` makes it",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recorder_is_found_beside_the_program_or_in_lib() {
        let root = tempfile::tempdir().unwrap();
        let program = root.path().join("bin/grainsheaf");
        let failure = find_from(None, Some(&program)).unwrap_err();
        assert!(failure.hint.unwrap().contains("GRAINSHEAF_RECORDER"));

        let lib = root.path().join("lib/grainsheaf");
        std::fs::create_dir_all(&lib).unwrap();
        std::fs::create_dir_all(root.path().join("bin")).unwrap();
        std::fs::write(lib.join(FILE), "").unwrap();
        assert!(find_from(None, Some(&program)).is_ok());

        let beside = root.path().join("bin").join(FILE);
        std::fs::write(&beside, "").unwrap();
        assert_eq!(find_from(None, Some(&program)), Ok(beside.clone()));
        assert_eq!(find_from(Some(&beside), None), Ok(beside));
        assert!(find_from(Some(Path::new("/nowhere")), Some(&program)).is_err());
    }
}
