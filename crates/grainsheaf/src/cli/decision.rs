//! Arguments of `gate`, `noise` and `history`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sheaf_ensemble::{GateOptions, HistoryOptions, NoiseOptions};
use sheaf_model::{Compare, Lens, RunSelector};

use super::values::{Locations, Selected, Significance, Values, Why, trimmed};

/// What to compare, and what fails the gate.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
A group fails the gate if it is slower. A group is slower if all of these hold: q is at most --alpha, the
interval of the typical ratio excludes 1, the change exceeds --max-regression, and the change is at least
--min-share of the larger total of the two sides, so that swapped sides agree. q is computed over the groups
that `diff` tests: those with at least 0.1 % of the work of both sides, or with half of --min-share if that is
less. Noise alone does not fail a gate. If the runs cannot decide, the gate is inconclusive: it passes
with a note, unless --strict is given.

Exit status:
  0    passed; or inconclusive, and not --strict
  1    failed: a group is slower, the structure changed (with --fail-on structure), or runs of the candidate are
       incomplete
  2    wrong options, no run selected for a side, or the candidate includes every run of the baseline
  4    inconclusive, with --strict: too few runs (fewer than four per side at 5 %), different numbers of
       threads, or too much noise to exclude a regression

A run is incomplete if its program or file ended early. Incomplete runs of the baseline are excluded and named;
incomplete runs of the candidate fail the gate. An expression that names `incomplete` compares them like other
runs: `version = 2 and exists incomplete`, or `incomplete` for incomplete runs only.

JSON (gate/1): outcome (passed, failed, inconclusive), reasons, limits, incomplete, structure_change,
runs_needed, groups: [{path, group, row, state (failed, undecided, passed, small), limit, regression,
share, reason}], diff: the comparison, as `grainsheaf diff --json` prints it.

`run = @ID`, or just @ID, selects the runs of the import with this id, which `add` and `record` print.
`run = @new` selects the runs of the last import of this CI job (GRAINSHEAF_BATCH, CI_JOB_ID,
GITHUB_RUN_ID and others; docs/gates.md lists them), or else of the store. Standard error names the import.

Examples:
  grainsheaf gate --baseline 'branch = main' --candidate 'run = @new'
  grainsheaf gate --baseline 'branch = main' --candidate 'commit = 3f2a91c0d1e2'
  grainsheaf gate --baseline 'version = 1' --candidate 'version = 2' --max-regression 10% --strict
  grainsheaf gate --baseline A --candidate B --fail-on slower,structure --format markdown -o gate.md
  grainsheaf gate --baseline A --candidate B --format junit -o gate.xml
  grainsheaf gate --baseline A --candidate B --format html -o gate.html
  grainsheaf noise --where 'branch = main' --json > noise.json
  grainsheaf gate --baseline A --candidate B --thresholds noise.json")]
pub(crate) struct GateArguments {
    /// Runs to compare with: an expression, a name or a run id.
    #[arg(long, value_name = "EXPRESSION")]
    pub(crate) baseline: String,
    /// Runs to judge.
    #[arg(long, value_name = "EXPRESSION")]
    pub(crate) candidate: String,
    /// Relative slowdown above which a group is a regression.
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = share)]
    pub(crate) max_regression: f64,
    /// Minimum change that matters, as a share of the larger total of the two sides.
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = part)]
    pub(crate) min_share: f64,
    /// What fails the gate.
    #[arg(
        long,
        value_name = "CAUSES",
        value_enum,
        value_delimiter = ',',
        default_value = "slower"
    )]
    pub(crate) fail_on: Vec<Cause>,
    /// End with status 4 if the runs cannot decide.
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) values: Values,
    /// Answer of `grainsheaf noise --json`: the limit of a group is its `threshold` if that exceeds
    /// --max-regression.
    #[arg(long, value_name = "FILE")]
    pub(crate) thresholds: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) significance: Significance,
    /// Format of the report [default: text]; `--json` and `--csv` also set it.
    #[arg(long, value_name = "FORM", value_enum)]
    pub(crate) format: Option<ReportForm>,
    /// File to write the report to; an existing file is replaced. Standard output if missing or `-`.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Show at most this many groups; 0 for all [default: 30 in text, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    #[command(flatten)]
    pub(crate) why: Why,
}

/// Whose noise to measure.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Runs with the same values of --by are repeats of one configuration; they differ by noise only. For each
configuration and group, `noise` prints the spread of the repeats, the smallest change that runs can show, and
a limit for `grainsheaf gate --thresholds`. It also splits the repeats into two halves and judges each half
against the other with the gate (A/A gates). It uses every split, or --splits random ones from a fixed seed if
there are more. At most the share --alpha of these gates may fail.

