//! Launches that fail, and their effect on the sweep.

use std::path::Path;

use sheaf_answers::RecordedRun;

use super::super::launch::{Ending, Outcome};
use super::super::plan::Launch;
use super::super::program::Program;
use super::super::traces::TraceFolder;
use crate::failure::{Exit, Failure};

/// A launch that gave no run, by its effect on the others.
#[derive(Debug)]
pub(super) enum Setback {
    /// Nothing.
    Launch(Failure),
    /// When it is the first, that none of them will give a run.
    First(Failure),
    /// That they cannot be done.
    Sweep(Failure),
}

impl From<Failure> for Setback {
    fn from(failure: Failure) -> Self {
        Self::Sweep(failure)
    }
}

impl From<sheaf_ensemble::Error> for Setback {
    fn from(error: sheaf_ensemble::Error) -> Self {
        Self::Sweep(error.into())
    }
}

/// A program that fails may fail at this thread count only; after one that does not, the next
/// launch will be no better.
pub(super) fn by_ending(outcome: &Outcome, failure: Failure) -> Setback {
    if outcome.ending.is_success() {
        Setback::First(failure)
    } else {
        Setback::Launch(failure)
    }
}

pub(super) fn interrupted(launch: Launch) -> Failure {
    let message = format!("{} was interrupted", launch.label());
    Failure::new(Exit::Interrupted, message).with_hint("`--resume` goes on from here")
}

/// Failure of a launch that ended well but whose trace is incomplete.
pub(super) fn not_whole(
    launch: Launch,
    runs: &[RecordedRun],
    traces: &TraceFolder,
) -> Option<Failure> {
    let run = runs.iter().find(|run| !run.is_complete)?;
    // If there are several processes, the warning names one of them first.
    let is_about_space = |warning: &&String| warning.contains("recording stopped early");
    let about_space = run.warnings.iter().find(is_about_space);
    let reason = about_space.or(run.warnings.first())?;
    let message = format!("{} is not recorded to its end: {reason}", launch.label());
    let hint = if traces.is_full() {
        "make space, or name a folder elsewhere with `--keep-traces DIR` or TMPDIR"
    } else {
        "what was recorded until then is in the store, marked as incomplete"
    };
    Some(Failure::new(Exit::Refused, message).with_hint(hint))
}

/// Failure of a launch that was recorded but did not end well; a run `has_status` if it is of the launched process.
pub(super) fn trouble(
    program: &Program,
    launch: Launch,
    outcome: &Outcome,
    has_status: bool,
) -> Option<Failure> {
    let hint = match outcome.ending {
        Ending::Exit(0) => return None,
        Ending::Exit(_) if has_status => "its run is in the store, with parameter `exit_status`",
        Ending::Exit(_) => {
            "what it ran is in the store; the status is not that of a recorded process"
        }
        Ending::TimedOut => "give it more time with `--timeout SECONDS`",
        Ending::Interrupted => {
            "what was recorded until then is in the store; `--resume` goes on from here"
        }
        Ending::Signal(_) => "what was recorded until then is in the store",
    };
    let message = format!(
        "{}: `{}` {}",
        launch.label(),
        program.name_of_ended(outcome.ending),
        outcome.ending.tell()
    );
    Some(Failure::new(Exit::Refused, message).with_hint(hint))
}

/// Failure of a launch whose traces are all empty files.
pub(super) fn without_content(folder: &Path) -> Failure {
    let folder = folder.display();
    let message =
        format!("nothing was recorded: the recorder could not write to its file in {folder}");
    Failure::new(Exit::Refused, message).with_hint(
        "its message above has the error; `File too large` comes from a limit (`ulimit -f`)",
    )
}
