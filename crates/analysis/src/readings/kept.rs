//! Values of runs that are looked at more than once.

use std::sync::OnceLock;

use sheaf_model::{MetricKind, Over};

use super::RunValues;
use crate::cells::Lanes;
use crate::kernel::{Ensemble, Question};

/// Bytes of values that are kept from one pass over the runs to the next; more are read again.
const MOST: usize = 256 << 20;

/// Bytes of a value in a lane: exclusive and inclusive.
const BYTES: usize = 16;

/// Values of the runs of an ensemble, read when first looked at.
pub(crate) struct KeptValues<'a> {
    ensemble: &'a Ensemble,
    question: &'a Question,
    over: Over,
    /// Nothing where there is too much to keep.
    kept: Option<Vec<OnceLock<RunValues<'a>>>>,
}

impl<'a> KeptValues<'a> {
    pub(crate) fn new(ensemble: &'a Ensemble, question: &'a Question, over: Over) -> Self {
        let lanes = Lanes::needed(over, MetricKind::Additive);
        let bytes = ensemble.runs().iter().map(|run| {
            let lanes = match lanes {
                Lanes::Total => 1,
                Lanes::Ranks | Lanes::Workers => run.locations.len(),
            };
            run.contexts.len() * lanes * BYTES
        });
        let is_little = bytes.sum::<usize>() <= MOST;
        Self {
            ensemble,
            question,
            over,
            kept: is_little.then(|| {
                let runs = 0..ensemble.num_runs();
                runs.map(|_| OnceLock::new()).collect()
            }),
        }
    }

    /// What is made of the values of a run.
    pub(crate) fn of<T>(&self, run: usize, make: impl FnOnce(&RunValues<'_>) -> T) -> T {
        let read = || self.ensemble.view(self.question, run).values(self.over);
        match self.kept.as_ref().and_then(|kept| kept.get(run)) {
            Some(place) => make(place.get_or_init(read)),
            None => make(&read()),
        }
    }
}
