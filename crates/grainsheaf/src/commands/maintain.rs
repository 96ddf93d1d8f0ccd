//! Changes and checks of a store as a whole.

use std::time::{Duration, Instant};

use sheaf_ensemble::{Error, ErrorKind};
use sheaf_model::{ParamValue, ParameterRules, Progress};
use sheaf_server::Answers;

use super::{Outcome, open_store};
use crate::cli::Global;
use crate::cli::store::{
    CompactArguments, Force, RemoveArguments, SetArguments, VerifyArguments, Wait,
};
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::output::Output;
use crate::render;

/// Checks every file; with `--repair`, sets damage aside.
pub(crate) fn verify(arguments: &VerifyArguments, output: &Output) -> Outcome {
    let global = output.global();
    output.refuse_csv()?;
    let answers = open_store(output)?;
    let answer = with_progress(global, |progress| {
        when_free(global, arguments.wait, progress, || {
            if arguments.repair {
                answers.repair(progress)
            } else {
                answers.verify(progress)
            }
        })
    })?;
    output.print(&answer, |layout| {
        render::verify(&answer, arguments.repair, layout)
    })?;
    Ok(if answer.ok { Exit::Done } else { Exit::Damaged })
}

/// Merges segments.
pub(crate) fn compact(arguments: &CompactArguments, output: &Output) -> Outcome {
    let global = output.global();
    output.refuse_csv()?;
    let answers = open_store(output)?;
    let answer = with_progress(global, |progress| {
        if arguments.dry_run {
            return Ok(answers.plan_compaction(progress)?);
        }
        force(global, arguments.force, &answers)?;
        when_free(global, arguments.wait, progress, || {
            answers.compact(progress)
        })
    })?;
    output.print(&answer, |_| render::compact(&answer))
}

/// Removes runs, or brings them back.
pub(crate) fn remove(arguments: &RemoveArguments, output: &Output) -> Outcome {
    let global = output.global();
    output.refuse_csv()?;
    let answers = open_store(output)?;
    if arguments.undo {
        let answer = with_progress(global, |progress| {
            force(global, arguments.force, &answers)?;
            when_free(global, arguments.wait, progress, || {
                answers.restore(&arguments.runs)
            })
        })?;
        return output.print(&answer, |_| render::restore(&answer));
    }
    let answer = with_progress(global, |progress| {
        force(global, arguments.force, &answers)?;
        when_free(global, arguments.wait, progress, || {
            answers.remove(&arguments.runs)
        })
    })?;
    output.print(&answer, |_| render::remove(&answer))
}

/// Corrects parameters of runs; without a run, changes the rules of the store about parameters.
pub(crate) fn set(arguments: &SetArguments, output: &Output) -> Outcome {
    output.refuse_csv()?;
    let Some(run) = &arguments.run else {
        let added = ParameterRules {
            incidental: arguments.incidental.iter().cloned().collect(),
            configuration: arguments.configuration.iter().cloned().collect(),
        };
        let answer = open_store(output)?.set_parameter_rules(&added, &arguments.forget)?;
        output.print(&answer, |_| render::parameter_rules(&answer))?;
        return Ok(Exit::Done);
    };
    if let Some(name) = &arguments.name {
        let name = Some(name.as_str()).filter(|name| !name.is_empty());
        let answer = open_store(output)?.rename_run(run, name)?;
        return output.print(&answer, |_| render::renamed(&answer));
    }
    if let Some(text) = &arguments.remark {
        let text = Some(text.as_str()).filter(|text| !text.is_empty());
        let answer = open_store(output)?.set_remark(run, None, text)?;
        return output.print(&answer, |_| render::remarks(&answer));
    }
    let given = arguments.params.iter();
    let given = given.map(|(name, value)| (name.clone(), Some(ParamValue::infer(value))));
    let forgotten = arguments.forget.iter().map(|name| (name.clone(), None));
    let answer = open_store(output)?.set_params(run, &given.chain(forgotten).collect())?;
    output.print(&answer, |_| render::set(&answer))
}

/// Takes over the lease of a process on another machine, if the user wants it.
fn force(global: &Global, force: Force, answers: &Answers) -> Result<(), Failure> {
    if force.is_forced && answers.break_lease()? {
        Console::new(global).note("took the store from a process that may be gone");
    }
    Ok(())
}

/// Pauses between two attempts grow to this.
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// Repeats work that fails because another process maintains the store, until the time limit.
///
/// # Errors
/// Those of the work; at the limit that the store is busy. When the user stops the wait.
fn when_free<A>(
    global: &Global,
    wait: Wait,
    progress: &Progress,
    mut work: impl FnMut() -> Result<A, Error>,
) -> Result<A, Failure> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(10);
    let mut has_told = false;
    loop {
        progress.check().map_err(Error::from)?;
        let error = match work() {
            Err(error) if error.kind() == ErrorKind::Busy => error,
            result => return Ok(result?),
        };
        let left = wait.limit.saturating_sub(start.elapsed());
        if left.is_zero() {
            let failure = Failure::from(error);
            return Err(if wait.limit.is_zero() {
                failure.with_hint("`--wait SECONDS` waits until the store is free")
            } else {
                failure
            });
        }
        if !has_told {
            Console::new(global).note("waiting for another process that maintains the store");
            has_told = true;
        }
        std::thread::sleep(pause.min(left));
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Does long work that Ctrl-C stops.
pub(super) fn with_progress<A, E: Into<Failure>>(
    global: &Global,
    work: impl FnOnce(&Progress) -> Result<A, E>,
) -> Result<A, Failure> {
    let console = Console::new(global);
    let progress = match global.deadline {
        Some(limit) => console.progress(global).with_deadline(limit),
        None => console.progress(global),
    };
    let handle = progress.clone();
    Interrupt::install(move || handle.cancel())?;
    let result = work(&progress);
    console.finish();
    result.map_err(|error| {
        let failure: Failure = error.into();
        match progress.exceeded() {
            Some(limit) if failure.exit == Exit::Interrupted => Error::Deadline { limit }.into(),
            _ => failure,
        }
    })
}
