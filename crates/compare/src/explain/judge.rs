//! Decides whether causes exceed the noise of the runs.

use std::collections::BTreeSet;

use rayon::prelude::*;
use sheaf_answers::{CauseKind, Reason, TypicalChange, Verdict, Why};
use sheaf_model::{Cancelled, ProgramPart, Progress, RunId};
use sheaf_statistics::{
    Random, RankSumNull, Sample, benjamini_hochberg, rank_sum, runs_needed, runs_needed_among,
    smallest_p,
};

use super::{Concern, ExplainOptions, FoundCause, RESAMPLES, SEED, sort};

/// A part of the difference with its values in the runs of both sides.
pub(super) struct Measured {
    pub(super) kind: CauseKind,
    pub(super) concern: Concern,
    pub(super) part: Option<ProgramPart>,
    pub(super) delta: f64,
    pub(super) exact: Option<i128>,
    pub(super) values: [Vec<f64>; 2],
}

/// The design of the comparison: it decides what can be tested.
pub(super) struct Design<'a> {
    runs: [usize; 2],
    /// Runs of each side that the resamples draw with replacement, one resample after the other. All parts of all views
    /// have the same resamples, and a side draws the same runs whichever side it is: a swap of the sides negates intervals.
    drawn: [Vec<u32>; 2],
    /// The longer of the two mean elapsed times.
    scale: f64,
    baseline: f64,
    options: &'a ExplainOptions,
    /// Why nothing can be tested.
    untested: Option<Why>,
    null: RankSumNull,
}

impl<'a> Design<'a> {
    pub(super) fn new(ids: &[Vec<RunId>; 2], means: [f64; 2], options: &'a ExplainOptions) -> Self {
        let [a, b] = ids.each_ref().map(Vec::len);
        let sets = ids
            .each_ref()
            .map(|side| side.iter().collect::<BTreeSet<_>>());
        let common = sets[0].intersection(&sets[1]).count();
        let (runs_a, runs_b) = (a as u64, b as u64);
        let untested = if common > 0 {
            Some(Why::RunsOnBothSides {
                runs: common as u64,
            })
        } else if a < 2 || b < 2 {
            Some(Why::SingleRun { runs_a, runs_b })
        } else if smallest_p(a, b) > options.alpha {
            Some(Why::TooFewRuns {
                runs_a,
                runs_b,
                alpha: options.alpha,
                smallest_p: Some(smallest_p(a, b)),
                needed: runs_needed(options.alpha).map(|runs| runs as u64),
            })
        } else {
            None
        };
        Self {
            runs: [a, b],
            drawn: ids.each_ref().map(|side| draw(side)),
            scale: means[0].abs().max(means[1].abs()),
            baseline: means[0],
            options,
            untested,
            null: RankSumNull::new(a.min(b), a.max(b)),
        }
    }

    /// The causes of a view, the largest first, with intervals, q and verdicts. Parts are resampled in parallel.
    ///
    /// # Errors
    /// When it was stopped.
    pub(super) fn causes(
        &self,
        parts: Vec<Measured>,
        progress: &Progress,
    ) -> Result<Vec<FoundCause>, Cancelled> {
        let causes = parts.into_par_iter().map(|part| {
            progress.check()?;
            Ok(self.evidence(part))
        });
        let mut causes: Vec<FoundCause> = causes.collect::<Result<_, Cancelled>>()?;
        self.judge(&mut causes);
        Ok(causes)
    }

    /// The cause for a difference that no part has.
    pub(super) fn rest(&self, delta: f64) -> FoundCause {
        let mut cause = self.evidence(Measured {
            kind: CauseKind::NotExplained,
            concern: Concern::Run,
            part: None,
            delta,
            exact: None,
            values: self.runs.map(|_| Vec::new()),
        });
        cause.interval = None;
        cause
    }

    /// A cause with its interval and p; the verdict comes later.
    ///
    /// A part that differs by less than the least impact between any two runs cannot be a real cause. It is not tested, so
    /// that others can reach significance. Which parts these are does not depend on the side of a run, so the others keep
    /// their level (Bourgon, Gentleman and Huber 2010, independent filtering).
    fn evidence(&self, part: Measured) -> FoundCause {
        let why = self.untested.clone().unwrap_or(Why::NoTypicalChange);
        let has_repeats = self.runs.iter().all(|&runs| runs > 1);
        let values = part.values;
        let all = || values.iter().flatten().copied();
        let largest = all().map(f64::abs).fold(0.0, f64::max);
        let is_small = largest < self.options.least_share * self.scale;
        let spread = all().fold(f64::NEG_INFINITY, f64::max) - all().fold(f64::INFINITY, f64::min);
        let can_matter = spread >= self.options.least_impact * self.scale;
        let interval = (has_repeats && !is_small).then(|| self.interval(&values));
        let is_tested = self.untested.is_none() && !is_small && can_matter;
        let p = is_tested.then(|| {
            let [a, b] = values.map(Sample::new);
            rank_sum(&a, &b, &self.null).map(|test| test.p)
        });
        FoundCause {
            kind: part.kind,
            concern: part.concern,
            part: part.part,
            delta: part.delta,
            exact: part.exact,
            interval,
            p: p.flatten(),
            q: None,
            verdict: Verdict::Untestable,
            reason: Reason::from(why),
        }
    }

