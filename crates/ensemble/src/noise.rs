//! Noise of repeats.

use sheaf_analysis::noise::{NoiseAnswer, NoiseOptions, noise};
use sheaf_model::{Lens, Progress};

use crate::questions::with_main_metric;
use crate::{Ensemble, Error};

impl Ensemble {
    /// Measures how repeats of each configuration among the lens's runs differ.
    ///
    /// # Errors
    /// As for [`Ensemble::stats`].
    pub fn noise(
        &self,
        lens: &Lens,
        options: &NoiseOptions,
        progress: &Progress,
    ) -> Result<NoiseAnswer, Error> {
        let runs = self.selected(lens)?;
        let lens = &with_main_metric(lens, &runs);
        Ok(noise(lens, &runs, options, progress)?)
    }
}
