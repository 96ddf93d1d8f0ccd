//! Notes on the part of the elapsed time that the network costs.

use std::sync::Arc;

use sheaf_model::{RunMeta, RunSummary};

/// Runs of MPI of which no time on the ideal network is known, with the reason of the first.
pub(crate) fn unknown(runs: &[Arc<RunSummary>]) -> Option<String> {
    let mut reasons = runs.iter().filter_map(|run| run.meta.lacks.get("transfer"));
    let first = reasons.next()?;
    let count = 1 + reasons.count();
    let all = runs.len();
    Some(format!(
        "communication is not divided into serialisation and transfer in {count} of {all} runs: {first}"
    ))
}

/// Runs in which something was not matched: their transfer efficiency is too high rather than too low.
pub(crate) fn incomplete(runs: &[Arc<RunSummary>]) -> Option<String> {
    let mut gaps = runs.iter().filter_map(|run| gap(&run.meta));
    let first = gaps.next()?;
    let count = 1 + gaps.count();
    let all = runs.len();
    Some(format!(
        "transfer efficiency is an upper bound in {count} of {all} runs: {first}"
    ))
}

/// Messages and calls that were not matched in a run.
fn gap(run: &RunMeta) -> Option<String> {
    let messages = run.messages.as_ref()?;
    messages.ideal_elapsed?;
    let mut parts = Vec::new();
    if messages.unmatched > 0 {
        let (count, all) = (messages.unmatched, messages.messages);
        parts.push(format!("{count} of {all} messages could not be matched"));
    }
    if messages.kept_calls > 0 {
        let (count, all) = (messages.kept_calls, messages.calls);
        parts.push(format!(
            "it is not known what {count} of {all} calls of MPI waited for"
        ));
    }
    (!parts.is_empty()).then(|| format!("in `{}` {}", run.name, parts.join(", and ")))
}
