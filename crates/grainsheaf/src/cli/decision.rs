//! Arguments of the commands that decide: `gate`, and what it rests on.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sheaf_ensemble::{GateOptions, HistoryOptions, NoiseOptions};
use sheaf_model::{Compare, Lens, RunSelector};

use super::values::{Locations, Selected, Significance, Values, trimmed};

/// What to compare, and what may not happen.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
A group fails the gate when it is slower: significantly (q at most --alpha over the groups that `diff` tests: those of
at least 0.1 % of the work of both sides together, or half of --min-share where that is less), the
interval of its typical ratio excludes 1, the change is above --max-regression, and it is at least
--min-share of the greater of the two totals, so that swapped sides agree. Noise never fails a gate. What these runs cannot tell is inconclusive: it
passes, and says so, unless the gate is --strict.

Exit status:
  0    passed; or inconclusive, and not --strict
  1    failed: a group is slower, with --fail-on structure the structure changed, or runs of the candidate are
       incomplete
  2    wrong options, no run selected for a side, or every run of the baseline is the candidate's
  4    inconclusive, with --strict: too few runs (one run per side; fewer than four at 5 %), other
       numbers of threads, or noise too great to exclude a regression

Runs whose program or file ended early are incomplete. Incomplete runs of the baseline are left out and named;
incomplete runs of the candidate fail the gate. An expression that asks for them compares them like any other run:
`version = 2 and exists incomplete`, or `incomplete` for these alone.

JSON (gate/1): outcome (passed, failed, inconclusive), exit_status, reasons, limits, incomplete, structure_change,
runs_needed, groups: [{path, group, row, state (failed, undecided, passed, small), limit, worsening,
share, reason}], diff: the whole comparison as `grainsheaf diff --json` gives it.

`run = @ID`, or @ID by itself, means the runs of the import with this id, which `add` and `record` print.
`run = @new` means those of the caller's own last import: of this CI job (GRAINSHEAF_BATCH, CI_JOB_ID,
GITHUB_RUN_ID and the like; docs/gates.md lists them), else of the store. A line on standard error names it.

Examples:
  grainsheaf gate --baseline 'branch = main' --candidate 'run = @new'
  grainsheaf gate --baseline 'branch = main' --candidate 'commit = 3f2a91c0d1e2'
  grainsheaf gate --baseline 'version = 1' --candidate 'version = 2' --max-regression 10% --strict
  grainsheaf gate --baseline A --candidate B --fail-on slower,structure --format markdown -o gate.md
  grainsheaf gate --baseline A --candidate B --format junit -o gate.xml
  grainsheaf noise --where 'branch = main' --json > noise.json
  grainsheaf gate --baseline A --candidate B --thresholds noise.json")]
pub(crate) struct GateArguments {
    /// Runs that the candidate is compared with: an expression, a name or a run id.
    #[arg(long, value_name = "EXPRESSION")]
    pub(crate) baseline: String,
    /// Runs that may pass or not.
    #[arg(long, value_name = "EXPRESSION")]
    pub(crate) candidate: String,
    /// Change for the worse above which a group is a regression.
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = share)]
    pub(crate) max_regression: f64,
    /// Least change that matters, as a share of the greater of the two totals.
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
    /// End with status 4 when the runs cannot tell.
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) values: Values,
    /// Answer of `grainsheaf noise --json`: groups may get worse up to their `threshold`, where that
    /// is more than --max-regression.
    #[arg(long, value_name = "FILE")]
    pub(crate) thresholds: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) significance: Significance,
    /// Form of the report [default: text; `--json` and `--csv` choose too]
    #[arg(long, value_name = "FORM", value_enum)]
    pub(crate) format: Option<ReportForm>,
    /// File to write the report to, replacing what is there; standard output when missing or `-`.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Show at most this many groups; 0 for all [default: 30 in text, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

/// Whose noise to measure.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Runs with the same values of --by are repeats of one configuration and differ by noise alone. For each
configuration and group: how much repeats spread, how great a change must be before runs show it, and a
limit for `grainsheaf gate --thresholds`. The repeats are also divided into two halves in every way there
is (up to --splits, then at random from a fixed seed) and judged by the gate, either half as the
candidate: at most the share --alpha of these A/A gates may fail.

Exit status: 0 done; 1 more A/A gates failed than may; 2 wrong options or no run.

JSON (noise/1): by, alpha, power, seed, cohorts: [{name, values, runs, groups: [{path, group, runs, median,
share, spread, visible, visible_with, seen, threshold}], check}], check: {splits, is_all, can_fail, gates,
failed, share, holds}, repeats_needed, notes.

