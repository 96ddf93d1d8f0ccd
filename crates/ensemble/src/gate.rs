//! The gate: may a candidate pass?

use sheaf_answers::{DiffFact, Gate, WhichSide};
use sheaf_compare::gate::{GateOptions, decided_by_nothing, failed_as_incomplete, gate};
use sheaf_model::{Compare, Lens};

use crate::runs::RunEntry;
use crate::runs::table::totals as totals_of;
use crate::{Error, View, complete, disturbed};

impl View<'_> {
    /// Judges the candidate of the lens's `diff` clause against the baseline.
    ///
    /// Runs that both sides select count for the candidate alone: a test of runs against themselves
    /// would always pass.
    ///
    /// # Errors
    /// As for [`View::diff`], when no run but the candidate's is left for the baseline, and when
    /// an option is out of range.
    pub fn gate(&self, lens: &Lens, options: &GateOptions) -> Result<Gate, Error> {
        options.check()?;
        let Compare::Diff { a, b } = &lens.compare else {
            return Err(Error::NoSides);
        };
        let entries = self.entries();
        let [mut baseline, candidate] = complete::sides(lens, &entries, [a, b])?;
        let is_candidate = |run: &&RunEntry| {
            let mut others = candidate.runs.iter().chain(&candidate.incomplete);
            others.any(|other| other.meta.id == run.meta.id)
        };
        let before = baseline.runs.len();
        baseline.runs.retain(|run| !is_candidate(run));
        let shared = before - baseline.runs.len();
        baseline.incomplete.retain(|run| !is_candidate(run));
        if baseline.runs.is_empty() && baseline.incomplete.is_empty() {
            return Err(Error::SameRuns {
                baseline: a.0.clone(),
                candidate: b.0.clone(),
            });
        }
        let baseline = baseline.some(&format!("`{}`", a.0))?;
        let incomplete = candidate.left_out(Some(WhichSide::Candidate));
        let notes = [
            baseline.note(Some(WhichSide::Baseline)),
            candidate.note(Some(WhichSide::Candidate)),
            disturbed::note(&baseline.runs, Some(WhichSide::Baseline)),
            disturbed::note(&candidate.runs, Some(WhichSide::Candidate)),
        ];
        let is_empty = candidate.runs.is_empty();
        let compared = if is_empty {
            candidate.incomplete
        } else {
            candidate.runs
        };
        let sides = [baseline.runs, compared];
        let mut diff = self.diff_of(lens, [a, b], &sides, &options.diff_options())?;
        if let Some(reason) = incomplete.as_ref().filter(|_| is_empty) {
            diff = diff.without_verdicts(reason);
        }
        diff.answer.notes.splice(0..0, notes.into_iter().flatten());
        let mut totals = [Vec::new(), Vec::new()];
        for (totals, side) in totals.iter_mut().zip(&sides) {
            let runs = self.summaries_for(lens, side)?;
            totals.extend(totals_of(lens, &runs).into_iter().flatten());
        }
        let mut answer = gate(diff, &totals, options);
        if shared > 0 {
            let (runs, of) = (shared as u64, before as u64);
            let left_out = DiffFact::CandidateLeftOut { runs, of };
            answer.diff.notes.insert(0, left_out.into());
        }
        match incomplete {
            None => {}
            Some(reason) if is_empty => decided_by_nothing(&mut answer, reason),
            Some(reason) => failed_as_incomplete(&mut answer, reason),
        }
        Ok(answer)
    }
}
