#![doc = include_str!("../README.md")]

mod cli;
mod commands;
mod console;
mod failure;
mod interrupt;
mod output;
mod record;
mod render;
mod terminal;

use std::path::Path;
use std::process::ExitCode;

use clap::FromArgMatches as _;
use tracing_subscriber::EnvFilter;

use cli::{Cli, Command, Global};
use console::Console;
use failure::{Exit, Failure};
use output::Output;

fn main() -> ExitCode {
    let matches = cli::command().get_matches();
    let Cli { global, command } =
        Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    start_log(&global);
    let exit = run(&global, &command).unwrap_or_else(|failure| {
        Console::new(&global).failure(&failure);
        failure.exit
    });
    ExitCode::from(exit as u8)
}

fn run(global: &Global, command: &Command) -> Result<Exit, Failure> {
    let output = Output::new(global);
    match command {
        Command::Record(arguments) => record::record(global, arguments, &output),
        Command::Add(arguments) => commands::add(global, arguments, &output),
        Command::Runs(arguments) => commands::runs(global, arguments, &output),
        Command::Info(arguments) => commands::info(global, arguments, &output),
        Command::Grains(arguments) => commands::grains(global, arguments, &output),
        Command::Problems(arguments) => commands::problems(global, arguments, &output),
        Command::Tree(arguments) => commands::tree(global, arguments, &output),
        Command::Paths(arguments) => commands::paths(global, arguments, &output),
        Command::Loops(arguments) => commands::loops(global, arguments, &output),
        Command::Scheduling(arguments) => commands::scheduling(global, arguments, &output),
        Command::Parallelism(arguments) => commands::parallelism(global, arguments, &output),
        Command::Stats(arguments) => commands::stats(global, arguments, &output),
        Command::Diff(arguments) => commands::diff(global, arguments, &output),
        Command::Scale(arguments) => commands::scale(global, arguments, &output),
        Command::Gate(arguments) => commands::gate(global, arguments, &output),
        Command::Noise(arguments) => commands::noise(global, arguments, &output),
        Command::History(arguments) => commands::history(global, arguments, &output),
        Command::Match(arguments) => commands::mapping(global, arguments, &output),
        Command::Similar(arguments) => commands::similar(global, arguments, &output),
        Command::Export(arguments) => commands::export(global, arguments, &output),
        Command::Serve(arguments) => commands::serve(global, arguments, &output),
        Command::Verify => commands::verify(global, &output),
        Command::Compact => commands::compact(global, &output),
        Command::Remove(arguments) => commands::remove(global, arguments, &output),
        Command::Completions { shell } => completions(*shell),
        Command::Man { folder } => manual(folder),
    }
}

fn completions(shell: clap_complete::Shell) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut cli::command(), "grainsheaf", &mut script);
    output::write(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

fn manual(folder: &Path) -> Result<Exit, Failure> {
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(cli::command(), folder))
        .map_err(|error| {
            Failure::usage(format!(
                "cannot write manual pages: {error}: {}",
                folder.display()
            ))
        })?;
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
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(terminal::has_colour_on_stderr(global.color))
        .with_target(false)
        .init();
}
