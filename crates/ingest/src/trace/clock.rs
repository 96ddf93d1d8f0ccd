//! From raw clock values to nanoseconds.

use super::header::{ClockKind, FixedHeader};

/// Converts raw clock values of one trace to `CLOCK_MONOTONIC` nanoseconds.
///
/// One straight line for all threads, through the first and the last pair of readings, so
/// that the order of raw values is the order of converted ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    start_ticks: u64,
    start_ns: u64,
    /// Nanoseconds per tick, times 2^64.
    ns_per_tick: u128,
}

const ONE: u128 = 1 << 64;

impl Clock {
    /// `last` is the latest pair found anywhere in the file.
    pub(super) fn new(fixed: &FixedHeader, last: (u64, u64)) -> Self {
        let (start_ticks, start_ns) = fixed.start;
        let ticks = last.0.saturating_sub(start_ticks);
        let ns = last.1.saturating_sub(start_ns);
        let measured = (u128::from(ns) << 64).checked_div(u128::from(ticks));
        let ns_per_tick = match fixed.clock {
            ClockKind::Monotonic => ONE,
            // No sane counter is slower than 1 MHz or faster than 100 GHz: such a rate is
            // damage, and ticks are then the better nanoseconds.
            ClockKind::Tsc => measured
                .filter(|rate| (ONE / 100..=ONE * 1000).contains(rate))
                .unwrap_or(ONE),
        };
        Self {
            start_ticks,
            start_ns,
            ns_per_tick,
        }
    }

    pub(super) fn to_ns(self, ticks: u64) -> u64 {
        let scaled = |span: u64| {
            let whole = (self.ns_per_tick >> 64).saturating_mul(u128::from(span));
            let part = ((self.ns_per_tick & (ONE - 1)) * u128::from(span)) >> 64;
            u64::try_from(whole.saturating_add(part)).unwrap_or(u64::MAX)
        };
        if ticks >= self.start_ticks {
            self.start_ns
                .saturating_add(scaled(ticks - self.start_ticks))
        } else {
            self.start_ns
                .saturating_sub(scaled(self.start_ticks - ticks))
        }
    }
}
