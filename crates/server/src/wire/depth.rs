//! One run in depth: grains, problems, groups.

use std::collections::BTreeMap;

use sheaf_answers as api;
use sheaf_ensemble::{
    Gain, GrainComparison, GrainMetricEntry, GrainRow, GrainValue, GrainsAnswer, GroupRow,
    GroupsAnswer, ProblemRow, ProblemsAnswer, TreeAnswer,
};

/// Grains.
pub(crate) fn grains(answer: GrainsAnswer) -> api::Grains {
    let rows = answer.rows.into_iter();
    api::Grains {
        schema: "grains/1".to_owned(),
        run: answer.run.to_string(),
        unit: answer.unit,
        total: answer.total as u64,
        offset: answer.offset as u64,
        reference: answer.comparison.map(reference),
        rows: rows.map(|row| grain(row, &answer.metrics)).collect(),
        metrics: metrics(&answer.metrics),
        absent: answer.absent,
    }
}

fn grain(row: GrainRow, metrics: &[GrainMetricEntry]) -> api::GrainRow {
    api::GrainRow {
        path: row.path,
        definition: row.definition,
        grain: row.grain,
        path_key: key(row.path_key),
        kind: row.kind.to_owned(),
        parent: row.parent,
        rank: row.worker.map(|(rank, _)| rank),
        thread: row.worker.map(|(_, thread)| thread),
        created: row.created,
        start: row.start,
        end: row.end,
        first_iteration: row.iterations.map(|(first, _)| first),
        iterations: row.iterations.map(|(_, count)| count),
        metrics: values(metrics, &row.values),
    }
}

fn reference(comparison: GrainComparison) -> api::GrainReference {
    let runs = comparison.runs.iter().zip(comparison.missing);
    api::GrainReference {
        unmatched_grains: comparison.unmatched.grains,
        unmatched_work: comparison.unmatched.work,
        runs: runs
            .map(|(run, missing)| api::ReferenceRun {
                run: run.to_string(),
                missing_grains: missing.grains,
                missing_work: missing.work,
            })
            .collect(),
    }
}

pub(super) fn key(key: i64) -> String {
    format!("{key:016x}")
}

fn metrics(entries: &[GrainMetricEntry]) -> Vec<api::GrainMetric> {
    let metric = |entry: &GrainMetricEntry| api::GrainMetric {
        name: entry.name.clone(),
        unit: entry.unit.clone(),
        direction: entry.direction,
        definition: entry.definition.clone(),
        citation: entry.citation.map(str::to_owned),
        is_given: entry.is_given,
    };
    entries.iter().map(metric).collect()
}

fn values(
    metrics: &[GrainMetricEntry],
    values: &[Option<GrainValue>],
) -> BTreeMap<String, api::MetricValue> {
    let both = metrics.iter().zip(values);
    both.filter_map(|(metric, value)| {
        let value = match (*value)? {
            GrainValue::Integer(value) => api::MetricValue::Integer(value),
            GrainValue::Float(value) => api::MetricValue::Float(value),
        };
        Some((metric.name.clone(), value))
    })
    .collect()
}

/// Problems.
pub(crate) fn problems(answer: ProblemsAnswer) -> api::Problems {
    let not_checked = answer.not_checked.into_iter().map(|row| api::NotChecked {
        metric: row.metric,
        condition: row.condition,
        reason: row.reason,
    });
    api::Problems {
        schema: "problems/1".to_owned(),
        run: answer.run.to_string(),
        unit: answer.unit,
        reference: answer.comparison.map(reference),
        elapsed: answer.elapsed,
        problems: answer.problems.into_iter().map(problem).collect(),
        not_checked: not_checked.collect(),
    }
}

fn problem(row: ProblemRow) -> api::Problem {
    let definitions = row.definitions.into_iter();
    api::Problem {
        metric: row.metric,
        condition: row.condition,
        limit: row.limit,
        checked: row.checked,
        grains: row.grains,
        critical_grains: row.critical_grains,
        share_of_work: row.share_of_work,
        gain: row.gain.map(gain),
        balanced_chunks: row.balanced_chunks,
        book_keeping: row.book_keeping,
        cause: row.cause,
        worst: row
            .worst
            .map(|(grain, path, value)| api::WorstGrain { grain, path, value }),
        definitions: definitions
            .map(|definition| api::ProblemDefinition {
                definition: definition.definition,
                site: definition.site,
                grains: definition.grains,
                share: definition.share,
                work: definition.work,
                gain: definition.gain.map(gain),
                severity: definition.severity,
            })
            .collect(),
    }
}

fn gain(gain: Gain) -> api::Gain {
    api::Gain {
        time: gain.time,
        basis: gain.basis.as_str().to_owned(),
    }
}

/// The figures of a tree, and its first picture.
pub(crate) fn tree(answer: TreeAnswer) -> api::Tree {
    let root = answer.groups.first();
    let groups = answer.groups.iter();
    api::Tree {
        schema: "tree/1".to_owned(),
        run: answer.run.to_string(),
        unit: answer.unit,
        conditions: answer.conditions,
        not_checked: answer.not_checked.into_iter().collect(),
        is_separated: answer.is_separated,
        grains: answer.grains.into(),
        problem_grains: answer.problem_grains.map(u64::from),
        fork_joins: answer.fork_joins.into(),
        linears: answer.linears.into(),
        siblings: answer.siblings.into(),
        unstructured: answer.unstructured.into(),
        nodes: answer.nodes as u64,
        depth: answer.depth.into(),
        max_open_nodes: answer.max_open_nodes.into(),
        max_theta: answer.max_theta.map(u64::from),
        savings: answer.savings,
        root: root.map_or_else(BTreeMap::new, |root| values(&answer.metrics, &root.values)),
        groups: groups.map(|row| group(row, &answer.metrics)).collect(),
        is_cut: answer.is_cut,
        metrics: metrics(&answer.metrics),
        absent: answer.absent,
    }
}

/// Children of a group.
pub(crate) fn groups(answer: GroupsAnswer) -> api::Groups {
    let rows = answer.rows.iter();
    api::Groups {
        schema: "groups/1".to_owned(),
        run: answer.run.to_string(),
        unit: answer.unit,
        group: group(&answer.group, &answer.metrics),
        total: answer.total as u64,
        offset: answer.offset as u64,
        rows: rows.map(|row| group(row, &answer.metrics)).collect(),
        metrics: metrics(&answer.metrics),
        absent: answer.absent,
    }
}

fn group(row: &GroupRow, metrics: &[GrainMetricEntry]) -> api::Group {
    api::Group {
        group: row.group,
        parent: row.parent,
        depth: row.depth,
        kind: row.kind.to_owned(),
        definition: row.definition.clone(),
        grain: row.grain,
        path_key: row.path_key.map(key),
        grains: row.grains,
        children: row.children,
        nodes: row.nodes,
        has_problem: row.has_problem,
        is_critical: row.is_critical,
        is_restructured: row.is_restructured,
        structure: row.structure.map(|id| id.to_string()),
        metrics: values(metrics, &row.values),
    }
}
