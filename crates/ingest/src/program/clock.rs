//! From ticks to nanoseconds.

use super::Program;
use super::columns::Column;

/// A clock of known rate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    hz: f64,
}

impl Clock {
    /// `None` for rates that no clock has.
    pub(super) fn new(hz: f64) -> Option<Self> {
        (hz.is_finite() && hz > 0.0).then_some(Self { hz })
    }

    /// Nanoseconds, rounded; monotonic in `ticks`.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a cast of a float saturates, and instants beyond 2^53 ticks are years"
    )]
    pub(super) fn nanos(self, ticks: i64) -> i64 {
        (ticks as f64 * 1e9 / self.hz).round() as i64
    }

    /// Length of an interval as the difference of its ends, so that what is adjacent stays so.
    fn stretch(self, start: i64, duration: i64) -> (i64, i64) {
        let begin = self.nanos(start);
        let end = self.nanos(start.saturating_add(duration));
        (begin, end.saturating_sub(begin))
    }
}

impl Program {
    /// Converts all times. Work that is the sum of a grain's fragments is left out: it is added
    /// up again from the converted ones.
    pub(super) fn convert(&mut self, clock: Clock) {
        self.leave_out_summed_work();
        for column in [
            &mut self.grains.created,
            &mut self.grains.start,
            &mut self.grains.end,
            &mut self.grains.work,
            &mut self.grains.creation,
            &mut self.grains.waiting,
        ] {
            column.map(|ticks| clock.nanos(ticks));
        }
        let fragments = &mut self.fragments;
        for (start, duration) in fragments.start.iter_mut().zip(&mut fragments.duration) {
            (*start, *duration) = clock.stretch(*start, *duration);
        }
        for wait in &mut self.waits {
            (wait.start, wait.duration) = clock.stretch(wait.start, wait.duration);
        }
        self.meta.elapsed = self.meta.elapsed.map(|ticks| clock.nanos(ticks));
        self.convert_measures(clock);
    }

    fn leave_out_summed_work(&mut self) {
        let sums = self.fragment_sums();
        for grain in 0..self.grains.len() {
            let sum = sums.get(grain);
            if sum.is_some() && sum == self.grains.work.get(grain) {
                self.grains.work.set(grain, None);
            }
        }
    }

    /// Sum of the fragments of each grain that has any.
    pub(super) fn fragment_sums(&self) -> Column {
        let mut sums = Column::default();
        for (grain, duration) in self.fragments.durations() {
            let sum = sums.get(grain).unwrap_or(0).saturating_add(duration);
            sums.set(grain, Some(sum));
        }
        sums
    }
}
