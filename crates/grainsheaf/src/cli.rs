//! The command line: every command, option and its help.

pub(crate) mod decision;
pub(crate) mod depth;
pub(crate) mod explain;
pub(crate) mod export;
mod help;
pub(crate) mod paths;
pub(crate) mod question;
pub(crate) mod record;
pub(crate) mod scale;
pub(crate) mod similar;
pub(crate) mod store;
pub(crate) mod values;
pub(crate) mod what_if;

pub(crate) use help::command;

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use sheaf_model::ParseError;

/// Records, stores and compares many runs of parallel programs.
#[derive(Debug, Parser)]
#[command(
    name = "grainsheaf",
    version,
    propagate_version = true,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "`grainsheaf COMMAND --help` shows examples.",
    after_long_help = EXAMPLES
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  grainsheaf record --threads 1,2,4,8 --repeat 5 -- ./sort 4194304
  grainsheaf serve
  grainsheaf diff 'threads == 4' 'threads == 8'
  grainsheaf stats --by threads --level definition --metric work_ns

Exit status:
  0    done
  1    the gate failed, `diff --fail-on` found what it looks for, or too many A/A gates of `noise` failed
  2    wrong usage or configuration, such as an unknown run or a folder that is not a store
  3    some input was refused, or some launch failed or gave no complete run; everything else was done
  4    inconclusive, with `gate --strict`
  5    internal error, or the operating system failed
  6    busy: another process maintains the store; `--wait SECONDS` waits for it
  7    no space or no permission, also for standard output
  8    the store is damaged
  130  interrupted, or stopped at --deadline; `record` keeps finished recordings, an unfinished `add` is rolled back

If the reader of standard output ends, as `head` does, the command ends with status 0.
docs/numbers.md of the project explains the numbers and their limits.";

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct Global {
    /// Folder of the store.
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "GRAINSHEAF_STORE",
        default_value = ".grainsheaf",
        help_heading = "Everywhere"
    )]
    pub(crate) store: PathBuf,
    /// Print the answer as JSON.
    #[arg(
        long,
        global = true,
        conflicts_with = "csv",
        help_heading = "Everywhere"
    )]
    pub(crate) json: bool,
    /// Print the answer's table as comma-separated values.
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub(crate) csv: bool,
    /// Stop the command if answering and printing take longer; `serve` stops each HTTP request [default: none; `serve`: 60]
    #[arg(long, global = true, value_name = "SECONDS", value_parser = seconds, help_heading = "Everywhere")]
    pub(crate) deadline: Option<Duration>,
    /// Skip the checksums of tables when reading them; `diff`, `gate` and `export` always check.
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub(crate) no_verify: bool,
    /// Print answers and errors only.
    #[arg(
        short,
        long,
        global = true,
        conflicts_with = "verbose",
        help_heading = "Everywhere"
    )]
    pub(crate) quiet: bool,
    /// Print more messages; given twice, all of them. `RUST_LOG` selects them in detail.
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = "Everywhere")]
    pub(crate) verbose: u8,
    /// When to use colours.
    #[arg(
        long, global = true, value_name = "WHEN", value_enum, default_value_t = Colour::Auto,
        help_heading = "Everywhere"
    )]
    pub(crate) color: Colour,
}

