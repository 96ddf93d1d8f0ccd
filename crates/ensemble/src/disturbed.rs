//! Runs whose threads had to wait for processors say so in every answer that rests on their times.

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

/// Which runs were disturbed; `of` says whose they are.
pub(crate) fn note(runs: &[&RunEntry], of: &str) -> Option<String> {
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
    let mut names: Vec<&str> = disturbed.iter().map(|(name, _)| *name).collect();
    let more = names.len().saturating_sub(MAX_NAMES);
    names.truncate(MAX_NAMES);
    let verb = if disturbed.len() == 1 { "was" } else { "were" };
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    (!disturbed.is_empty()).then(|| {
        format!(
            "{} of {} {of}runs {verb} disturbed: threads had no processor for up to {:.0} % of the time in which they \
             could run, so times are longer for that: {}{more}",
            disturbed.len(),
            runs.len(),
            100.0 * most,
            names.join(", "),
        )
    })
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