Parameters that identify a launch are no configuration unless --by names them: numbers of repeats, dates and
times of starts, command lines, folders, files of output, users, ids of jobs and processes, and names that end in
_path, _dir, _directory, _hash, _uuid, _jobid, _job_id or _timestamp. They divide no series of `scale` and have no
column in `runs` either.
`grainsheaf set --incidental NAMES` and `--configuration NAMES` change that for a store.

Examples:
  grainsheaf noise
  grainsheaf noise --where 'branch = main' --by threads,host
  grainsheaf noise --level module --json > noise.json
  grainsheaf gate --baseline A --candidate B --level module --thresholds noise.json")]
pub(crate) struct NoiseArguments {
    /// Parameters that make a configuration [default: all that differ, but for those that identify a launch]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) by: Vec<String>,
    #[command(flatten)]
    pub(crate) values: Values,
    #[command(flatten)]
    pub(crate) significance: Significance,
    /// Ways to divide the runs of a configuration, at most.
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

    /// How noise is measured.
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
Runs of one version are one point. Versions are ordered as numbers and version strings mean it (1.9 before
1.10, 2.0-rc1 before 2.0), never by date; other names, such as commits, need --order:
  --order git DIR      ancestors before descendants in the repository in DIR, as git tells it
  --order PARAMETER    by the values of another parameter, such as the number of a build
  --order list A,B,C   as listed, oldest first

Runs of different environments (compiler, node, threads, ...) are series of their own. Every group of every series
is searched for change points (E-divisive, tested by rearranging runs, q over all groups); four runs on
either side of a change are the fewest that can show one at 5 %. The newest version is also
compared with those since the last change. q is over all groups that were tested, however small. A change
that is significant but at most 5 %, or below 1 % of the greater total, is inconclusive, with the reason. Times
of versions with other numbers of workers, threads or ranks than those before are not tested with them,
and have neither p nor q.

What follows from the axis does not part series: workers that change with --by ranks.

Each version is matched with the one before it, all runs of an environment on either side, as a diff of the
two does. A definition that was renamed is one group with all its names; whether the mapping file says so
(`grainsheaf match`) or it was inferred, with what score, is told. Events are groups that appear and vanish,
and definitions that were renamed, wrapped, moved or multiplied, at the version where it happened. What
changed there is a diff: its command is printed.

JSON (history/1): by, versions, renames: [{group, names: [{name, group, version, matched_by, score}]}],
series: [{metric, unit, name, environment, points: [{version, runs, untested, diff}], groups: [{path, group, names, share,
values: [{runs, median, min, max} or null per point], p, q, changes: [{point, version, p, before, after,
verdict, reason, diff}], last: {since, runs_before, runs, ratio, ci, p, q, verdict, reason}}], events: [{point,
version, kind, path, group, verdict, change, diff}], smallest_p}], diffs: [{series, point, before, version, lens,
command, href, structure, rows, groups}], tested, alpha, notes. A diff is {lens, command, href}. A `reason` says
why a verdict is neither slower nor faster, and `untested` why times are not compared with the version before.
CSV has a row per group and version, with the verdict and reason of a change there and of the newest version.

Examples:
  grainsheaf history --by version
  grainsheaf history --by commit --order git ~/src/sort --where 'branch = main'
  grainsheaf history --by version --environment threads,host --level module
  grainsheaf history --by version --metric work_ns --metric grains
  grainsheaf history --by commit --order build --csv > history.csv")]
pub(crate) struct HistoryArguments {
    /// Parameter that tells versions apart.
    #[arg(long, value_name = "PARAMETER")]
    pub(crate) by: String,
    /// Order of versions: `git DIR`, `list A,B,C` or a parameter [default: as versions]
    #[arg(long, value_names = ["ORDER", "WHAT"], num_args = 1..=2)]
    pub(crate) order: Vec<String>,
    /// Parameters whose change begins a new series; empty for none [default: compiler, host, threads and
    /// the like]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) environment: Option<Vec<String>>,
    #[command(flatten)]
    pub(crate) selected: Selected,
    /// Metric, by its name or the name that the source used; several times for more, `all` for every one
    /// [default: `work_ns`, of call profiles the time that most have]
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

    /// How changes are searched for.
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

/// Form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportForm {
    /// For terminals.
    Text,
    /// For a comment on a pull request.
    Markdown,
    /// For CI services: XML, a test case per group.
    Junit,
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
            ..GateOptions::default()
        }
    }
}

/// Reads `5%` or `0.05`, not negative. A number of 1 or more needs the sign: who writes 5 rarely means 500 %.
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
