//! Scaling studies.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use sheaf_analysis::scaling::{RunAccount, ScaleAnswer, ScaleQuestion, Study};
use sheaf_model::{Lens, RunId};

use crate::runs::RunEntry;
use crate::view::check_paths;
use crate::{Error, View};

/// Accounts of runs, which are some hundred bytes each and take the opening of a run to make. Of a run
/// without times of grains there is none, which is kept too. A run's id is the hash of its content, so
/// entries are never stale.
pub(crate) type AccountCache = Mutex<BTreeMap<RunId, Option<Arc<RunAccount>>>>;

impl View<'_> {
    /// How the time of the runs that the lens selects changes with a parameter, and where it went.
    ///
    /// One run of each point is opened in depth, the one nearest to the median, when it was not before.
    ///
    /// # Errors
    /// As for [`View::stats`], and when the parameter is not a number.
    pub fn scale(&self, lens: &Lens, question: &ScaleQuestion) -> Result<ScaleAnswer, Error> {
        let runs = self.selected_with_values(lens)?;
        check_paths(lens, &runs)?;
        let lens = &crate::questions::with_main_metric(lens, &runs);
        let state = sheaf_analysis::partial(lens, &runs, &self.progress)?;
        let study = Study::new(lens, question, state, &self.progress)?;
        let entries = self.entries();
        let by_id: BTreeMap<RunId, &RunEntry> =
            entries.iter().map(|entry| (entry.meta.id, entry)).collect();
        let accounts: Vec<(RunId, Option<Arc<RunAccount>>)> = study
            .representatives()
            .into_par_iter()
            .map(|run| {
                self.progress.check()?;
                let entry = by_id.get(&run).filter(|entry| entry.grains.is_some());
                let account = entry.map(|entry| self.account(entry)).transpose()?;
                Ok((run, account.flatten()))
            })
            .collect::<Result<_, Error>>()?;
        let known = accounts.into_iter();
        let known = known.filter_map(|(run, account)| Some((run, (*account?).clone())));
        Ok(study.finish(&known.collect()))
    }

    /// The account of a run with grains; `None` where its source says no times.
    fn account(&self, run: &RunEntry) -> Result<Option<Arc<RunAccount>>, Error> {
        let id = run.meta.id;
        let kept = || {
            self.ensemble
                .accounts
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(known) = kept().get(&id) {
            return Ok(known.clone());
        }
        let account = self.make_account(run)?.map(Arc::new);
        kept().insert(id, account.clone());
        Ok(account)
    }

    fn make_account(&self, run: &RunEntry) -> Result<Option<RunAccount>, Error> {
        let depth = self.depth(run)?;
        let Ok(timeline) = depth.timeline(&self.progress)? else {
            return Ok(None);
        };
        let balance = &timeline.balance;
        Ok(Some(RunAccount {
            workers: balance.workers,
            elapsed: balance.elapsed,
            work: balance.work,
            overhead: balance.delay.clone().ok(),
            idle: balance.no_work.clone().ok(),
            span: depth
                .figures(&self.progress)?
                .ok()
                .and_then(|figures| figures.span),
            ready_by_context: timeline.ready_by_context().map(<[i64]>::to_vec),
            faults: balance.faults(),
        }))
    }
}
