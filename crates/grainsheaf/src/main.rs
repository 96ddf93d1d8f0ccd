#![doc = include_str!("../README.md")]

mod cli;
mod commands;
mod console;
mod failure;
mod interrupt;
#[cfg(target_os = "linux")]
mod memory;
mod output;
mod record;
mod render;
mod stdout;
mod terminal;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use clap::FromArgMatches as _;
use tracing_subscriber::EnvFilter;

use cli::{Cli, Command, Global};
use console::Console;
use failure::{Exit, Failure};
use output::Output;

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: memory::HugePages = memory::HugePages;

/// Packages in the binary with their licences, written by `make licences`.
const LICENCES: &str = include_str!("licences.txt");

fn main() -> ExitCode {
    #[cfg(unix)]
    interrupt::survive_file_size_limit();
    let parsed = cli::command()
        .try_get_matches()
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let Cli { global, command } = match parsed {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(help_or_usage(&error) as u8),
    };
    start_log(&global);
    let exit = caught(|| run(&global, &command)).unwrap_or_else(|failure| {
        interrupt::begin_last_output();
        Console::new(&global).failure(&failure);
        failure.exit
    });
    ExitCode::from(exit as u8)
}

/// Prints the help or version that was asked for, or what is wrong with the arguments.
fn help_or_usage(error: &clap::Error) -> Exit {
    if error.use_stderr() {
        // Nobody is left to be informed if standard error fails.
        let _ = error.print();
        return Exit::Usage;
    }
    match stdout::help(error) {
        Ok(()) => Exit::Done,
        Err(failure) => {
            let _ = writeln!(std::io::stderr(), "error: {}", failure.message);
            failure.exit
        }
    }
}

/// Does the work; a panic, which has reported itself by then, is an internal fault.
fn caught(work: impl FnOnce() -> Result<Exit, Failure>) -> Result<Exit, Failure> {
    // Nothing that the work may have left half done is used afterwards.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Failure::new(Exit::Internal, "internal fault")
            .with_hint("please report this with the command and the lines above"))
    })
}

fn run(global: &Global, command: &Command) -> Result<Exit, Failure> {
    #[cfg(target_os = "linux")]
    if matches!(command, Command::Record(_) | Command::Add(_)) {
        memory::share_arenas();
    }
    let output = Output::new(global);
    match command {
        Command::Record(arguments) => record::record(global, arguments, &output),
        Command::Add(arguments) => commands::add(arguments, &output),
        Command::Runs(arguments) => commands::runs(arguments, &output),
        Command::Info(arguments) => commands::info(arguments, &output),
        Command::Grains(arguments) => commands::grains(arguments, &output),
        Command::Problems(arguments) => commands::problems(arguments, &output),
        Command::Tree(arguments) => commands::tree(arguments, &output),
        Command::Paths(arguments) => commands::paths(arguments, &output),
        Command::Loops(arguments) => commands::loops(arguments, &output),
        Command::Scheduling(arguments) => commands::scheduling(arguments, &output),
        Command::Parallelism(arguments) => commands::parallelism(arguments, &output),
        Command::Stats(arguments) => commands::stats(arguments, &output),
        Command::Explain(arguments) => commands::explain(arguments, &output),
        Command::WhatIf(arguments) => commands::what_if(arguments, &output),
        Command::Diff(arguments) => commands::diff(arguments, &output),
        Command::Scale(arguments) => commands::scale(arguments, &output),
        Command::Gate(arguments) => commands::gate(arguments, &output),
        Command::Noise(arguments) => commands::noise(arguments, &output),
        Command::History(arguments) => commands::history(arguments, &output),
        Command::Match(arguments) => commands::mapping(arguments, &output),
        Command::Similar(arguments) => commands::similar(arguments, &output),
        Command::Export(arguments) => commands::export(arguments, &output),
        Command::Serve(arguments) => commands::serve(arguments, &output),
        Command::Verify(arguments) => commands::verify(arguments, &output),
        Command::Compact(arguments) => commands::compact(arguments, &output),
        Command::Set(arguments) => commands::set(arguments, &output),
        Command::Remove(arguments) => commands::remove(arguments, &output),
        Command::Completions { shell } => completions(*shell),
        Command::Licenses => {
            output.refuse_other_than("licenses")?;
            stdout::write(LICENCES)?;
            Ok(Exit::Done)
        }
        Command::Man { folder } => manual(folder),
    }
}

fn completions(shell: clap_complete::Shell) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut cli::command(), "grainsheaf", &mut script);
    stdout::write(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

fn manual(folder: &Path) -> Result<Exit, Failure> {
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(cli::command(), folder))
        .map_err(|error| Failure::file("cannot write manual pages", &error, folder))?;
    Ok(Exit::Done)
}

/// Logs to standard error: `RUST_LOG` decides, else how often `--verbose` was given.
fn start_log(global: &Global) {
    let level = match (global.quiet, global.verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "info",
        (false, _) => "debug",
    };
    // Whoever can reach the service can send requests that are not HTTP: they are worth no line each.
    let default = match global.verbose {
        0 | 1 => format!("{level},actix_http=off"),
        _ => level.to_owned(),
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(terminal::has_colour_on_stderr(global.color))
        .with_target(false)
        // Reporting a failed line would panic when standard error is full.
        .log_internal_errors(false)
        .init();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_internal_fault() {
        let failure = caught(|| panic!("on purpose")).unwrap_err();
        assert_eq!(failure.exit, Exit::Internal);
    }
}
