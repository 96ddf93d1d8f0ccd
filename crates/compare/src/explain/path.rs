//! Divides the elapsed times along the paths of last finishers.

use sheaf_answers::{CauseKind, ExplainFact, ExplainedBy};

use super::works::Works;
use super::{Concern, Parts, RunTime};

/// Parts of the paths of all runs.
///
/// # Errors
/// A note with the reason why a run has no path.
pub(super) fn parts(sides: &[Vec<RunTime>; 2], works: &Works<'_>) -> Result<Parts, ExplainFact> {
    let mut elapsed = [Vec::new(), Vec::new()];
    for (side, runs) in sides.iter().enumerate() {
        for run in runs {
            let path = run.path.as_ref();
            let path = path.map_err(|reason| ExplainFact::NoExplanation {
                by: ExplainedBy::Path,
                reason: reason.clone(),
            })?;
            elapsed[side].push(path.elapsed);
        }
    }
    let mut parts = Parts::new(ExplainedBy::Path, 1, elapsed);
    for (side, runs) in sides.iter().enumerate() {
        for (number, run) in runs.iter().enumerate() {
            let Ok(path) = &run.path else { continue };
            let place = (side, number);
            let times = path.grains.iter().copied();
            works.add_times(&mut parts, run, place, times, &[], 1);
            for ((kind, definition), &time) in &path.gaps {
                let concern = Concern::Definition(*definition);
                parts.add(*kind, concern, place, time.into());
            }
            for (kind, time) in [
                (CauseKind::Before, path.before),
                (CauseKind::After, path.after),
            ] {
                parts.add(kind, Concern::Run, place, time.into());
            }
        }
    }
    Ok(parts)
}
