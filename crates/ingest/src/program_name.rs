//! What a run is called where its source does not name the program: after its file or folder.

use sheaf_model::RunMeta;

use crate::Format;

/// What the source lacks, in [`RunMeta::lacks`].
const REASON: &str = "the source does not name the program; the run is called after its file";

/// Metadata of a run whose source does not name the program.
pub(crate) fn named_after(file_name: &str, format: Format) -> RunMeta {
    unnamed(program_name(file_name), format)
}

/// Metadata of a run whose source names the program, or does not.
pub(crate) fn named(program: Option<&str>, file_name: &str, format: Format) -> RunMeta {
    match program.filter(|program| !program.is_empty()) {
        Some(program) => RunMeta::new(program, format.as_str()),
        None => named_after(file_name, format),
    }
}

/// Metadata of a run whose source does not name the program, with a name that stands for it.
pub(crate) fn unnamed(name: &str, format: Format) -> RunMeta {
    let mut meta = RunMeta::new("", format.as_str());
    call(&mut meta, name);
    meta
}

/// Calls a run whose source does not name the program by what stands for it.
pub(crate) fn call(meta: &mut RunMeta, name: &str) {
    name.clone_into(&mut meta.program);
    name.clone_into(&mut meta.name);
    meta.lacks.insert("program".to_owned(), REASON.to_owned());
}

/// The folder that a file is in; the file's own name where none is given.
pub(crate) fn folder_name(path: &str) -> &str {
    let mut parts = path.rsplit(['/', '\\']);
    let file = parts.next().unwrap_or(path);
    parts
        .find(|part| !part.is_empty() && *part != ".")
        .unwrap_or(file)
}

/// A file's name without the extensions that state what the file is: trailing ones without a digit, so
/// that `app-1.2.cali` stays `app-1.2`. The whole name where nothing would remain.
///
/// ```
/// assert_eq!(sheaf_ingest::program_name("fib-1.2.profile.json"), "fib-1.2");
/// ```
pub fn program_name(file_name: &str) -> &str {
    let mut name = file_name;
    while let Some((rest, extension)) = name.rsplit_once('.') {
        let is_extension = !extension.bytes().any(|byte| byte.is_ascii_digit());
        if rest.trim_start_matches('.').is_empty() || !is_extension {
            break;
        }
        name = rest;
    }
    name
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
            ("lulesh.8.cali", "lulesh.8"),
            ("mir-task-stats", "mir-task-stats"),
            (".csv", ".csv"),
            ("..csv", "..csv"),
            ("a.", "a"),
        ];
        for (file, program) in names {
            assert_eq!(program_name(file), program);
        }
    }

    #[test]
    fn folders_stand_for_programs() {
        let names = [
            ("a/hpctoolkit-fib/experiment.xml", "hpctoolkit-fib"),
            ("a/db/", "db"),
            ("./profile.0.0.0", "profile.0.0.0"),
            ("experiment.xml", "experiment.xml"),
        ];
        for (path, folder) in names {
            assert_eq!(folder_name(path), folder, "{path}");
        }
    }
}
