//! Divides the time of all workers: workers × elapsed = work + waits + delay + no work.

use sheaf_answers::{CauseKind, ExplainFact, ExplainedBy};

use super::works::Works;
use super::{Concern, Parts, RunTime, WorkerTime};

/// Parts of the time of all workers. With P workers before and Q now, the difference of a part c is
/// (1/P + 1/Q) / 2 · Δc, and that of the number of workers (1/Q − 1/P) times the mean of all worker time.
///
/// # Errors
/// A note with the reason why there are no parts: the source of a run has no times, or runs of one side have different
/// numbers of workers.
pub(super) fn parts(sides: &[Vec<RunTime>; 2], works: &Works<'_>) -> Result<Parts, ExplainFact> {
    let mut elapsed = [Vec::new(), Vec::new()];
    let mut worker_counts = [0_i128; 2];
    for (side, runs) in sides.iter().enumerate() {
        for run in runs {
            let time = run.workers.as_ref();
            let time = time.map_err(|reason| ExplainFact::NoExplanation {
                by: ExplainedBy::Workers,
                reason: reason.clone(),
            })?;
            let width = i128::from(time.workers.max(1));
            if worker_counts[side] != 0 && worker_counts[side] != width {
                let [a, b] =
                    [worker_counts[side], width].map(|it| u64::try_from(it).unwrap_or_default());
                return Err(ExplainFact::WorkersDiffer { a, b });
            }
            worker_counts[side] = width;
            elapsed[side].push(time.elapsed);
        }
    }
    let [p, q] = worker_counts;
    let mut parts = Parts::new(ExplainedBy::Workers, 2 * p * q, elapsed);
    let can_split_idle = sides.iter().flatten().all(|run| {
        let time = run.workers.as_ref().ok();
        time.is_some_and(|time| {
            time.pauses.is_empty() && time.delay.is_some() && time.no_work.is_some()
        })
    });
    for (side, runs) in sides.iter().enumerate() {
        for (number, run) in runs.iter().enumerate() {
            let Ok(time) = &run.workers else { continue };
            let place = (side, number);
            let grains = (0..).zip(run.grains.work.values().iter().copied());
            works.add_times(&mut parts, run, place, grains, &time.off_cpu, p + q);
            for ((kind, definition), &pause) in &time.pauses {
                let concern = Concern::Definition(*definition);
                parts.add(*kind, concern, place, i128::from(pause) * (p + q));
            }
            for (kind, idle) in idle(time, can_split_idle) {
                parts.add(kind, Concern::Run, place, idle * (p + q));
            }
            let all = i128::from(time.elapsed) * worker_counts[side];
            let sign = if side == 0 { -1 } else { 1 };
            parts.add(
                CauseKind::Workers,
                Concern::Run,
                place,
                sign * all * (p - q),
            );
        }
    }
    Ok(parts)
}

/// Idle time by kind.
fn idle(time: &WorkerTime, can_split: bool) -> Vec<(CauseKind, i128)> {
    match (time.delay, time.no_work) {
        (Some(delay), Some(no_work)) if can_split => vec![
            (CauseKind::Delay, delay.into()),
            (CauseKind::NoWork, no_work.into()),
        ],
        _ => {
            let pauses: i128 = time.pauses.values().copied().map(i128::from).sum();
            vec![(CauseKind::Idle, i128::from(time.idle) - pauses)]
        }
    }
}
