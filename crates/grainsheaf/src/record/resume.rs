//! Which launches of a sweep the store already holds.

use std::collections::BTreeMap;

use sheaf_answers::Run;
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

/// Whether one of `runs` is this launch: complete, named alike, and with all of `params`, of which
/// those that describe the machine of the moment are left aside. A run that started before the program was `built`, in
/// ns since 1970, is of another program.
pub(crate) fn is_held(
    runs: &[Run],
    name: &str,
    params: &BTreeMap<String, ParamValue>,
    built: Option<i64>,
) -> bool {
    let is_free = |name: &str| FREE.contains(&name);
    let wanted: Vec<_> = params.iter().filter(|(name, _)| !is_free(name)).collect();
    runs.iter().any(|run| {
        let has = |(name, value): &(&String, &ParamValue)| {
            run.params.get(*name).is_some_and(|stored| stored == *value)
        };
        let started = match run.params.get("started") {
            Some(ParamValue::Time(started)) => Some(*started),
            _ => None,
        };
        let is_older = started
            .zip(built)
            .is_some_and(|(started, built)| started < built);
        run.is_complete && !is_older && run.name.starts_with(name) && wanted.iter().all(has)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_complete_runs_of_the_same_settings_count() {
        let mut run = Run {
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
        };
        let params = |threads: f64| {
            BTreeMap::from([
                ("threads".to_owned(), ParamValue::Number(threads)),
                ("command".to_owned(), ParamValue::Text("./sort 9".into())),
                ("host".to_owned(), ParamValue::Text("b".into())),
            ])
        };
        let held = |name: &str, threads: f64, built: Option<i64>, run: &Run| {
            is_held(std::slice::from_ref(run), name, &params(threads), built)
        };
        assert!(held("sort-t4-r1", 4.0, None, &run));
        assert!(held("sort-t4-r1", 4.0, Some(40), &run));
        assert!(!held("sort-t4-r1", 4.0, Some(60), &run), "built since");
        assert!(!held("sort-t4-r1", 8.0, None, &run));
        assert!(!held("sort-version=2-t4-r1", 4.0, None, &run));
        run.is_complete = false;
        assert!(!held("sort-t4-r1", 4.0, None, &run));
    }
}
