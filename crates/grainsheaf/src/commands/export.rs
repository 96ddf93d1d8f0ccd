//! `export`: a run in a format of other tools, or a report.

use std::io::{self, Write};
use std::path::Path;

use sheaf_ensemble::{Ensemble, Error};
use sheaf_model::{Compare, Progress};

use super::Outcome;
use crate::cli::export::{ExportArguments, Format};
use crate::commands::maintain::with_progress;
use crate::commands::{open, report, warn_of_exposures, watch_for_stop};
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::stdout;

/// Writes a run to standard output, or to a file that is not there yet. Ctrl-C stops it.
pub(crate) fn export(arguments: &ExportArguments, output: &Output) -> Outcome {
    let global = output.global();
    output.refuse_csv()?;
    let format = match arguments.format {
        Format::Run(format) => format,
        Format::Report => return export_report(arguments, output),
    };
    let Some(run) = arguments.run.as_deref() else {
        return Err(Failure::usage("only `html` exports several runs")
            .with_hint("name a run; `grainsheaf runs` lists them"));
    };
    let ensemble = Ensemble::open(&global.store)?.for_caller(output.caller());
    let console = Console::new(global);
    warn_of_exposures(&console, &ensemble.exposures());
    let export = |progress: &Progress, out: &mut (dyn Write + Send)| {
        ensemble.ask(progress, |view| {
            view.export(run, format, arguments.form, out)
        })
    };
    if let Some(path) = file(arguments) {
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

fn file(arguments: &ExportArguments) -> Option<&Path> {
    let file = arguments.output.as_deref();
    file.filter(|path| path.as_os_str() != "-")
}

/// Writes a report of a run, of an ensemble, or of a comparison.
fn export_report(arguments: &ExportArguments, output: &Output) -> Outcome {
    let answers = open(output)?;
    let html = match (&arguments.run, arguments.lens.clone().unwrap_or_default()) {
        (Some(run), lens) => report::of_run(answers, run, &lens)?,
        (None, lens) if matches!(lens.compare, Compare::Diff { .. }) => {
            let answer = answers.diff(&lens)?;
            report::of_diff(answers, &lens, &answer)?
        }
        (None, lens) => report::of_ensemble(answers, &lens)?,
    };
    match file(arguments) {
        Some(path) => to_file(path, |out| {
            let written = out.write_all(html.as_bytes());
            written.map_err(|source| Error::Export { source })
        })?,
        None => stdout::write(&html)?,
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
