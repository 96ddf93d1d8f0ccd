//! The run table: runs with their parameters, metrics and cohorts.

pub(crate) mod table;

use std::collections::BTreeMap;
use std::sync::Arc;

use sheaf_analysis::scaling::is_incidental;
use sheaf_model::{Direction, MetricKind, ParamValue, ParameterRole, ParameterRules, RunMeta};

use crate::batches::Batches;

/// A run of the store, without its tables.
#[derive(Debug, Clone)]
pub struct RunEntry {
    /// Metadata.
    pub meta: Arc<RunMeta>,
    /// Tasks and chunks; absent where the source knows of none, as in call profiles.
    pub grains: Option<i64>,
    /// Contexts.
    pub contexts: i64,
    /// The store's imports, by which expressions can ask.
    pub(crate) batches: Arc<Batches>,
}

/// Answer to "which runs are there?".
#[derive(Debug, Clone)]
pub struct RunsAnswer {
    /// Runs, by name, then id.
    pub rows: Vec<RunRow>,
    /// Parameters of any of the runs, those that vary first, then by name.
    pub parameters: Vec<ParameterEntry>,
    /// Metrics of any of the runs, by name.
    pub metrics: Vec<MetricEntry>,
    /// Cohorts that the lens's `by` forms.
    pub cohorts: Vec<CohortEntry>,
    /// Metric of the totals; none in an empty store.
    pub metric: Option<String>,
}

/// A row of the run table.
#[derive(Debug, Clone)]
pub struct RunRow {
    /// The run.
    pub entry: RunEntry,
    /// Names of its metrics.
    pub metrics: Vec<String>,
    /// Inclusive value of the lens's metric at the roots, as one value per run; absent when the
    /// run does not have the metric.
    pub total: Option<f64>,
    /// When it was imported, in nanoseconds since 1970-01-01 UTC; absent if no note of its import is left.
    pub imported: Option<i64>,
}

/// A parameter over several runs.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterEntry {
    /// Name.
    pub name: String,
    /// `number`, `text`, `boolean`, `time`, or `mixed`.
    pub kind: &'static str,
    /// Distinct values, in order.
    pub values: Vec<ParamValue>,
    /// Runs that have it.
    pub runs: usize,
    /// Whether runs differ in it, by value or by having it at all.
    pub varies: bool,
    /// Role of the parameter, if the store's rules give it one or its name identifies a launch.
    pub role: Option<ParameterRole>,
}

/// A metric over several runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetricEntry {
    /// Name.
    pub name: String,
    /// Unit.
    pub unit: String,
    /// How values combine.
    pub kind: MetricKind,
    /// Which way is worse.
    pub direction: Direction,
    /// The name that a source used.
    pub source: Option<String>,
    /// Runs that have it.
    pub runs: usize,
    /// What it measures.
    pub definition: &'static str,
}

/// A cohort.
#[derive(Debug, Clone, PartialEq)]
pub struct CohortEntry {
    /// Shared parameter values.
    pub values: BTreeMap<String, ParamValue>,
    /// Name for people.
    pub name: String,
    /// Ids of its runs.
    pub runs: Vec<sheaf_model::RunId>,
}

/// Every parameter of the runs: those that vary first, incidental ones last.
pub(crate) fn parameters(runs: &[&RunEntry], rules: &ParameterRules) -> Vec<ParameterEntry> {
    let mut found: BTreeMap<&str, Vec<&ParamValue>> = BTreeMap::new();
    for run in runs {
        for (name, value) in &run.meta.params {
            found.entry(name).or_default().push(value);
        }
    }
    let mut entries: Vec<_> = found
        .into_iter()
        .map(|(name, values)| ParameterEntry {
            role: rules.shown_role(name),
            ..parameter(name, values, runs.len())
        })
        .collect();
    entries.sort_by_key(|entry| (!entry.varies, is_incidental(&entry.name, rules)));
    entries
}

fn parameter(name: &str, mut values: Vec<&ParamValue>, all_runs: usize) -> ParameterEntry {
    let runs = values.len();
    values.sort_by(|a, b| a.order(b));
    values.dedup_by(|a, b| a.order(b).is_eq());
    let first = values.first().map_or("text", |value| value.type_name());
    let is_mixed = values.iter().any(|value| value.type_name() != first);
    ParameterEntry {
        name: name.to_owned(),
        kind: if is_mixed { "mixed" } else { first },
        varies: values.len() > 1 || runs < all_runs,
        values: values.into_iter().cloned().collect(),
        runs,
        role: None,
    }
}

/// What a metric of ours measures; metrics of other sources explain themselves by their name.
pub(crate) fn definition(metric: &str) -> &'static str {
    let stem = metric.trim_end_matches("_ticks").trim_end_matches("_ns");
    match stem {
        "work" => {
            "Time spent computing in the group's own fragments, waits and other tasks left out."
        }
        "waiting" => "Time that grains spent in waits while their worker ran nothing else.",
        "creation" => "Time that parents spent creating the group's grains.",
        "grains" => "Number of tasks and loop chunks.",
        _ => "As measured by the source of the run.",
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::Caller;

    fn run(params: &[(&str, &str)]) -> RunEntry {
        let mut meta = RunMeta::new("p", "test");
        meta.params = params
            .iter()
            .map(|(name, value)| ((*name).to_owned(), ParamValue::infer(value)))
            .collect();
        RunEntry {
            meta: Arc::new(meta),
            grains: None,
            contexts: 0,
            batches: Arc::new(Batches::new(PathBuf::new(), Caller::default())),
        }
    }

    #[test]
    fn parameters_that_vary_come_first() {
        let runs = [
            run(&[("host", "n1"), ("threads", "2")]),
            run(&[("host", "n1"), ("threads", "1"), ("x", "true")]),
        ];
        let runs: Vec<&RunEntry> = runs.iter().collect();
        let entries = parameters(&runs, &ParameterRules::default());
        let text: Vec<_> = entries
            .iter()
            .map(|e| {
                format!(
                    "{} {} {:?} {} {}",
                    e.name,
                    e.kind,
                    e.values.len(),
                    e.runs,
                    e.varies
                )
            })
            .collect();
        assert_eq!(
            text,
            [
                "threads number 2 2 true",
                "x boolean 1 1 true",
                "host text 1 2 false"
            ]
        );
        let rules = ParameterRules {
            incidental: ["thr*".to_owned()].into(),
            configuration: ["host".to_owned()].into(),
        };
        let entries = parameters(&runs, &rules);
        let found: Vec<_> = entries
            .iter()
            .map(|entry| (entry.name.as_str(), entry.role))
            .collect();
        assert_eq!(
            found,
            [
                ("x", None),
                ("threads", Some(ParameterRole::Incidental)),
                ("host", Some(ParameterRole::Configuration)),
            ]
        );
    }
}
