//! Which grains are beyond a threshold.

use std::cmp::Ordering;

use rayon::prelude::*;
use sheaf_model::table::GrainKind;

use sheaf_answers::Gain;

use super::gain::Gains;
use super::summary::{DefinitionSummary, summarise};
use super::{Relation, Threshold};
use crate::grain_graph::to_u32;
use crate::grain_metric::{AbsenceReason, Column, Evaluation, Origin, by_name};
use crate::map_on_threads;

/// Metric of the part of a grain's lifetime in which it waited for locks.
pub const LOCK_WAITING: &str = "lock_waiting_share";

/// A grain whose value is a problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProblemGrain {
    /// Row of the grain.
    pub row: u32,
    /// Its value.
    pub value: f64,
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
    /// Tasks and chunks that have a value; for waits for locks, members of teams too.
    pub checked: u64,
    /// Rows of the tasks and chunks beyond the limit, ascending.
    pub grains: Vec<u32>,
    /// The worst of them; of equal ones that whose path comes first.
    pub worst: Option<ProblemGrain>,
    /// Those of them on the critical path of the reduced graph.
    pub critical_grains: u64,
    /// Their work by the work of all tasks and chunks; absent where no work is known.
    pub share_of_work: Option<f64>,
    /// Elapsed time that could be won at most if none of them were beyond the limit; absent where none is, and where
    /// it is not known.
    pub gain: Option<Gain>,
    /// Chunks beyond the limit of loops whose imbalance costs too little to count; not part of the above.
    pub balanced_chunks: u64,
    /// Per definition of those grains, that with most to win first.
    pub definitions: Vec<DefinitionSummary>,
    /// Rows beyond the limit that are no grains: members of teams, and what keeps the books of
    /// loops. Ascending; not part of any of the above.
    pub book_keeping: Vec<u32>,
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
    pub reason: AbsenceReason,
}

/// What is wrong in a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Diagnosis {
    /// That with most elapsed time to win first, then those of which that is not known by their share of the work, also
    /// those without a grain; equal ones in the order of the thresholds.
    pub problems: Vec<Problem>,
    /// Time from the first begin of a grain to the last end, where it is known.
    pub elapsed: Option<i64>,
    /// Thresholds that could not be checked.
    pub not_checked: Vec<NotChecked>,
}

/// Checks thresholds, two at a time. A grain without a value is never a problem. Cost linear in the grains per
/// threshold, and that of the metric. Of no use when the evaluation was stopped.
pub fn diagnose(evaluation: &Evaluation<'_>, thresholds: &[Threshold]) -> Diagnosis {
    let bounds = Gains::of(evaluation);
    let mut diagnosis = Diagnosis {
        elapsed: bounds.elapsed(),
        ..Diagnosis::default()
    };
    for checked in check_all(&bounds, thresholds) {
        match checked {
            Ok(problem) => diagnosis.problems.push(problem),
            Err(not_checked) => diagnosis.not_checked.push(not_checked),
        }
    }
    // Of no use when it was stopped, whatever it holds.
    let _ = bounds.add_to(&mut diagnosis.problems);
    diagnosis.problems.sort_by(|a, b| {
        let time = |problem: &Problem| problem.gain.map_or(-1.0, |gain| gain.time);
        let share = |problem: &Problem| problem.share_of_work.unwrap_or(0.0);
        let times = time(b).total_cmp(&time(a));
        let is_empty = |problem: &Problem| problem.grains.is_empty();
        is_empty(a)
            .cmp(&is_empty(b))
            .then(times)
            .then_with(|| share(b).total_cmp(&share(a)))
    });
    diagnosis
}

type Checked = Result<Problem, NotChecked>;

/// The findings of each threshold, in the order of the thresholds. They are incomplete if the evaluation was stopped.
fn check_all(bounds: &Gains<'_, '_>, thresholds: &[Threshold]) -> Vec<Checked> {
    let mut order: Vec<(usize, &Threshold)> = thresholds.iter().enumerate().collect();
    // Those that take longest begin first.
    order.sort_by_key(|(_, threshold)| !threshold.metric.starts_with("inst_par"));
    let mut found = map_on_threads(&order, 2, |&(at, threshold)| (at, check(bounds, threshold)));
    found.sort_unstable_by_key(|(at, _)| *at);
    found
        .into_iter()
        .filter_map(|(_, checked)| checked)
        .collect()
}

/// The findings of a threshold; nothing if the evaluation was stopped.
fn check(bounds: &Gains<'_, '_>, threshold: &Threshold) -> Option<Checked> {
    let evaluation = bounds.evaluation();
    if evaluation.progress().is_stopped() {
        return None;
    }
    let metric = by_name(&threshold.metric).map_or(threshold.metric.as_str(), |known| known.id);
    let column = evaluation.evaluate_by_name(&threshold.metric);
    let both = column.and_then(|column| Ok((column, threshold.limit.evaluate(evaluation)?)));
    match both {
        Ok((column, limit)) => problem(bounds, threshold, metric, &column, limit).map(Ok),
        Err(reason) => Some(Err(NotChecked {
            metric: metric.to_owned(),
            condition: threshold.to_string(),
            reason,
        })),
    }
}

