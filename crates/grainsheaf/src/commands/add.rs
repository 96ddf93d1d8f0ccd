//! Adds files, folders and standard input to a store.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use sheaf_answers::{Add, FileStatus};
use sheaf_ensemble::{
    AddOptions, Error, Input, NamePattern, SymbolFiles, free_memory, read_stoppable,
};
use sheaf_model::Progress;
use sheaf_server::Answers;

use super::{Outcome, keep, parameters, warn_of_exposures, with_progress};
use crate::cli::Global;
use crate::cli::store::AddArguments;
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::render;

/// Adds what the arguments name; what is refused shows in the exit status.
///
/// # Errors
/// When the arguments do not fit, the store cannot be written, or the user stops it.
pub(crate) fn add(arguments: &AddArguments, output: &Output) -> Outcome {
    let global = output.global();
    output.refuse_csv()?;
    let options = AddOptions {
        params: parameters::given(&arguments.params),
        params_file: arguments
            .params_file
            .as_deref()
            .map(parameters::read)
            .transpose()?,
        params_from: arguments.params_from.clone(),
        name: arguments.name.clone(),
        format: arguments.format.clone(),
        symbols: SymbolFiles::Anywhere,
        ..AddOptions::default()
    };
    let console = Console::new(global);
    let (answers, answer) = with_progress(global, |progress| {
        // Without inputs no store is made.
        let inputs = inputs(arguments, progress)?;
        let answers = Answers::create_or_open_for(&global.store, output.caller())?;
        let answers = keep(answers);
        warn_of_exposures(&console, &answers.exposures());
        let answer = answers.add(&inputs, &options, progress)?;
        Ok::<_, Failure>((answers, answer))
    })?;
    output
        .print(&answer, |layout| {
            render::add(&answer, detail(global), layout)
        })
        .map_err(|failure| {
            failure.with_hint("the inputs were read; `grainsheaf runs` lists what the store has")
        })?;
    hint_at_compaction(&console, answers);
    warn_of_patterns(&console, &arguments.params_from, &answer);
    for warning in &answer.warnings {
        console.warning(warning);
    }
    let is_refused = |status| status == FileStatus::Refused;
    Ok(if answer.files.iter().any(|file| is_refused(file.status)) {
        Exit::Refused
    } else {
        Exit::Done
    })
}

/// How much of the import is reported.
fn detail(global: &Global) -> render::Detail {
    match (global.quiet, global.verbose) {
        (true, _) => render::Detail::Errors,
        (false, 0) => render::Detail::Short,
        (false, _) => render::Detail::Full,
    }
}

/// Segments above which a compaction is worth its time.
const MANY_SEGMENTS: usize = 100;

/// Says when questions would be faster after a compaction.
fn hint_at_compaction(console: &Console, answers: &Answers) {
    // An error is for the next question to report: the runs were added.
    let segments = answers.num_segments().unwrap_or_default();
    if segments > MANY_SEGMENTS {
        console.note(&format!(
            "the store has {segments} segments; `grainsheaf compact` merges them"
        ));
    }
}

/// Files, folders and standard input that the arguments name.
fn inputs(arguments: &AddArguments, progress: &Progress) -> Result<Vec<Input>, Failure> {
    let mut inputs = Vec::new();
    for path in &arguments.paths {
        if path.as_os_str() == "-" {
            inputs.push(standard_input(progress)?);
        } else {
            inputs.extend(named(path)?.into_iter().map(Input::Path));
        }
    }
    Ok(inputs)
}

/// What a path names: itself, or the files that it matches where shells left it alone. One that
/// matches nothing stays as it is, and is refused as any file that is not there.
fn named(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let text = path.to_string_lossy();
    if path.exists() || !text.contains(['*', '?', '[']) {
        return Ok(vec![path.to_owned()]);
    }
    let entries = glob::glob(&text).map_err(|error| {
        let reason = error.msg;
        Failure::usage(format!("`{text}` is no file pattern: {reason}"))
            .with_hint("`*`, `**`, `?` and `[…]` are special; write `[*]` for the sign itself")
    })?;
    // In order of name; folders that cannot be listed match nothing.
    let found: Vec<PathBuf> = entries.flatten().collect();
    Ok(if found.is_empty() {
        vec![path.to_owned()]
    } else {
        found
    })
}

fn standard_input(progress: &Progress) -> Result<Input, Failure> {
    // It is in memory as a whole, next to the tables that are made of it.
    let limit = free_memory() / 4;
    let read = read_stoppable(|| Ok(std::io::stdin()), limit, progress).map_err(Error::from)?;
    let bytes = read.map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => {
            let message = format!(
                "standard input has more than {limit} bytes, a quarter of the memory that is free"
            );
            Failure::new(Exit::Refused, message).with_hint("write it to a file, and add the file")
        }
        _ => Failure::io("cannot read standard input", &error),
    })?;
    Ok(Input::Bytes {
        name: "standard input".to_owned(),
        bytes,
    })
}

/// Names the patterns that match none of the files that were read.
fn warn_of_patterns(console: &Console, patterns: &[NamePattern], answer: &Add) {
    let read = answer
        .files
        .iter()
        .filter(|file| file.status != FileStatus::Refused);
    let paths: Vec<&Path> = read.map(|file| Path::new(&file.path)).collect();
    if paths.is_empty() {
        return;
    }
    for pattern in NamePattern::unmatched(patterns, &paths) {
        console.warning(&format!(
            "`{pattern}` matches no name; a pattern is about the whole name of a file, and about \
             the folders above it as far as it holds `/`"
        ));
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn patterns_name_files_in_order() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.x", "a.x", "c.y", "[1].x"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        fs::create_dir(folder.path().join("d")).unwrap();
        fs::write(folder.path().join("d/e.x"), "").unwrap();
        let names = |pattern: &str| {
            let found = named(&folder.path().join(pattern)).unwrap();
            let names = found.iter().map(|path| {
                path.strip_prefix(folder.path())
                    .unwrap()
                    .display()
                    .to_string()
            });
            names.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names("[ab].x"), "a.x b.x");
        assert_eq!(names("**/e.x"), "d/e.x");
        assert_eq!(names("[1].x"), "[1].x", "a file of that name goes first");
        assert_eq!(names("*.z"), "*.z");
        let failure = named(Path::new("a/**b")).unwrap_err();
        assert!(
            failure.message.starts_with("`a/**b` is no file pattern"),
            "{}",
            failure.message
        );
    }
}