Exit status: 0 done; 1 more A/A gates failed than --alpha allows; 2 wrong options or no run.

JSON (noise/1): by, alpha, power, seed, cohorts: [{name, values, runs, groups: [{path, group, runs, median,
share, spread, visible, visible_with, seen, threshold}], check}], check: {splits, is_all, can_fail, gates,
failed, share, holds}, repeats_needed, notes.

Parameters that identify a launch are not part of a configuration unless --by names them: the number of a
repeat, dates and times, command lines, folders, output files, users, ids of jobs and processes, and names that
end in _path, _dir, _directory, _hash, _uuid, _jobid, _job_id or _timestamp. They do not separate series of
`scale` either, and have no column in `runs`. `grainsheaf set --incidental NAMES` and `--configuration NAMES`
change this for a store.

Examples:
  grainsheaf noise
  grainsheaf noise --where 'branch = main' --by threads,host
  grainsheaf noise --level module --json > noise.json
  grainsheaf gate --baseline A --candidate B --level module --thresholds noise.json")]
pub(crate) struct NoiseArguments {
    /// Parameters that define a configuration [default: all that vary and do not identify a launch]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) by: Vec<String>,
    #[command(flatten)]
    pub(crate) values: Values,
    #[command(flatten)]
    pub(crate) significance: Significance,
    /// Maximum number of splits of the runs of a configuration.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = splits)]
    pub(crate) splits: usize,
    /// Show at most this many groups per configuration; 0 for all [default: 30 in text, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

impl NoiseArguments {
    /// The question.
    pub(crate) fn lens(&self) -> Lens {
        Lens {
            by: trimmed(&self.by),
            ..self.values.lens()
        }
    }

    /// Options of the measurement.
    pub(crate) fn options(&self) -> NoiseOptions {
        let mut options = NoiseOptions {
            most_splits: self.splits,
            ..NoiseOptions::default()
        };
        options.gate.alpha = self.significance.alpha;
        options
    }
}

/// Which versions to follow.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
The runs of one version are one point. Versions are sorted as numbers or version strings (1.9 before 1.10,
2.0-rc1 before 2.0), never by date; other names, such as commits, need --order:
  --order git DIR      by ancestry of the commits in the repository in DIR
  --order PARAMETER    by the values of another parameter, such as a build number
  --order list A,B,C   as listed, oldest first

Runs of different environments (compiler, node, threads, ...) form separate series. A parameter that follows
from the axis, such as workers with --by ranks, does not separate series. Every group of every series is
searched for change points (E-divisive, tested by permuting runs). A change can be found at 5 % if there are at
least four runs on each side of it. The newest version is also compared with the versions since the last
change. q is computed over all tested groups. A significant change of at most 5 %, or below 1 % of the larger
total, is inconclusive, with a reason. If the number of workers, threads or ranks changes between versions,
their times are not tested against each other and have neither p nor q.

Each version is matched with the one before, as in a diff of the two. A renamed definition is one group with
all its names; the answer states whether the name comes from the mapping file (`grainsheaf match`) or was
inferred, and with which score. Events are groups that appear or vanish, and definitions that were renamed,
wrapped, moved or multiplied. The command of the diff that shows a change is printed with it.

JSON (history/1): by, versions, renames: [{group, names: [{name, group, version, matched_by, score}]}],
series: [{metric, unit, name, environment, points: [{version, runs, untested, diff}], groups: [{path, group, names, share,
values: [{runs, median, min, max} or null per point], p, q, changes: [{point, version, p, before, after,
verdict, reason, diff}], last: {since, runs_before, runs, ratio, ci, p, q, verdict, reason}}], events: [{point,
version, kind, path, group, verdict, change, diff}], smallest_p}], diffs: [{series, point, before, version, lens,
href, structure, rows, groups}], tested, alpha, notes. A diff is {lens, href}. `reason` explains
why a verdict is neither slower nor faster; `untested`, why times are not compared with the version before.
CSV has a row per group and version, with the verdict and reason of a change at it and of the newest version.

Examples:
  grainsheaf history --by version
  grainsheaf history --by commit --order git ~/src/sort --where 'branch = main'
  grainsheaf history --by version --environment threads,host --level module
  grainsheaf history --by version --metric work_ns --metric grains
  grainsheaf history --by commit --order build --csv > history.csv")]
pub(crate) struct HistoryArguments {
    /// Parameter that names the version of a run.
    #[arg(long, value_name = "PARAMETER")]
    pub(crate) by: String,
    /// Order of versions: `git DIR`, `list A,B,C` or a parameter [default: as versions]
    #[arg(long, value_names = ["ORDER", "WHAT"], num_args = 1..=2)]
    pub(crate) order: Vec<String>,
    /// Parameters whose values separate series; empty for none [default: compiler, host, threads and
    /// similar ones]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) environment: Option<Vec<String>>,
    #[command(flatten)]
    pub(crate) selected: Selected,
    /// Metric, by its name or the name in the source; may be repeated; `all` for every metric [default:
    /// `work_ns`; for call profiles the time that most of them have]
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Vec<String>,
    #[command(flatten)]
    pub(crate) locations: Locations,
    #[command(flatten)]
    pub(crate) significance: Significance,
    /// Show at most this many groups per series; 0 for all [default: 30 in text, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

impl HistoryArguments {
    /// The question.
    pub(crate) fn lens(&self) -> Lens {
        let default = Lens::default();
        Lens {
            by: vec![self.by.trim().to_owned()],
            metric: self.metric.first().cloned().unwrap_or(default.metric),
            over: self.locations.over.unwrap_or(default.over),
            ..self.selected.lens()
        }
    }

