//! `record`: runs a program with the recorder in it, over thread counts and repeats, and puts what
//! was recorded into the store.

mod cost;
mod diagnosis;
mod elf;
mod facts;
mod input;
mod launch;
mod leftovers;
mod libraries;
mod plan;
mod program;
mod recorder_library;
mod resume;
mod runtime;
mod sweep;
mod traces;

use std::sync::{Mutex, PoisonError};

use sheaf_answers::Record;
use sheaf_server::Answers;

use crate::cli::Global;
use crate::cli::record::RecordArguments;
use crate::commands::warn_of_exposures;
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::interrupt::Interrupt;
use crate::output::Output;
use crate::render;
use input::SharedInput;
use libraries::Linkage;
use sweep::{Sweep, Tally};

/// Records a sweep and prints what was recorded.
///
/// # Errors
/// When nothing can be launched or the store cannot be written. Launches that fail are reported as
/// they happen and show in the exit status.
pub(crate) fn record(
    global: &Global,
    arguments: &RecordArguments,
    output: &Output,
) -> Result<Exit, Failure> {
    refuse_contradictions(arguments)?;
    let console = Console::new(global);
    let program = program::find(&arguments.command)?;
    let runtime = runtime::choose(&program, &arguments.runtime)?;
    let recorder = recorder_library::find()?;
    if program.linkage == Linkage::Static && !program.is_wrapped() {
        console.warning(&format!(
            "`{}` is linked statically: nothing is recorded unless it starts another program",
            program.name()
        ));
    }
    runtime
        .warnings
        .iter()
        .for_each(|warning| console.warning(warning));
    let params = facts::gather(
        &arguments.command,
        &program,
        &runtime,
        &arguments.environment,
        &arguments.params,
    );
    let answers = Answers::create_or_open_for(&global.store, output.caller())?;
    warn_of_exposures(&Console::new(global), &answers.exposures());
    for folder in leftovers::remove(&std::env::temp_dir()) {
        let folder = folder.display();
        console.note(&format!(
            "removed what a recording that was killed left: {folder}"
        ));
    }
    let input = shared_input(arguments)?;
    let sweep = Sweep {
        arguments,
        answers: &answers,
        program,
        runtime,
        recorder,
        params,
        console: console.with_bar(global, Sweep::size(arguments), "launches"),
        interrupt: Interrupt::install(|| {})?,
        input,
        pairs: Mutex::default(),
        batch: Mutex::default(),
    };
    let tally = sweep.run();
    sweep.console.finish();
    finish(&sweep, tally, output)
}

/// Refuses parameters and variables that the sweep sets itself: the value that was given would be
/// lost, and cohorts would be wrong.
fn refuse_contradictions(arguments: &RecordArguments) -> Result<(), Failure> {
    const SET: &[&str] = &["threads", "repeat", "ranks", "processes"];
    if let Some((name, _)) = arguments
        .params
        .iter()
        .find(|(name, _)| SET.contains(&name.as_str()))
    {
        return Err(
            Failure::usage(format!("parameter `{name}` is set by the recording itself"))
                .with_hint("choose another name"),
        );
    }
    let own = |(name, _): &&(String, String)| sweep::OWN_VARIABLES.contains(&name.as_str());
    if let Some((name, _)) = arguments.environment.iter().find(own) {
        return Err(
            Failure::usage(format!("variable `{name}` is set by the recording itself"))
                .with_hint("leave it out; the launches of `--reference` run without the recorder"),
        );
    }
    let is_swept = !arguments.threads.is_empty();
    let sets_threads = |(name, _): &&(String, String)| name == "OMP_NUM_THREADS";
    if is_swept && arguments.environment.iter().any(|pair| sets_threads(&pair)) {
        return Err(
            Failure::usage("`--env OMP_NUM_THREADS` contradicts `--threads`".to_owned())
                .with_hint("give the numbers of threads to `--threads` alone"),
        );
    }
    Ok(())
}

/// Standard input, where more than one launch is to read it.
fn shared_input(arguments: &RecordArguments) -> Result<Option<SharedInput>, Failure> {
    let is_single = Sweep::size(arguments) == 1 && !arguments.reference;
    if is_single {
        return Ok(None);
    }
    SharedInput::of_pipe().map_err(|error| {
        Failure::file(
            "cannot keep the standard input for all launches",
            &error,
            &std::env::temp_dir(),
        )
    })
}

fn finish(sweep: &Sweep<'_>, tally: Tally, output: &Output) -> Result<Exit, Failure> {
    if let Some(error) = sweep.input.as_ref().and_then(SharedInput::error) {
        sweep.console.warning(&format!(
            "launches did not get all of the standard input: {error}"
        ));
    }
    if tally.held > 0 {
        let held = render::counted(tally.held as u64, "launch", "launches");
        sweep
            .console
            .note(&format!("{held} left out: the store holds them already"));
    }
    let answer = Record {
        schema: "record/1".to_owned(),
        runs: tally.runs,
        batch: sweep.batch(),
        costs: {
            let pairs = sweep.pairs.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(reason) = pairs.why_none() {
                sweep.console.note(&reason);
            }
            cost::costs(&pairs.compared)
        },
    };
    output.print_table(&answer, |layout| render::record(&answer, layout))?;
    if let Some(failure) = tally.stopped_by {
        return Err(failure);
    }
    Ok(if sweep.interrupt.is_set() {
        Exit::Interrupted
    } else if tally.has_failures {
        Exit::Refused
    } else {
        Exit::Done
    })
}
