//! Which launches of a sweep the store already holds.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use sheaf_answers::Run;
use sheaf_ensemble::is_noted_variable;
use sheaf_model::ParamValue;

/// Parameters that may differ between the sessions of one sweep.
const FREE: &[&str] = &[
    "branch",
    "commit",
    "cores",
    "cpu",
    "dirty",
    "governor",
    "host",
    "kernel",
    "numa_nodes",
];

/// Beginnings of the names of variables that choose how an OpenMP runtime works.
const VARIABLES: &[&str] = &["OMP_", "KMP_", "GOMP_"];
/// Variables that some libraries set in their own process, which affects no result.
const SET_BY_LIBRARIES: &[&str] = &["KMP_DUPLICATE_LIB_OK", "KMP_INIT_AT_FORK"];
/// Longer files of the command line are not searched for variables.
const MAX_SCRIPT: u64 = 64 << 10;

/// A launch that a run may be of.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    /// Name of its run; those of its processes begin with it.
    pub(crate) name: &'a str,
    /// Parameters that the launch gives to its run.
    pub(crate) params: &'a BTreeMap<String, ParamValue>,
    /// Variables of OpenMP that the program gets.
    pub(crate) variables: BTreeMap<String, ParamValue>,
    /// Command line and scripts: they may set variables that they name.
    pub(crate) scripts: &'a str,
    /// When the program was last changed, in ns since 1970.
    pub(crate) built: Option<i64>,
}

/// Whether one of `runs` is this launch: complete, with its name, parameters and variables. Parameters that describe the
/// machine of the moment may differ. A run that started before the program was built is of another program.
pub(crate) fn is_held(runs: &[Run], wanted: &Wanted<'_>) -> bool {
    let is_free = |name: &str| FREE.contains(&name);
    let params = wanted.params.iter();
    let params: Vec<_> = params.filter(|(name, _)| !is_free(name)).collect();
    runs.iter().any(|run| {
        let has = |(name, value): &(&String, &ParamValue)| {
            run.params.get(*name).is_some_and(|stored| stored == *value)
        };
        let started = match run.params.get("started") {
            Some(ParamValue::Time(started)) => Some(*started),
            _ => None,
        };
        let is_older = started
            .zip(wanted.built)
            .is_some_and(|(started, built)| started < built);
        run.is_complete
            && !is_older
            && run.name.starts_with(wanted.name)
            && params.iter().all(has)
            && wanted.has_variables_of(run)
    })
}

impl Wanted<'_> {
    fn has_variables_of(&self, run: &Run) -> bool {
        // A parameter that the user gives replaces the variable of its name.
        let is_other =
            |name: &String| self.params.contains_key(name) || self.scripts.contains(name.as_str());
        let mut names = self.variables.keys().chain(run.params.keys());
        names.all(|name| {
            !is_compared(name) || is_other(name) || self.variables.get(name) == run.params.get(name)
        })
    }
}

fn is_compared(name: &str) -> bool {
    VARIABLES.iter().any(|prefix| name.starts_with(prefix))
        && is_noted_variable(name)
        && !SET_BY_LIBRARIES.contains(&name)
}

/// Variables of OpenMP in an environment, of which later values replace earlier ones, as parameters of a run.
pub(crate) fn variables(
    environment: impl Iterator<Item = (OsString, OsString)>,
) -> BTreeMap<String, ParamValue> {
    let known = environment.filter_map(|(name, value)| {
        let name = name.into_string().ok().filter(|name| is_compared(name))?;
        Some((name, ParamValue::infer(&value.to_string_lossy())))
    });
    known.collect()
}

/// The words of a command, and the content of the scripts among them.
pub(crate) fn texts_of(command: &[OsString], started: &Path) -> String {
    let mut text = String::new();
    for word in command {
        text += &word.to_string_lossy();
        text.push('\n');
    }
    for path in command.iter().map(Path::new).chain([started]) {
        let is_small = path
            .metadata()
            .is_ok_and(|found| found.is_file() && found.len() <= MAX_SCRIPT);
        if is_small {
            text += &std::fs::read_to_string(path).unwrap_or_default();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Run {
        Run {
            run: String::new(),
            name: "sort-t4-r1".into(),
            program: "sort".into(),
            format: "trace".into(),
            params: [
                ("threads".to_owned(), ParamValue::Number(4.0)),
                ("command".to_owned(), ParamValue::Text("./sort 9".into())),
                ("host".to_owned(), ParamValue::Text("a".into())),
                ("started".to_owned(), ParamValue::Time(50)),
            ]
            .into(),
            grains: Some(0),
            contexts: 0,
            elapsed_ns: None,
            reference_elapsed_ns: None,
            workers: None,
            ranks: 1,
            is_complete: true,
            metrics: Vec::new(),
            total: None,
            warnings: Vec::new(),
            source: None,
        }
    }

    fn params(threads: f64) -> BTreeMap<String, ParamValue> {
        BTreeMap::from([
            ("threads".to_owned(), ParamValue::Number(threads)),
            ("command".to_owned(), ParamValue::Text("./sort 9".into())),
            ("host".to_owned(), ParamValue::Text("b".into())),
        ])
    }

    #[test]
    fn only_complete_runs_of_the_same_settings_count() {
        let mut run = run();
        let held = |name: &str, threads: f64, built: Option<i64>, run: &Run| {
            let wanted = Wanted {
                name,
                params: &params(threads),
                variables: BTreeMap::new(),
                scripts: "",
                built,
            };
            is_held(std::slice::from_ref(run), &wanted)
        };
        assert!(held("sort-t4-r1", 4.0, None, &run));
        assert!(held("sort-t4-r1", 4.0, Some(40), &run));
        assert!(!held("sort-t4-r1", 4.0, Some(60), &run), "built since");
        assert!(!held("sort-t4-r1", 8.0, None, &run));
        assert!(!held("sort-version=2-t4-r1", 4.0, None, &run));
        run.is_complete = false;
        assert!(!held("sort-t4-r1", 4.0, None, &run));
    }

    #[test]
    fn variables_of_openmp_are_settings() {
        let mut run = run();
        let held = |given: &[(&str, &str)], scripts: &str, run: &Run| {
            let given = given.iter();
            let wanted = Wanted {
                name: "sort-t4-r1",
                params: &params(4.0),
                variables: variables(given.map(|(name, value)| (name.into(), value.into()))),
                scripts,
                built: None,
            };
            is_held(std::slice::from_ref(run), &wanted)
        };
        assert!(held(&[("HOME", "/x"), ("OMP_TOOL", "enabled")], "", &run));
        assert!(!held(&[("OMP_SCHEDULE", "static")], "", &run));
        let schedule = ParamValue::Text("static".into());
        run.params.insert("OMP_SCHEDULE".into(), schedule);
        assert!(held(&[("OMP_SCHEDULE", "static")], "", &run));
        let replaced = [("OMP_SCHEDULE", "auto"), ("OMP_SCHEDULE", "static")];
        assert!(held(&replaced, "", &run), "the last value counts");
        assert!(!held(&[("OMP_SCHEDULE", "dynamic,4")], "", &run));
        assert!(!held(&[], "", &run), "the variable was set before");
        assert!(held(&[], "env OMP_SCHEDULE=static ./sort", &run));
    }
}