    /// Options of the search for changes.
    pub(crate) fn options(&self) -> HistoryOptions {
        let named = |names: &Vec<String>| {
            let names = names.iter().map(|name| name.trim().to_owned());
            names.filter(|name| !name.is_empty()).collect()
        };
        HistoryOptions {
            alpha: self.significance.alpha,
            environment: self.environment.as_ref().map(named),
            more_metrics: self.metric.iter().skip(1).cloned().collect(),
            ..HistoryOptions::default()
        }
    }
}

fn splits(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(splits) if (1..=100_000).contains(&splits) => Ok(splits),
        _ => Err("expected a number from 1 to 100000".to_owned()),
    }
}

/// What can fail a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Cause {
    /// A group is significantly and noticeably slower.
    Slower,
    /// The structure of the program changed.
    Structure,
}

/// Format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportForm {
    /// For terminals.
    Text,
    /// For a comment on a pull request.
    Markdown,
    /// XML for CI services, with a test case per group.
    Junit,
    /// One file with pictures and tables, for readers without a store or a network.
    Html,
    /// For programs.
    Json,
}

impl GateArguments {
    /// The comparison.
    pub(crate) fn lens(&self) -> Lens {
        Lens {
            compare: Compare::Diff {
                a: RunSelector(self.baseline.clone()),
                b: RunSelector(self.candidate.clone()),
            },
            ..self.values.lens()
        }
    }

    /// The limits.
    pub(crate) fn options(&self) -> GateOptions {
        GateOptions {
            alpha: self.significance.alpha,
            max_regression: self.max_regression,
            min_share: self.min_share,
            fails_on_slower: self.fail_on.contains(&Cause::Slower),
            fails_on_structure: self.fail_on.contains(&Cause::Structure),
            is_strict: self.strict,
            ..GateOptions::default()
        }
    }
}

/// Parses a non-negative share, `5%` or `0.05`. A number of 1 or more needs the sign, because `5` rarely means
/// 500 %.
fn share(text: &str) -> Result<f64, String> {
    let (number, divisor) = match text.trim().strip_suffix('%') {
        Some(percent) => (percent.trim_end(), 100.0),
        None => (text.trim(), 1.0),
    };
    match number.parse::<f64>() {
        Ok(number) if number >= 1.0 && divisor < 2.0 && number.is_finite() => Err(format!(
            "`{number}` would be {} %; write `{number}%`",
            number * 100.0
        )),
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number / divisor),
        _ => Err("expected a share such as `5%` or `0.05`".to_owned()),
    }
}

/// Reads a share of at most 1.
pub(crate) fn part(text: &str) -> Result<f64, String> {
    match share(text)? {
        part if part <= 1.0 => Ok(part),
        _ => Err("expected a share of at most `100%`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_percentages_or_numbers() {
        assert_eq!(share("5%"), Ok(0.05));
        assert_eq!(share(" 12.5 % "), Ok(0.125));
        assert_eq!(share("0.05"), Ok(0.05));
        assert_eq!(share("300%"), Ok(3.0));
        for wrong in ["", "%", "five", "5", "1", "-1%", "inf", "NaN"] {
            assert!(share(wrong).is_err(), "{wrong}");
        }
        assert!(part("101%").is_err());
    }
}