    /// Percentile interval of the difference of the means over the resamples.
    fn interval(&self, values: &[Vec<f64>; 2]) -> [f64; 2] {
        let mean = |side: usize, resample: usize| {
            let (values, runs) = (&values[side], self.runs[side]);
            let drawn = &self.drawn[side][resample * runs..][..runs];
            let drawn = drawn.iter().filter_map(|&run| values.get(run as usize));
            drawn.sum::<f64>() / runs.max(1) as f64
        };
        let half = self.options.alpha / 2.0;
        // Both ends are lower quantiles, so that rounding is the same for swapped sides.
        let lower = |from: usize, to: usize| {
            let resamples = 0..RESAMPLES;
            let sample = Sample::new(resamples.map(|it| mean(to, it) - mean(from, it)));
            sample.quantile(half).unwrap_or(0.0)
        };
        [lower(0, 1), -lower(1, 0)]
    }

    /// Gives all causes of a view their order, q and verdict.
    fn judge(&self, causes: &mut [FoundCause]) {
        sort(causes);
        let p: Vec<f64> = causes.iter().filter_map(|cause| cause.p).collect();
        let too_few = self.too_few(p.len());
        let mut q = benjamini_hochberg(&p).into_iter();
        for cause in causes {
            cause.q = cause.p.and_then(|_| q.next());
            if self.untested.is_none() {
                let (verdict, why) = self.verdict(cause, too_few.as_ref());
                (cause.verdict, cause.reason) = (verdict, why.into());
            }
        }
    }

    /// Why one part alone cannot be shown to differ, if so.
    fn too_few(&self, tested: usize) -> Option<Why> {
        let [a, b] = self.runs;
        let alpha = self.options.alpha;
        let smallest_q = smallest_p(a, b) * tested as f64;
        (smallest_q > alpha).then(|| Why::TooFewRunsForParts {
            runs_a: a as u64,
            runs_b: b as u64,
            alpha,
            tested: tested as u64,
            smallest_q: smallest_q.min(1.0),
            needed: runs_needed_among(tested, alpha).map(|runs| runs as u64),
        })
    }

    fn verdict(&self, cause: &FoundCause, too_few: Option<&Why>) -> (Verdict, Why) {
        let ExplainOptions {
            alpha,
            least_impact,
            least_share,
        } = *self.options;
        let of_scale = |value: f64| value / self.scale.max(f64::MIN_POSITIVE);
        let ends = cause.interval.map(|ends| ends.map(of_scale));
        let share = of_scale(cause.delta);
        let change = TypicalChange {
            change: share,
            of_larger_mean: false,
            of_elapsed: true,
            interval: ends,
            coverage: ends.map(|_| 1.0 - alpha),
            runs_a: self.runs[0] as u64,
            runs_b: self.runs[1] as u64,
            q: cause.q,
            impact: (self.baseline > 0.0).then(|| cause.delta / self.baseline),
        };
        let is_inside = |[low, high]: [f64; 2]| -least_impact <= low && high <= least_impact;
        if ends.is_some_and(is_inside) {
            let threshold = least_impact;
            return (
                Verdict::Unchanged,
                Why::WithinThreshold { change, threshold },
            );
        }
        if cause.p.is_none() {
            let why = Why::TooSmallToTest {
                share: share.abs(),
                min_share: least_share,
                change,
            };
            return (Verdict::Inconclusive, why);
        }
        if cause.q.is_none_or(|q| q > alpha) {
            let smallest = smallest_p(self.runs[0], self.runs[1]);
            let is_apart = cause.p.is_some_and(|p| p <= smallest * 1.000_001);
            return match too_few.filter(|_| is_apart) {
                Some(why) => (Verdict::Untestable, why.clone()),
                None => (Verdict::Inconclusive, Why::NotSignificant { change, alpha }),
            };
        }
        if ends.is_none_or(|[low, high]| low <= 0.0 && high >= 0.0) {
            return (Verdict::Inconclusive, Why::IntervalContainsNone { change });
        }
        if share.abs() < least_impact {
            let (change, min_share) = (Some(change), least_impact);
            let why = Why::TooLittleOfTotal { change, min_share };
            return (Verdict::Inconclusive, why);
        }
        let verdict = if cause.delta > 0.0 {
            Verdict::Slower
        } else {
            Verdict::Faster
        };
        (verdict, Why::Changed { change })
    }
}

/// Places of the runs that [`RESAMPLES`] resamples of `runs` have.
fn draw(runs: &[RunId]) -> Vec<u32> {
    let ids: String = runs.iter().map(ToString::to_string).collect();
    let mut random = Random::keyed(SEED, &[&ids]);
    let drawn = (0..RESAMPLES * runs.len()).map(|_| random.below(runs.len()));
    drawn
        .map(|run| u32::try_from(run).unwrap_or(u32::MAX))
        .collect()
}
