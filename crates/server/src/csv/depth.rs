//! Tables of one run in depth as comma-separated values.

use std::collections::BTreeMap;

use sheaf_api::{GrainMetric, Grains, Groups, MetricValue, Problems};

use super::{option, text, write};

/// Grains; a column per metric; paths are joined by ` / `.
pub fn grains(answer: &Grains) -> String {
    let fixed = [
        "path",
        "definition",
        "grain",
        "path_key",
        "kind",
        "parent",
        "rank",
        "thread",
        "created",
        "start",
        "end",
        "first_iteration",
        "iterations",
    ];
    let rows = answer.rows.iter().map(|row| {
        let mut cells = vec![
            text(&row.path.join(" / ")),
            text(&row.definition),
            row.grain.to_string(),
            row.path_key.clone(),
            row.kind.clone(),
            option(row.parent.as_ref()),
            option(row.rank.as_ref()),
            option(row.thread.as_ref()),
            option(row.created.as_ref()),
            option(row.start.as_ref()),
            option(row.end.as_ref()),
            option(row.first_iteration.as_ref()),
            option(row.iterations.as_ref()),
        ];
        cells.extend(values(&answer.metrics, &row.metrics));
        cells
    });
    write(&header(&fixed, &answer.metrics), rows)
}

/// Groups; a column per metric.
pub fn groups(answer: &Groups) -> String {
    let fixed = [
        "group",
        "parent",
        "depth",
        "kind",
        "definition",
        "grain",
        "path_key",
        "grains",
        "children",
        "nodes",
        "has_problem",
        "is_critical",
        "is_restructured",
        "structure",
    ];
    let rows = answer.rows.iter().map(|row| {
        let mut cells = vec![
            row.group.to_string(),
            option(row.parent.as_ref()),
            row.depth.to_string(),
            row.kind.clone(),
            row.definition.as_deref().map(text).unwrap_or_default(),
            option(row.grain.as_ref()),
            row.path_key.clone().unwrap_or_default(),
            row.grains.to_string(),
            row.children.to_string(),
            row.nodes.to_string(),
            option(row.has_problem.as_ref()),
            row.is_critical.to_string(),
            row.is_restructured.to_string(),
            row.structure.clone().unwrap_or_default(),
        ];
        cells.extend(values(&answer.metrics, &row.metrics));
        cells
    });
    write(&header(&fixed, &answer.metrics), rows)
}

/// Problems, a row per definition; problems that no grain has are a row without one.
pub fn problems(answer: &Problems) -> String {
    let fixed = [
        "metric",
        "condition",
        "limit",
        "checked",
        "grains",
        "critical_grains",
        "share_of_work",
        "gain",
        "gain_basis",
        "definition",
        "site",
        "definition_grains",
        "definition_share",
        "definition_work",
        "definition_gain",
        "severity",
    ];
    let mut rows = Vec::new();
    for problem in &answer.problems {
        let cells = vec![
            text(&problem.metric),
            text(&problem.condition),
            problem.limit.to_string(),
            problem.checked.to_string(),
            problem.grains.to_string(),
            problem.critical_grains.to_string(),
            option(problem.share_of_work.as_ref()),
            option(problem.gain.as_ref().map(|gain| &gain.time)),
            option(problem.gain.as_ref().map(|gain| &gain.basis)),
        ];
        if problem.definitions.is_empty() {
            let mut row = cells.clone();
            row.resize(fixed.len(), String::new());
            rows.push(row);
        }
        for found in &problem.definitions {
            let mut row = cells.clone();
            row.extend([
                text(&found.definition),
                found.site.as_deref().map(text).unwrap_or_default(),
                found.grains.to_string(),
                found.share.to_string(),
                option(found.work.as_ref()),
                option(found.gain.as_ref().map(|gain| &gain.time)),
                option(found.severity.as_ref()),
            ]);
            rows.push(row);
        }
    }
    write(&header(&fixed, &[]), rows.into_iter())
}

fn header(fixed: &[&str], metrics: &[GrainMetric]) -> Vec<String> {
    let metrics = metrics.iter().map(|metric| text(&metric.name));
    fixed
        .iter()
        .map(ToString::to_string)
        .chain(metrics)
        .collect()
}

fn values(metrics: &[GrainMetric], row: &BTreeMap<String, MetricValue>) -> Vec<String> {
    let value = |metric: &GrainMetric| match row.get(&metric.name) {
        None => String::new(),
        Some(MetricValue::Integer(value)) => value.to_string(),
        Some(MetricValue::Float(value)) => value.to_string(),
    };
    metrics.iter().map(value).collect()
}
