//! Noise of repeats.

use sheaf_answers::Noise;
use sheaf_compare::noise::{NoiseOptions, noise};
use sheaf_model::Lens;

use crate::questions::with_main_metric;
use crate::view::check_paths;
use crate::{Error, View, complete, disturbed};

impl View<'_> {
    /// Measures how repeats of each configuration among the lens's runs differ. The store's rules about parameters
    /// replace those of the options.
    ///
    /// # Errors
    /// As for [`View::stats`].
    pub fn noise(&self, lens: &Lens, options: &NoiseOptions) -> Result<Noise, Error> {
        let entries = self.entries();
        let chosen = complete::deciding(lens, &entries)?;
        let runs = self.summaries_for(lens, &chosen.runs)?;
        check_paths(lens, &runs)?;
        let options = NoiseOptions {
            rules: self.rules.clone(),
            ..options.clone()
        };
        let with_metric = with_main_metric(lens, &runs);
        let mut answer = noise(&with_metric, &runs, &options, &self.progress)?;
        // As it was asked.
        answer.lens = lens.to_string();
        let notes = [chosen.note(None), disturbed::note(&chosen.runs, None)];
        answer.notes.splice(0..0, notes.into_iter().flatten());
        Ok(answer)
    }
}
