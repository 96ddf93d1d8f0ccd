//! Changes and checks of a store as a whole.

use sheaf_model::Progress;
use sheaf_server::Answers;

use crate::cli::Global;
use crate::cli::store::RemoveArguments;
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::output::Output;
use crate::render;

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
pub(super) fn with_progress<A, E: Into<Failure>>(
    global: &Global,
    work: impl FnOnce(&Progress) -> Result<A, E>,
) -> Result<A, Failure> {
    let console = Console::new(global);
    let progress = console.progress(global);
    let handle = progress.clone();
    Interrupt::install(move || handle.cancel())?;
    let result = work(&progress);
    console.finish();
    result.map_err(Into::into)
}
