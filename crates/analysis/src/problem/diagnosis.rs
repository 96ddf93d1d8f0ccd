//! Which grains are beyond a threshold.

use arrow::array::Array;
use rayon::prelude::*;
use sheaf_model::table::GrainKind;

use super::summary::{DefinitionSummary, summarise};
use super::{Relation, Threshold};
use crate::grain_metric::{Absent, Column, Evaluation, Origin, by_name};

/// A grain whose value is a problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProblemGrain {
    /// Row of the grain.
    pub row: u32,
    /// Its value.
    pub value: f64,
    /// How far the value is beyond the limit, as a ratio of 1 or more; absent where one of them is
    /// not positive.
    pub severity: Option<f64>,
}

/// The grains beyond one threshold.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Id of the metric, or the name of a measure.
    pub metric: String,
    /// The condition as it was asked for.
    pub condition: String,
    /// The limit in this run.
    pub limit: f64,
    /// Who computed the metric.
    pub origin: Origin,
    /// Tasks and chunks that have a value.
    pub checked: u64,
    /// Tasks and chunks beyond the limit, worst first, equal ones in the order of their paths.
    pub grains: Vec<ProblemGrain>,
    /// Those of them on the critical path of the reduced graph.
    pub critical_grains: u64,
    /// Their work by the work of all tasks and chunks; absent where no work is known.
    pub share_of_work: Option<f64>,
    /// Per definition of those grains, worst first.
    pub definitions: Vec<DefinitionSummary>,
    /// Rows beyond the limit that are no grains: members of teams, and what keeps the books of
    /// loops. In the same order; not part of any of the above.
    pub book_keeping: Vec<ProblemGrain>,
    /// Those of them on the critical path.
    pub critical_book_keeping: u64,
}

/// A threshold that could not be checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotChecked {
    /// Id of the metric, or the name of a measure.
    pub metric: String,
    /// The condition.
    pub condition: String,
    /// Why not.
    pub reason: Absent,
}

/// What is wrong in a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Diagnosis {
    /// In the order of the thresholds, also those without a grain.
    pub problems: Vec<Problem>,
    /// Thresholds that could not be checked.
    pub not_checked: Vec<NotChecked>,
}

/// Checks thresholds. A grain without a value is never a problem. Cost n log n in the grains per
/// threshold, and that of the metric. Of no use when the evaluation was stopped.
pub fn diagnose(evaluation: &Evaluation<'_>, thresholds: &[Threshold]) -> Diagnosis {
    let mut diagnosis = Diagnosis::default();
    for threshold in thresholds {
        if evaluation.progress().is_stopped() {
            break;
        }
        let metric = by_name(&threshold.metric).map_or(threshold.metric.as_str(), |known| known.id);
        let column = evaluation.evaluate_by_name(&threshold.metric);
        let both = column.and_then(|column| Ok((column, threshold.limit.evaluate(evaluation)?)));
        match both {
            Ok((column, limit)) => {
                let Some(problem) = problem(evaluation, threshold, metric, &column, limit) else {
                    break;
                };
                diagnosis.problems.push(problem);
            }
            Err(reason) => diagnosis.not_checked.push(NotChecked {
                metric: metric.to_owned(),
                condition: threshold.to_string(),
                reason,
            }),
        }
    }
    diagnosis
}

/// The grains beyond one threshold; nothing when the evaluation was stopped.
fn problem(
    evaluation: &Evaluation<'_>,
    threshold: &Threshold,
    metric: &str,
    column: &Column,
    limit: f64,
) -> Option<Problem> {
    let progress = evaluation.progress();
    progress.check().ok()?;
    let table = &evaluation.run().grains;
    let (mut grains, mut book_keeping, mut checked) = (Vec::new(), Vec::new(), 0);
    for (row, (value, &kind)) in (0..).zip(column.values.iter().zip(table.kind.values())) {
        let Some(value) = value else { continue };
        let is_grain = GrainKind::from_code(kind).is_some_and(GrainKind::is_grain);
        checked += u64::from(is_grain);
        if threshold.relation.holds(value, limit) {
            let severity = severity(threshold.relation, value, limit);
            let found = ProblemGrain {
                row,
                value,
                severity,
            };
            let side = if is_grain {
                &mut grains
            } else {
                &mut book_keeping
            };
            side.push(found);
        }
    }
    let keys = table.path_key.values();
    let key = |grain: &ProblemGrain| (keys.get(grain.row as usize).copied(), grain.row);
    for side in [&mut grains, &mut book_keeping] {
        progress.check().ok()?;
        side.par_sort_by(|a, b| {
            let ascending = a.value.total_cmp(&b.value);
            let by_value = if threshold.relation.is_below() {
                ascending
            } else {
                ascending.reverse()
            };
            by_value.then_with(|| key(a).cmp(&key(b)))
        });
    }
    progress.check().ok()?;
    let definitions = summarise(evaluation, &grains);
    progress.check().ok()?;
    Some(Problem {
        metric: metric.to_owned(),
        condition: threshold.to_string(),
        limit,
        origin: column.origin,
        checked,
        critical_grains: critical(evaluation, &grains),
        critical_book_keeping: critical(evaluation, &book_keeping),
        share_of_work: share_of_work(evaluation, &grains),
        definitions,
        grains,
        book_keeping,
    })
}

fn severity(relation: Relation, value: f64, limit: f64) -> Option<f64> {
    let is_ratio = value > 0.0 && limit > 0.0;
    let ratio = if relation.is_below() {
        limit / value
    } else {
        value / limit
    };
    (is_ratio && ratio.is_finite()).then_some(ratio)
}

fn critical(evaluation: &Evaluation<'_>, grains: &[ProblemGrain]) -> u64 {
    let critical = evaluation.critical_grains();
    let is_critical = |grain: &&ProblemGrain| critical.binary_search(&grain.row).is_ok();
    grains.iter().filter(is_critical).count() as u64
}

fn share_of_work(evaluation: &Evaluation<'_>, grains: &[ProblemGrain]) -> Option<f64> {
    let table = &evaluation.run().grains;
    let all = table.work.iter().zip(table.kind.values());
    let is_grain = |kind| GrainKind::from_code(kind).is_some_and(GrainKind::is_grain);
    let works = all.filter(|(_, kind)| is_grain(**kind));
    let total: i128 = works.filter_map(|(work, _)| work).map(i128::from).sum();
    let of_row = |row: usize| table.work.is_valid(row).then(|| table.work.value(row));
    let works = grains.iter().filter_map(|grain| of_row(grain.row as usize));
    let part: i128 = works.map(i128::from).sum();
    (total > 0).then(|| part as f64 / total as f64)
}
