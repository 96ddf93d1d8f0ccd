//! Notes on the part of the elapsed time that the network costs.

use std::sync::Arc;

use sheaf_answers::{CountOf, ScaleFact};
use sheaf_model::{RunMeta, RunSummary};

/// Runs of MPI of which no time on the ideal network is known, with the reason of the first.
pub(crate) fn unknown(runs: &[Arc<RunSummary>]) -> Option<ScaleFact> {
    let mut reasons = runs.iter().filter_map(|run| run.meta.lacks.get("transfer"));
    let first = reasons.next()?;
    Some(ScaleFact::TransferUnknown {
        reason: first.clone(),
        runs: CountOf {
            count: 1 + reasons.count() as u64,
            of: runs.len() as u64,
        },
    })
}

/// Runs in which something was not matched: their transfer efficiency is too high rather than too low.
pub(crate) fn incomplete(runs: &[Arc<RunSummary>]) -> Option<ScaleFact> {
    let mut gaps = runs.iter().filter_map(|run| Some((run, gap(&run.meta)?)));
    let (run, [messages, calls]) = gaps.next()?;
    Some(ScaleFact::TransferUpperBound {
        runs: CountOf {
            count: 1 + gaps.count() as u64,
            of: runs.len() as u64,
        },
        run: run.meta.name.clone(),
        messages,
        calls,
    })
}

/// Messages and calls that were not matched in a run.
fn gap(run: &RunMeta) -> Option<[Option<CountOf>; 2]> {
    let messages = run.messages.as_ref()?;
    messages.ideal_elapsed?;
    let part = |count, of| (count > 0).then_some(CountOf { count, of });
    let parts = [
        part(messages.unmatched, messages.messages),
        part(messages.kept_calls, messages.calls),
    ];
    parts.iter().any(Option::is_some).then_some(parts)
}
