//! Questions about changes of runs.

use sheaf_answers as api;
use sheaf_ensemble::{Error, WhatIfQuestion};

use super::Answers;

impl Answers {
    /// Times of runs on other numbers of workers and with changes.
    ///
    /// # Errors
    /// When a selector names no run, a run has no grain graph that can be scheduled, a name is unknown, or a number is
    /// out of its range.
    pub fn what_if(&self, question: &WhatIfQuestion) -> Result<api::WhatIf, Error> {
        self.ask(|view| view.what_if(question))
    }

    /// The gain in elapsed time from less work of each definition of a run.
    ///
    /// # Errors
    /// As for [`Answers::what_if`], and when the selectors name more than one run.
    pub fn what_first(&self, question: &WhatIfQuestion) -> Result<api::WhatFirst, Error> {
        self.ask(|view| view.what_first(question))
    }

    /// Recorded runs predicted from runs with other numbers of workers.
    ///
    /// # Errors
    /// As for [`Answers::what_if`], and when no two of the runs differ in the number of workers alone.
    pub fn what_if_check(&self, question: &WhatIfQuestion) -> Result<api::WhatIfCheck, Error> {
        self.ask(|view| view.what_if_check(question))
    }
}
