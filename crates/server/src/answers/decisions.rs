//! Questions that decide: gates, noise, histories.

use sheaf_answers as api;
use sheaf_ensemble::{Error, GateOptions, HistoryOptions, HistoryOrder, NoiseOptions};
use sheaf_model::Lens;

use super::Answers;

impl Answers {
    /// Judges the candidate of the lens's `diff` clause; a strict gate does not pass what is inconclusive.
    ///
    /// # Errors
    /// As for [`Answers::diff`], and when both sides are the same runs.
    pub fn gate(&self, lens: &Lens, options: &GateOptions) -> Result<api::Gate, Error> {
        self.ask(|view| view.gate(lens, options))
    }

    /// How noisy repeats are, and whether gates between them keep quiet.
    ///
    /// # Errors
    /// As for [`Answers::stats`].
    pub fn noise(&self, lens: &Lens, options: &NoiseOptions) -> Result<api::Noise, Error> {
        self.ask(|view| view.noise(lens, options))
    }

    /// How groups change over the versions that the lens's `by` clause names.
    ///
    /// # Errors
    /// As for [`Answers::stats`], and when the order of versions is unknown.
    pub fn history(
        &self,
        lens: &Lens,
        order: &HistoryOrder,
        options: &HistoryOptions,
    ) -> Result<api::History, Error> {
        self.ask(|view| view.history(lens, order, options))
    }
}
