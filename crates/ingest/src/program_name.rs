//! Names of programs from names of files, where a format says nothing of the program.

/// Ends of file names that say what a file is, not what was run.
const ENDS: &[&str] = &[
    ".csv",
    ".txt",
    ".graphml",
    ".xml",
    ".raw",
    ".processed",
    ".merged",
    ".compared",
    ".reduced",
    ".unreduced",
    "-problem",
    ".mir-task-stats",
    ".task-stats",
];

/// What remains of a file's name without the ends that tools add; the whole name where nothing
/// would.
pub(crate) fn program_name(file_name: &str) -> &str {
    let mut name = file_name;
    while let Some(rest) = ENDS.iter().find_map(|end| name.strip_suffix(end)) {
        // What comes before `-problem` names the problem.
        name = if name.ends_with("-problem") {
            rest.rsplit_once('.').map_or(rest, |(program, _)| program)
        } else {
            rest
        };
    }
    if name.is_empty() { file_name } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_what_remains() {
        let names = [
            ("fib-45-12.task-stats.merged.csv", "fib-45-12"),
            ("fib.parallel_benefit-problem.graphml", "fib"),
            ("app-1.2.unreduced.graphml", "app-1.2"),
            ("mir-task-stats", "mir-task-stats"),
            (".csv", ".csv"),
        ];
        for (file, program) in names {
            assert_eq!(program_name(file), program);
        }
    }
}
