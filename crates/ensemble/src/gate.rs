//! The gate: may a candidate pass?

use sheaf_analysis::gate::{GateAnswer, GateOptions, gate};
use sheaf_model::{Compare, Lens};

use crate::{Error, View, questions, select};

impl View<'_> {
    /// Judges the candidate of the lens's `diff` clause against the baseline.
    ///
    /// Runs that both sides select count for the candidate alone: a test of runs against themselves
    /// would always pass.
    ///
    /// # Errors
    /// As for [`View::diff`], when no run but the candidate's is left for the baseline, and when
    /// an option is out of range.
    pub fn gate(&self, lens: &Lens, options: &GateOptions) -> Result<GateAnswer, Error> {
        options.check()?;
        let Compare::Diff { a, b } = &lens.compare else {
            return Err(Error::NoSides);
        };
        let entries = self.entries();
        let selected = select::by_expression(&entries, lens.runs.as_ref())?;
        let mut sides = [select::side(&selected, a)?, select::side(&selected, b)?];
        let [baseline, candidate] = &mut sides;
        let before = baseline.len();
        baseline.retain(|run| candidate.iter().all(|other| other.meta.id != run.meta.id));
        if baseline.is_empty() {
            return Err(Error::SameRuns {
                baseline: a.0.clone(),
                candidate: b.0.clone(),
            });
        }
        let shared = before - baseline.len();
        let diff = self.diff_of(lens, [a, b], &sides, &options.diff_options())?;
        let mut totals = [Vec::new(), Vec::new()];
        for (totals, side) in totals.iter_mut().zip(&sides) {
            let runs = self.summaries_for(lens, side)?;
            totals.extend(
                questions::totals(lens, &runs, &self.progress)?
                    .into_iter()
                    .flatten(),
            );
        }
        let mut answer = gate(diff, &totals, options);
        if shared > 0 {
            let note = format!(
                "{shared} of {before} runs of the baseline are the candidate's and are left out of it"
            );
            answer.diff.notes.insert(0, note);
        }
        Ok(answer)
    }
}
