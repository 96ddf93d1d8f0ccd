//! Questions about causes of differences.

use sheaf_answers as api;
use sheaf_ensemble::{BriefExplanation, Error};
use sheaf_model::Lens;

use super::Answers;

impl Answers {
    /// Why the candidate of the lens's `diff` clause takes longer than the baseline.
    ///
    /// # Errors
    /// When there are no two sides, some runs have grains and others do not, or times are in different units.
    pub fn explain(&self, lens: &Lens) -> Result<api::Explanation, Error> {
        self.ask(|view| view.explain(lens))
    }

    /// As [`Answers::explain`], if the runs hold what it takes and it is brief work.
    ///
    /// # Errors
    /// When tables are damaged or cannot be read, or the question was stopped.
    pub fn explain_briefly(&self, lens: &Lens) -> Result<BriefExplanation, Error> {
        self.ask(|view| view.explain_briefly(lens))
    }
}
