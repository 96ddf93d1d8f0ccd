//! Launches without the recorder, by which the cost of recording is measured.

use std::sync::PoisonError;

use super::super::cost::Pair;
use super::super::launch::{Ending, Outcome};
use super::super::plan::Launch;
use super::super::traces::TraceFolder;
use super::{Sweep, nanos};
use crate::failure::Failure;

impl Sweep<'_> {
    /// Launches the program with the recorder and, if it was asked for, without; returns the elapsed nanoseconds of
    /// that launch if it ended with status 0. Which is first alternates, so that a machine that gets slower or faster
    /// favours neither.
    pub(super) fn execute_both(
        &self,
        launch: Launch,
        traces: &TraceFolder,
    ) -> Result<(Outcome, Option<i64>), Failure> {
        let recorded = || self.execute(&self.tooled(launch, traces));
        if !self.arguments.reference {
            return Ok((recorded()?, None));
        }
        let plain = || self.execute(&self.untooled(launch.threads));
        let (outcome, reference) = if launch.repeat % 2 == 1 {
            let reference = plain()?;
            (recorded()?, reference)
        } else {
            let outcome = recorded()?;
            if outcome.ending == Ending::Interrupted {
                return Ok((outcome, None));
            }
            (outcome, plain()?)
        };
        let mut pairs = self.pairs.lock().unwrap_or_else(PoisonError::into_inner);
        pairs.add(Pair {
            threads: launch.threads,
            plain: reference,
            recorded: outcome,
        });
        let is_success = reference.ending.is_success();
        Ok((outcome, is_success.then(|| nanos(reference.elapsed))))
    }
}
