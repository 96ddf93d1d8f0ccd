//! Parameters that identify a launch rather than its configuration.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use crate::metric::text_enum;

/// Names of parameters that differ between launches of the same program: when and by whom it was started, with which
/// words, as which job, to which files, and how long it took. Upper and lower case do not matter, and a blank in a name
/// stands for `_`.
pub const LAUNCH_PARAMETERS: [&str; 66] = [
    "arguments",
    "cmdline",
    "command",
    "command_line",
    "commandline",
    "cpu_time",
    "cwd",
    "date",
    "elapsed",
    "elapsed_time",
    "end_time",
    "executable",
    "executablepath",
    "figure_of_merit",
    "flux_job_id",
    "forced_switches",
    "hash",
    "job",
    "job_id",
    "jobid",
    "launch_date",
    "launchdate",
    "launchday",
    "libraries",
    "load_at_start",
    "local_time",
    "logfile",
    "lsb_jobid",
    "migrations",
    "outdir",
    "outfile",
    "output_file",
    "pbs_jobid",
    "pid",
    "preempted_s",
    "preempted_share",
    "process_id",
    "profile",
    "profile_path",
    "rep",
    "repeat",
    "repetition",
    "run",
    "run_id",
    "sample_count",
    "slurm_job_id",
    "slurm_jobid",
    "start_clock",
    "start_time",
    "started",
    "starting_timestamp",
    "system_time_s",
    "tempdir",
    "timestamp",
    "tmpdir",
    "trial",
    "uid",
    "user",
    "user_time_s",
    "utc_time",
    "uuid",
    "voluntary_switches",
    "wall_time",
    "walltime",
    "workdir",
    "working_directory",
];

/// Ends of names that mean the same: `output_path`, `binary_hash`.
pub const LAUNCH_ENDINGS: [&str; 8] = [
    "_path",
    "_dir",
    "_directory",
    "_hash",
    "_uuid",
    "_jobid",
    "_job_id",
    "_timestamp",
];

/// Whether a parameter identifies a launch by its name. Such parameters are not part of a configuration, form no
/// series and have no column, unless the user names them.
///
/// ```
/// use sheaf_model::identifies_launch;
/// assert!(identifies_launch("launchdate") && identifies_launch("SLURM_JOB_ID"));
/// assert!(identifies_launch("output_path") && identifies_launch("tmpdir"));
/// assert!(identifies_launch("Local Time") && identifies_launch("UTC Time"));
/// assert!(!identifies_launch("threads") && !identifies_launch("build"));
/// ```
pub fn identifies_launch(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace(' ', "_");
    LAUNCH_PARAMETERS.binary_search(&name.as_str()).is_ok()
        || LAUNCH_ENDINGS.iter().any(|end| name.ends_with(end))
}

/// Parameters that number the repeats of one configuration. They identify a launch, and are the shortest way to name one.
const REPEAT_PARAMETERS: [&str; 5] = ["rep", "repeat", "repetition", "run", "trial"];

/// Role of a parameter in comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ParameterRole {
    /// It identifies a launch and is not part of a configuration.
    Incidental,
    /// It is part of a configuration, regardless of its name.
    Configuration,
}

text_enum!(ParameterRole, "role of a parameter", Incidental => "incidental", Configuration => "configuration");

/// Rules of a store about its parameters. They replace the built-in rules by name.
///
/// A pattern is a name, or the beginning of names and a `*`. Upper and lower case do not matter. If several patterns fit
/// a name, the longest counts.
///
/// ```
/// use sheaf_model::{ParameterRole, ParameterRules};
/// let rules = ParameterRules {
///     incidental: ["node*".to_owned()].into(),
///     configuration: ["node_type".to_owned(), "profile".to_owned()].into(),
/// };
/// assert_eq!(rules.role("node_17"), Some(ParameterRole::Incidental));
/// assert_eq!(rules.role("Node_type"), Some(ParameterRole::Configuration));
/// assert_eq!(rules.role("date"), None);
/// assert!(rules.identifies_launch("date") && !rules.identifies_launch("profile"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParameterRules {
    /// Patterns of parameters that identify a launch.
    pub incidental: BTreeSet<String>,
    /// Patterns of parameters that are part of a configuration.
    pub configuration: BTreeSet<String>,
}

impl ParameterRules {
    /// Role of a parameter; `None` if no pattern fits.
    pub fn role(&self, name: &str) -> Option<ParameterRole> {
        let name = name.to_lowercase();
        let longest = |patterns: &BTreeSet<String>| {
            let patterns = patterns.iter().map(|pattern| pattern.to_lowercase());
            longest(&patterns.collect(), &name)
        };
        let incidental = longest(&self.incidental);
        let configuration = longest(&self.configuration);
        if incidental.max(configuration).is_none() {
            None
        } else if incidental > configuration {
            Some(ParameterRole::Incidental)
        } else {
            Some(ParameterRole::Configuration)
        }
    }

    /// Role of a parameter that people look at: by the pattern that fits, else incidental if its name identifies a launch
    /// and does not number repeats, which distinguish runs of one configuration.
    ///
    /// ```
    /// use sheaf_model::{ParameterRole, ParameterRules};
    /// let rules = ParameterRules::default();
    /// assert_eq!(rules.shown_role("jobid"), Some(ParameterRole::Incidental));
    /// assert_eq!(rules.shown_role("repeat"), None);
    /// ```
    pub fn shown_role(&self, name: &str) -> Option<ParameterRole> {
        let is_repeat = REPEAT_PARAMETERS.contains(&name.to_ascii_lowercase().as_str());
        let by_name =
            || (identifies_launch(name) && !is_repeat).then_some(ParameterRole::Incidental);
        self.role(name).or_else(by_name)
    }

    /// As [`identifies_launch`], unless a pattern fits.
    pub fn identifies_launch(&self, name: &str) -> bool {
        let stated = self
            .role(name)
            .map(|role| role == ParameterRole::Incidental);
        stated.unwrap_or_else(|| identifies_launch(name))
    }
}

/// Length of the longest pattern that fits a name. A name without `*` is longer than any beginning.
pub(crate) fn longest(patterns: &BTreeSet<String>, name: &str) -> Option<usize> {
    let fitting = patterns
        .iter()
        .filter_map(|pattern| match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start).then_some(start.len()),
            None => (*pattern == name).then_some(usize::MAX),
        });
    fitting.max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order() {
        assert!(LAUNCH_PARAMETERS.is_sorted());
    }
}
