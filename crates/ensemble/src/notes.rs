//! Files beside the segments of a store that people may read and write.

use std::path::Path;

use crate::Error;

/// Writes beside the file and renames, so that no reader sees a part.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Error> {
    let cannot_write = |source| Error::Note {
        action: "write the note",
        path: path.to_owned(),
        source,
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    std::fs::create_dir_all(folder).map_err(cannot_write)?;
    let mut aside = path.as_os_str().to_owned();
    aside.push(format!(".{}", std::process::id()));
    let aside = Path::new(&aside);
    std::fs::write(aside, text).map_err(cannot_write)?;
    std::fs::rename(aside, path).map_err(|source| {
        // What is left of it is of no use; the first failure is what matters.
        drop(std::fs::remove_file(aside));
        cannot_write(source)
    })
}
