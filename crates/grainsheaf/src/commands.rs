//! The commands except `record`: they ask the engine and print its answer.

mod add;
mod decision;
mod depth;
mod export;
mod git_order;
mod grain_diff;
mod maintain;
mod parameters;
mod paths;
mod query;
mod report;
mod serve;
mod why;

pub(crate) use add::add;
pub(crate) use decision::{gate, history, noise};
pub(crate) use depth::{grains, problems, tree};
pub(crate) use export::export;
pub(crate) use maintain::{compact, remove, set, verify};
pub(crate) use paths::{loops, parallelism, paths, scheduling};
pub(crate) use query::{diff, explain, info, mapping, runs, scale, similar, stats, what_if};
pub(crate) use serve::serve;

use maintain::with_progress;

use sheaf_ensemble::{Checks, Exposure};
use sheaf_model::Progress;
use sheaf_server::Answers;

use crate::cli::Global;
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::interrupt::{Interrupt, end_question};
use crate::output::Output;

/// How a command ends.
type Outcome = Result<Exit, Failure>;

/// Opens the store for questions, which Ctrl-C and `--deadline` stop.
///
/// # Errors
/// When there is no store, or one of a later version.
fn open(output: &Output) -> Result<&'static Answers, Failure> {
    let answers = open_store(output)?;
    let progress = watch_for_stop(output.global(), Progress::silent())?;
    Ok(keep(answers.with_progress(progress)))
}

/// Keeps an open store until the process ends. To free the metadata of 10,000 runs one by one takes longer than most
/// questions.
fn keep(answers: Answers) -> &'static Answers {
    Box::leak(Box::new(answers))
}

/// Makes Ctrl-C and `--deadline` stop a question: its work stops by itself, or the process is ended. Only for
/// commands that have nothing to clean up.
///
/// # Errors
/// When the system refuses the handler.
fn watch_for_stop(global: &Global, progress: Progress) -> Result<Progress, Failure> {
    let progress = match global.deadline {
        Some(limit) => progress.with_deadline(limit),
        None => progress,
    };
    Interrupt::stop_question(progress.clone())?;
    if let Some(limit) = global.deadline {
        let console = Console::new(global);
        end_question(limit, move || {
            console.failure(&sheaf_ensemble::Error::Deadline { limit }.into());
        });
    }
    Ok(progress)
}

/// Opens the store for work that stops by itself at Ctrl-C.
///
/// # Errors
/// When there is no store, or one of a later version.
fn open_store(output: &Output) -> Result<Answers, Failure> {
    let global = output.global();
    let answers = Answers::open_for(&global.store, output.caller(), checks(global))?;
    warn_of_exposures(&Console::new(global), &answers.exposures());
    Ok(answers)
}

/// When tables are compared with their checksums.
const fn checks(global: &Global) -> Checks {
    if global.no_verify {
        Checks::WhenAsked
    } else {
        Checks::OnFirstRead
    }
}

/// Exposed files and folders that are named one by one.
const NAMED_EXPOSURES: usize = 5;

/// Warns when others may write to the store's files and folders.
pub(crate) fn warn_of_exposures(console: &Console, exposures: &[Exposure]) {
    let unnamed = exposures.len().saturating_sub(NAMED_EXPOSURES);
    for exposure in exposures.iter().take(NAMED_EXPOSURES) {
        console.warning(&format!(
            "{} may write to `{}`, and so change the store",
            exposure.writers,
            exposure.path.display()
        ));
    }
    if unnamed > 0 {
        console.warning(&format!(
            "the same holds for {unnamed} more files and folders of the store"
        ));
    }
}
