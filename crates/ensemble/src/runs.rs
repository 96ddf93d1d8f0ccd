//! The run table: runs with their parameters, metrics and cohorts.

pub(crate) mod table;

use std::collections::BTreeMap;
use std::sync::Arc;

use sheaf_analysis::scaling::is_incidental;
use sheaf_answers::{Parameter, ParameterType, Run, RunSource};
use sheaf_model::{ParamValue, ParameterRules, RunMeta, TimeUnit, instant};

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

/// Distinct values of a parameter that an answer lists.
const LISTED_VALUES: usize = 50;

impl RunEntry {
    /// The row of the run table, with the names of the run's metrics, the value of the lens's metric at its roots, and
    /// when it was imported.
    pub(crate) fn row(
        &self,
        metrics: Vec<String>,
        total: Option<f64>,
        imported: Option<i64>,
    ) -> Run {
        let meta = &*self.meta;
        let source = meta.source.as_ref().map(|source| RunSource {
            file: source.file.clone(),
            files: source.files,
            bytes: source.bytes,
            format: meta.format.clone(),
            reader: source.reader.clone(),
            imported: imported.map(instant::rfc3339_seconds),
        });
        Run {
            run: meta.id.to_string(),
            name: meta.name.clone(),
            program: meta.program.clone(),
            format: meta.format.clone(),
            params: meta.params.clone(),
            grains: self.grains.map(count),
            contexts: count(self.contexts),
            elapsed_ns: meta
                .elapsed
                .filter(|_| meta.time_unit == TimeUnit::Nanoseconds),
            reference_elapsed_ns: meta.reference_elapsed_ns,
            workers: meta.workers,
            ranks: meta.ranks,
            is_complete: meta.is_complete,
            metrics,
            total,
            warnings: meta.warnings.clone(),
            source,
        }
    }
}

/// A count as answers have it; negative counts do not occur.
fn count(value: i64) -> u64 {
    u64::try_from(value).unwrap_or_default()
}

/// Every parameter of the runs: those that vary first, incidental ones last.
pub(crate) fn parameters(runs: &[&RunEntry], rules: &ParameterRules) -> Vec<Parameter> {
    let mut found: BTreeMap<&str, Vec<&ParamValue>> = BTreeMap::new();
    for run in runs {
        for (name, value) in &run.meta.params {
            found.entry(name).or_default().push(value);
        }
    }
    let mut entries: Vec<_> = found
        .into_iter()
        .map(|(name, values)| Parameter {
            role: rules.shown_role(name),
            ..parameter(name, values, runs.len())
        })
        .collect();
    entries.sort_by_key(|entry| (!entry.varies, is_incidental(&entry.name, rules)));
    entries
}

fn parameter(name: &str, mut values: Vec<&ParamValue>, all_runs: usize) -> Parameter {
    let runs = values.len();
    values.sort_by(|a, b| a.order(b));
    values.dedup_by(|a, b| a.order(b).is_eq());
    let of = |value: &ParamValue| match value {
        ParamValue::Number(_) => ParameterType::Number,
        ParamValue::Text(_) => ParameterType::Text,
        ParamValue::Boolean(_) => ParameterType::Boolean,
        ParamValue::Time(_) => ParameterType::Time,
    };
    let first = values
        .first()
        .map_or(ParameterType::Text, |value| of(value));
    let is_mixed = values.iter().any(|value| of(value) != first);
    Parameter {
        name: name.to_owned(),
        kind: if is_mixed {
            ParameterType::Mixed
        } else {
            first
        },
        varies: values.len() > 1 || runs < all_runs,
        distinct: values.len() as u64,
        values: values.into_iter().take(LISTED_VALUES).cloned().collect(),
        runs: runs as u64,
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

    use sheaf_model::ParameterRole;

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
