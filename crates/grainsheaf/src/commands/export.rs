//! `export`: a run in a format of other tools.

use std::io::{self, Write};
use std::path::Path;

use sheaf_ensemble::{Ensemble, Error};
use sheaf_model::Progress;

use super::Outcome;
use crate::cli::export::ExportArguments;
use crate::commands::maintain::with_progress;
use crate::commands::{warn_of_exposures, watch_for_stop};
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::stdout;

/// Writes a run to standard output, or to a file that is not there yet. Ctrl-C stops it.
pub(crate) fn export(arguments: &ExportArguments, output: &Output) -> Outcome {
    let global = output.global();
    output.refuse_csv()?;
    let ensemble = Ensemble::open(&global.store)?.for_caller(output.caller());
    let console = Console::new(global);
    warn_of_exposures(&console, &ensemble.exposures());
    let file = arguments.output.as_deref();
    let file = file.filter(|path| path.as_os_str() != "-");
    let export = |progress: &Progress, out: &mut (dyn Write + Send)| {
        ensemble.ask(progress, |view| {
            view.export(&arguments.run, arguments.format, arguments.form, out)
        })
    };
    if let Some(path) = file {
        with_progress(global, |progress| {
            to_file(path, |out| export(progress, out))
        })?;
    } else {
        let progress = watch_for_stop(global, console.progress(global))?;
        let written = stdout::stream(|out| export(&progress, out));
        console.finish();
        written?;
    }
    Ok(Exit::Done)
}

/// The file appears when it is complete; one that is there is left alone.
fn to_file(
    path: &Path,
    export: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), Error>,
) -> Result<(), Failure> {
    if path.symlink_metadata().is_ok() {
        return Err(exists(path));
    }
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // As for any new file; the user's mask applies.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder
        .prefix(".grainsheaf-export")
        .tempfile_in(folder.unwrap_or(Path::new(".")))
        .map_err(|error| cannot_write(path, &error))?;
    export(file.as_file_mut())?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(exists(path)),
        Err(error) => Err(cannot_write(path, &error.error)),
    }
}

fn exists(path: &Path) -> Failure {
    Failure::usage(format!("output is there already: {}", path.display()))
        .with_hint("name another file, or remove it first")
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::file("cannot write output", error, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_there_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        let write = |text: &'static str| {
            to_file(&path, |out| {
                out.write_all(text.as_bytes())
                    .map_err(|source| Error::Export { source })
            })
        };
        write("first").unwrap();
        let failure = write("second").unwrap_err();
        assert!(failure.message.contains("is there already"));
        assert_eq!(failure.exit, Exit::Usage);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "first");
    }

    #[test]
    fn a_failed_export_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        let failed = to_file(&path, |out| {
            out.write_all(b"half").unwrap();
            let source = io::Error::other("no more");
            Err(Error::Export { source })
        });
        assert!(failed.unwrap_err().message.contains("no more"));
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}