/// A time above zero.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| "expected seconds above zero, such as `10` or `0.5`".to_owned())
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a program and record its tasks and loop chunks.
    Record(record::RecordArguments),
    /// Add files or folders to the store.
    Add(store::AddArguments),
    /// List the runs of the store.
    Runs(question::RunsArguments),
    /// Show everything that is known about one run.
    Info(question::InfoArguments),
    /// List the grains of one run with their metrics.
    Grains(depth::GrainsArguments),
    /// List the grains of one run that exceed thresholds, by problem.
    Problems(depth::ProblemsArguments),
    /// Show the aggregation tree of one run.
    Tree(depth::TreeArguments),
    /// Show what bounds the time of one run: its critical path, and the path of last finishers.
    Paths(paths::PathsArguments),
    /// Show how many workers the work-sharing loops of one run need.
    Loops(paths::LoopsArguments),
    /// Show how the workers of one run spent their time, and which tasks they stole.
    Scheduling(paths::SchedulingArguments),
    /// Show how many fragments of one run were running and ready over time.
    Parallelism(paths::ParallelismArguments),
    /// Show the distribution of each group over runs.
    Stats(question::StatsArguments),
    /// Compare two runs or sets of runs.
    Diff(question::DiffArguments),
    /// Divide the difference of two elapsed times into causes.
    Explain(explain::ExplainArguments),
    /// Predict times on other numbers of workers and with changes, and show what to optimise first.
    WhatIf(what_if::WhatIfArguments),
    /// Show how times change with a parameter such as `threads`, and where the time of workers was lost.
    Scale(scale::ScaleArguments),
    /// Decide in CI whether a candidate is slower than its baseline.
    Gate(decision::GateArguments),
    /// Measure the noise of repeats, and derive limits for gates.
    Noise(decision::NoiseArguments),
    /// Find out at which version groups changed, and whether the newest version is slower.
    History(decision::HistoryArguments),
    /// Confirm or reject which definitions of different versions are the same.
    Match(question::MatchArguments),
    /// Show how similar runs are, which form clusters, and what distinguishes these.
    Similar(similar::SimilarArguments),
    /// Write a run in a format of other tools, or a report as one HTML file.
    Export(export::ExportArguments),
    /// Show stores in the browser.
    Serve(store::ServeArguments),
    /// Check every file of the store.
    Verify(store::VerifyArguments),
    /// Merge the store's small segments and remove leftovers.
    Compact(store::CompactArguments),
    /// Correct parameters of runs that are in the store.
    Set(store::SetArguments),
    /// Remove runs from the store.
    Remove(store::RemoveArguments),
    /// Print completions for a shell.
    #[command(
        after_long_help = "Examples:\n  grainsheaf completions bash > ~/.local/share/bash-completion/completions/grainsheaf"
    )]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the licences of all packages that this binary and its page contain.
    #[command(after_long_help = "Examples:\n  grainsheaf licenses | less")]
    Licenses,
    /// Write the manual pages into a folder.
    #[command(hide = true)]
    Man {
        /// The folder; created if missing.
        folder: PathBuf,
    },
}

/// Reads `NAME=VALUE`; the value may be empty and may contain `=`.
pub(crate) fn name_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.to_owned()))
        }
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

/// Parses an expression or pattern; an error marks the position of the mistake.
pub(crate) fn pointed<T: FromStr<Err = ParseError>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: ParseError| error.pointed())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn definitions_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_help_lists_every_exit_status() {
        use crate::failure::Exit;
        let all = [
            Exit::Done,
            Exit::Failed,
            Exit::Usage,
            Exit::Refused,
            Exit::Inconclusive,
            Exit::Internal,
            Exit::Busy,
            Exit::NotWritable,
            Exit::Damaged,
            Exit::Interrupted,
        ];
        let table = EXAMPLES.split("Exit status:\n").nth(1).unwrap();
        let listed = table.lines().take_while(|line| !line.is_empty());
        let listed: Vec<&str> = listed
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        assert_eq!(listed, all.map(|exit| (exit as u8).to_string()));
    }

    #[test]
    fn every_command_has_examples() {
        for command in Cli::command()
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
        {
            let help = command.clone().render_long_help().to_string();
            assert!(help.contains("Examples:"), "{}", command.get_name());
        }
    }

    #[test]
    fn names_and_values_are_split_at_the_first_sign() {
        assert_eq!(name_and_value("a=b=c"), Ok(("a".into(), "b=c".into())));
        assert_eq!(name_and_value("a="), Ok(("a".into(), String::new())));
        assert!(name_and_value("=b").is_err());
        assert!(name_and_value("a").is_err());
    }
}
