//! Parameters that identify a launch rather than its configuration.

/// Names of parameters that differ from launch to launch whatever is run: when and by whom it was started, with which
/// words, as which job, to which files, and how long it took. Upper and lower case do not matter.
pub const LAUNCH_PARAMETERS: [&str; 53] = [
    "arguments",
    "cmdline",
    "command",
    "command_line",
    "commandline",
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
    "lsb_jobid",
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
    "slurm_job_id",
    "slurm_jobid",
    "start_clock",
    "start_time",
    "started",
    "system_time_s",
    "timestamp",
    "trial",
    "uid",
    "user",
    "user_time_s",
    "uuid",
    "voluntary_switches",
    "walltime",
    "workdir",
    "working_directory",
];

/// Ends of names that mean the same: `output_path`, `binary_hash`.
pub const LAUNCH_ENDINGS: [&str; 6] =
    ["_path", "_hash", "_uuid", "_jobid", "_job_id", "_timestamp"];

/// Whether a parameter identifies a launch by its name. Such parameters are not part of a configuration, form no
/// series and have no column, unless the user names them.
///
/// ```
/// use sheaf_model::identifies_launch;
/// assert!(identifies_launch("launchdate") && identifies_launch("SLURM_JOB_ID"));
/// assert!(identifies_launch("output_path"));
/// assert!(!identifies_launch("threads") && !identifies_launch("build"));
/// ```
pub fn identifies_launch(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    LAUNCH_PARAMETERS.binary_search(&name.as_str()).is_ok()
        || LAUNCH_ENDINGS.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order() {
        assert!(LAUNCH_PARAMETERS.is_sorted());
    }
}