/// The grains beyond one threshold, without the time that could be won; nothing when the evaluation was stopped.
fn problem(
    bounds: &Gains<'_, '_>,
    threshold: &Threshold,
    metric: &str,
    column: &Column,
    limit: f64,
) -> Option<Problem> {
    let evaluation = bounds.evaluation();
    let progress = evaluation.progress();
    progress.check().ok()?;
    let table = &evaluation.run().grains;
    // Members of teams wait for locks as tasks and chunks do.
    let has_members = metric == LOCK_WAITING;
    let (mut grains, mut book_keeping, mut checked) = (Vec::new(), Vec::new(), 0);
    let mut balanced_chunks = 0;
    let rows = 0..to_u32(column.values.len().min(table.len()));
    for (row, kind) in rows.zip(table.kind.values()) {
        let Some(value) = column.get(row as usize) else {
            continue;
        };
        let is_grain = has_members || is_task_or_chunk(kind);
        checked += u64::from(is_grain);
        if threshold.relation.holds(value, limit) {
            if threshold.is_by_loop && is_grain && bounds.is_balanced_chunk(row) {
                balanced_chunks += 1;
                continue;
            }
            let side = if is_grain {
                &mut grains
            } else {
                &mut book_keeping
            };
            side.push(row);
        }
    }
    progress.check().ok()?;
    let severity = |row: u32| {
        let value = column.get(row as usize)?;
        severity(threshold.relation, value, limit)
    };
    let definitions = summarise(evaluation, &grains, severity);
    progress.check().ok()?;
    Some(Problem {
        metric: metric.to_owned(),
        condition: threshold.to_string(),
        limit,
        origin: column.origin,
        checked,
        critical_grains: critical(evaluation, &grains),
        critical_book_keeping: critical(evaluation, &book_keeping),
        share_of_work: share_of_work(bounds, &grains, has_members),
        gain: None,
        balanced_chunks,
        definitions,
        worst: worst(&grains, column, threshold.relation, &|row| {
            table.path_key.value(row as usize)
        }),
        grains,
        book_keeping,
    })
}

/// The grain with the worst value; `key` is that of the path of a row.
fn worst(
    rows: &[u32],
    column: &Column,
    relation: Relation,
    key: &(impl Fn(u32) -> i64 + Sync),
) -> Option<ProblemGrain> {
    let grains = rows.par_iter().filter_map(|&row| {
        let value = column.get(row as usize)?;
        Some(ProblemGrain { row, value })
    });
    grains.min_by(|a, b| compare(relation, key, a, b))
}

/// The order of grains: worse ones first, equal ones by their paths.
pub(super) fn compare(
    relation: Relation,
    key: &impl Fn(u32) -> i64,
    a: &ProblemGrain,
    b: &ProblemGrain,
) -> Ordering {
    let key = |grain: &ProblemGrain| (key(grain.row), grain.row);
    let ascending = a.value.total_cmp(&b.value);
    let by_value = if relation.is_below() {
        ascending
    } else {
        ascending.reverse()
    };
    by_value.then_with(|| key(a).cmp(&key(b)))
}

/// How far a value is beyond the limit, as a ratio of 1 or more; absent where one of them is not positive.
pub(super) fn severity(relation: Relation, value: f64, limit: f64) -> Option<f64> {
    let is_ratio = value > 0.0 && limit > 0.0;
    let ratio = if relation.is_below() {
        limit / value
    } else {
        value / limit
    };
    (is_ratio && ratio.is_finite()).then_some(ratio)
}

/// Number of grains on the critical path.
fn critical(evaluation: &Evaluation<'_>, grains: &[u32]) -> u64 {
    let critical = evaluation.critical_grains();
    // Few are, of few or many.
    let [few, many] = if critical.len() < grains.len() {
        [critical, grains]
    } else {
        [grains, critical]
    };
    let is_in_both = |row: &&u32| many.binary_search(row).is_ok();
    few.iter().filter(is_in_both).count() as u64
}

pub(super) fn is_task_or_chunk(kind: i32) -> bool {
    GrainKind::from_code(kind).is_some_and(GrainKind::is_grain)
}

/// Share of the work of all tasks and chunks, and of members of teams if some of these can be among the grains.
fn share_of_work(bounds: &Gains<'_, '_>, grains: &[u32], has_members: bool) -> Option<f64> {
    let total = if has_members {
        bounds.work_with_members()
    } else {
        bounds.work()
    };
    let work = &bounds.evaluation().run().grains.work;
    let works = grains.iter().filter_map(|&row| work.get(row as usize));
    let part: i128 = works.map(i128::from).sum();
    (total > 0).then(|| part as f64 / total as f64)
}
