//! Costs of recording, from pairs of launches with and without the recorder.

use std::collections::BTreeMap;

use sheaf_answers::{RecordingCost, RelativeCost};
use sheaf_ensemble::PairedChange;

use super::launch::Outcome;

/// Two launches with the same settings, one after the other, that both ended well.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    /// Threads asked for.
    pub(crate) threads: Option<u32>,
    /// The launch without the recorder.
    pub(crate) plain: Outcome,
    /// The one with it.
    pub(crate) recorded: Outcome,
}

/// Costs by thread count.
pub(crate) fn costs(pairs: &[Pair]) -> Vec<RecordingCost> {
    let mut by_threads: BTreeMap<Option<u32>, Vec<&Pair>> = BTreeMap::new();
    for pair in pairs {
        by_threads.entry(pair.threads).or_default().push(pair);
    }
    let cost = |(threads, pairs): (Option<u32>, Vec<&Pair>)| {
        let elapsed = |outcome: &Outcome| outcome.elapsed.as_secs_f64();
        let cpu = |outcome: &Outcome| outcome.usage.cpu_ns as f64;
        Some(RecordingCost {
            threads,
            elapsed: relative(&pairs, elapsed)?,
            cpu: relative(&pairs, cpu)?,
        })
    };
    by_threads.into_iter().filter_map(cost).collect()
}

fn relative(pairs: &[&Pair], value: impl Fn(&Outcome) -> f64) -> Option<RelativeCost> {
    let values = pairs
        .iter()
        .map(|pair| (value(&pair.plain), value(&pair.recorded)));
    let change = PairedChange::of(&values.collect::<Vec<_>>())?;
    Some(RelativeCost {
        pairs: change.pairs as u64,
        median: change.median,
        low: change.interval.map(|(low, _)| low),
        high: change.interval.map(|(_, high)| high),
        verdict: change.verdict().to_owned(),
    })
}
