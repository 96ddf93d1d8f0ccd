//! What the grains of a run are compared with.

use sheaf_grains::grain_metric::Unmatched;
use sheaf_model::{Cancelled, Progress, RunId, RunSelector};

use super::{RunDepth, has_grains};
use crate::runs::RunEntry;
use crate::{Error, select};

/// Runs that the grains of a run were compared with, and what of both sides has no counterpart.
#[derive(Debug, Clone, PartialEq)]
pub struct GrainComparison {
    /// Ids of the runs, in ascending order.
    pub runs: Vec<RunId>,
    /// Tasks and chunks of the run that none of them has.
    pub unmatched: Unmatched,
    /// Tasks and chunks of each of them that the run has not.
    pub missing: Vec<Unmatched>,
}

impl RunDepth {
    /// What it is compared with; absent where it is compared with nothing. Sorts the grains once.
    pub(crate) fn comparison(
        &self,
        progress: &Progress,
    ) -> Result<Option<&GrainComparison>, Cancelled> {
        if self.references.is_empty() {
            return Ok(None);
        }
        let comparison = self.comparison.get_or_make(progress, || {
            self.with_evaluation(progress, |evaluation| {
                let deviation = evaluation.deviation();
                let ids = self
                    .references
                    .iter()
                    .map(|run| run.tables().summary.meta.id);
                Ok(GrainComparison {
                    runs: ids.collect(),
                    unmatched: deviation.unmatched,
                    missing: deviation.missing.clone(),
                })
            })
        });
        comparison.map(Some)
    }
}

/// The runs that a reference names, in order of their ids, without the run itself.
pub(super) fn others<'a>(
    all: &[&'a RunEntry],
    run: &RunEntry,
    reference: &str,
) -> Result<Vec<&'a RunEntry>, Error> {
    let mut others = select::side(all, &RunSelector(reference.to_owned()))?;
    others.retain(|other| other.meta.id != run.meta.id);
    others.sort_by_key(|other| other.meta.id);
    let refused = |reason: String| Error::Reference {
        reference: reference.to_owned(),
        reason,
    };
    if others.is_empty() {
        return Err(refused("it names no other run".to_owned()));
    }
    for other in &others {
        has_grains(other)?;
        let (unit, own) = (other.meta.time_unit, run.meta.time_unit);
        if unit != own {
            let name = &other.meta.name;
            return Err(refused(format!(
                "times of `{name}` are in {unit}, those of the run in {own}; add both with the clock rate"
            )));
        }
    }
    Ok(others)
}
