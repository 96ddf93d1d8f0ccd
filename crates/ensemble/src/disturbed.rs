//! Runs whose threads had to wait for processors say so in every answer that rests on their times.

use sheaf_answers::{FirstNames, Note, RunFact, WhichSide};
use sheaf_model::{ParamValue, RunMeta, TimeUnit};

use crate::runs::RunEntry;

/// Parameter of a recorded run: time for which threads were ready and had no processor, by that and their own.
const PREEMPTED: &str = "preempted_share";
/// The time itself, in seconds, of all threads.
const PREEMPTED_TIME: &str = "preempted_s";
/// From this share on times are worth a doubt.
const DISTURBED: f64 = 0.05;
/// Names of runs in a message, at most.
const MAX_NAMES: usize = 5;

/// Whether the time without a processor is a part of the elapsed time that counts: threads that sleep wait for a
/// processor for a large share of little time.
fn is_noticeable(meta: &RunMeta) -> bool {
    let elapsed = meta
        .elapsed
        .filter(|_| meta.time_unit == TimeUnit::Nanoseconds);
    match (meta.params.get(PREEMPTED_TIME), elapsed) {
        (Some(ParamValue::Number(seconds)), Some(elapsed)) => {
            *seconds * 1e9 >= DISTURBED * elapsed as f64
        }
        _ => true,
    }
}

/// Which runs of a side, or of all, were disturbed.
pub(crate) fn note(runs: &[&RunEntry], side: Option<WhichSide>) -> Option<Note> {
    let share = |run: &&RunEntry| match run.meta.params.get(PREEMPTED) {
        Some(ParamValue::Number(share)) if *share >= DISTURBED && is_noticeable(&run.meta) => {
            Some(*share)
        }
        _ => None,
    };
    let disturbed: Vec<(&str, f64)> = runs
        .iter()
        .filter_map(|run| Some((run.meta.name.as_str(), share(run)?)))
        .collect();
    let most = disturbed
        .iter()
        .map(|(_, share)| *share)
        .fold(0.0, f64::max);
    let fact = RunFact::DisturbedRuns {
        disturbed: disturbed.len() as u64,
        of: runs.len() as u64,
        side,
        max_share: most,
        runs: FirstNames::new(disturbed.iter().map(|(name, _)| *name), MAX_NAMES),
    };
    (!disturbed.is_empty()).then(|| fact.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four threads that slept waited for half of the little time in which they could run.
    #[test]
    fn short_waits_for_processors_are_not_noticeable() {
        let meta = |waited: Option<f64>, elapsed: Option<i64>, time_unit: TimeUnit| {
            let mut meta = RunMeta::new("made", "trace");
            let waited =
                waited.map(|seconds| (PREEMPTED_TIME.to_owned(), ParamValue::Number(seconds)));
            meta.params.extend(waited);
            (meta.elapsed, meta.time_unit) = (elapsed, time_unit);
            meta
        };
        let second = Some(1_000_000_000);
        let unit = TimeUnit::Nanoseconds;
        assert!(!is_noticeable(&meta(Some(0.049), second, unit)));
        assert!(is_noticeable(&meta(Some(0.05), second, unit)));
        // The share alone counts where one of the times is unknown.
        assert!(is_noticeable(&meta(None, second, unit)));
        assert!(is_noticeable(&meta(Some(0.01), None, unit)));
        assert!(is_noticeable(&meta(Some(0.01), second, TimeUnit::Ticks)));
    }
}
