//! Parameters that distinguish environments, so that their runs are series of their own.

use std::collections::BTreeSet;
use std::sync::Arc;

use sheaf_answers::{HistoryFact, Note};
use sheaf_model::{ParameterRole, ParameterRules, RunSummary};

use super::{HistoryOptions, HistoryOrder};
use sheaf_analysis::Error;
use sheaf_analysis::{cohorts, parameter_of};

/// Parameters whose change begins a new series; so does any that begins with `OMP_` or `KMP_`.
pub const ENVIRONMENT: &[&str] = &[
    "arguments",
    "compiler",
    "compiler_flags",
    "compiler_runtime",
    "cores",
    "cpu",
    "governor",
    "host",
    "hostname",
    "kernel",
    "node",
    "nodes",
    "numa_nodes",
    "program",
    "ranks",
    "runtime",
    "runtime_hash",
    "runtime_version",
    "threads",
    "workers",
];

/// Parameters that distinguish environments, and a note on those that could but follow from the axis.
pub(super) fn parameters(
    runs: &[Arc<RunSummary>],
    by: &str,
    order: &HistoryOrder,
    options: &HistoryOptions,
) -> Result<(Vec<String>, Option<Note>), Error> {
    let mut names: BTreeSet<String> = match &options.environment {
        Some(names) => names.iter().cloned().collect(),
        None => known(runs, &options.rules),
    };
    names.remove(by);
    if let HistoryOrder::Parameter(name) = order {
        names.remove(name);
    }
    let differs = |name: &String| {
        let mut values = runs.iter().map(|run| parameter_of(&run.meta, name));
        let first = values.next().flatten();
        values.any(|value| value != first)
    };
    names.retain(differs);
    if options.environment.is_some() || !is_of_environment(by) {
        return Ok((names.into_iter().collect(), None));
    }
    let points = cohorts(runs, &[by.to_owned()])?;
    // Another program is another thing to follow, whatever else changes with it.
    let follows = |name: &String| {
        let is_one = |members: &[usize]| {
            let value = |&run: &usize| parameter_of(&runs[run].meta, name);
            members
                .windows(2)
                .all(|pair| value(&pair[0]) == value(&pair[1]))
        };
        name != "program" && points.iter().all(|point| is_one(&point.runs))
    };
    let (following, parting): (Vec<String>, Vec<String>) = names.into_iter().partition(follows);
    let follows = HistoryFact::FollowsFromAxis {
        by: by.to_owned(),
        parameters: following,
    };
    let is_any = matches!(&follows, HistoryFact::FollowsFromAxis { parameters, .. } if !parameters.is_empty());
    Ok((parting, is_any.then(|| follows.into())))
}

/// Parameters of environments that runs may have.
fn known(runs: &[Arc<RunSummary>], rules: &ParameterRules) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = ENVIRONMENT.iter().map(ToString::to_string).collect();
    let all = runs.iter().flat_map(|run| run.meta.params.keys());
    names.extend(all.filter(|name| is_setting(name)).cloned());
    // The same as the number of threads, where that is known.
    if runs
        .iter()
        .any(|run| run.meta.params.contains_key("threads"))
    {
        names.remove("OMP_NUM_THREADS");
        names.remove("workers");
    }
    // A file's name that stands for the program is none.
    if runs.iter().any(|run| run.meta.known_program().is_empty()) {
        names.remove("program");
    }
    let is_configuration = |name: &&String| rules.role(name) == Some(ParameterRole::Configuration);
    let all = runs.iter().flat_map(|run| run.meta.params.keys());
    names.extend(all.filter(is_configuration).cloned());
    names.retain(|name| rules.role(name) != Some(ParameterRole::Incidental));
    names
}

fn is_setting(name: &str) -> bool {
    name.starts_with("OMP_") || name.starts_with("KMP_")
}

/// Whether an axis is itself a part of the environment, so that others may follow from it: `workers` from `ranks`.
/// What changes with a version does not follow from it.
fn is_of_environment(by: &str) -> bool {
    is_setting(by) || ENVIRONMENT.contains(&by)
}

#[cfg(test)]
mod tests {
    use sheaf_model::{ParamValue, RunMeta};

    use super::*;

    #[test]
    fn a_store_says_which_parameters_begin_series() {
        let mut meta = RunMeta::new("sort", "trace");
        for name in ["kernel", "threads", "queue", "job"] {
            meta.params.insert(name.to_owned(), ParamValue::Number(1.0));
        }
        let runs = [Arc::new(RunSummary::empty(meta))];
        let has = |rules: &ParameterRules| {
            let names = known(&runs, rules);
            ["kernel", "threads", "queue", "job"].map(|name| names.contains(name))
        };
        let plain = ParameterRules::default();
        assert_eq!(has(&plain), [true, true, false, false]);
        let rules = ParameterRules {
            incidental: ["kern*".to_owned()].into(),
            configuration: ["queue".to_owned()].into(),
        };
        assert_eq!(has(&rules), [false, true, true, false]);
    }
}
