//! Cohorts: runs of the ensemble that share parameter values.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sheaf_answers::{Note, RunFact};
use sheaf_model::{ParamValue, ParameterRules, RunMeta, RunSummary};

use crate::error::Error;
use crate::nearest::nearest;

/// Runs of an ensemble that share the values of some parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Cohort {
    /// The shared values; a parameter that the runs do not have is missing.
    pub values: BTreeMap<String, ParamValue>,
    /// Name for people: `threads=8, runtime=llvm`; `all runs` when runs are not divided.
    pub name: String,
    /// Places of the runs among those given, ascending.
    pub runs: Vec<usize>,
}

/// Facts about a run that stand in for a parameter of that name where the run has none.
const FACTS: &[&str] = &["program", "name", "format", "ranks", "workers", "time_unit"];

/// Divides runs by the values of the parameters `by`, outermost first.
///
/// Cohorts come in order of their values; runs that lack a parameter form cohorts of their own,
/// after the others. Besides the recorded parameters, `program`, `name`, `format`, `ranks`,
/// `workers` and `time_unit` are known of every run.
///
/// # Errors
/// [`Error::UnknownParameter`] when no run has one of them.
pub fn cohorts(runs: &[Arc<RunSummary>], by: &[String]) -> Result<Vec<Cohort>, Error> {
    let runs: Vec<&RunMeta> = runs.iter().map(|run| &*run.meta).collect();
    cohorts_of(&runs, by)
}

/// As [`cohorts`], of runs of which nothing but their metadata is in memory.
///
/// # Errors
/// Those of [`cohorts`].
pub fn cohorts_of(runs: &[&RunMeta], by: &[String]) -> Result<Vec<Cohort>, Error> {
    for parameter in by {
        if !runs
            .iter()
            .any(|run| parameter_of(run, parameter).is_some())
        {
            return Err(unknown_parameter(runs, parameter));
        }
    }
    let mut keyed: Vec<(Vec<Option<ParamValue>>, usize)> = runs
        .iter()
        .enumerate()
        .map(|(at, run)| (by.iter().map(|name| parameter_of(run, name)).collect(), at))
        .collect();
    keyed.sort_by(|(a, at), (b, bt)| order(a, b).then(at.cmp(bt)));
    Ok(keyed
        .chunk_by(|(a, _), (b, _)| order(a, b) == Ordering::Equal)
        .map(|members| {
            let key = members
                .first()
                .map(|(key, _)| key.as_slice())
                .unwrap_or_default();
            Cohort {
                name: name(by, key),
                values: by
                    .iter()
                    .zip(key)
                    .filter_map(|(name, value)| Some((name.clone(), value.clone()?)))
                    .collect(),
                runs: members.iter().map(|(_, at)| *at).collect(),
            }
        })
        .collect())
}

/// Parameter with the arguments of a recorded program. It is not part of the configuration by default, because it often
/// names output files. It can name inputs as well.
const ARGUMENTS: &str = "arguments";

/// A note if some runs that count as repeats of each other were started with different arguments. Linear in the runs.
pub fn note_arguments<'a>(
    repeats: impl IntoIterator<Item = &'a [usize]>,
    runs: &[Arc<RunSummary>],
    rules: &ParameterRules,
) -> Option<Note> {
    if !rules.identifies_launch(ARGUMENTS) {
        return None;
    }
    let differ = |places: &&[usize]| {
        let mut values = (places.iter()).map(|&at| runs[at].meta.params.get(ARGUMENTS));
        let first = values.next().flatten();
        values.any(|value| value != first)
    };
    let pooled = repeats.into_iter().filter(differ);
    let runs: u64 = pooled.map(|places| places.len() as u64).sum();
    (runs > 0).then(|| RunFact::ArgumentsDiffer { runs }.into())
}

/// Value of a parameter of a run, or of a fact such as `program`; absent if the run has neither.
pub fn parameter_of(meta: &RunMeta, name: &str) -> Option<ParamValue> {
    if let Some(value) = meta.params.get(name) {
        return Some(value.clone());
    }
    match name {
        "program" => Some(ParamValue::Text(meta.program.clone())),
        "name" => Some(ParamValue::Text(meta.name.clone())),
        "format" => Some(ParamValue::Text(meta.format.clone())),
        "ranks" => Some(ParamValue::Number(meta.ranks as f64)),
        "workers" => meta
            .workers
            .map(|workers| ParamValue::Number(workers as f64)),
        "time_unit" => Some(ParamValue::Text(meta.time_unit.to_string())),
        _ => None,
    }
}

fn order(a: &[Option<ParamValue>], b: &[Option<ParamValue>]) -> Ordering {
    a.iter()
        .zip(b)
        .map(|pair| match pair {
            (Some(a), Some(b)) => a.order(b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        })
        .find(|ordering| ordering.is_ne())
        .unwrap_or(Ordering::Equal)
}

fn name(by: &[String], key: &[Option<ParamValue>]) -> String {
    if by.is_empty() {
        return "all runs".to_owned();
    }
    let parts: Vec<String> = by
        .iter()
        .zip(key)
        .map(|(name, value)| match value {
            Some(value) => format!("{name}={}", value.shown()),
            None => format!("no {name}"),
        })
        .collect();
    parts.join(", ")
}

/// The error about a parameter that no run has; it lists those that they have.
pub fn unknown_parameter(runs: &[&RunMeta], parameter: &str) -> Error {
    let mut known: BTreeSet<&str> = FACTS.iter().copied().collect();
    known.extend(
        runs.iter()
            .flat_map(|run| run.params.keys().map(String::as_str)),
    );
    Error::UnknownParameter {
        parameter: parameter.to_owned(),
        nearest: nearest(parameter, known.iter().copied()),
        known: known.into_iter().map(str::to_owned).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(runs: &[&[(&str, &str)]], by: &[&str]) -> String {
        let run = |params: &&[(&str, &str)]| {
            let mut meta = RunMeta::new("sort", "trace");
            for (name, value) in *params {
                meta.params
                    .insert((*name).to_owned(), ParamValue::infer(value));
            }
            Arc::new(RunSummary::empty(meta))
        };
        let runs: Vec<_> = runs.iter().map(run).collect();
        let by: Vec<_> = by.iter().map(|&name| name.to_owned()).collect();
        match cohorts(&runs, &by) {
            Ok(cohorts) => {
                let texts = cohorts
                    .iter()
                    .map(|cohort| format!("{}: {:?}", cohort.name, cohort.runs));
                texts.collect::<Vec<_>>().join("; ")
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn cohorts_are_in_order_of_their_values() {
        let runs: &[&[_]] = &[
            &[("threads", "10")],
            &[("threads", "9")],
            &[],
            &[("threads", "10")],
        ];
        assert_eq!(
            check(runs, &["threads"]),
            "threads=9: [1]; threads=10: [0, 3]; no threads: [2]"
        );
        assert_eq!(check(runs, &[]), "all runs: [0, 1, 2, 3]");
        assert_eq!(
            check(runs, &["program", "threads"]),
            "program=sort, threads=9: [1]; program=sort, threads=10: [0, 3]; program=sort, no threads: [2]"
        );
    }

    #[test]
    fn an_unknown_parameter_is_named() {
        let error = check(&[&[("threads", "1")]], &["thread"]);
        assert!(error.starts_with(
            "parameter `thread` is in none of the runs; did you mean `threads`?; known are `format`"
        ), "{error}");
    }
}
