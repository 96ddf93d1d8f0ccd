//! What the grains of a run are compared with.

use sheaf_answers::{GrainReference, ReferenceRun};
use sheaf_model::{Cancelled, Progress, RunSelector};

use super::{OpenRun, has_grains};
use crate::runs::RunEntry;
use crate::{Error, select};

impl OpenRun {
    /// What it is compared with; absent where it is compared with nothing. Sorts the grains once.
    pub(crate) fn comparison(
        &self,
        progress: &Progress,
    ) -> Result<Option<&GrainReference>, Cancelled> {
        if self.references.is_empty() {
            return Ok(None);
        }
        let comparison = self.comparison.get_or_make(progress, || {
            self.with_evaluation(progress, |evaluation| {
                let deviation = evaluation.deviation();
                let runs = self.references.iter().zip(&deviation.missing);
                Ok(GrainReference {
                    runs: runs
                        .map(|(run, missing)| ReferenceRun {
                            run: run.tables().summary.meta.id.to_string(),
                            missing_grains: missing.grains,
                            missing_work: missing.work,
                        })
                        .collect(),
                    unmatched_grains: deviation.unmatched.grains,
                    unmatched_work: deviation.unmatched.work,
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
