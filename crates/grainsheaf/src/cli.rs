//! The command line: every command, option and its help.

pub(crate) mod decision;
pub(crate) mod depth;
pub(crate) mod export;
mod help;
pub(crate) mod paths;
pub(crate) mod question;
pub(crate) mod record;
pub(crate) mod scale;
pub(crate) mod similar;
pub(crate) mod store;
pub(crate) mod values;

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
  1    the gate failed, the comparison that was asked to fail, or too many A/A gates of `noise`
  2    usage or configuration, such as an unknown run or a folder that is no store
  3    some input was refused or some launch gave no complete run; the rest was done
  4    inconclusive, where a gate is strict
  5    internal fault, or the system failed
  6    busy: another process maintains the store; `--wait SECONDS` waits for it
  7    no space or no permission, also for standard output
  8    damage was found in the store
  130  interrupted, or stopped at --deadline; `record` keeps what it has recorded, `add` adds nothing

A reader of standard output that goes away, such as `head`, ends a command with 0.
What the numbers mean and when not to believe them: docs/numbers.md of the project.";

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
    /// Stop a question that takes longer to answer and print; for `serve` each question over HTTP [default: none; `serve`: 60]
    #[arg(long, global = true, value_name = "SECONDS", value_parser = seconds, help_heading = "Everywhere")]
    pub(crate) deadline: Option<Duration>,
    /// Do not compare tables with their checksums before they are read; `diff`, `gate` and `export` always do.
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub(crate) no_verify: bool,
    /// Say nothing but answers and errors.
    #[arg(
        short,
        long,
        global = true,
        conflicts_with = "verbose",
        help_heading = "Everywhere"
    )]
    pub(crate) quiet: bool,
    /// Say more; twice: everything. `RUST_LOG` chooses in detail.
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
    /// Show all that is known of one run.
    Info(question::InfoArguments),
    /// List the grains of one run with their metrics.
    Grains(depth::GrainsArguments),
    /// List the grains of one run that are beyond thresholds.
    Problems(depth::ProblemsArguments),
    /// Show the aggregation tree of one run.
    Tree(depth::TreeArguments),
    /// Show what bounds the time of one run: its critical path, and the path of last finishers.
    Paths(paths::PathsArguments),
    /// Show how many workers the work-sharing loops of one run need.
    Loops(paths::LoopsArguments),
    /// Show where the time of one run's workers went, and what was stolen.
    Scheduling(paths::SchedulingArguments),
    /// Show how much of one run ran and waited over time.
    Parallelism(paths::ParallelismArguments),
    /// Show the distribution of each group over runs.
    Stats(question::StatsArguments),
    /// Compare two runs or sets of runs.
    Diff(question::DiffArguments),
    /// Show how times change with a parameter, and where workers' time went.
    Scale(scale::ScaleArguments),
    /// Judge whether a candidate may pass, for CI.
    Gate(decision::GateArguments),
    /// Measure how noisy repeats are, and what limits that asks of gates.
    Noise(decision::NoiseArguments),
    /// Follow groups over versions: what changed when, and whether the newest is worse.
    History(decision::HistoryArguments),
    /// Say which definitions of different versions are the same.
    Match(question::MatchArguments),
    /// Show how alike runs are, which belong together, and why.
    Similar(similar::SimilarArguments),
    /// Write a run in a format of other tools.
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
        /// The folder; it is made when missing.
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

/// Reads an expression or pattern; a mistake is pointed at.
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
