//! Changes and checks of a store as a whole.

use std::io::Read as _;
use std::path::Path;

use sheaf_api::FileStatus;
use sheaf_ensemble::{AddOptions, Input};
use sheaf_model::Progress;
use sheaf_server::Answers;

use super::parameters;
use crate::cli::Global;
use crate::cli::store::{AddArguments, RemoveArguments};
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::output::Output;
use crate::render;

/// Adds files and folders.
pub(crate) fn add(
    global: &Global,
    arguments: &AddArguments,
    output: &Output,
) -> Result<Exit, Failure> {
    output.refuse_csv()?;
    let options = AddOptions {
        params: parameters::gather(arguments.params_file.as_deref(), &arguments.params)?,
        name: arguments.name.clone(),
        reference_elapsed_ns: None,
        format: arguments.format.clone(),
    };
    let inputs = arguments
        .paths
        .iter()
        .map(|path| input(path))
        .collect::<Result<Vec<_>, _>>()?;
    let answers = Answers::create_or_open(&global.store)?;
    let answer = with_progress(global, |progress| answers.add(&inputs, &options, progress))?;
    output.print(
        || serde_json::to_string(&answer),
        |layout| render::add(&answer, layout),
    )?;
    let is_refused = answer
        .files
        .iter()
        .any(|file| file.status == FileStatus::Refused);
    Ok(if is_refused {
        Exit::Refused
    } else {
        Exit::Done
    })
}

fn input(path: &Path) -> Result<Input, Failure> {
    if path.as_os_str() != "-" {
        return Ok(Input::Path(path.to_owned()));
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::usage(format!("cannot read standard input: {error}")))?;
    Ok(Input::Bytes {
        name: "standard input".to_owned(),
        bytes,
    })
}

/// Checks every file.
pub(crate) fn verify(global: &Global, output: &Output) -> Result<Exit, Failure> {
    output.refuse_csv()?;
    let answers = Answers::open(&global.store)?;
    let answer = with_progress(global, |progress| answers.verify(progress))?;
    output.print(
        || serde_json::to_string(&answer),
        |layout| render::verify(&answer, layout),
    )?;
    Ok(if answer.ok { Exit::Done } else { Exit::Failed })
}

/// Merges segments.
pub(crate) fn compact(global: &Global, output: &Output) -> Result<Exit, Failure> {
    output.refuse_csv()?;
    let answers = Answers::open(&global.store)?;
    let answer = with_progress(global, |progress| answers.compact(progress))?;
    output.print(
        || serde_json::to_string(&answer),
        |_| render::compact(&answer),
    )?;
    Ok(Exit::Done)
}

/// Removes runs.
pub(crate) fn remove(
    global: &Global,
    arguments: &RemoveArguments,
    output: &Output,
) -> Result<Exit, Failure> {
    output.refuse_csv()?;
    let answer = Answers::open(&global.store)?.remove(&arguments.runs)?;
    output.print(
        || serde_json::to_string(&answer),
        |_| render::remove(&answer),
    )?;
    Ok(Exit::Done)
}

/// Does long work that Ctrl-C stops.
fn with_progress<A>(
    global: &Global,
    work: impl FnOnce(&Progress) -> Result<A, sheaf_ensemble::Error>,
) -> Result<A, Failure> {
    let console = Console::new(global);
    let progress = console.progress(global);
    let handle = progress.clone();
    Interrupt::install(move || handle.cancel())?;
    let result = work(&progress);
    console.finish();
    Ok(result?)
}
