//! Costs of recording, from pairs of launches with and without the recorder, and the use of the machine by launches,
//! as the kernel counts it.

use std::collections::BTreeMap;

use sheaf_answers::{RecordingCost, RelativeCost};
use sheaf_ensemble::compare_pairs;

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

/// Launches with and without the recorder.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    /// Those that are compared.
    pub(crate) compared: Vec<Pair>,
    /// Reason for which the first pair that is left out is not compared.
    pub(crate) refused: Option<String>,
}

impl Pairs {
    /// Adds two launches, if both ended with status 0: those that fail may do less work.
    pub(crate) fn add(&mut self, pair: Pair) {
        let outcomes = [(&pair.plain, "without"), (&pair.recorded, "with")];
        let failed = outcomes
            .iter()
            .find(|(outcome, _)| !outcome.ending.is_success());
        let Some((outcome, which)) = failed else {
            self.compared.push(pair);
            return;
        };
        let ended = outcome.ending.tell();
        self.refused.get_or_insert_with(|| {
            format!("{which} the recorder, the program {ended}, and only launches that end with status 0 are compared")
        });
    }

    /// Why there are no costs, in a sentence.
    pub(crate) fn why_none(&self) -> Option<String> {
        let reason = self.refused.as_ref().filter(|_| self.compared.is_empty())?;
        Some(format!("no cost of recording: {reason}"))
    }
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
    compare_pairs(&values.collect::<Vec<_>>())
}

/// Times and switches of processes that have ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Processor time in the programs themselves and in the kernel for them, in nanoseconds.
    pub(crate) cpu_ns: i64,
}

impl Usage {
    /// Costs of all processes that were started and waited for, and of their own children.
    #[expect(
        unsafe_code,
        reason = "the standard library does not return the usage of children"
    )]
    pub(crate) fn of_children() -> Self {
        // SAFETY: all zero is a valid value, and the call fills it or fails.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
            usage
        };
        let nanos = |time: libc::timeval| {
            time.tv_sec
                .saturating_mul(1_000_000_000)
                .saturating_add(time.tv_usec.saturating_mul(1_000))
        };
        Self {
            cpu_ns: nanos(usage.ru_utime).saturating_add(nanos(usage.ru_stime)),
        }
    }

    /// Increase since an earlier reading.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            cpu_ns: self.cpu_ns.saturating_sub(before.cpu_ns),
        }
    }
}
